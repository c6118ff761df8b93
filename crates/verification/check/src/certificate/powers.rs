//! Sequences of relations with a transition invariant, by transition power abstraction.
//!
//! With base `b`, the element `n` of a sequence contains all pairs of states between which there is a path of at most
//! `b^n` steps ([`SequenceKind::AtMost`]), of fewer than `b^n` ([`SequenceKind::Less`]), or of exactly `b^n`
//! ([`SequenceKind::Equal`]). Element 0 is exact: the identity or the transition, the identity, the transition. An element
//! `n + 1` contains all the *decompositions* over level `n`: chains of elements of the level below.
//!
//! **Claim.** The elements above level 0 contain their decompositions. One of them is a *transition invariant* for paths
//! from initial states (or to bad states): an element that covers all paths up to some length and that stays the same
//! when one step, or the element for exactly `b^m` steps with `m` at most its own level, is appended (prepended): Lemmas
//! 4.13 and 4.20; or an element `E` for exactly `b^n` steps such that two of them after (before) the element `L` for
//! shorter paths are no more than one: then `L` together with `L` and one `E` covers all paths: Lemma 4.22. It relates no
//! initial state with a bad one.
//!
//! **Why that suffices.** Level by level, every element covers the paths that it should cover. Then by induction over the
//! length the invariant relates the ends of every path from an initial (to a bad) state. The lemmas are those of Blicha's
//! thesis on constrained Horn clauses (2023), chapter 4. The condition of the second kind has an existential quantifier on
//! its right, the state between `L` and `E`; the query tries both states that are at hand, the one before the two `E` and
//! the one between them. That is sufficient, not necessary.
//!
//! No query has more than a few copies of the state, whatever the lengths of the paths that the elements stand for.

use shem_base::Budget;
use shem_chc::TransitionSystem;
use shem_term::{Store, Term};

use super::error::CertificateError;
use super::refuter::{Refuter, expect_contradiction};
use super::{check_variables, fresh_like};

/// The copy of the state in which states are kept, the first of a chain.
pub const FIRST: usize = 0;
/// The last copy of a chain.
pub const LAST: usize = 1;
/// The two copies in the middle of the queries about an invariant.
const MIDDLE: usize = 2;
const SECOND_MIDDLE: usize = 3;

/// The greatest base of powers.
const MOST_BASE: usize = 64;
/// The highest level: paths are not longer than 2 to this power.
const MOST_LEVELS: usize = 1 << 12;

/// Which paths an element of a sequence covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SequenceKind {
    /// Those of at most the power's length: the sequence of `tpa`.
    AtMost,
    /// Those that are shorter.
    Less,
    /// Those of exactly the power's length.
    Equal,
}

/// The order of the parts of a path that is shorter than a power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepOrder {
    /// First the shorter part, then the powers.
    LessFirst,
    /// First the powers, then the shorter part.
    EqualFirst,
}

/// Which paths a transition invariant covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ground {
    /// Those from initial states.
    Left,
    /// Those to bad states.
    Right,
}

/// One relation in a chain, between two copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The sequence from which the relation comes.
    pub kind: SequenceKind,
    /// The copy at which it begins.
    pub from: usize,
    /// The copy at which it ends.
    pub to: usize,
}

/// How elements are composed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Composition {
    /// The base of the powers.
    pub base: usize,
    /// Where the shorter part of a path is.
    pub order: StepOrder,
}

/// A candidate for a grounded transition invariant: this element, if it is closed under the steps of the stride,
/// appended (left ground) or prepended (right ground).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TransitionInvariant {
    /// The sequence of the element.
    pub kind: SequenceKind,
    /// The level of the element.
    pub level: usize,
    /// The level of the element for the steps, that of [`SequenceKind::Equal`] (at level 0 the transition relation).
    pub stride: usize,
    /// The ground.
    pub ground: Ground,
}

/// The sequences, with the transition invariant, made of one of their elements, that proves safety.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Powers {
    /// How elements are composed.
    pub composition: Composition,
    /// The elements of [`SequenceKind::AtMost`] from level 1 on: conjuncts over a state and the next one.
    pub at_most: Vec<Vec<Term>>,
    /// Those of [`SequenceKind::Less`].
    pub less: Vec<Vec<Term>>,
    /// Those of [`SequenceKind::Equal`].
    pub equal: Vec<Vec<Term>>,
    /// What proves safety.
    pub transition_invariant: TransitionInvariant,
}

impl Composition {
    /// The number of decompositions of a path of this kind.
    pub fn decompositions(self, kind: SequenceKind) -> usize {
        if kind == SequenceKind::Less { self.base } else { 1 }
    }

    /// The chain of a decomposition, shorter ones first.
    pub fn chain(self, kind: SequenceKind, decomposition: usize) -> Vec<Link> {
        let steps = if kind == SequenceKind::Less { decomposition + 1 } else { self.base };
        let short = match (kind, self.order) {
            (SequenceKind::Less, StepOrder::LessFirst) => Some(0),
            (SequenceKind::Less, StepOrder::EqualFirst) => Some(decomposition),
            _ => None,
        };
        let copy = |position: usize| match position {
            0 => FIRST,
            _ if position == steps => LAST,
            _ => position + 1,
        };
        let link = |at: usize| Link {
            kind: match kind {
                SequenceKind::Less if Some(at) == short => SequenceKind::Less,
                SequenceKind::Less => SequenceKind::Equal,
                _ => kind,
            },
            from: copy(at),
            to: copy(at + 1),
        };
        (0..steps).map(link).collect()
    }
}

impl TransitionInvariant {
    /// The relations that are assumed when it is to be closed: the level of each and where it is.
    pub fn premises(self) -> Vec<(usize, Link)> {
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

    /// The relations, of its level, of which one has to follow.
    pub fn conclusions(self) -> Vec<Link> {
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

    /// The chains, of its level, that have to be without a path from an initial to a bad state.
    pub fn extent(self) -> Vec<Vec<Link>> {
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

    /// The highest level of an element in its conditions.
    pub fn height(self) -> usize {
        self.level.max(self.stride)
    }
}

impl Powers {
    pub(super) const PARTS: usize = 3;

    pub(super) fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        system: &TransitionSystem,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        self.check_form(store, system)?;
        let sequences = Sequences::new(store, self, system);
        let covering = match self.transition_invariant.kind {
            SequenceKind::AtMost => SequenceKind::AtMost,
            SequenceKind::Less | SequenceKind::Equal => SequenceKind::Less,
        };
        match part {
            0 => sequences.check_sequence(store, SequenceKind::Equal, budget),
            1 => sequences.check_sequence(store, covering, budget),
            _ => sequences.check_invariant(store, budget),
        }
    }

    /// Numbers are in range, and conjuncts are about two states.
    fn check_form(&self, store: &Store, system: &TransitionSystem) -> Result<(), CertificateError> {
        let TransitionInvariant { kind, level, stride, .. } = self.transition_invariant;
        if !(2..=MOST_BASE).contains(&self.composition.base) || level.max(stride) > MOST_LEVELS {
            return Err(CertificateError::wrong("a power is out of range"));
        }
        // The stride's own element has to be within the paths that the base of the induction covers.
        let stride_is_right = match kind {
            SequenceKind::AtMost => stride == 0,
            SequenceKind::Less => stride <= level,
            SequenceKind::Equal => stride == level,
        };
        if !stride_is_right {
            return Err(CertificateError::wrong("the transition invariant has no base"));
        }
        for element in [&self.at_most, &self.less, &self.equal].into_iter().flatten() {
            let other = "a conjunct of an element is not about two states";
            check_variables(store, element, &[&system.state, &system.next], other)?;
        }
        Ok(())
    }

    /// The conjuncts of an element above level 0; none for one that nothing is known of.
    fn element(&self, kind: SequenceKind, level: usize) -> &[Term] {
        let sequence = match kind {
            SequenceKind::AtMost => &self.at_most,
            SequenceKind::Less => &self.less,
            SequenceKind::Equal => &self.equal,
        };
        sequence.get(level - 1).map_or(&[], |element| element)
    }
}

/// The sequences of a system, with copies of its state.
struct Sequences<'a> {
    powers: &'a Powers,
    system: &'a TransitionSystem,
    identity: Term,
    /// The auxiliary variables of the transition.
    auxiliaries: Vec<Term>,
    copies: Vec<Vec<Term>>,
}

impl Sequences<'_> {
    fn new<'a>(store: &mut Store, powers: &'a Powers, system: &'a TransitionSystem) -> Sequences<'a> {
        let mut auxiliaries = store.free_variables(&[system.transition]);
        auxiliaries.retain(|v| !system.state.contains(v) && !system.next.contains(v));
        let mut equations = Vec::with_capacity(system.state.len());
        for (&before, &after) in system.state.iter().zip(&system.next) {
            equations.push(store.eq(before, after));
        }
        let mut copies = vec![system.state.clone(), system.next.clone()];
        while copies.len() < powers.composition.base + 2 {
            copies.push(fresh_like(store, &system.state));
        }
        Sequences { powers, system, identity: store.and(&equations), auxiliaries, copies }
    }

    /// The element that a link of this level names, between its copies.
    fn instance(&self, store: &mut Store, level: usize, link: Link) -> Vec<Term> {
        let formulas = match (level, link.kind) {
            (0, SequenceKind::AtMost) => vec![store.or2(self.identity, self.system.transition)],
            (0, SequenceKind::Less) => vec![self.identity],
            (0, SequenceKind::Equal) => vec![self.system.transition],
            _ => self.powers.element(link.kind, level).to_vec(),
        };
        if (link.from, link.to) == (FIRST, LAST) {
            return formulas;
        }
        let fresh = if level == 0 { fresh_like(store, &self.auxiliaries) } else { Vec::new() };
        let auxiliaries = if level == 0 { &self.auxiliaries[..] } else { &[] };
        let from = [&self.system.state, &self.system.next, auxiliaries].concat();
        let to = [&self.copies[link.from][..], &self.copies[link.to], &fresh].concat();
        formulas.into_iter().map(|formula| store.rename(formula, &from, &to)).collect()
    }

    /// Every element up to the level of the transition invariant covers its decompositions.
    fn check_sequence(
        &self,
        store: &mut Store,
        kind: SequenceKind,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let Powers { composition, transition_invariant, .. } = self.powers;
        for level in 0..transition_invariant.height() {
            budget.check_stop()?;
            let claimed = self.powers.element(kind, level + 1);
            if claimed.is_empty() {
                continue;
            }
            for decomposition in 0..composition.decompositions(kind) {
                let mut refuter = Refuter::new();
                for link in composition.chain(kind, decomposition) {
                    for formula in self.instance(store, level, link) {
                        refuter.assert(store, formula);
                    }
                }
                for &conjunct in claimed {
                    let otherwise = "an element does not cover a decomposition";
                    refuter.expect_refuted(store, &[!conjunct], otherwise, budget)?;
                }
            }
        }
        Ok(())
    }

    /// The transition invariant is closed, and relates no initial state with a bad one.
    fn check_invariant(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        let invariant = self.powers.transition_invariant;
        let bad = store.rename(self.system.bad, &self.system.state, &self.system.next);
        let mut formulas = match invariant.ground {
            Ground::Left => vec![self.system.initial],
            Ground::Right => vec![bad],
        };
        for (level, link) in invariant.premises() {
            formulas.extend(self.instance(store, level, link));
        }
        for link in invariant.conclusions() {
            let conclusion = self.instance(store, invariant.level, link);
            formulas.push(!store.and(&conclusion));
        }
        expect_contradiction(store, &formulas, "the transition invariant is not closed", budget)?;
        for chain in invariant.extent() {
            let mut formulas = vec![self.system.initial, bad];
            for link in chain {
                formulas.extend(self.instance(store, invariant.level, link));
            }
            expect_contradiction(store, &formulas, "the transition invariant is not safe", budget)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_run_from_the_first_copy_to_the_last() {
        for base in 2..5 {
            for order in [StepOrder::LessFirst, StepOrder::EqualFirst] {
                let composition = Composition { base, order };
                for kind in [SequenceKind::AtMost, SequenceKind::Less, SequenceKind::Equal] {
                    for decomposition in 0..composition.decompositions(kind) {
                        let chain = composition.chain(kind, decomposition);
                        assert_eq!(chain[0].from, FIRST);
                        assert_eq!(chain.last().unwrap().to, LAST);
                        assert!(chain.windows(2).all(|pair| pair[0].to == pair[1].from));
                        let shorter = chain.iter().filter(|link| link.kind == SequenceKind::Less).count();
                        assert_eq!(shorter, usize::from(kind == SequenceKind::Less));
                    }
                }
            }
        }
    }
}
