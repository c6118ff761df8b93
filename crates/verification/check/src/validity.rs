//! The result of validation.

use std::fmt;

use shem_base::UnknownReason;
use shem_chc::{ClauseId, PredicateId, StepId};

/// The judgement of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validity {
    /// The witness shows what it is to show.
    Valid,
    /// It does not, and this is why.
    Invalid(Defect),
    /// The judge gave up.
    Unknown(UnknownReason),
}

/// What is wrong with a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    /// The model has not one definition for each predicate.
    Definitions {
        /// The number of predicates.
        expected: usize,
        /// The number of definitions.
        found: usize,
    },
    /// The parameters of a definition are not distinct variables of the predicate's sorts.
    Parameters(PredicateId),
    /// A definition is no formula, or mentions what it may not mention: this.
    Body(PredicateId, String),
    /// A clause does not hold in the model, for these values of its variables.
    Clause(ClauseId, String),
    /// The solver claims that a clause holds in the model, but its proof was refused.
    Proof(ClauseId, String),
    /// The derivation has no steps.
    Empty,
    /// A step names a clause that does not exist.
    Rule(StepId),
    /// A step has not one premise for each atom of the body.
    Premises(StepId),
    /// A premise, counted from 0, is no earlier fact of the predicate that the body has there.
    Premise(StepId, usize),
    /// The values of a step do not fit the predicate of the head.
    Values(StepId),
    /// No instance of the clause has these premises and this conclusion.
    Instance(StepId),
    /// The last step does not derive falsehood.
    Conclusion,
}

impl fmt::Display for Validity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Validity::Valid => f.write_str("valid"),
            Validity::Invalid(defect) => write!(f, "invalid: {defect}"),
            Validity::Unknown(reason) => write!(f, "unknown: {reason}"),
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::Definitions { expected, found } => {
                write!(f, "there are {found} definitions for {expected} predicates")
            }
            Defect::Parameters(p) => write!(f, "the parameters do not fit predicate {}", p.index()),
            Defect::Body(p, what) => write!(f, "the definition of predicate {} {what}", p.index()),
            Defect::Clause(c, values) => write!(f, "clause {} does not hold for {values}", c.index()),
            Defect::Proof(c, error) => {
                write!(f, "the proof that clause {} holds was refused: {error}", c.index())
            }
            Defect::Empty => f.write_str("the derivation is empty"),
            Defect::Rule(s) => write!(f, "step {} names no clause", s.index()),
            Defect::Premises(s) => write!(f, "step {} has a wrong number of premises", s.index()),
            Defect::Premise(s, i) => write!(f, "premise {i} of step {} does not fit the clause", s.index()),
            Defect::Values(s) => write!(f, "the values of step {} do not fit the predicate", s.index()),
            Defect::Instance(s) => write!(f, "step {} is no instance of its clause", s.index()),
            Defect::Conclusion => f.write_str("the last step does not derive falsehood"),
        }
    }
}

impl std::error::Error for Defect {}

/// Why a check ended early.
#[derive(Debug)]
pub(crate) enum Halt {
    Defect(Defect),
    Unknown(UnknownReason),
}

impl From<Defect> for Halt {
    fn from(defect: Defect) -> Halt {
        Halt::Defect(defect)
    }
}

impl From<UnknownReason> for Halt {
    fn from(reason: UnknownReason) -> Halt {
        Halt::Unknown(reason)
    }
}

impl From<Result<(), Halt>> for Validity {
    fn from(result: Result<(), Halt>) -> Validity {
        match result {
            Ok(()) => Validity::Valid,
            Err(Halt::Defect(defect)) => Validity::Invalid(defect),
            Err(Halt::Unknown(reason)) => Validity::Unknown(reason),
        }
    }
}
