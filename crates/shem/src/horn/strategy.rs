//! `shem strategy`: what the default strategy does with a file.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use libshem::Problem;
use shem_base::StopToken;
use shem_decide::{Engines, Profile, entries_for, prepare};

use super::options::Options;
use crate::input;

/// Lists the entries of the strategy for the first system of a file as command lines. The error says why the
/// file cannot be read.
pub(crate) fn list_strategy(
    file: &Path,
    options: &Options,
    out: &mut dyn Write,
) -> std::io::Result<Result<(), String>> {
    let name = input::name(file);
    let text = input::read(file).map_err(|error| error.to_string());
    let text = text.and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
    let text = match text {
        Ok(text) => text,
        Err(error) => return Ok(Err(format!("{name}: {error}"))),
    };
    let mut problem = match Problem::parse(&text) {
        Ok(problem) => problem,
        Err(error) => return Ok(Err(format!("{name}: {}", error.message))),
    };
    let system = Arc::clone(problem.system());
    let stop = StopToken::new();
    let prepared = prepare(problem.store_mut(), &system, &options.solve.passes(), &stop);
    if prepared.decision(problem.store_mut(), &stop).is_some() {
        writeln!(out, "# preprocessing decides it")?;
        return Ok(Ok(()));
    }
    let jobs = options.jobs();
    writeln!(out, "# {}; {jobs} cores", prepared.shape)?;
    let entries = match &options.solve.engines {
        Engines::Mix(entries) => entries.clone(),
        _ => entries_for(&Profile::of(&prepared.preprocessed.graph, jobs)),
    };
    for entry in entries {
        let words: Vec<&str> = entry.words().chain(options.engine_words.iter().map(String::as_str)).collect();
        let (weight, delay) = (entry.weight, entry.delay.as_secs_f64());
        writeln!(out, "shem {} {}  # weight {weight}, after {delay} s", words.join(" "), file.display())?;
    }
    Ok(Ok(()))
}
