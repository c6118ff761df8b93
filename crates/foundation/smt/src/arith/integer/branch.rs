//! Branching on an integer variable with a fractional value `v`: `x <= floor(v)` or `x >= floor(v) + 1`.
//!
//! The variable with the smallest domain is taken, since its branches are few, and a bounded one before an
//! unbounded one; the side nearer to the value is tried first.

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
            let lower = self.simplex.bounds.get(x, Side::Lower);
            let upper = self.simplex.bounds.get(x, Side::Upper);
            let width = match (lower, upper) {
                (Some(lower), Some(upper)) => Some(&upper.value.real - &lower.value.real),
                _ => None,
            };
            let key = (width.is_none(), width.unwrap_or(Rat::ZERO), x);
            if best_key.as_ref().is_none_or(|old| key < *old) {
                best_key = Some(key);
                best = Some(x);
            }
        }
        best
    }

    /// The literal to branch on for `x`.
    pub(super) fn branch(&mut self, x: ArithVar, next_var: Var) -> Lit {
        let value = self.simplex.attached_value(x).clone();
        let floor = value.floor();
        let up = &value.real - &Rat::from(&floor) > Rat::new(1, 2);
        self.split_atom(x, &floor, next_var).xor(up)
    }
}
