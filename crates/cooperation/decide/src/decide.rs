//! The way of a system to its answer: prepare, run, judge, answer.
//!
//! This is written once for all ways to run. A [`Runner`] gives claims, the [`Judge`] says what they are worth, and
//! the rules about what becomes of a claim are here ([`Decider::rule`]):
//!
//! - a claim whose witness was judged to be right is the answer, and so is one with a certificate, unless the witness is
//!   part of the answer;
//! - otherwise, where several engines run, the claim waits: another engine may have a witness soon. After a while it is
//!   judged again with all the time that there is, and then counts as the user wants it to ([`Checking`]);
//! - a claim that is wrong costs the engine its place; of one engine alone it withholds the answer;
//! - an engine that contradicts a verdict which was accepted may finish; if its evidence is not rejected, both are
//!   withheld.

use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use shem_base::{Statistics, StopToken, UnknownReason, work_done};
use shem_chc::{Shape, System};
use shem_engine::Reason;
use shem_exchange::{FormulaLimits, SentWitness};
use shem_term::Store;

use crate::answer::{Answer, Checked, Status, Verdict};
use crate::certificate::CertificateChecker;
use crate::clock::{Scheduled, stop_after};
use crate::contradiction::{Contradiction, Side};
use crate::demand::{Situation, Step, certified_wait};
use crate::evidence::{Claim, Evidence, Remote};
use crate::judge::{Accepted, Judge, Refusal, Until};
use crate::launch::Launch;
use crate::observer::{Milestone, Observer};
use crate::options::{Checking, Engines, SolveOptions};
use crate::prepare::{PREPROCESSING, Prepared};
use crate::reason::{Fault, NoWitness, Undecided};
use crate::report::Subject;
use crate::runner::{Decided, Early, Ending, Event, PEER, Runner, virtual_figures};
use crate::universal::decide_universal;

/// How long the witness of another engine is waited for, beyond the time that a verdict without one has taken.
const WITNESS_WAIT: Duration = Duration::from_secs(2);

/// The name in the answer if several engines have found nothing.
const PORTFOLIO: &str = "portfolio";

/// A system to be decided.
pub struct Request<'a> {
    /// The system.
    pub system: &'a Arc<System>,
    /// How to decide it.
    pub options: &'a SolveOptions,
    /// How processes are started, if they may be; several engines run in threads otherwise.
    pub launch: Option<&'a Launch>,
}

/// Decides a system. The store is that of the system, and afterwards that of the witness.
pub fn decide(
    store: &mut Store,
    request: &Request<'_>,
    stop: &StopToken,
    observer: &mut dyn Observer,
) -> Result<Answer, Fault> {
    if request.system.has_premises() {
        return decide_universal(store, request, stop, observer);
    }
    decide_plain(store, request, stop, observer)
}

/// Decides a system, of which graphs tell all but its universal premises.
pub(crate) fn decide_plain(
    store: &mut Store,
    request: &Request<'_>,
    stop: &StopToken,
    observer: &mut dyn Observer,
) -> Result<Answer, Fault> {
    let mut decider = Decider::new(request, stop, observer);
    let mut prepared = Prepared::read(store, request.system, &request.options.disabled_passes);
    decider.start_early(store, prepared.as_read());
    let variant = prepared.variant(store, request.options.preparation(), decider.verdict_stop());
    let shape = Shape::of(variant.graph());
    let mut runner: Box<dyn Runner> = match variant.decision(store, decider.verdict_stop()) {
        Some(outcome) => {
            // Its core is for the judge.
            decider.early = None;
            let author = (0, PREPROCESSING.to_owned(), PREPROCESSING);
            let event = Event::of(author, None, variant, outcome, Statistics::new());
            decider.joined(store, Box::new(Decided(Some(event))), Box::new(()))
        }
        None => {
            decider.observer.prepared(&variant.preprocessed);
            decider.start(store, &mut prepared)
        }
    };
    decider.run(store, (prepared, shape), &mut *runner)
}

/// Decides a system by a runner of the caller's.
pub fn decide_by(
    store: &mut Store,
    request: &Request<'_>,
    stop: &StopToken,
    observer: &mut dyn Observer,
    start: impl FnOnce(&mut Store, &mut Prepared) -> Box<dyn Runner>,
) -> Result<Answer, Fault> {
    let decider = Decider::new(request, stop, observer);
    let mut prepared = Prepared::read(store, request.system, &request.options.disabled_passes);
    let variant = prepared.variant(store, request.options.preparation(), decider.verdict_stop());
    let shape = Shape::of(variant.graph());
    let mut runner = start(store, &mut prepared);
    decider.run(store, (prepared, shape), &mut *runner)
}

/// What becomes of a claim.
enum Ruling {
    /// It is the answer.
    Answer(Accepted),
    /// It waits for a better one.
    Wait(Waiting),
    /// It counts for nothing.
    Nothing,
}

/// A claim that waits for a better one.
struct Waiting {
    by: String,
    engine: &'static str,
    member: usize,
    status: Status,
    statistics: Statistics,
    /// What it is worth, if it counts already.
    accepted: Option<Accepted>,
    /// What can be judged again.
    again: Option<Remote>,
    until: Instant,
}

impl Waiting {
    fn is_certified(&self) -> bool {
        self.accepted.as_ref().is_some_and(|accepted| accepted.checked != Checked::Nothing)
    }
}

/// A decision in the making.
pub(crate) struct Decider<'a> {
    pub(crate) request: &'a Request<'a>,
    stop: &'a StopToken,
    /// Stopped when the time for a verdict is over.
    pub(crate) verdict_time: Option<(StopToken, Scheduled)>,
    /// Stopped when another process has shown a verdict, if there are any.
    pub(crate) shown_elsewhere: Option<StopToken>,
    /// Claims that wait for better ones.
    waiting: Vec<Waiting>,
    /// A worker that has begun before the graph was prepared.
    pub(crate) early: Option<Early>,
    pub(crate) observer: &'a mut dyn Observer,
    started: Instant,
    /// The work of this thread before that.
    pub(crate) work_before: u64,
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
            verdict_time: request.options.real_verdict_time().map(|time| stop_after(stop, time)),
            shown_elsewhere: None,
            waiting: Vec::new(),
            early: None,
            observer,
            started: Instant::now(),
            work_before: work_done(),
            reasons: Vec::new(),
            warnings: Vec::new(),
            statistics: Statistics::new(),
            judging: Duration::ZERO,
        }
    }

    pub(crate) fn verdict_stop(&self) -> &StopToken {
        self.verdict_time.as_ref().map_or(self.stop, |(token, _)| token)
    }

    /// Ends the whole run.
    pub(crate) fn stop(&self) -> &StopToken {
        self.stop
    }

    /// When the decision was begun.
    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    pub(crate) fn warn(&mut self, words: String) {
        self.observer.warning(&words);
        self.warnings.push(words);
    }

    /// Has the claims of a runner judged until there is an answer.
    fn run(
        mut self,
        store: &mut Store,
        (mut prepared, shape): (Prepared, Shape),
        runner: &mut dyn Runner,
    ) -> Result<Answer, Fault> {
        let since = Instant::now();
        let options = self.request.options;
        let found = self.search(store, &mut prepared, runner);
        let here = match &found {
            Ok(Some((accepted, engine))) if *engine != PEER => Some(accepted),
            _ => None,
        };
        let Ending { statistics: left, warnings, exchanged } =
            runner.finish(store, self.request.system, here);
        self.observer.exchanged(&exchanged);
        warnings.into_iter().for_each(|words| self.warn(words));
        let (verdict, checked, engine) = match found? {
            Some((Accepted { verdict: Verdict::Unsat(_), .. }, engine))
                if self.request.system.is_over_approximated() =>
            {
                (Verdict::Unknown(Undecided::Approximated), Checked::Nothing, engine)
            }
            Some((Accepted { verdict, checked, .. }, engine)) => {
                (if options.witness { verdict } else { verdict.bare(checked) }, checked, engine)
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
        let Prepared { shape_read, mut statistics, .. } = prepared;
        statistics.merge_prefixed("", &left);
        // Where the passes decide, all work is that of this thread.
        if let Some(cores) = options.virtual_cores.filter(|_| left.get("virtual.work").is_none()) {
            let work = work_done().saturating_sub(self.work_before);
            statistics.merge_prefixed("", &virtual_figures(cores, work, work));
        }
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
        prepared: &mut Prepared,
        runner: &mut dyn Runner,
    ) -> Result<Option<(Accepted, &'static str)>, Fault> {
        let mut over = false;
        loop {
            let is_stopped = self.verdict_stop().is_stopped() && runner.size() > 1;
            let is_last = is_stopped || over;
            if let Some(at) = self.waiting.iter().position(|claim| is_last || claim.until <= Instant::now()) {
                let claim = self.waiting.remove(at);
                let engine = claim.engine;
                if let Some(accepted) = self.judge_again(store, claim, runner)? {
                    return Ok(Some((accepted, engine)));
                }
                continue;
            }
            if is_last {
                return Ok(None);
            }
            match runner.next(store, prepared, self.observer) {
                Event::Claim(claim) => {
                    let (engine, by, status) = (claim.engine, claim.by.clone(), claim.status);
                    self.observer.milestone(&by, Milestone::Claimed(status));
                    match self.rule(store, claim, runner)? {
                        Ruling::Answer(accepted) => {
                            self.observer.milestone(&by, Milestone::Accepted(status));
                            return Ok(Some((accepted, engine)));
                        }
                        Ruling::Wait(claim) => self.waiting.push(claim),
                        Ruling::Nothing => {}
                    }
                }
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
    fn rule(&mut self, store: &mut Store, claim: Claim, runner: &mut dyn Runner) -> Result<Ruling, Fault> {
        let alone = runner.size() == 1;
        let options = self.request.options;
        let Claim { member, by, engine, status, evidence, statistics } = claim;
        let again = evidence.remote();
        let coming = again.as_ref().and_then(|remote| remote.witness_came.clone());
        let coming = coming.filter(|_| options.checking != Checking::Trust);
        // What was accepted while the witness was on its way counts if the witness does not.
        let before = self.waiting.iter().position(|claim| claim.member == member && claim.is_certified());
        let before = before.map(|at| Waiting { statistics: statistics.clone(), ..self.waiting.remove(at) });
        let mut steps = self.steps(store, status, &evidence);
        if coming.is_some() {
            steps.retain(|step| matches!(step, Step::Certificate(_)));
        } else if before.is_some() {
            steps.retain(|step| matches!(step, Step::Witness(_)));
        }
        let started = self.started;
        let wait = |accepted: Option<Accepted>, again| {
            let elapsed = started.elapsed();
            let is_certified =
                accepted.as_ref().is_some_and(|accepted| accepted.checked == Checked::Certificate);
            let time = if is_certified && !options.witness {
                certified_wait(elapsed)
            } else {
                WITNESS_WAIT + elapsed
            };
            let until = Instant::now() + time;
            Waiting { by, engine, member, status, statistics, accepted, again, until }
        };
        match self.judge(store, (status, evidence), &steps, coming.as_ref()) {
            Ok(accepted) => {
                let suffices = match accepted.checked {
                    Checked::Witness => true,
                    Checked::Certificate => !options.witness && coming.is_none(),
                    Checked::Nothing => options.checking == Checking::Trust,
                };
                let waiting = wait(Some(accepted), again);
                if !suffices && !alone {
                    return Ok(Ruling::Wait(waiting));
                }
                Ok(self.answer(store, waiting, runner)?.map_or(Ruling::Nothing, Ruling::Answer))
            }
            Err(Refusal::Wrong(rejection)) if alone => Err(rejection.into()),
            Err(Refusal::Wrong(rejection)) => {
                let Waiting { by, .. } = wait(None, None);
                runner.reject(member);
                self.drop_member(by, &rejection.to_string());
                Ok(Ruling::Nothing)
            }
            Err(Refusal::Undecided(_)) if coming.is_some() => Ok(Ruling::Nothing),
            Err(Refusal::Undecided(_)) if before.is_some() => {
                let Some(before) = before else { return Ok(Ruling::Nothing) };
                if options.witness {
                    return Ok(Ruling::Wait(before));
                }
                Ok(self.answer(store, before, runner)?.map_or(Ruling::Nothing, Ruling::Answer))
            }
            Err(Refusal::Undecided(_)) if !alone && again.is_some() => Ok(Ruling::Wait(wait(None, again))),
            Err(Refusal::Undecided(reason)) => {
                let Waiting { by, .. } = wait(None, None);
                self.nothing_shows(by, status, &reason, alone);
                Ok(Ruling::Nothing)
            }
        }
    }

    /// Judges a claim that has waited with all the time that there is, and makes it the answer if it counts.
    fn judge_again(
        &mut self,
        store: &mut Store,
        mut claim: Waiting,
        runner: &mut dyn Runner,
    ) -> Result<Option<Accepted>, Fault> {
        let alone = runner.size() == 1;
        let is_certified = claim.is_certified();
        let mut reason = NoWitness::Unasked;
        if let Some(remote) = claim.again.clone().filter(|_| !is_certified && !self.stop.is_stopped()) {
            let time = self.request.options.witness_budget;
            let steps = [Step::Witness(time), Step::Certificate(time)];
            match self.judge(store, (claim.status, Evidence::Remote(remote)), &steps, None) {
                Ok(accepted) => claim.accepted = Some(accepted),
                Err(Refusal::Undecided(why)) => reason = why,
                Err(Refusal::Wrong(rejection)) => {
                    runner.reject(claim.member);
                    self.drop_member(claim.by, &rejection.to_string());
                    return Ok(None);
                }
            }
        }
        if claim.accepted.is_none() {
            self.nothing_shows(claim.by, claim.status, &reason, alone);
            return Ok(None);
        }
        self.answer(store, claim, runner)
    }

    fn nothing_shows(&mut self, by: String, status: Status, reason: &NoWitness, alone: bool) {
        let words = format!("{by} says {status}, but nothing shows it: {reason}");
        let by = if alone { by } else { String::new() };
        self.reasons.push((by, Undecided::Reported(words)));
    }

    /// Makes a claim the answer, unless another one contradicts it.
    fn answer(
        &mut self,
        store: &mut Store,
        claim: Waiting,
        runner: &mut dyn Runner,
    ) -> Result<Option<Accepted>, Fault> {
        let Waiting { by, status, statistics, accepted, again, .. } = claim;
        let Some(mut accepted) = accepted else { return Ok(None) };
        self.note(&statistics);
        if let Some(own) = accepted.store.take() {
            *store = *own;
        }
        if let Some(other) = self.opponent(store, runner, status) {
            let witness = self.witness(store, &accepted.verdict, again.as_ref());
            let launch = self.request.launch;
            let (text, check) = launch.map_or((&b""[..], 1), |launch| (&launch.text, launch.check));
            let sides = [Side { by, status, witness }, other];
            return Err(Contradiction::between(sides, Subject::new(text, check)).into());
        }
        Ok(Some(accepted))
    }

    /// What has to be checked before a verdict counts.
    fn steps(&self, store: &Store, status: Status, evidence: &Evidence) -> Vec<Step> {
        let is_all_that_counts = self.needs_witness(store, status);
        let (options, elapsed) = (self.request.options, self.started.elapsed());
        Situation::new(options, is_all_that_counts, evidence.has_certificate(), elapsed).steps()
    }

    /// Has evidence judged, until a token is stopped.
    fn judge(
        &mut self,
        store: &mut Store,
        evidence: (Status, Evidence),
        steps: &[Step],
        until: Option<&StopToken>,
    ) -> Result<Accepted, Refusal> {
        let since = Instant::now();
        let stop = until.map(|token| StopToken::paced(self.stop, Until(token.clone())));
        let stop = stop.as_ref().unwrap_or(self.stop);
        let Request { system, options, .. } = *self.request;
        let checker = CertificateChecker::new(options, self.started.elapsed());
        let shown_elsewhere = self.shown_elsewhere.as_ref();
        let judgement =
            Judge { system, options, checker, stop, shown_elsewhere }.judge(store, evidence, steps);
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
            let sent = evidence.remote();
            let steps = [Step::Witness(full), Step::Certificate(full)];
            let (mut own, verdict) = match self.judge(store, (status, evidence), &steps, None) {
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
            let witness = self.witness(own.as_deref_mut().unwrap_or(store), &verdict, sent.as_ref());
            return Some(Side { by, status, witness });
        }
    }

    /// Whether a verdict is worth nothing without a witness, even that of one engine alone.
    fn needs_witness(&self, store: &Store, status: Status) -> bool {
        status == Status::Unsat && self.request.system.needs_evaluation(store)
    }

    /// The witness of a verdict as it was sent, or as it would be.
    fn witness(
        &self,
        store: &mut Store,
        verdict: &Verdict,
        sent: Option<&Remote>,
    ) -> Result<SentWitness, String> {
        let found = || verdict.sent(store, self.request.system, FormulaLimits::NONE);
        sent.map_or_else(found, |remote| remote.findings.witness.clone())
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
