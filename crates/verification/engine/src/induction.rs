//! k-inductive invariants: a certificate, and the way to an invariant that is inductive in one step.
//!
//! A formula F is *k-inductive* if it holds in the first k states of every run, and in every state that comes
//! after k states in a row in which it holds. It is made inductive in one step by k − 1 interpolants, without
//! quantifiers: let A(x) say that x is initial, or that F holds in x and in a predecessor of x, and B(x) that
//! k − 1 steps lead from x to a state outside F with F in between. A and B contradict each other, since F is
//! k-inductive, and F together with an interpolant of A and B is (k − 1)-inductive: the interpolant holds in
//! initial states and after any two states of F in a row, and excludes what k-induction needed its first state
//! for. The invariant is over the same symbols, and usually of modest size.

use shem_base::Budget;
use shem_chc::TransitionSystem;
use shem_proof::NoProof;
use shem_smt::interpolate::ItpOptions;
use shem_smt::{Answer, Solver, Status};
use shem_term::{Store, Term};

use crate::reason::{CertificateError, WitnessError};
use crate::steps::Steps;
use crate::verdict::Certificate;

/// A formula over the state that is claimed to be k-inductive and to exclude the bad states.
#[derive(Clone, Debug)]
pub struct KInductive {
    /// The transition system.
    pub system: TransitionSystem,
    /// The formula, without auxiliary variables.
    pub formula: Term,
    /// The depth of induction, at least 1.
    pub k: usize,
}

impl Certificate for KInductive {
    fn parts(&self) -> usize {
        2
    }

    fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        if part == 0 { self.check_base(store, budget) } else { self.check_step(store, budget) }
    }

    fn k_inductive(&self) -> Option<&KInductive> {
        Some(self)
    }
}

impl KInductive {
    /// The base, and that bad states are excluded.
    fn check_base(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        let mut steps = Steps::new(store, &self.system);
        let mut solver = refuter();
        let both = store.and2(self.formula, self.system.bad);
        solver.assert(store, both);
        expect_unsat(&solver.check(store, budget), "the formula admits a bad state")?;
        let mut solver = refuter();
        solver.assert(store, self.system.initial);
        // One part of the formula at a time: many small queries are easier than one that may choose among the parts.
        let parts = store.conjuncts(self.formula);
        for step in 0..self.k {
            for &part in &parts {
                let outside = steps.at(store, !part, step);
                let answer = solver.check_assuming(store, &[outside], budget);
                expect_unsat(&answer, "the formula fails near the initial states")?;
            }
            let transition = steps.transition(store, step);
            solver.assert(store, transition);
        }
        Ok(())
    }

    fn check_step(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        let mut steps = Steps::new(store, &self.system);
        let mut solver = refuter();
        for step in 0..self.k {
            let inside = steps.at(store, self.formula, step);
            solver.assert(store, inside);
            let transition = steps.transition(store, step);
            solver.assert(store, transition);
        }
        for part in store.conjuncts(self.formula) {
            let outside = steps.at(store, !part, self.k);
            let answer = solver.check_assuming(store, &[outside], budget);
            expect_unsat(&answer, "the formula is not k-inductive")?;
        }
        Ok(())
    }
}

/// A solver for checks whose only answer is yes or no: it records no proof.
pub(crate) fn refuter() -> Solver<NoProof> {
    Solver::with_proof(Default::default(), NoProof)
}

/// A certificate needs the answer unsat; otherwise this is wrong with it.
pub(crate) fn expect_unsat<P>(
    answer: &Answer<'_, P>,
    otherwise: &'static str,
) -> Result<(), CertificateError> {
    match answer.status() {
        Status::Unsat => Ok(()),
        Status::Sat => Err(CertificateError::wrong(otherwise)),
        Status::Unknown(reason) => Err(reason.into()),
    }
}

impl KInductive {
    /// An inductive invariant that implies the formula.
    pub fn invariant(&self, store: &mut Store, budget: &mut Budget) -> Result<Term, WitnessError> {
        let mut steps = Steps::new(store, &self.system);
        let mut formula = self.formula;
        for k in (2..=self.k).rev() {
            let interpolant = reduce(store, &mut steps, formula, k, budget)?;
            formula = store.and2(formula, interpolant);
        }
        Ok(formula)
    }
}

/// The interpolant that makes a k-inductive formula (k − 1)-inductive.
fn reduce(
    store: &mut Store,
    steps: &mut Steps,
    formula: Term,
    k: usize,
    budget: &mut Budget,
) -> Result<Term, WitnessError> {
    let mut solver = Solver::new(Default::default());
    let initial = steps.system().initial;
    let initial = steps.at(store, initial, 1);
    let transition = steps.transition(store, 0);
    let before = store.and2(transition, formula);
    let a = store.or2(initial, before);
    let inside = steps.at(store, formula, 1);
    let a = store.and2(a, inside);
    let a = solver.assert(store, a);
    for step in 1..k {
        let transition = steps.transition(store, step);
        solver.assert(store, transition);
        let next = steps.at(store, if step + 1 == k { !formula } else { formula }, step + 1);
        solver.assert(store, next);
    }
    let mut refutation = match solver.check(store, budget) {
        Answer::Unsat(refutation) => refutation,
        Answer::Sat(_) => return Err(WitnessError::broken("the formula is not k-inductive")),
        Answer::Unknown(reason) => return Err(reason.into()),
    };
    let interpolant = refutation.interpolant(store, &[a], &ItpOptions::default(), budget)?;
    let state = steps.state(store, 1).to_vec();
    let own = steps.system().state.clone();
    Ok(store.rename(interpolant, &state, &own))
}
