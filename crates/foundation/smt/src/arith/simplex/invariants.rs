//! The invariants of the simplex, for debug builds and tests.

use shem_base::{DeltaRat, Rat};

use super::{NO_POLY, Simplex};
use crate::arith::poly::ArithVar;

impl Simplex {
    /// Checks the invariants named at the fields of the simplex and those of the parts.
    pub(in crate::arith) fn check_invariants(&self) {
        self.tableau.check_invariants();
        self.bounds.check_invariants();
        self.check_facts();
        for &row in self.tableau.live() {
            let mut sum = DeltaRat::ZERO;
            for entry in self.tableau.row(row).entries() {
                assert!(self.vars[entry.var.index()].attached);
                sum.add_mul(&Rat::from(&entry.coeff), &self.vars[entry.var.index()].value);
            }
            assert_eq!(sum, DeltaRat::from(self.tableau.row(row).constant().clone()), "what a row sums to");
        }
        for (i, state) in self.vars.iter().enumerate() {
            let x = ArithVar::new(i as u32);
            let violated = state.attached && self.bounds.violated(x, &state.value).is_some();
            let waiting = !state.attached && !self.bounds.is_free(x);
            let open = violated || waiting && !state.watched;
            assert!(
                state.is_possibly_violated || !open,
                "{x:?} is in the list of possibly violated variables"
            );
            if waiting && state.watched && !self.changed && !state.is_possibly_violated {
                assert_eq!(self.bounds.violated(x, &self.evaluate(state.poly)), None);
            }
            assert_eq!(state.watched, self.watched.contains(&x));
            let fractional = state.is_int && state.attached && !state.value.is_integer();
            assert!(!fractional || state.unrounded || self.tableau.is_basic(x), "{x:?} must be rounded");
            assert_eq!(state.unrounded, self.unrounded.contains(&x));
            if state.attached && state.poly != NO_POLY {
                assert_eq!(state.value, self.evaluate(state.poly));
                assert!(state.settled || self.tableau.is_basic(x) || self.tableau.column_len(x) > 0);
            }
            assert_eq!(state.is_possibly_violated, self.possibly_violated.contains(&x));
            assert_eq!(state.idle, self.idle.contains(&x));
        }
    }
}
