//! The logics whose name `set-logic` accepts.
//!
//! A logic does not restrict what a script may say: terms of all sorts are read and decided in each of them.
//! It only settles whether a numeral is an integer or a real.

/// A logic of SMT-LIB that Shem knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logic {
    /// Its name.
    pub name: &'static str,
    /// Whether its only numbers are reals.
    pub reals_only: bool,
}

/// All logics, by name. In the names without `QF_` quantifiers are eliminated; in the others they are read, and
/// answered with `unknown` unless the formula can be decided without looking inside.
const LOGICS: [Logic; 11] = [
    Logic { name: "ALL", reals_only: false },
    Logic { name: "LIA", reals_only: false },
    Logic { name: "LIRA", reals_only: false },
    Logic { name: "LRA", reals_only: true },
    Logic { name: "QF_BOOL", reals_only: false },
    Logic { name: "QF_IDL", reals_only: false },
    Logic { name: "QF_LIA", reals_only: false },
    Logic { name: "QF_LIRA", reals_only: false },
    Logic { name: "QF_LRA", reals_only: true },
    Logic { name: "QF_RDL", reals_only: true },
    Logic { name: "QF_UF", reals_only: false },
];

impl Logic {
    /// The logic of this name.
    pub fn from_name(name: &str) -> Option<Logic> {
        LOGICS.into_iter().find(|logic| logic.name == name)
    }

    /// The names of all logics, in order.
    pub fn names() -> impl Iterator<Item = &'static str> {
        LOGICS.iter().map(|logic| logic.name)
    }
}
