//! The solver of the checkers: formulas that have to contradict each other.
//!
//! A refutation counts only if the checker of proofs accepts its proof, from the formulas as they were asserted. That
//! formulas have a model is not confirmed: it only makes a certificate wrong.

use shem_base::Budget;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use super::error::CertificateError;
use crate::refute::check_proof;

/// Formulas that are asserted in scopes, and whether they contradict each other.
pub(super) struct Refuter {
    solver: Solver,
    /// The assertions by the numbers that proofs have for them.
    asserted: Vec<Term>,
    /// How many assertions there were when each open scope was opened.
    marks: Vec<usize>,
}

impl Refuter {
    /// No formulas.
    pub(super) fn new() -> Refuter {
        Refuter { solver: Solver::new(Default::default()), asserted: Vec::new(), marks: Vec::new() }
    }

    /// Asserts a formula.
    pub(super) fn assert(&mut self, store: &mut Store, formula: Term) {
        // A negated element may be a conjunction of conjunctions that share parts.
        for conjunct in store.conjuncts(formula) {
            self.solver.assert(store, conjunct);
            self.asserted.push(conjunct);
        }
    }

    /// Opens a scope.
    pub(super) fn push(&mut self) {
        self.solver.push();
        self.marks.push(self.asserted.len());
    }

    /// Closes the last scope: its assertions are gone.
    pub(super) fn pop(&mut self) {
        self.solver.pop();
        self.asserted.truncate(self.marks.pop().expect("a scope is open"));
    }

    /// Whether the assertions and the assumptions contradict each other.
    pub(super) fn is_refuted(
        &mut self,
        store: &mut Store,
        assumptions: &[Term],
        budget: &mut Budget,
    ) -> Result<bool, CertificateError> {
        if assumptions.contains(&Term::FALSE) {
            return Ok(true);
        }
        match self.solver.check_assuming(store, assumptions, budget) {
            Answer::Sat(_) => Ok(false),
            Answer::Unknown(reason) => Err(reason.into()),
            Answer::Unsat(refutation) => {
                let judged = check_proof(store, &refutation, &self.asserted, assumptions);
                judged.map(|()| true).map_err(|error| {
                    CertificateError::wrong(format!("the proof of a refutation was refused: {error}"))
                })
            }
        }
    }

    /// The assertions and the assumptions contradict each other; otherwise this is wrong with the certificate.
    pub(super) fn expect_refuted(
        &mut self,
        store: &mut Store,
        assumptions: &[Term],
        otherwise: &'static str,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        if self.is_refuted(store, assumptions, budget)? {
            return Ok(());
        }
        Err(CertificateError::wrong(otherwise))
    }
}

/// Whether the formulas contradict each other.
pub(super) fn contradict(
    store: &mut Store,
    formulas: &[Term],
    budget: &mut Budget,
) -> Result<bool, CertificateError> {
    let mut refuter = Refuter::new();
    for &formula in formulas {
        refuter.assert(store, formula);
    }
    refuter.is_refuted(store, &[], budget)
}

/// The formulas contradict each other; otherwise this is wrong with the certificate.
pub(super) fn expect_contradiction(
    store: &mut Store,
    formulas: &[Term],
    otherwise: &'static str,
    budget: &mut Budget,
) -> Result<(), CertificateError> {
    if contradict(store, formulas, budget)? { Ok(()) } else { Err(CertificateError::wrong(otherwise)) }
}
