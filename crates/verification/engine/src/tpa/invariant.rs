//! State invariants from transition invariants.
//!
//! The states that a left-grounded invariant reaches from the initial ones contain all reachable states and no
//! bad one, and are closed under the stride of the claim: for stride 0, under single steps, which makes them
//! an inductive invariant (Lemma 4 of the paper on split-TPA). For stride `m` they are closed under the
//! element `E(m)` for exactly `b^m` steps only. From a set `F` that is closed under `E(j + 1)` we get one that
//! is closed under `E(j)`: the states of `F` from which up to `b - 1` links of `E(j)` do not leave `F`, because
//! `b` links of `E(j)` are within `E(j + 1)`. After `m` such descents the set is closed under single steps. It
//! still has all initial states: what they reach by up to `b - 1` links of each level is within the element
//! for shorter paths if the shorter part comes first in a decomposition. Each descent eliminates one copy of
//! the state a link; none is made once the set is an inductive invariant.
//!
//! For a right-grounded invariant everything is mirrored: the set contains the bad states and no initial one,
//! is closed under predecessors, and its complement is the invariant. There the argument for the bad states
//! needs the other order of decompositions; in the wrong order the descent may lose them. Whatever comes out
//! is checked before it is returned.

use shem_base::{Budget, UnknownReason};
use shem_smt::project::eliminate;
use shem_term::{Store, Term};

use super::certificate::PowerCertificate;
use super::claim::{Ground, solve};
use super::copies::{Copies, FIRST, LAST};
use super::sequence::{Kind, Link};

/// An inductive invariant that has all initial states and no bad one.
pub(super) fn state_invariant(
    certificate: &PowerCertificate,
    store: &mut Store,
    budget: &mut Budget,
) -> Result<Term, String> {
    let mut descent = Descent { certificate, copies: certificate.copies(store) };
    let found = descent.run(store, budget).map_err(|reason| reason.to_string())?;
    found.ok_or_else(|| format!("{:?} gives no inductive invariant of states", certificate.claim))
}

struct Descent<'a> {
    certificate: &'a PowerCertificate,
    copies: Copies,
}

impl Descent<'_> {
    fn run(&mut self, store: &mut Store, budget: &mut Budget) -> Result<Option<Term>, UnknownReason> {
        let claim = self.certificate.claim;
        let mut set = self.extent(store, budget)?;
        for level in (0..claim.stride).rev() {
            if self.is_inductive(store, set, budget)? {
                break;
            }
            let outer = set;
            for _ in 1..self.certificate.composition.base {
                let leaving = self.image(store, level, !set, budget)?;
                set = store.and2(outer, !leaving);
            }
        }
        let invariant = self.invariant(set);
        Ok(self.is_inductive(store, set, budget)?.then_some(invariant))
    }

    /// The invariant that a set stands for.
    fn invariant(&self, set: Term) -> Term {
        match self.certificate.claim.ground {
            Ground::Left => set,
            Ground::Right => !set,
        }
    }

    /// The states that the transition invariant relates with the initial, or the bad, ones.
    fn extent(&mut self, store: &mut Store, budget: &mut Budget) -> Result<Term, UnknownReason> {
        let PowerCertificate { system, sequences, claim, .. } = self.certificate;
        let mut parts = Vec::new();
        for chain in claim.extent() {
            let mut formulas = Vec::new();
            for link in chain {
                sequences.instance(store, &mut self.copies, claim.level, link, &mut formulas);
            }
            let keep = match claim.ground {
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

    /// The states that one link of exactly `b^level` steps leads into a set, or out of it for the right
    /// ground.
    fn image(
        &mut self,
        store: &mut Store,
        level: usize,
        set: Term,
        budget: &mut Budget,
    ) -> Result<Term, UnknownReason> {
        let (inside, keep) = match self.certificate.claim.ground {
            Ground::Left => (LAST, FIRST),
            Ground::Right => (FIRST, LAST),
        };
        let mut formulas = vec![self.copies.state(store, set, inside)];
        let link = Link { kind: Kind::Equal, from: FIRST, to: LAST };
        self.certificate.sequences.instance(store, &mut self.copies, level, link, &mut formulas);
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
        let system = &self.certificate.system;
        let next = self.copies.state(store, invariant, LAST);
        let queries =
            [vec![system.initial, !invariant], vec![invariant, system.bad], vec![invariant, system.transition, !next]];
        for query in queries {
            if solve(store, &query, budget)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
