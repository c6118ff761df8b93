//! A worker of a portfolio: one engine on one check, whose report goes to the process that started it.
//!
//! It is the same run as any other with one engine, except for what is written: the verdict as soon as the engine
//! has it, then the witness as it is, since whoever started the worker judges it anyway.
//!
//! Workers that exchange what they learn do so as processes that join a run do: the engine has a port at a hub, and a
//! relay stands between the hub and a link, whose streams are the standard ones. What is learnt goes out as lines of
//! the report; what others have learnt comes in after the problem. The thread of the relay writes to standard output,
//! too, so that is locked as long as lines of the report belong together.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use shem_base::{Statistics, StopToken};
use shem_chc::System;
use shem_decide::report::{LONGEST_LINE, ReportWriter, Subject, Word};
use shem_engine::{Events, Port, Progress};
use shem_exchange::{CAPACITY, Hub, HubPort, Relay, Share, StreamLink, Translator};
use shem_smt::Recorder;
use shem_term::Store;
use shem_transform::Preprocessed;

use super::answer::{Answer, Verdict, Witness};
use super::decide::{Listener, Purpose, decide};
use super::dump::Folder;
use super::options::SolveOptions;
use crate::guard::{Cause, Guard};

/// Between two messages on progress.
const REFRESH: Duration = Duration::from_millis(200);

/// How long one who gives up may take to pass on what it has learnt.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// What is written if the program has to be ended.
pub(super) fn last_report(cause: &Cause) -> String {
    format!("failure {cause}\n")
}

/// What a worker has to do.
pub(super) struct Task<'a> {
    pub(super) system: &'a Arc<System>,
    pub(super) solve: &'a SolveOptions,
    pub(super) subject: Subject,
    /// Whether to exchange what is learnt with other workers.
    pub(super) exchange: bool,
}

/// The connection to other workers.
struct Exchange {
    port: HubPort,
    relay: Relay,
    stop: StopToken,
    /// What was said of how much was of use.
    taken: u64,
}

/// Tells of the search in the report.
struct Teller<'a, W: Write> {
    report: ReportWriter<W>,
    folder: Option<&'a mut Folder>,
    told: Instant,
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
        let hub = Hub::new(2, CAPACITY);
        let translator = Arc::new(Translator::new(store, system, Arc::clone(preprocessed)));
        let link = StreamLink::new(io::stdout(), io::stdin()).with_longest(LONGEST_LINE);
        let stop = StopToken::new();
        // Verdicts of other workers are for whoever started them.
        let (relay, _) = Relay::start(Box::new(link), hub.seat(1), sender, stop.clone()).ok()?;
        let port = HubPort::new(hub.seat(0), sender, share).with_translator(translator);
        Some(Exchange { port, relay, stop, taken: 0 })
    }

    /// Ends the connection, at the latest after so long, if there is something left to be said; gives the figures.
    fn end(self, wait: Duration) -> Statistics {
        let mut statistics = Statistics::new();
        let counters = self.port.counters();
        statistics.merge_prefixed("port", &counters.statistics());
        let silent = counters.sent == 0;
        let report = self.relay.finish(None, &self.stop, if silent { Duration::ZERO } else { wait });
        statistics.merge_prefixed("relay", &report.statistics());
        statistics
    }
}

impl<W: Write> Events for Teller<'_, W> {
    fn progress(&mut self, progress: Progress) {
        let now = Instant::now();
        if now - self.told >= REFRESH {
            self.told = now;
            let _whole = io::stdout().lock();
            // Nobody is left to be told if this fails, and then this process is about to end.
            let _ = self.report.progress(progress.depth, progress.lemmas);
            self.tell_taken();
        }
    }

    fn port(&mut self) -> Option<&mut dyn Port> {
        self.exchange.as_mut().map(|exchange| &mut exchange.port as &mut dyn Port)
    }

    fn recorder(&mut self) -> Option<Recorder> {
        self.folder.as_mut()?.recorder()
    }
}

impl<W: Write> Teller<'_, W> {
    /// Says how much of what others have learnt was of use, if that is new.
    fn tell_taken(&mut self) {
        let Some(exchange) = &mut self.exchange else { return };
        let count = exchange.port.counters().taken;
        if std::mem::replace(&mut exchange.taken, count) != count {
            let _ = self.report.taken(count);
        }
    }
}

impl<W: Write> Listener for Teller<'_, W> {
    fn prepared(&mut self, store: &Store, system: &Arc<System>, preprocessed: &Arc<Preprocessed>) {
        if let Some(share) = self.share.take() {
            self.exchange = Exchange::begin(store, system, preprocessed, share);
        }
    }

    fn claimed(&mut self, safe: bool) {
        let _whole = io::stdout().lock();
        self.tell_taken();
        let _ = self.report.claim(if safe { Word::Sat } else { Word::Unsat });
    }

    fn certified(&mut self) {
        let _whole = io::stdout().lock();
        let _ = self.report.certificate();
    }
}

/// Decides the system and reports.
pub(super) fn report(
    store: &mut Store,
    task: &Task<'_>,
    (guard, token): (&Guard, &StopToken),
    folder: Option<&mut Folder>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let &Task { system, solve, subject, exchange } = task;
    let report = ReportWriter::begin(out, subject)?;
    let share = exchange.then_some(solve.share);
    let mut teller = Teller { report, folder, told: Instant::now(), share, exchange: None };
    let result = decide(store, system, solve, Purpose::Report, token, &mut teller);
    let cause = guard.end();
    crate::memory::answered();
    let exchanged = teller.exchange.take().map(|exchange| {
        // One who gives up leaves what it has learnt to others; nobody needs that after a verdict.
        let decided = result.as_ref().is_ok_and(|answer| !matches!(answer.verdict, Verdict::Unknown(_)));
        exchange.end(if decided { Duration::ZERO } else { LAST_WORDS })
    });
    // From here on nobody else writes.
    let _whole = io::stdout().lock();
    let mut report = teller.report;
    let Answer { verdict, engine, mut statistics, .. } = match result {
        Ok(answer) => answer,
        Err(fault) => return report.failure(&fault.to_string()),
    };
    if let (Some(cause), Verdict::Unknown(_)) = (cause, &verdict) {
        return report.failure(&cause.to_string());
    }
    if let Some(exchanged) = exchanged {
        statistics.merge_prefixed(engine, &exchanged);
    }
    report.engine(engine)?;
    report.statistics(&statistics)?;
    let word = match &verdict {
        Verdict::Unknown(reason) => return report.unknown(&reason.to_string()),
        Verdict::Sat(witness) => {
            if let Witness::Found(model) = witness {
                report.model(store, system, model)?;
            }
            Word::Sat
        }
        Verdict::Unsat(witness) => {
            if let Witness::Found(derivation) = witness {
                report.derivation(derivation)?;
            }
            Word::Unsat
        }
    };
    if let Some(reason) = verdict.missing() {
        report.missing(&reason.to_string())?;
    }
    report.verdict(word)
}
