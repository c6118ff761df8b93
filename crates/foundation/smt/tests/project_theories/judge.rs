//! Judges that share no code with projection.

use shem_base::Rng;
use shem_smt::Model;
use shem_term::{Store, Term};

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
/// they have in some model.
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
    None
}
