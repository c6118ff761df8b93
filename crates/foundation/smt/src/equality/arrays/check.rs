//! The rules: what reads, stores, extensionality and constant arrays demand.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::super::closure::Closure;
use super::super::node::{Kind, Node, NodeShape, NodeSort};
use super::graph::{Applications, ArraySort, Graph, Read, Vertex};
use super::path::{Argument, PathFinder};

/// What the rules found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayOutcome {
    /// All that the rules demand holds.
    Stable,
    /// Equalities were derived: the classes have to be closed again.
    Derived,
    /// It has to be decided which of the pairs of indices that [`Arrays::open_pairs`] gives are equal.
    Split,
    /// The read of this array at this index has to exist.
    Read(Node, Node),
}

/// The theory of arrays over the classes of a closure.
#[derive(Debug, Default)]
pub struct Arrays {
    /// By sort: what is known of it, if it is one of arrays.
    sorts: Vec<Option<ArraySort>>,
    pub(super) applications: Applications,
    pub(super) graph: Graph,
    finder: PathFinder,
    argument: Argument,
    /// By vertex: its part of the component modulo the index at hand.
    pub(super) parts: Vec<u32>,
    /// By part: what is known of it at the index at hand.
    pub(super) known: Vec<Option<Read>>,
    /// By vertex: a digest of its content at the indices of stores.
    digests: Vec<u64>,
    stack: Vec<Vertex>,
    found: Found,
}

/// What was found so far.
#[derive(Debug, Default)]
struct Found {
    derived: bool,
    /// The pairs of indices that one consequence needs to be different.
    splits: Vec<(Node, Node)>,
    read: Option<(Node, Node)>,
}

impl Arrays {
    /// Says what the rules have to know of a sort of arrays.
    pub fn declare(&mut self, sort: NodeSort, of: ArraySort) {
        if self.sorts.len() <= sort.index() {
            self.sorts.resize(sort.index() + 1, None);
        }
        self.sorts[sort.index()] = Some(of);
    }

    /// What is known of a sort, if it is one of arrays.
    pub fn sort(&self, sort: NodeSort) -> Option<ArraySort> {
        self.sorts.get(sort.index()).copied().flatten()
    }

    /// Forgets the nodes from this number on.
    pub fn truncate(&mut self, count: usize) {
        self.applications.truncate(count);
    }

    /// Applies the rules to the classes, which are closed.
    pub fn check(&mut self, closure: &mut Closure) -> ArrayOutcome {
        self.applications.update(closure);
        if self.applications.is_empty() {
            self.graph = Graph::default();
            return ArrayOutcome::Stable;
        }
        self.graph.build(closure, &self.applications);
        self.found = Found::default();
        self.parts.clear();
        self.parts.resize(self.graph.roots.len(), u32::MAX);
        for component in 0..self.graph.components() {
            self.check_component(closure, component);
        }
        match &self.found {
            Found { derived: true, .. } => ArrayOutcome::Derived,
            Found { splits, .. } if !splits.is_empty() => ArrayOutcome::Split,
            Found { read: Some((array, index)), .. } => ArrayOutcome::Read(*array, *index),
            _ => ArrayOutcome::Stable,
        }
    }

    /// The pairs of indices, neither equal nor different by now, that the first consequence which the last check could
    /// not draw needs to be different: asked for one by one, they would each cost a complete check.
    pub fn open_pairs(&self) -> &[(Node, Node)] {
        &self.found.splits
    }

    fn check_component(&mut self, closure: &mut Closure, component: usize) {
        let sort = self.graph.sort_of(closure, component);
        let Some(sort) = self.sort(sort) else { return };
        self.equate_constants(closure, component, sort.indices);
        let identities = self.identities(closure, component);
        self.digests.clear();
        self.digests.resize(self.graph.roots.len(), 0);
        let constants = self.graph.constants_of(component).len();
        let mut at = 0;
        while let Some(&(_, label, _)) = self.graph.reads_of(component).get(at) {
            let reads = self.graph.reads_of(component)[at..].partition_point(|read| read.1 <= label);
            let is_store = |edge: u32| self.graph.edges[edge as usize].label == label;
            let vertices = self.graph.vertices_of(component);
            let has_stores = vertices.iter().any(|&vertex| self.graph.edges_at(vertex).any(is_store));
            let separates = has_stores && (identities.len() > 1 || !sort.infinite_element);
            if reads + constants > 1 || separates {
                self.divide(component, label);
                self.equate_reads(closure, component, at..at + reads, label);
                if separates {
                    self.digest(closure, component);
                    if !sort.infinite_element {
                        self.request_read(component, label);
                    }
                }
            }
            at += reads;
        }
        if identities.len() > 1 {
            self.equate_arrays(closure, component, &identities);
        }
    }

    /// Two constant arrays have the same element if the stores between them are at fewer indices than there are.
    fn equate_constants(&mut self, closure: &mut Closure, component: usize, indices: u64) {
        let constants = self.graph.constants_of(component).to_vec();
        for (at, &(_, first)) in constants.iter().enumerate() {
            for &(_, read) in &constants[at + 1..] {
                if closure.are_equal(first.element, read.element) {
                    continue;
                }
                self.argument.clear();
                let tools = (&*closure, &self.graph, &mut self.finder);
                let (from, to) = ((first.array, first.vertex), (read.array, read.vertex));
                self.argument.connect(tools, from, to, None);
                let written = self.finder.trace(&self.graph, read.vertex).len() as u64;
                if written < indices || (self.written_between(read.vertex).len() as u64) < indices {
                    self.conclude(closure, first.element, read.element);
                }
            }
            if indices == u64::MAX {
                // The others are equal to this one.
                break;
            }
        }
    }

    /// The indices of the stores of the last path, which leads to this vertex, one of each class, with the class. That
    /// others of the class are equal to it is added to the argument.
    fn written_between(&mut self, to: Vertex) -> Vec<(Node, Node)> {
        let edges = self.finder.trace(&self.graph, to).iter().map(|&edge| &self.graph.edges[edge as usize]);
        let mut written: Vec<(Node, Node)> = edges.map(|edge| (edge.label, edge.index)).collect();
        written.sort_unstable();
        for pair in written.windows(2) {
            if pair[0].0 == pair[1].0 {
                self.argument.equal(pair[0].1, pair[1].1);
            }
        }
        written.dedup_by_key(|entry| entry.0);
        written
    }

    /// The vertices whose equality with others matters.
    fn identities(&self, closure: &Closure, component: usize) -> Vec<Vertex> {
        let vertices = self.graph.vertices_of(component);
        if vertices.len() < 2 {
            return Vec::new();
        }
        let matters = |vertex: &Vertex| is_compared(closure, self.graph.roots[*vertex as usize]);
        vertices.iter().copied().filter(matters).collect()
    }

    /// Divides a component into its parts modulo an index.
    pub(super) fn divide(&mut self, component: usize, label: Node) {
        for &vertex in self.graph.vertices_of(component) {
            self.parts[vertex as usize] = u32::MAX;
        }
        self.known.clear();
        for &start in self.graph.vertices_of(component) {
            if self.parts[start as usize] != u32::MAX {
                continue;
            }
            let part = self.known.len() as u32;
            self.known.push(None);
            self.parts[start as usize] = part;
            self.stack.push(start);
            while let Some(vertex) = self.stack.pop() {
                for edge in self.graph.edges_at(vertex) {
                    let other = self.graph.across(edge, vertex);
                    let differs = self.graph.edges[edge as usize].label != label;
                    if differs && self.parts[other as usize] == u32::MAX {
                        self.parts[other as usize] = part;
                        self.stack.push(other);
                    }
                }
            }
        }
    }

    /// Takes note of a read in its part. Gives the one that was there before.
    pub(super) fn note_read(&mut self, read: Read) -> Option<Read> {
        let known = &mut self.known[self.parts[read.vertex as usize] as usize];
        match known {
            Some(first) => Some(*first),
            None => {
                *known = Some(read);
                None
            }
        }
    }

    /// All arrays of a part have the same element at the index.
    fn equate_reads(
        &mut self,
        closure: &mut Closure,
        component: usize,
        range: std::ops::Range<usize>,
        label: Node,
    ) {
        let constants = self.graph.constants_of(component).len();
        for at in range.clone().chain(range.end..range.end + constants) {
            let read = match at < range.end {
                true => self.graph.reads_of(component)[at].2,
                false => self.graph.constants_of(component)[at - range.end].1,
            };
            let Some(first) = self.note_read(read) else { continue };
            if closure.are_equal(first.element, read.element) {
                continue;
            }
            self.argument.clear();
            let index = first.index.or(read.index).unwrap_or(label);
            if let (Some(a), Some(b)) = (first.index, read.index) {
                self.argument.equal(a, b);
            }
            let tools = (&*closure, &self.graph, &mut self.finder);
            let (from, to) = ((first.array, first.vertex), (read.array, read.vertex));
            self.argument.connect(tools, from, to, Some(index));
            self.conclude(closure, first.element, read.element);
        }
    }

    /// Adds what the arrays have at the index at hand to their digests.
    fn digest(&mut self, closure: &Closure, component: usize) {
        for &vertex in self.graph.vertices_of(component) {
            let part = self.parts[vertex as usize];
            let word = match self.known[part as usize] {
                Some(read) => (closure.class(read.element).index() as u64) << 1,
                None => u64::from(part) << 1 | 1,
            };
            let digest = &mut self.digests[vertex as usize];
            *digest = (digest.rotate_left(7) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    /// Where there are finitely many elements, what an array has at the index of a store must be known.
    fn request_read(&mut self, component: usize, label: Node) {
        for &vertex in self.graph.vertices_of(component) {
            for number in self.graph.edges_at(vertex) {
                let edge = &self.graph.edges[number as usize];
                let part = self.parts[edge.ends[1] as usize];
                if edge.label == label && self.known[part as usize].is_none() {
                    self.found.read.get_or_insert((edge.base, edge.index));
                    return;
                }
            }
        }
    }

    /// Arrays that have the same content at the indices of all stores between them are equal.
    fn equate_arrays(&mut self, closure: &mut Closure, component: usize, identities: &[Vertex]) {
        let mut first: HashMap<u64, Vertex, FxBuildHasher> = HashMap::default();
        for &vertex in identities {
            let other = *first.entry(self.digests[vertex as usize]).or_insert(vertex);
            if other != vertex {
                let (a, b) = (self.graph.roots[other as usize], self.graph.roots[vertex as usize]);
                if !closure.are_equal(a, b) && self.argue_extensionality(closure, component, other, vertex) {
                    self.conclude(closure, a, b);
                }
            }
        }
    }

    /// Collects why two arrays are equal. Returns whether they have to be.
    fn argue_extensionality(&mut self, closure: &Closure, component: usize, a: Vertex, b: Vertex) -> bool {
        let (from, to) = ((self.graph.roots[a as usize], a), (self.graph.roots[b as usize], b));
        self.argument.clear();
        let tools = (closure, &self.graph, &mut self.finder);
        self.argument.connect(tools, from, to, None);
        for (label, index) in self.written_between(b) {
            let tools = (closure, &self.graph, &mut self.finder);
            if self.argument.connect(tools, from, to, Some(index)) {
                continue;
            }
            let (Some(left), Some(right)) =
                (self.read_near(component, a, label), self.read_near(component, b, label))
            else {
                return false;
            };
            if !closure.are_equal(left.element, right.element) {
                return false;
            }
            for (read, array) in [(left, from), (right, to)] {
                let tools = (closure, &self.graph, &mut self.finder);
                self.argument.connect(tools, array, (read.array, read.vertex), Some(index));
                if let Some(other) = read.index {
                    self.argument.equal(other, index);
                }
            }
            self.argument.equal(left.element, right.element);
        }
        true
    }

    /// What is known of an array at an index.
    fn read_near(&mut self, component: usize, vertex: Vertex, label: Node) -> Option<Read> {
        let graph = &self.graph;
        self.finder.explore(graph, vertex, |edge| graph.edges[edge as usize].label != label);
        let reads = self.graph.reads_of(component).iter();
        let at_index = reads.filter(|&&(_, of, _)| of == label).map(|&(_, _, read)| read);
        let constants = self.graph.constants_of(component).iter().map(|&(_, read)| read);
        at_index.chain(constants).find(|read| self.finder.has_reached(read.vertex))
    }

    /// Derives an equality by the argument, or asks for what the argument lacks.
    fn conclude(&mut self, closure: &mut Closure, a: Node, b: Node) {
        if self.argument.open.is_empty() {
            closure.derive_equal(a, b, &self.argument.premises);
            self.found.derived = true;
        } else if self.found.splits.is_empty() {
            self.found.splits.append(&mut self.argument.open);
            self.found.splits.sort_unstable();
            self.found.splits.dedup();
        }
    }
}

/// Whether it matters which other arrays a class of arrays equals: something other than a read or a write of it
/// mentions it, or it is an element of another array.
pub fn is_compared(closure: &Closure, root: Node) -> bool {
    let is_read = |node| matches!(closure.function(node), Some((_, Kind::Select)));
    closure.members(root).any(is_read)
        || closure.uses(root).any(|user| match closure.shape(user) {
            NodeShape::Application(function, args) => match closure.kind(function) {
                Kind::Select | Kind::Store => args[1..].iter().any(|&arg| closure.class(arg) == root),
                _ => true,
            },
            _ => true,
        })
}
