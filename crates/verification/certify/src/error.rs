//! Why a proof is not written.

use std::io;

use shem_base::UnknownReason;
use thiserror::Error;

/// Why a proof is not written, or not to its end.
#[derive(Debug, Error)]
pub enum ProofError {
    /// The output cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The input has something for which there is no rule that a checker computes; the words say what.
    #[error("no Alethe proof: {0}")]
    Unsupported(String),
    /// The values of a step's variables were not found.
    #[error("no Alethe proof: {0}")]
    Unknown(UnknownReason),
    /// The step with this number does not follow by its clause.
    #[error("no Alethe proof: step {0} does not follow from its assertion as it stands in the input")]
    Step(u64),
}

impl From<UnknownReason> for ProofError {
    fn from(reason: UnknownReason) -> ProofError {
        ProofError::Unknown(reason)
    }
}

/// Something in the input is beyond what proofs are about.
pub(crate) fn unsupported<T>(words: impl Into<String>) -> Result<T, ProofError> {
    Err(ProofError::Unsupported(words.into()))
}
