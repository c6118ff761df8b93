//! Random sequences of assertions, backtracking and scopes against a fresh solver at every check.

use shem_base::{Rat, Rng, Var};

use super::driver::{Constraint, Driver, Outcome};
use crate::arith::ArithOptions;
use crate::theory::Theory;

/// What there was when a scope was opened.
struct Mark {
    vars: usize,
    constraints: usize,
    next_var: u32,
    trail: usize,
}

fn constraint(rng: &mut Rng, vars: usize) -> Constraint {
    let count = 1 + rng.index(3);
    let terms = (0..count).map(|_| (rng.index(vars), rng.range(-3..=3))).collect();
    Constraint { terms, constant: Rat::new(rng.range(-12..=12), rng.range(1..=2)), strict: rng.bool() }
}

fn negation(constraint: &Constraint) -> Constraint {
    Constraint {
        terms: constraint.terms.iter().map(|(x, c)| (*x, -c)).collect(),
        constant: -&constraint.constant,
        strict: !constraint.strict,
    }
}

/// `settles`: how many in a hundred steps without a scope settle what is asserted, if it has a model. Gives the number of
/// variables that were settled.
fn run(seed: u64, steps: usize, settles: u64, options: ArithOptions) -> usize {
    let mut rng = Rng::new(seed);
    let mut driver = Driver::new(options);
    driver.arith.set_seed(seed % 4);
    let mut sorts = Vec::new();
    let mut constraints: Vec<Constraint> = Vec::new();
    // The constraints asserted, in the order of the trail.
    let mut asserted: Vec<Constraint> = Vec::new();
    let mut scopes: Vec<Mark> = Vec::new();
    // How many literals are settled.
    let mut settled = 0;
    for _ in 0..3 {
        sorts.push(rng.chance(70));
        driver.new_var(*sorts.last().unwrap());
    }
    for _ in 0..steps {
        if scopes.is_empty() && settles > 0 && rng.chance(settles) {
            if rng.bool() && !constraints.is_empty() {
                // An equation has the best chances to settle.
                let chosen = Constraint { strict: false, ..rng.pick(&constraints).clone() };
                let opposite = Constraint { strict: false, ..negation(&chosen) };
                for constraint in [chosen, opposite] {
                    let Ok(lit) = driver.literal(&constraint) else { continue };
                    if driver.trail.contains(&lit) || driver.trail.contains(&!lit) {
                        continue;
                    }
                    let before = driver.trail.len();
                    if driver.assert(lit).unwrap() {
                        asserted.push(constraint);
                    } else {
                        driver.backtrack(before);
                    }
                }
            }
            if driver.settle() {
                settled = driver.trail.len();
            }
        }
        match rng.index(20) {
            0 if sorts.len() < 8 => {
                sorts.push(rng.chance(70));
                driver.new_var(*sorts.last().unwrap());
            }
            0..=4 => {
                let new = constraint(&mut rng, sorts.len());
                if driver.literal(&new).is_ok() {
                    constraints.push(new);
                }
            }
            5..=12 if !constraints.is_empty() => {
                let mut chosen = rng.pick(&constraints).clone();
                if rng.bool() {
                    chosen = negation(&chosen);
                }
                let Ok(lit) = driver.literal(&chosen) else { continue };
                if driver.trail.contains(&lit) || driver.trail.contains(&!lit) {
                    continue;
                }
                let before = driver.trail.len();
                if driver.assert(lit).unwrap() {
                    asserted.push(chosen);
                } else {
                    driver.backtrack(before.saturating_sub(rng.index(3)).max(settled));
                    asserted.truncate(driver.trail.len());
                }
            }
            13..=14 => {
                let count = driver.trail.len() - rng.index(4).min(driver.trail.len() - settled);
                driver.backtrack(count);
                asserted.truncate(count);
            }
            15 if scopes.len() < 4 => {
                scopes.push(Mark {
                    vars: sorts.len(),
                    constraints: constraints.len(),
                    next_var: driver.next_var,
                    trail: driver.trail.len(),
                });
                driver.arith.push();
            }
            16 if !scopes.is_empty() => {
                let mark = scopes.pop().unwrap();
                // Literals of older atoms may stay.
                let first = Var::new(mark.next_var);
                let old = driver.trail.iter().position(|lit| lit.var() >= first);
                let keep = old.unwrap_or(driver.trail.len()).min(mark.trail.max(rng.index(10)));
                assert!(keep >= settled);
                driver.backtrack(keep);
                asserted.truncate(keep);
                driver.arith.pop(first);
                driver.arith.check_invariants();
                driver.next_var = mark.next_var;
                sorts.truncate(mark.vars);
                driver.vars.truncate(mark.vars);
                constraints.truncate(mark.constraints);
            }
            17 if driver.next_var > 0 => {
                let var = Var::new(rng.index(driver.next_var as usize) as u32);
                driver.arith.set_dormant(var, rng.bool());
            }
            18..=19 => {
                let outcome = driver.search();
                let mut fresh = Driver::new(ArithOptions::default());
                sorts.iter().for_each(|is_int| fresh.new_var(*is_int));
                let expected = fresh.decide(&asserted);
                match (&outcome, &expected) {
                    (Outcome::Unknown(_), _) | (_, Outcome::Unknown(_)) => {}
                    _ => assert_eq!(
                        outcome == Outcome::Unsat,
                        expected == Outcome::Unsat,
                        "seed {seed}: {asserted:?}"
                    ),
                }
            }
            _ => {}
        }
    }
    driver.arith.simplex.settled()
}

#[test]
fn random_sequences() {
    for seed in 0..150 {
        run(seed, 200, 0, ArithOptions::default());
    }
}

#[test]
fn random_sequences_with_settled_facts() {
    let options = ArithOptions { settle_facts: true, ..ArithOptions::default() };
    let settled: usize = (2000..2300).map(|seed| run(seed, 200, 8, options.clone())).sum();
    assert!(settled > 200, "{settled} variables were settled");
    for seed in 3000..3100 {
        run(seed, 200, 8, ArithOptions { row_propagation: false, ..options.clone() });
    }
}

#[test]
fn random_sequences_without_row_propagation() {
    for seed in 1000..1150 {
        run(seed, 200, 0, ArithOptions { row_propagation: false, ..ArithOptions::default() });
    }
}
