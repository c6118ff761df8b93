//! Judges that share no code with projection.

use shem_base::{Budget, Rat, Rng};
use shem_smt::{Answer, Model, Solver};
use shem_term::{Sort, Store, Substitution, Term, Value};

/// Whether the formula is true under the assignment.
#[track_caller]
pub fn holds(store: &Store, formula: Term, model: &Model) -> bool {
    store.evaluate(formula, &model.completed(store)).expect("no predicates").as_bool().expect("a formula")
}

/// The formula with all variables but these replaced by their values.
pub fn instance(store: &mut Store, formula: Term, model: &Model, open: &[Term]) -> Term {
    let mut substitution = Substitution::new();
    for var in store.free_variables(&[formula]) {
        if open.contains(&var) {
            continue;
        }
        let symbol = store.as_var(var).unwrap();
        let value = model.value_or_default(store, symbol);
        let value = store.value_term(&value, store.sort(var));
        substitution.insert(symbol, value);
    }
    store.substitute(formula, &substitution)
}

/// Whether the formula has a model, according to a solver of its own; `None` if that gives up.
#[track_caller]
pub fn is_satisfiable(store: &mut Store, formula: Term) -> Option<bool> {
    let mut solver = Solver::new(Default::default());
    solver.assert(store, formula);
    let mut budget = Budget { conflicts: 5_000, pivots: 20_000, splits: 500, ..Budget::unlimited() };
    match solver.check(store, &mut budget) {
        Answer::Sat(mut solution) => {
            let model = solution.model();
            assert!(holds(store, formula, &model), "the solver's model is wrong");
            Some(true)
        }
        Answer::Unsat(_) => Some(false),
        Answer::Unknown(_) => None,
    }
}

/// Whether some values of the open variables make the formula true under the assignment: by trying some,
/// then by a solver.
#[track_caller]
pub fn extends(
    store: &mut Store,
    formula: Term,
    model: &Model,
    open: &[Term],
    rng: &mut Rng,
) -> Option<bool> {
    let mut attempt = model.clone();
    for step in 0..200 {
        for &var in open {
            if step > 0 && rng.bool() {
                let range = 2 + step / 4;
                let value = match store.sort(var) {
                    Sort::Bool => Value::Bool(rng.bool()),
                    Sort::Int => Value::Num(Rat::from(rng.range(-range..=range))),
                    Sort::Real => Value::Num(Rat::new(rng.range(-4 * range..=4 * range), 4)),
                    _ => panic!("the variables are truth values and numbers"),
                };
                attempt.insert(store.as_var(var).unwrap(), value);
            }
        }
        if holds(store, formula, &attempt) {
            return Some(true);
        }
    }
    let instance = instance(store, formula, model, open);
    is_satisfiable(store, instance)
}

/// Asserts that the formula mentions none of the variables and nothing that the origin does not.
#[track_caller]
pub fn is_free_of(store: &Store, result: Term, origin: Term, eliminated: &[Term]) {
    let before = store.free_variables(&[origin]);
    for var in store.free_variables(&[result]) {
        assert!(!eliminated.contains(&var), "{} is left", store.display(var));
        assert!(before.contains(&var), "{} is new", store.display(var));
    }
}
