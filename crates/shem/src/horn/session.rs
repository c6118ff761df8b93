//! A script of Horn clauses from the command line: its checks are answered as they are read.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use shem_base::{Statistics, StopToken};
use shem_chc::{Clause, Effect, Request, ScriptReader, System, write_dot};
use shem_decide::{Cause, Engines, QueryFolder, Verdict, Witness, allocator, read_graph};
use shem_report::Timeline;
use shem_script::conversation::{AnswerForm, BackEnd, Common, Conversation, Halt, Reply, converse};
use shem_script::diagnostic::{FAILURE, Source};
use shem_script::pieces::Pieces;
use shem_script::statistics::Grouped;
use shem_term::Store;
use shem_term::smtlib::{Lexer, Span, escape_string};
use shem_termination::Runs;
use shem_vmt::Mistake;

use super::json;
use super::options::{Options, Stage};
use super::vmt::Origin;
use crate::dialect::Dialect;
use crate::format::{Contents, recognise};
use crate::input::{self, Input};
use crate::logging;
use crate::watchdog::AnswerFormat;
use crate::watchdog::{Watchdog, exit_code_of};

/// What a script asks that does not say what it asks.
const CHECK: &str = "(check-sat)";

/// Runs the script at this path, of which some may have been read already; gives the exit code.
pub(crate) fn run(
    path: &Path,
    opened: Option<(Vec<u8>, Box<dyn Read>)>,
    options: &Options,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    logging::start(options.verbosity);
    let asks_for_runs = options.terminates || path.extension().is_some_and(|extension| extension == "ari");
    let format = match (options.json, asks_for_runs) {
        (true, _) => AnswerFormat::Json,
        (false, true) => AnswerFormat::Termination,
        (false, false) => AnswerFormat::Word,
    };
    let form = AnswerForm {
        json: options.json,
        fixed_channels: options.json,
        passes_over_options: true,
        silent: options.json,
    };
    let mut session = Session {
        options,
        talk: Conversation::new(&options.run, form, out, err),
        watchdog: Watchdog::start(options.run.time(), options.run.memory, format),
        store: Store::new(),
        reader: ScriptReader::new(),
        script: ScriptState { name: input::name(path), path: path.to_owned(), ..ScriptState::default() },
        last: None,
        record: Record::default(),
    };
    let code = session.run(path, opened);
    session.finish(code)
}

/// The state of a run.
pub(super) struct Session<'a> {
    pub(super) options: &'a Options,
    pub(super) talk: Conversation<'a>,
    pub(super) watchdog: Watchdog,
    pub(super) store: Store,
    pub(super) reader: ScriptReader,
    pub(super) script: ScriptState,
    pub(super) last: Option<LastCheck>,
    pub(super) record: Record,
}

/// What has been read of the script.
#[derive(Default)]
pub(super) struct ScriptState {
    /// The path of the input, and its name in messages.
    path: PathBuf,
    pub(super) name: String,
    /// The commands that were read and had no mistake, for workers.
    pub(super) text: Arc<Vec<u8>>,
    /// Where the commands of the text begin in it, and in which lines of the input.
    lines: Vec<(usize, usize)>,
    /// A place in the current piece, and its line in the input.
    reached: (usize, usize),
    /// What came of standard input before it turned out what it is.
    before: String,
    /// The number of checks so far.
    pub(super) checks: u64,
    /// Whether the script comes piece by piece.
    pub(super) conversation: bool,
}

impl ScriptState {
    /// Keeps the line of the command that begins here in the piece and is put to the end of the text.
    fn note_line(&mut self, piece: &str, start: usize) {
        let (from, line) = self.reached;
        let between = piece.as_bytes().get(from..start).unwrap_or_default();
        self.reached = (start, line + between.iter().filter(|&&byte| byte == b'\n').count());
        self.lines.push((self.text.len(), self.reached.1));
    }

    /// The line of the input in which the assertion of a clause begins, for each clause, where that is known.
    pub(super) fn clause_lines(&self, system: &System) -> Vec<Option<usize>> {
        let line = |clause: &Clause| {
            let after = self.lines.partition_point(|&(start, _)| start <= clause.span.start as usize);
            Some(self.lines[after.checked_sub(1)?].1)
        };
        system.clauses.iter().map(line).collect()
    }
}

/// What is kept of a run besides its answers.
#[derive(Default)]
pub(super) struct Record {
    pub(super) queries: Option<QueryFolder>,
    /// How long the script was read.
    pub(super) reading: Duration,
    pub(super) statistics: Statistics,
    /// What happened while the last check was decided, if there is to be a report, and how many reports there are.
    pub(super) timeline: Option<Timeline>,
    pub(super) reports: u64,
    /// Whether the witness of the last check has been made smaller.
    pub(super) pruned: bool,
    /// Whether a certificate or a report could not be completed.
    pub(super) incomplete: bool,
    /// The answers so far, as JSON.
    pub(super) answers: Vec<Value>,
}

/// The last check of the script.
pub(super) struct LastCheck {
    pub(super) system: Arc<System>,
    pub(super) verdict: Verdict,
    /// How much of the script's text was read then.
    pub(super) read: usize,
    /// Whether the witness has been printed.
    pub(super) printed: bool,
}

/// Whether nobody has asked for the witness of a verdict.
pub(super) fn is_unwanted(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Sat(Witness::Unwanted) | Verdict::Unsat(Witness::Unwanted))
}

impl<'a> BackEnd<'a> for Session<'a> {
    fn talk(&mut self) -> &mut Conversation<'a> {
        &mut self.talk
    }

    fn next_piece<'p>(&mut self, pieces: &'p mut Pieces<'_>) -> Result<Option<Source<'p>>, Halt> {
        let token = self.begin_reading();
        let next = pieces.next_piece();
        if token.is_stopped() && self.script.checks == 0 {
            return Err(self.stopped());
        }
        self.watchdog.end();
        let found = match next {
            Ok(found) => found,
            Err(unreadable) => return Err(self.talk.unreadable(unreadable)),
        };
        let new = self.script.checks == 0;
        let format = found.filter(|_| new).map(|source| recognise(&self.script.path, source.text));
        if let Some(format) = format {
            log::debug!("the input is in {}", format.name());
        }
        let terminates = self.options.terminates;
        let formulas = &self.options.ltl;
        let whole = terminates || !formulas.is_empty();
        let Some(format) = format.filter(|format| !format.is_script() || whole) else {
            let given = pieces.given();
            self.script.reached = (0, given.map_or(1, |source| source.origin.line));
            if let Some(source) = given.filter(|_| self.script.conversation && self.script.checks == 0) {
                self.script.before.push_str(source.text);
            }
            return Ok(given);
        };
        let token = self.begin_reading();
        let rest = pieces.rest();
        if token.is_stopped() {
            return Err(self.stopped());
        }
        self.watchdog.end();
        let rest = rest.map_err(|unreadable| self.talk.unreadable(unreadable))?;
        let text = std::mem::take(&mut self.script.before) + rest.text;
        let source = Source::new(rest.name, &text);
        if terminates {
            self.answer_runs(format, source)?;
            return Err(Halt::Exit);
        }
        let mut store = Store::new();
        match format.read_asking(&mut store, &text, formulas) {
            Ok(Contents::Runs(system)) => {
                self.answer_termination(&mut store, &Runs { system, complete: true })?;
            }
            Ok(Contents::Transitions(vmt)) => self.run_properties(store, &vmt, None, source)?,
            Ok(Contents::Circuit(circuit, format)) => {
                let transitions = circuit.transitions(&mut store);
                let origin = Origin { circuit: &circuit, transitions: &transitions, format };
                self.run_properties(store, &transitions.vmt, Some(origin), source)?;
            }
            // Only scripts have checks, and they are read command by command.
            Ok(Contents::Checks(_)) => {}
            Err(Mistake { formula: Some(number), error }) => {
                return Err(self.talk.mistake(Source::new("--ltl", &formulas[number]), &error));
            }
            Err(Mistake { error, .. }) => return Err(self.talk.mistake(source, &error)),
        }
        Err(Halt::Exit)
    }

    fn run_command(&mut self, lexer: &mut Lexer<'_>, source: Source<'_>) -> Result<Option<Reply>, Halt> {
        let Some((effect, span)) = self.read(lexer, source)? else { return Ok(None) };
        match effect {
            Effect::Done => Ok(Some(Reply::Success)),
            Effect::Exit => Ok(Some(Reply::Exit)),
            Effect::Request(request) => self.answer(request, span, lexer, source).map(Some),
        }
    }

    fn info(&mut self, keyword: &str) -> Result<Option<String>, String> {
        Ok(match (&self.last, keyword) {
            (Some(LastCheck { verdict: Verdict::Unknown(reason), .. }), ":reason-unknown") => {
                Some(format!("(:reason-unknown {})", escape_string(&reason.to_string())))
            }
            (_, ":assertion-stack-levels") => {
                Some(format!("(:assertion-stack-levels {})", self.reader.level_count()))
            }
            _ => None,
        })
    }
}

impl Session<'_> {
    /// Runs the script; gives the exit code.
    fn run(&mut self, path: &Path, opened: Option<(Vec<u8>, Box<dyn Read>)>) -> u8 {
        let name = self.script.name.clone();
        let _ = self.begin_reading();
        let input = match opened {
            Some((first, rest)) => input::open_stream(first, rest),
            None => input::open(path),
        };
        let mut pieces = match input {
            Err(error) => {
                let halt = Halt::Failure(format!("{name}: {error}"));
                return self.talk.close(Err(halt), Source::new(&name, ""));
            }
            Ok(Input::Whole(text)) => Pieces::whole(&name, text),
            Ok(Input::Stream(first, rest)) => {
                self.script.conversation = true;
                Pieces::new(&name, first, rest)
            }
        };
        let result = self.open_outputs().and_then(|()| converse(self, &mut pieces)).and_then(|()| self.end());
        self.talk.close(result, pieces.current())
    }

    /// What comes after the last command of a script that has no `(exit)`.
    fn end(&mut self) -> Result<(), Halt> {
        if let Err(error) = self.reader.finish(&mut self.store) {
            return Err(Halt::Failure(format!("{}: {}", self.script.name, error.message)));
        }
        if let Some(stage) = self.options.dump_graph {
            let system = Arc::clone(self.reader.system());
            return self.dump_graph(&system, stage);
        }
        // Eldarica decides a file that has no check-sat.
        if !self.talk.asked && self.options.dialect == Dialect::Eldarica {
            let mut lexer = Lexer::new(CHECK)?;
            return self.run_command(&mut lexer, Source::new(CHECK, CHECK)).map(|_| ());
        }
        self.talk.note_if_nothing_asked(&self.script.name);
        Ok(())
    }

    /// From now on the script is read. An answer is owed until there was one.
    pub(super) fn begin_reading(&mut self) -> StopToken {
        self.watchdog.begin_reading(self.script.checks == 0)
    }

    /// Reads to the next command that asks something, or to the next at all if each is answered; nothing at the end of
    /// the piece.
    fn read(&mut self, lexer: &mut Lexer<'_>, source: Source<'_>) -> Result<Option<(Effect, Span)>, Halt> {
        let since = Instant::now();
        let token = self.begin_reading();
        let result = loop {
            // Once there was an answer, the rest is answered, too: each further check with unknown.
            if token.is_stopped() && self.script.checks == 0 {
                return Err(self.stopped());
            }
            let start = lexer.clone();
            self.reader.place_next(self.script.text.len());
            match self.reader.next_effect(&mut self.store, lexer) {
                Ok(Some((effect, span))) => {
                    self.script.note_line(source.text, span.start as usize);
                    let text = Arc::make_mut(&mut self.script.text);
                    text.extend_from_slice(lexer.slice(span).as_bytes());
                    text.push(b'\n');
                    if !matches!(effect, Effect::Done) || self.talk.script.print_success {
                        break Ok(Some((effect, span)));
                    }
                }
                Ok(None) => break Ok(None),
                Err(error) => {
                    *lexer = start;
                    lexer.skip_command();
                    break Err(error.into());
                }
            }
        };
        self.record.reading += since.elapsed();
        self.watchdog.end();
        result
    }

    /// Answers what is asked.
    fn answer(
        &mut self,
        request: Request,
        span: Span,
        rest: &Lexer<'_>,
        source: Source<'_>,
    ) -> Result<Reply, Halt> {
        let common = match request {
            Request::Check { system, query, .. } => {
                self.script.checks += 1;
                if let Some(stage) = self.options.dump_graph {
                    self.dump_graph(&system, stage)?;
                    return Err(Halt::Exit);
                }
                self.check(&system, (span, query), rest, source)?;
                return if self.interrupted() { Err(Halt::Exit) } else { Ok(Reply::Answered) };
            }
            Request::GetModel | Request::GetProof | Request::GetUnsatCore if self.talk.form.silent => {
                return Ok(Reply::Answered);
            }
            Request::GetModel => {
                self.give("model", |verdict| matches!(verdict, Verdict::Sat(_)))?;
                return Ok(Reply::Answered);
            }
            Request::GetProof => {
                self.give("proof", |verdict| matches!(verdict, Verdict::Unsat(_)))?;
                return Ok(Reply::Answered);
            }
            Request::GetUnsatCore => {
                self.give_core()?;
                return Ok(Reply::Answered);
            }
            Request::Reset => Common::Reset,
            Request::Status(status) => Common::Status(status),
            Request::SetOption { keyword, value, span: place } => {
                Common::SetOption(keyword, value, [place, span])
            }
            Request::Echo(content) => Common::Echo(content),
            Request::GetInfo(keyword) => Common::GetInfo(keyword, span),
            Request::GetOption(keyword) => Common::GetOption(keyword),
        };
        Ok(Reply::Common(common))
    }

    /// Makes sure that what the options ask to be written can be. The folder for queries is for engines in this process;
    /// in other processes engines make their own.
    fn open_outputs(&mut self) -> Result<(), Halt> {
        let fail = |path: &Path, error: io::Error| Halt::Failure(format!("{}: {error}", path.display()));
        if let Some(page) = &self.options.report {
            let opened = OpenOptions::new().append(true).create(true).open(page);
            opened.map_err(|error| fail(page, error))?;
        }
        if let Some(folder) = &self.options.print_certificate {
            fs::create_dir_all(folder).map_err(|error| fail(folder, error))?;
        }
        self.open_queries()
    }

    /// Makes the folder for the queries of the engine. In other processes engines make their own.
    fn open_queries(&mut self) -> Result<(), Halt> {
        let Some(folder) = &self.options.run.dump_queries else { return Ok(()) };
        let solve = &self.options.solve;
        if solve.engines == Engines::One || solve.deterministic {
            let created = QueryFolder::new(folder);
            let fail = |error| Halt::Failure(format!("{}: {error}", folder.display()));
            self.record.queries = Some(created.map_err(fail)?);
        }
        Ok(())
    }

    pub(super) fn interrupted(&self) -> bool {
        matches!(self.watchdog.fatal(), Some(Cause::Signal(_)))
    }

    /// Prints the graph of a system.
    pub(super) fn dump_graph(&mut self, system: &Arc<System>, stage: Stage) -> Result<(), Halt> {
        let token = self.watchdog.begin(None);
        let statistics = &mut self.record.statistics;
        let mut graph = read_graph(&mut self.store, system, statistics);
        if stage == Stage::Preprocessed {
            graph = self.options.solve.prepared(&mut self.store, system, &token).graph().clone();
        }
        self.watchdog.end();
        Ok(write_dot(&mut self.talk.out, &self.store, &graph)?)
    }

    /// Writes what comes after all answers; gives the exit code.
    fn finish(mut self, mut code: u8) -> u8 {
        if self.record.incomplete && code == 0 {
            code = FAILURE;
        }
        if code == 0
            && let Some(Cause::Signal(signal)) = self.watchdog.fatal()
        {
            code = exit_code_of(signal);
        }
        let Record { statistics, answers, reading, .. } = &mut self.record;
        let talk = &mut self.talk;
        if self.options.json && self.options.dump_graph.is_none() {
            let object = json::run(std::mem::take(answers), talk.error.as_ref(), code);
            // What cannot be written is noticed below.
            let _ = writeln!(talk.out, "{object}");
        }
        code = talk.flush(code);
        if self.options.run.statistics {
            statistics.set("time.read", reading.as_secs_f64());
            statistics.set("time.total", self.watchdog.elapsed().as_secs_f64());
            statistics.set("memory.peak", allocator::peak() as u64);
            let _ = write!(talk.err, "{}", Grouped(statistics));
        }
        if let Some(folder) = &self.record.queries {
            if let Some(error) = folder.failure() {
                let _ = writeln!(talk.err, "shem: the queries could not be written: {error}");
                code = FAILURE;
            } else if folder.is_empty() && self.last.is_some() {
                let _ =
                    writeln!(talk.err, "shem: no queries were written: no solver of an engine was recorded");
            }
        }
        let _ = talk.err.flush();
        code
    }

    /// How long the script was read.
    pub(super) fn reading_time(&self) -> f64 {
        self.record.reading.as_secs_f64()
    }
}
