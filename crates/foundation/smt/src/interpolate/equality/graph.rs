//! Congruence closure with a graph of the reasons, for one lemma.
//!
//! Lemmas are small, so nothing here is clever: classes are lists, and every round looks at all applications again.
//! The reasons form a forest (Nieuwenhuis and Oliveras 2007): two vertices of a class are connected by one path, which
//! stays as it is when the class grows. An edge is younger than those that its premises need.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_term::Symbol;

use super::vertex::{Claim, Literal, Shape, Vertex, Vertices};

/// What an edge by an axiom needs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Premise {
    Equal(Vertex, Vertex),
    /// Two vertices differ, since they are equal to two others that do.
    Distinct {
        pair: [Vertex; 2],
        witnesses: [Vertex; 2],
    },
}

/// Why the ends of an edge are equal.
#[derive(Clone, Debug)]
pub(super) enum Reason {
    Assumed,
    /// They are applications of one symbol to equal arguments.
    Congruence,
    /// By an axiom, from its premises.
    Axiom(Vec<Premise>),
}

/// An edge.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) ends: [Vertex; 2],
    pub(super) reason: Reason,
}

/// The classes of a lemma's vertices.
#[derive(Debug, Default)]
pub(super) struct Graph {
    places: BTreeMap<Vertex, usize>,
    members: Vec<Vertex>,
    /// By place: the number of the class.
    class: Vec<usize>,
    /// By number: the members of the class; empty for one that was merged with another.
    classes: Vec<Vec<Vertex>>,
    /// By number: the truth value or numeral in the class.
    constants: Vec<Option<Vertex>>,
    /// By place: the next place towards the root of its tree, and the edge to there.
    forest: Vec<Option<(usize, usize)>>,
    edges: Vec<Edge>,
    /// Assumed to differ.
    distinct: Vec<[Vertex; 2]>,
    /// Equal although they differ, by assumption or because they are constants.
    conflict: Option<[Vertex; 2]>,
}

impl Graph {
    /// Adds a vertex with its parts, as far as they may be used on one side of every cut. Says whether it may.
    pub(super) fn add<const W: usize>(&mut self, vertices: &Vertices<W>, vertex: Vertex) -> bool {
        let mut stack = vec![vertex];
        while let Some(next) = stack.pop() {
            if self.places.contains_key(&next) {
                continue;
            }
            match vertices.shape(next) {
                Shape::Application(_, args) => stack.extend_from_slice(args),
                Shape::Equation(a, b) => stack.extend([*a, *b]),
                Shape::Truth | Shape::Falsity | Shape::Numeral(_) | Shape::Sum(..) | Shape::Leaf => {}
            }
            if vertices.covers(vertices.sides(next)) {
                self.places.insert(next, self.members.len());
                self.class.push(self.classes.len());
                self.classes.push(vec![next]);
                self.constants.push(Some(next).filter(|&vertex| vertices.is_constant(vertex)));
                self.forest.push(None);
                self.members.push(next);
            }
        }
        self.places.contains_key(&vertex)
    }

    pub(super) fn assume(&mut self, literal: Literal) {
        match literal {
            Literal { a, b, positive: true } => self.merge(a, b, Reason::Assumed),
            // A truth value that is not one is the other.
            Literal { a: Vertex::TRUTH, b, .. } => self.merge(b, Vertex::FALSITY, Reason::Assumed),
            Literal { a, b, .. } => {
                self.distinct.push([a, b]);
                self.find_conflict();
            }
        }
    }

    /// All vertices of the graph.
    pub(super) fn members(&self) -> &[Vertex] {
        &self.members
    }

    /// The pairs that are assumed to differ.
    pub(super) fn distinct(&self) -> &[[Vertex; 2]] {
        &self.distinct
    }

    pub(super) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The vertices that are equal to this one.
    pub(super) fn equals(&self, vertex: Vertex) -> &[Vertex] {
        &self.classes[self.class_of(vertex)]
    }

    /// Two vertices that are equal although they differ.
    pub(super) fn conflict(&self) -> Option<[Vertex; 2]> {
        self.conflict
    }

    fn class_of(&self, vertex: Vertex) -> usize {
        self.class[self.places[&vertex]]
    }

    pub(super) fn are_equal(&self, a: Vertex, b: Vertex) -> bool {
        self.class_of(a) == self.class_of(b)
    }

    /// Two vertices that differ, equal to these.
    pub(super) fn witnesses(&self, a: Vertex, b: Vertex) -> Option<[Vertex; 2]> {
        let (left, right) = (self.class_of(a), self.class_of(b));
        if let (Some(c), Some(d)) = (self.constants[left], self.constants[right]) {
            return Some([c, d]).filter(|_| c != d);
        }
        self.distinct.iter().find_map(|&[p, q]| match (self.class_of(p), self.class_of(q)) {
            pair if pair == (left, right) => Some([p, q]),
            pair if pair == (right, left) => Some([q, p]),
            _ => None,
        })
    }

    /// Makes two vertices equal, unless they are.
    pub(super) fn merge(&mut self, a: Vertex, b: Vertex, reason: Reason) {
        let (left, right) = (self.class_of(a), self.class_of(b));
        if left == right || self.conflict.is_some() {
            return;
        }
        let edge = self.edges.len();
        self.edges.push(Edge { ends: [a, b], reason });
        // The edges from `a` to its root are turned round.
        let (mut place, mut new) = (self.places[&a], Some((self.places[&b], edge)));
        while let Some((next, via)) = std::mem::replace(&mut self.forest[place], new) {
            new = Some((place, via));
            place = next;
        }
        let moved = std::mem::take(&mut self.classes[left]);
        for vertex in &moved {
            self.class[self.places[vertex]] = right;
        }
        self.classes[right].extend(moved);
        match (self.constants[left], self.constants[right]) {
            (Some(c), Some(d)) => self.conflict = Some([c, d]),
            (Some(c), None) => self.constants[right] = Some(c),
            _ => {}
        }
        if self.conflict.is_none() {
            self.find_conflict();
        }
    }

    fn find_conflict(&mut self) {
        self.conflict = self.distinct.iter().copied().find(|&[p, q]| self.are_equal(p, q));
    }

    /// One round of congruence.
    pub(super) fn close<const W: usize>(&mut self, vertices: &Vertices<W>) {
        let mut signatures: HashMap<(Symbol, Vec<usize>), Vertex, FxBuildHasher> = HashMap::default();
        for index in 0..self.members.len() {
            let vertex = self.members[index];
            let Some((symbol, args)) = vertices.parts(vertex) else { continue };
            let classes = args.iter().map(|&arg| self.class_of(arg)).collect();
            let other = *signatures.entry((symbol, classes)).or_insert(vertex);
            self.merge(vertex, other, Reason::Congruence);
        }
    }

    /// The path between two vertices of one class: what it goes through and by which edges.
    pub(super) fn path(&self, a: Vertex, b: Vertex) -> (Vec<Vertex>, Vec<usize>) {
        let to_root = |vertex: Vertex| {
            let mut place = self.places[&vertex];
            let (mut places, mut edges) = (vec![place], Vec::new());
            while let Some((next, edge)) = self.forest[place] {
                places.push(next);
                edges.push(edge);
                place = next;
            }
            (places, edges)
        };
        let ((mut left, mut left_edges), (mut right, mut right_edges)) = (to_root(a), to_root(b));
        while left.len() > 1 && right.len() > 1 && left[left.len() - 2] == right[right.len() - 2] {
            left.pop();
            left_edges.pop();
            right.pop();
            right_edges.pop();
        }
        right.pop();
        left.extend(right.into_iter().rev());
        left_edges.extend(right_edges.into_iter().rev());
        (left.into_iter().map(|place| self.members[place]).collect(), left_edges)
    }

    /// The claim that two vertices that were found equal or different are.
    pub(super) fn claim<const W: usize>(vertices: &Vertices<W>, premise: Premise) -> Claim {
        match premise {
            Premise::Equal(a, b) => vertices.claim(a, b, true),
            Premise::Distinct { pair: [a, b], .. } => vertices.claim(a, b, false),
        }
    }
}
