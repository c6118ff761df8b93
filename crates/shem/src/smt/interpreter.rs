//! The state of a script and what its commands do to it.
//!
//! The reader deals with names, the solver with formulas; the interpreter keeps the two in step, decides
//! which commands make sense when, and answers. An answer is written only after the checks that the caller
//! asked for have confirmed it. The first mistake ends the script.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use shem_base::{Budget, StopToken, UnknownReason};
use shem_decide::clock::{self, Scheduled};
use shem_smt::{Answer, Solver, SolverOptions};
use shem_term::smtlib::{Attribute, Command, ErrorKind, Lexer, Name, NamedTerm, ReadError, Reader, Span};
use shem_term::{Store, Term};

use super::declarations::Declarations;
use super::dump::Dump;
use super::judge;
use super::last::Last;
use super::logic::{Logic, LogicError};
use super::options::Options;
use super::respond::out_of_place;
use crate::channel::{self, Channel};
use crate::diagnostic::{Diagnostic, Source, fail, report, unwritable};
use crate::pieces::{Pieces, Unreadable};
use crate::script_info::ExpectedStatus;
use crate::script_options::ScriptOptions;
use crate::statistics::Grouped;

/// Output that is older than this is written out before a query is begun.
const STALE: Duration = Duration::from_millis(50);

/// Ends queries of a script from another thread. Clones belong to the same script.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    /// Of the query that runs, or of the next one.
    current: Arc<Mutex<StopToken>>,
}

impl Interrupt {
    /// Ends the query that runs, if one does: its answer is `unknown`. Later queries run as before.
    pub fn stop(&self) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *current).stop();
    }

    fn token(&self) -> StopToken {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

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
    /// The script cannot be read, or an answer of ours did not stand up to its check.
    Failure(String),
    /// The output cannot be written.
    Unwritable(io::Error),
    /// `(exit)`.
    Exit,
}

impl From<ReadError> for Halt {
    fn from(error: ReadError) -> Halt {
        Halt::Mistake(error)
    }
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Halt {
        Halt::Unwritable(error)
    }
}

/// An assertion that is in force.
#[derive(Clone, Debug)]
pub(super) struct Assertion {
    pub(super) formula: Term,
    pub(super) name: Option<Name>,
    /// The formula as written, if `:produce-assertions` or `:produce-proofs` is on.
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
    pub(super) out: Channel<'w>,
    pub(super) err: Channel<'w>,
    pub(super) store: Store,
    pub(super) reader: Reader,
    pub(super) script: ScriptOptions,
    pub(super) logic: Option<Logic>,
    /// By the number that the solver gave them.
    pub(super) assertions: Vec<Assertion>,
    /// How many assertions there were at each `push`.
    pub(super) levels: Vec<usize>,
    /// The declarations and definitions in force, as written.
    pub(super) declarations: Declarations,
    status: ExpectedStatus,
    dump: Option<Dump>,
    deadline: Option<Instant>,
    /// Ends the query that runs.
    interrupt: Interrupt,
    flushed: Instant,
    /// How many mistakes were passed over.
    mistakes: usize,
    /// Whether the script has asked for anything.
    asked: bool,
}

impl<'w> Interpreter<'w> {
    /// An interpreter at the start of a script. The time limit counts from now. All queries go to the dump.
    pub(super) fn new(
        options: Options,
        dump: Option<Dump>,
        interrupt: Interrupt,
        out: &'w mut dyn Write,
        err: &'w mut dyn Write,
    ) -> Interpreter<'w> {
        let now = Instant::now();
        Interpreter {
            deadline: options.run.time().and_then(|timeout| now.checked_add(timeout)),
            options,
            out: Channel::regular(out),
            err: Channel::diagnostic(err),
            store: Store::new(),
            reader: Reader::new(),
            script: ScriptOptions::default(),
            logic: None,
            assertions: Vec::new(),
            levels: Vec::new(),
            declarations: Declarations::default(),
            status: ExpectedStatus::default(),
            dump,
            interrupt,
            flushed: now,
            mistakes: 0,
            asked: false,
        }
    }

    /// Runs a script to its end.
    pub(super) fn run(mut self, pieces: &mut Pieces<'_>) -> Outcome {
        let mut solver = self.new_solver();
        let mut outcome = match self.run_pieces(&mut solver, pieces) {
            Ok(()) if !self.asked => {
                let name = pieces.current().name;
                let _ = writeln!(self.err, "shem: note: {name} asks for nothing: there is no check-sat");
                Outcome::Completed
            }
            Ok(()) | Err(Halt::Exit) => Outcome::Completed,
            Err(halt) => {
                if let Err(error) = self.report(&halt, pieces.current()) {
                    unwritable(&error, &mut self.err);
                }
                Outcome::Failed
            }
        };
        if self.options.run.statistics {
            let mut statistics = solver.statistics();
            statistics.set("terms", self.store.len() as u64);
            let _ = write!(self.err, "{}", Grouped(&statistics));
        }
        let dumped = self.dump.as_mut().is_none_or(|dump| dump.flush().is_ok());
        if !dumped {
            let _ = writeln!(self.err, "error: the queries could not be written");
        }
        let contradicted = self.options.run.check_status && self.status.contradictions > 0;
        if !dumped || contradicted || self.mistakes > 0 {
            outcome = Outcome::Failed;
        }
        if let Err(error) = self.out.flush() {
            if outcome == Outcome::Completed {
                unwritable(&error, &mut self.err);
            }
            outcome = Outcome::Failed;
        }
        let _ = self.err.flush();
        outcome
    }

    fn new_solver(&mut self) -> Solver {
        let mut solver = Solver::new(SolverOptions::default());
        if let Some(dump) = &mut self.dump {
            dump.attach(&mut solver);
        }
        solver
    }

    fn run_pieces(&mut self, solver: &mut Solver, pieces: &mut Pieces<'_>) -> Result<(), Halt> {
        let mut last = Last::None(solver);
        while let Some(source) = pieces.next().map_err(|unreadable| match unreadable {
            Unreadable::Input(message) => Halt::Failure(message),
            Unreadable::Text(_, error) => Halt::Mistake(error),
        })? {
            let mut lexer = Lexer::new(source.text)?;
            loop {
                let start = lexer.clone();
                let (command, span) = match self.reader.next_command(&mut lexer, &mut self.store) {
                    Ok(None) => break,
                    Ok(Some(found)) => found,
                    Err(error) => {
                        self.pass_over(error.into(), source)?;
                        lexer = start;
                        if lexer.skip_command().is_none() {
                            break;
                        }
                        continue;
                    }
                };
                let effect = match command {
                    Command::CheckSat | Command::CheckSatAssuming(_) => {
                        let assumptions = match &command {
                            Command::CheckSatAssuming(assumptions) => Some(&assumptions[..]),
                            _ => None,
                        };
                        last = match self.check(solver, assumptions, source, span)? {
                            Answer::Sat(solution) => Last::Sat { solution, model: None },
                            Answer::Unsat(refutation) => {
                                let texts =
                                    |list: &[NamedTerm<'_>]| list.iter().map(|a| a.text.into()).collect();
                                Last::Unsat { refutation, assumptions: assumptions.map(texts), gave_up: None }
                            }
                            Answer::Unknown(reason) => Last::Unknown(reason, solver),
                        };
                        Effect::Answered
                    }
                    Command::Assert { .. }
                    | Command::Push(_)
                    | Command::Pop(_)
                    | Command::Declare(_)
                    | Command::Define(_)
                    | Command::Reset
                    | Command::ResetAssertions => {
                        if matches!(command, Command::Define(_)) {
                            self.dump_sorts(&source.text[span.range()]);
                        }
                        if matches!(command, Command::Declare(_) | Command::Define(_)) {
                            self.declarations.add(&source.text[span.range()]);
                        }
                        self.change(solver, command);
                        last = Last::None(solver);
                        Effect::Done
                    }
                    command => match self.respond(&mut last, command, span) {
                        Ok(effect) => effect,
                        Err(halt) => {
                            self.pass_over(halt, source)?;
                            Effect::Answered
                        }
                    },
                };
                self.asked |= !matches!(effect, Effect::Done);
                match effect {
                    Effect::Done if self.script.print_success => writeln!(self.out, "success")?,
                    Effect::GaveUp(reason) => last = Last::Unknown(reason, solver),
                    Effect::Done | Effect::Answered => {}
                }
            }
            self.out.flush()?;
        }
        Ok(())
    }

    /// Goes on after a mistake, if that is wanted.
    fn pass_over(&mut self, halt: Halt, source: Source<'_>) -> Result<(), Halt> {
        if !self.options.run.continued_execution || !matches!(halt, Halt::Mistake(_)) {
            return Err(halt);
        }
        self.mistakes += 1;
        self.asked = true;
        Ok(self.report(&halt, source)?)
    }

    /// Puts a definition of sorts into the dump, in the words of the script.
    fn dump_sorts(&mut self, command: &str) {
        let word = command.trim_start_matches('(').split_whitespace().next().unwrap_or_default();
        if let Some(dump) = &mut self.dump
            && matches!(word, "declare-sort" | "define-sort" | "declare-datatype" | "declare-datatypes")
        {
            dump.declare_sorts(command);
        }
    }

    /// Runs a command that changes the assertions or the names.
    fn change(&mut self, solver: &mut Solver, command: Command<'_>) {
        match command {
            Command::Assert { formula, name, text } => {
                let formula = self.decidable(formula, true);
                let number = solver.assert(&mut self.store, formula);
                debug_assert_eq!(number as usize, self.assertions.len());
                let text =
                    (self.script.produce_assertions || self.script.produce_proofs).then(|| text.into());
                self.assertions.push(Assertion { formula, name, text });
            }
            Command::Push(count) => {
                for _ in 0..count {
                    solver.push();
                    self.levels.push(self.assertions.len());
                    self.declarations.push();
                }
            }
            Command::Pop(count) => {
                for _ in 0..count {
                    solver.pop();
                    let kept = self.levels.pop().unwrap_or(0);
                    self.assertions.truncate(kept);
                    self.declarations.pop(self.script.global_declarations);
                }
            }
            Command::Declare(_) | Command::Define(_) => {}
            Command::Reset => {
                self.forget_assertions(solver, true);
                let _ = self.out.turn("stdout").and_then(|()| self.err.turn("stderr"));
                self.store = Store::new();
                self.script = ScriptOptions::default();
                self.logic = None;
                self.status.expect(None);
            }
            Command::ResetAssertions => self.forget_assertions(solver, !self.script.global_declarations),
            other => unreachable!("{other:?} changes nothing"),
        }
    }

    fn forget_assertions(&mut self, solver: &mut Solver, and_sorts: bool) {
        if and_sorts && let Some(dump) = &mut self.dump {
            dump.forget_sorts();
        }
        *solver = self.new_solver();
        self.assertions.clear();
        self.levels.clear();
        self.declarations.clear(and_sorts);
    }

    /// Takes note of what the script says about itself.
    pub(super) fn set_info(&mut self, attribute: &Attribute<'_>) -> Effect {
        if attribute.keyword == ":status" {
            self.status.expect(Some(attribute.value));
        }
        Effect::Done
    }

    pub(super) fn set_logic(&mut self, name: &str, span: Span) -> Result<Effect, Halt> {
        let refused = |error: LogicError| ReadError::new(ErrorKind::Unsupported, span, error.to_string());
        let logic = Logic::from_name(name).map_err(refused)?;
        if let Some(before) = &self.logic {
            return Err(out_of_place(span, format!("the logic is set to {} already", before.name())));
        }
        self.reader.set_numerals_are_real(logic.reals_only());
        self.logic = Some(logic);
        Ok(Effect::Done)
    }

    pub(super) fn set_option(&mut self, attribute: &Attribute<'_>, span: Span) -> Result<Effect, Halt> {
        let keyword = attribute.keyword;
        let early = matches!(keyword, ":produce-assertions" | ":global-declarations");
        if early && !(self.assertions.is_empty() && self.levels.is_empty()) {
            let message = format!("the option {keyword} is set after the first assertion or push");
            return Err(out_of_place(span, message));
        }
        if let Some(turned) = channel::turn(&mut self.out, &mut self.err, keyword, attribute.value) {
            turned.map_err(|message| out_of_place(attribute.span, message))?;
            return Ok(Effect::Done);
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
        let (mut budget, deadline) = self.budget();
        let mut answer = solver.check_assuming(&mut self.store, &terms, &mut budget);
        drop(deadline);
        self.judge(&mut answer, &terms)?;
        let word = answer.to_string();
        writeln!(self.out, "{word}")?;
        self.status.compare(&word, source, span, &mut self.err)?;
        Ok(answer)
    }

    /// The effort that the next query may take. It has a deadline for as long as the second value lives.
    pub(super) fn budget(&self) -> (Budget, Option<Scheduled>) {
        let options = &self.options;
        let query_time = self.script.query_timeout().or(self.options.run.check_time);
        let query_end = query_time.and_then(|timeout| Instant::now().checked_add(timeout));
        let deadline = [self.deadline, query_end].into_iter().flatten().min();
        let outer = self.interrupt.token();
        let time = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let (stop, scheduled) = match time.map(|time| clock::stop_after(&outer, time)) {
            Some((token, scheduled)) => (token, Some(scheduled)),
            None => (outer, None),
        };
        let own = Some(self.script.resource_limit).filter(|&limit| limit > 0);
        let budget = Budget {
            conflicts: options.conflict_limit.into_iter().chain(own).min().unwrap_or(u64::MAX),
            pivots: options.pivot_limit.unwrap_or(u64::MAX),
            splits: options.split_limit.unwrap_or(u64::MAX),
            ..Budget::until(stop)
        };
        (budget, scheduled)
    }

    /// The checks of the answer that the options ask for.
    fn judge(&mut self, answer: &mut Answer<'_>, assumptions: &[Term]) -> Result<(), Halt> {
        match answer {
            Answer::Sat(solution) if self.options.check_models => {
                let model = solution.model();
                let formulas = self.assertions.iter().map(|assertion| assertion.formula);
                judge::check_model(&self.store, &model, formulas.chain(assumptions.iter().copied()))
                    .map_err(Halt::Failure)
            }
            Answer::Unsat(refutation) if self.options.check_cores => {
                let used = refutation.used_assertions();
                let core = used.iter().map(|&number| self.assertions[number as usize].formula);
                let core: Vec<Term> = core.chain(refutation.failed_assumptions()).collect();
                judge::check_core(&mut self.store, &core).map_err(Halt::Failure)
            }
            _ => Ok(()),
        }
    }

    /// Writes out what was buffered for long, since the next query may take long.
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
            Halt::Exit => Ok(()),
            Halt::Unwritable(error) => {
                unwritable(error, &mut self.err);
                Ok(())
            }
            Halt::Mistake(error) => report(&Diagnostic { source, error }, &mut self.out, &mut self.err),
            Halt::Failure(message) => {
                fail(message, &mut self.out, &mut self.err);
                Ok(())
            }
        }
    }
}
