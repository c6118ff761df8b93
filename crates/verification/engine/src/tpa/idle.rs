//! Transitions that change nothing.
//!
//! Passes that merge vertices leave loops behind that lead from a state to itself. No path needs them, but the
//! sequence for exactly so many steps would suffer: with the identity among the transitions its elements cover
//! all shorter paths as well, and `split-tpa` is no more than `tpa`. So the disjuncts of a transition relation
//! that imply the identity are left out; the certificate names them.

use shem_base::{Budget, UnknownReason};
use shem_term::{Store, Term};

use super::claim::solve;

/// A transition relation in two parts.
#[derive(Clone, Debug)]
pub(super) struct Divided {
    /// The transitions that matter.
    pub moving: Term,
    /// Disjuncts that imply the identity.
    pub idle: Vec<Term>,
}

impl Divided {
    /// Divides a transition relation.
    pub(super) fn of(
        store: &mut Store,
        state: &[Term],
        next: &[Term],
        transition: Term,
        budget: &mut Budget,
    ) -> Result<Divided, UnknownReason> {
        let mut moving = Vec::new();
        let mut idle = Vec::new();
        for disjunct in store.disjuncts(transition) {
            if is_idle(store, state, next, disjunct, budget)? {
                idle.push(disjunct);
            } else {
                moving.push(disjunct);
            }
        }
        let moving = if idle.is_empty() { transition } else { store.or(&moving) };
        Ok(Divided { moving, idle })
    }

    /// The whole relation.
    pub(super) fn whole(&self, store: &mut Store) -> Term {
        let mut all = self.idle.clone();
        all.push(self.moving);
        store.or(&all)
    }
}

/// Whether the relation is within the identity.
pub(super) fn is_idle(
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
