//! What the numerals of a cluster have in common.
//!
//! The numerals of each lemma are a point. The points lie in an affine subspace and between the least and the greatest
//! value of each coordinate; integer points also have coordinates that agree modulo some number. A pattern under these
//! constraints stands for many cubes at once: with its numerals eliminated it is a cube that contains all those that were
//! seen and many that are to come.

use shem_base::{Int, Rat};
use shem_term::{Store, Term};
use shem_transform::domain::{
    Form, Interval, Lattice, LinearConstraint, Subspace, bounds_of, congruence, terms_of,
};

/// The common constraints of points.
#[derive(Clone, Debug)]
pub(super) struct ClusterHull {
    /// Linear forms with their values.
    pub(super) equations: Vec<(Form, Rat)>,
    /// For each coordinate with more than one value, all of them integers: that they agree modulo a number other than 1.
    pub(super) residues: Vec<Option<LinearConstraint>>,
    ranges: Vec<Interval>,
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

impl ClusterHull {
    /// The hull of at least one point.
    pub(super) fn new(points: &[Vec<Rat>]) -> ClusterHull {
        let (first, others) = points.split_first().expect("a point");
        let mut space = Subspace::of_point(first.clone());
        let mut ranges: Vec<Interval> = first.iter().cloned().map(Interval::point).collect();
        for point in others {
            space.join_point(point);
            for (range, value) in ranges.iter_mut().zip(point) {
                range.join_value(value, |value| Some(value.clone()), |value| Some(value.clone()));
            }
        }
        let residue = |at: usize| {
            let mut lattice = Lattice::of_point(vec![first[at].to_int()?]);
            for point in others {
                lattice.join_point(&[point[at].to_int()?]);
            }
            lattice.constraints().into_iter().find(|constraint| !constraint.modulus.is_zero())
        };
        let mut pivots = space.pivots();
        let axis = pivots.next().filter(|_| pivots.next().is_none());
        ClusterHull {
            equations: space.equalities(),
            residues: (0..first.len()).map(residue).collect(),
            ranges,
            confirmed: points.len() > space.rank() + 1,
            axis,
        }
    }

    /// Whether the equations deserve a try: points that fit by chance have equations with large coefficients.
    pub(super) fn is_plausible(&self) -> bool {
        const LARGE: u64 = 4;
        let mut coefficients = self.equations.iter().flat_map(|(form, _)| form);
        self.confirmed || coefficients.all(|(_, coefficient)| coefficient.bits() <= LARGE)
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
        for (form, value) in &self.equations {
            let terms = terms_of(form, coordinates);
            let upper = store.linear_le(&terms, value, false);
            let lower = store.linear_le(&terms, value, true);
            found.extend([upper, !lower]);
        }
        for (at, range) in self.ranges.iter().enumerate() {
            if self.axis.is_some_and(|axis| axis != at) {
                continue;
            }
            let mut range = range.clone();
            range.low = range.low.filter(|_| matches!(ends, RangeEnds::Low | RangeEnds::Both));
            range.high = range.high.filter(|_| matches!(ends, RangeEnds::High | RangeEnds::Both));
            found.extend(bounds_of(store, &[(at, Int::ONE)], coordinates, &range));
            if let (true, Some(residue)) = (residues, &self.residues[at]) {
                found.push(congruence(store, residue, &coordinates[at..=at]));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use shem_transform::domain::value_of;

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
            let hull = ClusterHull::new(&rows);
            for (form, value) in &hull.equations {
                for row in &rows {
                    assert_eq!(value_of(form, |at| Some(&row[at])).as_ref(), Some(value));
                }
            }
        }
        assert_eq!(ClusterHull::new(&points(&[&[0, 1, 5], &[1, 1, 7], &[0, 2, 9]])).equations.len(), 1);
        assert!(ClusterHull::new(&points(&[&[1, 2], &[2, 4], &[9, 18]])).is_line());
    }

    #[test]
    fn coordinates_that_agree_modulo_a_number_are_seen() {
        let hull = ClusterHull::new(&points(&[&[7, 0], &[1, 1], &[-5, 2]]));
        let residue =
            LinearConstraint { coefficients: vec![Int::ONE], value: Int::ONE, modulus: Int::from(6) };
        assert_eq!(hull.residues, [Some(residue), None]);
    }
}
