//! Why a refutation is refused.

use std::fmt;

use shem_base::Lit;
use shem_proof::{CheckError, StepId};

/// Why a refutation is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefutationError {
    /// A step of the proof is wrong.
    Proof(CheckError),
    /// A literal of an input clause means something that is no formula.
    Meaning(StepId, Lit),
    /// An input clause is said to come from an assertion that does not exist.
    Assertion(StepId, u32),
    /// An input clause follows neither from its assertion nor from the definition of one of its variables.
    Unjustified(StepId),
    /// The proof ends in a clause with a literal that is not the negation of an assumption.
    Conclusion(Lit),
}

impl fmt::Display for RefutationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefutationError::Proof(error) => error.fmt(f),
            RefutationError::Meaning(step, lit) => {
                write!(f, "literal {lit:?} of input clause {} has no meaning", step.index())
            }
            RefutationError::Assertion(step, number) => {
                write!(f, "input clause {} names assertion {number}, which does not exist", step.index())
            }
            RefutationError::Unjustified(step) => {
                write!(f, "input clause {} follows from no assertion and no definition", step.index())
            }
            RefutationError::Conclusion(lit) => {
                write!(f, "the proof depends on {lit:?}, which is not assumed")
            }
        }
    }
}

impl std::error::Error for RefutationError {}

impl From<CheckError> for RefutationError {
    fn from(error: CheckError) -> RefutationError {
        RefutationError::Proof(error)
    }
}
