//! Domains: what is said of the states of a vertex, by an element that grows.

use shem_base::UnknownReason;
use shem_chc::{Graph, VertexId};
use shem_term::{Store, Term, Value};

use super::fixpoint::Grown;
use super::search::Abstraction;

/// Sets of states, each described by a conjunction.
pub trait Domain {
    /// A set of states of one vertex.
    type Element;

    /// Whether the constraints of a set follow from those of any smaller one. They need not where a domain keeps silent
    /// about some sets.
    const IS_MONOTONE: bool;

    /// Whether the domain has nothing to say of any vertex, whatever the states are.
    fn is_empty(&self) -> bool;

    /// The least set with this state; `None` if there is none.
    fn of_state(&self, store: &Store, vertex: VertexId, state: &[Value]) -> Option<Self::Element>;

    /// Adds a state. Returns whether the set has grown.
    fn join(&self, store: &Store, vertex: VertexId, element: &mut Self::Element, state: &[Value]) -> bool;

    /// Formulas over the state of the vertex that hold of all states of the set. A state of which one of them does not
    /// hold makes the set grow.
    fn constraints(&self, store: &mut Store, vertex: VertexId, element: &Self::Element) -> Vec<Term>;
}

/// What is said of the states of one vertex.
enum Set<E> {
    /// No state has been met.
    Empty,
    /// An element, with its constraints once they were asked for.
    Element(E, Option<Vec<Term>>),
    /// Nothing.
    All,
}

/// An element of a domain for each vertex.
pub struct Elements<D: Domain> {
    domain: D,
    sets: Vec<Set<D::Element>>,
}

impl<D: Domain> Elements<D> {
    /// Empty sets for the vertices of a graph.
    pub fn new(domain: D, graph: &Graph) -> Elements<D> {
        Elements { domain, sets: (0..graph.vertex_bound()).map(|_| Set::Empty).collect() }
    }

    /// The domain.
    pub fn domain(&self) -> &D {
        &self.domain
    }

    /// The element of a vertex, unless there are no states or nothing is said of them.
    pub fn element(&self, vertex: VertexId) -> Option<&D::Element> {
        if let Set::Element(element, _) = &self.sets[vertex.index()] { Some(element) } else { None }
    }

    /// What is said of the states of a vertex; `None` if there are no states.
    pub fn constraints(&mut self, store: &mut Store, vertex: VertexId) -> Option<&[Term]> {
        match &mut self.sets[vertex.index()] {
            Set::Empty => None,
            Set::Element(element, constraints) => Some(
                constraints.get_or_insert_with(|| self.domain.constraints(store, vertex, element)).as_slice(),
            ),
            Set::All => Some(&[]),
        }
    }
}

impl<D: Domain> Abstraction for Elements<D> {
    type Part = ();
    type Failure = UnknownReason;
    const IS_MONOTONE: bool = D::IS_MONOTONE;

    fn parts(&self, vertex: VertexId) -> Vec<()> {
        if matches!(self.sets[vertex.index()], Set::Empty) { Vec::new() } else { vec![()] }
    }

    fn formula(&mut self, store: &mut Store, vertex: VertexId, (): &()) -> Term {
        match self.constraints(store, vertex).map(<[Term]>::to_vec) {
            Some(constraints) => store.and(&constraints),
            None => Term::FALSE,
        }
    }

    fn join(
        &mut self,
        store: &Store,
        vertex: VertexId,
        state: Vec<Value>,
    ) -> Result<Vec<Grown<()>>, UnknownReason> {
        let Elements { domain, sets } = self;
        let set = &mut sets[vertex.index()];
        let grown = match set {
            Set::Empty => {
                let element = domain.of_state(store, vertex, &state);
                *set = element.map_or(Set::All, |element| Set::Element(element, None));
                true
            }
            Set::Element(element, constraints) => {
                *constraints = None;
                domain.join(store, vertex, element, &state)
            }
            Set::All => false,
        };
        Ok(if grown { vec![(vertex, None)] } else { Vec::new() })
    }

    fn give_up(&mut self, vertex: VertexId, _: UnknownReason) -> Result<(), UnknownReason> {
        self.sets[vertex.index()] = Set::All;
        Ok(())
    }
}
