//! Quantifier elimination.

use shem_base::Budget;
use shem_smt::project::{assertable, eliminate, eliminate_disjunct, eliminate_quantifiers};
use shem_term::{Substitution, Term};

use super::judge::{extends, holds, is_free_of, is_satisfiable};
use shem_test_support::formula::{Generator, Taste};

const PLAIN: Taste = Taste {
    ints: 0,
    reals: 0,
    bools: 0,
    coefficient: 3,
    constant: 5,
    division: false,
    conditionals: false,
    depth: 2,
};

fn budget() -> Budget {
    Budget { conflicts: 20_000, pivots: 200_000, splits: 5_000, ..Budget::unlimited() }
}

/// Eliminates variables of random formulas and compares with the formulas at random points.
fn check(taste: Taste, seeds: std::ops::Range<u64>) {
    let (count, mut undecided) = (seeds.end - seeds.start, 0);
    for seed in seeds {
        let mut g = Generator::new(seed, taste);
        let formula = g.formula();
        let vars = g.some_variables();
        let result = match eliminate(&mut g.store, &vars, formula, &mut budget()) {
            Ok(result) => result,
            Err(reason) => panic!("seed {seed}: {reason} for {}", g.store.display(formula)),
        };
        is_free_of(&g.store, result, formula, &vars);
        let disjunct = eliminate_disjunct(&mut g.store, &vars, formula, &mut budget());
        let mut point = g.assignment();
        for _ in 0..8 {
            let expected = extends(&mut g.store, formula, &point, &vars, &mut g.rng);
            undecided += u64::from(expected.is_none());
            if let Some(expected) = expected {
                assert_eq!(
                    holds(&g.store, result, &point),
                    expected,
                    "seed {seed}: {} for {}",
                    g.store.display(result),
                    g.store.display(formula)
                );
                if let Ok(disjunct) = disjunct {
                    assert!(!holds(&g.store, disjunct, &point) || expected, "seed {seed}");
                }
            }
            point = g.neighbour(&point);
        }
    }
    assert!(undecided * 10 <= count, "{undecided} of {count} without a judgement");
}

#[test]
fn booleans() {
    check(Taste { bools: 6, depth: 3, ..PLAIN }, 0..300);
}

#[test]
fn reals() {
    check(Taste { reals: 4, ..PLAIN }, 0..500);
}

#[test]
fn reals_with_booleans_and_conditionals() {
    check(Taste { reals: 3, bools: 2, conditionals: true, ..PLAIN }, 0..400);
}

#[test]
fn integers() {
    check(Taste { ints: 4, ..PLAIN }, 0..500);
}

#[test]
fn integers_with_division_and_conditionals() {
    check(Taste { ints: 3, bools: 1, division: true, conditionals: true, coefficient: 2, ..PLAIN }, 0..300);
}

#[test]
fn integers_and_reals() {
    check(Taste { ints: 2, reals: 2, ..PLAIN }, 0..300);
}

/// Blocks of both kinds, nested: the elimination of the outer block must see through the inner one.
#[test]
fn nested_blocks() {
    for seed in 0..200 {
        let mut g = Generator::new(seed, Taste { ints: 3, coefficient: 2, depth: 1, ..PLAIN });
        let (inner, outer) = (g.formula(), g.formula());
        let (x, y) = (g.numbers[0], g.numbers[1]);
        // The variable of the inner block occurs there only.
        let mut elsewhere = Substitution::new();
        elsewhere.insert(g.store.as_var(x).unwrap(), y);
        let outer = g.store.substitute(outer, &elsewhere);
        // exists y. (outer and forall x. inner), which at each point of x2 is decided step by step.
        let block = g.store.forall(&[x], inner);
        let body = g.store.and2(outer, block);
        let formula = g.store.exists(&[y], body);
        let Ok(result) = eliminate_quantifiers(&mut g.store, formula, &mut budget()) else { continue };
        assert!(!g.store.has_quantifier(result));
        let universal = eliminate(&mut g.store, &[x], !inner, &mut budget()).unwrap();
        let flat = g.store.and2(outer, !universal);
        for _ in 0..4 {
            let point = g.assignment();
            if let Some(expected) = extends(&mut g.store, flat, &point, &[x, y], &mut g.rng) {
                assert_eq!(holds(&g.store, result, &point), expected, "seed {seed}");
            }
        }
        let skolemised = assertable(&mut g.store, formula, &mut budget()).unwrap();
        assert!(!g.store.has_quantifier(skolemised));
        let (a, b) = (is_satisfiable(&mut g.store, result), is_satisfiable(&mut g.store, skolemised));
        if let (Some(a), Some(b)) = (a, b) {
            assert_eq!(a, b, "seed {seed}");
        }
    }
}

#[test]
fn closed_formulas_become_constants() {
    for seed in 0..300 {
        let mut g = Generator::new(seed, Taste { ints: 2, bools: 1, depth: 2, ..PLAIN });
        let formula = g.formula();
        let vars = g.variables();
        let Ok(result) = eliminate(&mut g.store, &vars, formula, &mut budget()) else { continue };
        assert!(result.is_truth_constant());
        if let Some(expected) = is_satisfiable(&mut g.store, formula) {
            assert_eq!(result == Term::TRUE, expected, "seed {seed}");
        }
    }
}
