//! Does what the command line says.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use shem_engine::Registry;
use shem_term::smtlib::escape_string;

use super::arguments::{Arguments, Failure, Job, parse};
use super::line::{completions, manual};
use crate::diagnostic::{FAILURE, fail};
use crate::horn::{list_shapes, list_strategy, run as decide};
use crate::input;
use crate::smt::{Options, Outcome, run_stream, run_text};

/// Runs the program with these engines and arguments, its own name not among them; gives the exit code.
pub fn run(
    registry: &Registry,
    args: impl Iterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let Arguments { job, smt, horn } = match parse(registry, args) {
        Ok(arguments) => arguments,
        Err(Failure(words)) => {
            let _ = writeln!(out, "(error {})", escape_string(&words));
            let _ = out.flush();
            let _ = writeln!(err, "shem: {words}; see shem --help");
            return FAILURE;
        }
    };
    let written = match job {
        Job::Print(text) => out.write_all(text.as_bytes()),
        Job::Manual => manual(registry).and_then(|page| out.write_all(&page)),
        Job::Completions(shell) => out.write_all(&completions(registry, shell)),
        Job::Smt(file) => return run_script(&file, &smt, &mut out, err),
        Job::Horn(file) => return decide(&file, &horn, &mut out, err),
        Job::Strategy(file) => match list_strategy(&file, &horn) {
            Ok(text) => out.write_all(text.as_bytes()),
            Err(message) => return fail(&message, &mut out, err),
        },
        Job::Shapes(files) => match list_shapes(&files, &horn, &mut out) {
            Ok(0) => Ok(()),
            Ok(failures) => {
                let _ = writeln!(err, "shem: {failures} files could not be read");
                return FAILURE;
            }
            Err(error) => Err(error),
        },
    };
    if written.and_then(|()| out.flush()).is_ok() { 0 } else { FAILURE }
}

fn run_script(file: &Path, options: &Options, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let name = input::name(file);
    let outcome = if file == Path::new("-") {
        run_stream(&name, &mut io::stdin().lock(), options, out, err)
    } else {
        match input::read(file) {
            Ok(script) => run_text(&name, &script, options, out, err),
            Err(error) => return fail(&format!("{name}: {error}"), out, err),
        }
    };
    match outcome {
        Outcome::Completed => 0,
        Outcome::Failed => FAILURE,
    }
}
