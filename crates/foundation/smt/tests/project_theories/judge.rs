//! Judges that share no code with projection.

use shem_base::{Budget, Rng};
use shem_smt::{Answer, Model, Solver};
use shem_term::{Role, Sort, Store, Substitution, Term};

/// Whether the formula is true under the assignment.
#[track_caller]
pub fn holds(store: &Store, formula: Term, model: &Model) -> bool {
    let value = store.evaluate(formula, &model.completed(store));
    value.expect("no quantifiers").as_bool().expect("a formula")
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

/// Whether some values of the open variables make the formula true under the assignment: by trying values that
/// they have in some model, then by a solver.
#[track_caller]
pub fn extends(
    store: &mut Store,
    formula: Term,
    model: &Model,
    models: &[Model],
    open: &[Term],
    rng: &mut Rng,
) -> Option<bool> {
    let mut attempt = model.clone();
    for _ in 0..100 {
        for &var in open {
            let symbol = store.as_var(var).expect("a variable");
            let value = models[rng.index(models.len())].value_or_default(store, symbol);
            attempt.insert(symbol, value);
        }
        if holds(store, formula, &attempt) {
            return Some(true);
        }
    }
    let instance = instance(store, formula, model, open)?;
    let mut solver = Solver::new(Default::default());
    solver.assert(store, instance);
    let mut budget = Budget { conflicts: 5_000, pivots: 20_000, splits: 500, ..Budget::unlimited() };
    match solver.check(store, &mut budget) {
        Answer::Sat(_) => Some(true),
        Answer::Unsat(_) => Some(false),
        Answer::Unknown(_) => None,
    }
}

/// The formula with the values of the model for all functions and all variables but these; `None` if the values have
/// no names. Where a selector meets another constructor, the value stays open.
fn instance(store: &mut Store, formula: Term, model: &Model, open: &[Term]) -> Option<Term> {
    let mut substitution = Substitution::new();
    for var in store.free_variables(&[formula]) {
        if matches!(store.sort(var), Sort::Declared(_)) {
            return None;
        }
        if !open.contains(&var) {
            let symbol = store.as_var(var)?;
            let value = model.value_or_default(store, symbol);
            let value = store.value_term(&value, store.sort(var));
            substitution.insert(symbol, value);
        }
    }
    let mut formula = store.substitute(formula, &substitution);
    // Innermost applications come first.
    loop {
        let mut terms = store.subterms(&[formula]).into_iter();
        let application = terms.find_map(|term| match store.as_app(term) {
            Some((symbol, Role::Function, args)) => Some((term, symbol, args.to_vec())),
            _ => None,
        });
        let Some((term, symbol, args)) = application else { return Some(formula) };
        let table = model.function(symbol)?;
        let sort = store.sort(term);
        let mut image = store.value_term(table.default(), sort);
        for (places, value) in table.entries() {
            let literals: Vec<Term> =
                args.iter().zip(places).map(|(&arg, place)| store.value_literal(arg, place)).collect();
            let condition = store.and(&literals);
            let value = store.value_term(value, sort);
            image = store.ite(condition, value, image);
        }
        formula = store.replace(formula, &[(term, image)]);
    }
}
