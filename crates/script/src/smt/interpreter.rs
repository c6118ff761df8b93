//! The state of a script and what its commands do to it.
//!
//! The reader deals with names, the solver with formulas; the interpreter keeps the two in step, decides
//! which commands make sense when, and answers. An answer is written only after the checks that the caller
//! asked for have confirmed it. The first mistake ends the script.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use shem_base::{Budget, UnknownReason};
use shem_smt::arith::ArithOptions;
use shem_smt::{Answer, BitOptions, Model, Solver, SolverOptions};
use shem_term::smtlib::{Command, ErrorKind, Lexer, Name, NamedTerm, ReadError, Reader, Span};
use shem_term::{Store, Term};

use super::declarations::Declarations;
use super::dump::Dump;
use super::judge;
use super::last::Last;
use super::limits::{Interrupt, Limits, QueryLimits};
use super::logic::{Logic, LogicError};
use super::options::Options;
use super::parts::Cost;
use super::respond::out_of_place;
use super::solved::SolvedVariables;
use crate::conversation::{AnswerForm, BackEnd, Common, Conversation, Halt, Reply, converse};
use crate::diagnostic::{FAILURE, Source};
use crate::pieces::Pieces;
use crate::statistics::Grouped;

/// Output that is older than this is written out before a query is begun.
const STALE: Duration = Duration::from_millis(50);

/// The width from which on products and quotients are abstract until their values matter.
const ABSTRACT_FROM: u32 = 32;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The script ran to its end or to `(exit)`.
    Completed,
    /// There was a mistake in the script, a check failed, or the output could not be written.
    Failed,
}

/// An assertion that is in force.
#[derive(Clone, Debug)]
pub(super) struct Assertion {
    pub(super) formula: Term,
    pub(super) name: Option<Name>,
    /// The formula as written, if `:produce-assertions` or `:produce-proofs` is on.
    pub(super) text: Option<Box<str>>,
    /// Whether the solver has another formula instead, which follows from this one and others without a name.
    pub(super) replaced: bool,
}

/// The assertions in force, and what they are made of.
#[derive(Default)]
pub(super) struct Assertions {
    /// By the number that the solver gave them.
    pub(super) list: Vec<Assertion>,
    /// How many assertions there were at each `push`.
    levels: Vec<usize>,
    /// How many of the assertions the solver has; the others wait.
    handed_over: usize,
    solved: SolvedVariables,
    /// The declarations and definitions in force, as written.
    pub(super) declarations: Declarations,
}

/// An interpreter of one script, without the last query. Its answers go to one writer, what people should know to
/// another.
pub(super) struct Interpreter<'w> {
    pub(super) talk: Conversation<'w>,
    pub(super) options: Options,
    pub(super) store: Store,
    pub(super) reader: Reader,
    pub(super) logic: Option<Logic>,
    pub(super) assertions: Assertions,
    dump: Option<Dump>,
    pub(super) limits: Limits,
    flushed: Instant,
    /// What queries have cost, in units of work.
    pub(super) cost: Cost,
}

/// A script in progress: the interpreter and the last query, which keeps the solver.
struct Script<'w, 's> {
    interpreter: Interpreter<'w>,
    /// Nothing only where an answer of ours did not stand up to its check, which ends the script.
    last: Option<Last<'s>>,
}

/// Runs a script to its end. The time limit counts from now. All queries go to the dump.
pub(super) fn run<'w>(
    options: &Options,
    dump: Option<Dump>,
    interrupt: Interrupt,
    pieces: &mut Pieces<'_>,
    out: &'w mut dyn Write,
    err: &'w mut dyn Write,
) -> Outcome {
    let now = Instant::now();
    let deadline = options.run.time().and_then(|timeout| now.checked_add(timeout));
    let mut reader = Reader::new();
    reader.set_bit_vectors(true);
    let mut interpreter = Interpreter {
        talk: Conversation::new(&options.run, AnswerForm::default(), out, err),
        options: options.clone(),
        store: Store::new(),
        reader,
        logic: None,
        assertions: Assertions::default(),
        dump,
        limits: Limits::new(deadline, options.run.memory, interrupt),
        flushed: now,
        cost: Cost::default(),
    };
    let mut solver = interpreter.new_solver();
    let mut script = Script { interpreter, last: Some(Last::None(&mut solver)) };
    let result = converse(&mut script, pieces);
    let source = pieces.current();
    if result.is_ok() {
        script.interpreter.talk.note_if_nothing_asked(source.name);
    }
    let mut code = script.interpreter.talk.close(result, source);
    let Script { interpreter: Interpreter { talk, store, dump, cost, .. }, last } = &mut script;
    if let (true, Some(last)) = (options.run.statistics, last) {
        let mut statistics = last.solver().statistics();
        statistics.set("terms", store.len() as u64);
        if let Some(cores) = options.cores() {
            statistics.merge_prefixed("", &cost.statistics(cores.solvers, options.virtual_cores.is_some()));
        }
        let _ = write!(talk.err, "{}", Grouped(&statistics));
    }
    if dump.as_mut().is_some_and(|dump| dump.flush().is_err()) {
        let _ = writeln!(talk.err, "error: the queries could not be written");
        code = FAILURE;
    }
    code = talk.flush(code);
    let _ = talk.err.flush();
    if code == 0 { Outcome::Completed } else { Outcome::Failed }
}

impl<'w> BackEnd<'w> for Script<'w, '_> {
    fn talk(&mut self) -> &mut Conversation<'w> {
        &mut self.interpreter.talk
    }

    fn run_command(&mut self, lexer: &mut Lexer<'_>, source: Source<'_>) -> Result<Option<Reply>, Halt> {
        let Script { interpreter, last: Some(_) } = self else { return Ok(None) };
        let start = lexer.clone();
        let (command, span) = match interpreter.reader.next_command(lexer, &mut interpreter.store) {
            Ok(None) => return Ok(None),
            Ok(Some(found)) => found,
            Err(error) => {
                *lexer = start;
                lexer.skip_command();
                return Err(error.into());
            }
        };
        let reply = match command {
            Command::CheckSat => self.check(None, source, span)?,
            Command::CheckSatAssuming(assumptions) => self.check(Some(&assumptions), source, span)?,
            Command::Assert { .. }
            | Command::Push(_)
            | Command::Pop(_)
            | Command::Declare(_)
            | Command::Define(_)
            | Command::Reset
            | Command::ResetAssertions => {
                if matches!(command, Command::Define(_)) {
                    interpreter.dump_sorts(&source.text[span.range()]);
                }
                if matches!(command, Command::Declare(_) | Command::Define(_)) {
                    interpreter.assertions.declarations.add(&source.text[span.range()]);
                }
                let reset = matches!(command, Command::Reset);
                let solver = self.last.take().map(Last::into_solver);
                self.last = solver.map(|solver| {
                    interpreter.change(solver, command);
                    Last::None(solver)
                });
                if reset { Reply::Common(Common::Reset) } else { Reply::Success }
            }
            command => {
                if matches!(command, Command::GetInterpolants(_) | Command::GetProof)
                    && !self.have_derivation()?
                {
                    return Ok(Some(Reply::Answered));
                }
                let Script { interpreter, last: Some(last) } = self else { return Ok(None) };
                match interpreter.respond(last, command, span)? {
                    Effect::Reply(reply) => reply,
                    Effect::GaveUp(reason) => {
                        let solver = self.last.take().map(Last::into_solver);
                        self.last = solver.map(|solver| Last::Unknown(reason, solver));
                        Reply::Answered
                    }
                }
            }
        };
        Ok(Some(reply))
    }

    fn info(&mut self, keyword: &str) -> Result<Option<String>, String> {
        match &self.last {
            Some(last) => self.interpreter.info_text(last, keyword),
            None => Ok(None),
        }
    }

    fn check_option(&self, keyword: &str) -> Result<(), String> {
        let Assertions { list, levels, .. } = &self.interpreter.assertions;
        let early = matches!(keyword, ":produce-assertions" | ":global-declarations");
        match early && !(list.is_empty() && levels.is_empty()) {
            true => Err(format!("the option {keyword} is set after the first assertion or push")),
            false => Ok(()),
        }
    }

    fn option_set(&mut self) {
        let Interpreter { reader, talk, .. } = &mut self.interpreter;
        reader.set_global_declarations(talk.script.global_declarations);
    }
}

impl Script<'_, '_> {
    /// Sees to it that the last query has a derivation, if it was unsatisfiable. If that takes too long, the answer is
    /// `unknown`.
    fn have_derivation(&mut self) -> Result<bool, Halt> {
        let Script { interpreter, last } = self;
        let Some(Last::UnsatInParts { .. }) = last else { return Ok(true) };
        if let Some(Last::UnsatInParts { core, texts, solver }) = last.take() {
            *last = Some(interpreter.decide_alone(core, texts, solver)?);
        }
        let found = matches!(last, Some(Last::Unsat { .. }));
        if !found {
            writeln!(interpreter.talk.out, "unknown")?;
        }
        Ok(found)
    }

    /// Decides the assertions, together with the assumptions if there are any, and answers.
    fn check(
        &mut self,
        assumptions: Option<&[NamedTerm<'_>]>,
        source: Source<'_>,
        span: Span,
    ) -> Result<Reply, Halt> {
        let Script { interpreter, last } = self;
        interpreter.flush_stale()?;
        let Some(solver) = last.take().map(Last::into_solver) else { return Ok(Reply::Answered) };
        interpreter.hand_over(solver);
        let terms: Vec<Term> =
            assumptions.unwrap_or_default().iter().map(|a| interpreter.decidable(a.term, false)).collect();
        let texts = assumptions.map(|list| list.iter().map(|a| a.text.into()).collect());
        let next = interpreter.decide(solver, terms, texts)?;
        let word = match &next {
            Last::Sat { .. } | Last::SatInParts { .. } => "sat",
            Last::Unsat { .. } | Last::UnsatInParts { .. } => "unsat",
            Last::Unknown(..) | Last::None(_) => "unknown",
        };
        *last = Some(next);
        let Conversation { out, err, status, .. } = &mut interpreter.talk;
        writeln!(out, "{word}")?;
        status.compare(word, source, span, err)?;
        Ok(Reply::Answered)
    }
}

/// What a command did that changes neither assertions nor names.
pub(super) enum Effect {
    Reply(Reply),
    /// It was answered with `unknown`.
    GaveUp(UnknownReason),
}

impl Interpreter<'_> {
    pub(super) fn solver_options(&self) -> SolverOptions {
        let abstract_from = self.options.abstract_from.unwrap_or(ABSTRACT_FROM);
        let bits = BitOptions {
            abstract_from: (abstract_from > 0).then_some(abstract_from),
            ..BitOptions::default()
        };
        // The questions of scripts are few and large.
        let arith = ArithOptions { settle_facts: true, ..ArithOptions::default() };
        SolverOptions { arith, bits }
    }

    fn new_solver(&mut self) -> Solver {
        let mut solver = Solver::new(self.solver_options());
        if let Some(dump) = &mut self.dump {
            dump.attach(&mut solver);
        }
        solver
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
                if self.assertions.list.is_empty() {
                    solver.set_seed(self.talk.script.random_seed);
                }
                let script = &self.talk.script;
                let text = (script.produce_assertions || script.produce_proofs).then(|| text.into());
                self.assertions.list.push(Assertion { formula, name, text, replaced: false });
                if !self.store.has_bit_vectors() {
                    self.hand_over(solver);
                }
            }
            Command::Push(count) => {
                self.hand_over(solver);
                for _ in 0..count {
                    solver.push();
                    self.assertions.push();
                }
            }
            Command::Pop(count) => {
                for _ in 0..count {
                    solver.pop();
                    self.assertions.pop(self.talk.script.global_declarations);
                }
            }
            Command::Declare(_) | Command::Define(_) => {}
            Command::Reset => {
                if let Some(dump) = &mut self.dump {
                    dump.set_logic(None);
                }
                self.forget_assertions(solver, true);
                self.store = Store::new();
                self.logic = None;
            }
            Command::ResetAssertions => {
                self.forget_assertions(solver, !self.talk.script.global_declarations);
            }
            other => unreachable!("{other:?} changes nothing"),
        }
    }

    /// Asserts what waits, with variables replaced that equations of bit-vectors are solved for.
    fn hand_over(&mut self, solver: &mut Solver) {
        let Assertions { list, handed_over, solved, .. } = &mut self.assertions;
        let waiting = &mut list[*handed_over..];
        let mut formulas: Vec<Term> = waiting.iter().map(|assertion| assertion.formula).collect();
        if self.store.has_bit_vectors() {
            let is_free = |assertion: &Assertion| assertion.name.is_none() && assertion.text.is_none();
            let places: Vec<usize> = (0..waiting.len()).filter(|&place| is_free(&waiting[place])).collect();
            let before: Vec<Term> = places.iter().map(|&place| formulas[place]).collect();
            for (place, after) in places.into_iter().zip(solved.replace(&mut self.store, &before)) {
                waiting[place].replaced = after != formulas[place];
                formulas[place] = after;
            }
        }
        for formula in formulas {
            let number = solver.assert(&mut self.store, formula);
            debug_assert_eq!(number as usize, *handed_over);
            *handed_over += 1;
        }
    }

    fn forget_assertions(&mut self, solver: &mut Solver, and_sorts: bool) {
        if and_sorts && let Some(dump) = &mut self.dump {
            dump.forget_sorts();
        }
        *solver = self.new_solver();
        self.assertions.list.clear();
        self.assertions.levels.clear();
        self.assertions.handed_over = 0;
        self.assertions.solved = SolvedVariables::default();
        self.assertions.declarations.clear(and_sorts);
    }

    pub(super) fn set_logic(&mut self, name: &str, span: Span) -> Result<Reply, Halt> {
        let refused = |error: LogicError| ReadError::new(ErrorKind::Unsupported, span, error.to_string());
        let logic = Logic::from_name(name).map_err(refused)?;
        if let Some(before) = &self.logic {
            return Err(out_of_place(span, format!("the logic is set to {} already", before.name())));
        }
        self.reader.set_numerals_are_real(logic.reals_only());
        if !logic.has_numbers() && self.assertions.list.is_empty() {
            self.reader.free_arithmetic();
            if let Some(dump) = &mut self.dump {
                dump.set_logic(Some(logic.name()));
            }
        }
        self.logic = Some(logic);
        Ok(Reply::Success)
    }

    /// The effort that the next query may take. Its limits are kept for as long as the second value lives.
    pub(super) fn budget(&self) -> (Budget, QueryLimits) {
        let options = &self.options;
        let limits = self.limits.begin_query(self.talk.query_time());
        let own = Some(self.talk.script.resource_limit).filter(|&limit| limit > 0);
        let budget = Budget {
            conflicts: options.conflict_limit.into_iter().chain(own).min().unwrap_or(u64::MAX),
            pivots: options.pivot_limit.unwrap_or(u64::MAX),
            splits: options.split_limit.unwrap_or(u64::MAX),
            ..Budget::until(limits.token().clone())
        };
        (budget, limits)
    }

    /// The checks of the answer that the options ask for.
    pub(super) fn judge(&mut self, answer: &mut Answer<'_>, assumptions: &[Term]) -> Result<(), Halt> {
        match answer {
            Answer::Sat(solution) if self.options.check_models => {
                let model = solution.model();
                self.judge_model(&model, assumptions)
            }
            Answer::Unsat(refutation) if self.options.check_cores => {
                self.judge_core(&refutation.used_assertions(), refutation.failed_assumptions())
            }
            _ => Ok(()),
        }
    }

    /// Fails unless the model makes all assertions and assumptions true.
    pub(super) fn judge_model(&self, model: &Model, assumptions: &[Term]) -> Result<(), Halt> {
        let formulas = self.assertions.list.iter().map(|assertion| assertion.formula);
        judge::check_model(&self.store, model, formulas.chain(assumptions.iter().copied()))
            .map_err(Halt::Failure)
    }

    /// Fails if these assertions and assumptions have a model.
    pub(super) fn judge_core(&mut self, used: &[u32], failed: Vec<Term>) -> Result<(), Halt> {
        // What was asserted instead of an assertion follows from those without a name.
        let is_replaced = used.iter().any(|&number| self.assertions.list[number as usize].replaced);
        let list = self.assertions.list.iter().zip(0..);
        let core = list
            .filter(|(assertion, number)| used.contains(number) || is_replaced && assertion.name.is_none());
        let core = core.map(|(assertion, _)| assertion.formula);
        let core: Vec<Term> = core.chain(failed).collect();
        judge::check_core(&mut self.store, &core).map_err(Halt::Failure)
    }

    /// Writes out what was buffered for long, since the next query may take long.
    fn flush_stale(&mut self) -> io::Result<()> {
        let now = Instant::now();
        if now.duration_since(self.flushed) >= STALE {
            self.talk.out.flush()?;
            self.flushed = now;
        }
        Ok(())
    }
}

impl Assertions {
    fn push(&mut self) {
        self.levels.push(self.list.len());
        self.solved.push();
        self.declarations.push();
    }

    fn pop(&mut self, global_declarations: bool) {
        let kept = self.levels.pop().unwrap_or(0);
        self.list.truncate(kept);
        self.handed_over = self.handed_over.min(kept);
        self.solved.pop();
        self.declarations.pop(global_declarations);
    }

    /// How many levels of `push` are open.
    pub(super) fn level_count(&self) -> usize {
        self.levels.len()
    }
}
