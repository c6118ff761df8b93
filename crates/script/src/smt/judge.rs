//! Checks of answers: models are evaluated, cores are solved again and the new proof is checked.

use shem_base::Budget;
use shem_justify::{Assertion, Premises, check_refutation};
use shem_smt::{Answer, Model, Refutation, Solver, SolverOptions};
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

/// Fails, in words, if a new solver finds a model of the formulas, or if its proof that there is none is refused.
/// That it gives up is no failure.
pub(super) fn check_core(store: &mut Store, formulas: &[Term]) -> Result<(), String> {
    let mut solver = Solver::new(SolverOptions::default());
    for &formula in formulas {
        solver.assert(store, formula);
    }
    match solver.check(store, &mut Budget::unlimited()) {
        Answer::Sat(_) => Err("the unsatisfiable core has a model".to_owned()),
        Answer::Unknown(_) => Ok(()),
        Answer::Unsat(refutation) => check_proof(store, &refutation, formulas)
            .map_err(|error| format!("the proof that the core has no model is refused: {error}")),
    }
}

/// Fails, in words, unless the solver's proof refutes the formulas, which were asserted in this order.
fn check_proof(store: &mut Store, refutation: &Refutation<'_>, formulas: &[Term]) -> Result<(), String> {
    let proof = refutation.proof().ok_or("there is none")?.map_err(|error| error.to_string())?;
    let assertions: Vec<Assertion> = formulas.iter().map(|&formula| formula.into()).collect();
    let premises = Premises { assertions: &assertions, ..Premises::default() };
    check_refutation(store, &proof, refutation.solver(), premises).map_err(|error| error.to_string())
}

/// The formula, cut to a length that fits a message.
fn shown(store: &Store, formula: Term) -> String {
    store.display(formula).to_string().chars().take(200).collect()
}

/// Fails, in words, unless the formulas are tree interpolants of the groups: with those of its children, each
/// group implies its own (the last one implies falsehood), and each has only variables and functions that occur both in
/// its subtree and outside of it. That a solver gives up is no failure.
pub(super) fn check_interpolants(
    store: &mut Store,
    groups: &[Vec<Term>],
    parents: &[usize],
    interpolants: &[Term],
) -> Result<(), String> {
    let root = groups.len() - 1;
    let mut subtrees: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
    for (node, group) in groups.iter().enumerate() {
        subtrees[node].push(node);
        let mut step = group.clone();
        for child in (0..node).filter(|&child| parents[child] == node) {
            step.push(interpolants[child]);
            let below = subtrees[child].clone();
            subtrees[node].extend(below);
        }
        if node < root {
            step.push(!interpolants[node]);
            let inside = |other: &usize| subtrees[node].contains(other);
            let side = |wanted: bool| -> Vec<Term> {
                (0..=root)
                    .filter(|other| inside(other) == wanted)
                    .flat_map(|other| groups[other].clone())
                    .collect()
            };
            let (left, right) = (store.free_variables(&side(true)), store.free_variables(&side(false)));
            for variable in store.free_variables(&[interpolants[node]]) {
                if left.binary_search(&variable).is_err() || right.binary_search(&variable).is_err() {
                    return Err(format!("an interpolant mentions {}", shown(store, variable)));
                }
            }
            let (left, right) = (store.predicates(&side(true)), store.predicates(&side(false)));
            for function in store.predicates(&[interpolants[node]]) {
                if left.binary_search(&function).is_err() || right.binary_search(&function).is_err() {
                    return Err(format!("an interpolant mentions {}", store.name(function)));
                }
            }
        }
        if check_core(store, &step).is_err() {
            return Err(format!("interpolant {node} does not follow"));
        }
    }
    Ok(())
}
