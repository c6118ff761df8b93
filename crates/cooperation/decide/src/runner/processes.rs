//! Workers: several engines on one problem, each in a process of its own.
//!
//! Workers are started, stopped and continued as the [`Schedule`] says, and report what they find ([`crate::report`]).
//! One that fails is dropped, and the others go on. One that has decided goes before all others until its evidence is
//! there. What they learn is a line of a report; it is put, unread, into the inboxes of all others, and from there
//! written to their standard input; who receives it checks it. When there is an answer, workers are killed; none is
//! left, since dropping a worker kills it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::{Duration, Instant};

use shem_base::{Statistics, StopToken};
use shem_chc::System;
use shem_engine::Registry;
use shem_exchange::{Hub, LocalExchange, SentWitness};
use shem_term::Store;

use super::schedule::Schedule;
use super::worker::{News, Reported, Worker, lock};
use super::{Event, Runner};
use crate::answer::Status;
use crate::entry::Entry;
use crate::evidence::{Claim, Evidence, Remote};
use crate::judge::Accepted;
use crate::observer::{Exchanged, Observer, Running, Told, Used};
use crate::reason::Undecided;
use crate::report::{Signal, Subject};

/// Between two looks at the stop token.
const PERIOD: Duration = Duration::from_millis(10);

/// What one worker may have in the inbox of another: messages and bytes.
const INBOX_MESSAGES: usize = 256;
const INBOX_BYTES: usize = 1 << 20;

/// A problem for workers.
pub struct Job {
    /// The program that workers run.
    pub program: PathBuf,
    /// The arguments that all workers have.
    pub words: Vec<OsString>,
    /// What distinguishes the workers, the most promising first.
    pub entries: Vec<Entry>,
    /// The text of the problem, which workers read from standard input.
    pub text: Arc<Vec<u8>>,
    /// The number of the check in the text, from 1.
    pub check: u64,
    /// Whether what a worker has learnt is handed on to the others.
    pub exchange: bool,
    /// How many cores may be busy.
    pub jobs: usize,
    /// How long a worker whose certificate was accepted may take for its witness, if it is not for the user and the
    /// certificate does as well.
    pub witness_time: Option<Duration>,
}

/// What an entry says.
#[derive(Clone)]
struct WorkerClaim {
    status: Status,
    /// Since when its worker has accepted a certificate.
    certified: Option<Instant>,
    /// This certificate, if others can check it.
    certificate: Option<SentWitness>,
    /// What it has sent, once that has come.
    evidence: Option<Arc<Remote>>,
}

/// Runs workers.
pub struct Processes {
    job: Job,
    subject: Subject,
    schedule: Schedule,
    turn_over: Instant,
    workers: Vec<Option<Worker>>,
    /// The numbers of the processes that have ended, and what they have reported.
    ended: Vec<Option<(u64, Reported)>>,
    /// Where workers exchange what they have learnt; the last endpoint is for other processes.
    hub: Option<Hub<Arc<str>>>,
    /// What each entry says and was not rejected.
    claims: Vec<Option<WorkerClaim>>,
    /// Stopped when a worker has accepted a certificate; a new one is there when its claim was rejected.
    certified: Arc<Mutex<StopToken>>,
    /// Handed to the threads of new workers.
    sender: Sender<News>,
    news: Receiver<News>,
    /// When a verdict was accepted.
    accepted: Option<Instant>,
    statistics: Statistics,
}

impl Processes {
    /// The workers of a job; they are started when it is their turn.
    pub fn new(job: Job) -> Processes {
        let (sender, news) = channel();
        let tasks = job.entries.iter().map(|entry| (entry.weight, entry.delay));
        let count = job.entries.len();
        Processes {
            subject: Subject::new(&job.text, job.check),
            schedule: Schedule::new(job.jobs, tasks),
            turn_over: Instant::now(),
            workers: job.entries.iter().map(|_| None).collect(),
            ended: vec![None; count],
            hub: job.exchange.then(|| {
                let hub = Hub::bounded(count + 1, INBOX_MESSAGES, INBOX_BYTES);
                hub.endpoint(count).close();
                hub
            }),
            claims: vec![None; count],
            certified: Arc::default(),
            sender,
            news,
            accepted: None,
            statistics: Statistics::new(),
            job,
        }
    }

    /// Starts, stops and continues workers.
    fn next_turn(&mut self, observer: &mut dyn Observer) -> Option<Event> {
        let (stop, start) = self.schedule.next_turn();
        for i in stop {
            if let Some(worker) = &self.workers[i] {
                worker.suspend();
            }
        }
        let mut failed = None;
        for i in start {
            match &self.workers[i] {
                Some(worker) => worker.resume(),
                None => {
                    observer.entered(i, &self.job.entries[i].to_string());
                    failed = self.start(i).or(failed);
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
        failed
    }

    /// Starts a worker; gives the failure.
    fn start(&mut self, i: usize) -> Option<Event> {
        log::debug!("starting the worker {}", self.job.entries[i]);
        self.statistics.add("portfolio.started", 1);
        let endpoint = self.hub.as_ref().map(|hub| hub.endpoint(i));
        let started = Worker::start(
            i,
            &self.job,
            self.subject,
            endpoint,
            (self.sender.clone(), Arc::clone(&self.certified)),
        );
        let error = started.map(|worker| self.workers[i] = Some(worker)).err()?;
        Some(self.fail(i, format!("it cannot be started: {error}")))
    }

    /// Handles what a worker reports.
    fn take(&mut self, (i, signal): News) -> Event {
        match signal {
            Some(Signal::Claim(status, cores)) => {
                self.claims[i] =
                    Some(WorkerClaim { status, certified: None, certificate: None, evidence: None });
                self.schedule.prioritise(i, cores);
                Event::Nothing
            }
            Some(Signal::Certified) => {
                if let Some(claim) = &mut self.claims[i] {
                    claim.certified = Some(Instant::now());
                }
                self.schedule.prioritise(i, 1);
                Event::Nothing
            }
            Some(Signal::Certificate(certificate)) => {
                if let Some(claim) = &mut self.claims[i] {
                    claim.certificate = Some(certificate);
                }
                Event::Nothing
            }
            Some(Signal::Verdict(status, evidence, statistics)) => {
                self.remove_worker(i);
                log::debug!("{} says {status}", self.job.entries[i]);
                let evidence = Arc::new(evidence);
                let (certified, sent) = (self.certified_since(i), Some(Arc::clone(&evidence)));
                let certificate = evidence.certificate.clone();
                self.claims[i] = Some(WorkerClaim { status, certified, certificate, evidence: sent });
                Event::Claim(Claim { statistics, ..self.claim(i, status, evidence) })
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

    fn claim(&self, i: usize, status: Status, evidence: Arc<Remote>) -> Claim {
        let entry = &self.job.entries[i];
        Claim {
            member: i,
            by: entry.to_string(),
            engine: engine_name(entry),
            status,
            evidence: Evidence::Remote(evidence),
            statistics: Statistics::new(),
        }
    }

    fn certified_since(&self, i: usize) -> Option<Instant> {
        self.claims[i].as_ref().and_then(|claim| claim.certified)
    }

    /// The claim of a worker that has accepted a certificate.
    fn certified_if(&self, suffices: impl Fn(Instant, Option<&SentWitness>) -> bool) -> Option<Claim> {
        self.claims.iter().enumerate().find_map(|(i, claim)| {
            let WorkerClaim { status, certified, certificate, .. } = claim.as_ref()?;
            certified.filter(|&since| suffices(since, certificate.as_ref()))?;
            let (certificate, witness) = (certificate.clone(), Err("there was no time".to_owned()));
            Some(self.claim(i, *status, Arc::new(Remote { certified: true, certificate, witness })))
        })
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
    fn next(&mut self, _: &mut Store, observer: &mut dyn Observer) -> Event {
        if self.schedule.is_over() {
            return Event::Over;
        }
        if self.turn_over <= Instant::now() || self.schedule.needs_turn() {
            let failed = self.next_turn(observer);
            self.turn_over = Instant::now() + self.schedule.turn();
            if let Some(failed) = failed {
                return failed;
            }
        }
        // Others need something to check. Where that is not the certificate, the witness is waited for.
        let portable = |time| self.certified_if(|since, sent| sent.is_some() && since.elapsed() >= time);
        if let Some(claim) = self.job.witness_time.and_then(portable) {
            return Event::Claim(claim);
        }
        let since = Instant::now();
        let news = self.news.recv_timeout(self.turn_over.saturating_duration_since(since).min(PERIOD));
        self.schedule.pass(since.elapsed());
        match news {
            Ok(news) => self.take(news),
            // The sender is here, too.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Event::Nothing,
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
        if self.certified_if(|_, _| true).is_none() {
            *lock(&self.certified) = StopToken::new();
        }
    }

    fn certified(&mut self) -> Option<Claim> {
        self.certified_if(|_, _| true)
    }

    fn has_certified(&self) -> Option<StopToken> {
        Some(lock(&self.certified).clone())
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
            let Some(WorkerClaim { status, certified, certificate, evidence }) = self.claims[i].clone()
            else {
                continue;
            };
            if let Some(worker) = self.workers[i].as_ref().filter(|_| !late) {
                worker.resume();
                preparing = true;
                continue;
            }
            let evidence = evidence.unwrap_or_else(|| {
                let witness = Err("its evidence has not come".to_owned());
                Arc::new(Remote { certified: certified.is_some(), certificate, witness })
            });
            return Poll::Ready(Some(self.claim(i, status, evidence)));
        }
        if preparing {
            std::thread::sleep(PERIOD);
            return Poll::Pending;
        }
        Poll::Ready(None)
    }

    fn local_exchange(&mut self) -> Box<dyn LocalExchange> {
        let Some(hub) = &self.hub else { return Box::new(()) };
        let endpoint = hub.endpoint(self.job.entries.len());
        endpoint.open();
        Box::new(endpoint)
    }

    fn finish(&mut self, _: &mut Store, _: &System, _: Option<&Accepted>) -> (Statistics, Vec<String>) {
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
        (statistics, Vec::new())
    }

    fn exchanged(&mut self) -> Exchanged {
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
