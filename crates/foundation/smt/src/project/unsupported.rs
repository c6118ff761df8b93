//! Why a projection is refused.

use std::fmt;

use shem_base::UnknownReason;

/// Why a projection or an implicant was not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The formula depends on the application of a declared predicate or function that the model does not value.
    Application,
    /// The formula depends on a quantifier; eliminate the inner ones first.
    Quantifier,
    /// The assignment does not satisfy the formula.
    NotAModel,
    /// A variable of a declared sort is to be eliminated, and no other term has its value.
    DeclaredSort,
    /// More rewriting is needed than is allowed.
    TooManySteps,
    /// Elimination found more and more projections that the formula has beyond arithmetic.
    TooManyProjections,
}

impl Unsupported {
    /// The reason in words.
    pub const fn message(self) -> &'static str {
        match self {
            Unsupported::Application => "projection needs a model that values all predicates and functions",
            Unsupported::Quantifier => "projection needs a formula without quantifiers",
            Unsupported::NotAModel => "the assignment is not a model of the formula to project",
            Unsupported::DeclaredSort => {
                "projection needs another term with the value of a variable of a declared sort"
            }
            Unsupported::TooManySteps => "projection of datatypes or arrays takes too many steps",
            Unsupported::TooManyProjections => {
                "elimination of variables in arrays, datatypes or functions does not come to an end"
            }
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
