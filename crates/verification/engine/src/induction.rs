//! From a k-inductive formula to an invariant that is inductive in one step.
//!
//! A formula F is *k-inductive* if it holds in the first k states of every run, and in every state that comes
//! after k states in a row in which it holds. It is made inductive in one step by k − 1 interpolants, without
//! quantifiers: let A(x) say that x is initial, or that F holds in x and in a predecessor of x, and B(x) that
//! k − 1 steps lead from x to a state outside F with F in between. A and B contradict each other, since F is
//! k-inductive, and F together with an interpolant of A and B is (k − 1)-inductive: the interpolant holds in
//! initial states and after any two states of F in a row, and excludes what k-induction needed its first state
//! for. The invariant is over the same symbols, and usually of modest size.

use shem_base::{Budget, UnknownReason};
use shem_chc::{Steps, TransitionSystem};
use shem_check::certificate::{Argument, KInductive};
use shem_smt::interpolate::ItpOptions;
use shem_smt::project::eliminate;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use crate::reason::WitnessError;
use crate::verdict::{Outcome, Proven, TransitionVerdict, WitnessSource};

/// Safe, since the formula is k-inductive.
pub(crate) fn safe(system: TransitionSystem, claim: KInductive) -> TransitionVerdict {
    let certificate = Some(Argument::KInductive(claim.clone()).into());
    let recipe = move |store: &mut Store, budget: &mut Budget| invariant(store, &system, &claim, budget);
    Outcome::Safe(Proven { witness: WitnessSource::Deferred(Box::new(recipe)), certificate })
}

/// An inductive invariant that implies the k-inductive formula.
pub(crate) fn invariant(
    store: &mut Store,
    system: &TransitionSystem,
    claim: &KInductive,
    budget: &mut Budget,
) -> Result<Term, WitnessError> {
    let mut steps = Steps::new(store, system);
    let mut formula = claim.formula;
    for k in (2..=claim.k).rev() {
        let interpolant = reduce(store, &mut steps, formula, k, budget)?;
        formula = store.and2(formula, interpolant);
    }
    Ok(formula)
}

/// The same system with bad states that are described without auxiliary variables.
pub(crate) fn without_auxiliaries(
    store: &mut Store,
    system: &TransitionSystem,
    budget: &mut Budget,
) -> Result<TransitionSystem, UnknownReason> {
    let mut auxiliaries = store.free_variables(&[system.bad]);
    auxiliaries.retain(|v| !system.state.contains(v));
    let bad = eliminate(store, &auxiliaries, system.bad, budget)?;
    Ok(TransitionSystem { bad, ..system.clone() })
}

/// The interpolant that makes a k-inductive formula (k − 1)-inductive.
fn reduce(
    store: &mut Store,
    steps: &mut Steps,
    formula: Term,
    k: usize,
    budget: &mut Budget,
) -> Result<Term, WitnessError> {
    let mut solver = Solver::new(Default::default());
    let initial = steps.system().initial;
    let initial = steps.at(store, initial, 1);
    let transition = steps.transition(store, 0);
    let before = store.and2(transition, formula);
    let a = store.or2(initial, before);
    let inside = steps.at(store, formula, 1);
    let a = store.and2(a, inside);
    let a = solver.assert(store, a);
    for step in 1..k {
        let transition = steps.transition(store, step);
        solver.assert(store, transition);
        let next = steps.at(store, if step + 1 == k { !formula } else { formula }, step + 1);
        solver.assert(store, next);
    }
    let mut refutation = match solver.check(store, budget) {
        Answer::Unsat(refutation) => refutation,
        Answer::Sat(_) => return Err(WitnessError::broken("the formula is not k-inductive")),
        Answer::Unknown(reason) => return Err(reason.into()),
    };
    let interpolant = refutation.interpolant(store, &[a], &ItpOptions::default(), budget)?;
    let state = steps.state(store, 1).to_vec();
    let own = steps.system().state.clone();
    Ok(store.rename(interpolant, &state, &own))
}
