//! Bounded reachability by frames, without unrolling.
//!
//! A lemma of level i holds in all states that are reached within i steps; the frame R_i is the set of all
//! lemmas of level i and above. A target is reached within i steps if it has an initial state, or a successor of a
//! state that R_{i−1} allows and that is reached within i − 1 steps. A predecessor found is generalised to a cube by
//! projection, such that all its states can make the step, and becomes the next target; if that
//! is blocked, there is a lemma, the interpolant of "initial, or a successor of R_{i−1}" and the target.
//!
//! One solver, with a group of formulas for each level; a query opens a scope for its target and closes it.

use std::collections::BTreeMap;

use shem_base::{Budget, Statistics, UnknownReason};
use shem_chc::TransitionSystem;
use shem_smt::interpolate::{ItpError, ItpOptions, Partition};
use shem_smt::project::Projector;
use shem_smt::{Answer, Group, Refutation, Solver, Status};
use shem_term::{Sort, Store, Term, Value};

use super::reachability::{Reach, Reachability};
use super::trace::{Trace, values};
use crate::port::Standing;

/// Answers questions of bounded reachability with frames of bounded invariants.
pub struct Frames {
    system: TransitionSystem,
    /// What is eliminated from a transition to get the state before it.
    eliminate: Vec<Term>,
    solver: Solver,
    /// Chooses between "the next state is initial" and "there is a transition".
    starts: Term,
    /// Numbers of the assertions about initial states, transitions and lemmas.
    sources: Vec<u32>,
    /// The group of the lemmas of each level.
    levels: Vec<Group>,
    projector: Projector,
    options: ItpOptions,
    /// The highest level at which each formula was learnt.
    known: BTreeMap<Term, usize>,
    /// Lemmas learnt here since they were last asked for, with their levels; collected once they were asked for.
    new_lemmas: Vec<(Term, usize)>,
    collects_new_lemmas: bool,
    queries: u64,
    lemmas: u64,
    projections: u64,
}

impl Frames {
    /// Frames without lemmas, in this solver.
    pub fn new(
        store: &mut Store,
        system: &TransitionSystem,
        options: ItpOptions,
        mut solver: Solver,
    ) -> Frames {
        let mut eliminate = store.free_variables(&[system.transition]);
        eliminate.retain(|v| !system.state.contains(v));
        for &variable in &system.next {
            if !eliminate.contains(&variable) {
                eliminate.push(variable);
            }
        }
        let starts = store.variable("starts", Sort::Bool);
        let initial = store.rename(system.initial, &system.state, &system.next);
        let initial = store.implies(starts, initial);
        let transition = store.or2(starts, system.transition);
        let sources = vec![solver.assert(store, initial), solver.assert(store, transition)];
        Frames {
            system: system.clone(),
            eliminate,
            solver,
            starts,
            sources,
            levels: Vec::new(),
            projector: Projector::new(),
            options,
            known: BTreeMap::new(),
            new_lemmas: Vec::new(),
            collects_new_lemmas: false,
            queries: 0,
            lemmas: 0,
            projections: 0,
        }
    }

    /// Adds a formula that holds in all states that are reached within `level` steps.
    fn learn(&mut self, store: &mut Store, lemma: Term, level: usize) {
        while self.levels.len() <= level {
            self.levels.push(self.solver.new_group());
        }
        self.sources.push(self.solver.assert_in_group(store, self.levels[level], lemma));
        self.lemmas += 1;
        let highest = self.known.entry(lemma).or_insert(level);
        *highest = level.max(*highest);
    }

    /// Opens a scope in which the next state is one of the target; the number of that assertion.
    fn open_target_scope(&mut self, store: &mut Store, target: Term) -> u32 {
        self.queries += 1;
        self.solver.push();
        let target = store.rename(target, &self.system.state, &self.system.next);
        self.solver.assert(store, target)
    }
}

/// Asks whether the next state can be as the solver's assertions say, after at most one step from the frame
/// before `bound`.
fn ask<'s>(
    solver: &'s mut Solver,
    store: &mut Store,
    levels: &[Group],
    starts: Term,
    bound: usize,
    budget: &mut Budget,
) -> Answer<'s> {
    if bound == 0 {
        return solver.check_assuming(store, &[starts], budget);
    }
    let frame = &levels[(bound - 1).min(levels.len())..];
    solver.check_with(store, frame, &[], budget)
}

/// The interpolant between the assertions with the numbers in `sources` and the goal, over the next state.
fn interpolate(
    refutation: &mut Refutation<'_>,
    store: &mut Store,
    sources: &[u32],
    goal: u32,
    starts: Term,
    options: &ItpOptions,
    budget: &mut Budget,
) -> Result<Term, UnknownReason> {
    let mut partition = Partition::new(2);
    for &number in sources {
        partition.assign(number, 0);
    }
    partition.assign(goal, 1);
    partition.assign_assumption(starts, 0);
    match refutation.path_interpolants(store, &partition, options, budget) {
        Ok(found) => Ok(found[0]),
        Err(ItpError::Unknown(reason)) => Err(reason),
        Err(_) => Err(UnknownReason::Incomplete("an interpolant could not be computed")),
    }
}

impl Reachability for Frames {
    fn reach(
        &mut self,
        store: &mut Store,
        target: Term,
        bound: usize,
        budget: &mut Budget,
    ) -> Result<Reach, UnknownReason> {
        // The targets from the first one backwards, the last with the smallest bound.
        let mut stack = vec![target];
        loop {
            budget.check_stop()?;
            let level = bound + 1 - stack.len();
            let top = *stack.last().expect("the target is at the bottom");
            let goal = self.open_target_scope(store, top);
            match ask(&mut self.solver, store, &self.levels, self.starts, level, budget) {
                Answer::Unknown(reason) => {
                    self.solver.pop();
                    return Err(reason);
                }
                Answer::Sat(mut solution) => {
                    let model = solution.model();
                    self.solver.pop();
                    let starts = store.as_var(self.starts).expect("a variable");
                    if model.get(starts) == Some(&Value::Bool(true)) {
                        let start = values(store, &model, &self.system.next);
                        let segments = stack.iter().rev().skip(1).map(|&cube| (1, cube)).collect();
                        return Ok(Reach::Path(Trace { start, segments }));
                    }
                    self.projections += 1;
                    let next = store.rename(top, &self.system.state, &self.system.next);
                    let formulas = [self.system.transition, next];
                    let cube = self.projector.project(store, &formulas, &model, &self.eliminate);
                    let cube = cube.map_err(UnknownReason::from)?;
                    stack.push(store.and(&cube));
                }
                Answer::Unsat(mut refutation) => {
                    let (sources, options) = (&self.sources, &self.options);
                    let lemma =
                        interpolate(&mut refutation, store, sources, goal, self.starts, options, budget);
                    self.solver.pop();
                    let lemma = store.rename(lemma?, &self.system.next, &self.system.state);
                    if self.collects_new_lemmas && self.known.get(&lemma).is_none_or(|&known| known < level) {
                        self.new_lemmas.push((lemma, level));
                    }
                    self.learn(store, lemma, level);
                    stack.pop();
                    if stack.is_empty() {
                        return Ok(Reach::Blocked(lemma));
                    }
                }
            }
        }
    }

    fn take_new_lemmas(&mut self) -> Vec<(Term, usize)> {
        self.collects_new_lemmas = true;
        std::mem::take(&mut self.new_lemmas)
    }

    fn admit(
        &mut self,
        store: &mut Store,
        lemma: Term,
        level: usize,
        standing: Standing,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        if lemma == Term::TRUE || self.known.get(&lemma).is_some_and(|&known| known >= level) {
            return Ok(true);
        }
        if standing == Standing::Candidate {
            self.open_target_scope(store, !lemma);
            let status = ask(&mut self.solver, store, &self.levels, self.starts, level, budget).status();
            self.solver.pop();
            match status {
                Status::Unsat => {}
                Status::Unknown(UnknownReason::Stopped) => return Err(UnknownReason::Stopped),
                Status::Sat | Status::Unknown(_) => return Ok(false),
            }
        }
        self.learn(store, lemma, level);
        Ok(true)
    }

    fn assume(&mut self, store: &mut Store, invariant: Term) {
        self.sources.push(self.solver.assert(store, invariant));
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::new();
        statistics.add("queries", self.queries);
        statistics.add("lemmas", self.lemmas);
        statistics.add("projections", self.projections);
        statistics.merge_prefixed("solver", &self.solver.statistics());
        statistics
    }
}
