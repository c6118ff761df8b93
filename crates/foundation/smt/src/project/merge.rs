//! Merging of cubes: a small disjunction that says the same.
//!
//! Cubes that differ in one polynomial are joined (see `join`). From each cube the literals are dropped without
//! which it still implies the whole disjunction under the context. Then the cubes that the others cover are
//! dropped, and the literals common to all that are left are factored out. Queries of little effort decide all
//! of this; one that ends in unknown changes nothing.

use shem_base::Budget;
use shem_proof::NoProof;
use shem_term::{Store, Term};

use super::cube::simplify_cube;
use super::generalise::{OPTIONAL_EFFORT, drop_literals};
use super::join::join;
use crate::{Group, Solver};

/// The number of literals in all cubes up to which cubes are merged by queries.
const LITERAL_LIMIT: usize = 4000;

/// A formula that is equivalent, under the context, to the disjunction of the cubes.
pub(super) fn merge(store: &mut Store, context: &[Term], mut cubes: Vec<Vec<Term>>, budget: &Budget) -> Term {
    if cubes.iter().map(Vec::len).sum::<usize>() <= LITERAL_LIMIT {
        join(store, &mut cubes);
        loop {
            widen(store, context, &mut cubes, budget);
            cubes.sort();
            cubes.dedup();
            drop_covered(store, context, &mut cubes, budget);
            // Each time there are fewer cubes, or as many with fewer literals.
            if !join(store, &mut cubes) {
                break;
            }
        }
    }
    factor(store, &cubes)
}

fn solver_of(store: &mut Store, context: &[Term]) -> Solver<NoProof> {
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    for &formula in context {
        solver.assert(store, formula);
    }
    solver
}

/// Drops literals while the disjunction stays the same.
fn widen(store: &mut Store, context: &[Term], cubes: &mut [Vec<Term>], budget: &Budget) {
    let mut solver = solver_of(store, context);
    for cube in cubes.iter() {
        let cube = store.and(cube);
        solver.assert(store, !cube);
    }
    for cube in cubes {
        if let Ok(Some(kept)) =
            drop_literals(&mut solver, store, &[], cube, &mut budget.at_most(OPTIONAL_EFFORT))
        {
            *cube = kept;
            simplify_cube(store, cube);
        }
    }
}

/// Drops the cubes that the others imply, long ones first.
fn drop_covered(store: &mut Store, context: &[Term], cubes: &mut Vec<Vec<Term>>, budget: &Budget) {
    if cubes.len() < 2 {
        return;
    }
    let mut solver = solver_of(store, context);
    let groups: Vec<Group> = cubes
        .iter()
        .map(|cube| {
            let cube = store.and(cube);
            let group = solver.new_group();
            solver.assert_in_group(store, group, !cube);
            group
        })
        .collect();
    let mut order: Vec<usize> = (0..cubes.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse((cubes[i].len(), i)));
    let mut alive = vec![true; cubes.len()];
    for i in order {
        alive[i] = false;
        let others: Vec<Group> = (0..cubes.len()).filter(|&j| alive[j]).map(|j| groups[j]).collect();
        alive[i] =
            !solver.check_with(store, &others, &cubes[i], &mut budget.at_most(OPTIONAL_EFFORT)).is_unsat();
    }
    let mut alive = alive.into_iter();
    cubes.retain(|_| alive.next() == Some(true));
}

/// The disjunction, with the literals that all cubes have in front.
fn factor(store: &mut Store, cubes: &[Vec<Term>]) -> Term {
    let Some((first, rest)) = cubes.split_first() else { return Term::FALSE };
    let common: Vec<Term> =
        first.iter().copied().filter(|t| rest.iter().all(|cube| cube.contains(t))).collect();
    let members: Vec<Term> = cubes
        .iter()
        .map(|cube| {
            let own: Vec<Term> = cube.iter().copied().filter(|t| !common.contains(t)).collect();
            store.and(&own)
        })
        .collect();
    let disjunction = store.or(&members);
    let mut all = common;
    all.push(disjunction);
    store.and(&all)
}

/// The conjunction without the members that the others imply; the false formula if there is a
/// contradiction.
pub(super) fn drop_implied(store: &mut Store, mut members: Vec<Term>, budget: &Budget) -> Term {
    simplify_cube(store, &mut members);
    if members.len() > 1 && members.len() <= LITERAL_LIMIT / 16 {
        let mut solver = solver_of(store, &[]);
        if solver.check_assuming(store, &members, &mut budget.at_most(OPTIONAL_EFFORT)).is_unsat() {
            return Term::FALSE;
        }
        // Compound members come last, so that they are tried first.
        members.sort_by_key(|&t| (store.dag_size(t), t));
        for i in (0..members.len()).rev() {
            let member = std::mem::replace(&mut members[i], Term::TRUE);
            members[i] = !member;
            let implied =
                solver.check_assuming(store, &members, &mut budget.at_most(OPTIONAL_EFFORT)).is_unsat();
            members[i] = if implied { Term::TRUE } else { member };
        }
    }
    store.and(&members)
}
