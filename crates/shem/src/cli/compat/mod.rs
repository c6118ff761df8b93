//! Shem in place of another solver.
//!
//! Programs that call a solver look for it by name, give it their own set of options, and expect its words. A link to
//! `shem` with the name of such a solver understands its command line and answers as it does, so that those programs
//! need no change. Each solver has a file; what they share is here. How the answers differ is said by [`Dialect`].

mod eldarica;
pub(super) mod golem;
mod z3;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::arguments::{Arguments, Failure, Job};
use crate::dialect::Dialect;

/// The solver whose command line a program of this name has. The ending `.exe` does not count.
pub(super) fn dialect(program: &OsStr) -> Dialect {
    match Path::new(program).file_stem().and_then(OsStr::to_str) {
        Some("eld") => Dialect::Eldarica,
        Some("z3") => Dialect::Z3,
        _ => Dialect::Shem,
    }
}

/// The meaning of a command line of another solver: of z3, unless it is Eldarica.
pub(super) fn parse(dialect: Dialect, words: impl Iterator<Item = OsString>) -> Result<Arguments, Failure> {
    if dialect == Dialect::Eldarica { eldarica::parse(words) } else { z3::parse(words) }
}

/// The arguments for a job, before options change them.
fn arguments(dialect: Dialect, job: Job) -> Arguments {
    let mut arguments = Arguments::new(job);
    arguments.horn.dialect = dialect;
    arguments
}

/// The version, with what stands behind the name.
fn version(dialect: Dialect) -> Arguments {
    let text = format!("shem {} in place of {dialect}\n", env!("CARGO_PKG_VERSION"));
    arguments(dialect, Job::Print(text))
}

/// The only file of a command line; standard input if there is none.
fn only_file(mut files: Vec<OsString>) -> Result<PathBuf, Failure> {
    match (files.pop(), files.pop()) {
        (None, _) => Ok("-".into()),
        (Some(file), None) => Ok(file.into()),
        _ => Err(Failure("too many arguments".to_owned())),
    }
}

/// The value of an option in seconds.
fn seconds(option: &str, text: &str) -> Result<Duration, Failure> {
    shem_script::options::parse_seconds(text).map_err(|words| Failure(format!("{option}: {words}")))
}

/// The value of an option that is a whole number.
fn number(option: &str, text: &str) -> Result<u64, Failure> {
    text.parse().map_err(|_| Failure(format!("{option}: {text} is not a whole number")))
}

#[cfg(test)]
mod tests;
