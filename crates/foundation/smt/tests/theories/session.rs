//! A solver whose answers are judged.

use shem_base::{Budget, Rng};
use shem_proof::check;
use shem_smt::{Answer, Group, Solver, Status};
use shem_term::{Store, Term};

/// A solver beside the formulas that are asserted.
pub struct Session {
    pub store: Store,
    pub solver: Solver,
    asserted: Vec<Term>,
    groups: Vec<(Group, Vec<Term>)>,
    /// The numbers of formulas and groups at each open scope.
    marks: Vec<(usize, usize)>,
}

impl Session {
    pub fn new(store: Store) -> Session {
        let solver = Solver::new(Default::default());
        Session { store, solver, asserted: Vec::new(), marks: Vec::new(), groups: Vec::new() }
    }

    pub fn assert(&mut self, formula: Term) {
        self.solver.assert(&mut self.store, formula);
        self.asserted.push(formula);
    }

    pub fn add_group(&mut self, formulas: &[Term]) {
        let group = self.solver.new_group();
        for &formula in formulas {
            self.solver.assert_in_group(&mut self.store, group, formula);
        }
        self.groups.push((group, formulas.to_vec()));
    }

    pub fn push(&mut self) {
        self.solver.push();
        self.marks.push((self.asserted.len(), self.groups.len()));
    }

    pub fn pop(&mut self) {
        self.solver.pop();
        let (asserted, groups) = self.marks.pop().expect("a scope is open");
        self.asserted.truncate(asserted);
        self.groups.truncate(groups);
    }

    pub fn depth(&self) -> usize {
        self.marks.len()
    }

    pub fn check(&mut self) -> Status {
        self.check_with(&[], &[])
    }

    pub fn check_assuming(&mut self, assumptions: &[Term]) -> Status {
        self.check_with(&[], assumptions)
    }

    /// Decides with about half of the groups.
    pub fn check_some_groups(&mut self, rng: &mut Rng, assumptions: &[Term]) -> Status {
        let chosen: Vec<usize> = (0..self.groups.len()).filter(|_| rng.below(2) == 0).collect();
        self.check_with(&chosen, assumptions)
    }

    /// Decides and judges the answer.
    fn check_with(&mut self, chosen: &[usize], assumptions: &[Term]) -> Status {
        let Session { store, solver, asserted, groups, .. } = self;
        let mut budget = Budget::unlimited();
        budget.conflicts = 20_000;
        let handles: Vec<Group> = chosen.iter().map(|&index| groups[index].0).collect();
        match solver.check_with(store, &handles, assumptions, &mut budget) {
            Answer::Sat(mut solution) => {
                let model = solution.model();
                let grouped = chosen.iter().flat_map(|&index| &groups[index].1);
                for &formula in asserted.iter().chain(assumptions).chain(grouped) {
                    let value = store.evaluate(formula, &model.completed(store));
                    let value = value.and_then(|value| value.as_bool());
                    assert_eq!(value, Some(true), "{} under {model:?}", store.display(formula));
                }
                Status::Sat
            }
            Answer::Unsat(refutation) => {
                if let Some(proof) = refutation.proof() {
                    let proof = proof.expect("the record is a derivation");
                    check(&proof, refutation.solver().atoms()).expect("the proof is right");
                }
                Status::Unsat
            }
            Answer::Unknown(reason) => Status::Unknown(reason),
        }
    }
}
