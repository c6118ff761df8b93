//! What the numerals of a cluster have in common.
//!
//! The numerals of each lemma are a point. The points satisfy linear equations, the kernel of the matrix of their
//! differences, and lie between the least and the greatest value of each coordinate; integer points also have
//! coordinates that agree modulo some number. A pattern under these constraints stands for many cubes at once:
//! with its numerals eliminated it is a cube that contains all those that were seen and many that are to come.

use shem_base::{Int, Rat};
use shem_term::{Sort, Store, Term};

/// The common constraints of points.
#[derive(Clone, Debug)]
pub(super) struct Hull {
    /// `sum(coefficients * coordinates) = value`, with integer coefficients.
    pub(super) equations: Vec<(Vec<Rat>, Rat)>,
    /// For each coordinate with more than one value, all of them integers: a number other than 1 modulo which
    /// all values agree, and what they leave.
    pub(super) residues: Vec<Option<(Int, Int)>>,
    low: Vec<Rat>,
    high: Vec<Rat>,
    /// A coordinate on which the others depend, if there is just one.
    axis: Option<usize>,
    /// Whether there are more points than it takes to span the hull.
    confirmed: bool,
}

/// Which ends of the range of the points are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RangeEnds {
    None,
    Low,
    High,
    Both,
}

impl Hull {
    /// The hull of at least one point.
    pub(super) fn new(rows: &[Vec<Rat>]) -> Hull {
        let first = &rows[0];
        let width = first.len();
        // The differences, in reduced row echelon form; `pivots[i]` is the leading column of `basis[i]`.
        let mut basis: Vec<Vec<Rat>> = Vec::new();
        let mut pivots: Vec<usize> = Vec::new();
        for row in &rows[1..] {
            let mut row: Vec<Rat> = row.iter().zip(first).map(|(a, b)| a - b).collect();
            for (other, &pivot) in basis.iter().zip(&pivots) {
                let factor = row[pivot].clone();
                subtract(&mut row, other, &factor);
            }
            let Some(pivot) = row.iter().position(|c| !c.is_zero()) else { continue };
            let factor = row[pivot].recip();
            row.iter_mut().for_each(|c| *c = &*c * &factor);
            for other in &mut basis {
                let factor = other[pivot].clone();
                subtract(other, &row, &factor);
            }
            basis.push(row);
            pivots.push(pivot);
        }
        let mut equations = Vec::new();
        for free in (0..width).filter(|column| !pivots.contains(column)) {
            let mut coefficients = vec![Rat::ZERO; width];
            coefficients[free] = Rat::ONE;
            for (row, &pivot) in basis.iter().zip(&pivots) {
                coefficients[pivot] = -&row[free];
            }
            let common = coefficients.iter().fold(Int::ONE, |common, c| common.lcm(&c.denom()));
            let mut value = Rat::ZERO;
            for (c, at) in coefficients.iter_mut().zip(first) {
                *c = c.mul_int(&common);
                value.add_mul(c, at);
            }
            equations.push((coefficients, value));
        }
        let column = |at: usize| rows.iter().map(move |row| &row[at]);
        let residue = |at: usize| {
            let value = first[at].to_int()?;
            let mut modulus = Int::ZERO;
            for other in column(at) {
                modulus = modulus.gcd(&(&other.to_int()? - &value));
            }
            let residue = (!modulus.is_zero()).then(|| value.rem_floor(&modulus))?;
            (!modulus.is_one()).then_some((modulus, residue))
        };
        Hull {
            equations,
            residues: (0..width).map(residue).collect(),
            low: (0..width).map(|at| column(at).min().expect("a point").clone()).collect(),
            high: (0..width).map(|at| column(at).max().expect("a point").clone()).collect(),
            confirmed: rows.len() > basis.len() + 1,
            axis: if let [axis] = pivots[..] { Some(axis) } else { None },
        }
    }

    /// Whether the equations deserve a try: points that fit by chance have equations with large coefficients.
    pub(super) fn is_plausible(&self) -> bool {
        const LARGE: u64 = 4;
        let mut coefficients = self.equations.iter().flat_map(|(coefficients, _)| coefficients);
        self.confirmed || coefficients.all(|c| c.bits() <= LARGE)
    }

    /// Whether the points lie on a line.
    pub(super) fn is_line(&self) -> bool {
        self.axis.is_some()
    }

    /// The constraints on these terms, which stand for the coordinates.
    pub(super) fn constraints(
        &self,
        store: &mut Store,
        coordinates: &[Term],
        ends: RangeEnds,
        residues: bool,
    ) -> Vec<Term> {
        let mut found = Vec::new();
        for (coefficients, value) in &self.equations {
            let terms: Vec<(Rat, Term)> = (coefficients.iter().cloned())
                .zip(coordinates.iter().copied())
                .filter(|(c, _)| !c.is_zero())
                .collect();
            let upper = store.linear_le(&terms, value, false);
            let lower = store.linear_le(&terms, value, true);
            found.extend([upper, !lower]);
        }
        for (at, &coordinate) in coordinates.iter().enumerate() {
            if self.axis.is_some_and(|axis| axis != at) {
                continue;
            }
            let term = [(Rat::ONE, coordinate)];
            if matches!(ends, RangeEnds::High | RangeEnds::Both) {
                found.push(store.linear_le(&term, &self.high[at], false));
            }
            if matches!(ends, RangeEnds::Low | RangeEnds::Both) {
                found.push(!store.linear_le(&term, &self.low[at], true));
            }
            if let (true, Some((modulus, residue))) = (residues, &self.residues[at]) {
                let shifted = store.linear(&term, &-Rat::from(residue.clone()), Sort::Int);
                found.push(store.divisible(modulus, shifted));
            }
        }
        found
    }
}

/// `row -= factor * other`
fn subtract(row: &mut [Rat], other: &[Rat], factor: &Rat) {
    if !factor.is_zero() {
        for (c, d) in row.iter_mut().zip(other) {
            c.sub_mul(factor, d);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(rows: &[&[i64]]) -> Vec<Vec<Rat>> {
        rows.iter().map(|row| row.iter().map(|&c| Rat::from(c)).collect()).collect()
    }

    #[test]
    fn points_satisfy_the_equations_of_their_hull() {
        for rows in [
            points(&[&[1001, 2000], &[1000, 1998], &[998, 1994]]),
            points(&[&[0, 1, 5], &[1, 1, 7], &[0, 2, 9]]),
            points(&[&[3, 3, 3]]),
        ] {
            let hull = Hull::new(&rows);
            for (coefficients, value) in &hull.equations {
                assert!(coefficients.iter().all(Rat::is_integer));
                for row in &rows {
                    let mut sum = Rat::ZERO;
                    coefficients.iter().zip(row).for_each(|(c, at)| sum.add_mul(c, at));
                    assert_eq!(sum, *value);
                }
            }
        }
        assert_eq!(Hull::new(&points(&[&[0, 1, 5], &[1, 1, 7], &[0, 2, 9]])).equations.len(), 1);
        assert!(Hull::new(&points(&[&[1, 2], &[2, 4], &[9, 18]])).is_line());
    }

    #[test]
    fn coordinates_that_agree_modulo_a_number_are_seen() {
        let hull = Hull::new(&points(&[&[7, 0], &[1, 1], &[-5, 2]]));
        assert_eq!(hull.residues, [Some((Int::from(6), Int::from(1))), None]);
    }
}
