//! A script from the command line: its commands are answered as they are read.
//!
//! A script is a conversation: what it asks is answered before more is read, so that a client which waits for an
//! answer gets it, and a mistake loses no answer that was found before it. A file is read at once, standard input as it
//! comes. With `:print-success`, each command that has no answer of its own is answered with `success`.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use shem_base::{Statistics, StopToken};
use shem_chc::{Effect, ScriptReader, System, write_dot};
use shem_decide::{Cause, Engines, QueryFolder, Verdict, Witness, read_graph};
use shem_report::Timeline;
use shem_term::Store;
use shem_term::smtlib::{Lexer, ReadError, Span};

use super::json;
use super::options::{Options, Stage};
use super::worker::run_worker;
use crate::channel::Channel;
use crate::diagnostic::{FAILURE, Source, unwritable};
use crate::input::{self, Input};
use crate::logging;
use crate::memory::{self, AnswerFormat};
use crate::pieces::Pieces;
use crate::script_info::ExpectedStatus;
use crate::script_options::ScriptOptions;
use crate::statistics::Grouped;
use crate::watchdog::Watchdog;

/// What ends a session early.
pub(super) enum Halt {
    /// The reason has been told; this is the exit code.
    Code(u8),
    /// The output cannot be written.
    Unwritable(io::Error),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Halt {
        Halt::Unwritable(error)
    }
}

/// Runs the script at this path, of which some may have been read already; gives the exit code.
pub(crate) fn run(
    path: &Path,
    opened: Option<(Vec<u8>, Box<dyn Read>)>,
    options: &Options,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    if let Some(parent) = options.worker {
        return run_worker(parent, options, out, err);
    }
    logging::start(options.verbosity);
    let format = if options.json { AnswerFormat::Json } else { AnswerFormat::Word };
    let mut session = Session {
        options,
        name: input::name(path),
        out: Channel::regular(out),
        err: Channel::diagnostic(err),
        watchdog: Watchdog::start(options.run.time(), options.memory, format),
        store: Store::new(),
        reader: ScriptReader::new(),
        script: ScriptOptions::default(),
        last: None,
        status: ExpectedStatus::default(),
        timeout: options.run.check_time,
        queries: None,
        text: Arc::default(),
        checks: 0,
        asked: false,
        conversation: false,
        mistakes: 0,
        reading: Duration::ZERO,
        statistics: Statistics::new(),
        timeline: None,
        reports: 0,
        incomplete: false,
        answers: Vec::new(),
        error: None,
    };
    let result = session.run(path, opened);
    session.finish(result)
}

/// The state of a run.
pub(super) struct Session<'a> {
    pub(super) options: &'a Options,
    /// The name of the input.
    pub(super) name: String,
    pub(super) out: Channel<'a>,
    pub(super) err: Channel<'a>,
    pub(super) watchdog: Watchdog,
    pub(super) store: Store,
    pub(super) reader: ScriptReader,
    pub(super) script: ScriptOptions,
    pub(super) last: Option<LastCheck>,
    pub(super) status: ExpectedStatus,
    /// The limit that the script sets for each check.
    pub(super) timeout: Option<Duration>,
    pub(super) queries: Option<QueryFolder>,
    /// The commands that were read and had no mistake, for workers.
    pub(super) text: Arc<Vec<u8>>,
    /// The number of checks so far.
    pub(super) checks: u64,
    /// Whether the script has asked for anything.
    pub(super) asked: bool,
    /// Whether the script comes piece by piece.
    pub(super) conversation: bool,
    pub(super) mistakes: usize,
    /// How long the script was read.
    reading: Duration,
    pub(super) statistics: Statistics,
    /// What happened while the last check was decided, if there is to be a report, and how many reports there are.
    pub(super) timeline: Option<Timeline>,
    pub(super) reports: u64,
    /// Whether a certificate or a report could not be completed.
    pub(super) incomplete: bool,
    /// The answers so far and the last mistake, as JSON.
    pub(super) answers: Vec<Value>,
    pub(super) error: Option<Value>,
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

/// What comes of a command.
pub(super) enum Reply {
    /// Nothing that was asked for, so that `success` is an answer.
    Success,
    /// It was answered, or is not due an answer.
    Nothing,
}

impl Session<'_> {
    fn run(&mut self, path: &Path, opened: Option<(Vec<u8>, Box<dyn Read>)>) -> Result<(), Halt> {
        let name = input::name(path);
        let _ = self.begin_reading();
        let input = match opened {
            Some((first, rest)) => input::open_stream(first, rest),
            None => input::open(path),
        };
        let mut pieces = match input {
            Err(error) => return Err(self.fail(&format!("{name}: {error}"))),
            Ok(Input::Whole(text)) => Pieces::whole(&name, text),
            Ok(Input::Stream(first, rest)) => {
                self.conversation = true;
                Pieces::new(&name, first, rest)
            }
        };
        self.open_queries()?;
        // What came of standard input before it turned out what it is.
        let mut before = String::new();
        loop {
            let token = self.begin_reading();
            let next = pieces.next();
            if token.is_stopped() && self.checks == 0 {
                return Err(self.stopped());
            }
            self.watchdog.end();
            match next {
                Ok(None) => break,
                Ok(Some(source)) if self.is_vmt(path, source.text) => {
                    let token = self.begin_reading();
                    let rest = pieces.rest();
                    if token.is_stopped() {
                        return Err(self.stopped());
                    }
                    self.watchdog.end();
                    return match rest {
                        Ok(rest) => {
                            before.push_str(rest.text);
                            self.run_vmt(Source::new(&name, &before))
                        }
                        Err(unreadable) => Err(self.unreadable(unreadable)?),
                    };
                }
                Ok(Some(source)) => {
                    if self.conversation && self.checks == 0 {
                        before.push_str(source.text);
                    }
                    if !self.run_piece(source)? {
                        return Ok(());
                    }
                }
                Err(unreadable) => return Err(self.unreadable(unreadable)?),
            }
            self.out.flush()?;
        }
        let finished = self.reader.finish(&mut self.store);
        if let Err(error) = finished {
            let message = error.message.clone();
            return Err(self.fail(&format!("{name}: {message}")));
        }
        if let Some(stage) = self.options.dump_graph {
            let system = Arc::clone(self.reader.system());
            return self.dump_graph(&system, stage);
        }
        if !self.asked {
            let _ = writeln!(self.err, "shem: note: {name} asks for nothing: there is no check-sat");
        }
        Ok(())
    }

    /// From now on the script is read. An answer is owed until there was one.
    pub(super) fn begin_reading(&mut self) -> StopToken {
        self.watchdog.begin_reading(self.checks == 0)
    }

    /// Runs the commands of a piece. Whether the script goes on.
    fn run_piece(&mut self, source: Source<'_>) -> Result<bool, Halt> {
        let mut lexer = match Lexer::new(source.text) {
            Ok(lexer) => lexer,
            Err(error) => return Err(self.mistake(source, &error)?),
        };
        loop {
            let (effect, span) = match self.read(&mut lexer) {
                Ok(None) => return Ok(true),
                Ok(Some(found)) => found,
                Err(Some(error)) => {
                    let halt = self.mistake(source, &error)?;
                    if !self.options.run.continued_execution {
                        return Err(halt);
                    }
                    if lexer.skip_command().is_none() {
                        return Ok(true);
                    }
                    continue;
                }
                Err(None) => return Err(self.stopped()),
            };
            let reply = match effect {
                Effect::Done => Reply::Success,
                Effect::Exit => {
                    self.asked = true;
                    self.succeed(&Reply::Success)?;
                    return Ok(false);
                }
                Effect::Request(request) => match self.answer(&request, span, &lexer, source)? {
                    Some(reply) => reply,
                    None => return Ok(false),
                },
            };
            self.succeed(&reply)?;
        }
    }

    /// Reads to the next command that asks something, or to the next at all if each is answered; nothing at the end of
    /// the piece. The error is a mistake in the command where the lexer is, or nothing if the reading was stopped.
    fn read(&mut self, lexer: &mut Lexer<'_>) -> Result<Option<(Effect, Span)>, Option<ReadError>> {
        let since = Instant::now();
        let token = self.begin_reading();
        let result = loop {
            // Once there was an answer, the rest is answered, too: each further check with unknown.
            if token.is_stopped() && self.checks == 0 {
                break Err(None);
            }
            let start = lexer.clone();
            self.reader.place_next(self.text.len());
            match self.reader.next_effect(&mut self.store, lexer) {
                Ok(Some((effect, span))) => {
                    let text = Arc::make_mut(&mut self.text);
                    text.extend_from_slice(lexer.slice(span).as_bytes());
                    text.push(b'\n');
                    if !matches!(effect, Effect::Done) || self.script.print_success {
                        break Ok(Some((effect, span)));
                    }
                }
                Ok(None) => break Ok(None),
                Err(error) => {
                    *lexer = start;
                    break Err(Some(error));
                }
            }
        };
        self.reading += since.elapsed();
        if !matches!(result, Err(None)) {
            self.watchdog.end();
        }
        result
    }

    fn succeed(&mut self, reply: &Reply) -> io::Result<()> {
        match reply {
            Reply::Success if self.script.print_success && !self.options.json => {
                writeln!(self.out, "success")
            }
            _ => Ok(()),
        }
    }

    /// Makes the folder for the queries of the engine. In other processes engines make their own.
    fn open_queries(&mut self) -> Result<(), Halt> {
        let Some(folder) = &self.options.run.dump_queries else { return Ok(()) };
        let solve = &self.options.solve;
        if solve.engines == Engines::One || solve.deterministic {
            match QueryFolder::new(folder) {
                Ok(created) => self.queries = Some(created),
                Err(error) => return Err(self.fail(&format!("{}: {error}", folder.display()))),
            }
        }
        Ok(())
    }

    pub(super) fn interrupted(&self) -> bool {
        matches!(self.watchdog.fatal(), Some(Cause::Signal(_)))
    }

    /// Prints the graph of a system.
    pub(super) fn dump_graph(&mut self, system: &Arc<System>, stage: Stage) -> Result<(), Halt> {
        let token = self.watchdog.begin(None);
        let mut graph = read_graph(&mut self.store, system, &mut self.statistics);
        if stage == Stage::Preprocessed {
            graph = self.options.solve.prepared(&mut self.store, system, &token).graph().clone();
        }
        self.watchdog.end();
        Ok(write_dot(&mut self.out, &self.store, &graph)?)
    }

    /// Writes what comes after all answers; gives the exit code.
    fn finish(mut self, result: Result<(), Halt>) -> u8 {
        let run = &self.options.run;
        let contradicted = run.check_status && self.status.contradictions > 0;
        let mut code = if contradicted || self.incomplete || self.mistakes > 0 { FAILURE } else { 0 };
        let mut lost = None;
        match result {
            Ok(()) => {}
            Err(Halt::Code(own)) => code = own,
            Err(Halt::Unwritable(error)) => lost = Some(error),
        }
        if self.options.json && self.options.dump_graph.is_none() {
            let object = json::run(std::mem::take(&mut self.answers), self.error.take(), code);
            lost = lost.or(writeln!(self.out, "{object}").err());
        }
        lost = lost.or(self.out.flush().err());
        if let Some(error) = lost {
            code = unwritable(&error, &mut self.err);
        }
        if run.statistics {
            self.statistics.set("time.read", self.reading.as_secs_f64());
            self.statistics.set("time.total", self.watchdog.elapsed().as_secs_f64());
            self.statistics.set("memory.peak", memory::peak() as u64);
            let _ = write!(self.err, "{}", Grouped(&self.statistics));
        }
        if let Some(folder) = &self.queries {
            if let Some(error) = folder.failure() {
                let _ = writeln!(self.err, "shem: the queries could not be written: {error}");
                code = FAILURE;
            } else if folder.is_empty() && self.last.is_some() {
                let _ =
                    writeln!(self.err, "shem: no queries were written: no solver of an engine was recorded");
            }
        }
        let _ = self.err.flush();
        code
    }

    /// How long the script was read.
    pub(super) fn reading_time(&self) -> f64 {
        self.reading.as_secs_f64()
    }
}
