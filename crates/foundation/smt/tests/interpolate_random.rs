//! Random problems, interpolated with every combination of algorithms and judged.
//!
//! `SHEM_ROUNDS` sets the number of problems of each kind and `SHEM_SEED` where they start; with
//! `--nocapture` the counters of the interpolation are shown.

#![allow(clippy::print_stdout, reason = "counters are shown on request")]

mod judge;

use judge::{ALL_RULES, ALL_SYSTEMS, Judge};
use shem_base::{Budget, Int, Rat, Rng, Statistics};
use shem_smt::interpolate::{InterpolationSystem, ItpOptions, Partition, TheoryRule};
use shem_smt::{Answer, Solver, SolverOptions, Template};
use shem_term::{Sort, Store, Term};

/// What random problems are made of.
#[derive(Clone, Copy)]
struct Flavour {
    sort: Sort,
    /// Percentage of atoms that are divisibilities or have quotients.
    divisions: u64,
    conditionals: u64,
    coefficient: i64,
}

const LRA: Flavour = Flavour { sort: Sort::Real, divisions: 0, conditionals: 10, coefficient: 3 };
const LIA: Flavour = Flavour { sort: Sort::Int, divisions: 0, conditionals: 10, coefficient: 3 };
const DIVISIONS: Flavour = Flavour { sort: Sort::Int, divisions: 30, conditionals: 10, coefficient: 4 };

struct Generator<'a> {
    store: &'a mut Store,
    rng: &'a mut Rng,
    flavour: Flavour,
    numbers: Vec<Term>,
    bools: Vec<Term>,
}

impl Generator<'_> {
    /// The variables that one group may use: a window, so that neighbours share some.
    fn window(&mut self, all: &[Term], group: usize) -> Vec<Term> {
        let width = 2 + self.rng.index(3);
        (0..width).map(|i| all[(group + i) % all.len()]).collect()
    }

    fn sum(&mut self, vars: &[Term], conditional: bool) -> Term {
        let sort = self.flavour.sort;
        let size = 1 + self.rng.index(3);
        let bound = self.flavour.coefficient;
        let mut terms = Vec::new();
        for _ in 0..size {
            let var = vars[self.rng.index(vars.len())];
            let coeff = self.rng.range(-bound..=bound);
            if coeff != 0 {
                terms.push((Rat::from(coeff), var));
            }
        }
        let constant = Rat::from(self.rng.range(-3..=3));
        let mut sum = self.store.linear(&terms, &constant, sort);
        if conditional && self.rng.chance(self.flavour.conditionals) {
            let condition = self.formula(vars, 0);
            let other = self.sum(vars, false);
            sum = self.store.ite(condition, sum, other);
            if self.rng.bool() {
                let more = self.sum(vars, false);
                sum = self.store.add(&[sum, more]);
            }
        }
        if sort == Sort::Int && self.rng.chance(self.flavour.divisions) {
            let modulus = Int::from(self.rng.range(2..=4));
            sum = match self.rng.bool() {
                true => self.store.int_div(sum, &modulus),
                false => self.store.int_mod(sum, &modulus),
            };
        }
        sum
    }

    fn atom(&mut self, vars: &[Term], conditional: bool) -> Term {
        let sum = self.sum(vars, conditional);
        if self.flavour.sort == Sort::Int && self.rng.chance(self.flavour.divisions / 2) {
            let modulus = Int::from(self.rng.range(2..=5));
            return self.store.divisible(&modulus, sum).xor(self.rng.bool());
        }
        let other = self.sum(vars, false);
        match self.rng.index(5) {
            0 => self.store.eq(sum, other),
            1 => self.store.lt(sum, other),
            2 => !self.store.eq(sum, other),
            _ => self.store.le(sum, other),
        }
    }

    fn formula(&mut self, vars: &[Term], depth: usize) -> Term {
        if depth == 0 || self.rng.chance(30) {
            if self.rng.chance(15) {
                let index = self.rng.index(self.bools.len());
                return self.bools[index].xor(self.rng.bool());
            }
            return self.atom(vars, depth > 0);
        }
        let size = 2 + self.rng.index(2);
        let parts: Vec<Term> = (0..size).map(|_| self.formula(vars, depth - 1)).collect();
        match self.rng.index(4) {
            0 => self.store.and(&parts),
            1 => self.store.ite(parts[0], parts[1], !parts[0]),
            2 => self.store.iff(parts[0], parts[1]),
            _ => self.store.or(&parts),
        }
    }
}

/// Groups of formulas, mostly contradictory together.
fn problem(store: &mut Store, rng: &mut Rng, flavour: Flavour, groups: usize) -> Vec<Vec<Term>> {
    let numbers: Vec<Term> =
        (0..groups + 3).map(|i| store.variable(&format!("x{i}"), flavour.sort)).collect();
    let bools: Vec<Term> = (0..3).map(|i| store.variable(&format!("b{i}"), Sort::Bool)).collect();
    let mut generator = Generator { store, rng, flavour, numbers, bools };
    (0..groups)
        .map(|group| {
            let all = generator.numbers.clone();
            let vars = generator.window(&all, group);
            let count = 1 + generator.rng.index(4);
            (0..count)
                .map(|_| {
                    let depth = generator.rng.index(3);
                    generator.formula(&vars, depth)
                })
                .collect()
        })
        .collect()
}

/// A number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn rounds() -> usize {
    setting("SHEM_ROUNDS", 400) as usize
}

fn random(seed: u64) -> Rng {
    Rng::new(seed + setting("SHEM_SEED", 0))
}

fn budget() -> Budget {
    Budget { conflicts: 2000, splits: 2000, pivots: 200_000, ..Budget::unlimited() }
}

/// Interpolates random problems as paths; every prefix of groups is an A side. Formulas are asserted as they
/// are or, at random if `ways` is true, as instances of templates or in groups of the solver.
fn random_paths(flavour: Flavour, seed: u64, ways: bool) {
    let rounds = rounds();
    let mut rng = random(seed);
    let mut statistics = Statistics::default();
    let mut refuted = 0;
    for round in 0..rounds {
        let mut store = Store::new();
        let groups = 2 + rng.index(3);
        let formulas = problem(&mut store, &mut rng, flavour, groups);
        let mut solver = Solver::new(SolverOptions::default());
        let mut partition = Partition::new(groups);
        let mut switched = Vec::new();
        for (group, members) in formulas.iter().enumerate() {
            for &formula in members {
                let number = match if ways { rng.index(3) } else { 0 } {
                    0 => solver.assert(&mut store, formula),
                    1 => {
                        let formals = store.free_variables(&[formula]);
                        let template = Template::new(&mut store, formula, &formals);
                        let actuals: Vec<_> =
                            formals.iter().map(|&v| solver.variable(&mut store, v)).collect();
                        solver.instantiate(&mut store, &template, &actuals)
                    }
                    _ => {
                        switched.push(solver.new_group());
                        solver.assert_in_group(&mut store, switched[switched.len() - 1], formula)
                    }
                };
                partition.assign(number, group);
            }
        }
        let answer = solver.check_with(&mut store, &switched, &[], &mut budget());
        let Answer::Unsat(mut refutation) = answer else { continue };
        refuted += 1;
        for system in ALL_SYSTEMS {
            for theory in ALL_RULES {
                let (simplify, prune) = (round % 2 == 0, round % 8 < 2);
                let options = ItpOptions { system, theory, simplify, prune, ..ItpOptions::default() };
                let found = refutation.path_interpolants(&mut store, &partition, &options, &mut budget());
                let found = found.unwrap_or_else(|e| panic!("seed {seed} round {round}: {e}"));
                Judge::new(&mut store).path(&formulas, &found);
            }
        }
        statistics.merge_prefixed("", &solver.interpolation_statistics());
    }
    println!("{refuted} of {rounds} problems\n{statistics}");
    assert!(refuted * 5 > rounds, "only {refuted} of {rounds} problems are unsatisfiable");
}

#[test]
fn reals() {
    random_paths(LRA, 1, false);
}

#[test]
fn integers() {
    random_paths(LIA, 2, false);
}

#[test]
fn divisions() {
    random_paths(DIVISIONS, 3, false);
}

/// Symbols that stand only in the definitions of an instance or a group are symbols of it.
#[test]
fn instances_and_groups() {
    random_paths(LRA, 9, true);
    random_paths(LIA, 10, true);
    random_paths(DIVISIONS, 11, true);
}

/// Random trees, for the algorithms that suit them.
#[test]
fn trees() {
    let mut rng = random(4);
    for round in 0..rounds() {
        let flavour = [LRA, LIA, DIVISIONS][round % 3];
        let mut store = Store::new();
        let groups = 3 + rng.index(3);
        let formulas = problem(&mut store, &mut rng, flavour, groups);
        let mut parents: Vec<usize> =
            (0..groups - 1).map(|node| node + 1 + rng.index(groups - 1 - node)).collect();
        parents.push(groups - 1);
        let mut solver = Solver::new(SolverOptions::default());
        let mut partition = Partition::new(groups);
        for (group, members) in formulas.iter().enumerate() {
            for &formula in members {
                let number = solver.assert(&mut store, formula);
                partition.assign(number, group);
            }
        }
        let Answer::Unsat(mut refutation) = solver.check(&mut store, &mut budget()) else { continue };
        for system in [
            InterpolationSystem::McMillan,
            InterpolationSystem::Pudlak,
            InterpolationSystem::Occurrence,
            InterpolationSystem::ProofSensitive,
        ] {
            for theory in [TheoryRule::Farkas, TheoryRule::Decomposed] {
                let options = ItpOptions { system, theory, ..ItpOptions::default() };
                let found =
                    refutation.tree_interpolants(&mut store, &partition, &parents, &options, &mut budget());
                let found = found.unwrap_or_else(|e| panic!("round {round}: {e}"));
                Judge::new(&mut store).tree(&formulas, &parents, &found);
            }
        }
    }
}

/// One solver through many scopes, checks and assumptions; the split is chosen at random after each check.
#[test]
fn incremental_solvers() {
    for (seed, flavour) in [(5, LRA), (6, LIA), (7, DIVISIONS)] {
        let mut rng = random(seed);
        let mut refuted = 0;
        for _ in 0..rounds() / 32 {
            let mut store = Store::new();
            let numbers: Vec<Term> = (0..5).map(|i| store.variable(&format!("x{i}"), flavour.sort)).collect();
            let bools: Vec<Term> = (0..3).map(|i| store.variable(&format!("b{i}"), Sort::Bool)).collect();
            let mut solver = Solver::new(SolverOptions::default());
            let mut asserted: Vec<Term> = Vec::new();
            let mut marks = Vec::new();
            for _ in 0..60 {
                let (numbers, bools) = (numbers.clone(), bools.clone());
                let mut generator = Generator { store: &mut store, rng: &mut rng, flavour, numbers, bools };
                let all = generator.numbers.clone();
                let start = generator.rng.index(5);
                let vars = generator.window(&all, start);
                let depth = generator.rng.index(3);
                let formula = generator.formula(&vars, depth);
                let assumed = generator.formula(&vars, depth.min(1));
                let more = generator.formula(&all[..2], 0);
                match rng.index(6) {
                    0 => {
                        solver.push();
                        marks.push(asserted.len());
                    }
                    1 => {
                        if let Some(mark) = marks.pop() {
                            solver.pop();
                            asserted.truncate(mark);
                        }
                    }
                    2 | 3 => {
                        solver.assert(&mut store, formula);
                        asserted.push(formula);
                    }
                    _ => {
                        let assumptions = [assumed, more];
                        let answer = solver.check_assuming(&mut store, &assumptions, &mut budget());
                        let Answer::Unsat(mut refutation) = answer else { continue };
                        let mut partition = Partition::new(2);
                        let (mut a, mut b) = (Vec::new(), Vec::new());
                        for (number, &formula) in asserted.iter().enumerate() {
                            let group = rng.index(2);
                            partition.assign(number as u32, group);
                            if group == 0 { a.push(formula) } else { b.push(formula) }
                        }
                        for assumption in assumptions {
                            let group = rng.index(2);
                            partition.assign_assumption(assumption, group);
                            if group == 0 { a.push(assumption) } else { b.push(assumption) }
                        }
                        refuted += 1;
                        for system in ALL_SYSTEMS {
                            for theory in ALL_RULES {
                                let options = ItpOptions { system, theory, ..ItpOptions::default() };
                                let budget = &mut budget();
                                let found =
                                    refutation.path_interpolants(&mut store, &partition, &options, budget);
                                Judge::new(&mut store).binary(&a, &b, found.unwrap()[0]);
                            }
                        }
                        if marks.is_empty() {
                            break;
                        }
                    }
                }
            }
        }
        println!("seed {seed}: {refuted} unsatisfiable checks of incremental solvers");
        assert!(refuted * 32 > rounds());
    }
}

/// On conflicts of inequalities: decomposed implies Farkas implies dual Farkas implies dual decomposed.
#[test]
fn strength_of_the_rules() {
    let mut rng = random(8);
    let mut refuted = 0;
    for _ in 0..rounds() {
        let mut store = Store::new();
        let vars: Vec<Term> = (0..5).map(|i| store.variable(&format!("x{i}"), Sort::Real)).collect();
        let mut solver = Solver::new(SolverOptions::default());
        let mut a = Vec::new();
        let bools = vec![Term::TRUE];
        let flavour = Flavour { conditionals: 0, ..LRA };
        for number in 0..9 {
            let (sum, other) = {
                let numbers = vars.clone();
                let mut generator =
                    Generator { store: &mut store, rng: &mut rng, flavour, numbers, bools: bools.clone() };
                (generator.sum(&vars, false), generator.sum(&vars, false))
            };
            let atom = if rng.chance(20) { store.lt(sum, other) } else { store.le(sum, other) };
            solver.assert(&mut store, atom);
            if number % 2 == 0 {
                a.push(number);
            }
        }
        let answer = solver.check(&mut store, &mut Budget::unlimited());
        let Answer::Unsat(mut refutation) = answer else { continue };
        refuted += 1;
        let rules =
            [TheoryRule::Decomposed, TheoryRule::Farkas, TheoryRule::DualFarkas, TheoryRule::DualDecomposed];
        let found = rules.map(|theory| {
            let options = ItpOptions { theory, ..ItpOptions::default() };
            refutation.interpolant(&mut store, &a, &options, &mut Budget::unlimited()).unwrap()
        });
        for pair in found.windows(2) {
            Judge::new(&mut store).refute(&[pair[0], !pair[1]], "the order of strength is violated");
        }
    }
    assert!(refuted * 5 > rounds());
}
