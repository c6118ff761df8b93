//! Why there is no proof.

use std::io;

use shem_base::UnknownReason;
use thiserror::Error;

/// Why a proof is not written, or not to its end.
#[derive(Debug, Error)]
pub enum ProofError {
    /// The problem has something that Alethe, or its checker, has no rules for: this.
    #[error("Alethe has no rules for {0}")]
    Unsupported(String),
    /// The text of the problem is not what was expected.
    #[error("{0}")]
    Malformed(String),
    /// With the rules of Alethe there is no contradiction; these symbols have no rules there.
    #[error("{}", without_rules(.0))]
    NeedsRules(Vec<String>),
    /// The solver gave up.
    #[error("the solver gave up: {0}")]
    Unknown(#[from] UnknownReason),
    /// A step of the solver's proof or of the derivation could not be expressed: this.
    #[error("a step cannot be expressed in Alethe: {0}")]
    Step(String),
    /// The proof could not be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// The result of what may find no proof.
pub(crate) type Result<T> = std::result::Result<T, ProofError>;

fn without_rules(symbols: &[String]) -> String {
    if symbols.is_empty() {
        return "the problem has a model when it is read as it is written".to_owned();
    }
    let symbols = symbols.join(", ");
    format!("the contradiction needs the meaning of {symbols}, for which Alethe has no rules")
}

pub(crate) fn malformed<T>(what: impl Into<String>) -> Result<T> {
    Err(ProofError::Malformed(what.into()))
}

pub(crate) fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(ProofError::Unsupported(what.into()))
}

/// A step cannot be expressed, for this reason.
pub(crate) fn no_step<T>(what: impl Into<String>) -> Result<T> {
    Err(ProofError::Step(what.into()))
}
