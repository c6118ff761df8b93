//! Integer variables: what is left to do when the rational relaxation has a solution.
//!
//! Cheap methods come first. If all integer variables have integer values, or can be given some (`patch`),
//! there is a model. Otherwise equalities without an integer solution give a conflict (`dioph`), tight
//! constraints without an integer solution a cut (`cut`), and failing that the search is asked to branch on a
//! variable (`branch`). If that does not end soon, there are splits on forms that fit the lattice of the
//! equalities (`lattice`), and in turn with them splits on forms that have finitely many values (`residue`), in
//! phases that grow, so that neither kind keeps the other from ending. A cut is a case split like a branch, so
//! that a proof needs no rule for it.

mod branch;
mod cut;
mod dioph;
mod lattice;
mod patch;
mod reduce;
mod residue;

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
    /// Final checks that patched values.
    patches: u64,
    /// Final checks that found a fractional value.
    rounds: u64,
    /// Eliminations in a row that found neither a conflict nor a cut.
    failures: u32,
    /// Splits since the solve began.
    streak: u64,
    lattice_splits: u64,
    residue_splits: u64,
}

/// How many splits in a row are made before the costly methods are tried.
const CHEAP_SPLITS: u64 = 4;

/// Forms with a domain up to this size may be split from the start; larger ones have to wait.
const RESIDUES: u64 = 16;

impl Integers {
    /// Adds the counters to the statistics.
    pub(super) fn count(&self, statistics: &mut Statistics) {
        statistics.add("integer.rounds", self.rounds);
        statistics.add("integer.patches", self.patches);
        statistics.add("integer.branches", self.branches);
        statistics.add("integer.cuts", self.cuts);
        statistics.add("integer.lattice-splits", self.lattice_splits);
        statistics.add("integer.residue-splits", self.residue_splits);
        statistics.add("integer.gcd-conflicts", self.gcd_conflicts);
        statistics.add("integer.dioph-conflicts", self.dioph_conflicts);
        statistics.add("integer.dioph-runs", self.dioph_runs);
    }

    /// Resets what is counted for each solve.
    pub(super) fn start(&mut self) {
        self.streak = 0;
    }

    /// Whether it is time for an elimination again: always, until it fails often.
    fn is_elimination_due(&self) -> bool {
        let pause = (self.failures / 4).min(4);
        self.rounds.is_multiple_of(1 << pause)
    }

    /// Whether it is the turn of splits on bounded forms: from 32 splits to 63, from 128 to 255, and so on.
    fn is_residue_phase(&self) -> bool {
        self.streak >= 32 && self.streak.ilog2() % 2 == 1
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
        let mut fractional = self.choose_fractional();
        if fractional.is_some() && self.patch() {
            self.integers.patches += 1;
            // Rows that are not in the tableau may have come to violate a bound.
            if !self.check_rationals(lemma, budget)? {
                return Ok(FinalCheck::Conflict);
            }
            fractional = self.choose_fractional();
        }
        let Some(x) = fractional else {
            return Ok(FinalCheck::Model);
        };
        self.integers.rounds += 1;
        if self.explain_by_gcd(lemma) {
            self.integers.gcd_conflicts += 1;
            return Ok(FinalCheck::Conflict);
        }
        self.integers.streak += 1;
        let streak = self.integers.streak;
        let residues = self.integers.is_residue_phase();
        if !residues
            && streak > CHEAP_SPLITS
            && !streak.is_multiple_of(4)
            && let Some((terms, bound)) = self.lattice_split(streak % 16 == 15)
            && self.allows_split(&terms)
        {
            self.integers.lattice_splits += 1;
            return self.split_form(&terms, &bound, next_var, budget);
        }
        let cut_due = self.options.cuts
            && self.integers.rounds.is_multiple_of(u64::from(self.options.cut_period.max(1)));
        if residues || cut_due || self.integers.is_elimination_due() {
            self.integers.dioph_runs += 1;
            match self.eliminate_equalities(cut_due && !residues) {
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
        let width = streak.isqrt().max(RESIDUES);
        if residues && let Some((x, bound, left)) = self.residue_split(width) {
            self.integers.residue_splits += 1;
            return Ok(FinalCheck::Split(self.split_atom(x, &bound, next_var).xor(!left)));
        }
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
