//! The search: propagate, learn from conflicts, decide, until there is an answer.
//!
//! Assumptions are the first decisions, one level each, as in MiniSat (Eén and Sörensson, 2003). Two solves
//! whose assumptions begin alike share the levels of the common beginning: they are not taken back in
//! between. A conflict among the assumptions alone ends the solve at once; its clause is learnt all the
//! same, for the next time. Restarts follow the Luby sequence, unless the search is `propositional`, and keep the
//! assumptions.

use super::core::Sat;
use super::propagate::PropagationResult;
use super::propositional::{CONFLICTS_OF_THEORY, FIRST_CONFLICTS, PROPAGATIONS_A_CLAUSE, Propositional};
use super::statistics::SatStatistics;
use super::trail::{Antecedent, FALSE, OPEN, Reason, TRUE};
use crate::theory::{FinalCheck, Theory};
use shem_base::{Budget, CheckDepth, Lit, UnknownReason, add_work};
use shem_proof::ProofSink;

/// The units of work that a check counts for, however short it is.
const WORK_OF_CHECK: usize = 500;

/// The answer of a solve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolveResult {
    /// The trail is a partial model, see [`Sat::value`], and the theory has a model of its atoms.
    Sat,
    /// The assumptions [`Sat::core`] cannot hold together.
    Unsat,
    /// A limit was reached first.
    Unknown(UnknownReason),
}

/// When to restart, to reduce the learnt clauses and to read the stop token.
pub(super) struct Limits {
    /// What a learnt clause gains when it takes part in a conflict.
    pub clause_gain: f32,
    /// The number of learnt clauses above which the less active half is removed.
    pub learnts: usize,
    /// How much that number grows with every reduction.
    pub learnts_step: usize,
    /// The number of learnt clauses up to which none is removed, however small the problem.
    pub learnts_floor: usize,
    /// The conflicts of this solve.
    conflicts: usize,
    /// The greatest length of the trail after propagation: the size of the problem without what is switched off.
    longest_trail: usize,
    /// How many words explanations may take before they are dropped.
    pub explanations: usize,
    /// The number of facts at the last removal of satisfied clauses.
    pub simplified: usize,
    /// The number of new facts below which satisfied clauses are not looked for.
    pub many_facts: usize,
    /// Whether a fact added since then satisfies many clauses.
    pub stale: bool,
    /// How many rounds are left before the stop token is read.
    rounds_to_poll: u32,
    /// How many restarts there have been in this solve.
    restarts: u32,
    /// How many conflicts there are before the first restart.
    pub restart_unit: u32,
    /// The conflicts of a solve before it may be propositional.
    pub first_propositional: usize,
    /// The conflicts of a propositional solve are the theory's in at most one of so many cases.
    pub conflicts_of_theory: u64,
    /// The propagations of a solve, for each input clause, before variables are eliminated.
    pub propagations_a_clause: u64,
    /// How many conflicts are left before the next restart.
    conflicts_to_restart: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            clause_gain: 1.0,
            learnts: 2000,
            learnts_step: 300,
            learnts_floor: 0,
            conflicts: 0,
            longest_trail: 0,
            explanations: 1 << 16,
            simplified: 0,
            many_facts: 100,
            stale: false,
            rounds_to_poll: ROUNDS_BETWEEN_POLLS,
            restarts: 0,
            restart_unit: LUBY_UNIT,
            first_propositional: FIRST_CONFLICTS,
            conflicts_of_theory: CONFLICTS_OF_THEORY,
            propagations_a_clause: PROPAGATIONS_A_CLAUSE,
            conflicts_to_restart: LUBY_UNIT,
        }
    }
}

const LUBY_UNIT: u32 = 100;
const ROUNDS_BETWEEN_POLLS: u32 = 100;
const CLAUSE_DECAY: f32 = 0.999;
/// How many learnt clauses even the smallest problem may keep.
pub(super) const SMALL_LEARNTS: usize = 100;

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// Decides whether the clauses and the assumptions have a model.
    pub fn solve(&mut self, assumptions: &[Lit], budget: &mut Budget) -> SolveResult {
        self.before = self.statistics;
        self.statistics.solves += 1;
        add_work(WORK_OF_CHECK + assumptions.len());
        self.failure.core.clear();
        self.failure.refutation = None;
        if let Some(empty) = self.contradiction {
            self.fail_without_assumptions(empty);
            return SolveResult::Unsat;
        }
        self.begin_solve(assumptions);
        self.clean_up();
        self.receive_clauses();
        if let Some(empty) = self.contradiction {
            self.fail_without_assumptions(empty);
            return SolveResult::Unsat;
        }
        self.limits.restarts = 0;
        self.limits.conflicts = 0;
        self.limits.conflicts_to_restart = self.limits.restart_unit;
        if self.propositional.active {
            self.propositional = Propositional::default();
        }
        let result = self.search(budget);
        if self.elimination.is_active() {
            self.restore_eliminated();
        }
        match result {
            Ok(true) => SolveResult::Sat,
            Ok(false) => SolveResult::Unsat,
            Err(reason) => {
                self.backtrack(0);
                SolveResult::Unknown(reason)
            }
        }
    }

    /// Sets the assumptions of a search that begins.
    pub(super) fn begin_solve(&mut self, assumptions: &[Lit]) {
        self.theory.start();
        self.end_extensions();
        if self.leaves_dormant {
            // Levels of the last solve know nothing of variables that were dormant then.
            self.backtrack(0);
        }
        self.set_assumptions(assumptions);
    }

    /// Makes all searches propositional after the first conflict.
    #[cfg(test)]
    pub(super) fn make_propositional(&mut self) {
        self.limits.restart_unit = 1;
        self.limits.first_propositional = 0;
        self.limits.conflicts_of_theory = 0;
        self.limits.propagations_a_clause = 0;
    }

    /// What the last solve needed for its answer.
    pub fn check_depth(&self) -> CheckDepth {
        let SatStatistics { decisions, theory_checks, theory_final_checks, theory_splits, .. } =
            self.statistics;
        let before = &self.before;
        if decisions > before.decisions || theory_splits > before.theory_splits {
            CheckDepth::Decision
        } else if theory_checks > before.theory_checks || theory_final_checks > before.theory_final_checks {
            CheckDepth::Theory
        } else {
            CheckDepth::Propagation
        }
    }

    /// Sets the assumptions and takes back the levels that do not agree with them.
    fn set_assumptions(&mut self, assumptions: &[Lit]) {
        let common = self.assumptions.iter().zip(assumptions).take_while(|(old, new)| old == new).count();
        if common < self.assumptions.len().max(assumptions.len()) {
            self.backtrack(common as u32);
            self.assumptions.truncate(common);
            self.assumptions.extend_from_slice(&assumptions[common..]);
        }
        self.statistics.reused_levels += self.trail.level().min(common as u32) as u64;
    }

    /// Whether there is a model.
    fn search(&mut self, budget: &mut Budget) -> Result<bool, UnknownReason> {
        loop {
            match self.propagate(budget) {
                PropagationResult::Conflict(conflict) => {
                    if !self.resolve(conflict) {
                        return Ok(false);
                    }
                    budget.use_conflict()?;
                }
                PropagationResult::Unknown(reason) => return Err(reason),
                PropagationResult::Fixpoint => {
                    self.poll(budget)?;
                    if self.propositional.active {
                        self.step_propositional();
                    } else if self.limits.conflicts_to_restart == 0 {
                        self.restart();
                    } else if self.learnts.len() > self.learnts_limit() {
                        self.reduce();
                    }
                    if let Some(empty) = self.contradiction {
                        self.fail_without_assumptions(empty);
                        return Ok(false);
                    }
                    if self.link.head < self.trail.len() {
                        // The elimination of variables has found facts.
                        continue;
                    }
                    if let Some(answer) = self.decide_next(budget)? {
                        return Ok(answer);
                    }
                }
            }
        }
    }

    /// The number of learnt clauses to keep. It grows with the problem and with the conflicts of this solve:
    /// otherwise a small problem would keep thousands of clauses from earlier queries.
    fn learnts_limit(&mut self) -> usize {
        self.limits.longest_trail = self.limits.longest_trail.max(self.trail.len());
        let small = SMALL_LEARNTS + 2 * self.limits.longest_trail + self.limits.conflicts / 2;
        self.limits.learnts.min(small.max(self.limits.learnts_floor))
    }

    /// Learns from a conflict. Returns whether the search goes on.
    fn resolve(&mut self, conflict: Antecedent) -> bool {
        self.statistics.conflicts += 1;
        let level = self.highest_level(conflict);
        if self.propositional.active {
            self.note_conflict(level);
        }
        self.backtrack(level);
        if level == 0 {
            let empty = self.resolve_with_facts(conflict, None);
            self.fail_without_assumptions(empty);
            return false;
        }
        let among_assumptions = level as usize <= self.assumptions.len();
        if among_assumptions {
            self.fail_by_conflict(conflict);
        }
        self.learn(conflict);
        self.limits.conflicts += 1;
        self.limits.clause_gain /= CLAUSE_DECAY;
        self.limits.conflicts_to_restart = self.limits.conflicts_to_restart.saturating_sub(1);
        if self.explanations.len() > self.limits.explanations {
            self.forget_explanations();
        }
        !among_assumptions
    }

    /// Makes the next assumption or decision. With nothing left to decide, asks the theory for a model.
    fn decide_next(&mut self, budget: &mut Budget) -> Result<Option<bool>, UnknownReason> {
        while let Some(&assumption) = self.assumptions.get(self.trail.level() as usize) {
            match self.trail.value(assumption) {
                TRUE => self.trail.open_level(),
                FALSE => {
                    self.fail_by_assumption(assumption);
                    return Ok(Some(false));
                }
                _ => {
                    self.decide(assumption);
                    return Ok(None);
                }
            }
        }
        if self.link.unchecked {
            return Ok(None);
        }
        if let Some(lit) = self.take_split() {
            self.decide(lit);
            return Ok(None);
        }
        if let Some(lit) = self.choose() {
            self.statistics.decisions += 1;
            self.decide(lit);
            return Ok(None);
        }
        if self.elimination.is_active() {
            self.adopt_model();
            return Ok(None);
        }
        self.statistics.theory_final_checks += 1;
        let next_var = shem_base::Var::new(self.vars.len() as u32);
        let (trail, vars) = (&self.trail, &self.vars);
        // What was not decided has the value that satisfies its clauses.
        self.theory.read_assignment(&|lit| match trail.value(lit) {
            OPEN => vars[lit.var().index()].default() == lit.is_positive(),
            value => value == TRUE,
        });
        match self.theory.final_check(next_var, &mut self.lemma, budget) {
            FinalCheck::Model => match self.choose_late() {
                // The model is another one than before the check.
                Some(lit) => {
                    self.statistics.decisions += 1;
                    self.decide(lit);
                    Ok(None)
                }
                None => Ok(Some(true)),
            },
            FinalCheck::Conflict => {
                self.statistics.theory_conflicts += 1;
                let conflict = self.record_lemma();
                if !self.resolve(conflict) {
                    return Ok(Some(false));
                }
                budget.use_conflict()?;
                Ok(None)
            }
            FinalCheck::Split(lit) => {
                self.statistics.theory_splits += 1;
                if lit.var() == next_var {
                    self.new_split_var();
                }
                if self.trail.value(lit) != OPEN {
                    return Err(UnknownReason::Incomplete("a case split on a literal that has a value"));
                }
                self.decide(lit);
                Ok(None)
            }
            FinalCheck::Extend(additions) => {
                self.extend(&additions);
                if let Some(empty) = self.contradiction {
                    self.fail_without_assumptions(empty);
                    return Ok(Some(false));
                }
                Ok(None)
            }
            FinalCheck::Unknown(reason) => Err(reason),
        }
    }

    pub(super) fn decide(&mut self, lit: Lit) {
        self.trail.open_level();
        self.trail.assign(lit, Reason::None);
    }

    /// Reads the stop token every hundred rounds.
    fn poll(&mut self, budget: &mut Budget) -> Result<(), UnknownReason> {
        self.limits.rounds_to_poll -= 1;
        if self.limits.rounds_to_poll == 0 {
            self.limits.rounds_to_poll = ROUNDS_BETWEEN_POLLS;
            budget.check_stop()?;
            if self.clauses.is_nearly_full() {
                return Err(UnknownReason::Memory);
            }
        }
        Ok(())
    }

    fn restart(&mut self) {
        self.statistics.restarts += 1;
        self.limits.restarts += 1;
        self.limits.conflicts_to_restart = self.limits.restart_unit * luby(self.limits.restarts);
        self.backtrack(self.assumptions.len() as u32);
        if self.proof.is_bloated() {
            self.collect_derivations();
        }
        self.receive_clauses();
        self.recognise_propositional(self.limits.conflicts);
    }

    /// Drops the explanations; their literals count as unexplained again.
    pub(super) fn forget_explanations(&mut self) {
        for position in self.trail.len_below(1)..self.trail.len() {
            let var = self.trail.lit(position).var();
            if let Reason::Implied(Antecedent::Lemma(_)) = self.trail.reason(var) {
                self.trail.set_reason(var, Reason::Theory);
            }
        }
        self.explanations.truncate(0);
    }
}

/// The Luby sequence 1, 1, 2, 1, 1, 2, 4, …; the first term has index 0.
pub(super) fn luby(index: u32) -> u32 {
    let mut index = index + 1;
    loop {
        // The smallest full period that reaches the index.
        let bits = u32::BITS - index.leading_zeros();
        if index == (1 << bits) - 1 {
            return 1 << (bits - 1);
        }
        index -= (1 << (bits - 1)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn luby_sequence() {
        let terms: Vec<u32> = (0..15).map(luby).collect();
        assert_eq!(terms, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
