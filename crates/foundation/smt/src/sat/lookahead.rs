//! Lookahead: which variable to split a search on.
//!
//! For each of the most active variables both values are tried, one after the other, and propagated through clauses and
//! theory. The more literals follow from either value, the smaller both parts of the search space are: the variable with
//! the greatest product of the two numbers is taken (Heule and van Maaren, 2009). A variable of which one value fails at
//! once is none to split on. The number of variables that are tried depends on the work that they take.

use super::core::Sat;
use super::propagate::PropagationResult;
use super::trail::{FALSE, Reason, TRUE};
use crate::theory::Theory;
use shem_base::{Budget, Lit, Var, work_done};
use shem_proof::ProofSink;

/// The variables that are tried.
const CANDIDATES: usize = 60;

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// The variable below the index to split the search under these assumptions on, after about so many units of work.
    /// There is none if the assumptions contradict each other at once, or nothing is left to decide.
    pub fn look_ahead(
        &mut self,
        assumptions: &[Lit],
        common: usize,
        work: u64,
        budget: &mut Budget,
    ) -> Option<Var> {
        let start = work_done();
        if self.contradiction.is_some() {
            return None;
        }
        self.begin_solve(assumptions);
        let phases: Vec<Option<bool>> = self.vars.iter().map(|state| state.phase).collect();
        let chosen = match self.make_assumptions(budget) {
            true => self.compare_candidates(common, start + work, budget),
            false => None,
        };
        self.backtrack(0);
        for (state, phase) in self.vars.iter_mut().zip(phases) {
            state.phase = phase;
        }
        chosen
    }

    /// Makes all assumptions and propagates. Whether nothing fails.
    fn make_assumptions(&mut self, budget: &mut Budget) -> bool {
        loop {
            if !matches!(self.propagate(budget), PropagationResult::Fixpoint) {
                return false;
            }
            let Some(&assumption) = self.assumptions.get(self.trail.level() as usize) else { return true };
            match self.trail.value(assumption) {
                TRUE => self.trail.open_level(),
                FALSE => return false,
                _ => self.decide(assumption),
            }
        }
    }

    fn compare_candidates(&mut self, common: usize, end: u64, budget: &mut Budget) -> Option<Var> {
        let is_candidate = |var: &Var| {
            let state = &self.vars[var.index()];
            state.uses > 0 && self.trail.is_open(*var) && (state.is_theory || !state.occurrences.contains(&0))
        };
        let mut candidates: Vec<Var> =
            (0..common.min(self.vars.len()) as u32).map(Var::new).filter(is_candidate).collect();
        // The most active ones first; then those with most clauses.
        let clauses = |var: Var| {
            let [positive, negative] = self.vars[var.index()].occurrences;
            u64::from(positive) * u64::from(negative)
        };
        candidates.sort_by(|&a, &b| {
            let by_activity = self.heap.precedes(b, a).cmp(&self.heap.precedes(a, b));
            by_activity.then(clauses(b).cmp(&clauses(a))).then(a.cmp(&b))
        });
        candidates.truncate(CANDIDATES);
        let level = self.trail.level();
        let mut best: Option<(u64, Var)> = None;
        for var in candidates {
            let positive = self.count_consequences(var.positive(), budget);
            let negative = positive.and_then(|_| self.count_consequences(var.negative(), budget));
            debug_assert_eq!(self.trail.level(), level);
            if let (Some(positive), Some(negative)) = (positive, negative) {
                let score = positive * negative;
                if best.is_none_or(|(most, _)| score > most) {
                    best = Some((score, var));
                }
            }
            if work_done() > end || budget.stop.is_stopped() {
                break;
            }
        }
        best.map(|(_, var)| var)
    }

    /// How many literals follow from a literal, itself included; nothing if it fails.
    fn count_consequences(&mut self, lit: Lit, budget: &mut Budget) -> Option<u64> {
        let (level, before) = (self.trail.level(), self.trail.len());
        self.trail.open_level();
        self.trail.assign(lit, Reason::None);
        let result = self.propagate(budget);
        let count = (self.trail.len() - before) as u64;
        self.backtrack(level);
        matches!(result, PropagationResult::Fixpoint).then_some(count)
    }
}
