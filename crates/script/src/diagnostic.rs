//! Mistakes in a text, shown to people: file, line and column, and the line with the place underlined.

use std::fmt;
use std::io::{self, Write};

use shem_term::smtlib::{ErrorKind, Location, ReadError, Span, escape_string};

use crate::options::Terminal;

/// The exit code after a mistake of the user.
pub const FAILURE: u8 = 1;

/// How much of a line is shown on each side of the place, in characters. Machine-made scripts have lines of
/// megabytes.
const CONTEXT: usize = 60;

/// A piece of a text: its name, its characters and where it starts in the whole.
#[derive(Clone, Copy, Debug)]
pub struct Source<'t> {
    /// The file name, or a word for what is not a file.
    pub name: &'t str,
    /// The characters.
    pub text: &'t str,
    /// Where the first character stands in the whole text.
    pub origin: Location,
}

impl<'t> Source<'t> {
    /// A whole text.
    pub fn new(name: &'t str, text: &'t str) -> Source<'t> {
        Source { name, text, origin: Location { line: 1, column: 1 } }
    }

    /// The place of a byte, counted from the start of the whole text.
    pub fn locate(&self, offset: u32) -> Location {
        let Location { line, column } = Location::of(self.text, offset);
        Location {
            line: self.origin.line + line - 1,
            column: if line == 1 { self.origin.column + column - 1 } else { column },
        }
    }
}

/// An error with its place in a source; displayed over several lines, the last without a line feed.
#[derive(Clone, Copy, Debug)]
pub struct Diagnostic<'t> {
    /// The text that the error is about.
    pub source: Source<'t>,
    /// The error.
    pub error: &'t ReadError,
    /// Where it is shown.
    pub terminal: Terminal,
}

impl fmt::Display for Diagnostic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Diagnostic { source, error, terminal } = self;
        let Location { line, column } = source.locate(error.span.start);
        let (red, plain) = if terminal.error { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
        writeln!(f, "{}:{line}:{column}: {red}error:{plain} {}", source.name, error.message)?;
        let text = source.text;
        let start = floor_boundary(text, error.span.start as usize);
        let end = floor_boundary(text, error.span.end as usize).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let before = last_characters(&text[line_start..start]);
        let marked = first_characters(&text[start..end.min(line_end).max(start)]);
        let after = first_characters(&text[start + marked.len()..line_end]);
        let ellipsis = |cut: bool| if cut { "…" } else { "" };
        let left = ellipsis(line_start + before.len() < start);
        let right = ellipsis(start + marked.len() + after.len() < line_end);
        let number = line.to_string();
        writeln!(
            f,
            "{number} | {left}{}{}{}{right}",
            printable(before),
            printable(marked),
            printable(after)
        )?;
        let indent = left.chars().count() + before.chars().count();
        let carets = marked.chars().count().max(1);
        write!(f, "{:width$} | {:indent$}{red}{:^<carets$}{plain}", "", "", "", width = number.len())
    }
}

/// Tells of a mistake in a text: machines on the one writer, people on the other.
pub fn report(diagnostic: &Diagnostic<'_>, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<()> {
    let Diagnostic { source, error, terminal } = diagnostic;
    let Location { line, column } = source.locate(error.span.start);
    if !terminal.shows_all() {
        let message = format!("line {line} column {column}: {}", error.message);
        writeln!(out, "(error {})", escape_string(&message))?;
    }
    out.flush()?;
    writeln!(err, "{diagnostic}")
}

/// The text as a source. If it is not UTF-8, tells of that and gives nothing.
pub fn decode<'t>(
    name: &'t str,
    bytes: &'t [u8],
    terminal: Terminal,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Option<Source<'t>>> {
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(Some(Source::new(name, text))),
        Err(error) => error.valid_up_to(),
    };
    let text = String::from_utf8_lossy(&bytes[..valid]);
    let error = not_utf8(bytes, valid);
    report(&Diagnostic { source: Source::new(name, &text), error: &error, terminal }, out, err)?;
    Ok(None)
}

/// The mistake of a text that is UTF-8 up to some place only.
pub fn not_utf8(bytes: &[u8], valid: usize) -> ReadError {
    let message = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the text is in UTF-16, and UTF-8 is needed",
        _ => "the text is not UTF-8 from here on",
    };
    ReadError::new(ErrorKind::Syntax, Span::new(valid as u32, valid as u32), message)
}

/// Tells that the output cannot be written, unless its reader has gone: then nobody wants to know. Gives the exit code.
pub fn unwritable(error: &io::Error, err: &mut dyn Write) -> u8 {
    if error.kind() != io::ErrorKind::BrokenPipe {
        let _ = writeln!(err, "shem: the output cannot be written: {error}");
    }
    FAILURE
}

/// Tells of a mistake that has no place in a text; gives the exit code.
pub fn fail(message: &str, terminal: Terminal, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    if !terminal.shows_all() {
        let _ = writeln!(out, "(error {})", escape_string(message));
    }
    let _ = out.flush();
    let _ = writeln!(err, "shem: {message}");
    FAILURE
}

/// Control characters, tabs among them, as blanks: each character then takes one column.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The first characters of a text.
fn first_characters(text: &str) -> &str {
    text.char_indices().nth(CONTEXT).map_or(text, |(end, _)| &text[..end])
}

/// The last characters of a text.
fn last_characters(text: &str) -> &str {
    text.char_indices().rev().nth(CONTEXT - 1).map_or(text, |(start, _)| &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, start: u32, end: u32, expected: &str) {
        let error = ReadError::new(ErrorKind::Syntax, Span::new(start, end), "wrong");
        let diagnostic =
            Diagnostic { source: Source::new("f.smt2", text), error: &error, terminal: Terminal::default() };
        assert_eq!(diagnostic.to_string(), expected);
    }

    #[test]
    fn the_place_is_underlined() {
        check("ab\nc def g\n", 5, 8, "f.smt2:2:3: error: wrong\n2 | c def g\n  |   ^^^");
        check("ab", 2, 2, "f.smt2:1:3: error: wrong\n1 | ab\n  |   ^");
        check("", 0, 0, "f.smt2:1:1: error: wrong\n1 | \n  | ^");
        check("(a\nb)", 0, 5, "f.smt2:1:1: error: wrong\n1 | (a\n  | ^^");
        check("\tçx", 3, 4, "f.smt2:1:3: error: wrong\n1 |  çx\n  |   ^");
    }

    #[test]
    fn long_lines_are_cut() {
        let text = format!("{}!{}", "a".repeat(100), "b".repeat(100));
        let shown = format!("…{}!{}…", "a".repeat(60), "b".repeat(60));
        let expected = format!("f.smt2:1:101: error: wrong\n1 | {shown}\n  | {}^", " ".repeat(61));
        check(&text, 100, 101, &expected);
    }

    #[test]
    fn pieces_know_where_they_start() {
        let source = Source { name: "-", text: "a\nb", origin: Location { line: 7, column: 5 } };
        assert_eq!(source.locate(0), Location { line: 7, column: 5 });
        assert_eq!(source.locate(2), Location { line: 8, column: 1 });
    }
}
