//! Answers with their witnesses.

use std::fmt;

use shem_base::Statistics;
use shem_chc::{ClauseId, Derivation, Model, Shape};

use crate::reason::{Cause, NoWitness, Undecided};

/// The answer to a system of clauses.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict, with its witness.
    pub verdict: Verdict,
    /// Who decided: the name of an engine, `preprocessing`, `peer`, or `portfolio` if nobody did.
    pub engine: &'static str,
    /// What was checked before the answer was given.
    pub checked: Checked,
    /// The shape of the graph as read.
    pub shape_read: Shape,
    /// The shape of the graph that the engine saw.
    pub shape: Shape,
    /// Counters of all parts, under their names.
    pub statistics: Statistics,
    /// What went wrong on the way without harm to the answer.
    pub warnings: Vec<String>,
}

/// Whether the clauses have a model.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// They have: falsehood cannot be derived.
    Sat(Witness<Model>),
    /// They have none: falsehood can be derived.
    Unsat(Witness<Derivation<ClauseId>>),
    /// Nobody knows, for this reason.
    Unknown(Undecided),
}

/// What shows that a verdict is right.
#[derive(Clone, Debug)]
pub enum Witness<W> {
    /// This; it was validated.
    Found(W),
    /// Nothing, for this reason.
    Missing(NoWitness),
    /// Nobody asked.
    Unwanted,
}

/// What was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Nothing.
    Nothing,
    /// The certificate of the engine, on what the engine made of the graph.
    Certificate,
    /// The witness, on the system as read.
    Witness,
}

/// A verdict without its witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// There is a model.
    Sat,
    /// Falsehood can be derived.
    Unsat,
}

impl Answer {
    /// The model, if there is one.
    pub fn model(&self) -> Option<&Model> {
        match &self.verdict {
            Verdict::Sat(Witness::Found(model)) => Some(model),
            _ => None,
        }
    }

    /// The derivation of falsehood, if there is one.
    pub fn derivation(&self) -> Option<&Derivation<ClauseId>> {
        match &self.verdict {
            Verdict::Unsat(Witness::Found(derivation)) => Some(derivation),
            _ => None,
        }
    }
}

impl Word {
    /// The verdict without a witness, for this reason.
    pub(crate) fn without_witness(self, reason: NoWitness) -> Verdict {
        match self {
            Word::Sat => Verdict::Sat(Witness::Missing(reason)),
            Word::Unsat => Verdict::Unsat(Witness::Missing(reason)),
        }
    }
}

impl Verdict {
    /// The word for the verdict.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Sat(_) => "sat",
            Verdict::Unsat(_) => "unsat",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Why there is no witness, if there should be one.
    pub fn missing(&self) -> Option<&NoWitness> {
        match self {
            Verdict::Sat(Witness::Missing(reason)) | Verdict::Unsat(Witness::Missing(reason)) => Some(reason),
            _ => None,
        }
    }

    /// Names the cause where the engine or the builder of the witness only knows that it was stopped.
    pub fn blame(&mut self, cause: Cause) {
        match self {
            Verdict::Unknown(reason) => *reason = Undecided::Ended(cause),
            Verdict::Sat(Witness::Missing(reason)) | Verdict::Unsat(Witness::Missing(reason)) => {
                *reason = NoWitness::Ended(cause);
            }
            _ => {}
        }
    }

    /// The same, for somebody who does not want a witness.
    pub(crate) fn bare(self) -> Verdict {
        match self {
            Verdict::Sat(_) => Verdict::Sat(Witness::Unwanted),
            Verdict::Unsat(_) => Verdict::Unsat(Witness::Unwanted),
            unknown => unknown,
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Word::Sat => "sat",
            Word::Unsat => "unsat",
        })
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Checked::Nothing => "nothing",
            Checked::Certificate => "certificate",
            Checked::Witness => "witness",
        })
    }
}
