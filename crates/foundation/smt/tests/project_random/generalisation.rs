//! Dropping literals of cubes.

use shem_base::Budget;
use shem_smt::Solver;
use shem_smt::project::drop_literals;
use shem_term::Term;

use super::judge::is_satisfiable;
use shem_test_support::formula::{Generator, Taste};

/// What is left is part of the cube, contradicts the assertions, and no literal of it can go: each claim is
/// judged by a solver of its own.
#[test]
fn what_is_left_is_needed() {
    let taste = Taste {
        ints: 3,
        reals: 1,
        bools: 2,
        coefficient: 3,
        constant: 5,
        division: true,
        conditionals: false,
        depth: 0,
    };
    let (mut dropped, mut kept) = (0, 0);
    for seed in 0..600 {
        let mut g = Generator::new(seed, taste);
        let asserted: Vec<Term> = (0..3).map(|_| g.formula()).collect();
        let cube: Vec<Term> = (0..6).map(|_| g.formula()).collect();
        let mut solver = Solver::new(Default::default());
        for &formula in &asserted {
            solver.assert(&mut g.store, formula);
        }
        let mut budget = Budget { conflicts: 20_000, pivots: 200_000, splits: 5_000, ..Budget::unlimited() };
        let result = drop_literals(&mut solver, &mut g.store, &[], &cube, &mut budget);
        let mut with = |cube: &[Term]| {
            let all: Vec<Term> = asserted.iter().chain(cube).copied().collect();
            let all = g.store.and(&all);
            is_satisfiable(&mut g.store, all)
        };
        match result {
            Err(reason) => panic!("seed {seed}: {reason}"),
            Ok(None) => assert_ne!(with(&cube), Some(false), "seed {seed}"),
            Ok(Some(needed)) => {
                assert!(needed.iter().all(|t| cube.contains(t)), "seed {seed}: a new literal");
                assert_ne!(with(&needed), Some(true), "seed {seed}: too much was dropped");
                for i in 0..needed.len() {
                    let mut rest = needed.clone();
                    rest.remove(i);
                    assert_ne!(with(&rest), Some(false), "seed {seed}: a literal is not needed");
                }
                dropped += cube.len() - needed.len();
                kept += needed.len();
            }
        }
    }
    assert!(dropped > 100 && kept > 100, "{dropped} dropped, {kept} kept");
}
