//! Decisions that wait for the theory's model.
//!
//! Arithmetic satisfies a disequality `x ≠ y` of numbers by one of its sides, `x < y` or `x > y`. To decide which one is
//! a choice that most models make by themselves: if a clause wants it because the equation is false, and the values of
//! the candidate model differ, then the clause holds in the model although its sides are open. So atoms of which the
//! theory says that they may wait (see [`Theory::may_wait`]) are not decided when their turn comes. They stand in a list,
//! and once there is nothing else to decide, and again after each final check that found a model, one is decided if an
//! input clause that watches it neither stands (see `decide`) nor has a literal that is true in the candidate model. It
//! is what others do who keep disequalities out of the simplex, without a second kind of atom.
//!
//! An atom of the list that gets a value comes back to the heap when it loses it, as all do; the list is only looked
//! through when the heap is empty, each time from where it was left.

use super::core::Sat;
use super::trail::{OPEN, TRUE};
use crate::theory::Theory;
use shem_base::{Lit, Var};
use shem_proof::ProofSink;

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// Has an open variable wait for the model of the theory if it may. Returns whether it does.
    pub(super) fn waits(&mut self, var: Var) -> bool {
        let state = &self.vars[var.index()];
        if !state.is_theory || state.is_wanted || self.leaves_dormant || self.propositional.active {
            return false;
        }
        if !self.theory.may_wait(var) {
            return false;
        }
        // A propagation to it is as good as before.
        self.set_active(var, true);
        if !std::mem::replace(&mut self.vars[var.index()].is_later, true) {
            self.later.push(var);
        }
        true
    }

    /// Of those that wait: a literal that has to be decided because the model leaves a clause of it open.
    pub(super) fn choose_late(&mut self) -> Option<Lit> {
        // How many in a row need not be decided by now.
        let mut standing = 0;
        while standing < self.later.len() {
            let at = self.next_late % self.later.len();
            let var = self.later[at];
            let state = &self.vars[var.index()];
            let may_be_decided = state.uses > 0 && self.trail.is_open(var) && !self.elimination.is_gone(var);
            let propositional = self.propositional.active;
            if may_be_decided && !propositional && self.stands_in_model(var) {
                standing += 1;
                self.next_late = at + 1;
                continue;
            }
            self.later.swap_remove(at);
            self.vars[var.index()].is_later = false;
            // The order has changed.
            standing = 0;
            if may_be_decided && (propositional || self.needs_decision(var)) {
                self.next_late = at;
                return Some(self.decision(var));
            }
        }
        None
    }

    /// Whether all input clauses that watch the open variable have a true literal, or one that is true by default or in
    /// the candidate model of the theory.
    fn stands_in_model(&self, var: Var) -> bool {
        let stands = |lit: Lit| self.trail.value(lit) == TRUE || self.is_default(lit) || self.holds_late(lit);
        [var.positive(), var.negative()].into_iter().all(|lit| {
            let stands_here = stands(lit);
            let mut inputs = self.watches.list(lit).iter().filter(|watch| !watch.is_learnt());
            inputs.all(|watch| {
                stands_here
                    || stands(watch.blocker)
                    || (!watch.is_binary() && self.clauses.lits(watch.clause()).any(stands))
            })
        })
    }

    /// Whether the literal of an open atom is true in the candidate model of the theory.
    fn holds_late(&self, lit: Lit) -> bool {
        self.trail.value(lit) == OPEN
            && self.vars[lit.var().index()].is_theory
            && self.theory.holds_in_model(lit)
    }
}
