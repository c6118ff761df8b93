//! What switched-off lemmas cost: queries with 20 active lemma atoms, in a solver without others and in one
//! with 10,000 inactive ones beside them, alternating, and the ratio of the two. Run with `cargo bench -p
//! shem-smt --bench inactive`.
#![allow(clippy::print_stdout, reason = "a program that prints its measurements")]

use std::time::{Duration, Instant};

use shem_base::{Budget, Rat, Rng};
use shem_smt::{Group, Solver};
use shem_term::{Sort, Store, Term};

const VARIABLES: usize = 6;
const ACTIVE: usize = 20;
const INACTIVE: usize = 10_000;
const QUERIES: usize = 400;
const ROUNDS: usize = 25;

struct Setting {
    store: Store,
    solver: Solver,
    active: Vec<Group>,
    queries: Vec<[Term; 3]>,
}

/// A lemma atom: a bound on a sum of two or three variables.
fn atom(store: &mut Store, rng: &mut Rng, variables: &[Term]) -> Term {
    let terms: Vec<(Rat, Term)> = (0..rng.range(2..=3))
        .map(|_| (Rat::from(rng.range(-3..=3)), variables[rng.index(variables.len())]))
        .collect();
    let sum = store.linear(&terms, &Rat::ZERO, Sort::Int);
    let bound = store.int(rng.range(-50..=200));
    store.le(sum, bound)
}

fn setting(inactive: usize) -> Setting {
    let mut store = Store::new();
    let mut rng = Rng::new(7);
    let variables: Vec<Term> = (0..VARIABLES).map(|i| store.variable(&format!("x{i}"), Sort::Int)).collect();
    let mut solver = Solver::new(Default::default());
    for &x in &variables {
        let (low, high) = (store.int(-100), store.int(100));
        let (a, b) = (store.ge(x, low), store.le(x, high));
        solver.assert(&mut store, a);
        solver.assert(&mut store, b);
    }
    let lemma = |store: &mut Store, solver: &mut Solver, rng: &mut Rng| {
        let group = solver.new_group();
        let (a, b) = (atom(store, rng, &variables), atom(store, rng, &variables));
        let clause = store.or2(a, b);
        solver.assert_in_group(store, group, clause);
        group
    };
    // Two atoms a lemma; the active ones are the same in both settings.
    let active = (0..ACTIVE / 2).map(|_| lemma(&mut store, &mut solver, &mut rng)).collect();
    let mut others = Rng::new(11);
    for _ in 0..inactive / 2 {
        lemma(&mut store, &mut solver, &mut others);
    }
    let queries = (0..QUERIES)
        .map(|_| std::array::from_fn(|_| atom(&mut store, &mut rng, &variables).xor(rng.bool())))
        .collect();
    Setting { store, solver, active, queries }
}

fn run(setting: &mut Setting) -> (Duration, usize) {
    let Setting { store, solver, active, queries } = setting;
    let start = Instant::now();
    let mut sat = 0;
    for query in queries.iter() {
        sat += usize::from(solver.check_with(store, active, query, &mut Budget::unlimited()).is_sat());
    }
    (start.elapsed(), sat)
}

fn main() {
    let (mut without, mut with) = (setting(0), setting(INACTIVE));
    let (mut base, mut loaded) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let (a, sat_a) = run(&mut without);
        let (b, sat_b) = run(&mut with);
        assert_eq!(sat_a, sat_b, "the answers do not depend on inactive lemmas");
        base = base.min(a);
        loaded = loaded.min(b);
    }
    let micros = |d: Duration| d.as_secs_f64() * 1e6 / QUERIES as f64;
    println!("{ACTIVE} active atoms alone:          {:8.2} us a query", micros(base));
    println!("with {INACTIVE} inactive atoms:  {:8.2} us a query", micros(loaded));
    println!("ratio: {:.2}", loaded.as_secs_f64() / base.as_secs_f64());
}
