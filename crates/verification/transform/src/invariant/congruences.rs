//! Linear congruences of the integers of a state.

use shem_base::Int;
use shem_chc::{Graph, VertexId};
use shem_term::{Sort, Store, Term, Value};

use super::equalities::Definition;
use crate::domain::{Domain, Lattice, congruence};

/// The bits that entries may have; beyond, a set has no constraints.
const MAX_BITS: u64 = 64;
/// Of states with more integers nothing is said: the constraints of a lattice cost the cube of it.
const MAX_INTEGERS: usize = 12;
/// The greatest modulus that is worth a constraint.
const MAX_MODULUS: i64 = 1_000;

/// The domain: lattices over the integers that have no definition.
pub(super) struct Congruences {
    /// By vertex: positions of coordinates with their variables.
    coordinates: Vec<Vec<(usize, Term)>>,
}

impl Congruences {
    /// The domain for the vertices of a graph, with the definitions of arguments by vertex.
    pub(super) fn new(store: &Store, graph: &Graph, definitions: &[Vec<Definition>]) -> Congruences {
        let coordinates = |at: usize| {
            let state = graph.vertex(VertexId::new(at)).state().iter().copied().enumerate();
            let is_free = |position: usize| definitions[at].iter().all(|known| known.at != position);
            let mut found: Vec<(usize, Term)> =
                state.filter(|&(at, v)| store.sort(v) == Sort::Int && is_free(at)).collect();
            if found.len() > MAX_INTEGERS {
                found.clear();
            }
            found
        };
        Congruences { coordinates: (0..graph.vertex_bound()).map(coordinates).collect() }
    }

    fn point(&self, vertex: VertexId, state: &[Value]) -> Option<Vec<Int>> {
        self.coordinates[vertex.index()].iter().map(|&(at, _)| state[at].as_num()?.to_int()).collect()
    }
}

impl Domain for Congruences {
    /// `None` if its entries became too large.
    type Element = Option<Lattice>;
    // Great moduli are left out.
    const IS_MONOTONE: bool = false;

    fn is_empty(&self) -> bool {
        self.coordinates.iter().all(Vec::is_empty)
    }

    fn of_state(&self, _: &Store, vertex: VertexId, state: &[Value]) -> Option<Option<Lattice>> {
        Some(Some(Lattice::of_point(self.point(vertex, state)?)))
    }

    fn join(&self, _: &Store, vertex: VertexId, element: &mut Option<Lattice>, state: &[Value]) -> bool {
        let (Some(lattice), Some(point)) = (element.as_mut(), self.point(vertex, state)) else {
            return false;
        };
        let grown = lattice.join_point(&point);
        if lattice.bits() > MAX_BITS {
            *element = None;
        }
        grown
    }

    fn constraints(&self, store: &mut Store, vertex: VertexId, element: &Option<Lattice>) -> Vec<Term> {
        let coordinates: Vec<Term> = self.coordinates[vertex.index()].iter().map(|entry| entry.1).collect();
        let mut constraints = element.as_ref().map(Lattice::constraints).unwrap_or_default();
        constraints.retain(|constraint| constraint.modulus <= Int::from(MAX_MODULUS));
        constraints.iter().map(|constraint| congruence(store, constraint, &coordinates)).collect()
    }
}
