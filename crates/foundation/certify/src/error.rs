//! Why there is no proof.

use std::fmt;
use std::io;

use shem_base::UnknownReason;

/// Why a proof could not be written.
#[derive(Debug)]
pub enum CertifyError {
    /// The problem has something that Alethe, or its checker, has no rules for: this.
    Unsupported(String),
    /// The text of the problem is not what was expected.
    Malformed(String),
    /// With the rules of Alethe there is no contradiction; these symbols have no rules there.
    NeedsRules(Vec<String>),
    /// The solver gave up.
    Unknown(UnknownReason),
    /// A step of the solver's proof could not be expressed: this.
    Step(String),
    /// The proof could not be written.
    Output(io::Error),
}

impl fmt::Display for CertifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertifyError::Unsupported(what) => write!(f, "Alethe has no rules for {what}"),
            CertifyError::Malformed(what) => f.write_str(what),
            CertifyError::NeedsRules(symbols) if symbols.is_empty() => {
                f.write_str("the problem has a model when it is read as it is written")
            }
            CertifyError::NeedsRules(symbols) => {
                write!(
                    f,
                    "the contradiction needs the meaning of {}, for which Alethe has no rules",
                    symbols.join(", ")
                )
            }
            CertifyError::Unknown(reason) => write!(f, "the solver gave up: {reason}"),
            CertifyError::Step(what) => write!(f, "a step cannot be expressed in Alethe: {what}"),
            CertifyError::Output(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CertifyError {}

impl From<io::Error> for CertifyError {
    fn from(error: io::Error) -> CertifyError {
        CertifyError::Output(error)
    }
}
