//! What can be wrong with a script, and where.
//!
//! An error carries a range of bytes. [`Location`] turns it into line and column; the program that prints may
//! underline it.

use std::fmt;

/// A range of bytes of the text that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to, and without, `end`.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The bytes of the span as a range of indices.
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// The class of a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The text is not SMT-LIB: a lexical or a grammatical mistake.
    Syntax,
    /// A symbol that is not declared.
    Unknown,
    /// A symbol that is declared a second time, or that belongs to the language.
    Redeclared,
    /// An argument or a result of the wrong sort, or a wrong number of arguments.
    IllSorted,
    /// Good SMT-LIB that Shem does not decide.
    Unsupported,
    /// A formula that is no Horn clause where one is expected.
    NotHorn,
    /// A command that makes no sense at this point of the script, or with these options.
    Mode,
}

/// A mistake in a script: what it is and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The bytes that it is about.
    pub span: Span,
    /// The class of the mistake.
    pub kind: ErrorKind,
    /// The mistake in words, without its location and without full stop.
    pub message: String,
}

impl ReadError {
    /// An error of the given class.
    #[cold]
    pub fn new(kind: ErrorKind, span: Span, message: impl Into<String>) -> ReadError {
        ReadError { span, kind, message: message.into() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

/// A position in a text: line and column, both counted from one, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The line, from one.
    pub line: usize,
    /// The column in characters, from one.
    pub column: usize,
}

impl Location {
    /// The location of the byte `offset` of `text`.
    pub fn of(text: &str, offset: u32) -> Location {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Location {
            line: 1 + before.bytes().filter(|&byte| byte == b'\n').count(),
            column: 1 + before[line_start..].chars().count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_count_characters() {
        let check = |offset, line, column| {
            assert_eq!(Location::of("ab\nçd\n", offset), Location { line, column });
        };
        check(0, 1, 1);
        check(2, 1, 3);
        check(3, 2, 1);
        check(4, 2, 1);
        check(5, 2, 2);
        check(7, 3, 1);
        check(99, 3, 1);
    }
}
