//! Implicants and model-based projection.

use shem_base::Rat;
use shem_smt::project::Projector;
use shem_term::{Term, Value};

use super::judge::{extends, holds, is_free_of, is_satisfiable};
use shem_test_support::formula::{Generator, Taste};

const PLAIN: Taste = Taste {
    ints: 0,
    reals: 0,
    bools: 0,
    coefficient: 3,
    constant: 6,
    division: false,
    conditionals: false,
    depth: 2,
};

/// Projects random formulas in random models and checks all that is promised.
fn check(taste: Taste, seeds: std::ops::Range<u64>) {
    let (count, mut undecided) = (seeds.end - seeds.start, 0);
    for seed in seeds {
        let mut g = Generator::new(seed, taste);
        let mut formula = g.formula();
        let model = g.assignment();
        if !holds(&g.store, formula, &model) {
            formula = !formula;
        }
        let eliminate = g.some_variables();
        let mut projector = Projector::new();

        let implicant = projector.implicant(&mut g.store, &[formula], &model, &eliminate).unwrap();
        let implicant = g.store.and(&implicant);
        assert!(holds(&g.store, implicant, &model), "seed {seed}: the implicant is false");
        let beyond = g.store.and2(implicant, !formula);
        if seed % 8 == 0 {
            let beyond = is_satisfiable(&mut g.store, beyond);
            assert_ne!(beyond, Some(true), "seed {seed}: the implicant is too weak");
            undecided += u64::from(beyond.is_none());
        }

        let cube = projector.project(&mut g.store, &[formula], &model, &eliminate).unwrap();
        let again = projector.project(&mut g.store, &[formula], &model, &eliminate).unwrap();
        assert_eq!(cube, again, "seed {seed}: projection depends on what was before");
        let exact = projector.projection(&mut g.store, &[formula], &model, &eliminate).unwrap().exact;
        let result = g.store.and(&cube);
        assert!(
            holds(&g.store, result, &model),
            "seed {seed}: {} is false, for {}",
            g.store.display(result),
            g.store.display(formula)
        );
        is_free_of(&g.store, result, formula, &eliminate);
        for _ in 0..4 {
            let other = g.neighbour(&model);
            assert!(
                !exact || !holds(&g.store, formula, &other) || holds(&g.store, result, &other),
                "seed {seed}: {} is not exact for {}",
                g.store.display(result),
                g.store.display(formula)
            );
            if holds(&g.store, result, &other) && !holds(&g.store, formula, &other) {
                let extends = extends(&mut g.store, formula, &other, &eliminate, &mut g.rng);
                undecided += u64::from(extends.is_none());
                assert_ne!(
                    extends,
                    Some(false),
                    "seed {seed}: {} goes beyond {}",
                    g.store.display(result),
                    g.store.display(formula)
                );
            }
        }
    }
    assert!(undecided * 100 <= count, "{undecided} of {count} without a judgement");
}

#[test]
fn booleans() {
    check(Taste { bools: 5, depth: 3, ..PLAIN }, 0..2000);
}

#[test]
fn reals() {
    check(Taste { reals: 4, ..PLAIN }, 0..4000);
}

#[test]
fn reals_with_booleans_and_conditionals() {
    check(Taste { reals: 3, bools: 2, conditionals: true, ..PLAIN }, 0..3000);
}

#[test]
fn integers() {
    check(Taste { ints: 4, ..PLAIN }, 0..4000);
}

#[test]
fn integers_with_wide_coefficients() {
    check(Taste { ints: 3, coefficient: 9, constant: 30, ..PLAIN }, 0..3000);
}

#[test]
fn integers_with_division() {
    check(Taste { ints: 3, division: true, ..PLAIN }, 0..3000);
}

#[test]
fn integers_with_division_booleans_and_conditionals() {
    check(Taste { ints: 3, bools: 2, division: true, conditionals: true, ..PLAIN }, 0..3000);
}

#[test]
fn integers_and_reals() {
    check(Taste { ints: 2, reals: 2, bools: 1, ..PLAIN }, 0..2000);
}

#[test]
fn integers_and_reals_with_division() {
    check(Taste { ints: 2, reals: 2, division: true, conditionals: true, ..PLAIN }, 0..2000);
}

#[test]
fn reals_past_machine_words() {
    let wide = i64::MAX / 3;
    check(Taste { reals: 3, coefficient: wide, constant: wide, ..PLAIN }, 0..1000);
}

#[test]
fn integers_past_machine_words() {
    let wide = i64::MAX / 3;
    check(Taste { ints: 3, coefficient: wide, constant: wide, depth: 1, ..PLAIN }, 0..1000);
}

/// Only finitely many results exist: in models with huge values no number of the result is huge.
#[test]
fn values_of_the_model_do_not_enter_the_result() {
    let taste = Taste { ints: 2, reals: 1, bools: 1, division: true, conditionals: true, ..PLAIN };
    for taste in [taste, Taste { ints: 3, reals: 0, ..taste }, Taste { ints: 0, reals: 3, ..taste }] {
        for seed in 0..700 {
            let mut g = Generator::new(seed, taste);
            let mut formula = g.formula();
            let mut model = g.assignment();
            for var in g.numbers.clone() {
                let symbol = g.store.as_var(var).unwrap();
                let far = Rat::from(g.rng.range(-1_000_000..=1_000_000)) * Rat::from(1_000_000_000_000_i64);
                let value = model.get(symbol).unwrap().as_num().unwrap() + &far;
                model.insert(symbol, Value::Num(value));
            }
            if !holds(&g.store, formula, &model) {
                formula = !formula;
            }
            let eliminate = g.some_variables();
            let cube = Projector::new().project(&mut g.store, &[formula], &model, &eliminate).unwrap();
            let result = g.store.and(&cube);
            assert!(holds(&g.store, result, &model), "seed {seed}");
            let text = g.store.display(result).to_string();
            let longest = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
            assert!(longest < 9, "seed {seed}: {text}");
        }
    }
}

/// The literals of a full implicant are literals.
#[test]
fn full_implicants_are_cubes() {
    for seed in 0..1000 {
        let mut g = Generator::new(seed, Taste { ints: 2, bools: 3, depth: 3, ..PLAIN });
        let mut formula = g.formula();
        let model = g.assignment();
        if !holds(&g.store, formula, &model) {
            formula = !formula;
        }
        let cube = Projector::new().literals(&mut g.store, &[formula], &model).unwrap();
        for &literal in &cube {
            use shem_term::View;
            assert!(!matches!(g.store.view(literal), View::And(_) | View::Iff(..)));
            if let View::Le(poly, _) | View::Lt(poly, _) | View::Eq(poly, _) = g.store.view(literal) {
                let leaves = g.store.poly_terms(poly).iter().map(|term| term.leaf);
                assert!(leaves.into_iter().all(|leaf| !matches!(g.store.view(leaf), View::Ite(..))));
            }
            assert!(holds(&g.store, literal, &model));
        }
        let cube = g.store.and(&cube);
        let beyond = g.store.and2(cube, !formula);
        assert!(beyond == Term::FALSE || is_satisfiable(&mut g.store, beyond) == Some(false));
    }
}
