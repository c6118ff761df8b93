//! A solver whose answers are judged.

use shem_base::{Budget, Rng};
use shem_justify::{Assertion, Premises, check_refutation};
use shem_proof::check;
use shem_smt::{Answer, Group, Solver, Status};
use shem_term::{Store, Term};

/// A solver beside the formulas that are asserted.
pub struct Session {
    pub store: Store,
    pub solver: Solver,
    asserted: Vec<Term>,
    /// All formulas by the numbers that the solver has for them, those of groups included.
    numbered: Vec<Assertion>,
    groups: Vec<(Group, Vec<Term>)>,
    /// The lengths of the three lists at each open scope.
    marks: Vec<[usize; 3]>,
}

impl Session {
    pub fn new(store: Store) -> Session {
        let solver = Solver::new(Default::default());
        Session {
            store,
            solver,
            asserted: Vec::new(),
            numbered: Vec::new(),
            marks: Vec::new(),
            groups: Vec::new(),
        }
    }

    pub fn assert(&mut self, formula: Term) {
        let number = self.solver.assert(&mut self.store, formula);
        assert_eq!(number as usize, self.numbered.len());
        self.numbered.push(formula.into());
        self.asserted.push(formula);
    }

    pub fn add_group(&mut self, formulas: &[Term]) {
        let group = self.solver.new_group();
        for &formula in formulas {
            self.solver.assert_in_group(&mut self.store, group, formula);
            self.numbered.push(Assertion { formula, guard: Some(self.solver.guard(group)) });
        }
        self.groups.push((group, formulas.to_vec()));
    }

    pub fn push(&mut self) {
        self.solver.push();
        self.marks.push([self.asserted.len(), self.numbered.len(), self.groups.len()]);
    }

    pub fn pop(&mut self) {
        self.solver.pop();
        let [asserted, numbered, groups] = self.marks.pop().expect("a scope is open");
        self.asserted.truncate(asserted);
        self.numbered.truncate(numbered);
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
        let Session { store, solver, asserted, numbered, groups, .. } = self;
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
                    let solver = refutation.solver();
                    let guards: Vec<_> = handles.iter().map(|&group| solver.guard(group)).collect();
                    let premises = Premises { assertions: numbered, assumptions, guards: &guards };
                    let judged = check_refutation(store, &proof, solver, premises);
                    judged.expect("the refutation starts from the assertions");
                }
                Status::Unsat
            }
            Answer::Unknown(reason) => Status::Unknown(reason),
        }
    }
}
