//! Settings of PD-KIND.

use std::str::FromStr;

use shem_smt::interpolate::{ItpOptions, System};

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

impl FromStr for Depth {
    type Err = String;

    fn from_str(text: &str) -> Result<Depth, String> {
        match text.parse() {
            _ if text == "level" => Ok(Depth::Level(usize::MAX)),
            Ok(1) => Ok(Depth::One),
            Ok(most) if most > 1 => Ok(Depth::Level(most)),
            _ => Err(format!("'{text}' is no depth of induction: a number from 1, or level")),
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
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Order, String> {
        match text {
            "newest" => Ok(Order::Newest),
            "oldest" => Ok(Order::Oldest),
            _ => Err(format!("'{text}' is no order of obligations: newest or oldest")),
        }
    }
}

/// Settings of PD-KIND.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The interpolation algorithms that give lemmas.
    pub interpolation: ItpOptions,
    /// The depth of induction.
    pub depth: Depth,
    /// The order of obligations.
    pub order: Order,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            interpolation: ItpOptions { system: System::Occurrence, ..ItpOptions::default() },
            depth: Depth::Level(usize::MAX),
            order: Order::Newest,
        }
    }
}
