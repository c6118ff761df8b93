//! Entries of a portfolio: command lines.
//!
//! An entry is what a user would type to have this engine with these settings decide the problem alone. So whatever a
//! portfolio does can be repeated without it, and there is one way to say what an engine should do.

use std::fmt;
use std::time::Duration;

use shem_engine::{Registry, SettingError};

use crate::options::{Engines, SolveOptions};

/// An engine with its settings, as arguments of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    engine: String,
    settings: Vec<String>,
    /// Its share of the time where entries have to take turns, beside those of the others.
    pub weight: u32,
    /// How long the others, if they keep all cores busy, go first.
    pub delay: Duration,
}

impl Entry {
    /// An engine with these settings, with weight 1 and from the start.
    pub fn new(engine: impl Into<String>, settings: impl IntoIterator<Item = String>) -> Entry {
        Entry {
            engine: engine.into(),
            settings: settings.into_iter().collect(),
            weight: 1,
            delay: Duration::ZERO,
        }
    }

    /// The same with more settings.
    pub fn with(mut self, settings: impl IntoIterator<Item = String>) -> Entry {
        self.settings.extend(settings);
        self
    }

    /// The same with another weight.
    pub fn weighing(self, weight: u32) -> Entry {
        Entry { weight, ..self }
    }

    /// The same, but the others go first for this many milliseconds.
    pub fn after(self, milliseconds: u64) -> Entry {
        Entry { delay: Duration::from_millis(milliseconds), ..self }
    }

    /// The same with another name of the engine.
    pub fn renamed(self, name: impl FnOnce(&str) -> String) -> Entry {
        Entry { engine: name(&self.engine), ..self }
    }

    /// The name of the engine.
    pub fn engine(&self) -> &str {
        &self.engine
    }

    /// The arguments after the engine's name.
    pub fn settings(&self) -> &[String] {
        &self.settings
    }

    /// How to decide by this one of these engines, with its settings, otherwise as the options say. The settings are words of
    /// the form `--NAME=VALUE`; the error says what is wrong with them.
    pub fn options(&self, registry: &Registry, others: &SolveOptions) -> Result<SolveOptions, String> {
        let engine = registry.choose(&self.engine).map_err(|error| error.to_string())?;
        let mut options = SolveOptions { engines: Engines::One, engine, ..others.clone() };
        for word in &self.settings {
            let (name, value) = word.split_once('=').unwrap_or((word, "yes"));
            match name.trim_start_matches('-') {
                "seed" => options.seed = value.parse().map_err(|_| format!("{word} is no seed"))?,
                "disable-pass" => {
                    options.disabled_passes.disable(value).map_err(|error| error.to_string())?;
                }
                name => match options.engine.set(name, value) {
                    // What is set for all entries concerns those that have it.
                    Err(SettingError::Unknown { .. })
                        if registry.settings().iter().any(|shared| shared.setting.name == name) => {}
                    result => result.map_err(|error| error.to_string())?,
                },
            }
        }
        Ok(options)
    }

    /// The arguments of the command line.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        ["-e", &self.engine].into_iter().chain(self.settings.iter().map(String::as_str))
    }

    /// The entries of a mix: `NAME SETTINGS…, NAME SETTINGS…`. The error says what is missing.
    pub fn mix(text: &str) -> Result<Vec<Entry>, String> {
        text.split(',')
            .map(|part| {
                let mut words = part.split_whitespace().map(str::to_owned);
                let engine = words.next().ok_or_else(|| format!("an engine is missing in “{text}”"))?;
                Ok(Entry::new(engine, words))
            })
            .collect()
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.engine)?;
        self.settings.iter().try_for_each(|word| write!(f, " {word}"))
    }
}
