//! Times the arithmetic solver alone on tiny queries: assert a dozen bounds, check, backtrack.
#![allow(clippy::print_stdout, reason = "a program that prints its measurements")]

use std::time::Instant;

use shem_base::{Budget, Int, Lit, Rat, Rng, Var};
use shem_proof::Lemma;
use shem_smt::arith::{Arith, ArithOptions};
use shem_smt::theory::{Consistency, FinalCheck, Theory};

/// An atom with the linear form and the bound that it means.
type Known = (Lit, Vec<(usize, i64)>, i64);

fn main() {
    for (name, is_int, vars, forms, asserted) in [
        ("tiny int", true, 8, 20, 12),
        ("tiny real", false, 8, 20, 12),
        ("mid int", true, 24, 60, 50),
        ("mid real", false, 24, 60, 50),
    ] {
        for push in [false, true] {
            run(name, is_int, vars, forms, asserted, push);
        }
    }
}

fn run(name: &str, is_int: bool, vars: usize, forms: usize, asserted: usize, push: bool) {
    let mut rng = Rng::new(7);
    let mut arith = Arith::new(ArithOptions::default());
    let xs: Vec<_> = (0..vars).map(|_| arith.new_var(is_int)).collect();
    let mut next = 0;
    let make = |arith: &mut Arith, rng: &mut Rng, next: &mut u32, atoms: &mut Vec<Known>| {
        let mut terms: Vec<(usize, i64)> = Vec::new();
        for _ in 0..2 + rng.index(2) {
            let x = rng.index(vars);
            if terms.iter().all(|(y, _)| *y != x) {
                terms.push((x, if rng.chance(80) { *rng.pick(&[1, -1]) } else { rng.range(2..=4) }));
            }
        }
        terms.sort();
        if terms[0].1 < 0 {
            terms.iter_mut().for_each(|(_, c)| *c = -*c);
        }
        let gcd = terms.iter().fold(Int::ZERO, |g, (_, c)| g.gcd(&Int::from(*c)));
        let list: Vec<_> = terms.iter().map(|(x, c)| (xs[*x], Int::from(*c).div_exact(&gcd))).collect();
        let p = arith.poly(&list);
        for _ in 0..3 {
            let c = rng.range(-10..=10);
            if arith.atom(p, &Rat::from(c), false).is_none() {
                arith.register_atom(p, &Rat::from(c), false, Var::new(*next));
                let g = gcd.to_i64().unwrap_or(1);
                let scaled = terms.iter().map(|(x, k)| (*x, k / g)).collect();
                atoms.push((Var::new(*next).positive(), scaled, c));
                *next += 1;
            }
        }
    };
    let mut atoms = Vec::new();
    for _ in 0..forms {
        make(&mut arith, &mut rng, &mut next, &mut atoms);
    }
    let mut lemma = Lemma::default();
    let mut budget = Budget::unlimited();
    let cycles = if vars < 10 { 100_000 } else { 10_000 };
    let (mut sat, mut unsat, mut splits) = (0, 0, 0);
    let start = Instant::now();
    for _ in 0..cycles {
        let (base_atoms, base_next) = (atoms.len(), next);
        if push {
            arith.push();
            for _ in 0..3 {
                make(&mut arith, &mut rng, &mut next, &mut atoms);
            }
        }
        let point: Vec<i64> = (0..vars).map(|_| rng.range(-5..=5)).collect();
        let mut ok = true;
        for i in 0..asserted {
            let (lit, terms, c) = rng.pick(&atoms);
            let value: i64 = terms.iter().map(|(x, k)| k * point[*x]).sum();
            let flip = i + 1 == asserted && rng.bool();
            if !arith.assert_lit(lit.xor((value > *c) ^ flip), &mut lemma) {
                ok = false;
                break;
            }
            // As after unit propagation: a few bounds a check.
            if i % 3 == 2 {
                ok = arith.check(&mut lemma, &mut budget) == Consistency::Consistent;
                while arith.next_propagation().is_some() {}
                if !ok {
                    break;
                }
            }
        }
        let mut rounds = 0;
        while ok {
            match arith.final_check(Var::new(next), &mut lemma, &mut budget) {
                FinalCheck::Model => {
                    sat += 1;
                    break;
                }
                FinalCheck::Split(lit) => {
                    splits += 1;
                    rounds += 1;
                    next = next.max(lit.var().index() as u32 + 1);
                    ok = rounds < 10
                        && arith.assert_lit(lit, &mut lemma)
                        && arith.check(&mut lemma, &mut budget) == Consistency::Consistent;
                }
                _ => ok = false,
            }
        }
        unsat += u64::from(!ok);
        arith.backtrack(0);
        if push {
            arith.pop(Var::new(base_next));
            atoms.truncate(base_atoms);
            next = base_next;
        }
    }
    let time = start.elapsed();
    println!(
        "{name}{}: {:.2} us a cycle, {sat} sat, {unsat} unsat, {splits} splits",
        if push { " scoped" } else { "" },
        time.as_secs_f64() * 1e6 / f64::from(cycles)
    );
    println!("{}", arith.statistics());
}
