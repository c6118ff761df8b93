//! Long searches without a theory: restarts, phases and clauses as large propositional problems need them.
//!
//! Most queries of engines end after a few conflicts, and most conflicts are the theory's. Circuits are different: a
//! solve is *propositional* from its [`FIRST_CONFLICTS`]th conflict on if hardly any of its conflicts was the theory's.
//! Then its search alternates between two modes (Oh, 2015; Biere and Fleury, 2020). *Focused*, it restarts as soon as
//! learnt clauses get worse than they were on average, measured by their glue (Audemard and Simon, 2012), which suits
//! refutations, and decides the variables of the last conflict first (see `queue`). *Stable*, it restarts rarely and decides the values of the longest trail that was free of conflicts, which
//! suits models; from time to time all phases are set anew. Learnt clauses are kept by their glue and by whether they were
//! used since the last reduction. The values of variables whose clauses stand are decided as well: to look for them costs
//! more than it saves here (see `decide`).
//!
//! Nothing of this outlives the solve but phases, activities and clauses.

use super::arena::ClauseRef;
use super::core::Sat;
use super::queue::VarQueue;
use super::search::luby;
use super::trail::OPEN;
use crate::theory::Theory;
use shem_base::{Lit, Var};
use shem_proof::ProofSink;

/// The conflicts of a solve before it may be propositional.
pub(super) const FIRST_CONFLICTS: usize = 500;
/// The share of conflicts that may be the theory's is one in so many.
pub(super) const CONFLICTS_OF_THEORY: u64 = 50;
/// The conflicts of the first focused phase.
const FIRST_PHASE: u64 = 1000;
/// The least number of conflicts between two restarts in focused mode.
const CONFLICTS_BETWEEN_RESTARTS: u32 = 2;
/// How much greater than usual recent glues have to be for a restart.
const RESTART_MARGIN: f64 = 1.1;
/// The unit of the Luby sequence in stable mode.
const STABLE_UNIT: u32 = 1024;
/// The least number of conflicts between two eliminations of variables.
const ELIMINATION_UNIT: u64 = 500;
/// The propagations of a solve, for each input clause, before variables are eliminated. On an unrolling of 730,000 clauses
/// that takes 2,200 conflicts, elimination after 500 of them made the search take 2.0 s instead of 1.3 s.
pub(super) const PROPAGATIONS_A_CLAUSE: u64 = 8;
/// The conflicts before the first setting of all phases; later ones come after multiples of it.
const REPHASE_UNIT: u64 = 1000;
/// The conflicts before the first reduction; later ones come after multiples of it.
const REDUCE_UNIT: u64 = 300;
/// Clauses up to this glue are never removed.
const LOW_GLUE: u32 = 2;
/// Clauses up to this glue survive two reductions without being used, others one.
const MEDIUM_GLUE: u32 = 6;

/// A moving average that does not depend on its first value.
#[derive(Clone, Copy, Debug)]
struct Average {
    rate: f64,
    value: f64,
    /// The weight of values that never came.
    missing: f64,
}

impl Average {
    fn new(window: f64) -> Average {
        Average { rate: 1.0 / window, value: 0.0, missing: 1.0 }
    }

    fn add(&mut self, value: f64) {
        self.value += self.rate * (value - self.value);
        self.missing *= 1.0 - self.rate;
    }

    fn get(&self) -> f64 {
        if self.missing < 1.0 { self.value / (1.0 - self.missing) } else { 0.0 }
    }
}

/// The longest trail that was free of conflicts.
#[derive(Debug, Default)]
struct Longest {
    len: usize,
    /// By variable; open if it was not there.
    values: Vec<i8>,
}

impl Longest {
    fn forget(&mut self) {
        self.len = 0;
        self.values.clear();
    }

    fn keep(&mut self, lits: &[Lit], vars: usize) {
        self.len = lits.len();
        self.values.clear();
        self.values.resize(vars, OPEN);
        for &lit in lits {
            self.values[lit.var().index()] = if lit.is_positive() { 1 } else { -1 };
        }
    }

    fn value(&self, var: Var) -> Option<bool> {
        match self.values.get(var.index()) {
            None | Some(&OPEN) => None,
            Some(&value) => Some(value > 0),
        }
    }
}

/// What a propositional search remembers.
#[derive(Debug)]
pub(super) struct Propositional {
    /// Whether the search is propositional.
    pub active: bool,
    stable: bool,
    recent_glue: Average,
    usual_glue: Average,
    conflicts: u64,
    since_restart: u32,
    /// In stable mode: the conflicts to the next restart, and how many restarts there have been.
    to_stable_restart: u32,
    stable_restarts: u32,
    /// The conflicts, in the first phase, or else the propagations at which the mode changes.
    next_mode: u64,
    modes: u64,
    /// The propagations when the search became propositional, then those of the first phase.
    phase_propagations: u64,
    next_reduction: u64,
    reductions: u64,
    next_rephasing: u64,
    rephasings: u64,
    next_elimination: u64,
    /// The order of decisions in focused mode.
    pub queue: VarQueue,
    /// Since the phases were set.
    target: Longest,
    best: Longest,
}

impl Default for Propositional {
    fn default() -> Self {
        Propositional {
            active: false,
            stable: false,
            recent_glue: Average::new(33.0),
            usual_glue: Average::new(1e5),
            conflicts: 0,
            since_restart: 0,
            to_stable_restart: STABLE_UNIT,
            stable_restarts: 0,
            next_mode: FIRST_PHASE,
            modes: 0,
            phase_propagations: 0,
            next_reduction: REDUCE_UNIT,
            reductions: 0,
            next_rephasing: REPHASE_UNIT,
            rephasings: 0,
            next_elimination: 0,
            queue: VarQueue::default(),
            target: Longest::default(),
            best: Longest::default(),
        }
    }
}

impl Propositional {
    /// Takes note of the glue of a clause that was learnt.
    #[inline]
    pub fn add_glue(&mut self, glue: u32) {
        if self.active {
            self.recent_glue.add(f64::from(glue));
            self.usual_glue.add(f64::from(glue));
        }
    }

    /// The value to decide for a variable, if there is one.
    #[inline]
    pub fn phase(&self, var: Var) -> Option<bool> {
        if self.stable { self.target.value(var) } else { None }
    }

    /// Whether decisions follow the queue.
    #[inline]
    pub fn is_focused(&self) -> bool {
        self.active && !self.stable
    }

    /// Forgets the trail whose values are decided.
    pub fn forget_target(&mut self) {
        self.target.forget();
    }

    /// How many reductions a clause survives that was used just now.
    #[inline]
    pub fn rounds_of_use(glue: u32) -> u32 {
        if glue <= MEDIUM_GLUE { 2 } else { 1 }
    }

    /// Whether the mode has lasted long enough, after so many propagations. That must not wait for a restart: where all
    /// glues are alike, as in long carries, no clause is worse than usual, and the focused mode would never restart.
    fn mode_is_due(&self, propagations: u64) -> bool {
        let reached = if self.modes == 0 { self.conflicts } else { propagations };
        reached >= self.next_mode
    }

    fn wants_restart(&self) -> bool {
        match self.stable {
            true => self.to_stable_restart == 0,
            false => {
                self.since_restart >= CONFLICTS_BETWEEN_RESTARTS
                    && self.recent_glue.get() > RESTART_MARGIN * self.usual_glue.get()
            }
        }
    }
}

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// Looks whether the search, which has come to a restart, is propositional; if so, variables are eliminated.
    pub(super) fn recognise_propositional(&mut self, conflicts: usize) {
        let of_theory = self.statistics.theory_conflicts - self.before.theory_conflicts;
        let limits = &self.limits;
        if conflicts >= limits.first_propositional
            && of_theory * limits.conflicts_of_theory <= conflicts as u64
        {
            let mut order: Vec<Var> = (0..self.vars.len() as u32).map(Var::new).collect();
            order.sort_by(|&a, &b| match (self.heap.precedes(a, b), self.heap.precedes(b, a)) {
                (true, _) => std::cmp::Ordering::Greater,
                (_, true) => std::cmp::Ordering::Less,
                _ => a.cmp(&b),
            });
            self.propositional = Propositional {
                active: true,
                queue: VarQueue::new(&order),
                phase_propagations: self.statistics.propagations,
                ..Propositional::default()
            };
            self.eliminate_if_due();
        }
    }

    /// Eliminates variables if it is time to: not before the search has cost more than that will.
    fn eliminate_if_due(&mut self) {
        let propagations = self.statistics.propagations - self.before.propagations;
        let propositional = &mut self.propositional;
        if propositional.conflicts >= propositional.next_elimination
            && propagations >= self.limits.propagations_a_clause * self.inputs.len() as u64
        {
            propositional.next_elimination = 4 * propositional.conflicts.max(ELIMINATION_UNIT);
            self.eliminate();
        }
    }

    /// Takes note of a conflict of this level, before it is taken back.
    pub(super) fn note_conflict(&mut self, level: u32) {
        let propositional = &mut self.propositional;
        propositional.conflicts += 1;
        propositional.since_restart += 1;
        propositional.to_stable_restart = propositional.to_stable_restart.saturating_sub(1);
        if propositional.stable {
            let consistent = &self.trail.lits()[..self.trail.len_below(level)];
            if consistent.len() > propositional.target.len {
                propositional.target.keep(consistent, self.vars.len());
            }
            if consistent.len() > propositional.best.len {
                propositional.best.keep(consistent, self.vars.len());
            }
        }
    }

    /// Restarts and reduces the learnt clauses if it is time to, propagation being complete.
    pub(super) fn step_propositional(&mut self) {
        let propositional = &mut self.propositional;
        if propositional.wants_restart() || propositional.mode_is_due(self.statistics.propagations) {
            propositional.since_restart = 0;
            if propositional.stable {
                propositional.stable_restarts += 1;
                propositional.to_stable_restart = STABLE_UNIT * luby(propositional.stable_restarts);
            }
            self.statistics.restarts += 1;
            let level = self.reusable_level();
            self.backtrack(level);
            if self.proof.is_bloated() {
                self.collect_derivations();
            }
            self.receive_clauses();
            self.change_mode();
            self.eliminate_if_due();
        } else if propositional.conflicts >= propositional.next_reduction {
            propositional.reductions += 1;
            propositional.next_reduction += REDUCE_UNIT * (propositional.reductions + 1);
            self.reduce_by_glue();
        } else if propositional.conflicts >= propositional.next_rephasing {
            propositional.rephasings += 1;
            propositional.next_rephasing += REPHASE_UNIT * (propositional.rephasings + 1);
            self.set_phases();
        }
    }

    /// The highest level whose decisions would be made again after a restart.
    fn reusable_level(&mut self) -> u32 {
        let first = self.assumptions.len() as u32;
        let is_focused = self.propositional.is_focused();
        let next = if is_focused { self.next_in_queue() } else { self.next_in_heap() };
        let Some(next) = next else { return first };
        let mut level = first;
        while level < self.trail.level() {
            let decision = self.trail.lit(self.trail.len_below(level + 1)).var();
            let comes_first = match is_focused {
                true => self.propositional.queue.stamp(decision) > self.propositional.queue.stamp(next),
                false => self.heap.precedes(decision, next),
            };
            if !comes_first {
                break;
            }
            level += 1;
        }
        level
    }

    /// The variable that the queue says to decide next.
    pub(super) fn next_in_queue(&mut self) -> Option<Var> {
        let (vars, trail, elimination) = (&self.vars, &self.trail, &self.elimination);
        self.propositional.queue.find(|var| {
            let state = &vars[var.index()];
            state.uses > 0
                && trail.is_open(var)
                && !elimination.is_gone(var)
                // Otherwise its default value satisfies all its clauses.
                && (state.is_theory || state.is_wanted || !state.occurrences.contains(&0))
        })
    }

    /// The variable that the heap says to decide next, which is left there.
    fn next_in_heap(&mut self) -> Option<Var> {
        loop {
            match self.heap.first() {
                Some(var)
                    if self.vars[var.index()].uses == 0
                        || !self.trail.is_open(var)
                        || self.elimination.is_gone(var) =>
                {
                    self.heap.pop()
                }
                next => break next,
            };
        }
    }

    fn change_mode(&mut self) {
        let propagations = self.statistics.propagations;
        let propositional = &mut self.propositional;
        if !propositional.mode_is_due(propagations) {
            return;
        }
        if propositional.modes == 0 {
            propositional.phase_propagations = propagations - propositional.phase_propagations;
        }
        propositional.modes += 1;
        let rounds = propositional.modes.div_ceil(2);
        propositional.next_mode = propagations + propositional.phase_propagations * rounds * rounds;
        propositional.stable = !propositional.stable;
        propositional.target.forget();
        propositional.to_stable_restart = STABLE_UNIT;
        propositional.stable_restarts = 0;
    }

    /// Sets the phases of all variables anew: to those of the best trail, or to one value.
    fn set_phases(&mut self) {
        let propositional = &mut self.propositional;
        let value = match propositional.rephasings % 6 {
            1 => Some(false),
            4 => Some(true),
            _ => None,
        };
        for (index, state) in self.vars.iter_mut().enumerate() {
            let phase = value.or_else(|| propositional.best.value(Var::new(index as u32)));
            if !state.is_wanted && phase.is_some() {
                state.phase = phase;
            }
        }
        propositional.target.forget();
        propositional.best.forget();
    }

    /// Removes three quarters of the learnt clauses that were not used lately, those of high glue first.
    fn reduce_by_glue(&mut self) {
        self.statistics.reductions += 1;
        let mut candidates: Vec<ClauseRef> = Vec::new();
        for &clause in &self.learnts {
            if self.clauses.size(clause) <= 2
                || self.clauses.glue(clause) <= LOW_GLUE
                || self.clauses.is_resolvent(clause)
            {
                continue;
            }
            match self.clauses.used(clause) {
                0 if !self.is_locked(clause) => candidates.push(clause),
                0 => {}
                rounds => self.clauses.set_used(clause, rounds - 1),
            }
        }
        let worth = |&clause: &ClauseRef| (self.clauses.glue(clause), self.clauses.size(clause), clause);
        candidates.sort_unstable_by_key(|clause| std::cmp::Reverse(worth(clause)));
        let removed = candidates.len() / 4 * 3;
        for &clause in &candidates[..removed] {
            self.clauses.mark_removed(clause);
        }
        self.statistics.forgotten_clauses += removed as u64;
        self.compact();
    }
}
