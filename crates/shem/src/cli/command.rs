//! Does what the command line says.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::arguments::{Arguments, Failure, Job, help, parse};
use crate::smt::{self, Options, Outcome};

/// The exit code of a run that ended with an error.
const FAILURE: u8 = 1;
/// The exit code for a command line that makes no sense.
const USAGE: u8 = 2;

/// Runs the program with these arguments, its own name not among them; gives the exit code.
pub fn run(args: impl Iterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let Arguments { job, smt } = match parse(args) {
        Ok(arguments) => arguments,
        Err(Failure(words)) => {
            let _ = writeln!(err, "shem: {words}; see shem --help");
            return USAGE;
        }
    };
    let written = match job {
        Job::Help => write!(out, "{}", help()),
        Job::Version => writeln!(out, "shem {}", env!("CARGO_PKG_VERSION")),
        Job::Smt(file) => return run_script(&file, &smt, out, err),
        Job::Horn(file) => {
            let file = file.display();
            let _ = writeln!(err, "shem: Horn problems cannot be solved yet; shem smt {file} runs a script");
            return FAILURE;
        }
    };
    if written.and_then(|()| out.flush()).is_ok() { 0 } else { FAILURE }
}

fn run_script(file: &Path, options: &Options, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let outcome = if file == Path::new("-") {
        smt::run_stream("<stdin>", &mut io::stdin().lock(), options, &mut out, err)
    } else {
        match std::fs::read(file) {
            Ok(script) => smt::run_text(&file.to_string_lossy(), &script, options, &mut out, err),
            Err(error) => {
                let _ = writeln!(err, "shem: {}: {error}", file.display());
                return FAILURE;
            }
        }
    };
    match outcome {
        Outcome::Completed => 0,
        Outcome::Failed => FAILURE,
    }
}
