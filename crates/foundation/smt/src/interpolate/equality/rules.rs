//! Axioms of datatypes and arrays, as equations of further vertices.
//!
//! The rules of datatypes follow by congruence from the axioms that a selector gives a field and a tester the truth
//! about an application of a constructor. For example, `C(x) = C(y)` gives `x = s(C(x)) = s(C(y)) = y`. Where the two
//! belong to different sides, congruence is divided at an `m` that both can write, and `s(m)` is the interpolant's.
//! Likewise reading over a weak path (Hoenicke and Schindler 2018) follows by congruence from the axiom that `store(a, i,
//! v)` is `a` where the index is not `i`, for every index at which something is read, as far as one side can write
//! array and index together. Nothing outside of the language of the input is needed. That no value is part of
//! itself is an axiom about one vertex and its fields (see `cycles`), and that arrays which agree everywhere are equal one
//! about a path of stores (see `extensionality`).

use shem_term::{Role, Sort, Store, Symbol};

use super::graph::{Graph, Premise, Reason};
use super::vertex::{Shape, Vertex, Vertices};

/// The number of vertices beyond which no more are added.
const MOST_VERTICES: usize = 2_000;

/// Closes the graph under congruence and the axioms, until there is a conflict or nothing new.
pub(super) fn saturate<const W: usize>(store: &Store, vertices: &mut Vertices<W>, graph: &mut Graph) {
    let mut rules = Rules { store, vertices, graph, examined: 0, cycle: None };
    loop {
        let before = (rules.graph.members().len(), rules.graph.edges().len());
        rules.graph.close(rules.vertices);
        if rules.graph.conflict().is_some() {
            return;
        }
        rules.examine_new();
        rules.apply();
        if before == (rules.graph.members().len(), rules.graph.edges().len()) {
            if rules.cycle.is_none() {
                rules.cycle = rules.find_cycle();
            }
            rules.apply_extensionality();
        }
        rules.refute_cycle();
        if before == (rules.graph.members().len(), rules.graph.edges().len()) {
            return;
        }
    }
}

pub(super) struct Rules<'a, const W: usize> {
    pub(super) store: &'a Store,
    pub(super) vertices: &'a mut Vertices<W>,
    pub(super) graph: &'a mut Graph,
    /// How many of the graph's vertices have been examined.
    examined: usize,
    /// Equations that cannot all hold, since a value would be part of itself.
    pub(super) cycle: Option<Vec<[Vertex; 2]>>,
}

impl<const W: usize> Rules<'_, W> {
    /// A vertex of the graph that is an application, unless neither side of some cut can write it.
    pub(super) fn application(&mut self, symbol: Symbol, args: &[Vertex]) -> Option<Vertex> {
        if self.graph.members().len() > MOST_VERTICES {
            return None;
        }
        let vertex = self.vertices.application(self.store, symbol, args);
        Some(vertex).filter(|&vertex| self.graph.add(self.vertices, vertex))
    }

    /// An equation by an axiom without premises.
    fn define(&mut self, symbol: Symbol, args: &[Vertex], value: Vertex) {
        if let Some(vertex) = self.application(symbol, args) {
            self.graph.merge(vertex, value, Reason::Axiom(Vec::new()));
        }
    }

    /// The axioms that hold of new vertices whatever is equal.
    fn examine_new(&mut self) {
        while self.examined < self.graph.members().len() {
            let vertex = self.graph.members()[self.examined];
            self.examined += 1;
            let Some((symbol, args)) = self.vertices.parts(vertex) else { continue };
            let args = args.to_vec();
            match self.store.role(symbol) {
                Role::Constructor { datatype, index } => {
                    let constructors = self.store.datatype(datatype).constructors();
                    for (place, constructor) in constructors.iter().enumerate() {
                        let truth = if place == index as usize { Vertex::TRUTH } else { Vertex::FALSITY };
                        self.define(constructor.tester, &[vertex], truth);
                    }
                    let selectors = &constructors[index as usize].selectors;
                    for (&selector, &arg) in selectors.iter().zip(&args) {
                        self.define(selector, &[vertex], arg);
                    }
                    if let Some(source) = self.rebuilt(selectors, &args) {
                        self.application(constructors[index as usize].tester, &[source]);
                    }
                }
                Role::Tester { datatype, .. } => {
                    for constructor in self.store.datatype(datatype).constructors() {
                        self.application(constructor.tester, &args);
                    }
                }
                Role::Store => {
                    if let Some([select, ..]) = self.array_symbols(symbol) {
                        self.define(select, &[vertex, args[1]], args[2]);
                    }
                }
                _ => {}
            }
        }
    }

    /// The vertex of which all of these are the fields.
    fn rebuilt(&self, selectors: &[Symbol], args: &[Vertex]) -> Option<Vertex> {
        let sources = selectors.iter().zip(args).map(|(&selector, &arg)| match self.vertices.parts(arg) {
            Some((symbol, source)) if symbol == selector => Some(source[0]),
            _ => None,
        });
        let sources: Option<Vec<Vertex>> = sources.collect();
        let sources = sources?;
        sources.iter().all(|source| *source == sources[0]).then(|| sources.first().copied()).flatten()
    }

    /// Select, store and constant array of the array sort that is a symbol's result.
    fn array_symbols(&self, symbol: Symbol) -> Option<[Symbol; 3]> {
        self.store.array_symbols(self.store.signature(symbol).result)
    }

    /// The axioms whose premises hold.
    fn apply(&mut self) {
        let mut indices: Vec<Vertex> = Vec::new();
        let members = self.graph.members().to_vec();
        for &vertex in &members {
            if let Some((symbol, args)) = self.vertices.parts(vertex)
                && self.store.role(symbol) == Role::Select
                && !indices.iter().any(|&index| self.graph.are_equal(index, args[1]))
            {
                indices.push(args[1]);
            }
        }
        for vertex in members {
            if self.graph.conflict().is_some() {
                return;
            }
            if let &Shape::Equation(a, b) = self.vertices.shape(vertex) {
                self.reflect(vertex, a, b);
                continue;
            }
            let Some((symbol, args)) = self.vertices.parts(vertex) else { continue };
            let args = args.to_vec();
            match self.store.role(symbol) {
                Role::Tester { datatype, constructor } => {
                    let constructors = self.store.datatype(datatype).constructors();
                    let testers: Vec<Symbol> = constructors.iter().map(|other| other.tester).collect();
                    self.exhaust(vertex, &testers, args[0]);
                    let built = &constructors[constructor as usize];
                    self.rebuild(vertex, built.symbol, &built.selectors, args[0]);
                }
                Role::Store => {
                    self.share_store(vertex, symbol, &args);
                    self.read_over(vertex, symbol, &args, &indices);
                }
                Role::ConstantArray => {
                    let Some([select, ..]) = self.array_symbols(symbol) else { continue };
                    for &index in &indices {
                        if let Some(index) = self.writable_index(symbol, vertex, index) {
                            self.define(select, &[vertex, index], args[0]);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The truth value of an equation.
    fn reflect(&mut self, vertex: Vertex, a: Vertex, b: Vertex) {
        if self.graph.are_equal(a, b) {
            self.graph.merge(vertex, Vertex::TRUTH, Reason::Axiom(vec![Premise::Equal(a, b)]));
        } else if self.graph.are_equal(vertex, Vertex::TRUTH) {
            self.graph.merge(a, b, Reason::Axiom(vec![Premise::Equal(vertex, Vertex::TRUTH)]));
        } else if let Some(witnesses) = self.graph.witnesses(a, b) {
            let premise = Premise::Distinct { pair: [a, b], witnesses };
            self.graph.merge(vertex, Vertex::FALSITY, Reason::Axiom(vec![premise]));
        }
    }

    /// A value is made by some constructor: by the one of a tester if by no other.
    fn exhaust(&mut self, tester: Vertex, testers: &[Symbol], value: Vertex) {
        let mut premises = Vec::with_capacity(testers.len());
        for &other in testers {
            let Some(other) = self.application(other, &[value]) else { return };
            if other == tester {
                continue;
            }
            if !self.graph.are_equal(other, Vertex::FALSITY) {
                return;
            }
            premises.push(Premise::Equal(other, Vertex::FALSITY));
        }
        self.graph.merge(tester, Vertex::TRUTH, Reason::Axiom(premises));
    }

    /// A value that is made by a constructor is made of its fields.
    fn rebuild(&mut self, tester: Vertex, constructor: Symbol, selectors: &[Symbol], value: Vertex) {
        if matches!(self.vertices.parts(value), Some((symbol, _)) if symbol == constructor) {
            return;
        }
        if self.graph.are_equal(tester, Vertex::TRUTH) {
            let fields: Option<Vec<Vertex>> =
                selectors.iter().map(|&selector| self.application(selector, &[value])).collect();
            let Some(built) = fields.and_then(|fields| self.application(constructor, &fields)) else {
                return;
            };
            let premise = Premise::Equal(tester, Vertex::TRUTH);
            self.graph.merge(value, built, Reason::Axiom(vec![premise]));
            return;
        }
        let members = self.graph.members().iter().copied();
        let mut built = members.filter(|&vertex| match self.vertices.parts(vertex) {
            Some((symbol, args)) if symbol == constructor => self.rebuilt(selectors, args) == Some(value),
            _ => false,
        });
        let Some(built) = built.next() else { return };
        if let Some(witnesses) = self.graph.witnesses(value, built) {
            let premise = Premise::Distinct { pair: [value, built], witnesses };
            self.graph.merge(tester, Vertex::FALSITY, Reason::Axiom(vec![premise]));
        }
    }

    /// An index equal to this one that can be written together with the array.
    fn writable_index(&self, array_symbol: Symbol, array: Vertex, index: Vertex) -> Option<Vertex> {
        let (sort, _) = self.store.array_parts(self.store.signature(array_symbol).result)?;
        let of_sort = |vertex: Vertex| match self.index_sort(vertex) {
            Some(other) => other == sort,
            None => false,
        };
        let candidates = std::iter::once(index).chain(self.graph.equals(index).iter().copied());
        candidates.filter(|_| of_sort(index)).find(|&other| self.vertices.are_pure(&[array, other]))
    }

    /// The index sort of the arrays that are read at this vertex.
    fn index_sort(&self, index: Vertex) -> Option<Sort> {
        self.graph.members().iter().find_map(|&vertex| match self.vertices.parts(vertex) {
            Some((symbol, args)) if self.store.role(symbol) == Role::Select && args[1] == index => {
                Some(self.store.signature(symbol).args[1])
            }
            _ => None,
        })
    }

    /// A store that only one side of a cut can write, between two arrays and at an index that both can write: with the
    /// element that is read there, both can write it.
    fn share_store(&mut self, vertex: Vertex, symbol: Symbol, args: &[Vertex]) {
        let Some([select, ..]) = self.array_symbols(symbol) else { return };
        for cut in self.vertices.cuts().iter() {
            let is_shared = |vertex: Vertex| {
                let sides = self.vertices.sides(vertex);
                sides.a.contains(cut) && sides.b.contains(cut)
            };
            if is_shared(vertex) {
                continue;
            }
            let shared = |vertex: Vertex| {
                self.graph.equals(vertex).iter().copied().filter(|&other| is_shared(other)).min()
            };
            let (Some(above), Some(below), Some(index)) = (shared(vertex), shared(args[0]), shared(args[1]))
            else {
                continue;
            };
            if let Some(element) = self.application(select, &[above, index]) {
                self.application(symbol, &[below, index, element]);
            }
        }
    }

    /// A store is its array where the index is another one.
    fn read_over(&mut self, vertex: Vertex, symbol: Symbol, args: &[Vertex], indices: &[Vertex]) {
        let Some([select, ..]) = self.array_symbols(symbol) else { return };
        for &index in indices {
            let Some(index) = self.writable_index(symbol, vertex, index) else { continue };
            let Some(witnesses) = self.graph.witnesses(args[1], index) else { continue };
            let (Some(above), Some(below)) =
                (self.application(select, &[vertex, index]), self.application(select, &[args[0], index]))
            else {
                continue;
            };
            let premise = Premise::Distinct { pair: [args[1], index], witnesses };
            self.graph.merge(above, below, Reason::Axiom(vec![premise]));
        }
    }
}
