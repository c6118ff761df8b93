//! What goes wrong in a session, and how it is told: mistakes in the text, limits, and mistakes of ours.

use std::io::Write;

use shem_decide::Fault;
use shem_term::smtlib::{ReadError, escape_string};

use super::json;
use super::session::{Halt, Session};
use crate::diagnostic::{Diagnostic, FAILURE, Source, report};
use crate::memory::AnswerFormat;
use crate::pieces::Unreadable;

/// The exit code after a mistake of ours.
const INTERNAL: u8 = 2;

impl Session<'_> {
    /// Tells why there is no more text.
    pub(super) fn unreadable(&mut self, unreadable: Unreadable<'_>) -> Result<Halt, Halt> {
        match unreadable {
            Unreadable::Input(message) => Ok(self.fail(&message)),
            Unreadable::Text(source, error) => self.mistake(source, &error),
        }
    }

    /// Tells of a mistake in the text; gives what ends the session, if it is to end.
    pub(super) fn mistake(&mut self, source: Source<'_>, error: &ReadError) -> Result<Halt, Halt> {
        self.mistakes += 1;
        self.asked = true;
        if self.options.json {
            let place = source.locate(error.span.start);
            self.error = Some(json::error(&error.message, Some((source.name, place.line, place.column))));
            writeln!(self.err, "{}", Diagnostic { source, error })?;
        } else {
            report(&Diagnostic { source, error }, &mut self.out, &mut self.err)?;
        }
        Ok(Halt::Code(FAILURE))
    }

    /// Reading was stopped by a limit or a signal before anything was answered: the answer is unknown.
    pub(super) fn stopped(&mut self) -> Halt {
        let Some(cause) = self.watchdog.end() else { return Halt::Code(0) };
        if self.options.json {
            self.answers.push(serde_json::json!({ "answer": "unknown", "reason": cause.to_string() }));
        } else {
            let _ = write!(self.out, "{}", AnswerFormat::Word.unknown(&cause));
        }
        let _ = self.out.flush();
        let _ = writeln!(self.err, "shem: unknown: {cause}");
        Halt::Code(0)
    }

    /// A mistake that has no place in the text.
    pub(super) fn fail(&mut self, message: &str) -> Halt {
        self.refuse(message);
        let _ = writeln!(self.err, "shem: {message}");
        Halt::Code(FAILURE)
    }

    /// A mistake of ours.
    pub(super) fn withhold(&mut self, fault: &Fault) -> Halt {
        self.refuse(&fault.to_string());
        let _ = writeln!(self.err, "shem: {fault}; the answer is withheld");
        Halt::Code(INTERNAL)
    }

    fn refuse(&mut self, message: &str) {
        if self.options.json {
            self.error = Some(json::error(message, None));
        } else {
            let _ = writeln!(self.out, "(error {})", escape_string(message));
            let _ = self.out.flush();
        }
    }
}
