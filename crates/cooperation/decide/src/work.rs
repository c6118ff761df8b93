//! A worker: it runs one engine on the graph that it was given, and reports what it finds.
//!
//! The graph comes by standard input and was prepared by the process that has started the worker. What the worker says is
//! about this graph, and nothing of it is believed there: the verdict is written as soon as the engine has it, then the
//! witness, which that process translates back and judges.
//!
//! Workers that exchange what they learn do so as processes that join a run do: the engine has a port at a hub, and a
//! relay stands between the hub and a link, whose streams are the standard ones. What is learnt goes out as lines of
//! the report; what others have learnt comes in after the graph. The thread of the relay writes to standard output,
//! too, so that is locked as long as lines of the report belong together.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{Derivation, EdgeId, Fingerprint, Graph, clauses_of, read_graph_text};
use shem_engine::{Events, Outcome, Port, Progress, Proven, WitnessError, WitnessSource};
use shem_exchange::{
    FormulaLimits, Hub, HubPort, QUEUE_CAPACITY, Relay, SentWitness, Share, StreamLink, Translator,
};
use shem_smt::Recorder;
use shem_term::Store;
use shem_term::smtlib::ReadError;

use crate::answer::{Status, Verdict, Witness};
use crate::clock::stop_after;
use crate::demand::building_time;
use crate::observer::Observer;
use crate::options::{Checking, SolveOptions};
use crate::parts::model_of;
use crate::queries::QueryFolder;
use crate::reason::Cause;
use crate::report::{Line, ReportWriter, Subject};
use crate::runner::run_engine;

/// Between two messages on progress.
const REFRESH: Duration = Duration::from_millis(200);

/// How long a worker that gives up may take to send what it has learnt.
const LAST_NOTES_TIME: Duration = Duration::from_millis(50);

/// The connection to other workers.
struct Exchange {
    port: HubPort,
    relay: Relay,
    /// How many of the received formulas the engine has used, as far as that was reported.
    taken: u64,
}

/// What a worker was asked to do.
pub struct Work<'a> {
    /// The text of the graph.
    pub text: &'a str,
    /// The engine, and how long witnesses are built.
    pub options: &'a SolveOptions,
    /// What is shared with other workers, and the fingerprint of the graph that messages are about.
    pub exchange: Option<(Share, Fingerprint)>,
    /// Where queries are written.
    pub queries: Option<&'a mut QueryFolder>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// The graph cannot be read.
    #[error("the graph cannot be read: {}", .0.message)]
    Graph(ReadError),
    /// The report cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// Runs the engine of a worker and writes its report. The cause is asked for when the engine was stopped.
pub fn work(
    out: impl Write,
    work: Work<'_>,
    stop: &StopToken,
    cause: &mut dyn FnMut() -> Option<Cause>,
) -> Result<(), WorkError> {
    let started = Instant::now();
    let Work { text, options, exchange, queries } = work;
    let mut store = Store::new();
    let graph = read_graph_text(&mut store, text).map_err(WorkError::Graph)?;
    let report = ReportWriter::begin(out, Subject::new(text.as_bytes(), 1))?;
    let exchange = exchange.and_then(|(share, about)| Exchange::begin(&mut store, &graph, about, share));
    let mut reporter = Reporter { report, queries, last_progress: Instant::now(), exchange };
    let engine_stop = options.verdict_time.map(|time| stop_after(stop, time));
    let engine_stop = engine_stop.as_ref().map_or(stop, |(token, _)| token);
    let how = (options.seed, true, true);
    let (outcome, statistics) =
        run_engine(&mut store, &graph, &options.configured(&options.engine), how, engine_stop, &mut reporter);
    let has_certificate = matches!(&outcome, Outcome::Safe(proven) if proven.certificate.is_some());
    let time = building_time(options, has_certificate, started.elapsed());
    let (token, _scheduled) = stop_after(stop, time);
    let mut budget = Budget::until(token);
    let system = clauses_of(&mut store, &graph);
    let found = match outcome {
        Outcome::Safe(proven) => {
            reporter.claim(Status::Sat);
            let Proven { witness, certificate } = proven;
            // Where there is nothing to check, nobody wants it.
            let certificate = certificate.filter(|_| options.checking != Checking::Trust);
            reporter.certificate(certificate.and_then(|own| own.pack(&mut store, &graph)));
            built(&mut store, witness, &mut budget).map(|witness| {
                let witness = witness.map(|found| Verdict::Sat(Witness::Found(model_of(&graph, &found))));
                (Status::Sat, witness)
            })
        }
        Outcome::Unsafe(witness) => {
            reporter.claim(Status::Unsat);
            built(&mut store, witness, &mut budget).map(|witness| {
                let witness = witness.map(|found: Derivation<EdgeId>| {
                    Verdict::Unsat(Witness::Found(found.map_rules(EdgeId::clause)))
                });
                (Status::Unsat, witness)
            })
        }
        Outcome::Unknown(reason) => {
            let line = cause()
                .map_or_else(|| Line::Unknown(reason.to_string()), |cause| Line::Failure(cause.to_string()));
            return Ok(reporter.end(&line)?);
        }
    };
    match found {
        Err(what) => Ok(reporter.end(&Line::Failure(what))?),
        Ok((status, witness)) => {
            let witness = witness.and_then(|verdict| verdict.sent(&mut store, &system, FormulaLimits::NONE));
            Ok(reporter.finish(status, options.engine.name(), statistics, witness)?)
        }
    }
}

/// The witness of an engine, or why there is none; the outer error says what is wrong with the engine.
fn built<W: 'static>(
    store: &mut Store,
    witness: WitnessSource<W>,
    budget: &mut Budget,
) -> Result<Result<W, String>, String> {
    match witness.get(store, budget) {
        Ok(witness) => Ok(Ok(witness)),
        Err(WitnessError::Broken(what)) => Err(what.into_owned()),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// Writes the report.
struct Reporter<'a, W: Write> {
    report: ReportWriter<W>,
    queries: Option<&'a mut QueryFolder>,
    last_progress: Instant,
    exchange: Option<Exchange>,
}

impl Exchange {
    /// Connects the engine that is to begin with other workers; alone it goes as well.
    fn begin(store: &mut Store, graph: &Graph, about: Fingerprint, share: Share) -> Option<Exchange> {
        let sender = u64::from(std::process::id());
        let hub = Hub::new(2, QUEUE_CAPACITY);
        let translator = Arc::new(Translator::new(store, graph, about));
        let link = StreamLink::new(io::stdout(), io::stdin());
        // Verdicts of other workers are for the process that started them.
        let (relay, _) = Relay::start(Box::new(link), Box::new(hub.endpoint(1)), sender).ok()?;
        let port = HubPort::new(hub.endpoint(0), sender, share).with_translator(translator);
        Some(Exchange { port, relay, taken: 0 })
    }

    /// Ends the connection, after at most this time if notes may be left to send; gives the figures.
    fn end(self, wait: Duration) -> Statistics {
        let mut statistics = Statistics::new();
        let counters = self.port.counters();
        statistics.merge_prefixed("port", &counters.statistics());
        let silent = counters.sent == 0;
        let report = self.relay.finish(None, if silent { Duration::ZERO } else { wait });
        statistics.merge_prefixed("relay", &report.statistics());
        statistics
    }
}

impl<W: Write> Events for Reporter<'_, W> {
    fn progress(&mut self, progress: Progress) {
        let now = Instant::now();
        if now - self.last_progress >= REFRESH {
            self.last_progress = now;
            let _whole = io::stdout().lock();
            // This fails if the process that reads the report is gone; then this one is about to end.
            let Progress { depth, lemmas } = progress;
            let _ = self.report.write(&Line::Progress { depth, lemmas });
            self.tell_taken();
        }
    }

    fn port(&mut self) -> Option<&mut dyn Port> {
        self.exchange.as_mut().map(|exchange| &mut exchange.port as &mut dyn Port)
    }

    fn recorder(&mut self) -> Option<Recorder> {
        self.queries.as_mut()?.recorder()
    }
}

impl<W: Write> Reporter<'_, W> {
    /// Says how much of what others have learnt was of use, if that is new.
    fn tell_taken(&mut self) {
        let Some(exchange) = &mut self.exchange else { return };
        let count = exchange.port.counters().taken;
        if std::mem::replace(&mut exchange.taken, count) != count {
            let _ = self.report.write(&Line::Taken(exchange.port.taken_from().collect()));
        }
    }

    /// Says what the engine has decided, before its evidence is there.
    fn claim(&mut self, status: Status) {
        let _whole = io::stdout().lock();
        self.tell_taken();
        let _ = self.report.write(&Line::Claim(status));
    }

    /// Sends the certificate of the engine, if it has one, while its witness is built.
    fn certificate(&mut self, text: Option<String>) {
        if let Some(text) = text {
            let _whole = io::stdout().lock();
            let _ = self.report.write(&Line::Certificate(text.into()));
        }
    }

    /// Ends the report with a verdict.
    fn finish(
        mut self,
        status: Status,
        engine: &str,
        mut statistics: Statistics,
        witness: Result<SentWitness, String>,
    ) -> io::Result<()> {
        if let Some(exchange) = self.exchange.take() {
            statistics.merge_prefixed(engine, &exchange.end(Duration::ZERO));
        }
        self.end(&Line::verdict(status, engine, &statistics, witness))
    }

    /// Ends the report with this line. A worker that gives up sends what it has learnt; after a verdict that is not
    /// needed.
    fn end(mut self, line: &Line) -> io::Result<()> {
        if let Some(exchange) = self.exchange.take() {
            exchange.end(LAST_NOTES_TIME);
        }
        // From here on no other thread writes.
        let _whole = io::stdout().lock();
        self.report.write(line)
    }
}

impl<W: Write> Observer for Reporter<'_, W> {}
