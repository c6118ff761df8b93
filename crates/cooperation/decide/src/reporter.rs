//! A worker's side of its report: the decision as it is made, told to the process that started the worker.
//!
//! It is the same run as any other with one engine, except for what is written: the verdict as soon as the engine has
//! it, then the witness without a check, since the process that started the worker judges it anyway.
//!
//! Workers that exchange what they learn do so as processes that join a run do: the engine has a port at a hub, and a
//! relay stands between the hub and a link, whose streams are the standard ones. What is learnt goes out as lines of
//! the report; what others have learnt comes in after the problem. The thread of the relay writes to standard output,
//! too, so that is locked as long as lines of the report belong together.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use shem_base::Statistics;
use shem_chc::System;
use shem_engine::{Events, Port, Progress};
use shem_exchange::{
    FormulaLimits, Hub, HubPort, QUEUE_CAPACITY, Relay, SentWitness, Share, StreamLink, Translator,
};
use shem_smt::Recorder;
use shem_term::Store;
use shem_transform::Preprocessed;

use crate::answer::{Answer, Status};
use crate::observer::Observer;
use crate::queries::QueryFolder;
use crate::reason::{Cause, Fault};
use crate::report::{Line, ReportWriter, Subject};

/// Between two messages on progress.
const REFRESH: Duration = Duration::from_millis(200);

/// How long a worker that gives up may take to send what it has learnt.
const LAST_NOTES_TIME: Duration = Duration::from_millis(50);

/// The connection to other workers.
struct Exchange {
    port: HubPort,
    relay: Relay,
    /// What was reported of how much was of use.
    taken: u64,
}

/// Tells of a decision in a report.
pub struct Reporter<'a, W: Write> {
    report: ReportWriter<W>,
    queries: Option<&'a mut QueryFolder>,
    last_progress: Instant,
    /// What is shared, until it is known what to share it about.
    share: Option<Share>,
    exchange: Option<Exchange>,
}

impl Exchange {
    /// Connects the engine that is to begin with other workers; alone it goes as well.
    fn begin(
        store: &Store,
        system: &Arc<System>,
        preprocessed: &Arc<Preprocessed>,
        share: Share,
    ) -> Option<Exchange> {
        let sender = u64::from(std::process::id());
        let hub = Hub::new(2, QUEUE_CAPACITY);
        let translator = Arc::new(Translator::new(store, system, Arc::clone(preprocessed)));
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

impl<'a, W: Write> Reporter<'a, W> {
    /// Begins a report about this. What is learnt is exchanged with other workers if there is something to share.
    pub fn begin(
        out: W,
        subject: Subject,
        share: Option<Share>,
        queries: Option<&'a mut QueryFolder>,
    ) -> io::Result<Reporter<'a, W>> {
        let report = ReportWriter::begin(out, subject)?;
        Ok(Reporter { report, queries, last_progress: Instant::now(), share, exchange: None })
    }

    /// Says how much of what others have learnt was of use, if that is new.
    fn tell_taken(&mut self) {
        let Some(exchange) = &mut self.exchange else { return };
        let count = exchange.port.counters().taken;
        if std::mem::replace(&mut exchange.taken, count) != count {
            let _ = self.report.write(&Line::Taken(exchange.port.taken_from().collect()));
        }
    }

    /// Ends the report with what was decided, or with the cause that ended it. The store is that of the witness.
    pub fn finish(
        mut self,
        store: &mut Store,
        system: &System,
        result: Result<Answer, Fault>,
        cause: Option<Cause>,
    ) -> io::Result<()> {
        let exchanged = self.exchange.take().map(|exchange| {
            // A worker that gives up sends what it has learnt; after a verdict that is not needed.
            let decided = result.as_ref().is_ok_and(|answer| answer.verdict.status().is_ok());
            exchange.end(if decided { Duration::ZERO } else { LAST_NOTES_TIME })
        });
        // From here on no other thread writes.
        let _whole = io::stdout().lock();
        let line = match result {
            Err(fault) => Line::Failure(fault.to_string()),
            Ok(Answer { verdict, engine, mut statistics, .. }) => match (verdict.status(), cause) {
                (Ok(status), _) => {
                    if let Some(exchanged) = exchanged {
                        statistics.merge_prefixed(engine, &exchanged);
                    }
                    let witness = verdict.sent(store, system, FormulaLimits::NONE);
                    Line::verdict(status, engine, &statistics, witness)
                }
                (Err(_), Some(cause)) => Line::Failure(cause.to_string()),
                (Err(reason), None) => Line::Unknown(reason.to_string()),
            },
        };
        self.report.write(&line)
    }
}

impl<W: Write> Observer for Reporter<'_, W> {
    fn prepared(&mut self, store: &Store, system: &Arc<System>, preprocessed: &Arc<Preprocessed>) {
        if let Some(share) = self.share.take() {
            self.exchange = Exchange::begin(store, system, preprocessed, share);
        }
    }

    fn claimed(&mut self, status: Status, cores: usize) {
        let _whole = io::stdout().lock();
        self.tell_taken();
        let _ = self.report.write(&Line::Claim(status, cores));
    }

    fn certified(&mut self, certificate: Option<&SentWitness>) {
        let _whole = io::stdout().lock();
        let _ = self.report.write(&Line::Certified);
        if let Some(certificate) = certificate {
            let _ = self.report.write(&Line::Certificate(certificate.into()));
        }
    }
}
