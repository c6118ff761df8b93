//! Lines of words with their places, for the readers.

use shem_term::smtlib::{ErrorKind, ReadError, Span};

/// A word of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    start: u32,
}

impl<'t> Word<'t> {
    /// Where it stands.
    pub(crate) fn span(self) -> Span {
        Span::new(self.start, self.start + self.text.len() as u32)
    }

    /// A mistake in it.
    pub(crate) fn error(self, kind: ErrorKind, message: impl Into<String>) -> ReadError {
        ReadError::new(kind, self.span(), message)
    }

    /// The part of it before a byte.
    pub(crate) fn before(self, byte: char) -> Word<'t> {
        Word { text: self.text.split(byte).next().unwrap_or_default(), ..self }
    }

    /// It as a number.
    pub(crate) fn number(self) -> Result<u64, ReadError> {
        let digits = !self.text.is_empty() && self.text.bytes().all(|byte| byte.is_ascii_digit());
        match self.text.parse() {
            Ok(number) if digits => Ok(number),
            _ if digits => Err(self.error(ErrorKind::Unsupported, "the number is too large")),
            _ => Err(self.error(ErrorKind::Syntax, format!("a number is expected, not {}", self.text))),
        }
    }
}

/// The words of a line, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Line<'t> {
    text: &'t str,
    /// Where it begins in the whole text, and how much of it has been taken.
    start: u32,
    at: usize,
}

impl<'t> Line<'t> {
    /// The line that begins here.
    pub(crate) fn at(text: &'t str, start: usize) -> Line<'t> {
        let rest = &text[start..];
        let end = rest.find('\n').unwrap_or(rest.len());
        Line { text: &rest[..end], start: start as u32, at: 0 }
    }

    /// Where the line after this one begins.
    pub(crate) fn end(&self) -> usize {
        self.start as usize + self.text.len() + 1
    }

    /// The whole line.
    pub(crate) fn span(&self) -> Span {
        Span::new(self.start, self.start + self.text.trim_end().len() as u32)
    }

    /// The next word, if there is one.
    pub(crate) fn next(&mut self) -> Option<Word<'t>> {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        let bytes = self.text.as_bytes();
        let from = self.at + bytes[self.at..].iter().position(|byte| !blank(byte))?;
        let length = bytes[from..].iter().position(blank).unwrap_or(bytes.len() - from);
        self.at = from + length;
        Some(Word { text: &self.text[from..self.at], start: self.start + from as u32 })
    }

    /// The next word, of which the mistake says what it should be.
    pub(crate) fn expect(&mut self, what: &str) -> Result<Word<'t>, ReadError> {
        let end = self.span().end;
        self.next().ok_or_else(|| {
            ReadError::new(
                ErrorKind::Syntax,
                Span::new(end, end),
                format!("the line ends where {what} is expected"),
            )
        })
    }

    /// What is left of the line.
    pub(crate) fn rest(&self) -> &'t str {
        self.text[self.at..].trim()
    }
}
