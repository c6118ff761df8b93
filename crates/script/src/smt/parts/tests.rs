//! Several solvers against one: the same answers, models that hold, cores that have no model.

use shem_base::{Budget, Rng, StopToken};
use shem_smt::{Model, Solver, SolverOptions};
use shem_term::{Sort, Store, Term, Value};

use super::{Answer, Core, Cores, Cost, Query, solve};
use crate::smt::{Options, Outcome, run_text};

/// An answer without its solver.
enum Found {
    Sat(Model),
    Unsat(Core),
}

/// Decides a query with several solvers. That of the script has another one, which takes it long: the others have to decide.
fn decide(
    store: &mut Store,
    formulas: &[Term],
    assumptions: &[Term],
    (solvers, at_a_time): (usize, usize),
) -> (Found, Cost) {
    let stop = StopToken::new();
    let options = SolverOptions::default();
    let mut cost = Cost::default();
    let mut solver = Solver::new(options.clone());
    for formula in pigeons(store, "own", 12, 11) {
        solver.assert(store, formula);
    }
    let query = Query { formulas, assumptions, options, seed: 0, stop: &stop, split_after: 0 };
    let found = match solve((&mut solver, store), &query, Cores { solvers, at_a_time }, &mut cost) {
        Answer::Sat(model, _) => Found::Sat(model),
        Answer::Unsat(core, _) => Found::Unsat(core),
        // It may find that assumptions contradict each other.
        Answer::Own(shem_smt::Answer::Unsat(refutation)) => {
            Found::Unsat(Core { used: Vec::new(), assumptions: refutation.failed_assumptions() })
        }
        Answer::Own(answer) => panic!("the solver of the script says {answer}"),
        Answer::Unknown(reason, _) => panic!("{reason}"),
    };
    (found, cost)
}

/// Fails unless the answer is that of one solver and stands up to its check.
fn judge(store: &mut Store, formulas: &[Term], assumptions: &[Term], answer: &Found) {
    let all: Vec<Term> = formulas.iter().chain(assumptions).copied().collect();
    match answer {
        Found::Sat(model) => {
            for &formula in &all {
                let value = store.evaluate(formula, &model.completed(store));
                assert_eq!(value, Some(Value::Bool(true)), "{}", store.display(formula));
            }
        }
        Found::Unsat(Core { used, assumptions: failed }) => {
            assert!(failed.iter().all(|term| assumptions.contains(term)));
            let mut solver = Solver::new(SolverOptions::default());
            for &number in used {
                solver.assert(store, formulas[number as usize]);
            }
            assert!(solver.check_assuming(store, failed, &mut Budget::unlimited()).is_unsat());
        }
    }
}

/// Numbers from 1 to `holes`, all different, and a formula that has nothing to do with them.
fn pigeons(store: &mut Store, name: &str, count: usize, holes: i64) -> Vec<Term> {
    let pigeons: Vec<Term> = (0..count).map(|i| store.variable(&format!("{name}{i}"), Sort::Int)).collect();
    let (one, last) = (store.int(1), store.int(holes));
    let mut formulas = Vec::new();
    for (i, &pigeon) in pigeons.iter().enumerate() {
        let (low, high) = (store.ge(pigeon, one), store.le(pigeon, last));
        formulas.push(store.and(&[low, high]));
        for &other in &pigeons[..i] {
            let (less, greater) = (store.lt(pigeon, other), store.gt(pigeon, other));
            formulas.push(store.or(&[less, greater]));
        }
    }
    let free = store.variable("free", Sort::Int);
    formulas.push(store.gt(free, one));
    formulas
}

#[test]
fn parts_are_refuted_and_the_core_is_theirs() {
    let mut store = Store::new();
    let formulas = pigeons(&mut store, "p", 6, 5);
    let (answer, cost) = decide(&mut store, &formulas, &[], (4, 2));
    judge(&mut store, &formulas, &[], &answer);
    let Found::Unsat(Core { used, .. }) = answer else { panic!("it has a model") };
    assert!(!used.contains(&(formulas.len() as u32 - 1)), "the last formula is not needed");
    assert!(cost.parts > 1 && cost.work > cost.time, "{cost:?}");
}

#[test]
fn a_part_with_a_model_decides() {
    let mut store = Store::new();
    let formulas = pigeons(&mut store, "p", 6, 6);
    let (answer, _) = decide(&mut store, &formulas, &[], (3, 3));
    assert!(matches!(answer, Found::Sat(_)));
    judge(&mut store, &formulas, &[], &answer);
}

/// The number of cores changes nothing but the time that passes.
#[test]
fn the_same_on_any_number_of_cores() {
    let mut store = Store::new();
    let formulas = pigeons(&mut store, "p", 6, 5);
    let costs = [1, 2, 5].map(|at_a_time| {
        let (_, cost) = decide(&mut store, &formulas, &[], (5, at_a_time));
        (cost.time, cost.work, cost.parts, cost.clauses)
    });
    assert!(costs.iter().all(|cost| *cost == costs[0]), "{costs:?}");
}

/// Random formulas over truth values and numbers, with assumptions.
#[test]
fn random_queries() {
    let mut rng = Rng::new(17);
    let (mut sat, mut unsat) = (0, 0);
    for round in 0..40 {
        let mut store = Store::new();
        let booleans: Vec<Term> = (0..8).map(|i| store.variable(&format!("b{i}"), Sort::Bool)).collect();
        let sort = if round % 2 == 0 { Sort::Int } else { Sort::Real };
        let numbers: Vec<Term> = (0..5).map(|i| store.variable(&format!("x{i}"), sort)).collect();
        let mut literal = |store: &mut Store| {
            let term = match rng.below(2) {
                0 => booleans[rng.index(booleans.len())],
                _ => {
                    let (a, b) = (numbers[rng.index(numbers.len())], numbers[rng.index(numbers.len())]);
                    let bound = (rng.below(7) as i64 - 3).into();
                    let shifted = store.linear(&[(1.into(), b)], &bound, sort);
                    store.le(a, shifted)
                }
            };
            if rng.below(2) == 0 { term } else { !term }
        };
        let formulas: Vec<Term> = (0..46 + round)
            .map(|_| {
                let clause = [literal(&mut store), literal(&mut store), literal(&mut store)];
                store.or(&clause)
            })
            .collect();
        let assumptions: Vec<Term> = (0..2).map(|_| literal(&mut store)).collect();
        let (answer, _) = decide(&mut store, &formulas, &assumptions, (3, 2));
        judge(&mut store, &formulas, &assumptions, &answer);
        let mut solver = Solver::new(SolverOptions::default());
        for &formula in &formulas {
            solver.assert(&mut store, formula);
        }
        let alone = solver.check_assuming(&mut store, &assumptions, &mut Budget::unlimited());
        assert_eq!(alone.is_sat(), matches!(answer, Found::Sat(_)));
        *if alone.is_sat() { &mut sat } else { &mut unsat } += 1;
    }
    assert!(sat > 5 && unsat > 5, "{sat} and {unsat}");
}

/// Scopes, assumptions, cores, models and interpolants of a script whose queries are split.
#[test]
fn scripts_are_answered_as_by_one_solver() {
    let mut script = String::from("(set-option :produce-unsat-cores true)\n");
    for i in 0..6 {
        script +=
            &format!("(declare-const p{i} Int)(assert (! (and (<= 1 p{i}) (<= p{i} 6)) :named in{i}))\n");
        for j in 0..i {
            script += &format!("(assert (! (or (< p{i} p{j}) (> p{i} p{j})) :named d{i}{j}))\n");
        }
    }
    script += "(declare-const a Bool)(declare-const b Bool)(assert (! (=> a (< p0 p1 p2 6)) :named less))
        (push 1)(assert (! (and (< p0 6) (< p1 6) (< p2 6) (< p3 6) (< p4 6) (< p5 6)) :named few))(check-sat)
        (get-unsat-core)(get-interpolants in0 (and few less))(pop 1)
        (check-sat)(get-value (a))
        (assert (=> b (and (< p0 6) (< p1 6) (< p2 6) (< p3 6) (< p4 6) (< p5 6))))
        (check-sat-assuming (a b))(get-unsat-assumptions)";
    let run = |jobs: usize| {
        let options = Options {
            jobs,
            split_after: Some(0),
            check_models: true,
            check_cores: true,
            ..Options::default()
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let outcome = run_text("script", script.as_bytes(), &options, &mut out, &mut err);
        assert_eq!(outcome, Outcome::Completed, "{}", String::from_utf8_lossy(&err));
        String::from_utf8(out).expect("text")
    };
    let (alone, parts) = (run(1), run(3));
    let answers = |text: &str| -> Vec<String> {
        text.lines().filter(|line| matches!(*line, "sat" | "unsat")).map(str::to_owned).collect()
    };
    assert_eq!(answers(&alone), ["unsat", "sat", "unsat"]);
    assert_eq!(answers(&parts), answers(&alone));
    let core = parts.lines().nth(1).expect("a core");
    assert!(core.contains("few") && core.contains("in5") && !core.contains("less"), "{core}");
    assert!(parts.lines().last().is_some_and(|line| line.contains('b')), "{parts}");
}
