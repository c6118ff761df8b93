//! Random conjunctions against independent decision procedures.

use shem_base::{Rat, Rng};

use super::driver::{Constraint, Driver, Outcome, holds};
use crate::arith::ArithOptions;

fn random_constraint(rng: &mut Rng, vars: usize, size: i64, strict: bool) -> Constraint {
    let count = 1 + rng.index(3);
    let terms = (0..count).map(|_| (rng.index(vars), rng.range(-size..=size))).collect();
    let constant = Rat::new(rng.range(-3 * size..=3 * size), if strict { rng.range(1..=2) } else { 1 });
    Constraint { terms, constant, strict: strict && rng.bool() }
}

/// Whether the constraints have a solution over the reals, by Fourier and Motzkin's elimination.
fn fourier_motzkin(constraints: &[Constraint], vars: usize) -> bool {
    let mut system: Vec<(Vec<Rat>, Rat, bool)> = Vec::new();
    for constraint in constraints {
        let mut row = vec![Rat::ZERO; vars];
        for (x, c) in &constraint.terms {
            row[*x] += &Rat::from(*c);
        }
        system.push((row, constraint.constant.clone(), constraint.strict));
    }
    for x in 0..vars {
        let (mut upper, mut lower, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for (mut row, mut constant, strict) in system {
            let coeff = row[x].clone();
            if coeff.is_zero() {
                rest.push((row, constant, strict));
                continue;
            }
            let factor = coeff.abs().recip();
            row.iter_mut().for_each(|c| *c *= &factor);
            constant *= &factor;
            if coeff.is_positive() { &mut upper } else { &mut lower }.push((row, constant, strict));
        }
        for (a, c, s) in &upper {
            for (b, d, t) in &lower {
                let row: Vec<Rat> = a.iter().zip(b).map(|(a, b)| a + b).collect();
                rest.push((row, c + d, *s || *t));
            }
        }
        rest.sort();
        rest.dedup();
        system = rest;
    }
    system.iter().all(|(_, constant, strict)| constant.is_positive() || constant.is_zero() && !strict)
}

/// Whether the constraints have an integer solution in the box.
fn enumerate(constraints: &[Constraint], vars: usize, bound: i64) -> bool {
    let mut point = vec![-bound; vars];
    loop {
        let values: Vec<Rat> = point.iter().map(|v| Rat::from(*v)).collect();
        if constraints.iter().all(|c| holds(c, &values)) {
            return true;
        }
        let mut i = 0;
        while i < vars && point[i] == bound {
            point[i] = -bound;
            i += 1;
        }
        if i == vars {
            return false;
        }
        point[i] += 1;
    }
}

fn options() -> Vec<ArithOptions> {
    vec![
        ArithOptions::default(),
        ArithOptions { row_propagation: false, cut_period: 1, ..ArithOptions::default() },
        ArithOptions { cuts: false, ..ArithOptions::default() },
    ]
}

#[test]
fn reals_agree_with_fourier_motzkin() {
    let mut rng = Rng::new(1);
    let mut sat = 0;
    for round in 0..1500 {
        let vars = 1 + rng.index(4);
        let count = 1 + rng.index(7);
        let constraints: Vec<Constraint> =
            (0..count).map(|_| random_constraint(&mut rng, vars, 4, true)).collect();
        let expected = fourier_motzkin(&constraints, vars);
        let mut driver = Driver::new(options()[round % 2].clone());
        (0..vars).for_each(|_| driver.new_var(false));
        let outcome = driver.decide(&constraints);
        assert_eq!(matches!(outcome, Outcome::Sat(_)), expected, "{constraints:?} {outcome:?}");
        assert!(!matches!(outcome, Outcome::Unknown(_)));
        sat += usize::from(expected);
    }
    assert!((300..1200).contains(&sat), "{sat} of the problems have a solution");
}

#[test]
fn integers_agree_with_enumeration() {
    let mut rng = Rng::new(2);
    let mut sat = 0;
    for round in 0..1500 {
        let vars = 1 + rng.index(4);
        let count = 2 + rng.index(6);
        let mut constraints: Vec<Constraint> =
            (0..count).map(|_| random_constraint(&mut rng, vars, 7, round % 3 == 0)).collect();
        if rng.bool() {
            // An equality.
            let mut other = constraints[0].clone();
            other.terms.iter_mut().for_each(|(_, c)| *c = -*c);
            other.constant = -other.constant;
            constraints.push(other);
        }
        for x in 0..vars {
            for sign in [1, -1] {
                constraints.push(Constraint {
                    terms: vec![(x, sign)],
                    constant: Rat::from(3),
                    strict: false,
                });
            }
        }
        let expected = enumerate(&constraints, vars, 3);
        let mut driver = Driver::new(options()[round % 3].clone());
        (0..vars).for_each(|_| driver.new_var(true));
        let outcome = driver.decide(&constraints);
        assert_eq!(matches!(outcome, Outcome::Sat(_)), expected, "{constraints:?} {outcome:?}");
        assert!(!matches!(outcome, Outcome::Unknown(_)));
        sat += usize::from(expected);
    }
    assert!((200..1300).contains(&sat), "{sat} of the problems have a solution");
}

/// Integer points of a box for the first variables, elimination for the others.
#[test]
fn mixed_problems_agree_with_enumeration_and_elimination() {
    let mut rng = Rng::new(3);
    let mut sat = 0;
    for round in 0..600 {
        let (ints, reals) = (1 + rng.index(2), 1 + rng.index(2));
        let vars = ints + reals;
        let count = 2 + rng.index(6);
        let mut constraints: Vec<Constraint> =
            (0..count).map(|_| random_constraint(&mut rng, vars, 5, true)).collect();
        for x in 0..ints {
            for sign in [1, -1] {
                constraints.push(Constraint {
                    terms: vec![(x, sign)],
                    constant: Rat::from(2),
                    strict: false,
                });
            }
        }
        let points: Vec<Vec<i64>> = match ints {
            1 => (-2..=2).map(|a| vec![a]).collect(),
            _ => (-2..=2).flat_map(|a| (-2..=2).map(move |b| vec![a, b])).collect(),
        };
        let expected = points.iter().any(|point| {
            let mut fixed = constraints.clone();
            for (x, v) in point.iter().enumerate() {
                for sign in [1, -1] {
                    fixed.push(Constraint {
                        terms: vec![(x, sign)],
                        constant: Rat::from(sign * v),
                        strict: false,
                    });
                }
            }
            fourier_motzkin(&fixed, vars)
        });
        let mut driver = Driver::new(options()[round % 3].clone());
        (0..vars).for_each(|x| driver.new_var(x < ints));
        let outcome = driver.decide(&constraints);
        assert_eq!(matches!(outcome, Outcome::Sat(_)), expected, "{constraints:?} {outcome:?}");
        sat += usize::from(expected);
    }
    assert!((100..550).contains(&sat), "{sat} of the problems have a solution");
}

/// Unbounded integer problems with a planted solution are satisfiable, and the same with the parity of a
/// sum of multiples broken are not.
#[test]
fn unbounded_integers_end() {
    let mut rng = Rng::new(4);
    let mut unknown = 0;
    for round in 0..400 {
        let vars = 2 + rng.index(4);
        let planted: Vec<i64> = (0..vars).map(|_| rng.range(-50..=50)).collect();
        let mut constraints = Vec::new();
        for _ in 0..2 + rng.index(4) {
            let terms: Vec<(usize, i64)> = (0..vars)
                .map(|x| (x, rng.range(-12..=9).max(-9)))
                .filter(|(x, _)| (x + round) % 4 != 0)
                .collect();
            let value: i64 = terms.iter().map(|(x, c)| c * planted[*x]).sum();
            let room = rng.range(0..=2);
            let negated = terms.iter().map(|(x, c)| (*x, -c)).collect();
            constraints.push(Constraint { terms, constant: Rat::from(value + room), strict: false });
            if rng.bool() {
                let room = rng.range(0..=2);
                constraints.push(Constraint {
                    terms: negated,
                    constant: Rat::from(room - value),
                    strict: false,
                });
            }
        }
        let mut driver = Driver::new(options()[round % 2].clone());
        driver.strict = false;
        (0..vars).for_each(|_| driver.new_var(true));
        match driver.decide(&constraints) {
            Outcome::Sat(_) => {}
            Outcome::Unsat => panic!("{constraints:?} has the solution {planted:?}"),
            Outcome::Unknown(_) => unknown += 1,
        }
    }
    assert_eq!(unknown, 0, "of 400 problems");
}
