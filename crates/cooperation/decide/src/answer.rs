//! Answers with their witnesses.

use std::fmt;

use serde::{Deserialize, Serialize};
use shem_base::Statistics;
use shem_chc::{ClauseId, Derivation, Model, Shape, System};
use shem_exchange::{FormulaLimits, SentWitness, write_derivation, write_model, write_repeating};
use shem_term::Store;

use crate::reason::{Cause, NoWitness, Undecided};

/// The answer to a system of clauses.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict, with its witness.
    pub verdict: Verdict,
    /// Who decided: the name of an engine, `preprocessing`, `peer`, or `portfolio` if none did.
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
    /// It was not decided, for this reason.
    Unknown(Undecided),
}

/// What shows that a verdict is right.
#[derive(Clone, Debug)]
pub enum Witness<W> {
    /// This; it was validated.
    Found(W),
    /// Nothing, for this reason.
    Missing(NoWitness),
    /// None was asked for.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
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

impl Status {
    fn word(self) -> &'static str {
        match self {
            Status::Sat => "sat",
            Status::Unsat => "unsat",
        }
    }

    /// The verdict without a witness, for this reason.
    pub(crate) fn without_witness(self, reason: NoWitness) -> Verdict {
        match self {
            Status::Sat => Verdict::Sat(Witness::Missing(reason)),
            Status::Unsat => Verdict::Unsat(Witness::Missing(reason)),
        }
    }
}

/// The word for the verdict: `sat`, `unsat` or `unknown`.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Verdict {
    /// The word for the verdict.
    pub fn word(&self) -> &'static str {
        self.status().map_or("unknown", Status::word)
    }

    /// Why there is no witness, if there should be one.
    pub fn missing(&self) -> Option<&NoWitness> {
        match self {
            Verdict::Sat(Witness::Missing(reason)) | Verdict::Unsat(Witness::Missing(reason)) => Some(reason),
            _ => None,
        }
    }

    /// The verdict without its witness, or why there is none.
    pub(crate) fn status(&self) -> Result<Status, &Undecided> {
        match self {
            Verdict::Sat(_) => Ok(Status::Sat),
            Verdict::Unsat(_) => Ok(Status::Unsat),
            Verdict::Unknown(reason) => Err(reason),
        }
    }

    /// The witness in the form in which it is sent; the error says why there is none.
    pub(crate) fn sent(
        &self,
        store: &mut Store,
        system: &System,
        limits: FormulaLimits,
    ) -> Result<SentWitness, String> {
        match self {
            Verdict::Sat(Witness::Found(model)) => write_model(store, system, model, limits)
                .map(SentWitness::Model)
                .ok_or_else(|| "the model is too large or has variables that are no arguments".to_owned()),
            Verdict::Unsat(Witness::Found(derivation)) if derivation.has_repetitions() => {
                let nodes = write_repeating(store, derivation, limits);
                nodes.map(SentWitness::Repeating).ok_or_else(|| "a step of a run is too large".to_owned())
            }
            Verdict::Unsat(Witness::Found(derivation)) => {
                Ok(SentWitness::Derivation(write_derivation(store, derivation)))
            }
            _ => Err(self.missing().map_or_else(|| "nobody asked for one".to_owned(), NoWitness::to_string)),
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

    /// The same without a witness. Where nothing was checked, the reason stays.
    pub(crate) fn bare(self, checked: Checked) -> Verdict {
        match self {
            verdict if checked == Checked::Nothing && verdict.missing().is_some() => verdict,
            Verdict::Sat(_) => Verdict::Sat(Witness::Unwanted),
            Verdict::Unsat(_) => Verdict::Unsat(Witness::Unwanted),
            unknown => unknown,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
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
