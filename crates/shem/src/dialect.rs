//! How answers are worded: as Shem does, or as the solver in whose place it stands.

use std::fmt;

/// A solver whose words are spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Shem's own: that of Golem.
    #[default]
    Shem,
    /// Eldarica: models without testers.
    Eldarica,
    /// z3: models without testers, proofs as hyper-resolutions, the verdict of `(query …)` about the query, and an
    /// error for a model or a proof that there is not.
    Z3,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dialect::Shem => "shem",
            Dialect::Eldarica => "eld",
            Dialect::Z3 => "z3",
        })
    }
}
