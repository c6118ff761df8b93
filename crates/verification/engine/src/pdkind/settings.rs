//! Settings of PD-KIND.

use shem_smt::interpolate::{InterpolationSystem, ItpOptions};

use crate::interpolation::{proof_system, theory_rule};
use crate::{SettingValue, ValueKind, choice, settings};

/// How deep the induction is at a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// One step at every level.
    One,
    /// One more than the level, but at most this.
    Level(usize),
}

impl Depth {
    /// The depth at a level.
    pub(super) fn at(self, level: usize) -> usize {
        match self {
            Depth::One => 1,
            Depth::Level(most) => (level + 1).min(most.max(1)),
        }
    }
}

impl SettingValue for Depth {
    const KIND: ValueKind = ValueKind::NumberOr { least: 1, word: "level" };

    fn to_text(&self) -> String {
        match *self {
            Depth::One => "1".to_owned(),
            Depth::Level(usize::MAX) => "level".to_owned(),
            Depth::Level(most) => most.to_string(),
        }
    }

    fn from_text(text: &str) -> Option<Depth> {
        match text.parse() {
            _ if text == "level" => Some(Depth::Level(usize::MAX)),
            Ok(1) => Some(Depth::One),
            Ok(most) if most > 1 => Some(Depth::Level(most)),
            _ => None,
        }
    }
}

/// Which obligation is worked on next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
    /// Any, as the seed has it.
    Random,
    /// The one that was tried least, of these the one with the smallest lemma, and of these any, as the seed has it: the
    /// priority queue of section 6.4 of the thesis.
    Scored,
}

choice!(Order {
    "newest" => Order::Newest,
    "oldest" => Order::Oldest,
    "random" => Order::Random,
    "scored" => Order::Scored,
});

settings! {
    /// Settings of PD-KIND.
    pub struct Settings {
        /// The interpolation algorithms that give lemmas.
        interpolation: ItpOptions =
            ItpOptions { system: InterpolationSystem::Occurrence, ..ItpOptions::default() };
        depth: Depth = Depth::Level(usize::MAX),
            "pdkind.depth", "the greatest depth of induction; level for one more than the level",
            "options.md#engine-pdkind";
        order: Order = Order::Newest,
            "pdkind.order", "which obligation is next",
            "options.md#engine-pdkind";
    }
    rows [
        theory_rule!(interpolation.theory, "options.md#engine-pdkind"),
        proof_system!(interpolation.system, "options.md#engine-pdkind"),
    ]
}
