//! A k-inductive formula.
//!
//! **Claim.** A formula F over the state holds in the first k states of every run, and in every state that comes after k
//! states in a row in which it holds; no bad state is in F.
//!
//! **Why that suffices.** By induction F holds in all states of all runs, so none of them is bad.

use shem_base::Budget;
use shem_chc::{Steps, TransitionSystem};
use shem_term::{Store, Term};

use super::check_variables;
use super::error::CertificateError;
use super::refuter::{Refuter, expect_contradiction};

/// A formula over the state that is claimed to be k-inductive and to exclude the bad states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KInductive {
    /// The formula, without auxiliary variables.
    pub formula: Term,
    /// The depth of induction, at least 1.
    pub k: usize,
}

impl KInductive {
    pub(super) const PARTS: usize = 2;

    pub(super) fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        system: &TransitionSystem,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        if self.k == 0 {
            return Err(CertificateError::wrong("induction needs a step"));
        }
        let other = "the formula is about something else than the state";
        check_variables(store, &[self.formula], &[&system.state], other)?;
        if part == 0 {
            self.check_base(store, system, budget)
        } else {
            self.check_step(store, system, budget)
        }
    }

    /// The base, and that bad states are excluded.
    fn check_base(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        expect_contradiction(store, &[self.formula, system.bad], "the formula admits a bad state", budget)?;
        let mut steps = Steps::new(store, system);
        let mut refuter = Refuter::new();
        refuter.assert(store, system.initial);
        // One part of the formula at a time: many small queries are easier than one that may choose among the parts.
        let parts = store.conjuncts(self.formula);
        for step in 0..self.k {
            for &part in &parts {
                let outside = steps.at(store, !part, step);
                let otherwise = "the formula fails near the initial states";
                refuter.expect_refuted(store, &[outside], otherwise, budget)?;
                // It follows from what is asserted, and later queries need it.
                refuter.assert(store, !outside);
            }
            budget.check_stop()?;
            let transition = steps.transition(store, step);
            refuter.assert(store, transition);
        }
        Ok(())
    }

    fn check_step(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let mut steps = Steps::new(store, system);
        let mut refuter = Refuter::new();
        // Longer and longer paths that end outside of a part of the formula: what a query teaches the solver serves the
        // next, and many parts need few steps.
        let mut parts = store.conjuncts(self.formula);
        for step in (0..self.k).rev() {
            let transition = steps.transition(store, step);
            refuter.assert(store, transition);
            let inside = steps.at(store, self.formula, step);
            refuter.assert(store, inside);
            let mut open = Vec::new();
            for part in parts {
                budget.check_stop()?;
                let outside = steps.at(store, !part, self.k);
                if !refuter.is_refuted(store, &[outside], budget)? {
                    open.push(part);
                }
            }
            parts = open;
        }
        if !parts.is_empty() {
            return Err(CertificateError::wrong("the formula is not k-inductive"));
        }
        Ok(())
    }
}
