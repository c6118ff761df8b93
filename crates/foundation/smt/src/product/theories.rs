//! The theories of a solver, as one theory.

use shem_base::{Budget, Lit, Rat, Statistics, Var};
use shem_proof::Lemma;

use super::combination::Combination;
use crate::arith::{Arith, ArithOptions};
use crate::bits::{BitOptions, Words};
use crate::theory::{Consistency, FinalCheck, Theory};

/// The theories of a solver. Arithmetic is always there; whatever rests on congruence closure is built when the
/// first term of it is compiled, so that a problem of pure arithmetic pays one comparison for it.
#[derive(Debug, Default)]
pub struct Theories {
    /// Linear arithmetic.
    pub(crate) arith: Arith,
    /// Equality with functions, beside arithmetic.
    pub(crate) combination: Option<Box<Combination>>,
    /// The number of open scopes.
    scopes: usize,
}

impl Theories {
    /// Theories without variables.
    pub fn new(options: ArithOptions) -> Theories {
        Theories { arith: Arith::new(options), combination: None, scopes: 0 }
    }

    /// The combination, which is built if it is not there yet, and arithmetic.
    pub(crate) fn combine(&mut self) -> (&mut Combination, &mut Arith) {
        let Theories { arith, combination, scopes } = self;
        let combination = combination.get_or_insert_with(|| Box::new(Combination::new(arith, *scopes)));
        (combination, arith)
    }

    /// Prepares for words: the literal is always true.
    pub(crate) fn prepare_words(&mut self, truth: Lit, options: &BitOptions) {
        let scopes = self.scopes;
        let (combination, _) = self.combine();
        combination.words.get_or_insert_with(|| Box::new(Words::new(truth, options, scopes)));
    }

    /// Counters of the work done.
    pub(crate) fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::new();
        statistics.merge_prefixed("arith", &self.arith.statistics());
        if let Some(combination) = &self.combination {
            statistics.merge_prefixed("equality", &combination.report());
        }
        statistics
    }
}

impl Theory for Theories {
    fn start(&mut self) {
        self.arith.start();
    }

    fn settle(&mut self, count: usize) {
        // With a combination the order of its literals is not that of arithmetic's.
        if self.combination.is_none() {
            self.arith.settle(count);
        }
    }

    #[inline]
    fn assert_lit(&mut self, lit: Lit, lemma: &mut Lemma) -> bool {
        match &mut self.combination {
            None => self.arith.assert_lit(lit, lemma),
            Some(combination) => combination.assert_lit(&mut self.arith, lit, lemma),
        }
    }

    #[inline]
    fn check(&mut self, lemma: &mut Lemma, budget: &mut Budget) -> Consistency {
        if let Some(combination) = &mut self.combination
            && combination.close(lemma) == Consistency::Conflict
        {
            return Consistency::Conflict;
        }
        self.arith.check(lemma, budget)
    }

    #[inline]
    fn next_propagation(&mut self) -> Option<Lit> {
        if let Some(combination) = &mut self.combination
            && let Some(lit) = combination.next_propagation()
        {
            return Some(lit);
        }
        self.arith.next_propagation()
    }

    fn explain(&mut self, lit: Lit, lemma: &mut Lemma) {
        if let Some(combination) = &mut self.combination
            && let Some(node) = combination.atom(lit.var())
        {
            return combination.explain(node, lit, lemma);
        }
        self.arith.explain(lit, lemma);
    }

    fn read_assignment(&mut self, is_true: &dyn Fn(Lit) -> bool) {
        if let Some(words) = self.combination.as_mut().and_then(|combination| combination.words.as_mut()) {
            words.read_values(is_true);
        }
    }

    fn final_check(&mut self, next_var: Var, lemma: &mut Lemma, budget: &mut Budget) -> FinalCheck {
        match (self.arith.final_check(next_var, lemma, budget), &mut self.combination) {
            (FinalCheck::Model, Some(combination)) => {
                combination.final_check(&mut self.arith, next_var, lemma, budget)
            }
            (outcome, _) => outcome,
        }
    }

    #[inline]
    fn backtrack(&mut self, count: usize) {
        match &mut self.combination {
            None => self.arith.backtrack(count),
            Some(combination) => combination.backtrack(&mut self.arith, count),
        }
    }

    fn suggest_phase(&self, var: Var) -> Option<bool> {
        if let Some(combination) = &self.combination
            && let Some(node) = combination.atom(var)
        {
            return combination.suggest_phase(&self.arith, node);
        }
        self.arith.suggest_phase(var)
    }

    /// The sides of an equation of integers may, beside functions and arrays: bounds `x <= c` where there is one of
    /// `x <= c - 1` or `x <= c + 1`, too. (A bound of a real number may hold in the candidate model and yet not in the
    /// model that is made of it, since the value of the infinitesimal is chosen for the bounds in force.)
    fn may_wait(&self, var: Var) -> bool {
        self.combination.is_some()
            && self.arith.meaning(var).is_some_and(|(x, upper, _)| {
                let has = |bound: Rat| self.arith.atom(x, &bound, false).is_some();
                self.arith.is_int(x) && (has(&upper.real - &Rat::ONE) || has(&upper.real + &Rat::ONE))
            })
    }

    fn holds_in_model(&self, lit: Lit) -> bool {
        self.combination.is_some()
            && self.arith.meaning(lit.var()).is_some_and(|(x, ..)| self.arith.is_int(x))
            && self.arith.suggest_phase(lit.var()) == Some(lit.is_positive())
    }

    #[inline]
    fn set_active(&mut self, var: Var, active: bool) {
        if let Some(combination) = &mut self.combination
            && let Some(node) = combination.atom(var)
        {
            return combination.set_active(node, active);
        }
        self.arith.set_active(var, active);
    }

    fn lemma_scope(&self, lemma: &Lemma) -> u32 {
        match &self.combination {
            Some(combination) => combination.depth_of(&lemma.nodes),
            None => 0,
        }
    }

    fn push(&mut self) {
        self.scopes += 1;
        self.arith.push();
        if let Some(combination) = &mut self.combination {
            combination.push();
        }
    }

    fn pop(&mut self, first_var: Var) {
        self.scopes -= 1;
        self.arith.pop(first_var);
        if let Some(combination) = &mut self.combination {
            combination.pop(first_var);
        }
    }
}
