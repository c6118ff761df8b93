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
    let mut interpreter = match start(options, out, err) {
        Ok(interpreter) => interpreter,
        Err(outcome) => return outcome,
    };
    let outcome = interpreter.run(Source::new(name, text));
    interpreter.finish(outcome)
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
    let mut interpreter = match start(options, out, err) {
        Ok(interpreter) => interpreter,
        Err(outcome) => return outcome,
    };
    let mut framing = Framing::default();
    let mut origin = Location { line: 1, column: 1 };
    loop {
        let more = match framing.fill(input) {
            Ok(more) => more,
            Err(error) => {
                interpreter.fail(&format!("{name}: {error}"));
                return interpreter.finish(Some(Outcome::Failed));
            }
        };
        let end = if more { framing.complete } else { framing.buffer.len() };
        if end > 0 {
            let piece = match std::str::from_utf8(&framing.buffer[..end]) {
                Ok(text) => text,
                Err(error) => {
                    interpreter.fail(&format!("{name}: byte {} is not UTF-8", error.valid_up_to()));
                    return interpreter.finish(Some(Outcome::Failed));
                }
            };
            let source = Source { name, text: piece, origin };
            let outcome = interpreter.run(source);
            if outcome.is_some() || interpreter.flush().is_err() {
                return interpreter.finish(outcome.or(Some(Outcome::Failed)));
            }
            origin = source.locate(end as u32);
            framing.drop_front(end);
        }
        if !more {
            return interpreter.finish(None);
        }
    }
}

/// An interpreter with its files open.
fn start<'w>(
    options: &Options,
    out: &'w mut dyn Write,
    err: &'w mut dyn Write,
) -> Result<Interpreter<'w>, Outcome> {
    let mut interpreter = Interpreter::new(options.clone(), out, err);
    if let Some(path) = &options.dump_queries {
        match File::create(path) {
            Ok(file) => interpreter.dump_queries(Box::new(BufWriter::new(file))),
            Err(error) => {
                interpreter.fail(&format!("{}: {error}", path.display()));
                return Err(interpreter.finish(Some(Outcome::Failed)));
            }
        }
    }
    Ok(interpreter)
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
