//! More safe states from a transition invariant than those that a vertex was entered with.
//!
//! A transition invariant that is grounded in the bad states does not depend on where paths begin: all states are
//! safe that it does not relate with a bad one, and an interpolant between the entering states and those that it does
//! relate is such a set. The weakest of the interpolants is best, so a dual interpolation system is used. A
//! transition invariant that is grounded in the entering states is first tried at the other ground. If it does not
//! hold there, literals of the entering states are weakened one by one as long as it holds: an equation is first
//! dropped, then replaced by one of its two bounds.
//!
//! Nothing here has to succeed, so the effort of every query is limited; and the result is checked for the states
//! that it is about. Without widening, a loop that is entered with one state at a time is proved safe for one state at
//! a time: on `gj2007_m_3`, a chain of loops, 257 visits were not enough.

use shem_base::Budget;
use shem_smt::interpolate::{InterpolationSystem, ItpOptions, TheoryRule};
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term, View};

use super::copies::LAST;
use super::reach::Powers;
use super::transition_invariant::{
    Endpoints, Ground, OPTIONAL_EFFORT, TransitionInvariant, is_full, is_safe, refute_closure,
};

/// A transition invariant, and the states that it shows to be safe.
pub(super) struct Widened {
    pub transition_invariant: TransitionInvariant,
    /// Whether its closure holds for all pairs of states.
    pub full: bool,
    pub initial: Term,
}

/// The transition invariant with as many entering states as can be shown safe.
pub(super) fn widen(
    store: &mut Store,
    powers: &mut Powers,
    transition_invariant: TransitionInvariant,
    ends: Endpoints,
    budget: &mut Budget,
) -> Widened {
    let full = is_full(transition_invariant, store, &mut powers.copies, &powers.sequences, budget);
    let mut found = Widened { transition_invariant, full, initial: ends.initial };
    let right_grounded = TransitionInvariant { ground: Ground::Right, ..transition_invariant };
    if !full
        && transition_invariant.ground == Ground::Left
        && holds(store, powers, right_grounded, ends, budget)
    {
        found.transition_invariant = right_grounded;
    }
    if full || found.transition_invariant.ground == Ground::Right {
        if let Some(initial) = separate(store, powers, found.transition_invariant, ends, budget) {
            found.initial = initial;
        }
    } else {
        found.initial = weaken(store, powers, transition_invariant, ends, budget);
    }
    found
}

/// Whether a transition invariant is shown to hold for these endpoints with limited effort.
fn holds(
    store: &mut Store,
    powers: &mut Powers,
    transition_invariant: TransitionInvariant,
    ends: Endpoints,
    budget: &mut Budget,
) -> bool {
    let Powers { copies, sequences, .. } = powers;
    let asked = budget.within(OPTIONAL_EFFORT, |budget| {
        let closed =
            refute_closure(transition_invariant, store, copies, sequences, Some(ends), budget)?.is_none();
        Ok::<bool, shem_base::UnknownReason>(
            closed && is_safe(transition_invariant, store, copies, sequences, ends, budget)?,
        )
    });
    asked == Ok(true)
}

/// States, the entering ones among them, that the transition invariant does not relate with a bad one.
fn separate(
    store: &mut Store,
    powers: &mut Powers,
    transition_invariant: TransitionInvariant,
    ends: Endpoints,
    budget: &mut Budget,
) -> Option<Term> {
    let Powers { copies, sequences, settings, .. } = powers;
    let end = copies.state(store, ends.bad, LAST);
    let mut chains = Vec::new();
    for chain in transition_invariant.extent() {
        let mut formulas = Vec::new();
        for link in chain {
            sequences.instance(store, copies, transition_invariant.level, link, &mut formulas);
        }
        chains.push(store.and(&formulas));
    }
    let chains = store.or(&chains);
    let mut solver = Solver::new(Default::default());
    let entered = solver.assert(store, ends.initial);
    solver.assert(store, chains);
    solver.assert(store, end);
    let answer = budget.within(OPTIONAL_EFFORT, |budget| solver.check(store, budget));
    let Answer::Unsat(mut refutation) = answer else { return None };
    let weakest = ItpOptions {
        theory: TheoryRule::DualFarkas,
        system: InterpolationSystem::DualMcMillan,
        ..ItpOptions::default()
    };
    for options in [&weakest, &settings.interpolation] {
        let Ok(initial) = refutation.interpolant(store, &[entered], options, budget) else { continue };
        // The interpolant is used only if the transition invariant is shown to hold for it.
        let wider = Endpoints { initial, ..ends };
        let safe = budget.within(OPTIONAL_EFFORT, |budget| {
            is_safe(transition_invariant, store, copies, sequences, wider, budget)
        });
        if safe == Ok(true) {
            return Some(initial);
        }
    }
    None
}

/// The entering states with fewer or weaker literals, such that the transition invariant still holds.
fn weaken(
    store: &mut Store,
    powers: &mut Powers,
    transition_invariant: TransitionInvariant,
    ends: Endpoints,
    budget: &mut Budget,
) -> Term {
    let mut literals = store.conjuncts(ends.initial);
    for at in 0..literals.len() {
        let literal = literals[at];
        let mut weaker = vec![Term::TRUE];
        if let (View::Eq(poly, value), false) = (store.view(literal), literal.is_negated()) {
            let (poly, value) = (poly, value.clone());
            let sort = store.poly_terms(poly).first().map(|t| store.sort(t.leaf));
            if let Some(sort) = sort {
                let terms: Vec<_> =
                    store.poly_terms(poly).iter().map(|t| (t.coeff.clone().into(), t.leaf)).collect();
                let sum = store.linear(&terms, &0.into(), sort);
                let number = store.numeral(&value, sort);
                weaker.push(store.le(sum, number));
                weaker.push(store.ge(sum, number));
            }
        }
        for candidate in weaker {
            literals[at] = candidate;
            let initial = store.and(&literals);
            if holds(store, powers, transition_invariant, Endpoints { initial, ..ends }, budget) {
                break;
            }
            literals[at] = literal;
        }
    }
    store.and(&literals)
}
