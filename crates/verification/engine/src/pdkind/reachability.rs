//! The interface between the two halves of PD-KIND.

use shem_base::{Budget, Statistics, UnknownReason};
use shem_term::{Store, Term};

use super::trace::Trace;
use crate::port::Standing;

/// The answer to a question of bounded reachability.
#[derive(Clone, Debug)]
pub enum Reach {
    /// A state of the target is reached, by this trace.
    Path(Trace),
    /// No state of the target is reached within the bound: this formula over the state holds in all states
    /// that are, and excludes the target.
    Blocked(Term),
}

/// An engine that answers questions of bounded reachability.
pub trait Reachability {
    /// Whether a state of the target, a formula over the state without auxiliary variables, is reached in at
    /// most `bound` steps.
    fn reach(
        &mut self,
        store: &mut Store,
        target: Term,
        bound: usize,
        budget: &mut Budget,
    ) -> Result<Reach, UnknownReason>;

    /// The formulas learnt since the last call, each with the number of steps within which it holds.
    fn take_new_lemmas(&mut self) -> Vec<(Term, usize)> {
        Vec::new()
    }

    /// Takes a formula of another instance that holds in all states reached within `level` steps; a candidate only
    /// if this can be proved by one query. Returns whether it was taken.
    fn admit(
        &mut self,
        _store: &mut Store,
        _lemma: Term,
        _level: usize,
        _standing: Standing,
        _budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        Ok(false)
    }

    /// Takes a formula that holds in all reachable states.
    fn assume(&mut self, _store: &mut Store, _invariant: Term) {}

    /// What the engine has done.
    fn statistics(&self) -> Statistics;
}
