//! What Golem's command lines have that ours do not.
//!
//! Shem's options are those of Golem and more, so a script that calls `golem` can call `shem`. Three things need a
//! translation, and each leaves a note for standard error: engines that only Golem has, algorithms of interpolation
//! that only Golem has, and options about what Shem does not do. Besides, Golem takes several words for yes and no.

use std::borrow::Cow;

use shem_engine::{SettingDescription, ValueKind};

/// Engines of Golem that are not here, the engine that serves their purpose, and that purpose.
const ENGINES: [(&str, &str, &str); 4] = [
    ("dar", "imc", "approximates reachable states by interpolants, too"),
    ("pa", "spacer", "abstracts any system and refines by counterexamples, too"),
    ("se", "bmc", "goes through the executions of linear systems, too"),
    ("ic3ia", "spacer", "searches backwards with lemmas for each step, too"),
];

/// The setting that has more values in Golem, and the value that replaces them.
const INTERPOLATION: &str = "lra-itp-algorithm";
const FARKAS: &str = "0";

/// The engine for a name of Golem's: our name for it, and what to tell the user if that is another one.
pub(in crate::cli) fn engine(name: &str) -> (&str, Option<String>) {
    match ENGINES.iter().find(|(theirs, ..)| *theirs == name) {
        Some((theirs, ours, why)) => (
            ours,
            Some(format!("the engine {theirs} of Golem is not here; {ours} runs instead, which {why}")),
        ),
        None => (name, None),
    }
}

/// The value of a setting in our words, and what to tell the user if its meaning is another one.
pub(in crate::cli) fn value<'v>(
    setting: &SettingDescription,
    value: &'v str,
) -> (Cow<'v, str>, Option<String>) {
    match (setting.kind, value) {
        (ValueKind::Switch, "true" | "enable") => ("yes".into(), None),
        (ValueKind::Switch, "false" | "disable") => ("no".into(), None),
        (ValueKind::Choice(words), _)
            if setting.name == INTERPOLATION && !words.contains(&value) && value.parse::<u32>().is_ok() =>
        {
            let note = format!("--{INTERPOLATION} {value} is not here; {FARKAS} is used instead");
            (FARKAS.into(), Some(note))
        }
        _ => (value.into(), None),
    }
}

/// What to tell the user of an option that means nothing here.
pub(in crate::cli) fn without_effect(option: &str, value: &str) -> String {
    format!("--{option} {value} has no effect")
}
