//! Where scripts come from: a whole text, or a stream that is answered as it arrives.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};

use shem_term::smtlib::Location;

use super::interpreter::{Interpreter, Outcome};
use super::options::Options;
use crate::diagnostic::{Source, report_encoding};

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
    let text = match std::str::from_utf8(script) {
        Ok(text) => text,
        Err(error) => {
            let _ = report_encoding(name, script, error.valid_up_to(), out, err);
            return Outcome::Failed;
        }
    };
    run(&mut Whole(Some(Source::new(name, text))), options, out, err)
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
    run(&mut Arriving::new(name, input), options, out, err)
}

fn run(pieces: &mut dyn Pieces, options: &Options, out: &mut dyn Write, err: &mut dyn Write) -> Outcome {
    let mut interpreter = Interpreter::new(options.clone(), out, err);
    if let Some(path) = &options.dump_queries {
        match File::create(path) {
            Ok(file) => interpreter.dump_queries(Box::new(BufWriter::new(file))),
            Err(error) => {
                interpreter.fail(&format!("{}: {error}", path.display()));
                let _ = interpreter.flush();
                return Outcome::Failed;
            }
        }
    }
    interpreter.run(pieces)
}

/// The text of a script, in pieces that end where a command does.
pub(super) trait Pieces {
    /// The next piece, `None` at the end; what went wrong, in words, if there is no telling.
    fn next(&mut self) -> Result<Option<Source<'_>>, String>;
}

/// A script in one piece.
struct Whole<'a>(Option<Source<'a>>);

impl Pieces for Whole<'_> {
    fn next(&mut self) -> Result<Option<Source<'_>>, String> {
        Ok(self.0.take())
    }
}

/// A script that is read as it arrives.
struct Arriving<'a> {
    name: &'a str,
    input: &'a mut dyn Read,
    framing: Framing,
    /// The length of the piece that was given out last, and where the next one begins.
    given: usize,
    origin: Location,
    ended: bool,
}

impl<'a> Arriving<'a> {
    fn new(name: &'a str, input: &'a mut dyn Read) -> Arriving<'a> {
        let origin = Location { line: 1, column: 1 };
        Arriving { name, input, framing: Framing::default(), given: 0, origin, ended: false }
    }
}

impl Pieces for Arriving<'_> {
    fn next(&mut self) -> Result<Option<Source<'_>>, String> {
        let name = self.name;
        self.framing.drop_front(std::mem::take(&mut self.given));
        while self.given == 0 {
            if self.ended {
                return Ok(None);
            }
            let more = self.framing.fill(self.input).map_err(|error| format!("{name}: {error}"))?;
            self.ended = !more;
            self.given = if more { self.framing.complete } else { self.framing.buffer.len() };
        }
        let text = std::str::from_utf8(&self.framing.buffer[..self.given])
            .map_err(|error| format!("{name}: byte {} is not UTF-8", error.valid_up_to()))?;
        let source = Source { name, text, origin: self.origin };
        self.origin = source.locate(self.given as u32);
        Ok(Some(source))
    }
}

/// Finds the ends of commands in bytes that arrive one after the other.
#[derive(Debug, Default)]
struct Framing {
    buffer: Vec<u8>,
    /// How much of the buffer has been looked at.
    seen: usize,
    /// Where the last complete command ends.
    complete: usize,
    depth: usize,
    inside: Inside,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Nothing,
    Comment,
    /// A string or a quoted symbol, up to this byte.
    Quotes(u8),
}

impl Framing {
    /// Waits for more bytes. `false` at the end of the input.
    fn fill(&mut self, input: &mut dyn Read) -> io::Result<bool> {
        let before = self.buffer.len();
        self.buffer.resize(before + (1 << 16), 0);
        let result = loop {
            match input.read(&mut self.buffer[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        self.buffer.truncate(before + result.as_ref().map_or(0, |&count| count));
        self.scan();
        Ok(result? > 0)
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
        self.seen = self.buffer.len();
    }

    fn drop_front(&mut self, count: usize) {
        self.buffer.drain(..count);
        self.seen -= count;
        self.complete = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its pieces one read after the other.
    struct Pieces<'a> {
        pieces: &'a [&'a str],
        at: usize,
    }

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(piece) = self.pieces.get(self.at) else { return Ok(0) };
            self.at += 1;
            buffer[..piece.len()].copy_from_slice(piece.as_bytes());
            Ok(piece.len())
        }
    }

    fn check(pieces: &[&str], expected_out: &str, expected_err: &str) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        run_stream("-", &mut Pieces { pieces, at: 0 }, &Options::default(), &mut out, &mut err);
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
