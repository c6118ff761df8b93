//! Transition invariants, made of elements of the sequences, that prove a system safe.
//!
//! A relation that contains every path between two states, or every path from an initial state, or every path
//! to a bad state, and relates no initial state with a bad one, proves safety: it is a full, left-grounded or
//! right-grounded transition invariant. Candidates come from the sequences:
//!
//! - An element that covers all paths up to some length and that stays the same when one step, or the element
//!   for exactly `b^m` steps with `m` at most its own level, is appended (prepended): Lemmas 4.13 and 4.20.
//! - An element `E` for exactly `b^n` steps such that two of them after (before) the element `L` for shorter
//!   paths are no more than one: then `L` together with `L` and one `E` covers all paths: Lemma 4.22.
//!
//! The lemmas are those of Blicha's thesis on constrained Horn clauses (2023), chapter 4. The condition of the
//! second kind has an existential quantifier on its right, the state between `L` and `E`; the query tries both
//! states that are at hand, the one before the two `E` and the one between them. That is sufficient, not
//! necessary.

use shem_base::{Budget, Effort, UnknownReason};
use shem_proof::NoProof;
use shem_smt::{Answer, Model, Solver};
use shem_term::{Store, Term};

use super::copies::{Copies, FIRST, LAST};
use super::sequence::{Link, SequenceKind, Sequences};

/// Which paths a transition invariant covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Ground {
    /// Those from initial states.
    Left,
    /// Those to bad states.
    Right,
}

/// A candidate for a grounded transition invariant: this element, if it is closed under the steps of the stride,
/// appended (left ground) or prepended (right ground).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TransitionInvariant {
    /// The sequence of the element.
    pub kind: SequenceKind,
    /// The level of the element.
    pub level: usize,
    /// The level of the element for the steps, that of [`SequenceKind::Equal`] (at level 0 the transition relation).
    pub stride: usize,
    /// The ground.
    pub ground: Ground,
}

/// The initial and the bad states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Endpoints {
    pub initial: Term,
    pub bad: Term,
}

/// The two copies in the middle of the queries.
const MIDDLE: usize = 2;
const SECOND_MIDDLE: usize = 3;

/// The effort of a query that may stay unanswered.
pub(super) const OPTIONAL_EFFORT: Effort = Effort { conflicts: 2_000, pivots: 20_000, splits: 200 };

impl TransitionInvariant {
    /// The relations that are assumed: the level of each and where it is.
    pub(super) fn premises(self) -> Vec<(usize, Link)> {
        let link = |kind, from, to| Link { kind, from, to };
        let (kind, n, m) = (self.kind, self.level, self.stride);
        match (kind, self.ground) {
            (SequenceKind::Equal, Ground::Left) => vec![
                (n, link(SequenceKind::Less, FIRST, MIDDLE)),
                (n, link(SequenceKind::Equal, MIDDLE, SECOND_MIDDLE)),
                (n, link(SequenceKind::Equal, SECOND_MIDDLE, LAST)),
            ],
            (SequenceKind::Equal, Ground::Right) => vec![
                (n, link(SequenceKind::Equal, FIRST, MIDDLE)),
                (n, link(SequenceKind::Equal, MIDDLE, SECOND_MIDDLE)),
                (n, link(SequenceKind::Less, SECOND_MIDDLE, LAST)),
            ],
            (_, Ground::Left) => {
                vec![(n, link(kind, FIRST, MIDDLE)), (m, link(SequenceKind::Equal, MIDDLE, LAST))]
            }
            (_, Ground::Right) => {
                vec![(m, link(SequenceKind::Equal, FIRST, MIDDLE)), (n, link(kind, MIDDLE, LAST))]
            }
        }
    }

    /// The relations of which one has to follow.
    fn conclusions(self) -> Vec<Link> {
        let link = |kind, from, to| Link { kind, from, to };
        match (self.kind, self.ground) {
            (SequenceKind::Equal, Ground::Left) => {
                vec![link(SequenceKind::Equal, MIDDLE, LAST), link(SequenceKind::Less, FIRST, SECOND_MIDDLE)]
            }
            (SequenceKind::Equal, Ground::Right) => {
                vec![link(SequenceKind::Equal, FIRST, SECOND_MIDDLE), link(SequenceKind::Less, MIDDLE, LAST)]
            }
            (kind, _) => vec![link(kind, FIRST, LAST)],
        }
    }

    /// The chains that have to be without a path from an initial to a bad state.
    pub(super) fn extent(self) -> Vec<Vec<Link>> {
        let link = |kind, from, to| Link { kind, from, to };
        match (self.kind, self.ground) {
            (SequenceKind::Equal, ground) => {
                let (first, second) = match ground {
                    Ground::Left => (SequenceKind::Less, SequenceKind::Equal),
                    Ground::Right => (SequenceKind::Equal, SequenceKind::Less),
                };
                vec![
                    vec![link(SequenceKind::Less, FIRST, LAST)],
                    vec![link(first, FIRST, MIDDLE), link(second, MIDDLE, LAST)],
                ]
            }
            (kind, _) => vec![vec![link(kind, FIRST, LAST)]],
        }
    }

    /// A model that shows that the element is not closed under the stride; `None` if it is. Without ends, the
    /// question is about all pairs of states: whether the invariant is full.
    pub(super) fn refute_closure(
        self,
        store: &mut Store,
        copies: &mut Copies,
        sequences: &Sequences,
        ends: Option<Endpoints>,
        budget: &mut Budget,
    ) -> Result<Option<Model>, UnknownReason> {
        let mut formulas = Vec::new();
        for (level, link) in self.premises() {
            sequences.instance(store, copies, level, link, &mut formulas);
        }
        match (ends, self.ground) {
            (Some(ends), Ground::Left) => formulas.push(ends.initial),
            (Some(ends), Ground::Right) => formulas.push(copies.state(store, ends.bad, LAST)),
            (None, _) => {}
        }
        let mut conclusion = Vec::new();
        for link in self.conclusions() {
            conclusion.clear();
            sequences.instance(store, copies, self.level, link, &mut conclusion);
            let conclusion = store.and(&conclusion);
            formulas.push(!conclusion);
        }
        solve(store, &formulas, budget)
    }

    /// Whether the closure holds for all pairs of states: whether the invariant is full. The effort is limited; if it
    /// is not enough, the invariant counts as grounded, which is sufficient for safety.
    pub(super) fn is_full(
        self,
        store: &mut Store,
        copies: &mut Copies,
        sequences: &Sequences,
        budget: &mut Budget,
    ) -> bool {
        let asked = budget
            .within(OPTIONAL_EFFORT, |budget| self.refute_closure(store, copies, sequences, None, budget));
        matches!(asked, Ok(None))
    }

    /// Whether the invariant relates no initial state with a bad one.
    pub(super) fn is_safe(
        self,
        store: &mut Store,
        copies: &mut Copies,
        sequences: &Sequences,
        ends: Endpoints,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        for chain in self.extent() {
            let mut formulas = vec![ends.initial, copies.state(store, ends.bad, LAST)];
            for link in chain {
                sequences.instance(store, copies, self.level, link, &mut formulas);
            }
            if solve(store, &formulas, budget)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The highest level of an element in its conditions.
    pub(super) fn height(self) -> usize {
        self.level.max(self.stride)
    }
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
