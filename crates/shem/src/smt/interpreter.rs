//! The state of a script and what its commands do to it.
//!
//! The reader deals with names, the solver with formulas; the interpreter keeps the two in step, decides
//! which commands make sense when, and answers. An answer is written only after the checks that the caller
//! asked for have confirmed it. The first mistake ends the script.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use shem_base::{Budget, StopToken, UnknownReason};
use shem_decide::clock::{self, Scheduled};
use shem_smt::{Answer, Model, Solver, SolverOptions};
use shem_term::smtlib::{
    Attribute, Command, ErrorKind, Lexer, Name, NamedTerm, ReadError, Reader, Span, escape_string,
};
use shem_term::{Store, Term};

use super::dump::Dump;
use super::judge;
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

/// An assumption of the last query, with its text.
#[derive(Clone, Debug)]
pub(super) struct Assumption {
    pub(super) term: Term,
    pub(super) text: Box<str>,
}

/// The last query, as long as nothing has been asserted, pushed or popped since.
#[derive(Clone, Debug)]
pub(super) enum Last {
    /// There is none.
    None,
    /// It was satisfiable; the model is made when somebody asks.
    Sat { model: Option<Model> },
    /// It was unsatisfiable under these assumptions, if it had any.
    Unsat { assumptions: Option<Vec<Assumption>> },
    /// It was given up.
    Unknown(UnknownReason),
}

/// An interpreter of one script. Its answers go to one writer, what people should know to another.
pub struct Interpreter<'w> {
    pub(super) options: Options,
    pub(super) out: &'w mut dyn Write,
    err: &'w mut dyn Write,
    pub(super) store: Store,
    pub(super) reader: Reader,
    pub(super) solver: Solver,
    pub(super) script: ScriptOptions,
    logic: Option<Logic>,
    /// By the number that the solver gave them.
    pub(super) assertions: Vec<Assertion>,
    /// How many assertions there were at each `push`.
    pub(super) levels: Vec<usize>,
    pub(super) last: Last,
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
    pub fn new(options: Options, out: &'w mut dyn Write, err: &'w mut dyn Write) -> Interpreter<'w> {
        let now = Instant::now();
        Interpreter {
            deadline: options.timeout.and_then(|timeout| now.checked_add(timeout)),
            options,
            out,
            err,
            store: Store::new(),
            reader: Reader::new(),
            solver: Solver::new(SolverOptions::default()),
            script: ScriptOptions::default(),
            logic: None,
            assertions: Vec::new(),
            levels: Vec::new(),
            last: Last::None,
            expected: None,
            unexpected_answers: 0,
            dump: None,
            alarm: None,
            idle: StopToken::new(),
            flushed: now,
        }
    }

    /// Writes every query that the solver answers from now on to `out`, as a script.
    pub fn dump_queries(&mut self, out: Box<dyn Write + Send>) {
        let dump = self.dump.insert(Dump::new(out));
        dump.attach(&mut self.solver);
    }

    /// Runs the commands of a piece of a script. `Some` if the script has ended with it.
    pub fn run(&mut self, source: Source<'_>) -> Option<Outcome> {
        let mut halt = match Lexer::new(source.text) {
            Ok(mut lexer) => loop {
                match self.step(&mut lexer, source) {
                    Ok(true) => {}
                    Ok(false) => return None,
                    Err(halt) => break halt,
                }
            },
            Err(error) => Halt::Mistake(error),
        };
        if self.report(&halt, source).is_err() {
            halt = Halt::Unwritable;
        }
        Some(match halt {
            Halt::Exit => Outcome::Completed,
            Halt::Mistake(_) | Halt::Refuted(_) | Halt::Unwritable => Outcome::Failed,
        })
    }

    /// Ends the run: the outcome, given that of the last piece, after what is left to write is written.
    pub fn finish(mut self, outcome: Option<Outcome>) -> Outcome {
        let mut outcome = outcome.unwrap_or(Outcome::Completed);
        if self.options.statistics {
            let mut statistics = self.solver.statistics();
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

    /// Reads one command and runs it. `false` at the end of the text.
    fn step(&mut self, lexer: &mut Lexer<'_>, source: Source<'_>) -> Result<bool, Halt> {
        match self.reader.next_command(lexer, &mut self.store)? {
            Some((command, span)) => {
                if self.execute(command, span, source)? && self.script.print_success {
                    writeln!(self.out, "success")?;
                }
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Runs a command. Whether it has no answer of its own, so that `success` is one.
    fn execute(&mut self, command: Command<'_>, span: Span, source: Source<'_>) -> Result<bool, Halt> {
        match command {
            Command::Assert { formula, name, text } => {
                self.last = Last::None;
                let formula = self.decidable(formula, true);
                let number = self.solver.assert(&mut self.store, formula);
                debug_assert_eq!(number as usize, self.assertions.len());
                let text = self.script.produce_assertions.then(|| text.into());
                self.assertions.push(Assertion { formula, name, text });
            }
            Command::CheckSat => {
                let answer = self.check(None)?;
                self.compare(&answer, source, span)?;
                return Ok(false);
            }
            Command::CheckSatAssuming(assumptions) => {
                let answer = self.check(Some(&assumptions))?;
                self.compare(&answer, source, span)?;
                return Ok(false);
            }
            Command::Push(count) => {
                self.last = Last::None;
                for _ in 0..count {
                    self.solver.push();
                    self.levels.push(self.assertions.len());
                }
            }
            Command::Pop(count) => {
                self.last = Last::None;
                for _ in 0..count {
                    self.solver.pop();
                    let kept = self.levels.pop().unwrap_or(0);
                    self.assertions.truncate(kept);
                }
            }
            Command::Declare(_) | Command::Define(_) => self.last = Last::None,
            Command::SetLogic(name) => self.set_logic(name, span)?,
            Command::SetOption(attribute) => return self.set_option(&attribute, span),
            Command::SetInfo(attribute) => {
                if attribute.keyword == ":status" {
                    self.expected = match attribute.value {
                        "sat" => Some(Expected::Sat),
                        "unsat" => Some(Expected::Unsat),
                        _ => None,
                    };
                }
            }
            Command::Reset => {
                self.forget_assertions();
                self.store = Store::new();
                self.script = ScriptOptions::default();
                self.logic = None;
                self.expected = None;
            }
            Command::ResetAssertions => self.forget_assertions(),
            Command::Exit => {
                if self.script.print_success {
                    writeln!(self.out, "success")?;
                }
                return Err(Halt::Exit);
            }
            query => {
                self.respond(query, span)?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn forget_assertions(&mut self) {
        self.solver = Solver::new(SolverOptions::default());
        if let Some(dump) = &mut self.dump {
            dump.attach(&mut self.solver);
        }
        self.assertions.clear();
        self.levels.clear();
        self.last = Last::None;
    }

    fn set_logic(&mut self, name: &str, span: Span) -> Result<(), ReadError> {
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

    fn set_option(&mut self, attribute: &Attribute<'_>, span: Span) -> Result<bool, Halt> {
        let produces =
            attribute.keyword == ":produce-assertions" || attribute.keyword == ":global-declarations";
        if produces && !(self.assertions.is_empty() && self.levels.is_empty()) {
            let message =
                format!("the option {} is set after the first assertion or push", attribute.keyword);
            return Err(ReadError::new(ErrorKind::Mode, span, message).into());
        }
        if !self.script.set(attribute)? {
            writeln!(self.out, "unsupported")?;
            return Ok(false);
        }
        self.reader.set_global_declarations(self.script.global_declarations);
        Ok(true)
    }

    /// Decides the assertions, together with the assumptions if there are any, and answers.
    fn check(&mut self, assumptions: Option<&[NamedTerm<'_>]>) -> Result<Answer, Halt> {
        self.flush_stale()?;
        let terms: Vec<Term> =
            assumptions.unwrap_or_default().iter().map(|a| self.decidable(a.term, false)).collect();
        let mut budget = self.budget();
        let answer = self.solver.check_assuming(&mut self.store, &terms, &mut budget);
        self.alarm = None;
        self.judge(&answer, &terms)?;
        writeln!(self.out, "{answer}")?;
        self.last = match &answer {
            Answer::Sat => Last::Sat { model: None },
            Answer::Unsat => Last::Unsat {
                assumptions: assumptions.map(|list| {
                    let texts = list.iter().map(|a| a.text.into());
                    terms.iter().zip(texts).map(|(&term, text)| Assumption { term, text }).collect()
                }),
            },
            Answer::Unknown(reason) => Last::Unknown(*reason),
        };
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
    fn judge(&mut self, answer: &Answer, assumptions: &[Term]) -> Result<(), Halt> {
        match answer {
            Answer::Sat if self.options.check_models => {
                let model = self.solver.model();
                let formulas = self.assertions.iter().map(|assertion| assertion.formula);
                judge::check_model(&self.store, &model, formulas.chain(assumptions.iter().copied()))
                    .map_err(Halt::Refuted)
            }
            Answer::Unsat if self.options.check_cores => {
                let used = self.solver.used_assertions();
                let core = used.iter().map(|&number| self.assertions[number as usize].formula);
                let core: Vec<Term> = core.chain(self.solver.failed_assumptions()).collect();
                judge::check_core(&mut self.store, &core).map_err(Halt::Refuted)
            }
            _ => Ok(()),
        }
    }

    /// Compares the answer with the status that the script gave.
    fn compare(&mut self, answer: &Answer, source: Source<'_>, span: Span) -> io::Result<()> {
        let status = match (self.expected.take(), answer) {
            (Some(Expected::Sat), Answer::Unsat) => "sat",
            (Some(Expected::Unsat), Answer::Sat) => "unsat",
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
