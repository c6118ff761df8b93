//! Affine lattices of integer points: equalities together with congruences.
//!
//! Granger (1991, "Static analysis of linear congruence equalities among variables of a program"): the least set of
//! the form p + Z·b₁ + … + Z·bᵣ that contains given points is described by linear equalities and by congruences. The
//! generators are kept in Hermite form: a row begins with its pivot, which is positive; pivots move to the right from
//! row to row; and the entries above a pivot lie between zero and it. The point is reduced by the rows as well. So a
//! set has one representation, and equality of sets is equality of values.
//!
//! A point is joined by adding the difference to the generators, column by column with the extended algorithm of
//! Euclid. Constraints are read off by solving for the coefficients of the rows from left to right: at a pivot the
//! coefficient has to be whole, which is a congruence; anywhere else the coordinate is determined, which is an
//! equality. Every proper join adds a row or divides the index of the lattice, so chains are short. Entries grow if
//! the points do (a variable that is doubled in each step): whoever joins many points looks at [`Lattice::bits`].

use shem_base::{Int, Rat, add_work};

/// A linear constraint over the coordinates of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearConstraint {
    /// The coefficient of each coordinate; they have no common divisor with the modulus and each other.
    pub coefficients: Vec<Int>,
    /// What the sum has to be.
    pub value: Int,
    /// Zero for an equality; otherwise sum and value have to be equal modulo this.
    pub modulus: Int,
}

impl LinearConstraint {
    /// Whether a point satisfies the constraint.
    pub fn holds(&self, point: &[Int]) -> bool {
        let mut sum = -&self.value;
        for (coefficient, coordinate) in self.coefficients.iter().zip(point) {
            sum.add_mul(coefficient, coordinate);
        }
        self.modulus.divides(&sum)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    pivot: usize,
    entries: Vec<Int>,
}

/// A set p + Z·b₁ + … + Z·bᵣ of integer points.
///
/// Invariant *Hermite form*: see above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    point: Vec<Int>,
    rows: Vec<Row>,
}

impl Lattice {
    /// The set of this point alone.
    pub fn of_point(point: Vec<Int>) -> Lattice {
        Lattice { point, rows: Vec::new() }
    }

    /// The number of coordinates.
    pub fn dimension(&self) -> usize {
        self.point.len()
    }

    /// The number of generators.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// A point of the set.
    pub fn point(&self) -> &[Int] {
        &self.point
    }

    /// The number of bits of the greatest entry.
    pub fn bits(&self) -> u64 {
        let rows = self.rows.iter().flat_map(|row| &row.entries);
        rows.chain(&self.point).map(Int::bits).max().unwrap_or(0)
    }

    /// Whether the point is in the set.
    pub fn contains(&self, point: &[Int]) -> bool {
        let mut rest = self.difference(point);
        for row in &self.rows {
            if rest[..row.pivot].iter().any(|entry| !entry.is_zero())
                || !row.entries[row.pivot].divides(&rest[row.pivot])
            {
                return false;
            }
            let quotient = rest[row.pivot].div_exact(&row.entries[row.pivot]);
            subtract(&mut rest, &quotient, &row.entries);
        }
        rest.iter().all(Int::is_zero)
    }

    /// Whether all points of the other set are in this one.
    pub fn includes(&self, other: &Lattice) -> bool {
        self.contains(&other.point)
            && other.rows.iter().all(|row| {
                let moved: Vec<Int> = self.point.iter().zip(&row.entries).map(|(p, b)| p + b).collect();
                self.contains(&moved)
            })
    }

    /// Adds a point, and whatever has to be there then. Returns whether the set has changed.
    pub fn join_point(&mut self, point: &[Int]) -> bool {
        let difference = self.difference(point);
        let changed = self.insert(difference);
        if changed {
            self.reduce();
        }
        changed
    }

    /// The least set with the points of both. Returns whether this one has changed.
    pub fn join(&mut self, other: &Lattice) -> bool {
        let mut changed = self.insert(self.difference(&other.point));
        for row in &other.rows {
            changed |= self.insert(row.entries.clone());
        }
        if changed {
            self.reduce();
        }
        changed
    }

    /// Whether a linear form has one value on the whole set.
    pub fn fixes(&self, form: &[(usize, Int)]) -> bool {
        self.rows.iter().all(|row| {
            let mut sum = Int::ZERO;
            for (at, coefficient) in form {
                sum.add_mul(coefficient, &row.entries[*at]);
            }
            sum.is_zero()
        })
    }

    /// Equalities and congruences that hold of exactly the points of the set.
    pub fn constraints(&self) -> Vec<LinearConstraint> {
        let mut found = Vec::new();
        // The coefficient of each row so far, as a linear form in the difference to the point.
        let mut coefficients: Vec<Vec<Rat>> = Vec::new();
        let mut rows = self.rows.iter().peekable();
        for column in 0..self.dimension() {
            add_work(2 * self.dimension() * (coefficients.len() + 1));
            let mut form = vec![Rat::ZERO; self.dimension()];
            form[column] = Rat::ONE;
            for (row, known) in self.rows.iter().zip(&coefficients) {
                for (entry, part) in form.iter_mut().zip(known) {
                    entry.sub_mul(&Rat::from(row.entries[column].clone()), part);
                }
            }
            let Some(row) = rows.next_if(|row| row.pivot == column) else {
                found.extend(self.constraint(&form, true));
                continue;
            };
            let scale = Rat::from(row.entries[column].clone()).recip();
            for entry in &mut form {
                *entry = &*entry * &scale;
            }
            found.extend(self.constraint(&form, false));
            coefficients.push(form);
        }
        found
    }

    /// The constraint that a form in the difference to the point is zero, or whole; `None` if it always is.
    fn constraint(&self, form: &[Rat], zero: bool) -> Option<LinearConstraint> {
        let denominator = form.iter().fold(Int::ONE, |common, entry| common.lcm(&entry.denom()));
        let scaled = |entry: &Rat| entry.numer() * denominator.div_exact(&entry.denom());
        let mut coefficients: Vec<Int> = form.iter().map(scaled).collect();
        let mut modulus = Int::ZERO;
        if !zero {
            modulus = denominator;
            for coefficient in &mut coefficients {
                *coefficient = coefficient.rem_floor(&modulus);
            }
        }
        if modulus.is_one() || coefficients.iter().all(Int::is_zero) {
            return None;
        }
        let common = coefficients.iter().fold(modulus.clone(), |common, c| common.gcd(c));
        let coefficients: Vec<Int> = coefficients.iter().map(|c| c.div_exact(&common)).collect();
        let modulus = modulus.div_exact(&common);
        let mut value = Int::ZERO;
        for (coefficient, coordinate) in coefficients.iter().zip(&self.point) {
            value.add_mul(coefficient, coordinate);
        }
        if !modulus.is_zero() {
            value = value.rem_floor(&modulus);
        }
        Some(LinearConstraint { coefficients, value, modulus })
    }

    fn difference(&self, point: &[Int]) -> Vec<Int> {
        assert_eq!(point.len(), self.dimension(), "points of one space");
        point.iter().zip(&self.point).map(|(a, b)| a - b).collect()
    }

    /// Adds a generator, without reducing what is above the pivots. Returns whether the set has changed.
    fn insert(&mut self, mut vector: Vec<Int>) -> bool {
        let mut changed = false;
        let mut at = 0;
        for column in 0..vector.len() {
            while at < self.rows.len() && self.rows[at].pivot < column {
                at += 1;
            }
            if vector[column].is_zero() {
                continue;
            }
            if at == self.rows.len() || self.rows[at].pivot != column {
                if vector[column].is_negative() {
                    for entry in &mut vector {
                        *entry = -&*entry;
                    }
                }
                self.rows.insert(at, Row { pivot: column, entries: vector });
                return true;
            }
            let own = &mut self.rows[at].entries;
            if own[column].divides(&vector[column]) {
                let quotient = vector[column].div_exact(&own[column]);
                subtract(&mut vector, &quotient, own);
                continue;
            }
            // Both rows are replaced by a unimodular combination: the divisor, and a row with zero here.
            changed = true;
            let (divisor, x, y) = Int::extended_gcd(&own[column], &vector[column]);
            let (a, b) = (own[column].div_exact(&divisor), vector[column].div_exact(&divisor));
            for (own, other) in own.iter_mut().zip(&mut vector) {
                let combined = &x * &*own + &y * &*other;
                let rest = &a * &*other - &b * &*own;
                *own = combined;
                *other = rest;
            }
        }
        changed
    }

    /// Reduces the entries above the pivots, and the point.
    fn reduce(&mut self) {
        for below in 1..self.rows.len() {
            let (above, rest) = self.rows.split_at_mut(below);
            let Row { pivot, entries } = &rest[0];
            for row in above {
                let quotient = row.entries[*pivot].div_floor(&entries[*pivot]);
                subtract(&mut row.entries, &quotient, entries);
            }
        }
        for Row { pivot, entries } in &self.rows {
            let quotient = self.point[*pivot].div_floor(&entries[*pivot]);
            subtract(&mut self.point, &quotient, entries);
        }
    }

    /// Panics unless the generators are in Hermite form and the point is reduced.
    pub fn check_invariants(&self) {
        for (at, row) in self.rows.iter().enumerate() {
            assert!(row.entries[..row.pivot].iter().all(Int::is_zero), "zeros before the pivot");
            let pivot = &row.entries[row.pivot];
            assert!(pivot.is_positive(), "a positive pivot");
            let reduced = |entry: &Int| !entry.is_negative() && entry < pivot;
            assert!(self.rows[..at].iter().all(|above| reduced(&above.entries[row.pivot])), "reduced rows");
            assert!(at == 0 || self.rows[at - 1].pivot < row.pivot, "pivots in order");
            assert!(reduced(&self.point[row.pivot]), "a reduced point");
        }
    }
}

fn subtract(vector: &mut [Int], factor: &Int, row: &[Int]) {
    if factor.is_zero() {
        return;
    }
    for (entry, own) in vector.iter_mut().zip(row) {
        entry.sub_mul(factor, own);
    }
}
