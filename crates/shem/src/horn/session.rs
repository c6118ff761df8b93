//! A script from the command line: everything that it asks, answered in order.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use libshem::Limits;
use serde_json::{Map, Value, json};
use shem_base::{Budget, Meter, Statistic, Statistics};
use shem_chc::{Request, Script, System};
use shem_decide::report::Subject;
use shem_decide::{
    Answer, Cause, Engines, Fault, Launch, Observer, Purpose, QueryFolder, Reporter, Verdict, decide,
    preprocess, read_graph,
};
use shem_engine::{Events, Progress};
use shem_smt::Recorder;
use shem_term::Store;
use shem_term::smtlib::{ReadError, Span, escape_string};

use super::options::{Options, Stage};
use super::print;
use crate::diagnostic::{Diagnostic, Source, report, report_encoding};
use crate::guard::{Board, Guard};
use crate::input;
use crate::logging;
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
    logging::start(options.verbosity);
    // An allocation above the limit is refused only when the search had the time to notice the limit.
    let ceiling = options.memory.map(|limit| limit.saturating_add(limit / 4).saturating_add(64_000_000));
    let (form, last_words): (Form, fn(&Cause) -> String) = match (options.worker, options.json) {
        (Some(parent), _) if !shem_decide::tie_to(parent) => {
            let _ = writeln!(err, "shem: process {parent} is not there");
            return FAILURE;
        }
        (Some(_), _) => (Form::Report, last_report),
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
        queries: None,
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
    json!({ "answer": "unknown", "reason": cause.to_string() }).to_string() + "\n"
}

fn last_report(cause: &Cause) -> String {
    format!("failure {cause}\n")
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
    queries: Option<QueryFolder>,
    /// What was read.
    text: Arc<Vec<u8>>,
    /// The number of checks so far.
    checks: u64,
    statistics: Statistics,
    /// The answers so far, as JSON.
    objects: Vec<Value>,
}

/// Listens to a decision: progress goes to the guard, queries to files, warnings to standard error.
struct Listener<'a> {
    board: Board,
    queries: Option<&'a mut QueryFolder>,
    err: &'a mut dyn Write,
}

impl Observer for Listener<'_> {
    fn engine(&mut self, name: &'static str) {
        self.board.name(name);
    }

    fn queries_of(&mut self, part: &str) -> Option<QueryFolder> {
        self.queries.as_ref()?.part(part)
    }

    fn warning(&mut self, words: &str) {
        self.board.clear();
        let _ = writeln!(self.err, "shem: warning: {words}");
    }
}

impl Events for Listener<'_> {
    fn progress(&mut self, progress: Progress) {
        log::trace!("depth {}, lemmas {}", progress.depth, progress.lemmas);
        self.board.progress(progress);
    }

    fn metered(&mut self, meter: &Meter) {
        self.board.metered(meter);
    }

    fn recorder(&mut self) -> Option<Recorder> {
        self.queries.as_mut()?.recorder()
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
            && self.options.solve.engines == Engines::One
        {
            match QueryFolder::new(folder) {
                Ok(folder) => self.queries = Some(folder),
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
        if self.last.is_none() {
            log::info!("{name}: there is no check-sat");
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
        let worker = options.worker.is_some();
        if worker {
            solve.engines = Engines::One;
        }
        let purpose = if worker { Purpose::Report } else { Purpose::Answer };
        let launch = self.launch();
        let request = shem_decide::Request { system, options: &solve, purpose, launch: Some(&launch) };
        if worker {
            let subject = Subject::new(&self.text, self.checks);
            let share = options.exchange.map(|_| solve.share);
            let mut reporter = Reporter::begin(&mut *self.out, subject, share, self.queries.as_mut())?;
            let result = decide(&mut self.store, &request, &token, &mut reporter);
            let cause = self.guard.end();
            memory::answered();
            return Ok(reporter.finish(&mut self.store, system, result, cause)?);
        }
        let board = self.guard.board("preprocessing");
        let mut listener = Listener { board, queries: self.queries.as_mut(), err: &mut *self.err };
        let result = decide(&mut self.store, &request, &token, &mut listener);
        let cause = self.guard.end();
        memory::answered();
        let mut answer = match result {
            Ok(answer) => answer,
            Err(fault) => return Err(self.withhold(&fault)),
        };
        if let Some(cause) = cause {
            answer.verdict.blame(cause);
        }
        self.statistics.merge_prefixed("", &answer.statistics);
        log::info!(
            "as read: {}; preprocessed: {}; decided by {}",
            answer.shape_read,
            answer.shape,
            answer.engine
        );
        if options.json {
            let object = self.object(system, &answer);
            self.objects.push(object);
        } else {
            writeln!(self.out, "{}", answer.verdict.word())?;
            if options.print_witness {
                self.print_witness(system, &answer.verdict)?;
            }
            self.out.flush()?;
        }
        let Answer { verdict, checked, .. } = answer;
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

    /// How workers are started.
    fn launch(&self) -> Launch {
        let options = self.options;
        let memory = options.memory.or_else(|| usize::try_from(shem_decide::memory()?).ok());
        Launch {
            text: Arc::clone(&self.text),
            check: self.checks,
            words: options.engine_words.clone(),
            jobs: options.jobs(),
            memory: memory.map(|all| all.saturating_sub(memory::used())),
            queries: options.dump_queries.clone(),
        }
    }

    /// The answer as an object of JSON.
    fn object(&mut self, system: &System, answer: &Answer) -> Value {
        let Answer { verdict, engine, checked, shape_read, shape, statistics, .. } = answer;
        let (mut times, mut counts) = (Map::new(), Map::new());
        let mut all = statistics.clone();
        all.set("time.read", self.statistics.get("time.read").unwrap_or(0.0.into()));
        all.set("time.total", self.guard.elapsed().as_secs_f64());
        // What is measured differs from run to run; what is counted does not.
        for (name, figure) in all.iter() {
            match figure {
                Statistic::Count(count) => counts.insert(name.to_owned(), count.into()),
                Statistic::Measure(measure) => {
                    times.insert(name.strip_prefix("time.").unwrap_or(name).to_owned(), measure.into())
                }
            };
        }
        let reason = match verdict {
            Verdict::Unknown(reason) => Some(reason.to_string()),
            _ => None,
        };
        let witness = if self.options.print_witness { self.witness_text(system, verdict) } else { None };
        let mut object = json!({
            "answer": verdict.word(),
            "reason": reason,
            "witness": witness,
            "no_witness": verdict.missing().map(ToString::to_string),
            "checked": checked.to_string(),
            "engine": engine,
            "shape": shape_read.to_string(),
            "preprocessed_shape": shape.to_string(),
            "times": times,
            "counts": counts,
            "memory": memory::peak(),
        });
        if let Value::Object(members) = &mut object {
            members.retain(|name, value| name == "witness" || !value.is_null());
        }
        object
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
        let token = self.guard.begin(None);
        let mut graph = read_graph(&mut self.store, script.first_system(), &mut self.statistics);
        if stage == Stage::Preprocessed {
            let passes = self.options.solve.passes();
            graph = preprocess(&mut self.store, graph, &passes, &token, &mut self.statistics).graph;
        }
        self.guard.end();
        Ok(print::graph(self.out, &self.store, &graph)?)
    }

    /// Says what is left to say; gives the exit code.
    fn finish(&mut self) -> u8 {
        let interrupted = matches!(self.guard.fatal(), Some(Cause::Signal(_)));
        let mut code = if self.options.check_status && self.surprises > 0 { FAILURE } else { DONE };
        if self.options.json && self.options.dump_graph.is_none() {
            let text = match &self.objects[..] {
                [only] => only.to_string(),
                checks => json!({ "checks": checks }).to_string(),
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
        if let Some(folder) = &self.queries {
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
