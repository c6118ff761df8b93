//! Joining of cubes that differ in one polynomial only.
//!
//! Two cubes that agree but for what they say of the order of one polynomial, or of its residues, are one
//! cube with the union of both, wherever the union has a short form: `p <= 2 or p = 3` is `p <= 3`, and `p`
//! congruent to 0 or to 1 modulo 3 is `p` not congruent to 2. All cubes that agree with each other in this
//! sense are joined at once. Nothing here asks a solver; the cost is that of sorting the cubes once for
//! each polynomial that occurs, and every step makes the disjunction smaller.

use std::collections::BTreeMap;

use shem_term::{Poly, Store, Term};

use super::cube::simplify_cube;
use super::interval_set::{IntervalSet, bounded_poly};
use super::residues::{ResidueSet, residues_of};

/// What cubes may differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Aspect {
    /// The order of the polynomial's values, equality included.
    Order(Poly),
    /// Its residues.
    Residues(Poly),
}

/// Joins cubes until none can be joined; whether there were any.
pub(super) fn join(store: &mut Store, cubes: &mut Vec<Vec<Term>>) -> bool {
    let mut any = false;
    while join_once(store, cubes) {
        any = true;
    }
    any
}

fn aspect_of(store: &Store, literal: Term) -> Option<Aspect> {
    bounded_poly(store, literal)
        .map(Aspect::Order)
        .or_else(|| residues_of(store, literal).map(Aspect::Residues))
}

/// Joins the first cubes that agree but for one aspect and become smaller by it.
fn join_once(store: &mut Store, cubes: &mut Vec<Vec<Term>>) -> bool {
    if cubes.len() < 2 {
        return false;
    }
    // By aspect and the other literals: which cubes agree. Sorted, so that the order is that of age.
    let mut agreeing: BTreeMap<(Aspect, Vec<Term>), Vec<usize>> = BTreeMap::new();
    for (i, cube) in cubes.iter().enumerate() {
        let mut aspects: Vec<Aspect> = cube.iter().filter_map(|&t| aspect_of(store, t)).collect();
        aspects.sort_unstable();
        aspects.dedup();
        for aspect in aspects {
            let (_, others) = split(store, cube, aspect);
            agreeing.entry((aspect, others)).or_default().push(i);
        }
    }
    for ((aspect, others), members) in agreeing {
        if members.len() < 2 {
            continue;
        }
        let parts: Vec<Vec<Term>> = members.iter().map(|&i| split(store, &cubes[i], aspect).0).collect();
        let Some(joined) = union(store, aspect, &parts) else { continue };
        let (before, after) = ((atoms(&parts), parts.len()), (atoms(&joined), joined.len()));
        if before == after || after.0 > before.0 || after.1 > before.1 {
            continue;
        }
        let mut i = 0;
        cubes.retain(|_| {
            i += 1;
            members.binary_search(&(i - 1)).is_err()
        });
        for mut cube in joined {
            cube.extend_from_slice(&others);
            simplify_cube(store, &mut cube);
            cubes.push(cube);
        }
        return true;
    }
    false
}

/// The literals of the aspect, and the others in order.
fn split(store: &Store, cube: &[Term], aspect: Aspect) -> (Vec<Term>, Vec<Term>) {
    let (part, mut others): (Vec<Term>, Vec<Term>) =
        cube.iter().partition(|&&t| aspect_of(store, t) == Some(aspect));
    others.sort_unstable();
    (part, others)
}

/// The disjunction of conjunctions of literals of one aspect, as short cubes.
fn union(store: &mut Store, aspect: Aspect, parts: &[Vec<Term>]) -> Option<Vec<Vec<Term>>> {
    match aspect {
        Aspect::Order(poly) => {
            let mut union = IntervalSet::of_literals(store, poly, &parts[0]);
            for part in &parts[1..] {
                union = union.union(&IntervalSet::of_literals(store, poly, part));
            }
            Some(union.cubes(store, poly))
        }
        Aspect::Residues(poly) => {
            let mut union = ResidueSet::of_literals(store, &parts[0])?;
            for part in &parts[1..] {
                union = union.union(ResidueSet::of_literals(store, part)?)?;
            }
            Some(union.cubes(store, poly))
        }
    }
}

/// The number of distinct atoms.
fn atoms(cubes: &[Vec<Term>]) -> usize {
    let mut atoms: Vec<Term> = cubes.iter().flatten().map(|t| t.positive()).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms.len()
}
