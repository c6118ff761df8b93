//! Why there is no verdict, no witness or no answer at all, as types.
//!
//! [`Undecided`] stands beside the word *unknown* and [`NoWitness`] beside a verdict; both are no mistakes. A
//! [`Fault`] is one, and withholds the answer. Which of them it is follows from the types of the errors that engines,
//! passes and judges return, never from their words.

use std::borrow::Cow;
use std::time::Duration;

use shem_base::UnknownReason;
use shem_check::Defect;
use shem_decide::Contradiction;
use shem_engine::{Reason, Unavailable};
use thiserror::Error;

use crate::guard::Cause;

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
    /// Several instances were run, and what each of them found was rejected.
    #[error("no instance has given a verdict that is right")]
    Rejected,
    /// Other processes gave up; these are their words, for people only.
    #[error("{0}")]
    Reported(String),
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
    /// A worker has accepted the certificate of its engine and had no time for more.
    #[error("none could be built in time; the engine's certificate was accepted")]
    CertificateInstead,
}

/// A mistake of ours that was noticed: the answer is withheld.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The certificate of the engine does not show what it is to show.
    #[error("internal error: the engine's certificate is wrong: {0}")]
    Certificate(Cow<'static, str>),
    /// The engine could not build the witness, since what it had found contradicts itself.
    #[error("internal error: {0}")]
    Engine(Cow<'static, str>),
    /// The witness of the engine could not be translated back through the passes.
    #[error("internal error: the way back is broken: {0}")]
    Back(String),
    /// The judge has rejected the witness.
    #[error("internal error: the witness is wrong: {0}")]
    Witness(Defect),
    /// Two engines contradict each other.
    #[error("internal error: {0}")]
    Contradiction(Contradiction),
}
