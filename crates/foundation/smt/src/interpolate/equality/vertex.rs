//! The terms of lemmas about equations, as vertices of graphs.
//!
//! An application is one of a symbol to vertices, not a term of the store, which would simplify it: the steps of a
//! derivation speak about the applications as they are. A term is made only for what gets into an interpolant.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::Rat;
use shem_term::{Role, Sort, Store, Symbol, Term};

use crate::interpolate::cutset::{CutSet, Sides};

/// A vertex: a term of a lemma, or one that the derivation of a lemma needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::interpolate) struct Vertex(u32);

impl Vertex {
    /// The truth value true.
    pub(in crate::interpolate) const TRUTH: Vertex = Vertex(0);
    /// The truth value false.
    pub(in crate::interpolate) const FALSITY: Vertex = Vertex(1);

    #[inline]
    pub(in crate::interpolate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a vertex is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::interpolate) enum Shape {
    Truth,
    Falsity,
    Numeral(Rat),
    /// A sum of multiples and a constant, which congruence does not look into.
    Sum(Box<[(Rat, Vertex)]>, Rat, Sort),
    /// What congruence does not look into.
    Leaf,
    /// Whether two vertices are equal.
    Equation(Vertex, Vertex),
    Application(Symbol, Box<[Vertex]>),
}

/// An equation of two vertices or its negation. SORTED: the first vertex is the smaller one. Neither is
/// [`Vertex::FALSITY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::interpolate) struct Literal {
    pub(in crate::interpolate) a: Vertex,
    pub(in crate::interpolate) b: Vertex,
    pub(in crate::interpolate) positive: bool,
}

impl Literal {
    pub(in crate::interpolate) fn negated(self) -> Literal {
        Literal { positive: !self.positive, ..self }
    }
}

/// What an equation or its negation comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::interpolate) enum Claim {
    Constant(bool),
    Literal(Literal),
}

/// All vertices, parts before wholes, with the sides of the cuts that can write them.
#[derive(Debug)]
pub(in crate::interpolate) struct Vertices<const W: usize> {
    cuts: CutSet<W>,
    shapes: Vec<Shape>,
    /// By vertex: before [`Vertices::settle`] where it occurs, afterwards where it may be used.
    sides: Vec<Sides<W>>,
    /// By vertex: its term as far as it is known.
    terms: Vec<Option<Term>>,
    applications: HashMap<(Symbol, Box<[Vertex]>), Vertex, FxBuildHasher>,
    /// The sides that know a declared function.
    symbols: BTreeMap<Symbol, Sides<W>>,
}

impl<const W: usize> Default for Vertices<W> {
    fn default() -> Self {
        Vertices {
            cuts: CutSet::EMPTY,
            shapes: vec![Shape::Truth, Shape::Falsity],
            sides: vec![Sides::BOTH; 2],
            terms: vec![Some(Term::TRUE), Some(Term::FALSE)],
            applications: HashMap::default(),
            symbols: BTreeMap::new(),
        }
    }
}

impl<const W: usize> Vertices<W> {
    /// Starts again with these cuts.
    pub(in crate::interpolate) fn start(&mut self, cuts: CutSet<W>) {
        self.cuts = cuts;
        self.shapes.truncate(2);
        self.sides.truncate(2);
        self.terms.truncate(2);
        self.applications.clear();
        self.symbols.clear();
    }

    /// All vertices, parts before wholes.
    pub(in crate::interpolate) fn all(&self) -> impl DoubleEndedIterator<Item = Vertex> + use<W> {
        (0..self.shapes.len() as u32).map(Vertex)
    }

    /// All cuts.
    pub(in crate::interpolate) fn cuts(&self) -> CutSet<W> {
        self.cuts
    }

    /// Adds a vertex that occurs, or may be used, on these sides. An application must be new.
    pub(in crate::interpolate) fn add(
        &mut self,
        shape: Shape,
        term: Option<Term>,
        sides: Sides<W>,
    ) -> Vertex {
        let vertex = Vertex(self.shapes.len() as u32);
        if let Shape::Application(symbol, args) = &shape {
            self.applications.insert((*symbol, args.clone()), vertex);
        }
        self.shapes.push(shape);
        self.sides.push(sides);
        self.terms.push(term);
        vertex
    }

    /// The application of a symbol, if it is a vertex.
    pub(in crate::interpolate) fn find_application(&self, symbol: Symbol, args: &[Vertex]) -> Option<Vertex> {
        self.applications.get(&(symbol, Box::from(args))).copied()
    }

    /// The term of a leaf, unless it belongs to one assertion.
    pub(in crate::interpolate) fn leaf_term(&self, leaf: Vertex) -> Option<Term> {
        self.terms[leaf.index()]
    }

    /// The application of a symbol, which may be a new vertex.
    pub(in crate::interpolate) fn application(
        &mut self,
        store: &Store,
        symbol: Symbol,
        args: &[Vertex],
    ) -> Vertex {
        if let Some(vertex) = self.find_application(symbol, args) {
            return vertex;
        }
        let sides = self.application_sides(store, symbol, args);
        self.add(Shape::Application(symbol, args.into()), None, sides)
    }

    /// The sides that can write an application.
    fn application_sides(&self, store: &Store, symbol: Symbol, args: &[Vertex]) -> Sides<W> {
        let own = match store.role(symbol) {
            Role::Function => self.symbols.get(&symbol).copied().unwrap_or(Sides::BOTH),
            _ => Sides::BOTH,
        };
        args.iter().fold(own, |sides, arg| sides.meet(self.sides[arg.index()]))
    }

    /// Takes note that a vertex, or a declared function, occurs on these sides.
    pub(in crate::interpolate) fn occur(&mut self, vertex: Vertex, sides: Sides<W>) {
        self.sides[vertex.index()] = self.sides[vertex.index()].join(sides);
    }

    /// Says which sides know a declared function.
    pub(in crate::interpolate) fn set_symbol(&mut self, symbol: Symbol, sides: Sides<W>) {
        self.symbols.insert(symbol, sides);
    }

    /// The sides where a vertex occurs or may be used.
    #[inline]
    pub(in crate::interpolate) fn sides(&self, vertex: Vertex) -> Sides<W> {
        self.sides[vertex.index()]
    }

    /// Says on which sides a vertex may be used.
    pub(in crate::interpolate) fn set_sides(&mut self, vertex: Vertex, sides: Sides<W>) {
        self.sides[vertex.index()] = sides;
    }

    /// Finds the sides on which equations and applications may be used, from those of leaves and functions.
    pub(in crate::interpolate) fn settle(&mut self, store: &Store) {
        for index in 0..self.shapes.len() {
            let sides = match &self.shapes[index] {
                Shape::Truth | Shape::Falsity | Shape::Numeral(_) => Sides::BOTH,
                Shape::Leaf => continue,
                Shape::Equation(a, b) => self.sides(*a).meet(self.sides(*b)),
                Shape::Sum(terms, ..) => {
                    terms.iter().fold(Sides::BOTH, |sides, term| sides.meet(self.sides(term.1)))
                }
                Shape::Application(symbol, args) => self.application_sides(store, *symbol, args),
            };
            self.sides[index] = sides;
        }
    }

    /// Whether some side of every cut is among these.
    pub(in crate::interpolate) fn covers(&self, sides: Sides<W>) -> bool {
        self.cuts.is_subset(&(sides.a | sides.b))
    }

    /// Whether all of these may be used together on one side of every cut.
    pub(in crate::interpolate) fn are_pure(&self, vertices: &[Vertex]) -> bool {
        self.covers(vertices.iter().fold(Sides::BOTH, |sides, vertex| sides.meet(self.sides(*vertex))))
    }

    #[inline]
    pub(in crate::interpolate) fn shape(&self, vertex: Vertex) -> &Shape {
        &self.shapes[vertex.index()]
    }

    /// The symbol and the arguments of an application.
    #[inline]
    pub(in crate::interpolate) fn parts(&self, vertex: Vertex) -> Option<(Symbol, &[Vertex])> {
        match &self.shapes[vertex.index()] {
            Shape::Application(symbol, args) => Some((*symbol, args)),
            _ => None,
        }
    }

    /// Whether no two vertices like this one, different from each other, are equal.
    pub(super) fn is_constant(&self, vertex: Vertex) -> bool {
        matches!(self.shape(vertex), Shape::Truth | Shape::Falsity | Shape::Numeral(_))
    }

    /// The literal that two vertices are equal, or are not.
    pub(in crate::interpolate) fn claim(&self, a: Vertex, b: Vertex, positive: bool) -> Claim {
        if a == b {
            return Claim::Constant(positive);
        }
        if self.is_constant(a) && self.is_constant(b) {
            return Claim::Constant(!positive);
        }
        let (a, b, positive) = match (a, b) {
            (Vertex::FALSITY, other) | (other, Vertex::FALSITY) => (Vertex::TRUTH, other, !positive),
            _ => (a.min(b), a.max(b), positive),
        };
        Claim::Literal(Literal { a, b, positive })
    }

    /// The term of a vertex; none if it has a part that has none.
    pub(in crate::interpolate) fn term(&mut self, store: &mut Store, vertex: Vertex) -> Option<Term> {
        let mut stack = vec![vertex];
        while let Some(&top) = stack.last() {
            if self.terms[top.index()].is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let parts: Vec<Vertex> = match &self.shapes[top.index()] {
                Shape::Equation(a, b) => vec![*a, *b],
                Shape::Sum(terms, ..) => terms.iter().map(|term| term.1).collect(),
                Shape::Application(_, args) => args.to_vec(),
                _ => return None,
            };
            stack.extend(parts.iter().filter(|part| self.terms[part.index()].is_none()));
            if stack.len() > before {
                continue;
            }
            let terms: Vec<Term> = parts.iter().filter_map(|part| self.terms[part.index()]).collect();
            let term = match &self.shapes[top.index()] {
                Shape::Application(symbol, _) => store.apply(*symbol, &terms),
                Shape::Sum(parts, constant, sort) => {
                    let sum: Vec<(Rat, Term)> = parts.iter().map(|part| part.0.clone()).zip(terms).collect();
                    store.linear(&sum, constant, *sort)
                }
                _ => equation_term(store, terms[0], terms[1]),
            };
            self.terms[top.index()] = Some(term);
            stack.pop();
        }
        self.terms[vertex.index()]
    }

    /// The formula that two vertices are equal; none if one of them has no term.
    pub(in crate::interpolate) fn equation(
        &mut self,
        store: &mut Store,
        a: Vertex,
        b: Vertex,
    ) -> Option<Term> {
        let (a, b) = (self.term(store, a)?, self.term(store, b)?);
        Some(equation_term(store, a, b))
    }
}

/// The equation of two terms, of truth values as well.
fn equation_term(store: &mut Store, a: Term, b: Term) -> Term {
    if store.sort(a) == Sort::Bool { store.iff(a, b) } else { store.eq(a, b) }
}
