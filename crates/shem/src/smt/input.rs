//! Where scripts come from: a whole text, or a stream that is answered as it arrives.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};

use shem_term::smtlib::Location;

use super::dump::Dump;
use super::interpreter::{Interpreter, Outcome};
use super::options::Options;
use crate::diagnostic::{Source, decode, fail};

/// Runs a script that is at hand as a whole. The name is used in messages.
///
/// ```
/// let mut out = Vec::new();
/// let script = b"(declare-const x Int) (assert (> (* 2 x) 3)) (check-sat) (get-value ((- x)))";
/// let outcome = shem::smt::run_text("example", script, &Default::default(), &mut out, &mut std::io::sink());
/// assert_eq!(outcome, shem::smt::Outcome::Completed);
/// assert!(String::from_utf8(out).unwrap().starts_with("sat\n(((- x) (- "));
/// ```
pub fn run_text(
    name: &str,
    script: &[u8],
    options: &Options,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Outcome {
    match decode(name, script, out, err) {
        // At the end of the stream everything that is left is one piece.
        Ok(Some(_)) => run(Pieces::new(name, script.to_vec(), &mut io::empty()), options, out, err),
        _ => Outcome::Failed,
    }
}

/// Runs a script as it arrives: commands are run as soon as they are complete, and their answers are written
/// before more is waited for.
pub fn run_stream(
    name: &str,
    input: &mut dyn Read,
    options: &Options,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Outcome {
    run(Pieces::new(name, Vec::new(), input), options, out, err)
}

fn run(mut pieces: Pieces<'_>, options: &Options, out: &mut dyn Write, err: &mut dyn Write) -> Outcome {
    let mut dump = None;
    if let Some(path) = &options.run.dump_queries {
        match File::create(path) {
            Ok(file) => dump = Some(Dump::new(Box::new(BufWriter::new(file)))),
            Err(error) => {
                fail(&format!("{}: {error}", path.display()), out, err);
                return Outcome::Failed;
            }
        }
    }
    Interpreter::new(options.clone(), dump, out, err).run(&mut pieces)
}

/// The text of a script, in pieces that end where a command does.
pub(super) struct Pieces<'a> {
    name: &'a str,
    input: &'a mut dyn Read,
    buffer: Vec<u8>,
    /// How much of the buffer has been looked at.
    seen: usize,
    /// Where the last complete command ends.
    complete: usize,
    /// How many parentheses are open there.
    depth: usize,
    inside: Inside,
    /// The length of the piece that was given out last, and where it begins.
    given: usize,
    origin: Location,
    ended: bool,
}

/// What the bytes that are looked at are part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Nothing,
    Comment,
    /// A string or a quoted symbol, up to this byte.
    Quotes(u8),
}

impl<'a> Pieces<'a> {
    /// A script of which this much was read; the rest comes from the input.
    fn new(name: &'a str, buffer: Vec<u8>, input: &'a mut dyn Read) -> Pieces<'a> {
        let origin = Location { line: 1, column: 1 };
        let inside = Inside::Nothing;
        Pieces { name, input, buffer, seen: 0, complete: 0, depth: 0, inside, given: 0, origin, ended: false }
    }

    /// The next piece, `None` at the end; what went wrong, in words, if it cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<Source<'_>>, String> {
        self.origin = self.current().locate(self.given as u32);
        self.buffer.drain(..self.given);
        self.seen -= self.given;
        (self.given, self.complete) = (0, 0);
        while self.given == 0 {
            if self.ended {
                return Ok(None);
            }
            self.ended = !self.fill().map_err(|error| format!("{}: {error}", self.name))?;
            self.given = if self.ended { self.buffer.len() } else { self.complete };
        }
        std::str::from_utf8(&self.buffer[..self.given])
            .map_err(|error| format!("{}: byte {} is not UTF-8", self.name, error.valid_up_to()))?;
        Ok(Some(self.current()))
    }

    /// The piece that was given out last.
    pub(super) fn current(&self) -> Source<'_> {
        let text = std::str::from_utf8(&self.buffer[..self.given]).unwrap_or_default();
        Source { name: self.name, text, origin: self.origin }
    }

    /// Waits for more bytes. `false` at the end of the input.
    fn fill(&mut self) -> io::Result<bool> {
        let before = self.buffer.len();
        self.buffer.resize(before + (1 << 16), 0);
        let result = loop {
            match self.input.read(&mut self.buffer[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        let count = *result.as_ref().unwrap_or(&0);
        self.buffer.truncate(before + count);
        if count > 0 {
            self.scan();
        }
        self.seen = self.buffer.len();
        result.map(|count| count > 0)
    }

    fn scan(&mut self) {
        for (offset, &byte) in self.buffer[self.seen..].iter().enumerate() {
            match (self.inside, byte) {
                (Inside::Comment, b'\n') => self.inside = Inside::Nothing,
                (Inside::Quotes(quote), _) if quote == byte => self.inside = Inside::Nothing,
                (Inside::Comment | Inside::Quotes(_), _) => {}
                (Inside::Nothing, b';') => self.inside = Inside::Comment,
                (Inside::Nothing, b'"' | b'|') => self.inside = Inside::Quotes(byte),
                (Inside::Nothing, b'(') => self.depth += 1,
                (Inside::Nothing, b')') => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        self.complete = self.seen + offset + 1;
                    }
                }
                (Inside::Nothing, _) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its pieces one read after the other.
    struct Reads<'a> {
        pieces: &'a [&'a str],
        at: usize,
    }

    impl Read for Reads<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(piece) = self.pieces.get(self.at) else { return Ok(0) };
            self.at += 1;
            buffer[..piece.len()].copy_from_slice(piece.as_bytes());
            Ok(piece.len())
        }
    }

    fn check(pieces: &[&str], expected_out: &str, expected_err: &str) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        run_stream("-", &mut Reads { pieces, at: 0 }, &Options::default(), &mut out, &mut err);
        assert_eq!(String::from_utf8_lossy(&out), expected_out);
        assert_eq!(String::from_utf8_lossy(&err), expected_err);
    }

    #[test]
    fn commands_may_be_cut_anywhere() {
        check(
            &["(echo \"a", ")\"", ")(ec", "ho \"b\") ; (", "\n(echo", " \"c\")"],
            "\"a)\"\n\"b\"\n\"c\"\n",
            "",
        );
        check(
            &["(echo \"a\") ", "\n(echo x)"],
            "\"a\"\n(error \"line 2 column 7: expected a string, found x\")\n",
            "-:2:7: error: expected a string, found x\n2 | (echo x)\n  |       ^\n",
        );
        check(&["(exit)(echo \"a\")"], "", "");
        check(
            &["(echo "],
            "(error \"line 1 column 7: the text ends where a string is expected\")\n",
            "-:1:7: error: the text ends where a string is expected\n1 | (echo \n  |       ^\n",
        );
    }

    #[test]
    fn text_that_is_not_utf8_is_refused() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let outcome = run_text("f", b"(echo \"\xff\")", &Options::default(), &mut out, &mut err);
        assert_eq!(outcome, Outcome::Failed);
        assert_eq!(out, b"(error \"line 1 column 8: the text is not UTF-8 from here on\")\n");
    }
}
