//! Integer variables: what is left to do when the rational relaxation has a solution.
//!
//! Cheap methods come first. If all integer variables have integer values, there is a model. Otherwise
//! equalities without an integer solution give a conflict (`dioph`), tight constraints without an integer
//! solution a cut (`cut`), and failing that the search is asked to branch on a variable (`branch`). Problems
//! that resist get splits on forms that fit the lattice of their equalities (`lattice`). A cut is a case
//! split like a branch, so that a proof needs no rule for it.

mod branch;
mod cut;
mod dioph;
mod lattice;

use shem_base::{Budget, Int, Lit, Rat, Statistics, UnknownReason, Var};
use shem_proof::Lemma;

use super::poly::ArithVar;
use super::solver::Arith;
use crate::theory::FinalCheck;

/// Counters and the state of the alternation between the methods.
#[derive(Debug, Default)]
pub(super) struct Integers {
    branches: u64,
    cuts: u64,
    gcd_conflicts: u64,
    dioph_conflicts: u64,
    dioph_runs: u64,
    /// Final checks that found a fractional value.
    rounds: u64,
    /// Eliminations in a row that found neither a conflict nor a cut.
    failures: u32,
    /// Splits since the last model.
    streak: u64,
    lattice_splits: u64,
}

/// How many splits in a row are made by cheap methods alone.
const PATIENCE: u64 = 12;

impl Integers {
    /// Adds the counters to the statistics.
    pub(super) fn count(&self, statistics: &mut Statistics) {
        statistics.add("integer.rounds", self.rounds);
        statistics.add("integer.branches", self.branches);
        statistics.add("integer.cuts", self.cuts);
        statistics.add("integer.lattice-splits", self.lattice_splits);
        statistics.add("integer.gcd-conflicts", self.gcd_conflicts);
        statistics.add("integer.dioph-conflicts", self.dioph_conflicts);
        statistics.add("integer.dioph-runs", self.dioph_runs);
    }

    /// Whether it is time for an elimination again: always, until it fails often.
    fn is_elimination_due(&self) -> bool {
        let pause = (self.failures / 4).min(4);
        self.rounds.is_multiple_of(1 << pause)
    }
}

impl Arith {
    /// The complete check.
    pub(super) fn complete(
        &mut self,
        next_var: Var,
        lemma: &mut Lemma,
        budget: &mut Budget,
    ) -> Result<FinalCheck, UnknownReason> {
        if !self.check_rationals(lemma, budget)? {
            return Ok(FinalCheck::Conflict);
        }
        self.simplex.round_nonbasic();
        if !self.check_rationals(lemma, budget)? {
            return Ok(FinalCheck::Conflict);
        }
        let Some(x) = self.choose_fractional() else {
            self.integers.streak = 0;
            return Ok(FinalCheck::Model);
        };
        self.integers.rounds += 1;
        if self.explain_by_gcd(lemma) {
            self.integers.gcd_conflicts += 1;
            return Ok(FinalCheck::Conflict);
        }
        self.integers.streak += 1;
        let streak = self.integers.streak;
        if streak > PATIENCE
            && streak.is_multiple_of(4)
            && let Some((terms, bound)) = self.lattice_split(streak.is_multiple_of(16))
            && self.allows_split(&terms)
        {
            self.integers.lattice_splits += 1;
            return self.split_form(&terms, &bound, next_var, budget);
        }
        let cut_due = self.options.cuts
            && self.integers.rounds.is_multiple_of(u64::from(self.options.cut_period.max(1)));
        if cut_due || self.integers.is_elimination_due() {
            self.integers.dioph_runs += 1;
            match self.eliminate_equalities(cut_due) {
                Some(dioph::Finding::Conflict(certificate)) => {
                    self.integers.failures = 0;
                    self.integers.dioph_conflicts += 1;
                    self.explain_by_equalities(&certificate, lemma);
                    return Ok(FinalCheck::Conflict);
                }
                Some(dioph::Finding::Cut(terms, bound)) if self.allows_split(&terms) => {
                    self.integers.failures = 0;
                    self.integers.cuts += 1;
                    return self.split_form(&terms, &bound, next_var, budget);
                }
                _ => self.integers.failures = self.integers.failures.saturating_add(1),
            }
        }
        budget.use_split()?;
        self.integers.branches += 1;
        Ok(FinalCheck::Split(self.branch(x, next_var)))
    }

    /// A split on a linear form with coprime coefficients.
    fn split_form(
        &mut self,
        terms: &[(ArithVar, Int)],
        bound: &Int,
        next_var: Var,
        budget: &mut Budget,
    ) -> Result<FinalCheck, UnknownReason> {
        budget.use_split()?;
        let p = self.poly(terms);
        Ok(FinalCheck::Split(self.split_between(p, bound, next_var)))
    }

    /// The literal to try first for the split of `x` into `x <= floor` and `x >= floor + 1`: towards the bound
    /// that `x` has, if it has one only, so that splits close a box around it instead of following a ray of
    /// the relaxation for ever; otherwise towards zero, since an integer problem with a solution has a small
    /// one.
    fn split_between(&mut self, x: ArithVar, floor: &Int, next_var: Var) -> Lit {
        let (lower, upper) = (self.lower(x).is_some(), self.upper(x).is_some());
        let up = if lower != upper { upper } else { floor.is_negative() };
        self.split_atom(x, floor, next_var).xor(up)
    }

    /// The literal `x <= bound`, with `next_var` as a new atom if need be.
    fn split_atom(&mut self, x: ArithVar, bound: &Int, next_var: Var) -> Lit {
        let bound = Rat::from(bound);
        if let Some(lit) = self.atom(x, &bound, false) {
            return lit;
        }
        self.register_atom(x, &bound, false, next_var);
        next_var.positive()
    }
}
