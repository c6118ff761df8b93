//! The exchange of lemmas between instances of PD-KIND.
//!
//! Chapter 6 of Blicha's thesis: reachability engines share their bounded invariants, induction engines the lemmas
//! that they have pushed, each with the counterexample that it excludes. A received lemma enters the frame by the
//! rule *Add-Lemma*, whose condition is that it holds within as many steps as the level says. So the filter asks,
//! cheap questions first:
//!
//! 1. Does the lemma hold for as many steps as the level? A lemma for fewer steps is too late.
//! 2. Is it small, and new?
//! 3. Does it exclude its counterexample? If not, the message is malformed.
//! 4. Is the counterexample still allowed by the frame? If not, the lemma is of no use here.
//! 5. Is it proved? A candidate, from outside the process, has to be proved by the reachability engine in one step
//!    from the frame below.
//!
//! The counterexample of a received lemma is *unproved*: that a bad state can be reached from it was claimed by
//! another instance. When it is reached, a path from it to a bad state is sought; without one the obligation is
//! dropped, which *Drop-Lemma* allows for everything but the property itself. The backward search from states that
//! do not lead to bad ones may also be endless. So unproved counterexamples get no more attempts than the engine's
//! own, plus a constant. A lemma that was dropped is not taken again, and a sender whose counterexamples were wrong
//! several times is ignored.
//!
//! What is refuted is told, too: a lemma that was given up, since a state that is reached violates it, is not taken from
//! others any more.

use std::collections::{BTreeMap, VecDeque};

use shem_base::{Budget, Effort, UnknownReason};
use shem_smt::{Answer, Solver, Status};
use shem_term::{Store, Term};

use super::induct::{Counterexample, Induction, Obligation, Report, UnrolledFrame};
use super::reachability::Reachability;
use super::trace::Trace;
use crate::port::{Claim, Lemma, Port, Received, Standing};

/// A lemma with more subterms is neither sent nor taken.
const MAX_SIZE: usize = 120;

/// A counterexample is not taken if its reported distance to the bad states is greater than this, plus a few steps for
/// each level: the search for the path would cost too much.
const MAX_DISTANCE: usize = 50;
const MAX_DISTANCE_PER_LEVEL: usize = 4;

/// A bounded invariant is taken for at most this many levels above the current one: there is a group for each level.
const MAX_LEVELS_AHEAD: usize = 64;

/// Lemmas of at most this many senders are taken, and of each as long as fewer than `MAX_MISTAKES` of its
/// counterexamples were wrong.
const MAX_SENDERS: usize = 64;
const MAX_MISTAKES: u64 = 8;

/// How many more attempts unproved counterexamples may have than the engine's own.
const MAX_EXTRA_ATTEMPTS: u64 = 100;

/// The effort of a check of something received.
const RECEIVED_EFFORT: Effort = Effort { conflicts: 2_000, pivots: 20_000, splits: 200 };

/// Counters of the exchange.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExchangeCounters {
    pub(super) sent: u64,
    pub(super) reach_taken: u64,
    pub(super) taken: u64,
    pub(super) late: u64,
    pub(super) useless: u64,
    pub(super) refuted: u64,
    pub(super) unconfirmed: u64,
    pub(super) dropped: u64,
    pub(super) invariants: u64,
    pub(super) refutations: u64,
}

/// Counts for one sender.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sender {
    /// Lemmas that were taken.
    pub(super) taken: u64,
    /// Counterexamples that led to no bad state.
    pub(super) mistakes: u64,
}

/// Counts by sender.
#[derive(Clone, Debug, Default)]
pub(super) struct Senders(pub(super) BTreeMap<u64, Sender>);

impl Senders {
    /// Whether lemmas of this sender are taken.
    fn accepts(&self, sender: u64) -> bool {
        self.0.get(&sender).map_or(self.0.len() < MAX_SENDERS, |known| known.mistakes < MAX_MISTAKES)
    }

    fn record_taken(&mut self, sender: u64) {
        self.0.entry(sender).or_default().taken += 1;
    }

    fn record_mistake(&mut self, sender: u64) {
        self.0.entry(sender).or_default().mistakes += 1;
    }
}

/// Whether a check with a small budget gave the wanted answer; unknown counts as no.
fn decided(status: Status, wanted: Status) -> Result<bool, UnknownReason> {
    match status {
        Status::Unknown(UnknownReason::Stopped) => Err(UnknownReason::Stopped),
        status => Ok(status == wanted),
    }
}

impl Induction {
    /// Sends what the reachability engine has learnt, and takes what others have sent.
    pub(super) fn exchange(
        &mut self,
        store: &mut Store,
        unrolled: &mut UnrolledFrame,
        queue: &mut VecDeque<Obligation>,
        reachability: &mut dyn Reachability,
        port: &mut dyn Port,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        for (formula, level) in reachability.take_new_lemmas() {
            if store.dag_size(formula) <= MAX_SIZE {
                self.shared.sent += 1;
                port.publish(store, &Lemma { formula, claim: Claim::Reach { level } });
            }
        }
        let mut used = Vec::new();
        for Received { lemma, standing, sender } in port.poll(store) {
            budget.check_stop()?;
            let formula = lemma.formula;
            match lemma.claim {
                Claim::Reach { level } if store.dag_size(formula) <= MAX_SIZE => {
                    // A formula that holds within more steps holds within fewer.
                    let level = level.min(self.level + MAX_LEVELS_AHEAD);
                    let taken = reachability.admit(
                        store,
                        formula,
                        level,
                        standing,
                        &mut budget.at_most(RECEIVED_EFFORT),
                    )?;
                    self.shared.reach_taken += u64::from(taken);
                    used.extend(taken.then_some(formula));
                }
                Claim::Induction { level, counterexample, distance } => {
                    let received = Counterexample {
                        states: counterexample,
                        leads_to: None,
                        report: Some(Report { distance, sender }),
                        unproved: true,
                    };
                    if self.accepts_lemma(
                        store,
                        unrolled,
                        queue,
                        reachability,
                        (formula, level, standing),
                        received,
                        budget,
                    )? {
                        let index = self.counterexamples.len();
                        self.counterexamples.push(received);
                        self.shared.taken += 1;
                        used.push(formula);
                        self.senders.record_taken(sender);
                        self.assume(store, unrolled, formula);
                        queue.push_back(Obligation { lemma: formula, counterexample: index });
                    }
                }
                // Whoever lies about this keeps a lemma of others from being taken, and nothing else.
                Claim::Refuted { .. } => {
                    self.shared.refutations += u64::from(self.rejected.insert(formula));
                }
                _ => {}
            }
        }
        for formula in port.invariants(store) {
            self.shared.invariants += 1;
            used.push(formula);
            self.invariants.push(formula);
            self.assume(store, unrolled, formula);
            reachability.assume(store, formula);
        }
        port.taken(&used);
        Ok(())
    }

    /// Whether a received lemma passes the filter that is described above.
    #[allow(clippy::too_many_arguments, reason = "the parts of a level, borrowed separately")]
    fn accepts_lemma(
        &mut self,
        store: &mut Store,
        unrolled: &mut UnrolledFrame,
        queue: &VecDeque<Obligation>,
        reachability: &mut dyn Reachability,
        (formula, level, standing): (Term, usize, Standing),
        received: Counterexample,
        budget: &Budget,
    ) -> Result<bool, UnknownReason> {
        if level < self.level {
            self.shared.late += 1;
            return Ok(false);
        }
        if store.dag_size(formula) > MAX_SIZE
            || store.dag_size(received.states) > MAX_SIZE
            || received.report.is_none_or(|Report { distance, sender }| {
                distance > MAX_DISTANCE + MAX_DISTANCE_PER_LEVEL * self.level || !self.senders.accepts(sender)
            })
            || self.rejected.contains(&formula)
            || queue.iter().any(|obligation| obligation.lemma == formula)
        {
            self.shared.useless += 1;
            return Ok(false);
        }
        let mut judge = Solver::new(Default::default());
        judge.assert(store, formula);
        judge.assert(store, received.states);
        if !decided(judge.check(store, &mut budget.at_most(RECEIVED_EFFORT)).status(), Status::Unsat)? {
            self.shared.refuted += 1;
            return Ok(false);
        }
        let allowed =
            unrolled.solver.check_assuming(store, &[received.states], &mut budget.at_most(RECEIVED_EFFORT));
        if !decided(allowed.status(), Status::Sat)? {
            self.shared.useless += 1;
            return Ok(false);
        }
        if standing == Standing::Candidate
            && !reachability.admit(
                store,
                formula,
                self.level,
                standing,
                &mut budget.at_most(RECEIVED_EFFORT),
            )?
        {
            self.shared.refuted += 1;
            return Ok(false);
        }
        Ok(true)
    }

    /// Whether an obligation with an unproved counterexample may have one more attempt.
    pub(super) fn may_pursue_unproved(&mut self) -> bool {
        let [own, unproved] = self.attempts;
        let may = unproved < own + MAX_EXTRA_ATTEMPTS;
        self.shared.dropped += u64::from(!may);
        may
    }

    /// Publishes a lemma that was pushed: it holds for one step more.
    pub(super) fn publish_pushed(&mut self, store: &Store, port: &mut dyn Port, obligation: Obligation) {
        let states = self.counterexamples[obligation.counterexample].states;
        // The others have the property itself.
        if obligation.counterexample == 0 && obligation.lemma == !states
            || store.dag_size(obligation.lemma) > MAX_SIZE
            || store.dag_size(states) > MAX_SIZE
        {
            return;
        }
        let (segments, report) = self.path_to_bad(obligation.counterexample);
        let distance = segments.iter().map(|&(steps, _)| steps).sum::<usize>()
            + report.map_or(0, |report| report.distance);
        let claim = Claim::Induction { level: self.level + 1, counterexample: states, distance };
        self.shared.sent += 1;
        port.publish(store, &Lemma { formula: obligation.lemma, claim });
    }

    /// Publishes that a lemma fails within so many steps, so that others do not try it.
    pub(super) fn publish_refuted(&mut self, store: &Store, port: &mut dyn Port, lemma: Term, level: usize) {
        if store.dag_size(lemma) <= MAX_SIZE {
            port.publish(store, &Lemma { formula: lemma, claim: Claim::Refuted { level } });
        }
    }

    /// The sets on the path from a counterexample to the bad states, with the number of steps to each; and the report
    /// with the number of steps that are left, if the path ends in an unproved counterexample.
    fn path_to_bad(&self, counterexample: usize) -> (Vec<(usize, Term)>, Option<Report>) {
        let mut segments = Vec::new();
        let mut at = self.counterexamples[counterexample];
        while let Some((steps, index)) = at.leads_to {
            at = self.counterexamples[index];
            segments.push((steps, at.states));
        }
        (segments, at.report)
    }

    /// A trace into a counterexample's predecessors, extended to a bad state. If the counterexample is unproved, a path
    /// is sought; `None` if there is none, or none is found.
    pub(super) fn extend_to_bad(
        &mut self,
        store: &mut Store,
        mut trace: Trace,
        depth: usize,
        counterexample: usize,
        budget: &mut Budget,
    ) -> Result<Option<Trace>, UnknownReason> {
        let (segments, report) = self.path_to_bad(counterexample);
        trace.segments.push((depth, self.counterexamples[counterexample].states));
        trace.segments.extend(segments);
        let Some(Report { distance, sender }) = report else { return Ok(Some(trace)) };
        let budget = &mut budget.at_most(RECEIVED_EFFORT);
        let system = self.steps.system().clone();
        trace.segments.push((distance, system.bad));
        let found = trace.path(store, &system, budget).and_then(|path| {
            let Some(path) = path else { return Ok(None) };
            // If the reported distance is 0, no query has shown that the last state is bad.
            let last = path.last().expect("the first state");
            let formulas = [store.value_cube(&system.state, last), system.bad];
            let mut judge = Solver::new(Default::default());
            for formula in formulas {
                judge.assert(store, formula);
            }
            match judge.check(store, budget) {
                Answer::Sat(_) => Ok(Some(path)),
                Answer::Unsat(_) => Ok(None),
                Answer::Unknown(reason) => Err(reason),
            }
        });
        match found {
            Ok(Some(path)) => {
                // State by state, so that the path need not be sought again.
                let start = path[0].clone();
                let mut segments = Vec::with_capacity(path.len());
                for state in &path[1..] {
                    segments.push((1, store.value_cube(&system.state, state)));
                }
                segments.push((0, system.bad));
                Ok(Some(Trace { start, segments }))
            }
            Err(UnknownReason::Stopped) => Err(UnknownReason::Stopped),
            Ok(None) | Err(_) => {
                self.shared.unconfirmed += 1;
                self.senders.record_mistake(sender);
                Ok(None)
            }
        }
    }
}
