//! Branching on an integer variable with a fractional value `v`: `x <= floor(v)` or `x >= floor(v) + 1`.
//!
//! The variable with the smallest domain is taken, since its branches are few, and a bounded one before an
//! unbounded one. Among unbounded variables the one nearest to zero is taken: otherwise the search may follow
//! a ray of the relaxation for ever, with ever larger values of one variable, and never look at another.

use shem_base::{Lit, Rat, Var};

use crate::arith::bounds::Side;
use crate::arith::poly::ArithVar;
use crate::arith::solver::Arith;

impl Arith {
    /// An integer variable whose value is no integer, if there is one.
    pub(super) fn choose_fractional(&self) -> Option<ArithVar> {
        let mut best = None;
        let mut best_key = None;
        for &row in self.simplex.tableau.live() {
            let x = self.simplex.tableau.basic(row);
            // If all structural integer variables have integer values, so have the slack variables.
            if !self.simplex.is_int(x)
                || self.simplex.attached_value(x).is_integer()
                || self.simplex.definition(x).is_some()
            {
                continue;
            }
            let rank = self.simplex.ties.rank(x.index());
            let key = match self.domain(x) {
                Some(width) => (false, width, rank),
                None => (true, self.simplex.attached_value(x).real.abs(), rank),
            };
            if best_key.as_ref().is_none_or(|old| key < *old) {
                best_key = Some(key);
                best = Some(x);
            }
        }
        best
    }

    /// The distance of the two bounds of a variable, if it has both.
    pub(super) fn domain(&self, x: ArithVar) -> Option<Rat> {
        let lower = self.simplex.bounds.get(x, Side::Lower)?;
        let upper = self.simplex.bounds.get(x, Side::Upper)?;
        Some(&upper.value.real - &lower.value.real)
    }

    /// The literal to branch on for `x`.
    pub(super) fn branch(&mut self, x: ArithVar, next_var: Var) -> Lit {
        let floor = self.simplex.attached_value(x).floor();
        self.split_between(x, &floor, next_var)
    }
}
