//! Answers to the commands that only ask.

use std::fmt::Write as _;

use shem_base::UnknownReason;
use shem_smt::Model;
use shem_term::smtlib::{Command, ErrorKind, NamedTerm, ReadError, Span, escape_string};
use shem_term::{Store, quote_symbol};

use super::interpreter::{Halt, Interpreter, Last};
use super::print::{write_definition, write_value};

/// The error for a command that makes no sense now.
pub(super) fn out_of_place(span: Span, message: impl Into<String>) -> Halt {
    ReadError::new(ErrorKind::Mode, span, message).into()
}

impl Interpreter<'_> {
    /// Answers a command that changes nothing.
    pub(super) fn respond(&mut self, command: Command<'_>, span: Span) -> Result<(), Halt> {
        let answer = match command {
            Command::GetModel => {
                self.need(span, "get-model", ":produce-models", self.script.produce_models)?;
                self.model_text(span)?
            }
            Command::GetValue(terms) => {
                self.need(span, "get-value", ":produce-models", self.script.produce_models)?;
                self.value_text(&terms, span)?
            }
            Command::GetUnsatCore => {
                self.need(span, "get-unsat-core", ":produce-unsat-cores", self.script.produce_unsat_cores)?;
                self.core_text(span)?
            }
            Command::GetUnsatAssumptions => {
                let on = self.script.produce_unsat_assumptions;
                self.need(span, "get-unsat-assumptions", ":produce-unsat-assumptions", on)?;
                self.assumptions_text(span)?
            }
            Command::GetInterpolants(groups) => {
                let on = self.script.produce_interpolants;
                self.need(span, "get-interpolants", ":produce-interpolants", on)?;
                self.interpolants_text(&groups, span)?
            }
            Command::GetElimination { formula, disjunct: false } => self.elimination_text(formula),
            Command::GetElimination { formula, disjunct: true } => self.disjunct_text(formula, span)?,
            Command::GetAssertions => {
                let on = self.script.produce_assertions;
                self.need(span, "get-assertions", ":produce-assertions", on)?;
                let texts = self.assertions.iter().filter_map(|assertion| assertion.text.as_deref());
                format!("({})", texts.collect::<Vec<_>>().join("\n "))
            }
            Command::GetInfo(keyword) => self.info_text(keyword, span)?,
            Command::GetOption(keyword) => {
                self.script.get(keyword).unwrap_or_else(|| "unsupported".to_owned())
            }
            Command::Echo(content) => {
                // Whoever echoes may be waiting for the mark.
                writeln!(self.out, "{}", escape_string(&content))?;
                return Ok(self.flush()?);
            }
            other => unreachable!("{other:?} has an effect"),
        };
        writeln!(self.out, "{answer}")?;
        Ok(())
    }

    /// Fails if the option that a command needs is off.
    fn need(&self, span: Span, command: &str, option: &str, on: bool) -> Result<(), Halt> {
        if on { Ok(()) } else { Err(out_of_place(span, format!("{command} needs the option {option}"))) }
    }

    /// The model of the last query, made if it is not there yet, with the store that its symbols are of.
    fn model(&mut self, span: Span) -> Result<(&Store, &Model), Halt> {
        match &mut self.last {
            Last::Sat { model } => {
                let solver = &mut self.solver;
                Ok((&self.store, model.get_or_insert_with(|| solver.model())))
            }
            _ => Err(out_of_place(span, "there is no model: the last command was not a satisfiable query")),
        }
    }

    fn model_text(&mut self, span: Span) -> Result<String, Halt> {
        let declarations = self.reader.declarations().to_vec();
        let (store, model) = self.model(span)?;
        let mut text = String::from("(\n");
        for declaration in declarations {
            // A query with an application of a predicate is never found satisfiable, so any value will do.
            let value = model.value_or_default(store, declaration.symbol);
            write_definition(&mut text, store, declaration.symbol, &value);
        }
        text.push(')');
        Ok(text)
    }

    fn value_text(&mut self, terms: &[NamedTerm<'_>], span: Span) -> Result<String, Halt> {
        let (store, model) = self.model(span)?;
        let assignment = model.completed(store);
        let mut text = String::from("(");
        for (position, &NamedTerm { term, text: written }) in terms.iter().enumerate() {
            let Some(value) = store.evaluate(term, &assignment) else {
                return Err(out_of_place(span, format!("the term {written} has no value in the model")));
            };
            text.push_str(if position == 0 { "(" } else { "\n (" });
            text.push_str(written);
            text.push(' ');
            write_value(&mut text, &value, store.sort(term));
            text.push(')');
        }
        text.push(')');
        Ok(text)
    }

    fn core_text(&self, span: Span) -> Result<String, Halt> {
        if !matches!(self.last, Last::Unsat { .. }) {
            return Err(out_of_place(
                span,
                "there is no core: the last command was not an unsatisfiable query",
            ));
        }
        let used = self.solver.used_assertions();
        let names = used.iter().filter_map(|&number| self.assertions[number as usize].name);
        let names: Vec<_> = names.map(|name| quote_symbol(self.reader.name(name))).collect();
        Ok(format!("({})", names.join(" ")))
    }

    fn assumptions_text(&self, span: Span) -> Result<String, Halt> {
        let Last::Unsat { assumptions: Some(assumptions) } = &self.last else {
            let message = "the last command was not an unsatisfiable query with assumptions";
            return Err(out_of_place(span, message));
        };
        let failed = self.solver.failed_assumptions();
        let texts = assumptions.iter().filter(|a| failed.contains(&a.term)).map(|a| &*a.text);
        Ok(format!("({})", texts.collect::<Vec<_>>().join(" ")))
    }

    fn info_text(&self, keyword: &str, span: Span) -> Result<String, Halt> {
        Ok(match keyword {
            ":name" => "(:name \"Shem\")".to_owned(),
            ":version" => format!("(:version \"{}\")", env!("CARGO_PKG_VERSION")),
            ":authors" => "(:authors \"the Shem developers\")".to_owned(),
            ":error-behavior" => "(:error-behavior immediate-exit)".to_owned(),
            ":assertion-stack-levels" => format!("(:assertion-stack-levels {})", self.levels.len()),
            ":reason-unknown" => match &self.last {
                Last::Unknown(reason) => format!("(:reason-unknown {})", reason_text(*reason)),
                _ => return Err(out_of_place(span, "the answer to the last query was not unknown")),
            },
            ":all-statistics" => {
                let mut text = String::new();
                for (name, figure) in self.solver.statistics().iter() {
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
