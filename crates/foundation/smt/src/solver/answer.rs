//! The answer to a satisfiability query.

use std::fmt;

use shem_base::UnknownReason;

/// The answer to a satisfiability query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// The solver does not know, and says why.
    Unknown(UnknownReason),
}

impl Answer {
    /// Whether there is a model.
    pub fn is_sat(&self) -> bool {
        *self == Answer::Sat
    }

    /// Whether there is no model.
    pub fn is_unsat(&self) -> bool {
        *self == Answer::Unsat
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        })
    }
}
