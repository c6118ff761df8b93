//! Why a projection is refused.

use std::fmt;

use shem_base::UnknownReason;

/// Why a projection or an implicant was not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The formula depends on the application of a declared predicate, which a model does not value.
    Application,
    /// The formula depends on a quantifier; eliminate the inner ones first.
    Quantifier,
    /// The assignment does not satisfy the formula.
    NotAModel,
}

impl Unsupported {
    /// The reason in words.
    pub const fn message(self) -> &'static str {
        match self {
            Unsupported::Application => "projection does not interpret applications of predicates",
            Unsupported::Quantifier => "projection needs a formula without quantifiers",
            Unsupported::NotAModel => "the assignment is not a model of the formula to project",
        }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Unsupported {}

impl From<Unsupported> for UnknownReason {
    fn from(reason: Unsupported) -> UnknownReason {
        UnknownReason::Incomplete(reason.message())
    }
}
