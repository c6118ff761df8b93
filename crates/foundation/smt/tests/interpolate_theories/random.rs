//! Random problems, as sequences and as trees.

use std::collections::BTreeMap;

use shem_base::{Budget, Rng};
use shem_smt::interpolate::{InterpolationSystem, ItpError, ItpOptions, Partition};
use shem_smt::{Answer, Solver, SolverOptions, Template};
use shem_term::{Store, Term};
use shem_test_support::interpolants::{ALL_SYSTEMS, Judge};

use super::generator::{Flavour, Generator};

/// A number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn budget() -> Budget {
    Budget { conflicts: 2000, splits: 2000, pivots: 200_000, ..Budget::unlimited() }
}

/// How the problems went.
#[derive(Debug, Default)]
struct Share {
    refuted: usize,
    interpolated: usize,
    /// Why there was no interpolant, and how often.
    reasons: BTreeMap<String, usize>,
}

/// Interpolates random problems, all prefixes of groups, or the subtrees of a random tree.
fn random_problems(flavour: Flavour, seed: u64, trees: bool, instances: bool) -> Share {
    let mut rng = Rng::new(seed + setting("SHEM_SEED", 0));
    let mut share = Share::default();
    for round in 0..setting("SHEM_ROUNDS", 150) {
        let mut store = Store::new();
        let groups = 2 + rng.index(3);
        let mut generator = Generator::new(&mut store, &mut rng, flavour, groups);
        let formulas: Vec<Vec<Term>> = (0..groups).map(|group| generator.group(group)).collect();
        let mut parents: Vec<usize> =
            (0..groups - 1).map(|group| group + 1 + rng.index(groups - 1 - group)).collect();
        parents.push(groups - 1);
        let mut solver = Solver::new(SolverOptions::default());
        let mut partition = Partition::new(groups);
        for (group, members) in formulas.iter().enumerate() {
            for &formula in members {
                let number = if instances && rng.chance(50) {
                    let formals = store.free_variables(&[formula]);
                    let template = Template::new(&mut store, formula, &formals);
                    let actuals: Vec<_> = formals.iter().map(|&v| solver.variable(&mut store, v)).collect();
                    solver.instantiate(&mut store, &template, &actuals)
                } else {
                    solver.assert(&mut store, formula)
                };
                partition.assign(number, group);
            }
        }
        let Answer::Unsat(mut refutation) = solver.check(&mut store, &mut budget()) else { continue };
        share.refuted += 1;
        let mut all = true;
        for system in ALL_SYSTEMS {
            let options = ItpOptions { system, simplify: round % 2 == 0, ..ItpOptions::default() };
            if trees && system == InterpolationSystem::DualMcMillan {
                continue;
            }
            let found = if trees {
                refutation.tree_interpolants(&mut store, &partition, &parents, &options, &mut budget())
            } else {
                refutation.path_interpolants(&mut store, &partition, &options, &mut budget())
            };
            match found {
                Ok(found) if trees => Judge::new(&mut store).tree(&formulas, &parents, &found),
                Ok(found) => Judge::new(&mut store).path(&formulas, &found),
                Err(ItpError::Unknown(reason)) => {
                    all = false;
                    *share.reasons.entry(reason.to_string()).or_default() += 1;
                }
                Err(error) => panic!("seed {seed} round {round}: {error}"),
            }
        }
        share.interpolated += usize::from(all);
    }
    println!("{flavour:?}, trees {trees}, instances {instances}: {share:?}");
    share
}

/// Fails unless enough problems were refuted and this percentage of them was interpolated.
fn expect(share: &Share, percentage: usize) {
    assert!(share.refuted > 10, "{share:?}");
    assert!(share.interpolated * 100 >= share.refuted * percentage, "{share:?}");
}

#[test]
fn functions() {
    expect(&random_problems(Flavour::Functions, 1, false, false), 100);
    expect(&random_problems(Flavour::Functions, 2, true, false), 100);
    expect(&random_problems(Flavour::Functions, 3, false, true), 100);
}

#[test]
fn numbers() {
    expect(&random_problems(Flavour::Numbers, 4, false, false), 95);
    expect(&random_problems(Flavour::Numbers, 5, true, true), 95);
}

#[test]
fn bit_vectors() {
    for (width, seed) in [(1, 10), (3, 30), (5, 40)] {
        expect(&random_problems(Flavour::Bits(width), seed, false, false), 100);
        expect(&random_problems(Flavour::Bits(width), seed + 1, true, false), 100);
        expect(&random_problems(Flavour::Bits(width), seed + 2, false, true), 100);
    }
}

#[test]
fn functions_of_bit_vectors() {
    expect(&random_problems(Flavour::BitFunctions, 13, false, false), 70);
    expect(&random_problems(Flavour::BitFunctions, 14, true, true), 70);
}

#[test]
fn arrays_of_bit_vectors() {
    expect(&random_problems(Flavour::BitArrays, 15, false, false), 70);
    expect(&random_problems(Flavour::BitArrays, 16, true, true), 70);
}

#[test]
fn lists() {
    expect(&random_problems(Flavour::Lists, 6, false, false), 100);
    expect(&random_problems(Flavour::Lists, 7, true, true), 100);
}

#[test]
fn arrays() {
    expect(&random_problems(Flavour::Arrays, 8, false, false), 90);
    expect(&random_problems(Flavour::Arrays, 9, true, true), 90);
}
