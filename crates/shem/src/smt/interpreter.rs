//! The state of a script and what its commands do to it.
//!
//! The reader deals with names, the solver with formulas; the interpreter keeps the two in step, decides
//! which commands make sense when, and answers. An answer is written only after the checks that the caller
//! asked for have confirmed it. The first mistake ends the script.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use shem_base::{Budget, StopToken, UnknownReason};
use shem_decide::clock::{self, Scheduled};
use shem_smt::{Answer, Refutation, Solver, SolverOptions, Status};
use shem_term::smtlib::{
    Attribute, Command, ErrorKind, Lexer, Name, NamedTerm, ReadError, Reader, Span, escape_string,
};
use shem_term::{Store, Term};

use super::dump::Dump;
use super::input::Pieces;
use super::judge;
use super::last::{Assumption, Last};
use super::logic::Logic;
use super::options::Options;
use super::script_options::ScriptOptions;
use crate::diagnostic::{Diagnostic, Source, report};

/// Output that is older than this is written out before a query is begun.
const STALE: Duration = Duration::from_millis(50);

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The script ran to its end or to `(exit)`.
    Completed,
    /// There was a mistake in the script, a check failed, or the output could not be written.
    Failed,
}

/// What ends a script early.
pub(super) enum Halt {
    /// A mistake in the script.
    Mistake(ReadError),
    /// An answer of ours did not stand up to its check.
    Refuted(String),
    /// The output is gone; nobody is left to be told why.
    Unwritable,
    /// `(exit)`.
    Exit,
}

impl From<ReadError> for Halt {
    fn from(error: ReadError) -> Halt {
        Halt::Mistake(error)
    }
}

impl From<io::Error> for Halt {
    fn from(_: io::Error) -> Halt {
        Halt::Unwritable
    }
}

/// An assertion that is in force.
#[derive(Clone, Debug)]
pub(super) struct Assertion {
    pub(super) formula: Term,
    pub(super) name: Option<Name>,
    /// The formula as written, if `:produce-assertions` is on.
    pub(super) text: Option<Box<str>>,
}

/// What a command did.
pub(super) enum Effect {
    /// Something that has no answer of its own, so that `success` is one.
    Done,
    /// It was answered.
    Answered,
    /// It was answered with `unknown`.
    GaveUp(UnknownReason),
}

/// An interpreter of one script. Its answers go to one writer, what people should know to another.
pub(super) struct Interpreter<'w> {
    pub(super) options: Options,
    pub(super) out: &'w mut dyn Write,
    err: &'w mut dyn Write,
    pub(super) store: Store,
    pub(super) reader: Reader,
    pub(super) script: ScriptOptions,
    logic: Option<Logic>,
    /// By the number that the solver gave them.
    pub(super) assertions: Vec<Assertion>,
    /// How many assertions there were at each `push`.
    pub(super) levels: Vec<usize>,
    /// The answer that the script expects of the next query.
    expected: Option<Expected>,
    unexpected_answers: usize,
    dump: Option<Dump>,
    /// The deadline of the query that runs.
    pub(super) alarm: Option<Scheduled>,
    deadline: Option<Instant>,
    idle: StopToken,
    flushed: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Sat,
    Unsat,
}

impl<'w> Interpreter<'w> {
    /// An interpreter at the start of a script. The time limit counts from now.
    pub(super) fn new(options: Options, out: &'w mut dyn Write, err: &'w mut dyn Write) -> Interpreter<'w> {
        let now = Instant::now();
        let mut reader = Reader::new();
        // The solver knows linear arithmetic only.
        reader.set_arithmetic_only(true);
        Interpreter {
            deadline: options.timeout.and_then(|timeout| now.checked_add(timeout)),
            options,
            out,
            err,
            store: Store::new(),
            reader,
            script: ScriptOptions::default(),
            logic: None,
            assertions: Vec::new(),
            levels: Vec::new(),
            expected: None,
            unexpected_answers: 0,
            dump: None,
            alarm: None,
            idle: StopToken::new(),
            flushed: now,
        }
    }

    /// Writes every query that the solver answers to `out`, as a script.
    pub(super) fn dump_queries(&mut self, out: Box<dyn Write + Send>) {
        self.dump = Some(Dump::new(out));
    }

    /// Runs a script to its end.
    pub(super) fn run(mut self, pieces: &mut dyn Pieces) -> Outcome {
        let mut solver = Solver::new(SolverOptions::default());
        if let Some(dump) = &mut self.dump {
            dump.attach(&mut solver);
        }
        let outcome = self.run_pieces(&mut solver, pieces);
        self.finish(&solver, outcome)
    }

    fn run_pieces(&mut self, solver: &mut Solver, pieces: &mut dyn Pieces) -> Outcome {
        let mut last = Last::None(solver);
        loop {
            let source = match pieces.next() {
                Ok(Some(source)) => source,
                Ok(None) => return Outcome::Completed,
                Err(message) => {
                    self.fail(&message);
                    return Outcome::Failed;
                }
            };
            let mut lexer = match Lexer::new(source.text) {
                Ok(lexer) => lexer,
                Err(error) => return self.end(Halt::Mistake(error), source),
            };
            loop {
                let (command, span) = match self.reader.next_command(&mut lexer, &mut self.store) {
                    Ok(Some(next)) => next,
                    Ok(None) => break,
                    Err(error) => return self.end(Halt::Mistake(error), source),
                };
                let effect = match command {
                    Command::CheckSat | Command::CheckSatAssuming(_) => {
                        let assumptions = match &command {
                            Command::CheckSatAssuming(assumptions) => Some(&assumptions[..]),
                            _ => None,
                        };
                        match self.check(solver, assumptions, source, span) {
                            Ok(Answer::Sat(solution)) => last = Last::Sat { solution, model: None },
                            Ok(Answer::Unsat(refutation)) => {
                                let assumptions = assumptions.map(|list| keep(&refutation, list));
                                last = Last::Unsat { refutation, assumptions };
                            }
                            Ok(Answer::Unknown(reason)) => last = Last::Unknown(reason, solver),
                            Err(halt) => return self.end(halt, source),
                        }
                        Ok(Effect::Answered)
                    }
                    Command::Assert { .. }
                    | Command::Push(_)
                    | Command::Pop(_)
                    | Command::Declare(_)
                    | Command::Define(_)
                    | Command::Reset
                    | Command::ResetAssertions => {
                        self.change(solver, command);
                        last = Last::None(solver);
                        Ok(Effect::Done)
                    }
                    command => self.respond(&mut last, command, span),
                };
                let written = match effect {
                    Ok(Effect::Done) if self.script.print_success => writeln!(self.out, "success"),
                    Ok(Effect::GaveUp(reason)) => {
                        last = Last::Unknown(reason, solver);
                        Ok(())
                    }
                    Ok(Effect::Done | Effect::Answered) => Ok(()),
                    Err(halt) => return self.end(halt, source),
                };
                if written.is_err() {
                    return Outcome::Failed;
                }
            }
            if self.flush().is_err() {
                return Outcome::Failed;
            }
        }
    }

    /// Reports what ended the script early.
    fn end(&mut self, halt: Halt, source: Source<'_>) -> Outcome {
        let reported = self.report(&halt, source).is_ok();
        if reported && matches!(halt, Halt::Exit) { Outcome::Completed } else { Outcome::Failed }
    }

    /// Writes what is left to write; the outcome, given that of the commands.
    fn finish(mut self, solver: &Solver, mut outcome: Outcome) -> Outcome {
        if self.options.statistics {
            let mut statistics = solver.statistics();
            statistics.set("terms", self.store.len() as u64);
            let _ = write!(self.err, "{statistics}");
        }
        let dumped = self.dump.as_mut().is_none_or(|dump| dump.flush().is_ok());
        if !dumped {
            let _ = writeln!(self.err, "error: the queries could not be written");
        }
        if !dumped || self.out.flush().is_err() || (self.options.check_status && self.unexpected_answers > 0)
        {
            outcome = Outcome::Failed;
        }
        outcome
    }

    /// Writes out what is buffered.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Tells of a failure that has no place in the script.
    pub(super) fn fail(&mut self, message: &str) {
        let _ = writeln!(self.out, "(error {})", escape_string(message));
        let _ = writeln!(self.err, "error: {message}");
    }

    /// Runs a command that changes the assertions or the names.
    fn change(&mut self, solver: &mut Solver, command: Command<'_>) {
        match command {
            Command::Assert { formula, name, text } => {
                let formula = self.decidable(formula, true);
                let number = solver.assert(&mut self.store, formula);
                debug_assert_eq!(number as usize, self.assertions.len());
                let text = self.script.produce_assertions.then(|| text.into());
                self.assertions.push(Assertion { formula, name, text });
            }
            Command::Push(count) => {
                for _ in 0..count {
                    solver.push();
                    self.levels.push(self.assertions.len());
                }
            }
            Command::Pop(count) => {
                for _ in 0..count {
                    solver.pop();
                    let kept = self.levels.pop().unwrap_or(0);
                    self.assertions.truncate(kept);
                }
            }
            Command::Declare(_) | Command::Define(_) => {}
            Command::Reset => {
                self.forget_assertions(solver);
                self.store = Store::new();
                self.script = ScriptOptions::default();
                self.logic = None;
                self.expected = None;
            }
            Command::ResetAssertions => self.forget_assertions(solver),
            other => unreachable!("{other:?} changes nothing"),
        }
    }

    fn forget_assertions(&mut self, solver: &mut Solver) {
        *solver = Solver::new(SolverOptions::default());
        if let Some(dump) = &mut self.dump {
            dump.attach(solver);
        }
        self.assertions.clear();
        self.levels.clear();
    }

    /// Sets what the script says about itself.
    pub(super) fn set_info(&mut self, attribute: &Attribute<'_>) {
        if attribute.keyword == ":status" {
            self.expected = match attribute.value {
                "sat" => Some(Expected::Sat),
                "unsat" => Some(Expected::Unsat),
                _ => None,
            };
        }
    }

    pub(super) fn set_logic(&mut self, name: &str, span: Span) -> Result<(), ReadError> {
        let Some(logic) = Logic::from_name(name) else {
            let known: Vec<&str> = Logic::names().collect();
            let message = format!("the logic {name} is not supported (known are {})", known.join(", "));
            return Err(ReadError::new(ErrorKind::Unsupported, span, message));
        };
        if let Some(before) = self.logic {
            let message = format!("the logic is set to {} already", before.name);
            return Err(ReadError::new(ErrorKind::Mode, span, message));
        }
        self.logic = Some(logic);
        self.reader.set_numerals_are_real(logic.reals_only);
        Ok(())
    }

    pub(super) fn set_option(&mut self, attribute: &Attribute<'_>, span: Span) -> Result<Effect, Halt> {
        let produces =
            attribute.keyword == ":produce-assertions" || attribute.keyword == ":global-declarations";
        if produces && !(self.assertions.is_empty() && self.levels.is_empty()) {
            let message =
                format!("the option {} is set after the first assertion or push", attribute.keyword);
            return Err(ReadError::new(ErrorKind::Mode, span, message).into());
        }
        if !self.script.set(attribute)? {
            writeln!(self.out, "unsupported")?;
            return Ok(Effect::Answered);
        }
        self.reader.set_global_declarations(self.script.global_declarations);
        Ok(Effect::Done)
    }

    /// Decides the assertions, together with the assumptions if there are any, and answers.
    fn check<'s>(
        &mut self,
        solver: &'s mut Solver,
        assumptions: Option<&[NamedTerm<'_>]>,
        source: Source<'_>,
        span: Span,
    ) -> Result<Answer<'s>, Halt> {
        self.flush_stale()?;
        let terms: Vec<Term> =
            assumptions.unwrap_or_default().iter().map(|a| self.decidable(a.term, false)).collect();
        let mut budget = self.budget();
        let mut answer = solver.check_assuming(&mut self.store, &terms, &mut budget);
        self.alarm = None;
        self.judge(&mut answer, &terms)?;
        writeln!(self.out, "{answer}")?;
        self.compare(answer.status(), source, span)?;
        Ok(answer)
    }

    /// Whether the logic, if one is set, has quantifiers.
    pub(super) fn allows_quantifiers(&self) -> bool {
        self.logic.is_none_or(|logic| !logic.name.starts_with("QF_"))
    }

    /// The effort that the next query may take.
    pub(super) fn budget(&mut self) -> Budget {
        let limits = self.options.limits;
        let query_end = self.script.query_timeout().and_then(|timeout| Instant::now().checked_add(timeout));
        let deadline = [self.deadline, query_end].into_iter().flatten().min();
        let stop = match deadline {
            Some(deadline) => {
                let (token, scheduled) = clock::stop_at(deadline);
                self.alarm = Some(scheduled);
                token
            }
            None => self.idle.clone(),
        };
        let resource_limit = match self.script.resource_limit {
            0 => u64::MAX,
            limit => limit,
        };
        Budget {
            conflicts: limits.conflicts.min(resource_limit),
            pivots: limits.pivots,
            splits: limits.splits,
            ..Budget::until(stop)
        }
    }

    /// The checks of the answer that the options ask for.
    fn judge(&mut self, answer: &mut Answer<'_>, assumptions: &[Term]) -> Result<(), Halt> {
        match answer {
            Answer::Sat(solution) if self.options.check_models => {
                let model = solution.model();
                let formulas = self.assertions.iter().map(|assertion| assertion.formula);
                judge::check_model(&self.store, &model, formulas.chain(assumptions.iter().copied()))
                    .map_err(Halt::Refuted)
            }
            Answer::Unsat(refutation) if self.options.check_cores => {
                let used = refutation.used_assertions();
                let core = used.iter().map(|&number| self.assertions[number as usize].formula);
                let core: Vec<Term> = core.chain(refutation.failed_assumptions()).collect();
                judge::check_core(&mut self.store, &core).map_err(Halt::Refuted)
            }
            _ => Ok(()),
        }
    }

    /// Compares the answer with the status that the script gave.
    fn compare(&mut self, answer: Status, source: Source<'_>, span: Span) -> io::Result<()> {
        let status = match (self.expected.take(), answer) {
            (Some(Expected::Sat), Status::Unsat) => "sat",
            (Some(Expected::Unsat), Status::Sat) => "unsat",
            _ => return Ok(()),
        };
        self.unexpected_answers += 1;
        let place = source.locate(span.start);
        let (name, line, column) = (source.name, place.line, place.column);
        writeln!(self.err, "{name}:{line}:{column}: warning: the answer is {answer}, the status is {status}")
    }

    /// Writes out what has been waiting for long, since the next query may take its time.
    fn flush_stale(&mut self) -> io::Result<()> {
        let now = Instant::now();
        if now.duration_since(self.flushed) >= STALE {
            self.out.flush()?;
            self.flushed = now;
        }
        Ok(())
    }

    /// Tells of what ended the script: machines on the one writer, people on the other.
    fn report(&mut self, halt: &Halt, source: Source<'_>) -> io::Result<()> {
        match halt {
            Halt::Exit | Halt::Unwritable => Ok(()),
            Halt::Mistake(error) => report(&Diagnostic { source, error }, self.out, self.err),
            Halt::Refuted(message) => {
                writeln!(self.out, "(error {})", escape_string(message))?;
                self.out.flush()?;
                writeln!(self.err, "{}: error: {message}", source.name)
            }
        }
    }
}

/// The assumptions of a query, with their texts.
fn keep(refutation: &Refutation<'_>, list: &[NamedTerm<'_>]) -> Vec<Assumption> {
    let texts = list.iter().map(|assumption| assumption.text.into());
    refutation.assumptions().zip(texts).map(|(term, text)| Assumption { term, text }).collect()
}
