//! A script from the command line: everything that it asks, answered in order.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shem_base::{Statistics, StopToken};
use shem_chc::{Request, Script, System, write_dot, write_model};
use shem_decide::report::Subject;
use shem_decide::{
    Answer, Cause, Engines, Fault, Launch, Purpose, QueryFolder, Reporter, SolveOptions, Verdict, Witness,
    decide, preprocess, read_graph, smaller_model,
};
use shem_term::Store;
use shem_term::smtlib::{Span, escape_string};

use super::certificate;
use super::listener::Listener;
use super::options::{Options, Stage};
use super::print;
use crate::diagnostic::{Diagnostic, FAILURE, Source, decode, fail, report};
use crate::dialect::Dialect;
use crate::memory::{self, AnswerFormat};
use crate::script_info::{ExpectedStatus, program_info};
use crate::watchdog::Watchdog;
use crate::{input, logging};

/// The exit code after a mistake of ours.
const INTERNAL: u8 = 2;

/// How long a model is made smaller before it is printed: so long, and this part of the time so far. Most models take a
/// few milliseconds; judging the result may take as long again.
const PRUNING_TIME: Duration = Duration::from_millis(150);
const PRUNING_PART: u32 = 25;

/// A session ends early, with this exit code; the reason has been written.
struct Halt(u8);

impl From<io::Error> for Halt {
    /// The output cannot be written.
    fn from(_: io::Error) -> Halt {
        Halt(FAILURE)
    }
}

/// Runs the script at this path, or this text if it has been read already; gives the exit code.
pub(crate) fn run(
    path: &Path,
    text: Option<Vec<u8>>,
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
        out,
        err,
        watchdog: Watchdog::start(options.run.time(), options.memory, format),
        store: Store::new(),
        last: None,
        status: ExpectedStatus::default(),
        timeout: options.run.check_time,
        queries: None,
        text: Arc::default(),
        checks: 0,
        statistics: Statistics::new(),
        incomplete: false,
        objects: Vec::new(),
    };
    match session.run(path, text, format) {
        Ok(()) => session.finish(),
        Err(Halt(code)) => code,
    }
}

/// The state of a run.
struct Session<'a> {
    options: &'a Options,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    watchdog: Watchdog,
    store: Store,
    last: Option<LastCheck>,
    status: ExpectedStatus,
    /// The limit that the script sets for each check.
    timeout: Option<Duration>,
    queries: Option<QueryFolder>,
    /// What was read.
    text: Arc<Vec<u8>>,
    /// The number of checks so far.
    checks: u64,
    statistics: Statistics,
    /// Whether a certificate could not be completed.
    incomplete: bool,
    /// The answers so far, as JSON.
    objects: Vec<Value>,
}

/// The last check of the script.
struct LastCheck {
    system: Arc<System>,
    verdict: Verdict,
    /// Whether the witness has been printed.
    printed: bool,
}

impl Session<'_> {
    fn run(&mut self, path: &Path, text: Option<Vec<u8>>, format: AnswerFormat) -> Result<(), Halt> {
        let options = self.options;
        let name = input::name(path);
        let token = self.watchdog.begin(None);
        let since = Instant::now();
        let bytes = match (text, options.exchange.filter(|_| options.worker.is_some())) {
            (Some(text), _) => Ok(text),
            (None, Some(bytes)) => input::read_first(bytes),
            (None, None) => input::read(path),
        };
        self.text = Arc::new(bytes.map_err(|error| self.fail(&format!("{name}: {error}")))?);
        let text = Arc::clone(&self.text);
        let source = decode(&name, &text, self.out, self.err)?.ok_or(Halt(FAILURE))?;
        let script = self.read(source, &token, format)?;
        self.statistics.set("time.read", since.elapsed().as_secs_f64());
        self.open_queries()?;
        if let Some(stage) = options.dump_graph {
            return self.dump_graph(&script, stage);
        }
        for (at, request) in script.requests.iter().enumerate() {
            self.checks += u64::from(matches!(request, Request::Check { .. }));
            if options.check.is_some_and(|number| number != self.checks) {
                continue;
            }
            self.answer(request, &script.requests[at + 1..], source)?;
            if self.interrupted() {
                break;
            }
        }
        if self.last.is_none() {
            log::info!("{name}: there is no check-sat");
        }
        Ok(())
    }

    fn read(&mut self, source: Source<'_>, token: &StopToken, format: AnswerFormat) -> Result<Script, Halt> {
        let script = Script::read(&mut self.store, source.text, token);
        match (script, self.watchdog.end()) {
            (Ok(script), _) => Ok(script),
            (Err(error), None) => {
                report(&Diagnostic { source, error: &error }, self.out, self.err)?;
                Err(Halt(FAILURE))
            }
            // Reading may end with an error because it was stopped.
            (Err(_), Some(cause)) => {
                write!(self.out, "{}", format.unknown(&cause))?;
                writeln!(self.err, "shem: unknown: {cause}")?;
                self.out.flush()?;
                Err(Halt(0))
            }
        }
    }

    /// Makes the folder for the queries of the engine. In other processes engines make their own.
    fn open_queries(&mut self) -> Result<(), Halt> {
        let Some(folder) = &self.options.run.dump_queries else { return Ok(()) };
        if self.options.solve.engines == Engines::One {
            let created = QueryFolder::new(folder);
            let fail = |error| self.fail(&format!("{}: {error}", folder.display()));
            self.queries = Some(created.map_err(fail)?);
        }
        Ok(())
    }

    fn interrupted(&self) -> bool {
        matches!(self.watchdog.fatal(), Some(Cause::Signal(_)))
    }

    fn answer(&mut self, request: &Request, rest: &[Request], source: Source<'_>) -> Result<(), Halt> {
        match request {
            Request::Check { system, span, query } => self.check(system, (*span, *query), rest, source)?,
            Request::Timeout(limit) => {
                self.timeout = limit.map(Duration::from_millis).or(self.options.run.check_time);
            }
            Request::Status(status) => self.status.expect(Some(status)),
            // In JSON there are only verdicts.
            _ if self.options.json => {}
            Request::GetModel => self.give("model", |verdict| matches!(verdict, Verdict::Sat(_)))?,
            Request::GetProof => self.give("proof", |verdict| matches!(verdict, Verdict::Unsat(_)))?,
            Request::Echo(content) => writeln!(self.out, "{}", escape_string(content))?,
            Request::GetInfo(keyword) => {
                let info = self.info(keyword);
                writeln!(self.out, "{info}")?;
            }
            Request::GetOption(_) => writeln!(self.out, "unsupported")?,
        }
        Ok(())
    }

    fn check(
        &mut self,
        system: &Arc<System>,
        (span, query): (Span, bool),
        rest: &[Request],
        source: Source<'_>,
    ) -> Result<(), Halt> {
        self.out.flush()?;
        let (options, launch) = (self.solve_options(rest), self.launch());
        let token = self.watchdog.begin(self.timeout);
        let purpose = if self.options.worker.is_some() { Purpose::Report } else { Purpose::Answer };
        let request = shem_decide::Request { system, options: &options, purpose, launch: Some(&launch) };
        if purpose == Purpose::Report {
            let subject = Subject::new(&self.text, self.checks);
            let share = self.options.exchange.map(|_| options.share);
            let mut reporter = Reporter::begin(&mut *self.out, subject, share, self.queries.as_mut())?;
            let result = decide(&mut self.store, &request, &token, &mut reporter);
            let cause = self.watchdog.end();
            return Ok(reporter.finish(&mut self.store, system, result, cause)?);
        }
        self.watchdog.set_engine("preprocessing");
        let queries = self.queries.as_mut();
        let mut listener = Listener { watchdog: &self.watchdog, queries, err: &mut *self.err };
        let result = decide(&mut self.store, &request, &token, &mut listener);
        let cause = self.watchdog.end();
        let mut answer = result.map_err(|fault| self.withhold(&fault))?;
        if let Some(cause) = cause {
            answer.verdict.blame(cause);
        }
        let word = answer.verdict.word();
        self.tell(system, answer, query)?;
        Ok(self.status.compare(word, source, span, self.err)?)
    }

    /// How to decide a check, given what the script asks after it.
    fn solve_options(&self, rest: &[Request]) -> SolveOptions {
        let options = self.options;
        let asked = || {
            let mut before_check =
                rest.iter().take_while(|request| !matches!(request, Request::Check { .. }));
            before_check.any(|request| matches!(request, Request::GetModel | Request::GetProof))
        };
        let printed = options.print_witness || options.print_model || options.print_certificate.is_some();
        let wanted = printed || options.validate;
        let mut solve = SolveOptions {
            witness: wanted || options.compute_witness.unwrap_or_else(asked),
            validate: options.validate,
            ..options.solve.clone()
        };
        if options.worker.is_some() {
            solve.engines = Engines::One;
        }
        solve
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
            queries: options.run.dump_queries.clone(),
        }
    }

    /// Writes an answer: the verdict and the witness on the output, what else there is to know on standard error.
    fn tell(&mut self, system: &Arc<System>, mut answer: Answer, query: bool) -> io::Result<()> {
        let options = self.options;
        let Answer { shape_read, shape, engine, checked, .. } = &answer;
        log::info!("as read: {shape_read}; preprocessed: {shape}; decided by {engine}");
        let mut comments = match (&answer.verdict, answer.verdict.missing()) {
            (Verdict::Unknown(reason), _) => format!("shem: unknown: {reason}\n"),
            (_, Some(reason)) => format!("no witness: {reason}\n"),
            _ => String::new(),
        };
        if options.validate && !matches!(answer.verdict, Verdict::Unknown(_)) {
            comments += &format!("shem: checked: {checked}\n");
        }
        self.statistics.merge_prefixed("", &answer.statistics);
        self.statistics.add(&format!("checked.{checked}"), 1);
        if options.json {
            if options.print_witness {
                self.prune(system, &mut answer.verdict);
            }
            let read = self.statistics.get("time.read").unwrap_or(0.0.into());
            answer.statistics.set("time.read", read);
            answer.statistics.set("time.total", self.watchdog.elapsed().as_secs_f64());
            let text = Arc::clone(&self.text);
            let form = options.print_witness.then(|| self.form(&text));
            self.objects.push(print::object(&mut self.store, system, &answer, form));
        } else {
            let word = match (&answer.verdict, query && options.dialect == Dialect::Z3) {
                (Verdict::Sat(_), true) => "unsat",
                (Verdict::Unsat(_), true) => "sat",
                (verdict, _) => verdict.word(),
            };
            writeln!(self.out, "{word}")?;
        }
        self.last =
            Some(LastCheck { system: Arc::clone(system), verdict: answer.verdict, printed: options.json });
        if options.print_witness {
            self.print_witness(|_| true)?;
        } else if options.print_model {
            self.print_witness(|verdict| matches!(verdict, Verdict::Sat(_)))?;
        }
        self.out.flush()?;
        write!(self.err, "{comments}")?;
        self.write_certificate()
    }

    /// Writes the certificate of the last check, if its model was found.
    fn write_certificate(&mut self) -> io::Result<()> {
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
        let missing = certificate::write(folder, &script, &model, time);
        match missing {
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

    /// Puts a smaller model in the place of one that is to be printed, if it is found quickly.
    fn prune(&mut self, system: &System, verdict: &mut Verdict) {
        let Verdict::Sat(Witness::Found(model)) = verdict else { return };
        if self.options.no_pruning {
            return;
        }
        let since = Instant::now();
        let time = PRUNING_TIME + self.watchdog.elapsed() / PRUNING_PART;
        let pruned = smaller_model(&mut self.store, system, model, time, &StopToken::new());
        if let Some(smaller) = pruned {
            *model = smaller;
        }
        self.statistics.set("time.prune", since.elapsed().as_secs_f64());
    }

    /// How witnesses are written.
    fn form<'t>(&self, text: &'t [u8]) -> print::Form<'t> {
        let Options { dialect, proof_format, expand_derivation: expand, .. } = *self.options;
        print::Form { dialect, proof_format, expand, text: utf8(text) }
    }

    /// Answers what a script asks for after a check.
    fn give(&mut self, what: &str, wanted: fn(&Verdict) -> bool) -> io::Result<()> {
        let found = |last: &LastCheck| wanted(&last.verdict) && last.verdict.missing().is_none();
        if self.options.dialect == Dialect::Z3 && !self.last.as_ref().is_some_and(found) {
            return writeln!(self.out, "(error {})", escape_string(&format!("{what} is not available")));
        }
        self.print_witness(wanted)
    }

    /// Prints the witness of the last check if its verdict is wanted and it was not printed yet.
    fn print_witness(&mut self, wanted: fn(&Verdict) -> bool) -> io::Result<()> {
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
        let result = print::witness(self.out, &mut self.store, &last.system, &last.verdict, form);
        self.statistics.set("time.print", since.elapsed().as_secs_f64());
        if let Err(error) = &result {
            writeln!(self.err, "no witness: {error}")?;
        }
        result
    }

    fn info(&self, keyword: &str) -> String {
        match &self.last {
            Some(LastCheck { verdict: Verdict::Unknown(reason), .. }) if keyword == ":reason-unknown" => {
                format!("(:reason-unknown {})", escape_string(&reason.to_string()))
            }
            _ => program_info(keyword).unwrap_or("unsupported").to_owned(),
        }
    }

    /// Prints the graph of the first system.
    fn dump_graph(&mut self, script: &Script, stage: Stage) -> Result<(), Halt> {
        let first = script.requests.iter().find_map(|request| match request {
            Request::Check { system, .. } => Some(system),
            _ => None,
        });
        let token = self.watchdog.begin(None);
        let mut graph = read_graph(&mut self.store, first.unwrap_or(&script.system), &mut self.statistics);
        if stage == Stage::Preprocessed {
            let passes = self.options.solve.passes();
            graph = preprocess(&mut self.store, graph, &passes, &token, &mut self.statistics).graph;
        }
        self.watchdog.end();
        Ok(write_dot(&mut self.out, &self.store, &graph)?)
    }

    /// Writes what comes after all answers; gives the exit code.
    fn finish(&mut self) -> u8 {
        let run = &self.options.run;
        let contradicted = run.check_status && self.status.contradictions > 0;
        let mut code = if contradicted || self.incomplete { FAILURE } else { 0 };
        if self.options.json && self.options.dump_graph.is_none() {
            let text = match &self.objects[..] {
                [only] => only.to_string(),
                checks => json!({ "checks": checks }).to_string(),
            };
            if writeln!(self.out, "{text}").is_err() {
                code = FAILURE;
            }
        }
        if run.statistics || self.interrupted() {
            self.statistics.set("time.total", self.watchdog.elapsed().as_secs_f64());
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
        Halt(fail(message, self.out, self.err))
    }

    /// A mistake of ours.
    fn withhold(&mut self, fault: &Fault) -> Halt {
        let _ = writeln!(self.out, "(error {})", escape_string(&fault.to_string()));
        let _ = self.out.flush();
        let _ = writeln!(self.err, "shem: {fault}; the answer is withheld");
        Halt(INTERNAL)
    }
}

/// A text that has been read, which therefore is UTF-8.
fn utf8(text: &[u8]) -> &str {
    std::str::from_utf8(text).unwrap_or_default()
}
