//! Why there is no proof.

use std::fmt;
use std::io;

use shem_base::UnknownReason;

/// Why a proof could not be written.
#[derive(Debug)]
pub enum RefuteError {
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

impl fmt::Display for RefuteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefuteError::Unsupported(what) => write!(f, "Alethe has no rules for {what}"),
            RefuteError::Malformed(what) => f.write_str(what),
            RefuteError::NeedsRules(symbols) if symbols.is_empty() => {
                f.write_str("the problem has a model when it is read as it is written")
            }
            RefuteError::NeedsRules(symbols) => {
                write!(
                    f,
                    "the contradiction needs the meaning of {}, for which Alethe has no rules",
                    symbols.join(", ")
                )
            }
            RefuteError::Unknown(reason) => write!(f, "the solver gave up: {reason}"),
            RefuteError::Step(what) => write!(f, "a step cannot be expressed in Alethe: {what}"),
            RefuteError::Output(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for RefuteError {}

impl From<io::Error> for RefuteError {
    fn from(error: io::Error) -> RefuteError {
        RefuteError::Output(error)
    }
}
