//! The theories of a solver, as one theory.

use shem_base::{Budget, Lit, Var};
use shem_proof::Lemma;

use crate::arith::{Arith, ArithOptions};
use crate::theory::{Consistency, FinalCheck, Theory};

/// The theories of a solver. A theory is built when the first term of it is compiled; arithmetic is always there.
#[derive(Debug, Default)]
pub struct Theories {
    /// Linear arithmetic.
    pub(crate) arith: Arith,
}

impl Theories {
    /// Theories without variables.
    pub fn new(options: ArithOptions) -> Theories {
        Theories { arith: Arith::new(options) }
    }
}

impl Theory for Theories {
    fn start(&mut self) {
        self.arith.start();
    }

    #[inline]
    fn assert_lit(&mut self, lit: Lit, lemma: &mut Lemma) -> bool {
        self.arith.assert_lit(lit, lemma)
    }

    #[inline]
    fn check(&mut self, lemma: &mut Lemma, budget: &mut Budget) -> Consistency {
        self.arith.check(lemma, budget)
    }

    #[inline]
    fn next_propagation(&mut self) -> Option<Lit> {
        self.arith.next_propagation()
    }

    fn explain(&mut self, lit: Lit, lemma: &mut Lemma) {
        self.arith.explain(lit, lemma);
    }

    fn final_check(&mut self, next_var: Var, lemma: &mut Lemma, budget: &mut Budget) -> FinalCheck {
        self.arith.final_check(next_var, lemma, budget)
    }

    #[inline]
    fn backtrack(&mut self, count: usize) {
        self.arith.backtrack(count);
    }

    fn suggest_phase(&self, var: Var) -> Option<bool> {
        self.arith.suggest_phase(var)
    }

    #[inline]
    fn set_active(&mut self, var: Var, active: bool) {
        self.arith.set_active(var, active);
    }

    fn push(&mut self) {
        self.arith.push();
    }

    fn pop(&mut self, first_var: Var) {
        self.arith.pop(first_var);
    }
}
