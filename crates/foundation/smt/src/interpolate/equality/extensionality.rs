//! Arrays that agree everywhere are equal.
//!
//! Two arrays that are connected by stores and equalities differ at most at the indices of the stores. If they are
//! known to agree there, they are equal (Christ and Hoenicke 2015). That is a valid clause about the path, the indices
//! and the reads, for which some side of every cut must be able to write all of them: a path across a cut would
//! need a term for the index at which two arrays differ, which the language does not have.

use std::collections::{BTreeMap, VecDeque};

use shem_term::{Role, Symbol};

use super::graph::{Premise, Reason};
use super::rules::Rules;
use super::vertex::Vertex;
use crate::interpolate::cutset::CutSet;

/// How a path of arrays comes to a vertex.
#[derive(Clone, Copy)]
enum Step {
    Start,
    /// From an equal one.
    Equal(Vertex),
    /// From one that differs at an index.
    Store(Vertex, Vertex),
}

impl<const W: usize> Rules<'_, W> {
    /// Looks for equal arrays among those that are assumed to differ.
    pub(super) fn apply_extensionality(&mut self) {
        for [p, q] in self.graph.distinct().to_vec() {
            let (left, right) = (self.graph.equals(p).to_vec(), self.graph.equals(q).to_vec());
            for &a in &left {
                for &b in &right {
                    if self.graph.conflict().is_some() {
                        return;
                    }
                    self.compare_arrays(a, b);
                }
            }
        }
    }

    /// Makes two arrays equal if some side can show it.
    fn compare_arrays(&mut self, a: Vertex, b: Vertex) {
        let sides = self.vertices.sides(a).meet(self.vertices.sides(b));
        let cuts = self.vertices.cuts();
        if !self.vertices.covers(sides) {
            return;
        }
        // On which cuts A writes it: on as few as possible, or on as many.
        for by_a in [cuts & !sides.b, cuts & sides.a] {
            if let Some(premises) = self.connect(a, b, by_a) {
                self.graph.merge(a, b, Reason::Axiom(premises));
                return;
            }
        }
    }

    /// Why two arrays are equal, in terms that A can write at these cuts and B at the others.
    fn connect(&mut self, a: Vertex, b: Vertex, by_a: CutSet<W>) -> Option<Vec<Premise>> {
        let mut steps: BTreeMap<Vertex, Step> = BTreeMap::from([(a, Step::Start)]);
        let mut queue = VecDeque::from([a]);
        while let Some(array) = queue.pop_front() {
            if array == b {
                break;
            }
            let mut next: Vec<(Vertex, Step)> = Vec::new();
            for &other in self.graph.equals(array) {
                if self.is_writable(other, by_a) {
                    next.push((other, Step::Equal(array)));
                }
            }
            for (store, base, index, select) in self.stores_at(array) {
                if self.is_writable(store, by_a) && self.agree(select, a, b, index) {
                    let other = if store == array { base } else { store };
                    next.push((other, Step::Store(array, index)));
                }
            }
            for (other, step) in next {
                steps.entry(other).or_insert_with(|| {
                    queue.push_back(other);
                    step
                });
            }
        }
        self.collect(a, b, &steps)
    }

    /// The premises of the path that ends at `b`, if there is one.
    fn collect(&mut self, a: Vertex, b: Vertex, steps: &BTreeMap<Vertex, Step>) -> Option<Vec<Premise>> {
        let mut premises = Vec::new();
        let mut array = b;
        loop {
            match *steps.get(&array)? {
                Step::Start => return Some(premises),
                Step::Equal(from) => {
                    premises.push(Premise::Equal(from, array));
                    array = from;
                }
                Step::Store(from, index) => {
                    let (.., select) = self.stores_at(from).into_iter().find(|store| store.2 == index)?;
                    let reads =
                        [self.application(select, &[a, index])?, self.application(select, &[b, index])?];
                    if reads[0] != reads[1] {
                        premises.push(Premise::Equal(reads[0], reads[1]));
                    }
                    array = from;
                }
            }
        }
    }

    fn is_writable(&self, vertex: Vertex, by_a: CutSet<W>) -> bool {
        let sides = self.vertices.sides(vertex);
        by_a.is_subset(&sides.a) && (self.vertices.cuts() & !by_a).is_subset(&sides.b)
    }

    /// The stores that are this array or are made of it: each with the array that it is made of, its index and the
    /// symbol by which it is read.
    fn stores_at(&self, array: Vertex) -> Vec<(Vertex, Vertex, Vertex, Symbol)> {
        let stores = self.graph.members().iter().filter_map(|&store| {
            let (symbol, args) = self.vertices.parts(store)?;
            let [select, ..] = self.store.array_symbols(self.store.signature(symbol).result)?;
            let is_near = store == array || args.first() == Some(&array);
            (self.store.role(symbol) == Role::Store && is_near).then(|| (store, args[0], args[1], select))
        });
        stores.collect()
    }

    /// Whether two arrays are known to agree at an index. The reads are made if they were missing.
    fn agree(&mut self, select: Symbol, a: Vertex, b: Vertex, index: Vertex) -> bool {
        match (self.application(select, &[a, index]), self.application(select, &[b, index])) {
            (Some(left), Some(right)) => self.graph.are_equal(left, right),
            _ => false,
        }
    }
}
