//! The way of a system to its answer: prepare, run, judge, answer.
//!
//! This is written once for all ways to run. A [`Runner`] gives claims, the [`Judge`] says what they are worth, and
//! the rules about what becomes of a claim are here ([`Decider::rule`]):
//!
//! - one engine alone: a claim that is wrong is a mistake of ours and withholds the answer; one that could not be
//!   checked is given without a witness;
//! - several: an engine that makes a wrong claim is dropped, with a warning; a claim that could not be checked counts for
//!   nothing. Judging has a limit that grows with the time that has passed, so that one witness which is hard to judge
//!   does not keep the others waiting; it is judged again when there is nothing else to do. Where a witness is wanted
//!   and a claim comes with a certificate only, others may still find one for a while;
//! - an engine that contradicts a verdict which was accepted may finish; if its evidence is not rejected, both are
//!   withheld.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use shem_base::{Statistics, StopToken, UnknownReason};
use shem_chc::System;
use shem_engine::Reason;
use shem_exchange::{FormulaLimits, SentWitness};
use shem_term::Store;

use crate::answer::{Answer, Checked, Status, Verdict};
use crate::certificate::{CertificateChecker, UNWANTED_WITNESS_TIME};
use crate::clock::{Scheduled, stop_after};
use crate::contradiction::{Contradiction, Side};
use crate::evidence::{Claim, Evidence, Remote};
use crate::judge::{Accepted, Demand, Judge, Refusal, Until};
use crate::launch::Launch;
use crate::observer::{Milestone, Observer};
use crate::options::{Engines, SolveOptions};
use crate::prepare::{PREPROCESSING, Prepared, prepare};
use crate::reason::{Fault, Undecided};
use crate::report::Subject;
use crate::runner::{Event, PEER, Runner};

/// How long a witness is judged at least before others get their turn.
const FIRST_JUDGING_TIME: Duration = Duration::from_secs(1);

/// How long the witness of another engine is waited for, beyond the time that a verdict without one has taken.
const WITNESS_WAIT: Duration = Duration::from_secs(2);

/// The name in the answer if several engines have found nothing.
const PORTFOLIO: &str = "portfolio";

/// For whom a verdict is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// For the user.
    Answer,
    /// For the process that has started this one: it judges witnesses itself.
    Report,
}

/// A system to be decided.
pub struct Request<'a> {
    /// The system.
    pub system: &'a Arc<System>,
    /// How to decide it.
    pub options: &'a SolveOptions,
    /// For whom.
    pub purpose: Purpose,
    /// How processes are started, if they may be; several engines run in threads otherwise.
    pub launch: Option<&'a Launch>,
}

impl Request<'_> {
    /// Whether the witness is part of the answer.
    pub(crate) fn keeps_witness(&self) -> bool {
        self.options.witness || self.purpose == Purpose::Report
    }

    /// What is demanded of the verdict of one engine, or of one of several.
    fn demand(&self, several: bool) -> Demand {
        match self.purpose {
            Purpose::Report => Demand::Certificate,
            Purpose::Answer if several && self.options.join.is_some() => Demand::ForPeers,
            Purpose::Answer if several => Demand::Something,
            Purpose::Answer => Demand::AsAsked,
        }
    }
}

/// Decides a system. The store is that of the system, and afterwards that of the witness.
pub fn decide(
    store: &mut Store,
    request: &Request<'_>,
    stop: &StopToken,
    observer: &mut dyn Observer,
) -> Result<Answer, Fault> {
    let mut decider = Decider::new(request, stop, observer);
    let prepared = decider.prepare(store);
    let mut runner: Box<dyn Runner> = match prepared.decision(store, decider.verdict_stop()) {
        Some(outcome) => {
            let (author, graph) = ((0, PREPROCESSING.to_owned(), PREPROCESSING), &prepared.preprocessed);
            let event = Event::of(author, None, Arc::clone(graph), outcome, Statistics::new());
            decider.joined(store, Box::new(Some(event)))
        }
        None => {
            decider.observer.prepared(store, request.system, &prepared.preprocessed);
            decider.start(store, &prepared)
        }
    };
    decider.run(store, prepared, &mut *runner)
}

/// Decides a system by a runner of the caller's.
pub fn decide_by(
    store: &mut Store,
    request: &Request<'_>,
    stop: &StopToken,
    observer: &mut dyn Observer,
    start: impl FnOnce(&Store, &Prepared) -> Box<dyn Runner>,
) -> Result<Answer, Fault> {
    let decider = Decider::new(request, stop, observer);
    let prepared = decider.prepare(store);
    let mut runner = start(store, &prepared);
    decider.run(store, prepared, &mut *runner)
}

/// What becomes of a claim.
enum Ruling {
    /// It is the answer.
    Answer(Accepted),
    /// It is judged again when there is time.
    Again(Claim),
    /// It is the answer, unless another engine has a witness soon.
    Kept(Claim),
    /// It counts for nothing.
    Nothing,
}

/// A decision in the making.
pub(crate) struct Decider<'a> {
    pub(crate) request: &'a Request<'a>,
    stop: &'a StopToken,
    /// Stopped when the time for a verdict is over.
    pub(crate) verdict_time: Option<(StopToken, Scheduled)>,
    pub(crate) observer: &'a mut dyn Observer,
    started: Instant,
    /// Why engines gave up, and who.
    reasons: Vec<(String, Undecided)>,
    warnings: Vec<String>,
    statistics: Statistics,
    /// How long claims were judged.
    judging: Duration,
}

impl<'a> Decider<'a> {
    fn new(request: &'a Request<'a>, stop: &'a StopToken, observer: &'a mut dyn Observer) -> Decider<'a> {
        Decider {
            request,
            stop,
            verdict_time: request.options.verdict_time.map(|time| stop_after(stop, time)),
            observer,
            started: Instant::now(),
            reasons: Vec::new(),
            warnings: Vec::new(),
            statistics: Statistics::new(),
            judging: Duration::ZERO,
        }
    }

    fn prepare(&self, store: &mut Store) -> Prepared {
        prepare(store, self.request.system, &self.request.options.passes(), self.verdict_stop())
    }

    pub(crate) fn verdict_stop(&self) -> &StopToken {
        self.verdict_time.as_ref().map_or(self.stop, |(token, _)| token)
    }

    /// Ends the whole run.
    pub(crate) fn stop(&self) -> &StopToken {
        self.stop
    }

    pub(crate) fn warn(&mut self, words: String) {
        self.observer.warning(&words);
        self.warnings.push(words);
    }

    /// Has the claims of a runner judged until there is an answer.
    fn run(
        mut self,
        store: &mut Store,
        prepared: Prepared,
        runner: &mut dyn Runner,
    ) -> Result<Answer, Fault> {
        let since = Instant::now();
        let options = self.request.options;
        let found = self.search(store, runner);
        let here = match &found {
            Ok(Some((accepted, engine))) if *engine != PEER => Some(accepted),
            _ => None,
        };
        let (left, warnings) = runner.finish(store, self.request.system, here);
        self.observer.exchanged(&runner.exchanged());
        warnings.into_iter().for_each(|words| self.warn(words));
        let (verdict, checked, engine) = match found? {
            Some((Accepted { verdict: Verdict::Unsat(_), .. }, engine))
                if self.request.system.is_over_approximated() =>
            {
                (Verdict::Unknown(Undecided::Approximated), Checked::Nothing, engine)
            }
            Some((Accepted { verdict, checked, .. }, engine)) => {
                (if self.request.keeps_witness() { verdict } else { verdict.bare() }, checked, engine)
            }
            None => {
                let engine = match &self.reasons[..] {
                    [(by, _)] if by == PREPROCESSING => PREPROCESSING,
                    _ if options.engines == Engines::One => options.engine.name(),
                    _ => PORTFOLIO,
                };
                (Verdict::Unknown(self.reason()), Checked::Nothing, engine)
            }
        };
        let Prepared { shape_read, shape, mut statistics, .. } = prepared;
        statistics.merge_prefixed("", &left);
        // What another process did again, reading and preprocessing, is not counted twice.
        self.statistics.iter().for_each(|(name, figure)| statistics.set(name, figure));
        if statistics.get("time.engine").is_none() {
            statistics.set("time.engine", since.elapsed().as_secs_f64());
        }
        statistics.set("time.witness", self.judging.as_secs_f64());
        statistics.set("terms", store.len() as u64);
        log::debug!("{} by {engine}, checked: {checked}", verdict.word());
        Ok(Answer { verdict, engine, checked, shape_read, shape, statistics, warnings: self.warnings })
    }

    /// The verdict that counts, and the engine that has found it.
    fn search(
        &mut self,
        store: &mut Store,
        runner: &mut dyn Runner,
    ) -> Result<Option<(Accepted, &'static str)>, Fault> {
        let mut again: VecDeque<Claim> = VecDeque::new();
        let mut over = false;
        let mut kept: Option<(Claim, Instant)> = None;
        loop {
            let is_stopped = self.verdict_stop().is_stopped() && runner.size() > 1;
            let nothing_left = over && again.is_empty();
            let waited = kept.take_if(|(_, until)| is_stopped || nothing_left || *until <= Instant::now());
            let at_last = over || waited.is_some();
            let event = if let Some((claim, _)) = waited {
                Event::Claim(claim)
            } else if is_stopped {
                let Some(claim) = runner.certified() else { return Ok(None) };
                Event::Claim(claim)
            } else if over {
                again.pop_front().map_or(Event::Over, Event::Claim)
            } else {
                runner.next(store, self.observer)
            };
            match event {
                Event::Claim(claim) => {
                    self.observer.claimed(claim.status, self.cores(store, &claim.evidence));
                    let (engine, by, status) = (claim.engine, claim.by.clone(), claim.status);
                    self.observer.milestone(&by, Milestone::Claimed(status));
                    match self.rule(store, claim, runner, at_last)? {
                        Ruling::Answer(accepted) => {
                            self.observer.milestone(&by, Milestone::Accepted(status));
                            return Ok(Some((accepted, engine)));
                        }
                        Ruling::Again(claim) => again.push_back(claim),
                        Ruling::Kept(claim) if kept.is_none() => {
                            kept = Some((claim, Instant::now() + WITNESS_WAIT + self.started.elapsed()));
                        }
                        Ruling::Kept(_) | Ruling::Nothing => {}
                    }
                }
                Event::Over if again.is_empty() && kept.is_none() => return Ok(None),
                Event::Over => over = true,
                Event::Nothing => {}
                Event::Warning(words) => self.warn(words),
                Event::GaveUp { by, reason, statistics } => {
                    self.note(&statistics);
                    log::debug!("{by} gave up: {reason}");
                    self.observer.milestone(&by, Milestone::GaveUp(&reason));
                    self.reasons.push((by, reason));
                }
                Event::Failed { by, what } => self.drop_member(by, &what),
            }
        }
    }

    /// How many cores are busy while evidence is judged.
    fn cores(&self, store: &Store, evidence: &Evidence) -> usize {
        match evidence {
            Evidence::Local(local) => {
                let checker = CertificateChecker::new(self.request.options, self.started.elapsed());
                checker.threads(local.parts(), local.store.as_deref().unwrap_or(store).len())
            }
            Evidence::Remote(_) | Evidence::Judged(_) => 1,
        }
    }

    /// Keeps figures of an engine.
    fn note(&mut self, statistics: &Statistics) {
        statistics.iter().for_each(|(name, figure)| self.statistics.set(name, figure));
    }

    fn drop_member(&mut self, by: String, what: &str) {
        self.observer.milestone(&by, Milestone::Dropped(what));
        self.warn(format!("{by} was dropped: {what}"));
        self.reasons.push((by, Undecided::Reported(what.to_owned())));
    }

    /// Has a claim judged, and decides what becomes of it.
    fn rule(
        &mut self,
        store: &mut Store,
        claim: Claim,
        runner: &mut dyn Runner,
        at_last: bool,
    ) -> Result<Ruling, Fault> {
        let alone = runner.size() == 1;
        let full = self.request.options.witness_budget;
        let Claim { member, by, engine, status, evidence, statistics } = claim;
        let sent = evidence.sent();
        let certified = sent.as_ref().is_some_and(|remote| remote.certified);
        let time = if certified && !self.request.options.witness {
            full.min(UNWANTED_WITNESS_TIME + self.started.elapsed() / 8)
        } else if at_last {
            full
        } else {
            full.min(FIRST_JUDGING_TIME + self.started.elapsed())
        };
        let shown = runner.shown_elsewhere();
        // Nobody waits for a witness that nobody wants, where another engine has a certificate.
        let needless = !at_last && !certified && !self.request.options.witness;
        let certificate = runner.has_certified().filter(|_| needless);
        let stop = match certificate {
            Some(certified) => StopToken::paced(self.stop, Until(certified)),
            None => self.stop.clone(),
        };
        let mut accepted = match self.judge(store, !alone, (status, evidence), (time, &stop), shown.as_ref())
        {
            Ok(accepted) => accepted,
            Err(Refusal::Wrong(rejection)) if alone => return Err(rejection.into()),
            Err(Refusal::Wrong(rejection)) => {
                runner.reject(member);
                self.drop_member(by, &rejection.to_string());
                return Ok(Ruling::Nothing);
            }
            Err(Refusal::Undecided(reason)) if alone && !self.needs_witness(store, status) => {
                let verdict = status.without_witness(reason);
                Accepted { verdict, checked: Checked::Nothing, certificate: None, store: None }
            }
            Err(Refusal::Undecided(reason)) => {
                if let Some(remote) = sent.filter(|_| time < full && !self.stop.is_stopped()) {
                    let evidence = Evidence::Remote(remote);
                    return Ok(Ruling::Again(Claim { member, by, engine, status, evidence, statistics }));
                }
                let words = format!("{by} says {status}, but nothing shows it: {reason}");
                let by = if alone { by } else { String::new() };
                self.reasons.push((by, Undecided::Reported(words)));
                return Ok(Ruling::Nothing);
            }
        };
        let awaited = self.request.options.witness && self.request.purpose == Purpose::Answer;
        if let Some(remote) =
            sent.as_ref().filter(|_| awaited && !alone && !at_last && accepted.verdict.missing().is_some())
        {
            let evidence = Evidence::Remote(Arc::clone(remote));
            return Ok(Ruling::Kept(Claim { member, by, engine, status, evidence, statistics }));
        }
        self.note(&statistics);
        if let Some(own) = accepted.store.take() {
            *store = *own;
        }
        if let Some(other) = self.opponent(store, runner, status) {
            let witness = self.witness(store, &accepted.verdict, sent.as_deref());
            let launch = self.request.launch;
            let (text, check) = launch.map_or((&b""[..], 1), |launch| (&launch.text, launch.check));
            let sides = [Side { by, status, witness }, other];
            return Err(Contradiction::between(sides, Subject::new(text, check)).into());
        }
        Ok(Ruling::Answer(accepted))
    }

    /// Has evidence judged.
    fn judge(
        &mut self,
        store: &mut Store,
        several: bool,
        (status, evidence): (Status, Evidence),
        (time, stop): (Duration, &StopToken),
        shown_elsewhere: Option<&StopToken>,
    ) -> Result<Accepted, Refusal> {
        let since = Instant::now();
        let Request { system, options, .. } = *self.request;
        let demand = self.request.demand(several);
        let checker = CertificateChecker::new(options, self.started.elapsed());
        let judge = Judge { system, options, demand, checker, stop, shown_elsewhere };
        let judgement = match evidence {
            Evidence::Judged(accepted) => Ok(*accepted),
            Evidence::Local(local) => judge.local(store, local, &mut |sent| self.observer.certified(sent)),
            Evidence::Remote(remote) => {
                judge.remote(store, status, &remote, time, time == options.witness_budget)
            }
        };
        self.judging += since.elapsed();
        judgement
    }

    /// Lets those finish who contradict what was accepted: the first whose evidence is not rejected.
    fn opponent(&mut self, store: &mut Store, runner: &mut dyn Runner, accepted: Status) -> Option<Side> {
        let full = self.request.options.witness_budget;
        let deadline = Instant::now().checked_add(full);
        loop {
            let late = self.stop.is_stopped() || deadline.is_some_and(|end| Instant::now() >= end);
            let claim = match runner.opposition(accepted, late) {
                Poll::Ready(claim) => claim?,
                Poll::Pending => continue,
            };
            let Claim { member, by, status, evidence, .. } = claim;
            let sent = evidence.sent();
            let (mut own, verdict) =
                match self.judge(store, true, (status, evidence), (full, self.stop), None) {
                    Err(Refusal::Wrong(rejection)) => {
                        runner.reject(member);
                        self.drop_member(by, &rejection.to_string());
                        continue;
                    }
                    Ok(Accepted { store, verdict, .. }) => (store, verdict),
                    // What only a witness could show contradicts nothing without one.
                    Err(Refusal::Undecided(_)) if self.needs_witness(store, status) => continue,
                    Err(Refusal::Undecided(reason)) => (None, status.without_witness(reason)),
                };
            let witness = self.witness(own.as_deref_mut().unwrap_or(store), &verdict, sent.as_deref());
            return Some(Side { by, status, witness });
        }
    }

    /// Whether a verdict is worth nothing without a witness, even that of one engine alone.
    fn needs_witness(&self, store: &Store, status: Status) -> bool {
        let for_user = self.request.purpose != Purpose::Report;
        for_user && status == Status::Unsat && self.request.system.needs_evaluation(store)
    }

    /// The witness of a verdict as it was sent, or as it would be.
    fn witness(
        &self,
        store: &mut Store,
        verdict: &Verdict,
        sent: Option<&Remote>,
    ) -> Result<SentWitness, String> {
        let found = || verdict.sent(store, self.request.system, FormulaLimits::NONE);
        sent.map_or_else(found, |remote| remote.witness.clone())
    }

    /// Why there is no verdict.
    fn reason(&mut self) -> Undecided {
        if self.stop.is_stopped() {
            return Reason::Limit(UnknownReason::Stopped).into();
        }
        if let Some(time) = self.request.options.verdict_time.filter(|_| self.verdict_stop().is_stopped()) {
            return Undecided::VerdictTime(time);
        }
        match &mut self.reasons[..] {
            [] => Undecided::Rejected,
            [(by, reason)] if by == PREPROCESSING || self.request.options.engines == Engines::One => {
                reason.clone()
            }
            reasons => {
                let words = reasons.iter().map(|(by, reason)| match by.is_empty() {
                    true => reason.to_string(),
                    false => format!("{by}: {reason}"),
                });
                Undecided::Reported(words.collect::<Vec<_>>().join("; "))
            }
        }
    }
}
