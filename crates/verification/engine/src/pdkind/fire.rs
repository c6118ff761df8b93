//! Finite reachability by frames, without unrolling.
//!
//! A lemma of level i holds in all states that are reached within i steps; the frame R_i is the set of all
//! lemmas of level i and above. To reach a target within i steps is to meet an initial state, or to come in one
//! step from a state that R_{i−1} allows and that is reached within i − 1 steps. A predecessor found is
//! generalised to a cube by projection, such that all its states can make the step, and asked for in turn; one
//! that is blocked leaves a lemma, the interpolant of "initial, or a successor of R_{i−1}" and the target.
//!
//! One solver, with a group of formulas for each level; a query opens a scope for its target and closes it.

use std::collections::BTreeMap;

use shem_base::{Budget, Statistics, UnknownReason};
use shem_chc::TransitionSystem;
use shem_smt::interpolate::{ItpError, ItpOptions};
use shem_smt::project::Projector;
use shem_smt::{Answer, Group, Solver};
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
    /// Numbers of the assertions about the way to the next state.
    sources: Vec<u32>,
    /// The group of the lemmas of each level.
    levels: Vec<Group>,
    projector: Projector,
    options: ItpOptions,
    /// The highest level at which each formula was learnt.
    known: BTreeMap<Term, usize>,
    /// What was learnt by the engine itself and not yet told; only if somebody listens.
    news: Vec<(Term, usize)>,
    listened: bool,
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
            news: Vec::new(),
            listened: false,
            queries: 0,
            lemmas: 0,
            projections: 0,
        }
    }

    /// Adds a formula that holds in all states that are reached within so many steps.
    fn learn(&mut self, store: &mut Store, lemma: Term, level: usize) {
        while self.levels.len() <= level {
            self.levels.push(self.solver.new_group());
        }
        self.sources.push(self.solver.assert_in_group(store, self.levels[level], lemma));
        self.lemmas += 1;
        let highest = self.known.entry(lemma).or_insert(level);
        *highest = level.max(*highest);
    }

    /// Asks for the target after at most one step from the frame before `bound`. The caller closes the scope.
    fn ask(&mut self, store: &mut Store, target: Term, bound: usize, budget: &mut Budget) -> Answer {
        self.queries += 1;
        self.solver.push();
        let target = store.rename(target, &self.system.state, &self.system.next);
        self.solver.assert(store, target);
        if bound == 0 {
            return self.solver.check_assuming(store, &[self.starts], budget);
        }
        let frame = &self.levels[(bound - 1).min(self.levels.len())..];
        self.solver.check_with(store, frame, &[], budget)
    }

    /// The reason why the target was not reached.
    fn explain(&mut self, store: &mut Store, budget: &mut Budget) -> Result<Term, UnknownReason> {
        let mut partition = shem_smt::interpolate::Partition::new(2);
        for &number in &self.sources {
            partition.assign(number, 0);
        }
        partition.assign(self.solver.assertion_count() - 1, 1);
        partition.assign_assumption(self.starts, 0);
        let found = self.solver.path_interpolants(store, &partition, &self.options, budget);
        let interpolant = found.map_err(|error| match error {
            ItpError::Unknown(reason) => reason,
            _ => UnknownReason::Incomplete("an interpolant could not be computed"),
        })?[0];
        Ok(store.rename(interpolant, &self.system.next, &self.system.state))
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
        // The targets on the way back, the last with the smallest bound.
        let mut stack = vec![target];
        loop {
            budget.check_stop()?;
            let level = bound + 1 - stack.len();
            let top = *stack.last().expect("the target is at the bottom");
            match self.ask(store, top, level, budget) {
                Answer::Unknown(reason) => {
                    self.solver.pop();
                    return Err(reason);
                }
                Answer::Sat => {
                    let model = self.solver.model();
                    self.solver.pop();
                    let starts = store.as_var(self.starts).expect("a variable");
                    if model.get(starts) == Some(&Value::Bool(true)) {
                        let start = values(store, &model, &self.system.next);
                        let way = stack.iter().rev().skip(1).map(|&cube| (1, cube)).collect();
                        return Ok(Reach::Path(Trace { start, way }));
                    }
                    self.projections += 1;
                    let next = store.rename(top, &self.system.state, &self.system.next);
                    let formulas = [self.system.transition, next];
                    let cube = self.projector.project(store, &formulas, &model, &self.eliminate);
                    let cube = cube.map_err(UnknownReason::from)?;
                    stack.push(store.and(&cube));
                }
                Answer::Unsat => {
                    let lemma = self.explain(store, budget);
                    self.solver.pop();
                    let lemma = lemma?;
                    if self.listened && self.known.get(&lemma).is_none_or(|&known| known < level) {
                        self.news.push((lemma, level));
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

    fn news(&mut self) -> Vec<(Term, usize)> {
        self.listened = true;
        std::mem::take(&mut self.news)
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
            let answer = self.ask(store, !lemma, level, budget);
            self.solver.pop();
            match answer {
                Answer::Unsat => {}
                Answer::Unknown(UnknownReason::Stopped) => return Err(UnknownReason::Stopped),
                Answer::Sat | Answer::Unknown(_) => return Ok(false),
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
