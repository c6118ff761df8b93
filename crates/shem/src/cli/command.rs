//! Does what the command line says.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use shem_engine::Registry;
use shem_term::smtlib::escape_string;

use super::arguments::{Arguments, Failure, Job, parse};
use super::line::{completions, manual};
use crate::smt::{self, Options, Outcome};
use crate::{horn, input};

/// The exit code of a run that ended with an error of the user.
const FAILURE: u8 = 1;

/// Runs the program with these arguments, its own name not among them; gives the exit code.
pub fn run(args: impl Iterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let Arguments { job, settings } = match parse(args) {
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
        Job::Manual => manual(&Registry::standard()).and_then(|page| out.write_all(&page)),
        Job::Completions(shell) => out.write_all(&completions(&Registry::standard(), shell)),
        Job::Smt(file) => return run_script(&file, &settings.smt, &mut out, err),
        Job::Horn(file) => return horn::run(&file, &settings.horn, &mut out, err),
        Job::Strategy(file) => match horn::list_strategy(&file, &settings.horn, &mut out) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(message)) => {
                let _ = writeln!(out, "(error {})", escape_string(&message));
                let _ = out.flush();
                let _ = writeln!(err, "shem: {message}");
                return FAILURE;
            }
            Err(error) => Err(error),
        },
        Job::Shapes(files) => match horn::list_shapes(&files, &settings.horn, &mut out) {
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
        smt::run_stream(&name, &mut io::stdin().lock(), options, out, err)
    } else {
        match input::read(file) {
            Ok(script) => smt::run_text(&name, &script, options, out, err),
            Err(error) => {
                let message = format!("{name}: {error}");
                let _ = writeln!(out, "(error {})", escape_string(&message));
                let _ = out.flush();
                let _ = writeln!(err, "shem: {message}");
                return FAILURE;
            }
        }
    };
    match outcome {
        Outcome::Completed => 0,
        Outcome::Failed => FAILURE,
    }
}
