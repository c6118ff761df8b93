//! Making fractional values integers without a split.
//!
//! A basic variable with a fractional value becomes an integer if a variable of its row moves by a suitable
//! step, which is known modulo the coefficient of the basic variable. If that step leaves all other variables
//! within their bounds and no integer becomes a fraction, it is made: one fraction less, and nothing lost.
//!
//! The case that matters is a quotient. `0 <= x - 12 q <= 11` can be satisfied for every integer `x`, by a residue
//! and a quotient that no other constraint has; but the relaxation puts the residue at one of its bounds, and
//! `q` is a fraction for most `x`. If `q` is basic, the residue is in its row and in no other, so that the step
//! always exists. Without patches each of dozens of quotients would ask for splits of its own.

use shem_base::{DeltaRat, Int, Rat};

use crate::arith::bounds::Side;
use crate::arith::poly::ArithVar;
use crate::arith::solver::Arith;

/// Variables in more rows than this are not moved.
const MAX_COLUMN: usize = 32;

impl Arith {
    /// Gives integer values to as many basic integer variables as possible. Says whether any value has changed.
    pub(super) fn patch(&mut self) -> bool {
        let mut changed = false;
        for i in 0..self.simplex.tableau.live().len() {
            let x = self.simplex.tableau.basic(self.simplex.tableau.live()[i]);
            if self.simplex.is_int(x)
                && !self.simplex.attached_value(x).is_integer()
                && let Some((y, target)) = self.find_patch(x)
            {
                self.simplex.update(y, target);
                changed = true;
            }
        }
        changed
    }

    /// A non-basic variable with a value that makes the value of `x` an integer and keeps all others valid.
    fn find_patch(&self, x: ArithVar) -> Option<(ArithVar, DeltaRat)> {
        let tableau = &self.simplex.tableau;
        let row = tableau.row(tableau.row_of(x));
        let own = &row.basic().coeff;
        // The sum of the other terms, negated.
        let rest = self.simplex.attached_value(x).real.mul_int(own).to_int()?;
        for (_, entry) in row.iter().skip(1) {
            let y = entry.var;
            let value = self.simplex.attached_value(y);
            if !self.simplex.is_int(y) || !value.is_integer() || tableau.column_len(y) > MAX_COLUMN {
                continue;
            }
            // The step has to satisfy `coeff * step = rest` modulo the coefficient of `x`.
            let common = own.gcd(&entry.coeff);
            if !common.divides(&rest) {
                continue;
            }
            let modulus = own.div_exact(&common).abs();
            let step = &rest.div_exact(&common) * &inverse(&entry.coeff.div_exact(&common), &modulus);
            let up = &step - &(&step.div_floor(&modulus) * &modulus);
            let down = &up - &modulus;
            let steps = if up.abs() < down.abs() { [up, down] } else { [down, up] };
            if let Some(step) = steps.into_iter().find(|step| self.is_harmless(y, step)) {
                let mut target = value.clone();
                target.real += &Rat::from(step);
                return Some((y, target));
            }
        }
        None
    }

    /// Whether a step of a non-basic variable keeps all variables within their bounds and all integers integer.
    fn is_harmless(&self, y: ArithVar, step: &Int) -> bool {
        let bounds = &self.simplex.bounds;
        let tableau = &self.simplex.tableau;
        let step = Rat::from(step);
        let mut target = self.simplex.attached_value(y).clone();
        target.real += &step;
        if !bounds.allows(y, Side::Lower, &target) || !bounds.allows(y, Side::Upper, &target) {
            return false;
        }
        tableau.column(y).all(|occurrence| {
            let row = tableau.row(occurrence.row);
            let basic = row.basic();
            let factor = Rat::new(-&row.at(occurrence.pos as usize).coeff, basic.coeff.clone());
            let old = self.simplex.attached_value(basic.var);
            let mut new = old.clone();
            new.real.add_mul(&factor, &step);
            bounds.violated(basic.var, &new).is_none()
                && (!self.simplex.is_int(basic.var) || new.is_integer() || !old.is_integer())
        })
    }
}

/// The inverse of `a` modulo `modulus`, which is positive and has no common divisor with it.
fn inverse(a: &Int, modulus: &Int) -> Int {
    // The invariant: `value * a = remainder` modulo the modulus, for both pairs.
    let (mut remainder, mut value) = (modulus.clone(), Int::ZERO);
    let (mut next_remainder, mut next_value) = (a.clone(), Int::ONE);
    while !next_remainder.is_zero() {
        let quotient = remainder.div_floor(&next_remainder);
        let less = &remainder - &(&quotient * &next_remainder);
        remainder = std::mem::replace(&mut next_remainder, less);
        let less = &value - &(&quotient * &next_value);
        value = std::mem::replace(&mut next_value, less);
    }
    // The last remainder is 1 or -1.
    &value * &remainder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses() {
        for modulus in 1..=30 {
            for a in -40i64..=40 {
                let (a, modulus) = (Int::from(a), Int::from(modulus));
                if a.gcd(&modulus).is_one() {
                    assert!(modulus.divides(&(&(&a * &inverse(&a, &modulus)) - &Int::ONE)));
                }
            }
        }
    }
}
