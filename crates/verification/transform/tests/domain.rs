//! The abstract domains against brute force.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use shem_base::{Int, Rat};
use shem_transform::domain::{Form, Lattice, Subspace, value_of};

type Point = Vec<i64>;

/// Coordinates of given points, and the box in which membership is compared.
const SIDE: i64 = 3;
const COMPARED: i64 = 5;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(17), failure_persistence: None, ..Default::default() }
}

fn points(dimension: usize) -> impl Strategy<Value = Vec<Point>> {
    vec(vec(-SIDE..=SIDE, dimension), 1..5)
}

fn exact(point: &[i64]) -> Vec<Int> {
    point.iter().map(|&n| Int::from(n)).collect()
}

fn rational(point: &[i64]) -> Vec<Rat> {
    point.iter().map(|&n| Rat::from(n)).collect()
}

fn lattice(points: &[Point]) -> Lattice {
    let mut lattice = Lattice::of_point(exact(&points[0]));
    for point in &points[1..] {
        let inside = lattice.contains(&exact(point));
        assert_eq!(lattice.join_point(&exact(point)), !inside);
        lattice.check_invariants();
    }
    lattice
}

/// All points of a box.
fn in_box(dimension: usize, side: i64) -> Vec<Point> {
    let mut all = vec![Vec::new()];
    for _ in 0..dimension {
        let longer = |p: &Point| (-side..=side).map(|n| [&p[..], &[n]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The least lattice with these points, as far as it is near: by steps of the generators. By Steinitz, steps that sum
/// up to a vector can be put in an order in which the sums stay within the dimension times the longest step of the
/// line.
fn reached(points: &[Point]) -> BTreeSet<Point> {
    let dimension = points[0].len();
    let far = COMPARED.max(SIDE) + dimension as i64 * 2 * SIDE;
    let steps: Vec<Point> =
        points[1..].iter().map(|p| p.iter().zip(&points[0]).map(|(a, b)| a - b).collect()).collect();
    let mut found = BTreeSet::from([points[0].clone()]);
    let mut open = vec![points[0].clone()];
    while let Some(point) = open.pop() {
        for step in &steps {
            for sign in [-1, 1] {
                let next: Point = point.iter().zip(step).map(|(a, b)| a + sign * b).collect();
                if next.iter().all(|n| n.abs() <= far) && found.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    found
}

fn check_lattice(points: &[Point]) {
    let lattice = lattice(points);
    let reached = reached(points);
    let constraints = lattice.constraints();
    for point in in_box(points[0].len(), COMPARED) {
        let inside = reached.contains(&point);
        let exact = exact(&point);
        assert_eq!(lattice.contains(&exact), inside, "{points:?} {point:?}");
        assert_eq!(
            constraints.iter().all(|c| c.holds(&exact)),
            inside,
            "{points:?} {point:?} {constraints:?}"
        );
    }
    let mut reversed = points.to_vec();
    reversed.reverse();
    assert_eq!(self::lattice(&reversed), lattice, "one representation");
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn lattices_of_the_line(points in points(1)) {
        check_lattice(&points);
    }

    #[test]
    fn lattices_of_the_plane(points in points(2)) {
        check_lattice(&points);
    }

    #[test]
    fn joins_are_least(a in points(3), b in points(3)) {
        let (one, other) = (lattice(&a), lattice(&b));
        let mut joined = one.clone();
        assert_eq!(joined.join(&other), !one.includes(&other));
        joined.check_invariants();
        assert!(joined.includes(&one) && joined.includes(&other));
        assert_eq!(joined, lattice(&[a, b].concat()));
    }

    /// A point is in the subspace if adding it to the lattice adds no direction.
    #[test]
    fn subspaces(points in points(3), other in vec(-SIDE..=SIDE, 3)) {
        let mut subspace = Subspace::of_point(rational(&points[0]));
        for point in &points[1..] {
            let inside = subspace.contains(&rational(point));
            assert_eq!(subspace.join_point(&rational(point)), !inside);
        }
        let mut lattice = lattice(&points);
        assert_eq!(subspace.rank(), lattice.rank());
        let rank = lattice.rank();
        lattice.join_point(&exact(&other));
        let inside = lattice.rank() == rank;
        assert_eq!(subspace.contains(&rational(&other)), inside);
        let other = rational(&other);
        let holds = |(form, value): &(Form, Rat)| value_of(form, |at| other.get(at)).as_ref() == Some(value);
        assert_eq!(subspace.equalities().iter().all(holds), inside);
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn lattices_of_space(points in points(3)) {
        check_lattice(&points);
    }
}

#[test]
fn a_form_is_fixed_if_it_has_one_value() {
    // x = 2k, y = 3k + 1, z = 0.
    let lattice = lattice(&[vec![0, 1, 0], vec![2, 4, 0]]);
    let form = |x: i64, y: i64| [(0, Int::from(x)), (1, Int::from(y))];
    assert!(lattice.fixes(&form(3, -2)) && lattice.fixes(&[(2, Int::ONE)]));
    assert!(!lattice.fixes(&form(1, -1)));
    assert_eq!((lattice.dimension(), lattice.rank(), lattice.bits()), (3, 1, 2));
}
