//! Templates over all sorts: an instance says what the formula says of the actual variables.

use shem_base::{Budget, Rng};
use shem_proof::check;
use shem_smt::{Answer, Model, Solver, Template, Variable};
use shem_term::{Store, Term};

use super::random::{Taste, Vocabulary};

/// Instances of random templates, with a second solver that is told the same by formulas.
#[test]
fn instances_of_templates_agree_with_formulas() {
    let mut counts = [0; 2];
    for seed in 0..shem_test_support::rounds(150) {
        let mut rng = Rng::new(7_000_000 + seed);
        let mut store = Store::new();
        let taste =
            Taste { functions: true, datatypes: rng.below(2) == 0, arrays: rng.below(2) == 0, numbers: true };
        let vocabulary = Vocabulary::new(&mut store, &mut rng, taste);
        let formals = vocabulary.variables.clone();
        let mut by_instances = Solver::new(Default::default());
        let mut by_formulas = Solver::new(Default::default());
        let actuals: Vec<Vec<Variable>> = (0..2)
            .map(|_| {
                formals.iter().map(|&formal| by_instances.fresh_of(&store, store.sort(formal))).collect()
            })
            .collect();
        for _ in 0..4 {
            let formula = vocabulary.formula(&mut store, &mut rng, 3);
            let template = Template::new(&mut store, formula, &formals);
            let actuals = &actuals[rng.below(2) as usize];
            let number = by_instances.instantiate(&mut store, &template, actuals);
            let same = by_instances.assertion(&mut store, number).expect("the instance is in force");
            by_formulas.assert(&mut store, same);
            let mut budget = Budget::unlimited();
            let sat = match by_instances.check(&mut store, &mut budget) {
                Answer::Sat(mut solution) => {
                    let model = solution.model();
                    // Variables that are no formals have no symbol in the model.
                    if store.free_variables(&[formula]).iter().all(|variable| formals.contains(variable)) {
                        holds(&store, same, &model);
                    }
                    true
                }
                Answer::Unsat(refutation) => {
                    let proof = refutation.proof().expect("there are no assumptions").expect("a derivation");
                    check(&proof, refutation.solver().atoms()).expect("the proof is right");
                    false
                }
                Answer::Unknown(reason) => panic!("{reason}"),
            };
            assert_eq!(by_formulas.check(&mut store, &mut budget).is_sat(), sat);
            counts[usize::from(sat)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

/// The formula holds in the model.
fn holds(store: &Store, formula: Term, model: &Model) {
    let value = store.evaluate(formula, &model.completed(store));
    assert_eq!(value.and_then(|value| value.as_bool()), Some(true), "{}", store.display(formula));
}
