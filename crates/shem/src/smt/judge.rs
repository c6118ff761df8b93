//! Second opinions: models are evaluated, cores are solved again.

use shem_base::Budget;
use shem_smt::{Answer, Model, Solver, SolverOptions};
use shem_term::{Store, Term, Value};

/// Fails, in words, unless all formulas are true in the model.
pub(super) fn check_model(
    store: &Store,
    model: &Model,
    formulas: impl Iterator<Item = Term>,
) -> Result<(), String> {
    let assignment = model.completed(store);
    for formula in formulas {
        match store.evaluate(formula, &assignment) {
            Some(Value::Bool(true)) => {}
            Some(_) => return Err(format!("the model makes an assertion false: {}", shown(store, formula))),
            None => return Err(format!("the model gives an assertion no value: {}", shown(store, formula))),
        }
    }
    Ok(())
}

/// Fails, in words, if a new solver finds a model of the formulas. That it gives up is no failure.
pub(super) fn check_core(store: &mut Store, formulas: &[Term]) -> Result<(), String> {
    let mut solver = Solver::new(SolverOptions::default());
    for &formula in formulas {
        solver.assert(store, formula);
    }
    match solver.check(store, &mut Budget::unlimited()) {
        Answer::Sat => Err("the unsatisfiable core has a model".to_owned()),
        Answer::Unsat | Answer::Unknown(_) => Ok(()),
    }
}

/// The formula, cut to a length that fits a message.
fn shown(store: &Store, formula: Term) -> String {
    store.display(formula).to_string().chars().take(200).collect()
}
