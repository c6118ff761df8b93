//! Transition invariants, made of elements of the sequences, that prove a system safe.
//!
//! A relation that contains every path between two states, or every path from an initial state, or every path
//! to a bad state, and relates no initial state with a bad one, proves safety: it is a full, left-grounded or
//! right-grounded transition invariant. Candidates come from the sequences; what they have to satisfy is said in
//! [`Powers`](shem_check::certificate::Powers), whose checker asks the same questions once more.

use shem_base::{Budget, Effort, UnknownReason};
use shem_check::certificate::LAST;
pub(super) use shem_check::certificate::{Ground, TransitionInvariant};
use shem_proof::NoProof;
use shem_smt::{Answer, Model, Solver};
use shem_term::{Store, Term};

use super::copies::Copies;
use super::sequence::Sequences;

/// The initial and the bad states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Endpoints {
    pub initial: Term,
    pub bad: Term,
}

/// The effort of a query that may stay unanswered.
pub(super) const OPTIONAL_EFFORT: Effort = Effort { conflicts: 2_000, pivots: 20_000, splits: 200 };

/// A model that shows that the element is not closed under the stride; `None` if it is. Without ends, the
/// question is about all pairs of states: whether the invariant is full.
pub(super) fn refute_closure(
    invariant: TransitionInvariant,
    store: &mut Store,
    copies: &mut Copies,
    sequences: &Sequences,
    ends: Option<Endpoints>,
    budget: &mut Budget,
) -> Result<Option<Model>, UnknownReason> {
    let mut formulas = Vec::new();
    for (level, link) in invariant.premises() {
        sequences.instance(store, copies, level, link, &mut formulas);
    }
    match (ends, invariant.ground) {
        (Some(ends), Ground::Left) => formulas.push(ends.initial),
        (Some(ends), Ground::Right) => formulas.push(copies.state(store, ends.bad, LAST)),
        (None, _) => {}
    }
    let mut conclusion = Vec::new();
    for link in invariant.conclusions() {
        conclusion.clear();
        sequences.instance(store, copies, invariant.level, link, &mut conclusion);
        let conclusion = store.and(&conclusion);
        formulas.push(!conclusion);
    }
    solve(store, &formulas, budget)
}

/// Whether the closure holds for all pairs of states: whether the invariant is full. The effort is limited; if it
/// is not enough, the invariant counts as grounded, which is sufficient for safety.
pub(super) fn is_full(
    invariant: TransitionInvariant,
    store: &mut Store,
    copies: &mut Copies,
    sequences: &Sequences,
    budget: &mut Budget,
) -> bool {
    let asked = budget
        .within(OPTIONAL_EFFORT, |budget| refute_closure(invariant, store, copies, sequences, None, budget));
    matches!(asked, Ok(None))
}

/// Whether the invariant relates no initial state with a bad one.
pub(super) fn is_safe(
    invariant: TransitionInvariant,
    store: &mut Store,
    copies: &mut Copies,
    sequences: &Sequences,
    ends: Endpoints,
    budget: &mut Budget,
) -> Result<bool, UnknownReason> {
    for chain in invariant.extent() {
        let mut formulas = vec![ends.initial, copies.state(store, ends.bad, LAST)];
        for link in chain {
            sequences.instance(store, copies, invariant.level, link, &mut formulas);
        }
        if solve(store, &formulas, budget)?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A model of the formulas, if there is one.
pub(super) fn solve(
    store: &mut Store,
    formulas: &[Term],
    budget: &mut Budget,
) -> Result<Option<Model>, UnknownReason> {
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    for &formula in formulas {
        // A negated element may be a conjunction of conjunctions that share parts.
        for conjunct in store.conjuncts(formula) {
            solver.assert(store, conjunct);
        }
    }
    match solver.check(store, budget) {
        Answer::Sat(mut solution) => Ok(Some(solution.model())),
        Answer::Unsat(_) => Ok(None),
        Answer::Unknown(reason) => Err(reason),
    }
}
