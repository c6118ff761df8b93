//! Workers: several engines on one problem, each in a process of its own.
//!
//! Workers are started, stopped and continued as the [`Schedule`] says, and report what they find ([`crate::report`]).
//! One that fails is dropped, and the others go on. One that has decided goes before all others until its evidence is
//! there. What they learn is a line of a report; it is put, unread, into the inboxes of all others, and from there
//! written to their standard input; who receives it checks it. When there is an answer, workers are killed; none is
//! left, since dropping a worker kills it.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::task::Poll;
use std::time::{Duration, Instant};

use shem_base::{Statistics, StopToken};
use shem_chc::System;
use shem_engine::{Preparation, Registry};
use shem_exchange::{Hub, LocalExchange};
use shem_term::Store;

use super::schedule::Schedule;
use super::worker::{News, Reported, Worker};
use super::{Ending, Event, Runner};
use crate::answer::Status;
use crate::assignment::Assignment;
use crate::entry::Entry;
use crate::evidence::{Claim, Evidence, Findings, Remote};
use crate::judge::Accepted;
use crate::observer::{Exchanged, Observer, Running, Told, Used};
use crate::options::SolveOptions;
use crate::prepare::{PREPROCESSING, Prepared, Variant};
use crate::reason::{MEGABYTE, Undecided};
use crate::report::Signal;
use crate::translation::Translation;

/// Between two looks at the stop token.
const PERIOD: Duration = Duration::from_millis(10);

/// What one worker may have in the inbox of another: messages and bytes.
const INBOX_MESSAGES: usize = 256;
const INBOX_BYTES: usize = 1 << 20;

/// A problem for workers.
pub struct Job {
    /// The program that workers run, with its first arguments.
    pub program: Vec<OsString>,
    /// What all workers are told: settings of all entries, and the folder that has one for the queries of each.
    pub common: Assignment,
    /// What distinguishes the workers, the most promising first.
    pub entries: Vec<Entry>,
    /// How many cores may be busy.
    pub jobs: usize,
    /// Whether a verdict counts as soon as it is claimed.
    pub trusts: bool,
    /// The bytes of memory that all workers together may use.
    pub memory: Option<usize>,
    /// When the run will be stopped, if that is known.
    pub deadline: Option<Instant>,
}

impl Job {
    /// The entry of this number with the settings of all.
    pub(super) fn entry(&self, number: usize) -> Entry {
        let own = &self.entries[number];
        Entry::new(own.engine(), self.common.entry.settings().iter().chain(own.settings()).cloned())
    }

    /// How the graph is prepared for the entry of this number.
    fn preparation(&self, number: usize) -> Preparation {
        let options = self.entry(number).options(&Registry::standard(), &SolveOptions::default());
        options.map(|options| options.preparation()).unwrap_or_default()
    }

    /// Whether some entries see bits and others integers, and tell each other invariants.
    fn translates(&self) -> bool {
        self.common.exchange.is_some_and(|(share, _)| share.invariants)
            && Preparation::differ_in_bits((0..self.entries.len()).map(|i| self.preparation(i)))
    }
}

/// A worker that was started before the others, on the graph as it was read, while that was prepared for them.
pub struct Early {
    entry: Entry,
    worker: Worker,
    variant: Arc<Variant>,
    channel: (Sender<News>, Receiver<News>),
}

impl Early {
    /// Starts the first worker of a job, if that can be done.
    pub fn start(job: &Job, store: &mut Store, variant: Arc<Variant>) -> Option<Early> {
        let entry = job.entries.first()?.clone();
        let text = Arc::clone(&variant.sent(store).ok()?.text);
        let channel = channel();
        let worker = Worker::start(0, job, &text, None, channel.0.clone()).ok()?;
        log::debug!("starting the worker {entry} on the graph as it was read");
        Some(Early { entry, worker, variant, channel })
    }
}

/// What an entry says.
#[derive(Clone)]
struct WorkerClaim {
    status: Status,
    /// Its certificate, once that has come.
    certificate: Option<Arc<str>>,
    /// What it has sent, once that has come.
    findings: Option<Arc<Findings>>,
}

/// Runs workers.
pub struct Processes {
    job: Job,
    schedule: Schedule,
    turn_over: Instant,
    workers: Vec<Option<Worker>>,
    /// The numbers of the processes that have ended, and what they have reported.
    ended: Vec<Option<(u64, Reported)>>,
    /// Where workers exchange what they have learnt; the last two endpoints are for other processes and for the
    /// translation.
    hub: Option<Hub<Arc<str>>>,
    translates: bool,
    translation: Option<Translation>,
    /// The graphs that workers were given.
    variants: Vec<Option<Arc<Variant>>>,
    /// What each entry says and was not rejected.
    claims: Vec<Option<WorkerClaim>>,
    /// Workers that wait while a claim is judged, though it is their turn.
    paused: Vec<usize>,
    /// Ends the preparation of graphs.
    stop: StopToken,
    /// Handed to the threads of new workers.
    sender: Sender<News>,
    news: Receiver<News>,
    /// When a verdict was accepted.
    accepted: Option<Instant>,
    statistics: Statistics,
}

impl Processes {
    /// The workers of a job; they are started when it is their turn. One may have been started before, and is the first
    /// entry. The token ends the preparation of graphs.
    pub fn new(mut job: Job, early: Option<Early>, stop: StopToken) -> Processes {
        let ((sender, news), first) = match early {
            Some(Early { entry, worker, variant, channel }) => {
                job.entries.insert(0, entry);
                (channel, Some((worker, variant)))
            }
            None => (channel(), None),
        };
        let tasks = job.entries.iter().map(|entry| (entry.weight, entry.delay));
        let count = job.entries.len();
        let translates = job.translates();
        let mut processes = Processes {
            schedule: Schedule::new(job.jobs, tasks),
            turn_over: Instant::now(),
            workers: job.entries.iter().map(|_| None).collect(),
            ended: vec![None; count],
            hub: job.common.exchange.map(|_| {
                let hub = Hub::bounded(count + 2, INBOX_MESSAGES, INBOX_BYTES);
                hub.endpoint(count).close();
                if !translates {
                    hub.endpoint(count + 1).close();
                }
                hub
            }),
            translates,
            translation: None,
            variants: vec![None; count],
            claims: vec![None; count],
            paused: Vec::new(),
            stop,
            sender,
            news,
            accepted: None,
            statistics: Statistics::new(),
            job,
        };
        if let Some((worker, variant)) = first {
            (processes.workers[0], processes.variants[0]) = (Some(worker), Some(variant));
        }
        processes
    }

    /// Starts, stops and continues workers.
    fn next_turn(
        &mut self,
        store: &mut Store,
        prepared: &mut Prepared,
        observer: &mut dyn Observer,
    ) -> Option<Event> {
        let (stop, start) = self.schedule.next_turn();
        for i in stop {
            if let Some(worker) = &self.workers[i] {
                worker.suspend();
            }
        }
        let mut event = None;
        for i in start {
            match &self.workers[i] {
                Some(worker) => worker.resume(),
                None => {
                    observer.entered(i, &self.job.entries[i].to_string());
                    event = self.start(i, store, prepared).or(event);
                }
            }
        }
        let team = self.workers.iter().enumerate().filter_map(|(i, worker)| {
            let worker = worker.as_ref()?;
            Some(Running {
                member: i,
                engine: engine_name(&self.job.entries[i]),
                progress: worker.progress(),
                memory: worker.resident(),
                has_turn: self.schedule.is_running(i),
                sent: self.hub.as_ref().map_or(0, |hub| hub.endpoint(i).sent()),
                taken: worker.taken(),
            })
        });
        observer.team(&team.collect::<Vec<_>>());
        self.statistics.add("portfolio.turns", 1);
        event
    }

    /// Starts a worker; gives what happens instead, if it is not started.
    fn start(&mut self, i: usize, store: &mut Store, prepared: &mut Prepared) -> Option<Event> {
        let preparation = self.job.preparation(i);
        let variant = prepared.variant(store, preparation, &self.stop);
        if preparation != Preparation::default()
            && let Some(outcome) = variant.decision(store, &self.stop)
        {
            self.remove_worker(i);
            let author = (i, self.job.entries[i].to_string(), PREPROCESSING);
            return Some(Event::of(author, None, variant, outcome, Statistics::new()));
        }
        let text = match variant.sent(store) {
            Ok(sent) => Arc::clone(&sent.text),
            Err(error) => return Some(self.fail(i, format!("its graph cannot be written: {error}"))),
        };
        self.variants[i] = Some(Arc::clone(&variant));
        log::debug!("starting the worker {}", self.job.entries[i]);
        self.statistics.add("portfolio.started", 1);
        let exchange = self.hub.as_ref().map(|hub| hub.endpoint(i)).map(|endpoint| {
            let common = Arc::clone(prepared.common(&variant));
            if let Some(translation) = self.translation(prepared) {
                translation.add(store, &common);
            }
            (endpoint, common.fingerprint(store))
        });
        let started = Worker::start(i, &self.job, &text, exchange, self.sender.clone());
        let error = started.map(|worker| self.workers[i] = Some(worker)).err()?;
        Some(self.fail(i, format!("it cannot be started: {error}")))
    }

    /// The translation between workers that see integers and those that see bits, if there are both.
    fn translation(&mut self, prepared: &Prepared) -> Option<&mut Translation> {
        let hub = self.hub.as_ref()?;
        if self.translation.is_none() && self.translates {
            let endpoint = hub.endpoint(self.job.entries.len() + 1);
            self.translation = Some(Translation::new(Box::new(endpoint), prepared, self.stop.clone()));
        }
        self.translation.as_mut()
    }

    /// Handles what a worker reports.
    fn take(&mut self, (i, signal): News) -> Event {
        match signal {
            Some(Signal::Claim(status)) => {
                self.claims[i] = Some(WorkerClaim { status, certificate: None, findings: None });
                self.schedule.prioritise(i);
                match self.job.trusts {
                    true => self.claim(i, status, Statistics::new()).map_or(Event::Nothing, Event::Claim),
                    false => Event::Nothing,
                }
            }
            Some(Signal::Certificate(text)) => {
                let Some(claim) = &mut self.claims[i] else { return Event::Nothing };
                claim.certificate = Some(text);
                let status = claim.status;
                // The worker goes on building the witness.
                self.make_room(2);
                self.claim(i, status, Statistics::new()).map_or(Event::Nothing, Event::Claim)
            }
            Some(Signal::Verdict(status, findings, statistics)) => {
                self.remove_worker(i);
                log::debug!("{} says {status}", self.job.entries[i]);
                let certificate = findings.certificate.clone();
                self.claims[i] =
                    Some(WorkerClaim { status, certificate, findings: Some(Arc::new(findings)) });
                self.make_room(1);
                self.claim(i, status, statistics).map_or(Event::Nothing, Event::Claim)
            }
            Some(Signal::Unknown(reason)) => {
                self.remove_worker(i);
                self.claims[i] = None;
                let (by, reason) = (self.job.entries[i].to_string(), Undecided::Reported(reason));
                Event::GaveUp { by, reason, statistics: Statistics::new() }
            }
            Some(Signal::Failure(reason)) => self.fail(i, reason),
            Some(Signal::Progress(..) | Signal::Taken(_) | Signal::Note(_)) => Event::Nothing,
            None => {
                let how = self.workers[i].as_mut().map(Worker::exit_reason).unwrap_or_default();
                self.fail(i, how)
            }
        }
    }

    /// Makes workers wait so that cores are free for judging a claim, and for who has made it.
    fn make_room(&mut self, cores: usize) {
        let waits = |&i: &usize| self.schedule.is_running(i) && self.claims[i].is_none();
        let running: Vec<usize> = (0..self.workers.len()).filter(waits).collect();
        for &i in running.iter().skip(self.job.jobs.saturating_sub(cores)) {
            if let Some(worker) = &self.workers[i] {
                worker.suspend();
                self.paused.push(i);
            }
        }
    }

    /// Lets those go on who have waited while a claim was judged.
    fn end_pause(&mut self) {
        for i in std::mem::take(&mut self.paused) {
            if let Some(worker) = self.workers[i].as_ref().filter(|_| self.schedule.is_running(i)) {
                worker.resume();
            }
        }
    }

    /// Ends the worker that uses most memory where all together use more than they may.
    fn keep_memory_limit(&mut self) -> Option<Event> {
        let limit = self.job.memory?;
        let used = |(i, worker): (usize, &Option<Worker>)| Some((worker.as_ref()?.resident()?, i));
        let used: Vec<(usize, usize)> = self.workers.iter().enumerate().filter_map(used).collect();
        let all: usize = used.iter().map(|&(bytes, _)| bytes).sum();
        if all <= limit || used.len() < 2 {
            return None;
        }
        let (bytes, largest) = used.into_iter().max()?;
        let megabytes = bytes / MEGABYTE;
        let what = "of the memory that all workers together may use";
        Some(self.fail(largest, format!("out of memory: it had {megabytes} MB, more than any other, {what}")))
    }

    /// The claim of a worker, with what it has sent so far.
    fn claim(&self, i: usize, status: Status, statistics: Statistics) -> Option<Claim> {
        let entry = &self.job.entries[i];
        let findings = self.claims[i].as_ref().and_then(|claim| claim.findings.clone());
        let findings = findings.unwrap_or_else(|| {
            let witness = Err("its evidence has not come".to_owned());
            let certificate = self.claims[i].as_ref().and_then(|claim| claim.certificate.clone());
            Arc::new(Findings { witness, certificate })
        });
        let witness_came = self.workers[i].as_ref().map(Worker::ended);
        let evidence =
            Evidence::Remote(Remote { variant: self.variants[i].clone()?, findings, witness_came });
        let (by, engine) = (entry.to_string(), engine_name(entry));
        Some(Claim { member: i, by, engine, status, evidence, statistics })
    }

    /// Drops an entry because of a mistake of its own.
    fn fail(&mut self, i: usize, what: String) -> Event {
        self.remove_worker(i);
        self.reject(i);
        Event::Failed { by: self.job.entries[i].to_string(), what }
    }

    /// Ends a worker whose report is finished.
    fn remove_worker(&mut self, i: usize) {
        self.end_worker(i);
        self.schedule.finish(i);
    }

    fn end_worker(&mut self, i: usize) {
        if let Some(worker) = self.workers[i].take() {
            self.ended[i] = Some((worker.process(), worker.reported()));
        }
    }

    /// Ends all of these. The end of a process that has much memory takes a while, so they end at once.
    fn end_workers(&mut self, is_needless: impl Fn(usize) -> bool) {
        let needless: Vec<usize> = (0..self.workers.len()).filter(|&i| is_needless(i)).collect();
        for &i in &needless {
            if let Some(worker) = &mut self.workers[i] {
                worker.kill();
            }
        }
        needless.into_iter().for_each(|i| self.end_worker(i));
    }
}

impl Runner for Processes {
    fn next(&mut self, store: &mut Store, prepared: &mut Prepared, observer: &mut dyn Observer) -> Event {
        self.end_pause();
        if self.schedule.is_over() {
            return Event::Over;
        }
        if self.turn_over <= Instant::now() || self.schedule.needs_turn() {
            let event = self.next_turn(store, prepared, observer);
            self.turn_over = Instant::now() + self.schedule.turn();
            if let Some(event) = event.or_else(|| self.keep_memory_limit()) {
                return event;
            }
        }
        if let Some(translation) = &mut self.translation {
            translation.poll(store);
        }
        let since = Instant::now();
        let news = self.news.recv_timeout(self.turn_over.saturating_duration_since(since).min(PERIOD));
        self.schedule.pass(since.elapsed());
        match news {
            Ok(news) => self.take(news),
            // The sender is here, too.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                self.keep_memory_limit().unwrap_or(Event::Nothing)
            }
        }
    }

    fn size(&self) -> usize {
        // Among workers nothing counts that was not checked, even if there is only one.
        self.job.entries.len().max(2)
    }

    fn reject(&mut self, i: usize) {
        if let Some(claim) = self.claims.get_mut(i) {
            *claim = None;
            self.statistics.add("portfolio.dropped", 1);
        }
    }

    fn opposition(&mut self, status: Status, late: bool) -> Poll<Option<Claim>> {
        self.accepted.get_or_insert_with(Instant::now);
        // What has come already counts.
        while let Ok(news) = self.news.try_recv() {
            self.take(news);
        }
        // Workers that do not contradict the verdict are not needed any more.
        let contradicts: Vec<bool> = self
            .claims
            .iter()
            .map(|claim| claim.as_ref().is_some_and(|claim| claim.status != status))
            .collect();
        self.end_workers(|i| !contradicts[i]);
        let mut preparing = false;
        for i in (0..contradicts.len()).filter(|&i| contradicts[i]) {
            if let Some(worker) = self.workers[i].as_ref().filter(|_| !late) {
                worker.resume();
                preparing = true;
                continue;
            }
            let status = self.claims[i].as_ref().map(|claim| claim.status);
            if let Some(claim) = status.and_then(|status| self.claim(i, status, Statistics::new())) {
                return Poll::Ready(Some(claim));
            }
        }
        if preparing {
            std::thread::sleep(PERIOD);
            return Poll::Pending;
        }
        Poll::Ready(None)
    }

    fn finish(&mut self, _: &mut Store, _: &System, _: Option<&Accepted>) -> Ending {
        self.end_workers(|_| true);
        let mut statistics = std::mem::take(&mut self.statistics);
        if let Some(accepted) = self.accepted {
            // How long the others have lived since then.
            statistics.set("portfolio.stopping", accepted.elapsed().as_secs_f64());
        }
        for (i, entry) in self.job.entries.iter().enumerate() {
            let time = self.schedule.used(i).as_secs_f64();
            statistics.set(&format!("portfolio.time.{i}.{}", entry.engine()), time);
            if let Some(hub) = &self.hub {
                statistics.add("portfolio.stale", hub.endpoint(i).dropped());
                statistics.set(&format!("portfolio.sent.{i}.{}", entry.engine()), hub.endpoint(i).sent());
                let taken = self.ended[i].as_ref().map_or(0, |(_, reported)| reported.taken());
                statistics.set(&format!("portfolio.taken.{i}.{}", entry.engine()), taken);
            }
        }
        if let Some(translation) = &self.translation {
            statistics.merge_prefixed("portfolio", &translation.statistics());
        }
        Ending { statistics, warnings: Vec::new(), exchanged: self.exchanged() }
    }
}

impl Processes {
    /// Where lemmas of other processes come in and those for them go out.
    pub fn exchange(&self) -> Box<dyn LocalExchange> {
        let Some(hub) = &self.hub else { return Box::new(()) };
        let endpoint = hub.endpoint(self.job.entries.len());
        endpoint.open();
        Box::new(endpoint)
    }

    /// What workers have told each other.
    fn exchanged(&self) -> Exchanged {
        let mut exchanged = Exchanged::default();
        let ended = || self.ended.iter().enumerate().filter_map(|(i, ended)| Some((i, ended.as_ref()?)));
        for (member, (_, reported)) in ended() {
            let told = reported.told.iter().map(|(at, text)| Told { member, at: *at, text: text.clone() });
            exchanged.told.extend(told);
            for &(sender, count) in &reported.taken {
                let found = ended().find(|(_, (process, _))| Some(*process) == sender);
                exchanged.used.push(Used { by: member, from: found.map(|(i, _)| i), count });
            }
        }
        exchanged.told.sort_by_key(|told| told.at);
        exchanged
    }
}

/// The engine's name in this program.
fn engine_name(entry: &Entry) -> &'static str {
    Registry::standard().engine(entry.engine()).map_or("portfolio", |engine| engine.name)
}
