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
use shem_chc::{Effect, Request, ScriptReader, System, write_dot, write_model};
use shem_decide::{
    Cause, Engines, Fault, QueryFolder, Verdict, Witness, preprocess, read_graph, smaller_model,
};
use shem_report::Timeline;
use shem_term::Store;
use shem_term::smtlib::{ErrorKind, Lexer, ReadError, Span, escape_string};

use super::options::{Options, Stage};
use super::{certificate, json, print};
use crate::channel::{self, Channel};
use crate::diagnostic::{Diagnostic, FAILURE, Source, report, unwritable};
use crate::dialect::Dialect;
use crate::input::{self, Input};
use crate::logging;
use crate::memory::{self, AnswerFormat};
use crate::pieces::{Pieces, Unreadable};
use crate::script_info::{ExpectedStatus, program_info};
use crate::script_options::ScriptOptions;
use crate::statistics::Grouped;
use crate::watchdog::Watchdog;

/// The exit code after a mistake of ours.
const INTERNAL: u8 = 2;

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
    logging::start(options.verbosity);
    let format = match (options.worker, options.json) {
        (Some(parent), _) if !shem_decide::tie_to(parent) => {
            let _ = writeln!(err, "shem: process {parent} is not there");
            return FAILURE;
        }
        (Some(_), _) => AnswerFormat::Report,
        (None, true) => AnswerFormat::Json,
        (None, false) => AnswerFormat::Word,
    };
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
    reader: ScriptReader,
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
    mistakes: usize,
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
    error: Option<Value>,
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
enum Reply {
    /// Nothing that was asked for, so that `success` is an answer.
    Success,
    /// It was answered, or is not due an answer.
    Nothing,
}

impl Session<'_> {
    fn run(&mut self, path: &Path, opened: Option<(Vec<u8>, Box<dyn Read>)>) -> Result<(), Halt> {
        let name = input::name(path);
        let _ = self.begin_reading();
        let input = match (opened, self.options.worker) {
            (Some((first, rest)), _) => input::open_stream(first, rest),
            (None, None) => input::open(path),
            (None, Some(_)) => match self.options.exchange {
                Some(bytes) => input::read_first(bytes).map(Input::Whole),
                None => input::read(path).map(Input::Whole),
            },
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
        if !self.asked && self.options.worker.is_none() {
            let _ = writeln!(self.err, "shem: note: {name} asks for nothing: there is no check-sat");
        }
        Ok(())
    }

    /// Tells why there is no more text.
    fn unreadable(&mut self, unreadable: Unreadable<'_>) -> Result<Halt, Halt> {
        match unreadable {
            Unreadable::Input(message) => Ok(self.fail(&message)),
            Unreadable::Text(source, error) => self.mistake(source, &error),
        }
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
            Reply::Success if self.script.print_success && !self.options.json && self.is_chosen() => {
                writeln!(self.out, "success")
            }
            _ => Ok(()),
        }
    }

    /// Whether what the script asks now is to be answered: `--check` may have chosen another part of it.
    fn is_chosen(&self) -> bool {
        self.options.check.is_none_or(|number| number == self.checks)
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

    /// Answers what is asked; nothing if the session is over.
    fn answer(
        &mut self,
        request: &Request,
        span: Span,
        rest: &Lexer<'_>,
        source: Source<'_>,
    ) -> Result<Option<Reply>, Halt> {
        if let Request::Check { system, query, .. } = request {
            (self.checks, self.asked) = (self.checks + 1, true);
            if !self.is_chosen() {
                return Ok(Some(Reply::Nothing));
            }
            if let Some(stage) = self.options.dump_graph {
                return self.dump_graph(system, stage).map(|()| None);
            }
            self.check(system, (span, *query), rest, source)?;
            let over = self.options.worker.is_some() || self.interrupted();
            return Ok((!over).then_some(Reply::Nothing));
        }
        let reply = match request {
            Request::Timeout(limit) => {
                self.timeout = limit.map(Duration::from_millis).or(self.options.run.check_time);
                Reply::Success
            }
            Request::Reset => {
                (self.script, self.timeout) = (ScriptOptions::default(), self.options.run.check_time);
                self.out.turn("stdout")?;
                self.err.turn("stderr")?;
                Reply::Success
            }
            Request::Status(status) => {
                self.status.expect(Some(status));
                Reply::Success
            }
            Request::SetOption { keyword, value, span } => {
                return self.set_option((keyword, value), *span, source).map(Some);
            }
            // In JSON there are only verdicts.
            _ if self.options.json || !self.is_chosen() => Reply::Nothing,
            Request::GetModel => {
                self.give("model", |verdict| matches!(verdict, Verdict::Sat(_)))?;
                Reply::Nothing
            }
            Request::GetProof => {
                self.give("proof", |verdict| matches!(verdict, Verdict::Unsat(_)))?;
                Reply::Nothing
            }
            Request::Echo(content) => {
                writeln!(self.out, "{}", escape_string(content))?;
                Reply::Nothing
            }
            Request::GetInfo(keyword) => {
                let info = self.info(keyword);
                writeln!(self.out, "{info}")?;
                Reply::Nothing
            }
            Request::GetOption(keyword) => {
                let value =
                    channel::name_of(&self.out, &self.err, keyword).or_else(|| self.script.get(keyword));
                writeln!(self.out, "{}", value.as_deref().unwrap_or("unsupported"))?;
                Reply::Nothing
            }
            Request::Check { .. } => Reply::Nothing,
        };
        self.asked |= matches!(reply, Reply::Nothing);
        Ok(Some(reply))
    }

    /// Sets an option. One that is not supported is said so only where answers are expected: other solvers' options
    /// stand in many scripts, and the first line of output is to be the verdict.
    fn set_option(
        &mut self,
        (keyword, value): (&str, &str),
        span: Span,
        source: Source<'_>,
    ) -> Result<Reply, Halt> {
        // A report has a channel of its own, and so has the object of JSON.
        let fixed = self.options.worker.is_some() || self.options.json;
        let supported = match channel::turn(&mut self.out, &mut self.err, keyword, value) {
            Some(_) if fixed => Ok(true),
            Some(turned) => {
                turned.map(|()| true).map_err(|message| ReadError::new(ErrorKind::Unsupported, span, message))
            }
            None => self.script.set(&shem_term::smtlib::Attribute { keyword, value, span }),
        };
        match supported {
            Ok(true) => Ok(Reply::Success),
            Ok(false) => {
                if self.script.print_success && !self.options.json {
                    writeln!(self.out, "unsupported")?;
                }
                Ok(Reply::Nothing)
            }
            Err(error) => {
                let halt = self.mistake(source, &error)?;
                if self.options.run.continued_execution { Ok(Reply::Nothing) } else { Err(halt) }
            }
        }
    }

    fn info(&self, keyword: &str) -> String {
        match (&self.last, keyword) {
            (Some(LastCheck { verdict: Verdict::Unknown(reason), .. }), ":reason-unknown") => {
                format!("(:reason-unknown {})", escape_string(&reason.to_string()))
            }
            (_, ":assertion-stack-levels") => {
                format!("(:assertion-stack-levels {})", self.reader.level_count())
            }
            _ => {
                let continued = self.options.run.continued_execution;
                program_info(keyword, continued).unwrap_or("unsupported").to_owned()
            }
        }
    }

    /// How witnesses are written.
    pub(super) fn form<'t>(&self, text: &'t [u8]) -> print::Form<'t> {
        let Options { dialect, proof_format, expand_derivation: expand, .. } = *self.options;
        print::Form { dialect, proof_format, expand, text: utf8(text) }
    }

    /// Answers what a script asks for after a check. What there is not is an error, but no mistake: the script may ask
    /// for both a model and a proof.
    fn give(&mut self, what: &str, wanted: fn(&Verdict) -> bool) -> Result<(), Halt> {
        self.complete_witness(wanted)?;
        let missing = match &self.last {
            Some(last) if !wanted(&last.verdict) => {
                Some(format!("there is no {what}: the answer is {}", last.verdict.word()))
            }
            Some(last) if is_unwanted(&last.verdict) => Some(format!("there is no {what}: none was found")),
            Some(last) => last.verdict.missing().map(|reason| format!("there is no {what}: {reason}")),
            None => Some(format!("there is no {what}: nothing was checked")),
        };
        match missing {
            Some(_) if self.options.dialect == Dialect::Z3 => {
                writeln!(self.out, "(error {})", escape_string(&format!("{what} is not available")))?;
            }
            Some(message) => writeln!(self.out, "(error {})", escape_string(&message))?,
            None => {
                // Asked twice, it is given twice; after --print-witness it stands there already.
                if let Some(last) = self.last.as_mut().filter(|_| !self.options.print_witness) {
                    last.printed = false;
                }
                self.print_witness(wanted)?;
            }
        }
        Ok(())
    }

    /// Prints the witness of the last check if its verdict is wanted and it was not printed yet.
    pub(super) fn print_witness(&mut self, wanted: fn(&Verdict) -> bool) -> io::Result<()> {
        let Some(mut last) = self.last.take() else { return Ok(()) };
        if !wanted(&last.verdict) || last.printed {
            self.last = Some(last);
            return Ok(());
        }
        last.printed = true;
        self.prune(&Arc::clone(&last.system), &mut last.verdict);
        let text = Arc::clone(&self.text);
        let form = self.form(&text);
        let last = self.last.insert(last);
        let since = Instant::now();
        let result = print::witness(&mut self.out, &mut self.store, &last.system, &last.verdict, form);
        self.statistics.set("time.print", since.elapsed().as_secs_f64());
        if let Err(error) = &result {
            writeln!(self.err, "no witness: {error}")?;
        }
        result
    }

    /// Puts a smaller model in the place of one that is to be printed, if it is found quickly.
    pub(super) fn prune(&mut self, system: &System, verdict: &mut Verdict) {
        let Verdict::Sat(Witness::Found(model)) = verdict else { return };
        if self.options.no_pruning {
            return;
        }
        let since = Instant::now();
        let elapsed = (!self.options.solve.deterministic).then(|| self.watchdog.elapsed());
        let smaller = smaller_model(&mut self.store, system, model, elapsed, &StopToken::new());
        if let Some(smaller) = smaller.model {
            *model = smaller;
        }
        self.statistics.set("time.prune", since.elapsed().as_secs_f64());
        self.statistics.set("model.characters.found", smaller.found as u64);
        self.statistics.set("model.characters.printed", smaller.left as u64);
    }

    /// Writes the certificate of the last check, if its model was found.
    pub(super) fn write_certificate(&mut self) -> io::Result<()> {
        let Some(folder) = &self.options.print_certificate else { return Ok(()) };
        let Some(mut last) = self.last.take() else { return Ok(()) };
        if !last.printed {
            self.prune(&Arc::clone(&last.system), &mut last.verdict);
        }
        let last = self.last.insert(last);
        let Verdict::Sat(Witness::Found(model)) = &last.verdict else { return Ok(()) };
        let mut text = Vec::new();
        write_model(&mut text, &self.store, &last.system, model)?;
        let (script, model) = (String::from_utf8_lossy(&self.text), String::from_utf8_lossy(&text));
        let time = self.options.solve.witness_budget;
        let since = Instant::now();
        let written = certificate::write(folder, &script, &model, time);
        self.statistics.set("time.certificate", since.elapsed().as_secs_f64());
        match written {
            Err(error) => {
                self.incomplete = true;
                writeln!(self.err, "shem: {}: {error}", folder.display())
            }
            Ok(missing) => {
                self.incomplete |= !missing.is_empty();
                missing.iter().try_for_each(|reason| writeln!(self.err, "no certificate: {reason}"))
            }
        }
    }

    /// Prints the graph of a system.
    pub(super) fn dump_graph(&mut self, system: &System, stage: Stage) -> Result<(), Halt> {
        let token = self.watchdog.begin(None);
        let mut graph = read_graph(&mut self.store, system, &mut self.statistics);
        if stage == Stage::Preprocessed {
            let passes = self.options.solve.passes();
            graph = preprocess(&mut self.store, graph, &passes, &token, &mut self.statistics).graph;
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
        if self.options.json && self.options.dump_graph.is_none() && self.options.worker.is_none() {
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

    /// Tells of a mistake in the text; gives what ends the session, if it is to end.
    pub(super) fn mistake(&mut self, source: Source<'_>, error: &ReadError) -> Result<Halt, Halt> {
        self.mistakes += 1;
        self.asked = true;
        if self.options.json {
            let place = source.locate(error.span.start);
            self.error = Some(json::error(&error.message, Some((source.name, place.line, place.column))));
            writeln!(self.err, "{}", Diagnostic { source, error })?;
        } else {
            report(&Diagnostic { source, error }, &mut self.out, &mut self.err)?;
        }
        Ok(Halt::Code(FAILURE))
    }

    /// Reading was stopped by a limit or a signal before anything was answered: the answer is unknown.
    pub(super) fn stopped(&mut self) -> Halt {
        let Some(cause) = self.watchdog.end() else { return Halt::Code(0) };
        if self.options.json {
            self.answers.push(serde_json::json!({ "answer": "unknown", "reason": cause.to_string() }));
        } else {
            let format =
                if self.options.worker.is_some() { AnswerFormat::Report } else { AnswerFormat::Word };
            let _ = write!(self.out, "{}", format.unknown(&cause));
        }
        let _ = self.out.flush();
        let _ = writeln!(self.err, "shem: unknown: {cause}");
        Halt::Code(0)
    }

    /// A mistake that has no place in the text.
    pub(super) fn fail(&mut self, message: &str) -> Halt {
        self.refuse(message);
        let _ = writeln!(self.err, "shem: {message}");
        Halt::Code(FAILURE)
    }

    /// A mistake of ours.
    pub(super) fn withhold(&mut self, fault: &Fault) -> Halt {
        self.refuse(&fault.to_string());
        let _ = writeln!(self.err, "shem: {fault}; the answer is withheld");
        Halt::Code(INTERNAL)
    }

    fn refuse(&mut self, message: &str) {
        if self.options.json {
            self.error = Some(json::error(message, None));
        } else {
            let _ = writeln!(self.out, "(error {})", escape_string(message));
            let _ = self.out.flush();
        }
    }
}

/// A text that has been read, which therefore is UTF-8.
fn utf8(text: &[u8]) -> &str {
    std::str::from_utf8(text).unwrap_or_default()
}
