//! State invariants from transition invariants.
//!
//! The states that a left-grounded invariant reaches from the initial ones contain all reachable states and no
//! bad one, and are closed under the stride of the invariant: for stride 0, under single steps, which makes them
//! an inductive invariant (Lemma 4 of the paper on split-TPA). For stride `m` they are closed under the
//! element `E(m)` for exactly `b^m` steps only, and a *descent* of `m` levels follows.
//!
//! Let `F` be closed under `E(j + 1)`. As `b` links of `E(j)` are within `E(j + 1)`, `F` is b-inductive with
//! `E(j)` as the step, and `b - 1` interpolants make it closed under one `E(j)`, as k-inductive sets are made
//! inductive elsewhere: let A(y) say that the element `L(j)` for shorter paths leads from an initial state to
//! y, or that a link leads from F to y within F; let B(y) say that `k - 1` links lead from y within F to a state
//! outside. They contradict each other if F is k-inductive and has what `L(j)` and up to `k - 1` links reach,
//! which is within `L(j + 1)`; and F together with an interpolant is (k - 1)-inductive. Every query is about a
//! few copies of the state, and nothing but the first set needs an elimination of quantifiers. If A and B do not
//! contradict each other, or if there is no interpolant, the links that leave F are eliminated instead. No
//! descent is made once the set is an inductive invariant.
//!
//! For a right-grounded invariant everything is mirrored: the set contains the bad states and no initial one,
//! is closed under predecessors, and its complement is the invariant. There `L(j)` has to have its links in the
//! other order; in the wrong one, the descent may fail, and the other ground is tried. The result is checked before
//! it is returned.

use shem_base::{Budget, UnknownReason};
use shem_chc::TransitionSystem;
use shem_check::certificate::Powers;
use shem_smt::interpolate::{ItpError, ItpOptions};
use shem_smt::project::eliminate;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use super::copies::{Copies, FIRST, LAST};
use super::sequence::{Composition, Link, SequenceKind, Sequences};
use super::transition_invariant::{Endpoints, Ground, TransitionInvariant, is_safe, refute_closure, solve};
use crate::reason::{Unavailable, WitnessError};

/// A transition invariant that proves a transition system safe, with the sequences that it is made of.
#[derive(Clone)]
pub(super) struct ClosedPowers {
    /// The transition system, without the stuttering transitions.
    pub system: TransitionSystem,
    pub composition: Composition,
    pub sequences: Sequences,
    pub transition_invariant: TransitionInvariant,
}

impl ClosedPowers {
    /// The same as a certificate.
    pub(super) fn certificate(&self) -> Powers {
        let above_zero = |kind| self.sequences.above_zero(kind, self.transition_invariant.height());
        Powers {
            composition: self.composition,
            at_most: above_zero(SequenceKind::AtMost),
            less: above_zero(SequenceKind::Less),
            equal: above_zero(SequenceKind::Equal),
            transition_invariant: self.transition_invariant,
        }
    }
}

/// An inductive invariant that has all initial states and no bad one.
pub(super) fn state_invariant(
    powers: &ClosedPowers,
    store: &mut Store,
    budget: &mut Budget,
) -> Result<Term, WitnessError> {
    let mut descent = Descent {
        powers,
        transition_invariant: powers.transition_invariant,
        copies: Copies::of(store, &powers.system, powers.composition.base + 3),
    };
    if let Some(found) = descent.run(store, budget)? {
        return Ok(found);
    }
    // The same element may be an invariant at the other ground, where the links are in the right order.
    let other = match descent.transition_invariant.ground {
        Ground::Left => Ground::Right,
        Ground::Right => Ground::Left,
    };
    let (transition_invariant, sequences) =
        (TransitionInvariant { ground: other, ..descent.transition_invariant }, &powers.sequences);
    let ends = Endpoints { initial: powers.system.initial, bad: powers.system.bad };
    let copies = &mut descent.copies;
    let holds = refute_closure(transition_invariant, store, copies, sequences, Some(ends), budget)?.is_none()
        && is_safe(transition_invariant, store, copies, sequences, ends, budget)?;
    if holds {
        descent.transition_invariant = transition_invariant;
        if let Some(found) = descent.run(store, budget)? {
            return Ok(found);
        }
    }
    Err(Unavailable::Invariant(format!("{:?}", powers.transition_invariant)).into())
}

/// The copies of an initial state and of a predecessor; those after it are for the links that leave the set.
const START: usize = 2;
const BEFORE: usize = 3;

struct Descent<'a> {
    powers: &'a ClosedPowers,
    /// That of the powers, or the same at the other ground.
    transition_invariant: TransitionInvariant,
    copies: Copies,
}

impl Descent<'_> {
    fn run(&mut self, store: &mut Store, budget: &mut Budget) -> Result<Option<Term>, UnknownReason> {
        let transition_invariant = self.transition_invariant;
        let mut set = self.extent(store, budget)?;
        for level in (0..transition_invariant.stride).rev() {
            if self.is_inductive(store, set, budget)? {
                break;
            }
            if let Some(narrowed) = self.narrow(store, level, set, budget)? {
                set = narrowed;
                continue;
            }
            let outer = set;
            for _ in 1..self.powers.composition.base {
                let leaving = self.image(store, level, !set, budget)?;
                set = store.and2(outer, !leaving);
            }
        }
        let invariant = self.invariant(set);
        Ok(self.is_inductive(store, set, budget)?.then_some(invariant))
    }

    /// The invariant that a set stands for.
    fn invariant(&self, set: Term) -> Term {
        match self.transition_invariant.ground {
            Ground::Left => set,
            Ground::Right => !set,
        }
    }

    /// The states that the transition invariant relates with the initial, or the bad, ones.
    fn extent(&mut self, store: &mut Store, budget: &mut Budget) -> Result<Term, UnknownReason> {
        let ClosedPowers { system, sequences, .. } = self.powers;
        let transition_invariant = self.transition_invariant;
        let mut parts = Vec::new();
        for chain in transition_invariant.extent() {
            let mut formulas = Vec::new();
            for link in chain {
                sequences.instance(store, &mut self.copies, transition_invariant.level, link, &mut formulas);
            }
            let keep = match transition_invariant.ground {
                Ground::Left => {
                    formulas.push(system.initial);
                    LAST
                }
                Ground::Right => {
                    formulas.push(self.copies.state(store, system.bad, LAST));
                    FIRST
                }
            };
            parts.push(self.keep_only(store, &formulas, keep, budget)?);
        }
        Ok(store.or(&parts))
    }

    /// A part of the set that is closed under the element of a level for exact powers; `None` if interpolants
    /// do not give one.
    fn narrow(
        &mut self,
        store: &mut Store,
        level: usize,
        mut set: Term,
        budget: &mut Budget,
    ) -> Result<Option<Term>, UnknownReason> {
        let ClosedPowers { system, composition, .. } = self.powers;
        let ground = self.transition_invariant.ground;
        // For the right ground all links are turned round.
        let link = |kind, from, to| match ground {
            Ground::Left => Link { kind, from, to },
            Ground::Right => Link { kind, from: to, to: from },
        };
        let origin = match ground {
            Ground::Left => system.initial,
            Ground::Right => system.bad,
        };
        for depth in (2..=composition.base).rev() {
            let mut begun = vec![self.copies.state(store, origin, START)];
            self.link(store, level, link(SequenceKind::Less, START, FIRST), &mut begun);
            let mut stepped = vec![set, self.copies.state(store, set, BEFORE)];
            self.link(store, level, link(SequenceKind::Equal, BEFORE, FIRST), &mut stepped);
            let (begun, stepped) = (store.and(&begun), store.and(&stepped));
            let inside = store.or2(begun, stepped);
            let mut leaving = vec![set];
            let mut from = FIRST;
            for step in 1..depth {
                let to = if step + 1 == depth { LAST } else { BEFORE + step };
                self.link(store, level, link(SequenceKind::Equal, from, to), &mut leaving);
                let there = self.copies.state(store, set, to);
                leaving.push(there.xor(to == LAST));
                from = to;
            }
            let mut solver = Solver::new(Default::default());
            let a = solver.assert(store, inside);
            for formula in leaving {
                solver.assert(store, formula);
            }
            let mut refutation = match solver.check(store, budget) {
                Answer::Unsat(refutation) => refutation,
                Answer::Sat(_) => return Ok(None),
                Answer::Unknown(reason) => return Err(reason),
            };
            match refutation.interpolant(store, &[a], &ItpOptions::default(), budget) {
                Ok(interpolant) => set = store.and2(set, interpolant),
                Err(ItpError::Unknown(UnknownReason::Stopped)) => return Err(UnknownReason::Stopped),
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(set))
    }

    /// The conjuncts of an element between two copies.
    fn link(&mut self, store: &mut Store, level: usize, link: Link, out: &mut Vec<Term>) {
        self.powers.sequences.instance(store, &mut self.copies, level, link, out);
    }

    /// The states that one link of exactly `b^level` steps leads into a set, or out of it for the right
    /// ground.
    fn image(
        &mut self,
        store: &mut Store,
        level: usize,
        set: Term,
        budget: &mut Budget,
    ) -> Result<Term, UnknownReason> {
        let (inside, keep) = match self.transition_invariant.ground {
            Ground::Left => (LAST, FIRST),
            Ground::Right => (FIRST, LAST),
        };
        let mut formulas = vec![self.copies.state(store, set, inside)];
        let link = Link { kind: SequenceKind::Equal, from: FIRST, to: LAST };
        self.powers.sequences.instance(store, &mut self.copies, level, link, &mut formulas);
        self.keep_only(store, &formulas, keep, budget)
    }

    /// The conjunction with everything but one copy quantified, as a formula about states.
    fn keep_only(
        &mut self,
        store: &mut Store,
        formulas: &[Term],
        copy: usize,
        budget: &mut Budget,
    ) -> Result<Term, UnknownReason> {
        let formula = store.and(formulas);
        let mut others = store.free_variables(&[formula]);
        others.retain(|v| !self.copies.variables(copy).contains(v));
        let states = eliminate(store, &others, formula, budget)?;
        Ok(self.copies.shift(store, states, copy, FIRST))
    }

    /// Whether the invariant of a set is inductive, has all initial states and no bad one.
    fn is_inductive(
        &mut self,
        store: &mut Store,
        set: Term,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        let invariant = self.invariant(set);
        let system = &self.powers.system;
        let next = self.copies.state(store, invariant, LAST);
        let queries = [
            vec![system.initial, !invariant],
            vec![invariant, system.bad],
            vec![invariant, system.transition, !next],
        ];
        for query in queries {
            if solve(store, &query, budget)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
