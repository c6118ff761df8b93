//! Values for the variables after a successful final check.
//!
//! Strict bounds are satisfied with an infinitesimal during the search. A concrete value for it is small
//! enough if every bound in force still holds for the value of its variable: each bound whose rational part
//! lies on the allowed side of the value, but whose infinitesimal part lies on the other, limits it.

use shem_base::{DeltaRat, Rat};

use super::bounds::Side;
use super::poly::ArithVar;
use super::solver::Arith;

impl Arith {
    /// Fixes the model of the last final check that found one: from now until the next check,
    /// [`Arith::value`] gives the values. The literals of that check are still asserted.
    pub fn model(&mut self) {
        let mut epsilon = Rat::ONE;
        for bound in self.simplex.bounds.trail() {
            let value = &self.simplex.value(bound.var);
            let (low, high) = match bound.side {
                Side::Lower => (&bound.value, value),
                Side::Upper => (value, &bound.value),
            };
            limit(&mut epsilon, low, high);
        }
        self.epsilon = epsilon;
    }

    /// The value of a variable in the model that [`Arith::model`] fixed.
    pub fn value(&self, x: ArithVar) -> Rat {
        self.simplex.value(x).at(&self.epsilon)
    }
}

/// Lowers `epsilon` so that `low <= high` holds for it.
fn limit(epsilon: &mut Rat, low: &DeltaRat, high: &DeltaRat) {
    if low.delta > high.delta && low.real < high.real {
        let most = (&high.real - &low.real) / (&low.delta - &high.delta);
        if most < *epsilon {
            *epsilon = most;
        }
    }
}
