//! What has been compiled already, with a log to undo it scope by scope.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Int, Lit, Rat};
use shem_term::{Poly, Term};

use super::names::{Defined, Names};

/// The literal of a connective and the directions of its definition that have been written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gate {
    pub(crate) lit: Lit,
    /// Bit 0: the literal implies the formula; bit 1: its negation implies the negation.
    pub(crate) written: u8,
}

/// A polynomial of the store in terms of the target: `factor * row + constant`; without a row it is the
/// constant.
#[derive(Clone, Debug)]
pub(crate) struct Image<R> {
    pub(crate) row: Option<R>,
    pub(crate) factor: Rat,
    pub(crate) constant: Rat,
}

#[derive(Clone, Debug)]
enum Undo {
    Gate(Term),
    Written(Term, u8),
    Leaf(Term),
    Quotient(Term, Int),
    Image(Poly),
    Node(Term),
}

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// The compiled subterms of a target.
#[derive(Debug)]
pub(crate) struct Memo<N, R, V> {
    gates: Map<Term, Gate>,
    leaves: Map<Term, N>,
    quotients: Map<(Term, Int), N>,
    images: Map<Poly, Image<R>>,
    nodes: Map<Term, V>,
    names: Names<N>,
    log: Vec<Undo>,
    marks: Vec<usize>,
}

impl<N, R, V> Default for Memo<N, R, V> {
    fn default() -> Self {
        Memo {
            gates: Map::default(),
            leaves: Map::default(),
            quotients: Map::default(),
            images: Map::default(),
            nodes: Map::default(),
            names: Names::default(),
            log: Vec::new(),
            marks: Vec::new(),
        }
    }
}

impl<N: Copy + Ord, R: Copy, V: Copy> Memo<N, R, V> {
    /// What the gates and auxiliaries made so far stand for.
    pub(crate) fn names(&self) -> &Names<N> {
        &self.names
    }

    /// What the gates and auxiliaries stand for, for whoever needs nothing else.
    pub(crate) fn into_names(self) -> Names<N> {
        self.names
    }

    pub(crate) fn gate(&self, term: Term) -> Option<Gate> {
        self.gates.get(&term).copied()
    }

    pub(crate) fn add_gate(&mut self, term: Term, lit: Lit) {
        self.gates.insert(term, Gate { lit, written: 0 });
        self.names.add_gate(lit.var(), term);
        self.record(Undo::Gate(term));
    }

    /// Marks the directions as written; returns those that were not.
    pub(crate) fn write(&mut self, term: Term, directions: u8) -> u8 {
        let gate = self.gates.get_mut(&term).expect("the gate has been added");
        let missing = directions & !gate.written;
        if missing != 0 {
            gate.written |= missing;
            self.record(Undo::Written(term, missing));
        }
        missing
    }

    pub(crate) fn leaf(&self, term: Term) -> Option<N> {
        self.leaves.get(&term).copied()
    }

    pub(crate) fn add_leaf(&mut self, term: Term, number: N) {
        self.leaves.insert(term, number);
        self.names.add_number(number, Defined::Leaf(term));
        self.record(Undo::Leaf(term));
    }

    pub(crate) fn quotient(&self, term: Term, modulus: &Int) -> Option<N> {
        self.quotients.get(&(term, modulus.clone())).copied()
    }

    pub(crate) fn add_quotient(&mut self, term: Term, modulus: &Int, number: N) {
        self.quotients.insert((term, modulus.clone()), number);
        self.names.add_number(number, Defined::Quotient(term, modulus.clone()));
        self.record(Undo::Quotient(term, modulus.clone()));
    }

    pub(crate) fn image(&self, poly: Poly) -> Option<&Image<R>> {
        self.images.get(&poly)
    }

    pub(crate) fn add_image(&mut self, poly: Poly, image: Image<R>) {
        self.images.insert(poly, image);
        self.record(Undo::Image(poly));
    }

    /// The node of a term, which may be a negation.
    pub(crate) fn node(&self, term: Term) -> Option<V> {
        self.nodes.get(&term).copied()
    }

    pub(crate) fn add_node(&mut self, term: Term, node: V) {
        self.nodes.insert(term, node);
        self.record(Undo::Node(term));
    }

    fn record(&mut self, undo: Undo) {
        if !self.marks.is_empty() {
            self.log.push(undo);
        }
    }

    /// Opens a scope.
    pub(crate) fn push(&mut self) {
        self.marks.push(self.log.len());
        self.names.push();
    }

    /// Forgets what was compiled in the innermost scope.
    pub(crate) fn pop(&mut self) {
        let mark = self.marks.pop().expect("a scope is open");
        self.names.pop();
        while self.log.len() > mark {
            match self.log.pop().expect("the log is longer than the mark") {
                Undo::Gate(term) => drop(self.gates.remove(&term)),
                Undo::Written(term, directions) => {
                    if let Some(gate) = self.gates.get_mut(&term) {
                        gate.written &= !directions;
                    }
                }
                Undo::Leaf(term) => drop(self.leaves.remove(&term)),
                Undo::Quotient(term, modulus) => drop(self.quotients.remove(&(term, modulus))),
                Undo::Image(poly) => drop(self.images.remove(&poly)),
                Undo::Node(term) => drop(self.nodes.remove(&term)),
            }
        }
    }
}
