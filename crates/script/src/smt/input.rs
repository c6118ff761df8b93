//! Where scripts come from: a whole text, or a stream that is answered as it arrives.

use std::fs::File;
use std::io::{BufWriter, Read, Write};

use super::dump::Dump;
use super::interpreter::{self, Outcome};
use super::limits::Interrupt;
use super::options::Options;
use crate::diagnostic::{decode, fail};
use crate::pieces::Pieces;

/// Runs a script that is at hand as a whole. The name is used in messages.
///
/// ```
/// let mut out = Vec::new();
/// let script = b"(declare-const x Int) (assert (> (* 2 x) 3)) (check-sat) (get-value ((- x)))";
/// let outcome = shem_script::smt::run_text("example", script, &Default::default(), &mut out, &mut std::io::sink());
/// assert_eq!(outcome, shem_script::smt::Outcome::Completed);
/// assert!(String::from_utf8(out).unwrap().starts_with("sat\n(((- x) (- "));
/// ```
pub fn run_text(
    name: &str,
    script: impl Into<Vec<u8>>,
    options: &Options,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Outcome {
    let script = script.into();
    match decode(name, &script, options.run.terminal, out, err) {
        Ok(Some(_)) => run(Pieces::whole(name, script), options, Interrupt::default(), out, err),
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
    run_interruptible(name, input, options, Interrupt::default(), out, err)
}

/// The same, with queries that can be ended from another thread.
pub fn run_interruptible(
    name: &str,
    input: &mut dyn Read,
    options: &Options,
    interrupt: Interrupt,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Outcome {
    run(Pieces::new(name, Vec::new(), Box::new(input)), options, interrupt, out, err)
}

fn run(
    mut pieces: Pieces<'_>,
    options: &Options,
    interrupt: Interrupt,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Outcome {
    let mut dump = None;
    if let Some(path) = &options.run.dump_queries {
        match File::create(path) {
            Ok(file) => dump = Some(Dump::new(Box::new(BufWriter::new(file)))),
            Err(error) => {
                fail(&format!("{}: {error}", path.display()), options.run.terminal, out, err);
                return Outcome::Failed;
            }
        }
    }
    interpreter::run(options, dump, interrupt, &mut pieces, out, err)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::options::{RunOptions, Terminal};

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

    /// Whoever types commands can correct them, and sees a mistake once.
    #[test]
    fn a_mistake_at_a_terminal_ends_nothing() {
        let terminal = Terminal { input: true, output: true, error: true };
        let options = Options { run: RunOptions { terminal, ..RunOptions::default() }, ..Options::default() };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let pieces = &["(declare-const x Int)", "(asert (> x 0))", "(assert (> x 0))(check-sat)"];
        run_stream("-", &mut Reads { pieces, at: 0 }, &options, &mut out, &mut err);
        assert_eq!(out, b"sat\n");
        let err = String::from_utf8_lossy(&err);
        assert!(err.contains("did you mean assert?") && err.contains("\x1b[1;31merror:\x1b[0m"), "{err}");
    }

    #[test]
    fn text_that_is_not_utf8_is_refused() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let outcome = run_text("f", b"(echo \"\xff\")", &Options::default(), &mut out, &mut err);
        assert_eq!(outcome, Outcome::Failed);
        assert_eq!(out, b"(error \"line 1 column 8: the text is not UTF-8 from here on\")\n");
    }
}
