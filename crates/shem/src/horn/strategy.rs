//! `shem strategy`: what the default strategy does with a file.

use std::path::Path;

use shem_base::StopToken;
use shem_chc::Shape;
use shem_decide::{Engines, Prepared, Profile, entries_for};
use shem_term::Store;

use super::options::Options;
use crate::format::read_systems;

/// The entries of the strategy for the first system of a file, as command lines. The error says why the file cannot
/// be read.
pub(crate) fn list_strategy(file: &Path, options: &Options) -> Result<String, String> {
    let mut store = Store::new();
    let (systems, _) = read_systems(file, &mut store, options)?;
    let stop = StopToken::new();
    let mut prepared = Prepared::read(&mut store, &systems[0], &options.solve.disabled_passes);
    let as_read = prepared.as_read();
    let variant = prepared.variant(&mut store, options.solve.preparation(), &stop);
    if variant.decision(&mut store, &stop).is_some() {
        return Ok("# preprocessing decides it\n".to_owned());
    }
    let jobs = options.jobs();
    let entries = match &options.solve.engines {
        Engines::Mix(entries) => entries.clone(),
        _ => entries_for(&Profile::of(&store, as_read.graph(), variant.graph(), jobs)),
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
