//! A check of a script: how it is decided, and how the answer is told.

use std::io::{self, Write};
use std::sync::Arc;

use shem_chc::System;
use shem_decide::{Answer, Checked, Engines, Launch, SolveOptions, Verdict, allocator, decide, this_program};
use shem_report::Timeline;
use shem_script::conversation::Halt;
use shem_script::diagnostic::Source;
use shem_term::smtlib::{Lexer, Span, TokenKind};

use super::json;
use super::listener::Listener;
use super::session::{LastCheck, Session, is_unwanted};
use super::unknown::explanation;
use crate::dialect::Dialect;

impl Session<'_> {
    /// Decides a system and answers. What follows in the script says whether a witness is wanted.
    pub(super) fn check(
        &mut self,
        system: &Arc<System>,
        (span, query): (Span, bool),
        rest: &Lexer<'_>,
        source: Source<'_>,
    ) -> Result<(), Halt> {
        self.talk.out.flush()?;
        let options = self.solve_options(self.wants_witness(rest));
        let answer = self.decide(system, &options, self.script.text.len())?;
        let word = answer.verdict.word();
        self.tell(system, answer, query)?;
        Ok(self.talk.status.compare(word, source, span, &mut self.talk.err)?)
    }

    /// Decides a system that stands at this place of the script's text.
    pub(super) fn decide(
        &mut self,
        system: &Arc<System>,
        options: &SolveOptions,
        read: usize,
    ) -> Result<Answer, Halt> {
        let launch = self.launch(options, read);
        let token = self.watchdog.begin(self.talk.query_time());
        let request = shem_decide::Request { system, options, launch: Some(&launch) };
        self.watchdog.set_engine("preprocessing");
        let queries = self.record.queries.as_mut();
        self.record.timeline = self.options.report.is_some().then(Timeline::new);
        self.record.pruned = false;
        let timeline = self.record.timeline.as_mut();
        let mut listener = Listener { watchdog: &self.watchdog, queries, err: &mut self.talk.err, timeline };
        let result = decide(&mut self.store, &request, &token, &mut listener);
        let cause = self.watchdog.end();
        if let Some(timeline) = &mut self.record.timeline {
            timeline.finish();
        }
        let mut answer = result.map_err(|fault| self.withhold(&fault))?;
        if let Some(cause) = cause {
            answer.verdict.blame(cause);
        }
        Ok(answer)
    }

    /// Whether the options, or what stands in the script before its next check, ask for a witness.
    fn wants_witness(&self, rest: &Lexer<'_>) -> bool {
        let options = self.options;
        let printed = options.print_witness
            || options.print_model
            || options.print_certificate.is_some()
            || options.report.is_some();
        if printed {
            return true;
        }
        // Who talks to the solver and says that it wants models will ask for them.
        let announced = || self.script.conversation && self.talk.script.announces_witness();
        options.compute_witness.unwrap_or_else(|| asks_for_witness(rest.clone()) || announced())
    }

    /// How to decide a check.
    pub(super) fn solve_options(&self, witness: bool) -> SolveOptions {
        let (checking, cores) = (self.options.checking(), self.options.jobs());
        let left = self.options.run.time().map(|time| time.saturating_sub(self.watchdog.elapsed()));
        let time_limit = left.into_iter().chain(self.talk.query_time()).min();
        SolveOptions { witness, checking, cores, time_limit, ..self.options.solve.clone() }
    }

    /// Finds the witness of the last check after all, if its verdict is wanted and nobody could know before that its
    /// witness would be asked for.
    pub(super) fn complete_witness(&mut self, wanted: fn(&Verdict) -> bool) -> Result<(), Halt> {
        let last = self.last.as_ref().filter(|last| wanted(&last.verdict) && is_unwanted(&last.verdict));
        let Some((system, read)) = last.map(|last| (Arc::clone(&last.system), last.read)) else {
            return Ok(());
        };
        let answer = self.decide(&system, &self.solve_options(true), read)?;
        if let Some(last) = self.last.as_mut().filter(|_| wanted(&answer.verdict)) {
            last.verdict = answer.verdict;
        }
        Ok(())
    }

    /// How workers are started, for a check at this place of the script's text. One engine runs in this process, so that
    /// nothing is asked of the system for it.
    fn launch(&self, solve: &SolveOptions, read: usize) -> Launch {
        let options = self.options;
        let several = solve.engines != Engines::One || solve.division.is_some();
        let there = || usize::try_from(shem_decide::memory()?).ok();
        let memory = options.run.memory.or_else(|| if several { there() } else { None });
        Launch {
            program: this_program(),
            text: if read < self.script.text.len() {
                Arc::new(self.script.text[..read].into())
            } else {
                Arc::clone(&self.script.text)
            },
            check: self.script.checks,
            words: options.engine_words.clone(),
            jobs: if several { options.jobs() } else { 1 },
            memory: memory.map(|all| all.saturating_sub(allocator::used())),
            memory_limit: options.run.memory,
            queries: options.run.dump_queries.clone(),
        }
    }

    /// What is to be told of an answer beside it.
    pub(super) fn comments(&self, answer: &Answer) -> String {
        let Answer { verdict, checked, .. } = answer;
        let options = self.options;
        let mut comments = match (verdict, verdict.missing()) {
            (Verdict::Unknown(reason), _) => {
                return explanation(reason, &answer.statistics, options.verbosity);
            }
            (_, Some(_)) if *checked == Checked::Nothing && options.trust => String::new(),
            (_, Some(reason)) if *checked == Checked::Nothing => {
                format!("shem: {} was not checked: {reason}\n", verdict.word())
            }
            (_, Some(reason)) => format!("no witness: {reason}\n"),
            _ => String::new(),
        };
        if options.validate {
            comments += &format!("shem: checked: {checked}\n");
        }
        comments
    }

    /// Writes an answer: the verdict and the witness on the output, what else there is to know on standard error.
    fn tell(&mut self, system: &Arc<System>, mut answer: Answer, query: bool) -> io::Result<()> {
        let options = self.options;
        let Answer { shape_read, shape, engine, checked, .. } = &answer;
        log::info!("as read: {shape_read}; preprocessed: {shape}; decided by {engine}");
        let comments = self.comments(&answer);
        self.record.statistics.merge_prefixed("", &answer.statistics);
        self.record.statistics.add(&format!("checked.{checked}"), 1);
        if options.json {
            if options.print_witness {
                let figures = self.prune(system, &mut answer.verdict);
                answer.statistics.merge_prefixed("", &figures);
            }
            answer.statistics.set("time.read", self.reading_time());
            answer.statistics.set("time.total", self.watchdog.elapsed().as_secs_f64());
            let text = Arc::clone(&self.script.text);
            let lines = self.script.clause_lines(system);
            let form = options.print_witness.then(|| self.form(&text, &lines));
            let object = json::check(&mut self.store, system, &answer, form);
            self.watchdog.keep(&object);
            self.record.answers.push(object);
        } else {
            let word = match (&answer.verdict, query && options.dialect == Dialect::Z3) {
                (Verdict::Sat(_), true) => "unsat",
                (Verdict::Unsat(_), true) => "sat",
                (verdict, _) => verdict.word(),
            };
            writeln!(self.talk.out, "{word}")?;
        }
        let comments = comments + &self.write_report(system, &mut answer, None);
        let (system, read) = (Arc::clone(system), self.script.text.len());
        self.last = Some(LastCheck { system, verdict: answer.verdict, read, printed: options.json });
        if options.print_witness {
            self.print_witness(|_| true)?;
        } else if options.print_model {
            self.print_witness(|verdict| matches!(verdict, Verdict::Sat(_)))?;
        }
        self.talk.out.flush()?;
        write!(self.talk.err, "{comments}")?;
        self.write_certificate()
    }
}

/// Whether a model or a proof is asked for before the next check.
fn asks_for_witness(mut rest: Lexer<'_>) -> bool {
    let mut depth = 0_usize;
    loop {
        let token = rest.next_token();
        match token.kind {
            TokenKind::End => return false,
            TokenKind::Close => depth = depth.saturating_sub(1),
            TokenKind::Open => {
                depth += 1;
                let word = rest.peek();
                if depth > 1 || word.kind != TokenKind::Symbol {
                    continue;
                }
                match rest.slice(word.span()) {
                    "get-model" | "get-proof" => return true,
                    "check-sat" | "check-sat-assuming" | "query" | "exit" => return false,
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_question_is_found() {
        for (text, expected) in [
            ("", false),
            ("(get-model)", true),
            ("(echo \"(get-model)\") ; (get-model)\n(get-proof)", true),
            ("(check-sat) (get-model)", false),
            ("(assert (get-model)) (query p)(get-model)", false),
            ("(exit)(get-model)", false),
            (") (get-model", true),
        ] {
            assert_eq!(asks_for_witness(Lexer::new(text).expect("a short text")), expected, "{text}");
        }
    }
}
