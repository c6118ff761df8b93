//! Why there is no answer or no witness, as types.
//!
//! What becomes of an answer depends on these types alone: a limit or a gap of the method leaves a verdict unknown
//! or without a witness, a mistake of ours withholds it. The words, here and in [`Display`](std::fmt::Display), are
//! for people.

use std::borrow::Cow;

use shem_base::UnknownReason;
use shem_smt::interpolate::ItpError;
use shem_transform::BackError;
use thiserror::Error;

use crate::theories::Theories;

/// Why an engine gave up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// A limit of effort, time or memory was reached; more of it may help.
    #[error("{0}")]
    Limit(UnknownReason),
    /// The system is outside the fragment of the engine.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The method has come to its end without an answer.
    #[error(transparent)]
    Incomplete(#[from] Incomplete),
    /// The engine has noticed a mistake of its own.
    #[error("{0}")]
    Broken(Cow<'static, str>),
}

/// What is outside the fragment of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unsupported {
    /// A system that is not linear.
    #[error("the engine {engine} is for linear systems; some body has several predicates")]
    Nonlinear {
        /// The name of the engine.
        engine: &'static str,
    },
    /// Labels that are large.
    #[error("the engine {engine} is for small constraints")]
    Size {
        /// The name of the engine.
        engine: &'static str,
    },
    /// Arrays, datatypes, declared sorts, products or quotients of terms.
    #[error("the engine {engine} is for {theories}; the system has other sorts or terms")]
    Theory {
        /// The name of the engine.
        engine: &'static str,
        /// What it is for.
        theories: Theories,
    },
    /// Labels with quantifiers.
    #[error("the engine {engine} is for constraints without quantifiers; eliminate them first")]
    Quantified {
        /// The name of the engine.
        engine: &'static str,
    },
}

/// How a method ends without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Incomplete {
    /// Paths up to the greatest length that was asked for are excluded.
    #[error("no path of at most {0} steps")]
    Depth(usize),
    /// A query or a step of the method could not be decided; the words say what is missing.
    #[error("incomplete: {0}")]
    Method(&'static str),
}

/// Why a witness could not be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WitnessError {
    /// A limit was reached, or a query could not be decided.
    #[error(transparent)]
    Unknown(#[from] UnknownReason),
    /// The method has no witness for this verdict, although the verdict may be right.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// What the engine has found contradicts itself, or does not fit the system: a mistake of ours, so the verdict
    /// is in doubt.
    #[error("{0}")]
    Broken(Cow<'static, str>),
}

/// Why a method has no witness for a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unavailable {
    /// The engine has a certificate only.
    #[error("the engine has a certificate only")]
    CertificateOnly,
    /// What the engine has found about steps gives no invariant of states; the words name it.
    #[error("{0} gives no inductive invariant of states")]
    Invariant(String),
    /// A proof would have to be divided into more parts than interpolation takes.
    #[error("a proof in {0} parts is too long to be interpolated")]
    Parts(usize),
}

impl Reason {
    /// A mistake of the engine.
    pub fn broken(what: impl Into<Cow<'static, str>>) -> Reason {
        Reason::Broken(what.into())
    }
}

impl WitnessError {
    /// A mistake of ours.
    pub fn broken(what: impl Into<Cow<'static, str>>) -> WitnessError {
        WitnessError::Broken(what.into())
    }
}

impl From<UnknownReason> for Reason {
    fn from(reason: UnknownReason) -> Reason {
        match reason {
            UnknownReason::Incomplete(what) => Reason::Incomplete(Incomplete::Method(what)),
            UnknownReason::Conflicts
            | UnknownReason::Pivots
            | UnknownReason::Splits
            | UnknownReason::Stopped
            | UnknownReason::Memory => Reason::Limit(reason),
        }
    }
}

impl From<BackError> for WitnessError {
    fn from(error: BackError) -> WitnessError {
        match error {
            BackError::Unknown(reason) => WitnessError::Unknown(reason),
            BackError::Broken(_) => WitnessError::broken(error.to_string()),
        }
    }
}

impl From<ItpError> for WitnessError {
    fn from(error: ItpError) -> WitnessError {
        match error {
            ItpError::Unknown(reason) => WitnessError::Unknown(reason),
            ItpError::Groups(parts @ 2..) => WitnessError::Unavailable(Unavailable::Parts(parts)),
            error => WitnessError::broken(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_from_gaps_of_the_method() {
        assert_eq!(Reason::from(UnknownReason::Memory), Reason::Limit(UnknownReason::Memory));
        let gap = Reason::from(UnknownReason::Incomplete("quantifiers"));
        assert_eq!(gap, Reason::Incomplete(Incomplete::Method("quantifiers")));
        for reason in [UnknownReason::Stopped, UnknownReason::Incomplete("quantifiers")] {
            assert_eq!(Reason::from(reason).to_string(), reason.to_string());
        }
    }

    #[test]
    fn mistakes_are_told_from_limits() {
        let limit = WitnessError::Unknown(UnknownReason::Splits);
        assert_eq!(WitnessError::from(BackError::Unknown(UnknownReason::Splits)), limit);
        assert_eq!(WitnessError::from(ItpError::Unknown(UnknownReason::Splits)), limit);
        let broken = WitnessError::from(BackError::Broken("anything".to_owned()));
        assert_eq!(broken, WitnessError::broken("the witness does not fit: anything"));
        assert!(matches!(WitnessError::from(ItpError::NotATree), WitnessError::Broken(_)));
        assert!(matches!(WitnessError::from(ItpError::Groups(1)), WitnessError::Broken(_)));
        let long = WitnessError::from(ItpError::Groups(2000));
        assert_eq!(long, WitnessError::Unavailable(Unavailable::Parts(2000)));
    }
}
