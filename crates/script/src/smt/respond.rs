//! Commands that ask for something, or set options.

use std::io::Write;

use shem_base::UnknownReason;
use shem_term::quote_symbol;
use shem_term::smtlib::{Attribute, Command, ErrorKind, ReadError, Span, escape_string};

use super::interpreter::{Effect, Interpreter};
use super::last::Last;
use super::print::list;
use crate::conversation::{Common, Halt, Reply};
use crate::script_options::ProofFormat;

/// The error for a command that makes no sense now.
pub(super) fn out_of_place(span: Span, message: impl Into<String>) -> Halt {
    ReadError::new(ErrorKind::Mode, span, message).into()
}

impl Interpreter<'_> {
    /// Runs a command that changes neither assertions nor names.
    pub(super) fn respond(
        &mut self,
        last: &mut Last<'_>,
        command: Command<'_>,
        span: Span,
    ) -> Result<Effect, Halt> {
        self.check_option(&command, span)?;
        let answer = match command {
            Command::SetLogic(name) => return self.set_logic(name, span).map(Effect::Reply),
            Command::SetOption(Attribute { keyword, value, span: place }) => {
                return common(Common::SetOption(keyword.to_owned(), value.to_owned(), [place, span]));
            }
            Command::SetInfo(Attribute { keyword: ":status", value, .. }) => {
                return common(Common::Status(value.to_owned()));
            }
            Command::SetInfo(_) => return Ok(Effect::Reply(Reply::Success)),
            Command::GetInfo(keyword) => return common(Common::GetInfo(keyword.to_owned(), span)),
            Command::GetOption(keyword) => return common(Common::GetOption(keyword.to_owned())),
            Command::Echo(content) => return common(Common::Echo(content)),
            Command::Exit => return Ok(Effect::Reply(Reply::Exit)),
            Command::GetModel => self.model_text(last, span)?,
            Command::GetValue(terms) => self.value_text(last, &terms, span)?,
            Command::GetAssignment => self.assignment_text(last, span)?,
            Command::GetProof => match self.talk.script.proof_format {
                ProofFormat::Alethe => self.alethe_text(last, span)?,
                ProofFormat::Shem => self.proof_text(last, span)?,
            },
            Command::GetUnsatCore => self.core_text(last, span)?,
            Command::GetUnsatAssumptions => self.assumptions_text(last, span)?,
            Command::GetInterpolants(groups) => self.interpolants_text(last, &groups, span)?,
            Command::GetElimination { formula, disjunct } => {
                let result = if disjunct { self.disjunct(formula, span)? } else { self.eliminated(formula) };
                match result {
                    Ok(formula) => self.store.display(formula).to_string(),
                    Err(reason) => {
                        writeln!(self.talk.out, "unknown")?;
                        return Ok(Effect::GaveUp(reason));
                    }
                }
            }
            Command::GetAssertions => {
                list(self.assertions.list.iter().filter_map(|assertion| assertion.text.as_deref()), "\n ")
            }
            other => unreachable!("{other:?} has an effect"),
        };
        writeln!(self.talk.out, "{answer}")?;
        Ok(Effect::Reply(Reply::Answered))
    }

    /// Fails if the option that a command needs is off.
    fn check_option(&mut self, command: &Command<'_>, span: Span) -> Result<(), Halt> {
        let (command, option) = match command {
            Command::GetModel => ("get-model", ":produce-models"),
            Command::GetValue(_) => ("get-value", ":produce-models"),
            Command::GetAssignment => ("get-assignment", ":produce-assignments"),
            Command::GetProof => ("get-proof", ":produce-proofs"),
            Command::GetUnsatCore => ("get-unsat-core", ":produce-unsat-cores"),
            Command::GetUnsatAssumptions => ("get-unsat-assumptions", ":produce-unsat-assumptions"),
            Command::GetInterpolants(_) => ("get-interpolants", ":produce-interpolants"),
            Command::GetAssertions => ("get-assertions", ":produce-assertions"),
            _ => return Ok(()),
        };
        match self.talk.script.get(option).as_deref() {
            Some("true") => Ok(()),
            _ => Err(out_of_place(span, format!("{command} needs the option {option}"))),
        }
    }

    fn core_text(&self, last: &Last<'_>, span: Span) -> Result<String, Halt> {
        let used = match last {
            Last::Unsat { refutation, .. } => refutation.used_assertions(),
            Last::UnsatInParts { core, .. } => core.assertions.clone(),
            _ => {
                let message = "there is no core: the last command was not an unsatisfiable query";
                return Err(out_of_place(span, message));
            }
        };
        let names = used.iter().filter_map(|&number| self.assertions.list[number as usize].name);
        Ok(list(names.map(|name| quote_symbol(self.reader.name(name))), " "))
    }

    fn assumptions_text(&self, last: &Last<'_>, span: Span) -> Result<String, Halt> {
        let (terms, failed, texts) = match last {
            Last::Unsat { refutation, assumptions: Some(texts), .. } => {
                (refutation.assumptions().collect(), refutation.failed_assumptions(), texts)
            }
            Last::UnsatInParts { core, texts: Some(texts), .. } => {
                (core.assumptions.clone(), core.failed.clone(), texts)
            }
            _ => {
                let message = "the last command was not an unsatisfiable query with assumptions";
                return Err(out_of_place(span, message));
            }
        };
        let texts = terms.iter().zip(texts).filter(|(term, _)| failed.contains(term));
        Ok(list(texts.map(|(_, text)| text), " "))
    }

    /// The answer to `get-info` for what depends on the script.
    pub(super) fn info_text(&self, last: &Last<'_>, keyword: &str) -> Result<Option<String>, String> {
        Ok(Some(match keyword {
            ":assertion-stack-levels" => {
                format!("(:assertion-stack-levels {})", self.assertions.level_count())
            }
            ":reason-unknown" => match last {
                Last::Unknown(reason, _) | Last::Unsat { gave_up: Some(reason), .. } => {
                    format!("(:reason-unknown {})", reason_text(self.limits.reason(*reason)))
                }
                _ => return Err("the answer to the last query was not unknown".to_owned()),
            },
            ":all-statistics" => {
                let statistics = last.solver().statistics();
                list(statistics.iter().map(|(name, figure)| format!(":{name} {figure}")), "\n ")
            }
            _ => return Ok(None),
        }))
    }
}

fn common(command: Common) -> Result<Effect, Halt> {
    Ok(Effect::Reply(Reply::Common(command)))
}

/// A reason as SMT-LIB writes it.
fn reason_text(reason: UnknownReason) -> String {
    match reason {
        UnknownReason::Stopped => "timeout".to_owned(),
        UnknownReason::Memory => "memout".to_owned(),
        UnknownReason::Incomplete(what) => format!("(incomplete {})", escape_string(what)),
        limit => escape_string(&limit.to_string()),
    }
}
