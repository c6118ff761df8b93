//! The induction engine of PD-KIND: one level at a time.
//!
//! A *frame* is a set of obligations. The lemma of an obligation holds in all states reached within `n` steps,
//! the level; its counterexample is a set of states from each of which a bad state can be reached, and which
//! the lemma excludes. At a level every lemma is tried by k-induction relative to the whole frame:
//!
//! 1. It is inductive: it goes on to the next frame.
//! 2. Even the negation of its counterexample is not. The states from which the counterexample is reached in k
//!    steps are the counterexample of a new obligation, if no such state is reached within n steps; otherwise
//!    the system is unsafe.
//! 3. The lemma alone is too strong. If what breaks it is reached, the lemma is given up for the negation of
//!    its counterexample, which is inductive; the next level goes no further than to the first step at which
//!    the lemma fails. If it is not reached, the lemma is strengthened by the reason.
//!
//! If no lemma was given up, the frame is k-inductive. Otherwise all of the frame holds before the first step at
//! which a lemma that was given up fails, so what is inductive relative to it holds up to that step: this is
//! the next level.

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use shem_base::{Budget, Rng, TieBreak, UnknownReason};
use shem_chc::{Steps, TransitionSystem};
use shem_smt::project::Projector;
use shem_smt::{Answer, Model, Recorder, Solver};
use shem_term::{Store, Term};

use super::reachability::{Reach, Reachability};
use super::settings::{Order, Settings};
use super::share::{ExchangeCounters, Senders};
use super::trace::Trace;
use crate::counters::counters;
use crate::port::Port;

/// A set of states from which a bad state can be reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counterexample {
    pub(super) states: Term,
    /// How many steps lead to which other counterexample; the first one is the bad states themselves.
    pub(super) leads_to: Option<(usize, usize)>,
    /// The report of another instance, if the counterexample was received.
    pub(super) report: Option<Report>,
    /// Whether the path from here to the bad states ends in a counterexample that was received and not proved.
    pub(super) unproved: bool,
}

/// What another instance reports of a counterexample, without proof: that a bad state is reached from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    /// The number of steps to the bad state.
    pub(super) distance: usize,
    /// The number of the instance that has sent it.
    pub(super) sender: u64,
}

/// A lemma with the counterexample that it excludes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Obligation {
    pub(super) lemma: Term,
    pub(super) counterexample: usize,
}

/// The score of a lemma: how often it was tried, and its size. Low scores go first.
type Score = (u32, usize);

/// The scores of lemmas that were asked for.
#[derive(Clone, Debug, Default)]
struct Scores(HashMap<Term, Score, FxBuildHasher>);

impl Scores {
    fn get(&mut self, store: &Store, lemma: Term) -> Score {
        *self.0.entry(lemma).or_insert_with(|| (0, store.dag_size(lemma)))
    }

    fn record_attempt(&mut self, lemma: Term) {
        self.0.entry(lemma).or_default().0 += 1;
    }
}

/// The result of a level.
pub(super) enum LevelResult {
    /// The frame, as one formula, is inductive with this depth.
    Inductive(Term, usize),
    /// A bad state is reached.
    Reached(Trace),
    /// Neither: the next level follows.
    Next,
}

counters! {
    /// What was done.
    pub(super) struct Counters {
        /// Levels that were worked off.
        levels: "levels",
        /// Checks of induction.
        queries: "induction.queries",
        /// The greatest depth of induction.
        depth: "induction.depth",
        /// Models that were generalised to sets of states.
        generalised: "induction.generalised",
        /// Lemmas that were inductive and went on to the next frame.
        pushed: "lemmas.pushed",
        /// Lemmas of new obligations.
        added: "lemmas.added",
        /// Lemmas that were too weak and were strengthened.
        strengthened: "lemmas.strengthened",
        /// Lemmas that were too strong and were given up for the negation of their counterexample.
        given_up: "lemmas.given-up",
    }
}

/// The induction engine.
pub(super) struct Induction {
    pub(super) steps: Steps,
    settings: Settings,
    pub(super) counterexamples: Vec<Counterexample>,
    frame: Vec<Obligation>,
    pub(super) level: usize,
    projector: Projector,
    /// Picks obligations where the order says so.
    rng: Rng,
    /// The scores of lemmas, where the order asks for them.
    scores: Scores,
    /// The order of the obligations of a new level.
    ties: TieBreak,
    seed: u64,
    pub(super) counters: Counters,
    pub(super) shared: ExchangeCounters,
    pub(super) senders: Senders,
    /// Lemmas that were dropped since their counterexamples were not confirmed: they are not taken again.
    pub(super) rejected: HashSet<Term, FxBuildHasher>,
    /// How often the reason was sought why a lemma could not be pushed: for own counterexamples, and for unproved ones.
    pub(super) attempts: [u64; 2],
    /// Invariants of other engines, checked to be inductive.
    pub(super) invariants: Vec<Term>,
    /// Records the queries of the next level.
    pub(super) recorder: Option<Recorder>,
}

/// The unrolled system of a level, with the frame at all states but the last.
pub(super) struct UnrolledFrame {
    pub(super) solver: Solver,
    depth: usize,
}

impl Induction {
    /// The engine at level 0. Bad states must have no auxiliary variables, and no initial state may be bad.
    pub(super) fn new(store: &Store, system: &TransitionSystem, settings: Settings, seed: u64) -> Induction {
        let bad = Counterexample { states: system.bad, leads_to: None, report: None, unproved: false };
        Induction {
            steps: Steps::new(store, system),
            settings,
            counterexamples: vec![bad],
            frame: vec![Obligation { lemma: !system.bad, counterexample: 0 }],
            level: 0,
            projector: Projector::new(),
            rng: Rng::new(seed),
            scores: Scores::default(),
            ties: TieBreak::new(seed),
            seed,
            counters: Counters::default(),
            shared: ExchangeCounters::default(),
            senders: Senders::default(),
            rejected: HashSet::default(),
            attempts: [0; 2],
            invariants: Vec::new(),
            recorder: None,
        }
    }

    /// The level: the number of steps within which all lemmas hold.
    pub(super) fn level(&self) -> usize {
        self.level
    }

    /// The number of lemmas.
    pub(super) fn lemmas(&self) -> usize {
        self.frame.len()
    }

    /// Works on a level until all obligations are pushed or dropped, in exchange with other instances.
    pub(super) fn advance(
        &mut self,
        store: &mut Store,
        reachability: &mut dyn Reachability,
        mut port: Option<&mut dyn Port>,
        budget: &mut Budget,
    ) -> Result<LevelResult, UnknownReason> {
        self.counters.levels += 1;
        let depth = self.settings.depth.at(self.level);
        self.counters.depth = self.counters.depth.max(depth as u64);
        let mut unrolled = self.unroll(store, depth);
        let mut queue: VecDeque<Obligation> = std::mem::take(&mut self.frame).into();
        for obligation in &queue {
            self.assume(store, &mut unrolled, obligation.lemma);
        }
        for invariant in self.invariants.clone() {
            self.assume(store, &mut unrolled, invariant);
        }
        let mut next: Vec<Obligation> = Vec::with_capacity(queue.len());
        let mut next_level = self.level + depth;
        let mut none_given_up = true;
        loop {
            if let Some(port) = port.as_deref_mut() {
                self.exchange(store, &mut unrolled, &mut queue, reachability, port, budget)?;
            }
            let Some(obligation) = self.pop(store, &mut queue) else { break };
            budget.check_stop()?;
            let Some(model) = self.find_path_to(store, &mut unrolled, !obligation.lemma, budget)? else {
                self.counters.pushed += 1;
                next.push(obligation);
                if let Some(port) = port.as_deref_mut() {
                    self.publish_pushed(store, port, obligation);
                }
                continue;
            };
            let Counterexample { states: excluded, unproved, .. } =
                self.counterexamples[obligation.counterexample];
            if unproved && !self.may_pursue_unproved() {
                // As below, where an unproved counterexample is not confirmed.
                self.rejected.insert(obligation.lemma);
                none_given_up = false;
                next_level = self.level + 1;
                continue;
            }
            self.attempts[usize::from(unproved)] += 1;
            // Where the lemma is the negation of its counterexample, the question has been answered.
            let model_to_excluded = if obligation.lemma == !excluded {
                Some(model.clone())
            } else {
                self.find_path_to(store, &mut unrolled, excluded, budget)?
            };
            if let Some(model) = model_to_excluded {
                let states = self.generalise(store, &model, excluded, depth)?;
                match reachability.reach(store, states, self.level, budget)? {
                    Reach::Path(trace) => {
                        let (depth, from) = (depth, obligation.counterexample);
                        if let Some(trace) = self.extend_to_bad(store, trace, depth, from, budget)? {
                            return Ok(LevelResult::Reached(trace));
                        }
                        // The unproved counterexample was not confirmed. The lemma was part of the frame at this
                        // level, so what is inductive relative to it holds for one step more only.
                        self.rejected.insert(obligation.lemma);
                        none_given_up = false;
                        next_level = self.level + 1;
                    }
                    Reach::Blocked(lemma) => {
                        let leads_to = Some((depth, obligation.counterexample));
                        let counterexample = self.counterexamples.len();
                        self.counterexamples.push(Counterexample {
                            states,
                            leads_to,
                            report: None,
                            unproved,
                        });
                        self.counters.added += 1;
                        self.assume(store, &mut unrolled, lemma);
                        queue.push_back(obligation);
                        queue.push_back(Obligation { lemma, counterexample });
                    }
                }
                continue;
            }
            let states = self.generalise(store, &model, !obligation.lemma, depth)?;
            match reachability.reach(store, states, self.level, budget)? {
                Reach::Path(trace) => {
                    none_given_up = false;
                    self.counters.given_up += 1;
                    let latest = (trace.len() + depth).min(next_level);
                    let first = self.first_failure(store, reachability, !obligation.lemma, latest, budget)?;
                    next_level = next_level.min(first);
                    if let Some(port) = port.as_deref_mut() {
                        self.publish_refuted(store, port, obligation.lemma, first);
                    }
                    self.assume(store, &mut unrolled, !excluded);
                    next.push(Obligation { lemma: !excluded, ..obligation });
                }
                Reach::Blocked(lemma) => {
                    self.counters.strengthened += 1;
                    self.assume(store, &mut unrolled, lemma);
                    let lemma = store.and2(lemma, obligation.lemma);
                    queue.push_back(Obligation { lemma, ..obligation });
                }
            }
        }
        if none_given_up {
            let mut lemmas: Vec<Term> = next.iter().map(|obligation| obligation.lemma).collect();
            lemmas.extend(&self.invariants);
            return Ok(LevelResult::Inductive(store.and(&lemmas), depth));
        }
        next.sort_by_key(|obligation| (obligation.lemma, obligation.counterexample));
        next.dedup_by_key(|obligation| obligation.lemma);
        if let Some(port) = port
            && port.wants_invariants()
            && self.counters.levels.is_power_of_two()
        {
            let lemmas: Vec<Term> = next.iter().map(|obligation| obligation.lemma).collect();
            let all = store.and(&lemmas);
            port.suggest(store, all, budget);
        }
        next.sort_by_key(|obligation| self.ties.rank(obligation.counterexample));
        self.frame = next;
        self.level = next_level;
        Ok(LevelResult::Next)
    }

    fn pop(&mut self, store: &Store, queue: &mut VecDeque<Obligation>) -> Option<Obligation> {
        match self.settings.order {
            Order::Scored => {
                let scored = |(at, obligation): (usize, &Obligation)| {
                    (self.scores.get(store, obligation.lemma), self.ties.rank(obligation.counterexample), at)
                };
                let (.., at) = queue.iter().enumerate().map(scored).min()?;
                let obligation = queue.remove(at)?;
                self.scores.record_attempt(obligation.lemma);
                Some(obligation)
            }
            Order::Newest => queue.pop_back(),
            Order::Oldest => queue.pop_front(),
            Order::Random => {
                if queue.is_empty() {
                    return None;
                }
                let at = self.rng.index(queue.len());
                queue.remove(at)
            }
        }
    }

    fn unroll(&mut self, store: &mut Store, depth: usize) -> UnrolledFrame {
        let mut solver = Solver::new(Default::default());
        solver.set_seed(self.seed);
        if let Some(recorder) = self.recorder.take() {
            solver.observe(recorder);
        }
        for step in 0..depth {
            let transition = self.steps.transition(store, step);
            solver.assert(store, transition);
        }
        UnrolledFrame { solver, depth }
    }

    /// Adds a lemma of the frame, about all states but the last.
    pub(super) fn assume(&mut self, store: &mut Store, unrolled: &mut UnrolledFrame, lemma: Term) {
        for step in 0..unrolled.depth {
            let lemma = self.steps.at(store, lemma, step);
            unrolled.solver.assert(store, lemma);
        }
    }

    /// A model of a path through states of the frame to a state of the target.
    fn find_path_to(
        &mut self,
        store: &mut Store,
        unrolled: &mut UnrolledFrame,
        target: Term,
        budget: &mut Budget,
    ) -> Result<Option<Model>, UnknownReason> {
        self.counters.queries += 1;
        let target = self.steps.at(store, target, unrolled.depth);
        unrolled.solver.push();
        unrolled.solver.assert(store, target);
        let result = match unrolled.solver.check(store, budget) {
            Answer::Sat(mut solution) => Ok(Some(solution.model())),
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(reason) => Err(reason),
        };
        unrolled.solver.pop();
        result
    }

    /// States from each of which the target is reached in `depth` steps, among them the first of the model:
    /// projected one step at a time.
    fn generalise(
        &mut self,
        store: &mut Store,
        model: &Model,
        target: Term,
        depth: usize,
    ) -> Result<Term, UnknownReason> {
        self.counters.generalised += 1;
        let mut cube = self.steps.at(store, target, depth);
        for step in (0..depth).rev() {
            let transition = self.steps.transition(store, step);
            let keep = self.steps.state(store, step).to_vec();
            let literals = self.projector.project_onto(store, &[transition, cube], model, &keep);
            cube = store.and(&literals.map_err(UnknownReason::from)?);
        }
        Ok(cube)
    }

    /// The first step, after the level and at most `latest`, at which the target is reached.
    fn first_failure(
        &mut self,
        store: &mut Store,
        reachability: &mut dyn Reachability,
        target: Term,
        latest: usize,
        budget: &mut Budget,
    ) -> Result<usize, UnknownReason> {
        for bound in self.level + 1..latest {
            if let Reach::Path(_) = reachability.reach(store, target, bound, budget)? {
                return Ok(bound);
            }
        }
        Ok(latest)
    }
}
