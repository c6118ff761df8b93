//! The sequences of relations, as [`Powers`](shem_check::certificate::Powers) defines them.
//!
//! Element 0 is exact. Every other element is a conjunction of formulas over two copies of the state that is only ever
//! strengthened.

pub(super) use shem_check::certificate::{Composition, Link, SequenceKind};
use shem_term::{Store, Term, View};

use super::copies::Copies;

/// The elements of the sequences of one transition relation.
#[derive(Clone, Debug)]
pub(super) struct Sequences {
    at_most: Vec<Vec<Term>>,
    less: Vec<Vec<Term>>,
    equal: Vec<Vec<Term>>,
}

impl Sequences {
    /// The exact elements 0.
    pub(super) fn new(store: &mut Store, copies: &Copies, transition: Term) -> Sequences {
        let identity = copies.identity(store);
        let reflexive = store.or2(identity, transition);
        Sequences {
            at_most: vec![vec![reflexive]],
            less: vec![vec![identity]],
            equal: vec![vec![transition]],
        }
    }

    fn sequence(&self, kind: SequenceKind) -> &Vec<Vec<Term>> {
        match kind {
            SequenceKind::AtMost => &self.at_most,
            SequenceKind::Less => &self.less,
            SequenceKind::Equal => &self.equal,
        }
    }

    /// The elements above level 0 up to this one.
    pub(super) fn above_zero(&self, kind: SequenceKind, height: usize) -> Vec<Vec<Term>> {
        self.sequence(kind).iter().take(height + 1).skip(1).cloned().collect()
    }

    /// The conjuncts of an element; none yet for one that nothing is known of.
    pub(super) fn element(&self, kind: SequenceKind, level: usize) -> &[Term] {
        self.sequence(kind).get(level).map_or(&[], |element| element)
    }

    /// Strengthens an element; returns how many conjuncts are new.
    pub(super) fn strengthen(
        &mut self,
        store: &mut Store,
        kind: SequenceKind,
        level: usize,
        formula: Term,
    ) -> usize {
        debug_assert!(level > 0, "the elements 0 are exact");
        let sequence = match kind {
            SequenceKind::AtMost => &mut self.at_most,
            SequenceKind::Less => &mut self.less,
            SequenceKind::Equal => &mut self.equal,
        };
        if sequence.len() <= level {
            sequence.resize_with(level + 1, Vec::new);
        }
        let element = &mut sequence[level];
        let before = element.len();
        for conjunct in store.conjuncts(formula) {
            let conjunct = without_implied_equations(store, conjunct);
            if !element.contains(&conjunct) {
                element.push(conjunct);
            }
        }
        element.len() - before
    }

    /// Restricts single steps by what has been found to hold of all of them. Elements of higher levels stay right.
    pub(super) fn restrict_steps(&mut self, formula: Term) {
        self.at_most[0].push(formula);
        self.equal[0].push(formula);
    }

    /// The number of conjuncts above level 0.
    pub(super) fn size(&self) -> usize {
        let above = |sequence: &Vec<Vec<Term>>| sequence.iter().skip(1).map(Vec::len).sum::<usize>();
        above(&self.at_most) + above(&self.less) + above(&self.equal)
    }

    /// The highest level of an element that something is known of.
    pub(super) fn height(&self) -> usize {
        [&self.at_most, &self.less, &self.equal].map(Vec::len).into_iter().max().unwrap_or(1) - 1
    }

    /// Only the elements up to this level.
    pub(super) fn up_to(&self, level: usize) -> Sequences {
        let cut = |sequence: &Vec<Vec<Term>>| sequence.iter().take(level + 1).cloned().collect();
        Sequences { at_most: cut(&self.at_most), less: cut(&self.less), equal: cut(&self.equal) }
    }

    /// The conjuncts of the element that a link of this level names, between its copies.
    pub(super) fn instance(
        &self,
        store: &mut Store,
        copies: &mut Copies,
        level: usize,
        link: Link,
        out: &mut Vec<Term>,
    ) {
        for &formula in self.element(link.kind, level) {
            out.push(copies.relation(store, formula, link.from, link.to));
        }
    }
}

/// A disjunction without the conjunctions that imply an inequality in it by one equation: the identity leaves
/// such behind.
fn without_implied_equations(store: &mut Store, formula: Term) -> Term {
    let members = match store.view(formula) {
        View::And(args) if formula.is_negated() => args.iter().map(|&arg| !arg).collect::<Vec<Term>>(),
        _ => return formula,
    };
    let implies = |equation: Term, other: Term| {
        let View::Eq(poly, value) = store.view(equation) else { return false };
        match store.view(other) {
            View::Le(p, bound) => p == poly && (value <= bound) != other.is_negated(),
            View::Lt(p, bound) => p == poly && (value < bound) != other.is_negated(),
            _ => false,
        }
    };
    let is_needed = |&&member: &&Term| {
        let parts = store.conjuncts(member);
        let mut equations = parts.iter().filter(|part| !part.is_negated());
        !equations.any(|&e| members.iter().any(|&other| other != member && implies(e, other)))
    };
    let needed: Vec<Term> = members.iter().filter(is_needed).copied().collect();
    if needed.len() == members.len() { formula } else { store.or(&needed) }
}
