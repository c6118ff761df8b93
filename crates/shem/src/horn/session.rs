//! A script from the command line: everything that it asks, answered in order.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shem_base::{Budget, Meter, Statistic, Statistics};
use shem_chc::{Request, Script, System};
use shem_decide::report::Subject;
use shem_engine::{Events, Progress};
use shem_smt::Recorder;
use shem_term::Store;
use shem_term::smtlib::{ReadError, Span, escape_string};

use super::answer::{Answer, Verdict, Witness};
use super::decide::{self, Purpose, decide, preprocess, read_graph};
use super::dump::Folder;
use super::json::Object;
use super::options::{Engines, Options, Stage};
use super::reason::{Fault, NoWitness, Undecided};
use super::together::{Screen, Text, decide_together};
use super::{print, worker};
use crate::diagnostic::{Diagnostic, Source, report, report_encoding};
use crate::guard::{Board, Cause, Guard, Limits};
use crate::input;
use crate::memory::{self, Form};

/// The exit codes: a verdict, a mistake of the user, a mistake of ours.
const DONE: u8 = 0;
const FAILURE: u8 = 1;
const INTERNAL: u8 = 2;

/// Why a session ends early.
enum Halt {
    /// With this exit code; all has been said.
    Code(u8),
    /// The output is gone.
    Unwritable,
}

impl From<io::Error> for Halt {
    fn from(_: io::Error) -> Halt {
        Halt::Unwritable
    }
}

/// Runs the script at this path; gives the exit code.
pub(crate) fn run(path: &Path, options: &Options, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    // An allocation above the limit is refused only when the search had the time to notice the limit.
    let ceiling = options.memory.map(|limit| limit.saturating_add(limit / 4).saturating_add(64_000_000));
    let (form, last_words): (Form, fn(&Cause) -> String) = match (options.worker, options.json) {
        (Some(parent), _) if !shem_decide::tie_to(parent) => {
            let _ = writeln!(err, "shem: process {parent} is not there");
            return FAILURE;
        }
        (Some(_), _) => (Form::Report, worker::last_report),
        (None, true) => (Form::Object, last_object),
        (None, false) => (Form::Word, last_word),
    };
    memory::arm(ceiling, form);
    let limits = Limits { time: options.timeout, memory: options.memory };
    let mut session = Session {
        options,
        out,
        err,
        guard: Guard::start(limits, options.worker.is_some(), last_words),
        form,
        ceiling,
        store: Store::new(),
        last: None,
        expected: None,
        surprises: 0,
        timeout: None,
        folder: None,
        text: Arc::default(),
        checks: 0,
        statistics: Statistics::new(),
        objects: Vec::new(),
    };
    let code = match session.run(path) {
        Ok(()) => session.finish(),
        Err(Halt::Code(code)) => code,
        Err(Halt::Unwritable) => FAILURE,
    };
    memory::disarm();
    code
}

fn last_word(_: &Cause) -> String {
    "unknown\n".to_owned()
}

fn last_object(cause: &Cause) -> String {
    let mut object = Object::new();
    object.string("answer", "unknown");
    object.string("reason", &cause.to_string());
    object.finish() + "\n"
}

/// The state of a run.
struct Session<'a> {
    options: &'a Options,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    guard: Guard,
    /// What the allocator must not exceed.
    ceiling: Option<usize>,
    /// How the answer is given if memory runs out.
    form: Form,
    store: Store,
    /// The last check: its system and answer, and whether the witness has been printed.
    last: Option<(Arc<System>, Verdict, bool)>,
    /// The answer that the script expects of the next check.
    expected: Option<String>,
    surprises: usize,
    /// The limit that the script sets for each check.
    timeout: Option<Duration>,
    folder: Option<Folder>,
    /// What was read.
    text: Arc<Vec<u8>>,
    /// The number of checks so far.
    checks: u64,
    statistics: Statistics,
    /// The answers so far, as JSON.
    objects: Vec<Object>,
}

/// Listens to an engine: progress goes to the guard, queries to files.
struct Listener<'a> {
    board: Board,
    folder: Option<&'a mut Folder>,
}

impl decide::Listener for Listener<'_> {
    fn part(&mut self, name: &str) -> Option<Folder> {
        self.folder.as_ref()?.part(name)
    }
}

impl Events for Listener<'_> {
    fn progress(&mut self, progress: Progress) {
        self.board.progress(progress);
    }

    fn metered(&mut self, meter: &Meter) {
        self.board.metered(meter);
    }

    fn recorder(&mut self) -> Option<Recorder> {
        self.folder.as_mut()?.recorder()
    }
}

impl Session<'_> {
    fn run(&mut self, path: &Path) -> Result<(), Halt> {
        let name = input::name(path);
        let token = self.guard.begin(None);
        let since = Instant::now();
        let bytes = match self.options.exchange.filter(|_| self.options.worker.is_some()) {
            Some(bytes) => input::read_first(bytes),
            None => input::read(path),
        };
        let bytes = Arc::new(bytes.map_err(|error| self.fail(&format!("{name}: {error}")))?);
        self.text = Arc::clone(&bytes);
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => {
                report_encoding(&name, &bytes, error.valid_up_to(), self.out, self.err)?;
                return Err(Halt::Code(FAILURE));
            }
        };
        let source = Source::new(&name, text);
        let script = Script::read(&mut self.store, text, &token);
        self.statistics.set("time.read", since.elapsed().as_secs_f64());
        let cause = self.guard.end();
        memory::answered();
        let script = match (script, cause) {
            (Ok(script), _) => script,
            (Err(error), None) => return Err(self.refuse(source, &error)),
            // Reading may end with an error because it was stopped.
            (Err(_), Some(cause)) => {
                write!(
                    self.out,
                    "{}",
                    if self.options.json { last_object(&cause) } else { last_word(&cause) }
                )?;
                writeln!(self.err, "shem: unknown: {cause}")?;
                self.out.flush()?;
                return Err(Halt::Code(DONE));
            }
        };
        if let Some(folder) = &self.options.dump_queries
            && self.options.engines == Engines::One
        {
            match Folder::new(folder) {
                Ok(folder) => self.folder = Some(folder),
                Err(error) => return Err(self.fail(&format!("{}: {error}", folder.display()))),
            }
        }
        if let Some(stage) = self.options.dump_graph {
            return self.dump_graph(&script, stage);
        }
        let chosen = self.options.check;
        for (at, request) in script.requests.iter().enumerate() {
            if matches!(request, Request::Check { .. }) {
                self.checks += 1;
            }
            if chosen.is_some_and(|number| number != self.checks) {
                continue;
            }
            self.answer(request, &script.requests[at + 1..], source)?;
            if matches!(self.guard.fatal(), Some(Cause::Signal(_))) {
                break;
            }
        }
        if self.last.is_none() && self.options.verbosity > 0 {
            writeln!(self.err, "shem: {name}: there is no check-sat")?;
        }
        Ok(())
    }

    fn answer(&mut self, request: &Request, rest: &[Request], source: Source<'_>) -> Result<(), Halt> {
        match request {
            Request::Check { system, span } => return self.check(system, *span, rest, source),
            Request::Timeout(limit) => self.timeout = limit.map(Duration::from_millis),
            Request::Status(status) => self.expected = Some(status.clone()),
            Request::GetModel => self.print_again(true)?,
            Request::GetProof => self.print_again(false)?,
            Request::Echo(content) => self.line(&escape_string(content))?,
            Request::GetInfo(keyword) => {
                let info = self.info(keyword);
                self.line(&info)?;
            }
            Request::GetOption(_) => self.line("unsupported")?,
        }
        Ok(())
    }

    /// A line of output that is no verdict; there is none beside JSON.
    fn line(&mut self, text: &str) -> io::Result<()> {
        if self.options.json { Ok(()) } else { writeln!(self.out, "{text}") }
    }

    fn check(
        &mut self,
        system: &Arc<System>,
        span: Span,
        rest: &[Request],
        source: Source<'_>,
    ) -> Result<(), Halt> {
        self.out.flush()?;
        let options = self.options;
        memory::arm(self.ceiling, self.form);
        let later = rest.iter().take_while(|request| !matches!(request, Request::Check { .. }));
        let asked = later.filter(|r| matches!(r, Request::GetModel | Request::GetProof)).count() > 0;
        let mut solve = options.solve.clone();
        solve.witness = options.print_witness || options.validate || options.compute_witness.unwrap_or(asked);
        solve.validate = options.validate;
        let token = self.guard.begin(self.timeout);
        if options.worker.is_some() {
            let subject = Subject::new(&self.text, self.checks);
            let folder = self.folder.as_mut();
            let watch = (&self.guard, &token);
            let exchange = options.exchange.is_some();
            let task = worker::Task { system, solve: &solve, subject, exchange };
            return Ok(worker::report(&mut self.store, &task, watch, folder, self.out)?);
        }
        let result = if options.engines == Engines::One {
            let board = self.guard.board(solve.engine.name());
            let mut listener = Listener { board, folder: self.folder.as_mut() };
            decide(&mut self.store, system, &solve, Purpose::Answer, &token, &mut listener)
        } else {
            let text = Text { bytes: &self.text, check: self.checks };
            let mut screen = Screen { board: self.guard.board("portfolio"), err: self.err };
            decide_together(&mut self.store, system, options, &solve, &text, &token, &mut screen)
        };
        let cause = self.guard.end();
        memory::answered();
        let Answer { mut verdict, engine, checked, shape_read, shape, statistics, warnings } = match result {
            Ok(answer) => answer,
            Err(fault) => return Err(self.withhold(&fault)),
        };
        if let Some(cause) = cause {
            blame(&mut verdict, cause);
        }
        for warning in &warnings {
            writeln!(self.err, "shem: warning: {warning}")?;
        }
        self.statistics.merge_prefixed("", &statistics);
        if options.verbosity > 0 {
            writeln!(self.err, "shem: as read: {shape_read}; preprocessed: {shape}; decided by {engine}")?;
        }
        if options.json {
            let mut object = Object::new();
            object.string("answer", verdict.word());
            if let Verdict::Unknown(reason) = &verdict {
                object.string("reason", &reason.to_string());
            }
            let witness = if options.print_witness { self.witness_text(system, &verdict) } else { None };
            object.optional("witness", witness.as_deref());
            if let Some(reason) = verdict.missing() {
                object.string("no_witness", &reason.to_string());
            }
            object.string("checked", &checked.to_string());
            object.string("engine", engine);
            object.string("shape", &shape_read.to_string());
            object.string("preprocessed_shape", &shape.to_string());
            let mut times = statistics.clone();
            times.set("time.read", self.statistics.get("time.read").unwrap_or(0.0.into()));
            times.set("time.total", self.guard.elapsed().as_secs_f64());
            // What is measured differs from run to run; what is counted does not.
            let measured = |figure| matches!(figure, Statistic::Measure(_));
            object.figures("times", &times, |name, figure| {
                measured(figure).then_some(name.strip_prefix("time.").unwrap_or(name))
            });
            object.figures("counts", &statistics, |name, figure| (!measured(figure)).then_some(name));
            object.raw("memory", &memory::peak().to_string());
            self.objects.push(object);
        } else {
            writeln!(self.out, "{}", verdict.word())?;
            if options.print_witness {
                self.print_witness(system, &verdict)?;
            }
            self.out.flush()?;
        }
        match &verdict {
            Verdict::Unknown(reason) => writeln!(self.err, "shem: unknown: {reason}")?,
            verdict => {
                if let Some(reason) = verdict.missing() {
                    writeln!(self.err, "no witness: {reason}")?;
                }
                if options.validate {
                    writeln!(self.err, "shem: checked: {checked}")?;
                }
            }
        }
        self.statistics.add(&format!("checked.{checked}"), 1);
        self.compare(verdict.word(), source, span)?;
        self.last = Some((Arc::clone(system), verdict, options.print_witness));
        Ok(())
    }

    /// Prints the witness of the last check if it has the kind that is asked for and was not printed yet.
    fn print_again(&mut self, model: bool) -> io::Result<()> {
        if self.options.json {
            return Ok(());
        }
        let Some((system, verdict, mut printed)) = self.last.take() else { return Ok(()) };
        let fits = matches!((&verdict, model), (Verdict::Sat(_), true) | (Verdict::Unsat(_), false));
        let mut result = Ok(());
        if fits && !std::mem::replace(&mut printed, true) {
            result = self.print_witness(&system, &verdict);
        }
        self.last = Some((system, verdict, printed));
        result
    }

    fn print_witness(&mut self, system: &System, verdict: &Verdict) -> io::Result<()> {
        let (store, format) = (&mut self.store, self.options.proof_format);
        let result = print::witness(self.out, store, system, verdict, format, &mut Budget::unlimited());
        if let Err(error) = &result {
            writeln!(self.err, "no witness: {error}")?;
        }
        result
    }

    fn witness_text(&mut self, system: &System, verdict: &Verdict) -> Option<String> {
        let mut bytes = Vec::new();
        let (store, format) = (&mut self.store, self.options.proof_format);
        print::witness(&mut bytes, store, system, verdict, format, &mut Budget::unlimited()).ok()?;
        (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Compares the answer with the status that the script gave.
    fn compare(&mut self, answer: &str, source: Source<'_>, span: Span) -> io::Result<()> {
        let Some(expected) = self.expected.take() else { return Ok(()) };
        if !matches!((answer, &*expected), ("sat", "unsat") | ("unsat", "sat")) {
            return Ok(());
        }
        self.surprises += 1;
        let place = source.locate(span.start);
        let (name, line, column) = (source.name, place.line, place.column);
        writeln!(
            self.err,
            "{name}:{line}:{column}: warning: the answer is {answer}, the status is {expected}"
        )
    }

    fn info(&self, keyword: &str) -> String {
        match (keyword, &self.last) {
            (":name", _) => "(:name \"Shem\")".to_owned(),
            (":version", _) => format!("(:version \"{}\")", env!("CARGO_PKG_VERSION")),
            (":authors", _) => "(:authors \"the Shem developers\")".to_owned(),
            (":error-behavior", _) => "(:error-behavior immediate-exit)".to_owned(),
            (":reason-unknown", Some((_, Verdict::Unknown(reason), _))) => {
                format!("(:reason-unknown {})", escape_string(&reason.to_string()))
            }
            _ => "unsupported".to_owned(),
        }
    }

    /// Prints the graph of the first system.
    fn dump_graph(&mut self, script: &Script, stage: Stage) -> Result<(), Halt> {
        let first = script.requests.iter().find_map(|request| match request {
            Request::Check { system, .. } => Some(system),
            _ => None,
        });
        let system = Arc::clone(first.unwrap_or(&script.system));
        let token = self.guard.begin(None);
        let mut graph = read_graph(&mut self.store, &system, &mut self.statistics);
        if stage == Stage::Preprocessed {
            let solve = &self.options.solve;
            graph = preprocess(&mut self.store, graph, solve, &token, &mut self.statistics).graph;
        }
        self.guard.end();
        Ok(print::graph(self.out, &self.store, &graph)?)
    }

    /// Says what is left to say; gives the exit code.
    fn finish(&mut self) -> u8 {
        let interrupted = matches!(self.guard.fatal(), Some(Cause::Signal(_)));
        let mut code = if self.options.check_status && self.surprises > 0 { FAILURE } else { DONE };
        if self.options.json && self.options.dump_graph.is_none() {
            let mut objects: Vec<String> = self.objects.drain(..).map(Object::finish).collect();
            let text = match &mut objects[..] {
                [only] => std::mem::take(only),
                all => {
                    let mut object = Object::new();
                    object.raw("checks", &format!("[{}]", all.join(",")));
                    object.finish()
                }
            };
            if writeln!(self.out, "{text}").is_err() {
                code = FAILURE;
            }
        }
        if self.options.statistics || interrupted {
            self.statistics.set("time.total", self.guard.elapsed().as_secs_f64());
            self.statistics.set("memory.peak", memory::peak() as u64);
            let _ = write!(self.err, "{}", self.statistics);
        }
        if let Some(folder) = &self.folder {
            if let Some(error) = folder.failure() {
                let _ = writeln!(self.err, "shem: the queries could not be written: {error}");
                code = FAILURE;
            } else if folder.is_empty() && self.last.is_some() {
                let _ =
                    writeln!(self.err, "shem: no queries were written: no solver of an engine was recorded");
            }
        }
        if self.out.flush().is_err() { FAILURE } else { code }
    }

    /// A mistake that has no place in the text.
    fn fail(&mut self, message: &str) -> Halt {
        let _ = writeln!(self.out, "(error {})", escape_string(message));
        let _ = self.out.flush();
        let _ = writeln!(self.err, "shem: {message}");
        Halt::Code(FAILURE)
    }

    /// A mistake in the text.
    fn refuse(&mut self, source: Source<'_>, error: &ReadError) -> Halt {
        match report(&Diagnostic { source, error }, self.out, self.err) {
            Ok(()) => Halt::Code(FAILURE),
            Err(error) => error.into(),
        }
    }

    /// A mistake of ours.
    fn withhold(&mut self, fault: &Fault) -> Halt {
        let message = fault.to_string();
        let _ = writeln!(self.out, "(error {})", escape_string(&message));
        let _ = self.out.flush();
        let _ = writeln!(self.err, "shem: {message}; the answer is withheld");
        Halt::Code(INTERNAL)
    }
}

/// Names the cause where the engine or the builder of the witness only knows that it was stopped.
fn blame(verdict: &mut Verdict, cause: Cause) {
    match verdict {
        Verdict::Unknown(reason) => *reason = Undecided::Ended(cause),
        Verdict::Sat(Witness::Missing(reason)) | Verdict::Unsat(Witness::Missing(reason)) => {
            *reason = NoWitness::Ended(cause);
        }
        _ => {}
    }
}
