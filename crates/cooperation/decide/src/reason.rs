//! Why there is no verdict, no witness or no answer at all, as types.
//!
//! [`Undecided`] stands beside the word *unknown* and [`NoWitness`] beside a verdict; both are no mistakes. A
//! [`Rejection`] is what the judge says of a verdict that is wrong: where one engine was asked it becomes a [`Fault`],
//! which withholds the answer, among several it costs only who said it. Which of them it is follows from the types of
//! the errors that engines, passes and judges return, never from their words.

use std::borrow::Cow;
use std::time::Duration;

use shem_base::{Statistic, Statistics, UnknownReason};
use shem_check::Defect;
use shem_engine::{Reason, Unavailable};
use thiserror::Error;

use crate::contradiction::Contradiction;

/// Why a run was ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Cause {
    /// The run has taken this long.
    #[error("the time limit of {} s is reached", .0.as_secs_f64())]
    Time(Duration),
    /// This many bytes are in use.
    #[error("the memory limit of {} MB is reached", .0 / MEGABYTE)]
    Memory(usize),
    /// A worker has used up its share of the memory, of which all together may use so many bytes.
    #[error("its share of the memory limit of {} MB is used up", .0 / MEGABYTE)]
    MemoryShare(usize),
    /// This signal came.
    #[error("interrupted by {0}")]
    Signal(&'static str),
    /// The caller has stopped its token.
    #[error("stopped by the caller")]
    Stopped,
}

/// A million bytes.
pub const MEGABYTE: usize = 1_000_000;

/// Why a system was not decided.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Undecided {
    /// The engine gave up.
    #[error(transparent)]
    Engine(#[from] Reason),
    /// The time for a verdict was used up.
    #[error("no verdict within {} s", .0.as_secs_f64())]
    VerdictTime(Duration),
    /// The whole run was ended.
    #[error("{0}")]
    Ended(Cause),
    /// A derivation was found, but of clauses that say more than the input.
    #[error(
        "operations on single bits of unknown numbers and heaps from nowhere are approximated, and there is a derivation \
         with values that they may not have"
    )]
    Approximated,
    /// A derivation was found, but by finitely many instances of a universal premise.
    #[error(
        "falsehood can be derived if finitely many instances of a universal premise are enough for it, which does not \
         show that it can be derived from the clauses"
    )]
    Instances,
    /// The model of a system with instances was not accepted for the clauses as read, for this reason.
    #[error("a model was found, but not confirmed under the quantifiers of the clauses: {0}")]
    UnderQuantifiers(String),
    /// Several instances were run, and what each of them found was rejected.
    #[error("no instance has given a verdict that is right")]
    Rejected,
    /// Several engines gave up; the text says why, for people only.
    #[error("{0}")]
    Reported(String),
}

/// The count of terms that a pass has replaced by arbitrary values.
const ABSTRACTED: &str = "preprocess.abstract-products.terms";

impl Undecided {
    /// One sentence for everybody, and what each engine says for those who ask.
    pub fn explained(&self, statistics: &Statistics) -> (String, Vec<&str>) {
        let of_memory = |detail: &&str| detail.contains("memory");
        let (mut sentence, details) = match self {
            Undecided::Reported(text) => {
                let details: Vec<&str> = text.split("; ").collect();
                let sentence = match &details[..] {
                    [only] => *only,
                    details if details.iter().all(of_memory) => {
                        "every engine has used up its share of the memory"
                    }
                    _ => "no engine decides it",
                };
                (sentence.to_owned(), details)
            }
            reason => (reason.to_string(), Vec::new()),
        };
        let abstracted = matches!(statistics.get(ABSTRACTED), Some(Statistic::Count(1..)));
        if abstracted && !sentence.contains("product") {
            sentence += "; products and quotients of terms are approximated";
        }
        (sentence, details)
    }
}

/// Why there is a verdict but no witness.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoWitness {
    /// A limit was reached while the engine built it.
    #[error("{0}")]
    Building(UnknownReason),
    /// The method of the engine has none.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// A limit was reached while it was translated back through the passes.
    #[error("translating back: {0}")]
    TranslatingBack(UnknownReason),
    /// The judge gave up.
    #[error("validation: {0}")]
    Validation(UnknownReason),
    /// The whole run was ended.
    #[error("{0}")]
    Ended(Cause),
    /// Nobody asked for one.
    #[error("nobody asked for one")]
    Unasked,
    /// Another process has none; the text says why, for people only.
    #[error("{0}")]
    Reported(String),
}

/// Why the judge does not accept a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Rejection {
    /// The model of another process cannot be read.
    #[error("its model cannot be read: {0}")]
    Unreadable(String),
    /// The certificate of the engine does not show what it is to show.
    #[error("the engine's certificate is wrong: {0}")]
    Certificate(Cow<'static, str>),
    /// The engine could not build the witness, since what it had found contradicts itself.
    #[error("{0}")]
    Engine(Cow<'static, str>),
    /// The witness of the engine could not be translated back through the passes.
    #[error("the way back is broken: {0}")]
    Back(String),
    /// The witness is wrong.
    #[error("its witness is wrong: {0}")]
    Witness(Defect),
}

/// A mistake of ours that was noticed: the answer is withheld.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The judge has rejected the witness.
    #[error("internal error: the witness is wrong: {0}")]
    Witness(Defect),
    /// The judge has rejected something else.
    #[error("internal error: {0}")]
    Rejected(Rejection),
    /// Two engines contradict each other.
    #[error("internal error: {0}")]
    Contradiction(#[from] Contradiction),
}

impl From<Rejection> for Fault {
    fn from(rejection: Rejection) -> Fault {
        match rejection {
            Rejection::Witness(defect) => Fault::Witness(defect),
            other => Fault::Rejected(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_printed() {
        assert_eq!(
            Cause::Time(Duration::from_millis(1500)).to_string(),
            "the time limit of 1.5 s is reached"
        );
        assert_eq!(Cause::Memory(20 * MEGABYTE).to_string(), "the memory limit of 20 MB is reached");
        assert_eq!(Cause::Signal("SIGINT").to_string(), "interrupted by SIGINT");
    }
}
