//! Commands that only ask, or that set options.

use std::fmt::Write as _;

use shem_base::UnknownReason;
use shem_term::quote_symbol;
use shem_term::smtlib::{Command, ErrorKind, NamedTerm, ReadError, Span, escape_string};

use super::interpreter::{Effect, Halt, Interpreter};
use super::last::Last;
use super::print::{write_definition, write_value};

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
        let answer = match command {
            Command::SetLogic(name) => {
                self.set_logic(name, span)?;
                return Ok(Effect::Done);
            }
            Command::SetOption(attribute) => return self.set_option(&attribute, span),
            Command::SetInfo(attribute) => {
                self.set_info(&attribute);
                return Ok(Effect::Done);
            }
            Command::Exit => {
                if self.script.print_success {
                    writeln!(self.out, "success")?;
                }
                return Err(Halt::Exit);
            }
            Command::GetModel => {
                self.need(span, "get-model", ":produce-models", self.script.produce_models)?;
                self.model_text(last, span)?
            }
            Command::GetValue(terms) => {
                self.need(span, "get-value", ":produce-models", self.script.produce_models)?;
                self.value_text(last, &terms, span)?
            }
            Command::GetUnsatCore => {
                self.need(span, "get-unsat-core", ":produce-unsat-cores", self.script.produce_unsat_cores)?;
                self.core_text(last, span)?
            }
            Command::GetUnsatAssumptions => {
                let on = self.script.produce_unsat_assumptions;
                self.need(span, "get-unsat-assumptions", ":produce-unsat-assumptions", on)?;
                self.assumptions_text(last, span)?
            }
            Command::GetInterpolants(groups) => {
                let on = self.script.produce_interpolants;
                self.need(span, "get-interpolants", ":produce-interpolants", on)?;
                self.interpolants_text(last, &groups, span)?
            }
            Command::GetElimination { formula, disjunct } => {
                let result = if disjunct { self.disjunct(formula, span)? } else { self.eliminated(formula) };
                match result {
                    Ok(formula) => self.store.display(formula).to_string(),
                    Err(reason) => {
                        writeln!(self.out, "unknown")?;
                        return Ok(Effect::GaveUp(reason));
                    }
                }
            }
            Command::GetAssertions => {
                let on = self.script.produce_assertions;
                self.need(span, "get-assertions", ":produce-assertions", on)?;
                let texts = self.assertions.iter().filter_map(|assertion| assertion.text.as_deref());
                format!("({})", texts.collect::<Vec<_>>().join("\n "))
            }
            Command::GetInfo(keyword) => self.info_text(last, keyword, span)?,
            Command::GetOption(keyword) => {
                self.script.get(keyword).unwrap_or_else(|| "unsupported".to_owned())
            }
            Command::Echo(content) => {
                // Whoever echoes may be waiting for the mark.
                writeln!(self.out, "{}", escape_string(&content))?;
                self.flush()?;
                return Ok(Effect::Answered);
            }
            other => unreachable!("{other:?} has an effect"),
        };
        writeln!(self.out, "{answer}")?;
        Ok(Effect::Answered)
    }

    /// Fails if the option that a command needs is off.
    fn need(&self, span: Span, command: &str, option: &str, on: bool) -> Result<(), Halt> {
        if on { Ok(()) } else { Err(out_of_place(span, format!("{command} needs the option {option}"))) }
    }

    fn model_text(&self, last: &mut Last<'_>, span: Span) -> Result<String, Halt> {
        let (store, model) = (&self.store, last.model(span)?);
        let mut text = String::from("(\n");
        for declaration in self.reader.declarations() {
            // A query with an application of a predicate is never found satisfiable, so any value will do.
            let value = model.value_or_default(store, declaration.symbol);
            write_definition(&mut text, store, declaration.symbol, &value);
        }
        text.push(')');
        Ok(text)
    }

    fn value_text(&self, last: &mut Last<'_>, terms: &[NamedTerm<'_>], span: Span) -> Result<String, Halt> {
        let (store, model) = (&self.store, last.model(span)?);
        let assignment = model.completed(store);
        let mut text = String::from("(");
        for (position, &NamedTerm { term, text: written }) in terms.iter().enumerate() {
            let Some(value) = store.evaluate(term, &assignment) else {
                return Err(out_of_place(span, format!("the term {written} has no value in the model")));
            };
            text.push_str(if position == 0 { "(" } else { "\n (" });
            text.push_str(written);
            text.push(' ');
            write_value(&mut text, store, &value, store.sort(term));
            text.push(')');
        }
        text.push(')');
        Ok(text)
    }

    fn core_text(&self, last: &Last<'_>, span: Span) -> Result<String, Halt> {
        let Last::Unsat { refutation, .. } = last else {
            let message = "there is no core: the last command was not an unsatisfiable query";
            return Err(out_of_place(span, message));
        };
        let used = refutation.used_assertions();
        let names = used.iter().filter_map(|&number| self.assertions[number as usize].name);
        let names: Vec<_> = names.map(|name| quote_symbol(self.reader.name(name))).collect();
        Ok(format!("({})", names.join(" ")))
    }

    fn assumptions_text(&self, last: &Last<'_>, span: Span) -> Result<String, Halt> {
        let Last::Unsat { refutation, assumptions: Some(assumptions) } = last else {
            let message = "the last command was not an unsatisfiable query with assumptions";
            return Err(out_of_place(span, message));
        };
        let failed = refutation.failed_assumptions();
        let texts = assumptions.iter().filter(|a| failed.contains(&a.term)).map(|a| &*a.text);
        Ok(format!("({})", texts.collect::<Vec<_>>().join(" ")))
    }

    fn info_text(&self, last: &Last<'_>, keyword: &str, span: Span) -> Result<String, Halt> {
        Ok(match keyword {
            ":name" => "(:name \"Shem\")".to_owned(),
            ":version" => format!("(:version \"{}\")", env!("CARGO_PKG_VERSION")),
            ":authors" => "(:authors \"the Shem developers\")".to_owned(),
            ":error-behavior" => "(:error-behavior immediate-exit)".to_owned(),
            ":assertion-stack-levels" => format!("(:assertion-stack-levels {})", self.levels.len()),
            ":reason-unknown" => match last {
                Last::Unknown(reason, _) => format!("(:reason-unknown {})", reason_text(*reason)),
                _ => return Err(out_of_place(span, "the answer to the last query was not unknown")),
            },
            ":all-statistics" => {
                let mut text = String::new();
                for (name, figure) in last.solver().statistics().iter() {
                    let separator = if text.is_empty() { "(" } else { "\n " };
                    let _ = write!(text, "{separator}:{name} {figure}");
                }
                text + ")"
            }
            _ => "unsupported".to_owned(),
        })
    }
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
