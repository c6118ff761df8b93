//! The command line of Eldarica: `eld -horn -t:10 FILE`, `eld -hsmt -in -t:10 -ssol`.
//!
//! Options that choose among Eldarica's own techniques have no counterpart here; they are read and mean nothing.

use std::ffi::OsString;

use super::{arguments, only_file, seconds, version};
use crate::cli::arguments::{Arguments, Failure, Job};
use crate::dialect::Dialect;

/// Options about how Eldarica works, by their words before a colon.
const TUNING: [&str; 26] = [
    "-abstract",
    "-abstractPO",
    "-abstractTO",
    "-arrayQuans",
    "-assert",
    "-assertNoVerify",
    "-bool",
    "-boundsAnalysis",
    "-cloneArrays",
    "-dinq",
    "-disj",
    "-dnf",
    "-horn",
    "-hsmt",
    "-lbe",
    "-log",
    "-logPreds",
    "-noIntervals",
    "-noSlicing",
    "-p",
    "-pIntermediate",
    "-portfolio",
    "-splitClauses",
    "-stac",
    "-sym",
    "-staticAccelerate",
];

/// The meaning of the words after the program's name.
pub(super) fn parse(words: impl Iterator<Item = OsString>) -> Result<Arguments, Failure> {
    let mut parsed = arguments(Dialect::Eldarica, Job::Horn("-".into()));
    let mut files = Vec::new();
    for word in words {
        let Some(text) = word.to_str().filter(|text| text.starts_with('-') && *text != "-") else {
            files.push(word);
            continue;
        };
        let (name, value) = text.split_once(':').map_or((text, None), |(name, value)| (name, Some(value)));
        match (name, value) {
            ("-in", None) => files.push("-".into()),
            ("-t", Some(value)) => parsed.horn.run.timeout = Some(seconds("-t", value)?),
            ("-sol" | "-ssol", None) => parsed.horn.print_model = true,
            ("-cex" | "-scex", None) => parsed.horn.print_witness = true,
            ("-version" | "--version", None) => return Ok(version(Dialect::Eldarica)),
            _ if TUNING.contains(&name) => {}
            _ => return Err(Failure(format!("unrecognised option {text}"))),
        }
    }
    parsed.job = Job::Horn(only_file(files)?);
    Ok(parsed)
}
