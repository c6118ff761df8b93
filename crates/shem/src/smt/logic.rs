//! The logics whose name `set-logic` accepts.
//!
//! A logic does not restrict what a script may say: terms of all sorts are read and decided in each of them.
//! It only settles whether a numeral is an integer or a real, and whether quantifiers are eliminated.

/// All logics, by name.
const LOGICS: [&str; 11] =
    ["ALL", "LIA", "LIRA", "LRA", "QF_BOOL", "QF_IDL", "QF_LIA", "QF_LIRA", "QF_LRA", "QF_RDL", "QF_UF"];

/// A logic of SMT-LIB that Shem knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logic {
    /// Its name.
    pub name: &'static str,
}

impl Logic {
    /// The logic of this name.
    pub fn from_name(name: &str) -> Option<Logic> {
        Logic::names().find(|known| *known == name).map(|name| Logic { name })
    }

    /// The names of all logics, in order.
    pub fn names() -> impl Iterator<Item = &'static str> {
        LOGICS.into_iter()
    }

    /// Whether its only numbers are reals.
    pub fn reals_only(self) -> bool {
        matches!(self.name, "LRA" | "QF_LRA" | "QF_RDL")
    }

    /// Whether quantifiers are eliminated. In the other logics they are read, and answered with `unknown` unless the
    /// formula can be decided without looking inside.
    pub fn eliminates_quantifiers(self) -> bool {
        !self.name.starts_with("QF_")
    }
}
