//! The answer to a satisfiability query, with what may be asked about it.
//!
//! An answer borrows its solver until it is no longer used: a model, a core or a proof cannot be asked for
//! where there is none, nor after the assertions have changed. Making an answer costs nothing; whatever is
//! asked of it is computed then.

use std::fmt;

use shem_base::UnknownReason;
use shem_proof::ProofLog;

use super::facade::Solver;
use super::model::Model;
use super::refutation::Refutation;
use super::solution::Solution;

/// The answer to a satisfiability query.
pub enum Answer<'s, P = ProofLog> {
    /// There is a model.
    Sat(Solution<'s, P>),
    /// There is none.
    Unsat(Refutation<'s, P>),
    /// The solver does not know, and says why.
    Unknown(UnknownReason),
}

/// An answer without what may be asked about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// The solver does not know, and says why.
    Unknown(UnknownReason),
}

impl<'s, P> Answer<'s, P> {
    /// The answer with this status, which the solver has just found.
    #[inline]
    pub(super) fn new(status: Status, solver: &'s mut Solver<P>) -> Self {
        match status {
            Status::Sat => Answer::Sat(Solution::new(solver)),
            Status::Unsat => Answer::Unsat(Refutation::new(solver)),
            Status::Unknown(reason) => Answer::Unknown(reason),
        }
    }

    /// The bare answer.
    #[inline]
    pub fn status(&self) -> Status {
        match self {
            Answer::Sat(_) => Status::Sat,
            Answer::Unsat(_) => Status::Unsat,
            Answer::Unknown(reason) => Status::Unknown(*reason),
        }
    }

    /// Whether there is a model.
    #[inline]
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    /// Whether there is no model.
    #[inline]
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat(_))
    }
}

impl<P: shem_proof::ProofSink> Answer<'_, P> {
    /// The model, if there is one; otherwise the bare answer.
    pub fn into_model(self) -> Result<Model, Status> {
        match self {
            Answer::Sat(mut solution) => Ok(solution.model()),
            other => Err(other.status()),
        }
    }
}

impl<P> fmt::Debug for Answer<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.status().fmt(f)
    }
}

impl<P> fmt::Display for Answer<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.status(), f)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Sat => "sat",
            Status::Unsat => "unsat",
            Status::Unknown(_) => "unknown",
        })
    }
}
