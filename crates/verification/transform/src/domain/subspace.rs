//! Affine subspaces of rational points: linear equalities.
//!
//! Karr (1976, "Affine relationships among variables of a program"): the least affine subspace that contains given
//! points. The directions are kept in reduced echelon form, so a subspace has one representation up to its point,
//! which is reduced by them as well.

use shem_base::{Int, Rat};

use super::form::Form;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    pivot: usize,
    entries: Vec<Rat>,
}

/// A coordinate that others determine: its column, the others with their factors, and a number to be added.
pub type Determined = (usize, Vec<(usize, Rat)>, Rat);

/// An affine subspace.
///
/// Invariant *echelon form*: a row begins with its pivot, which is one; no other row and not the point have anything
/// but zero there; rows are sorted by their pivots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subspace {
    point: Vec<Rat>,
    rows: Vec<Row>,
}

impl Subspace {
    /// The set of this point alone.
    pub fn of_point(point: Vec<Rat>) -> Subspace {
        Subspace { point, rows: Vec::new() }
    }

    /// The number of directions.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// The number of bits of the greatest entry.
    pub fn bits(&self) -> u64 {
        let rows = self.rows.iter().flat_map(|row| &row.entries);
        rows.chain(&self.point).map(Rat::bits).max().unwrap_or(0)
    }

    /// Whether the point is in the set.
    pub fn contains(&self, point: &[Rat]) -> bool {
        self.rest(point).iter().all(Rat::is_zero)
    }

    /// Adds a point, and whatever has to be there then. Returns whether the set has changed.
    pub fn join_point(&mut self, point: &[Rat]) -> bool {
        let mut direction = self.rest(point);
        let Some(pivot) = direction.iter().position(|entry| !entry.is_zero()) else { return false };
        let scale = direction[pivot].recip();
        for entry in &mut direction {
            *entry = &*entry * &scale;
        }
        for row in &mut self.rows {
            let factor = row.entries[pivot].clone();
            subtract(&mut row.entries, &factor, &direction);
        }
        let factor = self.point[pivot].clone();
        subtract(&mut self.point, &factor, &direction);
        let at = self.rows.partition_point(|row| row.pivot < pivot);
        self.rows.insert(at, Row { pivot, entries: direction });
        true
    }

    /// Whether a linear form has one value on the whole set.
    pub fn fixes(&self, form: &[(usize, Int)]) -> bool {
        self.rows.iter().all(|row| {
            let mut sum = Rat::ZERO;
            for (at, coefficient) in form {
                sum.add_mul_int(coefficient, &row.entries[*at]);
            }
            sum.is_zero()
        })
    }

    /// The coordinates that others determine on the set. The others are not determined themselves.
    pub fn determined(&self) -> Vec<Determined> {
        let mut found = Vec::new();
        let mut pivots = self.rows.iter().map(|row| row.pivot).peekable();
        for (column, value) in self.point.iter().enumerate() {
            if pivots.next_if_eq(&column).is_some() {
                continue;
            }
            // The point is zero at the pivots, so the value is that of its own coordinate.
            let factor = |row: &Row| (row.pivot, row.entries[column].clone());
            let others = self.rows.iter().map(factor).filter(|(_, factor)| !factor.is_zero()).collect();
            found.push((column, others, value.clone()));
        }
        found
    }

    /// Equalities that hold of exactly the points of the set: coordinates with their coefficients, which are integers, and
    /// what the sum has to be.
    pub fn equalities(&self) -> Vec<(Form, Rat)> {
        let equality = |(column, others, value): Determined| {
            let scale = others.iter().fold(Int::ONE, |common, (_, factor)| common.lcm(&factor.denom()));
            let mut form: Form =
                others.iter().map(|(other, factor)| (*other, -factor.mul_int(&scale).numer())).collect();
            form.push((column, scale.clone()));
            form.sort();
            (form, value.mul_int(&scale))
        };
        self.determined().into_iter().map(equality).collect()
    }

    /// The columns of the coordinates on which the others depend.
    pub fn pivots(&self) -> impl ExactSizeIterator<Item = usize> {
        self.rows.iter().map(|row| row.pivot)
    }

    /// The difference to the point, reduced by the directions.
    fn rest(&self, point: &[Rat]) -> Vec<Rat> {
        assert_eq!(point.len(), self.point.len(), "points of one space");
        let mut rest: Vec<Rat> = point.iter().zip(&self.point).map(|(a, b)| a - b).collect();
        for row in &self.rows {
            let factor = rest[row.pivot].clone();
            subtract(&mut rest, &factor, &row.entries);
        }
        rest
    }
}

fn subtract(vector: &mut [Rat], factor: &Rat, row: &[Rat]) {
    if factor.is_zero() {
        return;
    }
    for (entry, own) in vector.iter_mut().zip(row) {
        entry.sub_mul(factor, own);
    }
}
