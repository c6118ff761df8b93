//! What an instance of PD-KIND makes of the lemmas of others.
//!
//! Chapter 6 of Blicha's thesis: reachability engines share their bounded invariants, induction engines the lemmas
//! that they have pushed, each with the counterexample that it excludes. A received lemma enters the frame by the
//! rule *Add-Lemma*, whose condition is that it holds within as many steps as the level says. So the filter asks,
//! from cheap to dear:
//!
//! 1. Does the lemma hold for long enough? What others have proved for fewer steps comes too late.
//! 2. Is it small, and new?
//! 3. Does it exclude its counterexample? If not, the message is nonsense.
//! 4. Is the counterexample still allowed by the frame? If not, the lemma is of no use here.
//! 5. A candidate, which somebody outside claims to hold, is proved by the reachability engine in one step from
//!    the frame below.
//!
//! The counterexample of a received lemma is hearsay: that a bad state can be reached from it is somebody's word.
//! When such a counterexample is reached, a path into the bad states is looked for; without one the obligation is
//! dropped, which *Drop-Lemma* allows for everything but the property itself. It may also lead nowhere: the way back
//! from a set of states that has nothing to do with the bad ones can be endless. So what is done by hearsay is
//! measured against what is done for the engine's own obligations, and dropped where it takes more. A lemma that was
//! dropped is not taken again, and whoever was wrong a few times is not listened to any more.

use std::collections::{BTreeMap, VecDeque};

use shem_base::{Budget, Effort, UnknownReason};
use shem_smt::{Answer, Solver, Status};
use shem_term::{Store, Term};

use super::induct::{Counterexample, Induction, Obligation, Told, Unrolled};
use super::reachability::Reachability;
use super::trace::Trace;
use crate::port::{Claim, Lemma, Port, Received, Standing};

/// A lemma with more subterms stays here, and is not taken.
const LARGEST: usize = 120;

/// A counterexample that is said to be further from the bad states than this, and a few steps more for each level, is
/// not taken: showing the way would cost too much.
const FARTHEST: usize = 50;
const FARTHER: usize = 4;

/// A bounded invariant is taken for so many levels above the present one, and no more: there is a group for each level.
const AHEAD: usize = 64;

/// Lemmas of so many senders are taken, and of each as long as its counterexamples have been wrong less often than
/// this.
const SENDERS: usize = 64;
const MISTAKES: u64 = 8;

/// So many more turns than the engine's own obligations those by hearsay may have.
const PATIENCE: u64 = 100;

/// The effort of a check of something received.
const RECEIVED_EFFORT: Effort = Effort { conflicts: 2_000, pivots: 20_000, splits: 200 };

/// Counters of the exchange.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shared {
    pub(super) sent: u64,
    pub(super) reach_taken: u64,
    pub(super) taken: u64,
    pub(super) late: u64,
    pub(super) useless: u64,
    pub(super) refuted: u64,
    pub(super) hearsay: u64,
    pub(super) dropped: u64,
    pub(super) invariants: u64,
}

/// What is known of a sender.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sender {
    /// Lemmas that were taken.
    pub(super) taken: u64,
    /// Counterexamples that led to no bad state.
    pub(super) mistakes: u64,
}

/// Who has sent what was taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Senders(pub(super) BTreeMap<u64, Sender>);

impl Senders {
    /// Whether to listen to this one.
    fn hears(&self, sender: u64) -> bool {
        self.0.get(&sender).map_or(self.0.len() < SENDERS, |known| known.mistakes < MISTAKES)
    }

    fn taken(&mut self, sender: u64) {
        self.0.entry(sender).or_default().taken += 1;
    }

    fn mistaken(&mut self, sender: u64) {
        self.0.entry(sender).or_default().mistakes += 1;
    }
}

/// An answer of a check with a small budget: what is not known in time is taken for no.
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
        unrolled: &mut Unrolled,
        queue: &mut VecDeque<Obligation>,
        reachability: &mut dyn Reachability,
        port: &mut dyn Port,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        for (formula, level) in reachability.news() {
            if store.dag_size(formula) <= LARGEST {
                self.shared.sent += 1;
                port.publish(store, &Lemma { formula, claim: Claim::Reach { level } });
            }
        }
        let before = self.shared;
        for Received { lemma, standing, sender } in port.poll(store) {
            budget.check_stop()?;
            let formula = lemma.formula;
            match lemma.claim {
                Claim::Reach { level } if store.dag_size(formula) <= LARGEST => {
                    // What holds for long holds for shorter.
                    let level = level.min(self.level + AHEAD);
                    let taken = reachability.admit(
                        store,
                        formula,
                        level,
                        standing,
                        &mut budget.at_most(RECEIVED_EFFORT),
                    )?;
                    self.shared.reach_taken += u64::from(taken);
                }
                Claim::Induction { level, counterexample, distance } => {
                    let told = Counterexample {
                        states: counterexample,
                        leads_to: None,
                        told: Some(Told { distance, sender }),
                        hearsay: true,
                    };
                    if self.admits(
                        store,
                        unrolled,
                        queue,
                        reachability,
                        (formula, level, standing),
                        told,
                        budget,
                    )? {
                        let index = self.counterexamples.len();
                        self.counterexamples.push(told);
                        self.shared.taken += 1;
                        self.senders.taken(sender);
                        self.assume(store, unrolled, formula);
                        queue.push_back(Obligation { lemma: formula, counterexample: index });
                    }
                }
                _ => {}
            }
        }
        for formula in port.invariants(store) {
            self.shared.invariants += 1;
            self.invariants.push(formula);
            self.assume(store, unrolled, formula);
            reachability.assume(store, formula);
        }
        let used = |shared: Shared| shared.reach_taken + shared.taken + shared.invariants;
        port.taken(used(self.shared) - used(before));
        Ok(())
    }

    /// The filter; see the essay above.
    #[allow(clippy::too_many_arguments, reason = "the parts of a level, borrowed separately")]
    fn admits(
        &mut self,
        store: &mut Store,
        unrolled: &mut Unrolled,
        queue: &VecDeque<Obligation>,
        reachability: &mut dyn Reachability,
        (formula, level, standing): (Term, usize, Standing),
        told: Counterexample,
        budget: &Budget,
    ) -> Result<bool, UnknownReason> {
        if level < self.level {
            self.shared.late += 1;
            return Ok(false);
        }
        if store.dag_size(formula) > LARGEST
            || store.dag_size(told.states) > LARGEST
            || told.told.is_none_or(|Told { distance, sender }| {
                distance > FARTHEST + FARTHER * self.level || !self.senders.hears(sender)
            })
            || self.refused.contains(&formula)
            || queue.iter().any(|obligation| obligation.lemma == formula)
        {
            self.shared.useless += 1;
            return Ok(false);
        }
        let mut judge = Solver::new(Default::default());
        judge.assert(store, formula);
        judge.assert(store, told.states);
        if !decided(judge.check(store, &mut budget.at_most(RECEIVED_EFFORT)).status(), Status::Unsat)? {
            self.shared.refuted += 1;
            return Ok(false);
        }
        let allowed =
            unrolled.solver.check_assuming(store, &[told.states], &mut budget.at_most(RECEIVED_EFFORT));
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

    /// Whether one more obligation that was made by hearsay may be looked into.
    pub(super) fn may_follow(&mut self) -> bool {
        let [own, followed] = self.turns;
        let may = followed < own + PATIENCE;
        self.shared.dropped += u64::from(!may);
        may
    }

    /// Tells others of a lemma that was pushed: it holds for one step more.
    pub(super) fn tell(&mut self, store: &Store, port: &mut dyn Port, obligation: Obligation) {
        let states = self.counterexamples[obligation.counterexample].states;
        // The property itself is nothing new.
        if obligation.counterexample == 0 && obligation.lemma == !states
            || store.dag_size(obligation.lemma) > LARGEST
            || store.dag_size(states) > LARGEST
        {
            return;
        }
        let (way, told) = self.way(obligation.counterexample);
        let distance =
            way.iter().map(|&(steps, _)| steps).sum::<usize>() + told.map_or(0, |told| told.distance);
        let claim = Claim::Induction { level: self.level + 1, counterexample: states, distance };
        self.shared.sent += 1;
        port.publish(store, &Lemma { formula: obligation.lemma, claim });
    }

    /// The steps from a counterexample to the bad states, and to what sets; if the way ends with hearsay, how
    /// many steps are said to be left.
    fn way(&self, counterexample: usize) -> (Vec<(usize, Term)>, Option<Told>) {
        let mut way = Vec::new();
        let mut at = self.counterexamples[counterexample];
        while let Some((steps, index)) = at.leads_to {
            at = self.counterexamples[index];
            way.push((steps, at.states));
        }
        (way, at.told)
    }

    /// The trace into a counterexample's predecessors, prolonged to a bad state. Where the way goes on by hearsay
    /// alone, there must be a path; `None` if there is none, or none is found.
    pub(super) fn extend(
        &mut self,
        store: &mut Store,
        mut trace: Trace,
        depth: usize,
        counterexample: usize,
        budget: &mut Budget,
    ) -> Result<Option<Trace>, UnknownReason> {
        let (way, told) = self.way(counterexample);
        trace.way.push((depth, self.counterexamples[counterexample].states));
        trace.way.extend(way);
        let Some(Told { distance, sender }) = told else { return Ok(Some(trace)) };
        let budget = &mut budget.at_most(RECEIVED_EFFORT);
        let system = self.steps.system().clone();
        trace.way.push((distance, system.bad));
        let found = trace.path(store, &system, budget).and_then(|path| {
            let Some(path) = path else { return Ok(None) };
            // Where no steps are said to be left, nobody has asked whether the last state is bad.
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
                // State by state, so that nobody has to look for the way again.
                let start = path[0].clone();
                let mut way = Vec::with_capacity(path.len());
                for state in &path[1..] {
                    way.push((1, store.value_cube(&system.state, state)));
                }
                way.push((0, system.bad));
                Ok(Some(Trace { start, way }))
            }
            Err(UnknownReason::Stopped) => Err(UnknownReason::Stopped),
            Ok(None) | Err(_) => {
                self.shared.hearsay += 1;
                self.senders.mistaken(sender);
                Ok(None)
            }
        }
    }
}
