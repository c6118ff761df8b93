//! The way of a system to its answer: prepare, run, judge, answer.
//!
//! This is written once for all ways to run. A [`Runner`] gives claims, the [`Judge`] says what they are worth, and
//! the rules about what becomes of a claim are here ([`Decider::weigh`]):
//!
//! - one engine alone: a claim that is wrong is a mistake of ours and withholds the answer; one that could not be
//!   checked is given without a witness;
//! - several: a claim that is wrong costs who made it, with a warning; one that could not be checked counts for
//!   nothing. Judging has a limit that grows with the time that has passed, so that one witness which is hard to judge
//!   does not keep the others waiting; it is judged again when there is nothing else to do;
//! - whoever contradicts a verdict that was accepted may finish; if its evidence is not rejected, both are withheld.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use shem_base::{Statistics, StopToken, UnknownReason};
use shem_chc::System;
use shem_engine::Reason;
use shem_term::Store;

use crate::answer::{Answer, Checked, Verdict, Word};
use crate::clock::{Scheduled, stop_after};
use crate::contradiction::{Side, contradiction};
use crate::evidence::{Claim, Evidence};
use crate::judge::{Accepted, Demand, Judge, Judgement};
use crate::launch::Launch;
use crate::observer::Observer;
use crate::options::{Engines, SolveOptions};
use crate::prepare::{PREPROCESSING, Prepared, prepare};
use crate::reason::{Fault, Undecided};
use crate::report::Subject;
use crate::runner::{Event, PEER, Runner};

/// How long a witness is judged at least before others get their turn.
const PATIENCE: Duration = Duration::from_secs(1);

/// Who is named where several engines have found nothing.
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
    /// Whether the witness is for somebody.
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
            Box::new(Some(Event::of(author, None, Arc::clone(graph), outcome, Statistics::new())))
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
enum Weighed {
    /// It is the answer.
    Answer(Accepted),
    /// It is judged again when there is time.
    Again(Claim),
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
            Ok(Some((accepted, engine))) if *engine != PEER => Some(&accepted.verdict),
            _ => None,
        };
        let (left, warnings) = runner.finish(store, self.request.system, here);
        warnings.into_iter().for_each(|words| self.warn(words));
        let (verdict, checked, engine) = match found? {
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
        loop {
            let event = if self.verdict_stop().is_stopped() && runner.size() > 1 {
                match runner.certified() {
                    Some(claim) => Event::Claim(claim),
                    None => return Ok(None),
                }
            } else if over {
                again.pop_front().map_or(Event::Over, Event::Claim)
            } else {
                runner.next(store, self.observer)
            };
            let claim = match event {
                Event::Claim(claim) => claim,
                Event::Over if again.is_empty() => return Ok(None),
                Event::Over => {
                    over = true;
                    continue;
                }
                Event::Nothing => continue,
                Event::Warning(words) => {
                    self.warn(words);
                    continue;
                }
                Event::GaveUp { by, reason, statistics } => {
                    self.note(&statistics);
                    log::debug!("{by} gave up: {reason}");
                    self.reasons.push((by, reason));
                    continue;
                }
                Event::Failed { by, what } => {
                    self.drop_member(by, &what);
                    continue;
                }
            };
            self.observer.claimed(claim.word);
            let (engine, by, word) = (claim.engine, claim.by.clone(), claim.word);
            let statistics = claim.statistics.clone();
            let evidence = match &claim.evidence {
                Evidence::Remote(remote) => Some(Arc::clone(remote)),
                Evidence::Local(_) | Evidence::Judged(_) => None,
            };
            match self.weigh(store, claim, runner, over)? {
                Weighed::Again(claim) => again.push_back(claim),
                Weighed::Nothing => {}
                Weighed::Answer(mut accepted) => {
                    self.note(&statistics);
                    if let Some(own) = accepted.store.take() {
                        *store = *own;
                    }
                    let (verdict, sent) = (&accepted.verdict, evidence.as_deref());
                    self.settle(store, runner, Side { by: &by, word, verdict, sent })?;
                    return Ok(Some((accepted, engine)));
                }
            }
        }
    }

    /// Keeps figures of an engine.
    fn note(&mut self, statistics: &Statistics) {
        statistics.iter().for_each(|(name, figure)| self.statistics.set(name, figure));
    }

    fn drop_member(&mut self, by: String, what: &str) {
        self.warn(format!("{by} was dropped: {what}"));
        self.reasons.push((by, Undecided::Reported(what.to_owned())));
    }

    /// Has a claim judged, and says what becomes of it.
    fn weigh(
        &mut self,
        store: &mut Store,
        claim: Claim,
        runner: &mut dyn Runner,
        at_last: bool,
    ) -> Result<Weighed, Fault> {
        let alone = runner.size() == 1;
        let demand = self.request.demand(!alone);
        let full = self.request.options.witness_budget;
        let time = if at_last { full } else { full.min(PATIENCE + self.started.elapsed()) };
        let Claim { member, by, engine, word, evidence, statistics } = claim;
        let (judgement, evidence) = self.judge(store, demand, word, evidence, time, time == full);
        let reason = match judgement {
            Judgement::Accepted(accepted) => return Ok(Weighed::Answer(accepted)),
            Judgement::Rejected(rejection) if alone => return Err(rejection.into()),
            Judgement::Rejected(rejection) => {
                runner.reject(member);
                self.drop_member(by, &rejection.to_string());
                return Ok(Weighed::Nothing);
            }
            Judgement::Undecided(reason) | Judgement::Groundless(reason) if alone => {
                let verdict = word.without_witness(reason);
                return Ok(Weighed::Answer(Accepted { verdict, checked: Checked::Nothing, store: None }));
            }
            Judgement::Undecided(reason) => {
                if let Some(evidence) = evidence
                    && time < full
                    && !self.stop.is_stopped()
                {
                    return Ok(Weighed::Again(Claim { member, by, engine, word, evidence, statistics }));
                }
                reason
            }
            Judgement::Groundless(reason) => reason,
        };
        let words = format!("{by} says {word}, but nothing shows it: {reason}");
        self.reasons.push((String::new(), Undecided::Reported(words)));
        Ok(Weighed::Nothing)
    }

    /// Has evidence judged; gives it back if it can be judged again.
    fn judge(
        &mut self,
        store: &mut Store,
        demand: Demand,
        word: Word,
        evidence: Evidence,
        time: Duration,
        at_last: bool,
    ) -> (Judgement, Option<Evidence>) {
        let since = Instant::now();
        let Request { system, options, .. } = *self.request;
        let judge = Judge { system, options, demand, stop: self.stop };
        let judged = match evidence {
            Evidence::Judged(accepted) => (Judgement::Accepted(accepted), None),
            Evidence::Local(local) => (judge.local(store, local, &mut || self.observer.certified()), None),
            Evidence::Remote(remote) => {
                let judgement = judge.remote(store, word, &remote, time, at_last);
                (judgement, Some(Evidence::Remote(remote)))
            }
        };
        self.judging += since.elapsed();
        judged
    }

    /// Lets those finish who contradict what was accepted. If the evidence of one is not rejected, nobody wins.
    fn settle(
        &mut self,
        store: &mut Store,
        runner: &mut dyn Runner,
        accepted: Side<'_>,
    ) -> Result<(), Fault> {
        let full = self.request.options.witness_budget;
        let deadline = Instant::now().checked_add(full);
        loop {
            let late = self.stop.is_stopped() || deadline.is_some_and(|end| Instant::now() >= end);
            let claim = match runner.opposition(accepted.word, late) {
                Poll::Ready(None) => return Ok(()),
                Poll::Pending => continue,
                Poll::Ready(Some(claim)) => claim,
            };
            let Claim { member, by, word, evidence, .. } = claim;
            let demand = self.request.demand(true);
            let (judgement, evidence) = self.judge(store, demand, word, evidence, full, true);
            match judgement {
                Judgement::Rejected(rejection) => {
                    runner.reject(member);
                    self.drop_member(by, &rejection.to_string());
                }
                judgement => {
                    let verdict = match judgement {
                        Judgement::Accepted(accepted) => accepted.verdict,
                        Judgement::Undecided(reason) | Judgement::Groundless(reason) => {
                            word.without_witness(reason)
                        }
                        Judgement::Rejected(_) => unreachable!("it was dropped"),
                    };
                    let sent = match &evidence {
                        Some(Evidence::Remote(remote)) => Some(&**remote),
                        _ => None,
                    };
                    let other = Side { by: &by, word, verdict: &verdict, sent };
                    let launch = self.request.launch;
                    let subject = launch.map_or_else(
                        || Subject::new(b"", 1),
                        |launch| Subject::new(&launch.text, launch.check),
                    );
                    let system = self.request.system;
                    return Err(contradiction(store, system, subject, [accepted, other]).into());
                }
            }
        }
    }

    /// Why there is no verdict.
    fn reason(&mut self) -> Undecided {
        if let (Some(time), Some((token, _))) = (self.request.options.verdict_time, &self.verdict_time)
            && token.is_stopped()
            && !self.stop.is_stopped()
        {
            return Undecided::VerdictTime(time);
        }
        if self.stop.is_stopped() {
            return Reason::Limit(UnknownReason::Stopped).into();
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
