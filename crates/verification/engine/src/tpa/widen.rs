//! How many more states a claim shows to be safe than those that a vertex was entered with.
//!
//! A claim that is grounded in the bad states does not depend on where paths begin: any states will do that it
//! does not relate with a bad one, and an interpolant between the entering states and those that it does relate
//! is such a set. The weakest of the interpolants is wanted, so it is taken from the other side of the proof. A
//! claim that is grounded in the entering states is first tried at the other ground. If it does not hold there,
//! literals of the entering states are weakened one by one as long as the claim holds: for an equation first
//! neither, then one of its two bounds.
//!
//! Nothing here has to succeed, so every query has little effort; and whatever comes out is a claim that was
//! checked for the very states that it is about. Without all this a loop that is entered with one state at a time
//! is proved safe for one state at a time: of `gj2007_m_3`, a chain of loops, 257 visits were not enough.

use shem_base::Budget;
use shem_smt::interpolate::{InterpolationSystem, ItpOptions, TheoryRule};
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term, View};

use super::claim::{Claim, Ends, Ground, LITTLE};
use super::copies::LAST;
use super::reach::Powers;

/// A claim, and the states that it shows to be safe.
pub(super) struct Widened {
    pub claim: Claim,
    /// Whether its closure holds for all pairs of states.
    pub full: bool,
    pub initial: Term,
}

/// As many states as can be had with which no path leads to a bad one.
pub(super) fn widen(
    store: &mut Store,
    powers: &mut Powers,
    claim: Claim,
    ends: Ends,
    budget: &mut Budget,
) -> Widened {
    let full = claim.is_full(store, &mut powers.copies, &powers.sequences, budget);
    let mut found = Widened { claim, full, initial: ends.initial };
    let twin = Claim { ground: Ground::Right, ..claim };
    if !full && claim.ground == Ground::Left && holds(store, powers, twin, ends, budget) {
        found.claim = twin;
    }
    if full || found.claim.ground == Ground::Right {
        if let Some(initial) = separate(store, powers, found.claim, ends, budget) {
            found.initial = initial;
        }
    } else {
        found.initial = weaken(store, powers, claim, ends, budget);
    }
    found
}

/// Whether a claim holds for these ends, as far as little effort can tell.
fn holds(store: &mut Store, powers: &mut Powers, claim: Claim, ends: Ends, budget: &mut Budget) -> bool {
    let Powers { copies, sequences, .. } = powers;
    let asked = budget.within(LITTLE, |budget| {
        let closed = claim.refute_closure(store, copies, sequences, Some(ends), budget)?.is_none();
        Ok::<bool, shem_base::UnknownReason>(closed && claim.is_safe(store, copies, sequences, ends, budget)?)
    });
    asked == Ok(true)
}

/// States, the entering ones among them, that the claim does not relate with a bad one.
fn separate(
    store: &mut Store,
    powers: &mut Powers,
    claim: Claim,
    ends: Ends,
    budget: &mut Budget,
) -> Option<Term> {
    let Powers { copies, sequences, settings, .. } = powers;
    let end = copies.state(store, ends.bad, LAST);
    let mut chains = Vec::new();
    for chain in claim.extent() {
        let mut formulas = Vec::new();
        for link in chain {
            sequences.instance(store, copies, claim.level, link, &mut formulas);
        }
        chains.push(store.and(&formulas));
    }
    let chains = store.or(&chains);
    let mut solver = Solver::new(Default::default());
    let entered = solver.assert(store, ends.initial);
    solver.assert(store, chains);
    solver.assert(store, end);
    let answer = budget.within(LITTLE, |budget| solver.check(store, budget));
    let Answer::Unsat(mut refutation) = answer else { return None };
    let weakest = ItpOptions {
        theory: TheoryRule::DualFarkas,
        system: InterpolationSystem::DualMcMillan,
        ..ItpOptions::default()
    };
    for options in std::iter::once(weakest).chain(settings.refinement.options()) {
        let Ok(initial) = refutation.interpolant(store, &[entered], &options, budget) else { continue };
        // What the interpolant adds is believed only if the claim holds for it.
        let wider = Ends { initial, ..ends };
        let safe = budget.within(LITTLE, |budget| claim.is_safe(store, copies, sequences, wider, budget));
        if safe == Ok(true) {
            return Some(initial);
        }
    }
    None
}

/// The entering states with fewer or weaker literals, such that the claim still holds.
fn weaken(store: &mut Store, powers: &mut Powers, claim: Claim, ends: Ends, budget: &mut Budget) -> Term {
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
            if holds(store, powers, claim, Ends { initial, ..ends }, budget) {
                break;
            }
            literals[at] = literal;
        }
    }
    store.and(&literals)
}
