//! Measures projection: cubes of 20 literals over 10 variables, of which 5 are eliminated, beside one
//! satisfiability check of the same cube by a fresh scope of a running solver (with a limit, so that a few
//! hard cubes do not count for all).
//!
//! Prints the median times and the median of the ratios, for reals, integers, and integers with
//! divisibility.

#![expect(clippy::print_stdout, reason = "a measurement prints its result")]

use std::time::{Duration, Instant};

use shem_base::{Budget, Int, Rat, Rng};
use shem_smt::{Model, Solver, project::Projector};
use shem_term::{Sort, Store, Term, Value};

const CUBES: usize = 2000;
const LITERALS: usize = 20;

fn main() {
    for (name, sort, division) in
        [("reals", Sort::Real, false), ("integers", Sort::Int, false), ("divisibility", Sort::Int, true)]
    {
        let mut rng = Rng::new(1);
        let mut store = Store::new();
        let vars: Vec<Term> = (0..10).map(|i| store.variable(&format!("x{i}"), sort)).collect();
        let mut solver = Solver::new(Default::default());
        let mut projector = Projector::new();
        let (mut times, mut checks, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..CUBES {
            let model = random_model(&store, &mut rng, &vars);
            let cube: Vec<Term> = (0..LITERALS)
                .map(|_| random_literal(&mut store, &mut rng, &vars, &model, division))
                .collect();
            let start = Instant::now();
            solver.push();
            for &literal in &cube {
                solver.assert(&mut store, literal);
            }
            let mut budget = Budget { splits: 200, ..Budget::unlimited() };
            assert!(!solver.check(&mut store, &mut budget).is_unsat());
            solver.pop();
            let check = start.elapsed();
            let start = Instant::now();
            projector.project(&mut store, &cube, &model, &vars[..5]).expect("cubes are linear");
            let time = start.elapsed();
            ratios.push(time.as_secs_f64() / check.as_secs_f64());
            times.push(time);
            checks.push(check);
        }
        ratios.sort_by(f64::total_cmp);
        println!(
            "{name}: projection {:?}, check {:?}, ratio {:.2}",
            median(times),
            median(checks),
            ratios[CUBES / 2]
        );
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn random_model(store: &Store, rng: &mut Rng, vars: &[Term]) -> Model {
    let mut model = Model::default();
    for &var in vars {
        model.insert(store.as_var(var).expect("a variable"), Value::Num(Rat::from(rng.range(-20..=20))));
    }
    model
}

/// A literal over three variables that is true in the model.
fn random_literal(store: &mut Store, rng: &mut Rng, vars: &[Term], model: &Model, division: bool) -> Term {
    let sort = store.sort(vars[0]);
    let mut terms = Vec::new();
    for _ in 0..3 {
        terms.push((Rat::from(rng.range(-4..=4)), vars[rng.index(vars.len())]));
    }
    let sum = store.linear(&terms, &Rat::ZERO, sort);
    let atom = if division && rng.chance(25) {
        let offset = store.int(rng.range(0..=5));
        let sum = store.add(&[sum, offset]);
        store.divisible(&Int::from(rng.range(2..=4)), sum)
    } else {
        let bound = store.numeral(&Rat::from(rng.range(-40..=40)), sort);
        if rng.chance(5) { store.eq(sum, bound) } else { store.le(sum, bound) }
    };
    let holds = store.evaluate(atom, model).and_then(|v| v.as_bool()).expect("a formula");
    atom.xor(!holds)
}
