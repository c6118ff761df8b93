//! What a script asks besides checks, and what it sets: options, information, models and proofs.

use std::io::Write;
use std::time::Duration;

use shem_chc::Request;
use shem_decide::Verdict;
use shem_term::smtlib::{Attribute, ErrorKind, Lexer, ReadError, Span, escape_string};

use super::session::{Halt, LastCheck, Reply, Session, is_unwanted};
use crate::channel;
use crate::diagnostic::Source;
use crate::dialect::Dialect;
use crate::script_info::program_info;
use crate::script_options::ScriptOptions;

impl Session<'_> {
    /// Answers what is asked; nothing if the session is over.
    pub(super) fn answer(
        &mut self,
        request: &Request,
        span: Span,
        rest: &Lexer<'_>,
        source: Source<'_>,
    ) -> Result<Option<Reply>, Halt> {
        if let Request::Check { system, query, .. } = request {
            (self.checks, self.asked) = (self.checks + 1, true);
            if let Some(stage) = self.options.dump_graph {
                return self.dump_graph(system, stage).map(|()| None);
            }
            self.check(system, (span, *query), rest, source)?;
            return Ok((!self.interrupted()).then_some(Reply::Nothing));
        }
        let reply = match request {
            Request::Timeout(limit) => {
                self.timeout = limit.map(Duration::from_millis).or(self.options.run.check_time);
                Reply::Success
            }
            Request::Reset => {
                (self.script, self.timeout) = (ScriptOptions::default(), self.options.run.check_time);
                self.out.turn("stdout")?;
                self.err.turn("stderr")?;
                Reply::Success
            }
            Request::Status(status) => {
                self.status.expect(Some(status));
                Reply::Success
            }
            Request::SetOption { keyword, value, span } => {
                return self.set_option((keyword, value), *span, source).map(Some);
            }
            // In JSON there are only verdicts.
            _ if self.options.json => Reply::Nothing,
            Request::GetModel => {
                self.give("model", |verdict| matches!(verdict, Verdict::Sat(_)))?;
                Reply::Nothing
            }
            Request::GetProof => {
                self.give("proof", |verdict| matches!(verdict, Verdict::Unsat(_)))?;
                Reply::Nothing
            }
            Request::Echo(content) => {
                writeln!(self.out, "{}", escape_string(content))?;
                Reply::Nothing
            }
            Request::GetInfo(keyword) => {
                let info = self.info(keyword);
                writeln!(self.out, "{info}")?;
                Reply::Nothing
            }
            Request::GetOption(keyword) => {
                let value =
                    channel::name_of(&self.out, &self.err, keyword).or_else(|| self.script.get(keyword));
                writeln!(self.out, "{}", value.as_deref().unwrap_or("unsupported"))?;
                Reply::Nothing
            }
            Request::Check { .. } => Reply::Nothing,
        };
        self.asked |= matches!(reply, Reply::Nothing);
        Ok(Some(reply))
    }

    /// Sets an option. One that is not supported is said so only where answers are expected: other solvers' options
    /// stand in many scripts, and the first line of output is to be the verdict.
    fn set_option(
        &mut self,
        (keyword, value): (&str, &str),
        span: Span,
        source: Source<'_>,
    ) -> Result<Reply, Halt> {
        // The object of JSON has a channel of its own.
        let fixed = self.options.json;
        let supported = match channel::turn(&mut self.out, &mut self.err, keyword, value) {
            Some(_) if fixed => Ok(true),
            Some(turned) => {
                turned.map(|()| true).map_err(|message| ReadError::new(ErrorKind::Unsupported, span, message))
            }
            None => self.script.set(&Attribute { keyword, value, span }),
        };
        match supported {
            Ok(true) => Ok(Reply::Success),
            Ok(false) => {
                if self.script.print_success && !self.options.json {
                    writeln!(self.out, "unsupported")?;
                }
                Ok(Reply::Nothing)
            }
            Err(error) => {
                let halt = self.mistake(source, &error)?;
                if self.options.run.continued_execution { Ok(Reply::Nothing) } else { Err(halt) }
            }
        }
    }

    fn info(&self, keyword: &str) -> String {
        match (&self.last, keyword) {
            (Some(LastCheck { verdict: Verdict::Unknown(reason), .. }), ":reason-unknown") => {
                format!("(:reason-unknown {})", escape_string(&reason.to_string()))
            }
            (_, ":assertion-stack-levels") => {
                format!("(:assertion-stack-levels {})", self.reader.level_count())
            }
            _ => {
                let continued = self.options.run.continued_execution;
                program_info(keyword, continued).unwrap_or("unsupported").to_owned()
            }
        }
    }

    /// Answers what a script asks for after a check. What there is not is an error, but no mistake: the script may ask
    /// for both a model and a proof.
    fn give(&mut self, what: &str, wanted: fn(&Verdict) -> bool) -> Result<(), Halt> {
        self.complete_witness(wanted)?;
        let missing = match &self.last {
            Some(last) if !wanted(&last.verdict) => {
                Some(format!("there is no {what}: the answer is {}", last.verdict.word()))
            }
            Some(last) if is_unwanted(&last.verdict) => Some(format!("there is no {what}: none was found")),
            Some(last) => last.verdict.missing().map(|reason| format!("there is no {what}: {reason}")),
            None => Some(format!("there is no {what}: nothing was checked")),
        };
        match missing {
            Some(_) if self.options.dialect == Dialect::Z3 => {
                writeln!(self.out, "(error {})", escape_string(&format!("{what} is not available")))?;
            }
            Some(message) => writeln!(self.out, "(error {})", escape_string(&message))?,
            None => {
                // Asked twice, it is given twice; after --print-witness it stands there already.
                if let Some(last) = self.last.as_mut().filter(|_| !self.options.print_witness) {
                    last.printed = false;
                }
                self.print_witness(wanted)?;
            }
        }
        Ok(())
    }
}
