//! `shem strategy`: what the default strategy does with a file.

use std::path::Path;
use std::sync::Arc;

use shem_base::StopToken;
use shem_chc::Shape;
use shem_decide::{Engines, Profile, entries_for};

use super::options::Options;
use super::shapes::read_problem;

/// The entries of the strategy for the first system of a file, as command lines. The error says why the file cannot
/// be read.
pub(crate) fn list_strategy(file: &Path, options: &Options) -> Result<String, String> {
    let mut problem = read_problem(file)?;
    let system = Arc::clone(problem.system());
    let stop = StopToken::new();
    let variant = options.solve.prepared(problem.store_mut(), &system, &stop);
    if variant.decision(problem.store_mut(), &stop).is_some() {
        return Ok("# preprocessing decides it\n".to_owned());
    }
    let jobs = options.jobs();
    let entries = match &options.solve.engines {
        Engines::Mix(entries) => entries.clone(),
        _ => entries_for(&Profile::of(problem.store_mut(), variant.graph(), jobs)),
    };
    let mut text = format!("# {}; {jobs} cores\n", Shape::of(variant.graph()));
    for entry in entries {
        let words: Vec<&str> = entry.words().chain(options.engine_words.iter().map(String::as_str)).collect();
        let (weight, delay) = (entry.weight, entry.delay.as_secs_f64());
        let (words, file) = (words.join(" "), file.display());
        text += &format!("shem {words} {file}  # weight {weight}, after {delay} s\n");
    }
    Ok(text)
}
