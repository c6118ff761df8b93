//! Why a proof is wrong.

use crate::proof::StepId;
use shem_base::Lit;
use std::fmt;

/// Why a proof is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// There is no step at all.
    Empty,
    /// A step uses one that does not stand before it.
    Order(StepId),
    /// A resolution of the step lacks its pivot on one side or the other.
    Pivot(StepId, Lit),
    /// The resolutions of the step give another clause than it claims.
    Clause(StepId),
    /// A literal of the lemma has no meaning in the theory.
    Meaning(StepId, Lit),
    /// The lemma has to do with a node that has no meaning, or none as it is used.
    Node(StepId, u32),
    /// The lemma has not one coefficient a literal, or one that is not allowed.
    Coefficients(StepId),
    /// The weighted sum of the lemma's inequalities is no contradiction.
    Sum(StepId),
    /// The literals of the lemma are not pairs of bounds of one equality over integers.
    Pairs(StepId),
    /// The negated literals of the lemma do not contradict each other, as far as the checker sees.
    Equations(StepId),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Empty => write!(f, "the proof has no step"),
            CheckError::Order(step) => write!(f, "step {} uses a later one", step.index()),
            CheckError::Pivot(step, lit) => write!(f, "step {} lacks its pivot {lit:?}", step.index()),
            CheckError::Clause(step) => write!(f, "step {} claims another clause", step.index()),
            CheckError::Meaning(step, lit) => {
                write!(f, "literal {lit:?} of lemma {} has no meaning", step.index())
            }
            CheckError::Node(step, node) => {
                write!(f, "node {node} of lemma {} has no meaning", step.index())
            }
            CheckError::Coefficients(step) => {
                write!(f, "lemma {} has improper coefficients", step.index())
            }
            CheckError::Sum(step) => write!(f, "lemma {} is not justified by its sum", step.index()),
            CheckError::Pairs(step) => write!(f, "lemma {} is not made of equalities", step.index()),
            CheckError::Equations(step) => {
                write!(f, "lemma {} is not justified by its equations", step.index())
            }
        }
    }
}

impl std::error::Error for CheckError {}
