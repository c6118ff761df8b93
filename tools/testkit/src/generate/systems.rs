//! Integer systems that bounds alone do not decide: Diophantine equations, parities, knapsacks.

use super::numbers;
use super::outline::{command, declare};
use crate::rng::Rng;
use crate::sexpr::Sexpr;
use crate::sorts::Sort;

fn header(rng: &mut Rng, prefix: &str, count: usize) -> (Vec<Sexpr>, Vec<String>) {
    let names: Vec<_> = (0..count).map(|number| format!("{prefix}{number}")).collect();
    let mut commands = vec![command("set-logic", &["QF_LIA"])];
    commands.extend(names.iter().map(|name| declare(rng, name, Sort::Int)));
    (commands, names)
}

fn assert(formula: Sexpr) -> Sexpr {
    Sexpr::app("assert", [formula])
}

fn check() -> Sexpr {
    command("check-sat", &[])
}

/// The sum of products of coefficients and names; a missing sum is 0.
fn sum(coefficients: &[i64], names: &[String]) -> Sexpr {
    let mut parts: Vec<_> = coefficients
        .iter()
        .zip(names)
        .filter(|&(&coefficient, _)| coefficient != 0)
        .map(|(&coefficient, name)| match coefficient {
            1 => Sexpr::atom(name.as_str()),
            _ => Sexpr::app("*", [numbers::literal(coefficient), Sexpr::atom(name.as_str())]),
        })
        .collect();
    match parts.len() {
        0 => numbers::literal(0),
        1 => parts.remove(0),
        _ => Sexpr::app("+", parts),
    }
}

/// Equations over unbounded integers, with or without a planted solution, then inequalities,
/// disequalities and divisibility on top.
pub fn diophantine(rng: &mut Rng) -> Vec<Sexpr> {
    let count = if rng.chance(10) { 8 } else { 2 + rng.below(5) };
    let (mut commands, names) = header(rng, "d", count);
    let size = *rng.pick(&[3, 9, 9, 30, 1_000]);
    let solution: Vec<_> = (0..count).map(|_| rng.range(-20, 20)).collect();
    let planted = rng.chance(60);
    let row = |rng: &mut Rng| -> Vec<i64> {
        (0..count).map(|_| if rng.chance(65) { rng.range(-size, size) } else { 0 }).collect()
    };
    for _ in 0..1 + rng.below(count) {
        let coefficients = row(rng);
        let value: i64 = coefficients.iter().zip(&solution).map(|(a, x)| a * x).sum();
        let right = if planted { value } else { value + rng.range(-3, 3) };
        commands.push(assert(Sexpr::app("=", [sum(&coefficients, &names), numbers::literal(right)])));
        if rng.chance(30) {
            commands.push(check());
        }
    }
    commands.push(check());
    for _ in 0..rng.below(3) {
        commands.push(command("push", &["1"]));
        for _ in 0..1 + rng.below(2) {
            let coefficients = row(rng);
            let left = sum(&coefficients, &names);
            let right = numbers::literal(rng.range(-30, 30));
            let name = Sexpr::atom(rng.pick(&names).as_str());
            commands.push(assert(match rng.below(5) {
                0 => Sexpr::app("<=", [left, right]),
                1 => Sexpr::app("not", [Sexpr::app("=", [left, right])]),
                2 => Sexpr::app("=", [left, right]),
                3 => {
                    let modulus = rng.range(2, 12);
                    let remainder = numbers::literal(rng.range(0, modulus));
                    Sexpr::app("=", [Sexpr::app("mod", [left, numbers::literal(modulus)]), remainder])
                }
                _ => Sexpr::app(">", [name, right]),
            }));
        }
        commands.push(check());
        commands.push(command("pop", &["1"]));
    }
    if rng.chance(50) {
        commands.push(check());
    }
    commands
}

/// Classes modulo small numbers, joined by equations and disjunctions: no bound helps.
pub fn parity(rng: &mut Rng) -> Vec<Sexpr> {
    let count = 2 + rng.below(3);
    let (mut commands, names) = header(rng, "x", count);
    let mut witnesses = 0;
    // That a number lies in a class is said with a fresh witness, with mod or with divisibility.
    let mut class = |rng: &mut Rng, commands: &mut Vec<Sexpr>, term: Sexpr, modulus: i64| {
        let remainder = rng.range(0, modulus - 1);
        match rng.below(4) {
            0 | 1 => {
                let name = format!("w{witnesses}");
                witnesses += 1;
                commands.push(declare(rng, &name, Sort::Int));
                let product = Sexpr::app("*", [numbers::literal(modulus), Sexpr::atom(name)]);
                Sexpr::app("=", [term, Sexpr::app("+", [product, numbers::literal(remainder)])])
            }
            2 => {
                let left = Sexpr::app("mod", [term, numbers::literal(modulus)]);
                Sexpr::app("=", [left, numbers::literal(remainder)])
            }
            _ => {
                let index = ["_", "divisible", &modulus.to_string()].map(Sexpr::atom);
                let shifted = Sexpr::app("-", [term, numbers::literal(remainder)]);
                Sexpr::List(vec![Sexpr::List(index.into()), shifted])
            }
        }
    };
    let moduli = [2, 2, 3, 4, 6, 5, 12];
    for name in &names {
        let (first, second) = (*rng.pick(&moduli), *rng.pick(&moduli));
        let mut formula = class(rng, &mut commands, Sexpr::atom(name.as_str()), first);
        if rng.chance(40) {
            let other = class(rng, &mut commands, Sexpr::atom(name.as_str()), second);
            let head = *rng.pick(&["or", "and", "xor"]);
            formula = Sexpr::app(head, [formula, other]);
        }
        commands.push(assert(formula));
    }
    commands.push(check());
    for _ in 0..1 + rng.below(3) {
        commands.push(command("push", &["1"]));
        let coefficients: Vec<_> = names.iter().map(|_| rng.range(-3, 3)).collect();
        let modulus = *rng.pick(&moduli);
        let formula = if rng.chance(60) {
            class(rng, &mut commands, sum(&coefficients, &names), modulus)
        } else {
            Sexpr::app("=", [sum(&coefficients, &names), numbers::literal(rng.range(-9, 9))])
        };
        commands.push(assert(formula));
        commands.push(check());
        if rng.chance(70) {
            commands.push(command("pop", &["1"]));
        }
    }
    commands
}

/// Bounded numbers with one or two dense equations: work for branching and cuts.
pub fn knapsack(rng: &mut Rng) -> Vec<Sexpr> {
    let count = if rng.chance(15) { 8 } else { 2 + rng.below(4) };
    let (mut commands, names) = header(rng, "k", count);
    let high = *rng.pick(&[1, 2, 5, 10]);
    for name in &names {
        let name = Sexpr::atom(name.as_str());
        commands.push(assert(Sexpr::app("<=", [numbers::literal(0), name, numbers::literal(high)])));
    }
    let size = *rng.pick(&[10, 30, 100]);
    let weights: Vec<_> = names.iter().map(|_| rng.range(2, size)).collect();
    let values: Vec<_> = names.iter().map(|_| rng.range(-size, size)).collect();
    let most: i64 = weights.iter().sum::<i64>() * high;
    for _ in 0..1 + rng.below(3) {
        commands.push(command("push", &["1"]));
        let target = numbers::literal(rng.range(0, most));
        commands.push(assert(Sexpr::app("=", [sum(&weights, &names), target])));
        if rng.chance(50) {
            commands.push(check());
        }
        let floor = numbers::literal(rng.range(-size, size * high));
        let head = *rng.pick(&[">=", "<", "=", "distinct"]);
        commands.push(assert(Sexpr::app(head, [sum(&values, &names), floor])));
        commands.push(check());
        commands.push(command("pop", &["1"]));
    }
    commands.push(check());
    commands
}
