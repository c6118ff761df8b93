//! The command line of z3: `z3 -smt2 -in -T:10 rlimit=20000000 fp.spacer.mbqi=false FILE`.
//!
//! A script of the logic HORN, or with rules, is a Horn problem; any other goes to the interpreter of SMT-LIB. Limits
//! are heeded; the other parameters say how z3 works, and mean nothing here.

use std::ffi::OsString;
use std::time::Duration;

use shem_decide::MEGABYTE;

use super::{arguments, number, only_file, seconds, version};
use crate::cli::arguments::{Arguments, Failure, Job};
use crate::dialect::Dialect;

/// z3 counts so many steps of its own in a second, on the queries of solc: 2 to 5 million, taken low since whoever
/// gives 20 million (solc-js) waits ten seconds and no longer.
const STEPS_A_SECOND: f64 = 2.2e6;
/// A small count is not taken for less time than this: its user wants an end, not a hurry.
const LEAST_SECONDS: f64 = 2.0;
/// z3's way of saying that there is no limit.
const UNLIMITED: u64 = 4_294_967_295;

/// The meaning of the words after the program's name.
pub(super) fn parse(words: impl Iterator<Item = OsString>) -> Result<Arguments, Failure> {
    let mut parsed = arguments(Dialect::Z3, Job::Print(String::new()));
    let mut files = Vec::new();
    for word in words {
        let Some(text) = word.to_str() else {
            files.push(word);
            continue;
        };
        match text.strip_prefix("--").or_else(|| text.strip_prefix('-')) {
            Some("") => files.push("-".into()),
            Some(option) => match set_option(&mut parsed, text, option)? {
                Word::Taken => {}
                Word::File(name) => files.push(name.into()),
                Word::Version => return Ok(version(Dialect::Z3)),
            },
            None => match text.split_once('=').filter(|(name, _)| is_parameter(name)) {
                Some((name, value)) => set_parameter(&mut parsed, name, value)?,
                None => files.push(word),
            },
        }
    }
    parsed.job = Job::Script(only_file(files)?);
    Ok(parsed)
}

/// What a word with a dash was.
enum Word {
    Taken,
    File(&'static str),
    Version,
}

fn set_option(parsed: &mut Arguments, text: &str, option: &str) -> Result<Word, Failure> {
    let (name, value) = option.split_once(':').map_or((option, None), |(name, value)| (name, Some(value)));
    match (name, value) {
        ("in", None) => return Ok(Word::File("-")),
        ("version", None) => return Ok(Word::Version),
        ("smt2" | "nw" | "warnings", None) | ("v" | "log", Some(_)) => {}
        ("model", None) => parsed.horn.print_model = true,
        ("st", None) => set_run(parsed, |run| run.statistics = true),
        ("T", Some(value)) => {
            let limit = seconds("-T", value)?;
            set_run(parsed, |run| run.timeout = Some(limit));
        }
        ("t", Some(value)) => set_check_time(parsed, number("-t", value)?),
        ("memory", Some(value)) => set_memory(parsed, number("-memory", value)?),
        _ => return Err(Failure(format!("unknown option {text}"))),
    }
    Ok(Word::Taken)
}

/// Whether something like this can be the name of a parameter: `rlimit`, `fp.spacer.mbqi`.
fn is_parameter(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    };
    name.split('.').all(part)
}

fn set_parameter(parsed: &mut Arguments, name: &str, value: &str) -> Result<(), Failure> {
    match name {
        "timeout" => set_check_time(parsed, number(name, value)?),
        "rlimit" => match number(name, value)? {
            0 | UNLIMITED => set_run(parsed, |run| run.check_time = None),
            steps => {
                let limit = Duration::from_secs_f64((steps as f64 / STEPS_A_SECOND).max(LEAST_SECONDS));
                set_run(parsed, |run| run.check_time = Some(limit));
            }
        },
        "memory_max_size" => set_memory(parsed, number(name, value)?),
        _ => {}
    }
    Ok(())
}

/// Each check may take so many milliseconds.
fn set_check_time(parsed: &mut Arguments, milliseconds: u64) {
    let limit = (milliseconds != 0 && milliseconds != UNLIMITED).then(|| Duration::from_millis(milliseconds));
    set_run(parsed, |run| run.check_time = limit);
}

fn set_memory(parsed: &mut Arguments, megabytes: u64) {
    let bytes = usize::try_from(megabytes).unwrap_or(usize::MAX).saturating_mul(MEGABYTE);
    let limit = (megabytes != 0).then_some(bytes);
    set_run(parsed, |run| run.memory = limit);
}

/// Changes what Horn problems and scripts have in common, for both.
fn set_run(parsed: &mut Arguments, change: impl Fn(&mut shem_script::options::RunOptions)) {
    change(&mut parsed.horn.run);
    change(&mut parsed.smt.run);
}
