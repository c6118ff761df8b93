//! Mistakes in a text.

use shem_term::smtlib::{ErrorKind, Location, ReadError, Span, missing_parenthesis, unclosed_command};
use thiserror::Error;

/// A mistake in a text: what it is and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} column {column}: {message}")]
pub struct ParseError {
    /// The line, from one.
    pub line: usize,
    /// The column in characters, from one.
    pub column: usize,
    /// The bytes of the text that it is about.
    pub span: Span,
    /// The class of the mistake.
    pub kind: ErrorKind,
    /// The mistake in words, without its place.
    pub message: String,
}

impl ParseError {
    /// The error with its place in the text that was read.
    pub(crate) fn new(text: &str, error: ReadError) -> ParseError {
        let Location { line, column } = Location::of(text, error.span.start);
        let ReadError { span, kind, mut message } = error;
        if let Some(line) = unclosed_command(text, span.start as usize) {
            message += &missing_parenthesis(line + 1);
        }
        ParseError { line, column, span, kind, message }
    }
}
