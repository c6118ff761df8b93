//! Cases that are known from the literature.

use shem_base::{Budget, UnknownReason};
use shem_smt::interpolate::{ItpError, ItpOptions};
use shem_smt::{Answer, Solver, SolverOptions};
use shem_term::{Sort, Store, Term};
use shem_test_support::interpolants::Judge;

/// The interpolant of two contradictory lists of formulas.
fn interpolate(store: &mut Store, a: &[Term], b: &[Term]) -> Result<Term, ItpError> {
    let mut solver = Solver::new(SolverOptions::default());
    let numbers: Vec<u32> = a.iter().map(|&formula| solver.assert(store, formula)).collect();
    b.iter().for_each(|&formula| {
        solver.assert(store, formula);
    });
    let budget = &mut Budget::unlimited();
    let Answer::Unsat(mut refutation) = solver.check(store, budget) else { panic!("not refuted") };
    let found = refutation.interpolant(store, &numbers, &ItpOptions::default(), budget)?;
    Judge::new(store).binary(a, b, found);
    Ok(found)
}

/// The function is applied to what both sides know.
#[test]
fn congruence_across_the_cut() {
    let mut store = Store::new();
    let sort = store.declare_sort("U");
    let f = store.declare("f", &[sort], sort);
    let [a, b, s, t] = ["a", "b", "s", "t"].map(|name| store.variable(name, sort));
    let [fa, fb, fs] = [a, b, s].map(|arg| store.apply(f, &[arg]));
    let left = [store.eq(a, s), store.eq(fa, t)];
    let right = [store.eq(b, s), !store.eq(fb, t)];
    assert_eq!(interpolate(&mut store, &left, &right), Ok(store.eq(fs, t)));
}

/// The sum that both sides know is an argument. Without it, the numbers of the two sides would have to be compared.
#[test]
fn functions_of_numbers() {
    let mut store = Store::new();
    let f = store.declare("f", &[Sort::Int], Sort::Int);
    let [a, b, x, y] = ["a", "b", "x", "y"].map(|name| store.variable(name, Sort::Int));
    let next = store.linear(&[(1.into(), x)], &1.into(), Sort::Int);
    let [fa, fb] = [a, b].map(|arg| store.apply(f, &[arg]));
    let left = [store.eq(a, next), store.le(fa, y)];
    let right = [store.eq(b, next), store.gt(fb, y)];
    let found = interpolate(&mut store, &left, &right);
    assert!(matches!(found, Err(ItpError::Unknown(UnknownReason::Incomplete(_)))), "{found:?}");
    let shared = store.apply(f, &[next]);
    let right = [store.gt(shared, y)];
    assert_eq!(interpolate(&mut store, &left, &right), Ok(store.le(shared, y)));
}

/// That the write is at one index only cannot be said without a term for that index.
#[test]
fn an_index_of_one_side_alone() {
    let mut store = Store::new();
    let (index, element) = (store.declare_sort("I"), store.declare_sort("E"));
    let sort = store.array_sort(index, element);
    let [a, b] = ["a", "b"].map(|name| store.variable(name, sort));
    let [i, j, k] = ["i", "j", "k"].map(|name| store.variable(name, index));
    let v = store.variable("v", element);
    let written = store.store_at(a, i, v);
    let left = [store.eq(b, written)];
    let mut right = vec![!store.eq(j, k)];
    for index in [j, k] {
        let (x, y) = (store.select(a, index), store.select(b, index));
        right.push(!store.eq(x, y));
    }
    let found = interpolate(&mut store, &left, &right);
    assert!(matches!(found, Err(ItpError::Unknown(UnknownReason::Incomplete(_)))), "{found:?}");
    // With the index on both sides there is an interpolant.
    let same = store.eq(i, j);
    right.push(same);
    interpolate(&mut store, &left, &right).expect("there is an interpolant");
}

/// Arrays with truth values as indices differ somewhere: what the solver calls that index is no part of the language.
#[test]
fn arrays_with_two_indices() {
    let mut store = Store::new();
    let sort = store.array_sort(Sort::Bool, Sort::Int);
    let [a, b] = ["a", "b"].map(|name| store.variable(name, sort));
    let mut agree = Vec::new();
    for index in [Term::TRUE, Term::FALSE] {
        let (x, y) = (store.select(a, index), store.select(b, index));
        agree.push(store.eq(x, y));
    }
    let differ = !store.eq(a, b);
    for (left, right) in [(vec![differ], agree.clone()), (agree, vec![differ])] {
        match interpolate(&mut store, &left, &right) {
            Ok(_) | Err(ItpError::Unknown(UnknownReason::Incomplete(_))) => {}
            Err(error) => panic!("{error}"),
        }
    }
}
