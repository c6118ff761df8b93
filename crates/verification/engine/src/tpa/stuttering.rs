//! Stuttering transitions: those that change nothing.
//!
//! Passes that merge vertices make loops from a state to itself. No path needs them, and they spoil the sequence for
//! exactly 2^n steps: with the identity among the transitions its elements cover all shorter paths as well, and
//! `split-tpa` is no better than `tpa`. So the disjuncts of a transition relation that imply the identity are left
//! out; the certificate says so.

use shem_base::{Budget, UnknownReason};
use shem_term::{Store, Term};

use super::transition_invariant::solve;

/// A transition relation in two parts.
#[derive(Clone, Debug)]
pub(super) struct DividedTransition {
    /// The other transitions.
    pub moving: Term,
    /// Disjuncts that imply the identity.
    pub stuttering: Vec<Term>,
}

impl DividedTransition {
    /// Divides a transition relation, unless it is to be kept as it is.
    pub(super) fn of(
        store: &mut Store,
        state: &[Term],
        next: &[Term],
        transition: Term,
        keep: bool,
        budget: &mut Budget,
    ) -> Result<DividedTransition, UnknownReason> {
        if keep {
            return Ok(DividedTransition { moving: transition, stuttering: Vec::new() });
        }
        let mut moving = Vec::new();
        let mut stuttering = Vec::new();
        for disjunct in store.disjuncts(transition) {
            if is_stuttering(store, state, next, disjunct, budget)? {
                stuttering.push(disjunct);
            } else {
                moving.push(disjunct);
            }
        }
        let moving = if stuttering.is_empty() { transition } else { store.or(&moving) };
        Ok(DividedTransition { moving, stuttering })
    }
}

/// Whether the relation is within the identity.
fn is_stuttering(
    store: &mut Store,
    state: &[Term],
    next: &[Term],
    relation: Term,
    budget: &mut Budget,
) -> Result<bool, UnknownReason> {
    let changes: Vec<Term> = state.iter().zip(next).map(|(&a, &b)| !store.eq(a, b)).collect();
    let change = store.or(&changes);
    Ok(solve(store, &[relation, change], budget)?.is_none())
}
