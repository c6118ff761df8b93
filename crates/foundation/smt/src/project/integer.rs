//! Elimination of an integer variable from rows that are true in a model.
//!
//! The case analysis is Cooper's (1972), restricted to the one case that the model is in, with the shadows of
//! the Omega test (Pugh 1991) in place of a common multiple of all coefficients. For x with
//!
//! 1. an equality `a x + t = 0`: x is replaced everywhere, at the price of `a | t`. This is exact;
//! 2. divisibilities: x is `D y + u`, where D is the period of them all and u the remainder in the model;
//! 3. bounds only: the lower bound `s <= b x` that is tightest in the model serves as witness, x being
//!    `s / b` rounded up. Against an upper bound `a x <= t` the dark shadow `a s + (a-1)(b-1) <= b t` is
//!    enough and is taken if the model satisfies it, as it does whenever a or b is 1. Otherwise the bound
//!    with the smaller coefficient is made exact by its remainder in the model.
//!
//! All that enters from the model is an order of bounds and remainders modulo constants of the formula, so
//! finitely many results exist for one formula.

use shem_base::{Int, Rat};

use super::rows::{Relation, Row, RowSystem, unit};

impl RowSystem {
    /// Replaces the rows with this integer column, which have no real columns, by rows without it that are
    /// true in the model and imply that a value of the column exists.
    pub(super) fn eliminate_integer(&mut self, column: u32) {
        self.extract(column);
        let bounded = !self.lowers.is_empty() && !self.uppers.is_empty();
        if !self.zeros.is_empty() {
            self.substitute_integer(column);
        } else if !bounded && self.divisors.len() == 1 {
            // Far enough on the open side every remainder occurs.
            let mut row = self.divisors.pop().expect("there is one");
            let coefficient = row.remove(column);
            row.modulus = row.modulus.gcd(&coefficient);
            self.add(row);
        } else {
            if !self.divisors.is_empty() {
                self.fix_remainder(column);
            }
            if bounded {
                self.eliminate_bounds(column);
            }
        }
        self.drop_extracted();
    }

    /// Case 1: replaces the column by the equality with the smallest coefficient.
    fn substitute_integer(&mut self, column: u32) {
        let rank = |row: &Row| (row.coefficient(column).cloned(), row.terms.len());
        let best = (0..self.zeros.len()).min_by_key(|&i| rank(&self.zeros[i])).expect("there is one");
        let mut definition = self.zeros.swap_remove(best);
        self.substitute(&definition, column);
        definition.modulus = definition.remove(column);
        definition.relation = Relation::Divisible;
        self.add(definition);
    }

    /// Case 2: replaces the column in divisibilities by its remainder in the model, and in bounds by a
    /// multiple of the period plus that remainder. From then on the column stands for the multiplier.
    fn fix_remainder(&mut self, column: u32) {
        let mut period = Int::ONE;
        for row in &self.divisors {
            let coefficient = row.coefficient(column).expect("the row has the column");
            period = period.lcm(&row.modulus.div_exact(&row.modulus.gcd(coefficient)));
        }
        self.exact &= period.is_one();
        let value = self.columns[column as usize].value.numer();
        let (quotient, remainder) = value.div_rem_euclid(&period);
        let mut divisors = std::mem::take(&mut self.divisors);
        for mut row in divisors.drain(..) {
            let coefficient = row.remove(column);
            row.constant.add_mul(&coefficient, &remainder);
            self.add(row);
        }
        self.divisors = divisors;
        self.columns[column as usize].value = Rat::from(quotient);
        for row in self.lowers.iter_mut().chain(&mut self.uppers) {
            let (_, c) = row.terms.iter_mut().find(|t| t.0 == column).expect("a bound has the column");
            row.constant.add_mul(c, &remainder);
            *c = &*c * &period;
            tighten(row);
        }
    }

    /// Case 3.
    fn eliminate_bounds(&mut self, column: u32) {
        let is_unit = |row: &Row| unit(row.coefficient(column).expect("a bound has the column"));
        let (lowers, uppers) = (self.lowers.len(), self.uppers.len());
        let exact = self.lowers.iter().all(is_unit) || self.uppers.iter().all(is_unit);
        if exact && lowers * uppers <= lowers + uppers {
            self.resolve_all(column);
            return;
        }
        let lower = is_unit(&self.lowers[self.tightest(&self.lowers, column)]);
        let upper = is_unit(&self.uppers[self.tightest(&self.uppers, column)]);
        let from_above = if lower == upper { uppers < lowers } else { upper };
        if from_above {
            self.mirror(column);
        }
        self.round_up(column);
    }

    /// Lets the column stand for its negative, so that lower and upper bounds are exchanged.
    fn mirror(&mut self, column: u32) {
        for row in self.lowers.iter_mut().chain(&mut self.uppers) {
            let (_, c) = row.terms.iter_mut().find(|t| t.0 == column).expect("a bound has the column");
            *c = -&*c;
        }
        std::mem::swap(&mut self.lowers, &mut self.uppers);
        let value = &mut self.columns[column as usize].value;
        *value = -&*value;
    }

    /// Takes the tightest lower bound, rounded up, for the column.
    fn round_up(&mut self, column: u32) {
        let lowers = std::mem::take(&mut self.lowers);
        let uppers = std::mem::take(&mut self.uppers);
        let at = self.tightest(&lowers, column);
        let lower = &lowers[at];
        self.exact &= lowers.len() == 1;
        for (i, bound) in lowers.iter().enumerate() {
            if i != at {
                let row = self.looser(bound, lower, column);
                self.add(row);
            }
        }
        let value = self.columns[column as usize].value.numer();
        let b = -lower.coefficient(column).expect("a bound has the column");
        let mut rounded = false;
        for upper in &uppers {
            let a = upper.coefficient(column).expect("a bound has the column");
            // The resolvent says a s - b t <= 0.
            let mut row = self.resolvent(lower, upper, column);
            let gap = (a - &Int::ONE) * (&b - &Int::ONE);
            self.exact &= gap.is_zero();
            if Rat::from(&gap) <= -&row.value {
                shift(&mut row, &gap);
            } else if *a >= b {
                // s becomes the next multiple of b in the model: s + d.
                let s = lower.value.numer() + &b * &value;
                let d = (-s).rem_floor(&b);
                shift(&mut row, &(a * &d));
                if !rounded {
                    rounded = true;
                    self.add_divisor(lower, column, &b, &d);
                }
            } else {
                // t becomes the multiple of a before it in the model: t - d.
                let t = a * &value - upper.value.numer();
                let d = t.rem_floor(a);
                shift(&mut row, &(&b * &d));
                self.add_divisor(upper, column, a, &d);
            }
            self.add(row);
        }
        self.lowers = lowers;
        self.uppers = uppers;
    }

    /// Adds that the modulus divides the bound without the column, plus the offset.
    fn add_divisor(&mut self, bound: &Row, column: u32, modulus: &Int, offset: &Int) {
        let mut row = self.take_row();
        row.relation = Relation::Divisible;
        row.modulus = modulus.clone();
        row.terms.extend(bound.terms.iter().filter(|t| t.0 != column).cloned());
        row.constant = &bound.constant + offset;
        self.add(row);
    }
}

/// Adds a constant to the sum.
fn shift(row: &mut Row, by: &Int) {
    row.constant += by;
    row.value += Rat::from(by);
}

/// Divides an integral inequality by what its coefficients have in common.
fn tighten(row: &mut Row) {
    let mut divisor = Int::ZERO;
    for (_, c) in &row.terms {
        divisor = divisor.gcd(c);
        if divisor.is_one() {
            return;
        }
    }
    row.value -= Rat::from(&row.constant);
    for (_, c) in &mut row.terms {
        *c = c.div_exact(&divisor);
    }
    row.constant = row.constant.div_ceil(&divisor);
    row.value = row.value.div_int(&divisor) + Rat::from(&row.constant);
}
