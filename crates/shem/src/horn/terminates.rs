//! Whether all runs of an input end: `YES`, `NO` or `MAYBE`, the words of the termination competition.
//!
//! An input in any language becomes linear clauses (`InputFormat::read_runs`); properties and clauses whose head is falsehood have
//! no part in its runs. The argument for an answer was judged on these clauses before the word is written.

use std::io::Write;
use std::sync::Arc;

use serde_json::json;
use shem_base::{StopToken, UnknownReason};
use shem_chc::{BuildError, System};
use shem_decide::terminates;
use shem_script::conversation::Halt;
use shem_script::diagnostic::Source;
use shem_term::Store;
use shem_termination::{Answer, Runs, argument, word};
use shem_vmt::{Property, Vmt};

use super::session::Session;
use super::vmt::describe;
use crate::format::InputFormat;

/// The work for either question about a live property, round by round.
const LIVE_WORK: [u64; 3] = [20_000_000, 200_000_000, 2_000_000_000];

impl Session<'_> {
    /// Reads a text in some language, and answers whether its runs end.
    pub(super) fn answer_runs(&mut self, format: &dyn InputFormat, source: Source<'_>) -> Result<(), Halt> {
        let mut store = Store::new();
        let token = self.begin_reading();
        let runs = format.read_runs(&mut store, source.text);
        if token.is_stopped() {
            return Err(self.stopped());
        }
        self.watchdog.end();
        let runs = runs.map_err(|error| self.talk.mistake(source, &error))?;
        self.answer_termination(&mut store, &runs)
    }

    /// Answers whether the runs of clauses end.
    pub(super) fn answer_termination(&mut self, store: &mut Store, runs: &Runs) -> Result<(), Halt> {
        let system = &runs.system;
        self.talk.asked = true;
        self.script.checks += 1;
        let token = self.watchdog.begin(self.talk.query_time());
        self.watchdog.set_engine("termination");
        let mut answer = terminates(store, runs, &token);
        let cause = self.watchdog.end();
        if let (Some(cause), Answer::Unknown(reason)) = (cause, &mut answer) {
            *reason = cause.to_string();
        } else if let Answer::Unknown(reason) = &mut answer
            && token.is_stopped()
        {
            *reason = UnknownReason::Stopped.to_string();
        }
        let text = if self.options.print_witness { argument(store, system, &answer) } else { String::new() };
        if self.options.json {
            let object = object_of(&answer, self.options.print_witness.then_some(&text));
            self.watchdog.keep(&object);
            self.record.answers.push(object);
        } else {
            write!(self.talk.out, "{}\n{text}", word(&answer))?;
        }
        self.talk.out.flush()?;
        let told = self.write_termination_report(store, system, &answer, None);
        write!(self.talk.err, "{told}")?;
        if let Answer::Unknown(reason) = &answer {
            writeln!(self.talk.err, "shem: maybe: {reason}")?;
        }
        Ok(())
    }
}

impl Session<'_> {
    /// Answers a live property of a system whose states may be infinitely many: it holds if the formula fails again and
    /// again on no run, which is a question whether runs end.
    pub(super) fn answer_live(
        &mut self,
        store: &mut Store,
        vmt: &Vmt,
        property: &Property,
        undecided: &str,
    ) -> Result<(), Halt> {
        let token = self.watchdog.begin(self.talk.query_time());
        self.watchdog.set_engine("termination");
        let found = failing_runs(store, vmt, property, &token);
        let cause = self.watchdog.end();
        let (system, answer) = found.map_err(|error| Halt::Failure(error.to_string()))?;
        let answered = match &answer {
            Answer::Terminates(_) => "sat",
            Answer::Runs(_) => "unsat",
            Answer::Unknown(reason) => {
                let reason = cause.map_or_else(|| reason.clone(), |cause| cause.to_string());
                return Ok(self.tell_undecided(property, &format!("{undecided} ({reason})"))?);
            }
        };
        let text = if self.options.print_witness { argument(store, &system, &answer) } else { String::new() };
        if self.options.json {
            let mut object = object_of(&answer, self.options.print_witness.then_some(&text));
            object["answer"] = answered.into();
            object["property"] = describe(property);
            self.watchdog.keep(&object);
            self.record.answers.push(object);
        } else {
            write!(self.talk.out, "{answered}\n{text}")?;
        }
        self.talk.out.flush()?;
        let part = format!("{} {}", property.kind.word(), property.index);
        let told = self.write_termination_report(store, &system, &answer, Some(&part));
        write!(self.talk.err, "{told}")?;
        if self.options.validate {
            writeln!(self.talk.err, "shem: checked: witness")?;
        }
        Ok(())
    }
}

/// Whether a formula fails again and again on some run, and the clauses on which the answer was judged. Clauses with any
/// pause between failures decide it; those with a fixed one are tried, too, since infinite runs are easier to find there.
fn failing_runs(
    store: &mut Store,
    vmt: &Vmt,
    property: &Property,
    token: &StopToken,
) -> Result<(Arc<System>, Answer), BuildError> {
    let (any, fixed) = (vmt.failing_runs(store, property, false)?, vmt.failing_runs(store, property, true)?);
    // The number of steps to the next failure changes, so that no step is lost as one that changes nothing.
    let all = |system: &Arc<System>| Runs { system: Arc::clone(system), complete: true };
    for work in LIVE_WORK {
        let answer = terminates(store, &all(&any), &StopToken::after_work(token, work));
        if !matches!(answer, Answer::Unknown(_)) {
            return Ok((any, answer));
        }
        let answer = terminates(store, &all(&fixed), &StopToken::after_work(token, work));
        if matches!(answer, Answer::Runs(_)) {
            return Ok((fixed, answer));
        }
        if token.is_stopped() {
            break;
        }
    }
    let reason = "neither a ranking function nor a recurrent set was found".to_owned();
    Ok((any, Answer::Unknown(reason)))
}

/// The answer as JSON, with the argument as text if it is wanted.
fn object_of(answer: &Answer, text: Option<&str>) -> serde_json::Value {
    let mut object = json!({ "answer": word(answer) });
    match answer {
        Answer::Unknown(reason) => object["reason"] = reason.as_str().into(),
        Answer::Terminates(_) | Answer::Runs(_) => {
            object["engine"] = "termination".into();
            object["checked"] = "witness".into();
            if let Some(text) = text {
                let kind = if matches!(answer, Answer::Runs(_)) { "recurrence" } else { "ranking" };
                object["witness"] = json!({ "kind": kind, "text": text });
            }
        }
    }
    object
}
