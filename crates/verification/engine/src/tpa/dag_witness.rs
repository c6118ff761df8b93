//! Witnesses of the engines on DAGs of loops.
//!
//! *Safe*: each safe set of a vertex has powers that show that the loop of the vertex does not lead from it to a bad
//! exit: one that was not known to end in a safe set of another vertex. They are the certificate. The state invariant of
//! each safe set, built as for a transition system, gives the interpretation: of a vertex the disjunction over its safe
//! sets.
//!
//! *Unsafe*: the states on the path to falsehood are found from the end: from a state at the exit of a visit back to
//! one at its entry, and by the edge there back to a state that the visit before has reached.

use shem_base::Budget;
use shem_chc::{Derivation, EdgeId, Graph, Interpretation, VertexId};
use shem_check::Certificate;
use shem_check::certificate::{SafeSet, SafeSets};
use shem_proof::NoProof;
use shem_smt::{Solver, Status};
use shem_term::{Store, Value};

use super::dag::KnownSafe;
use super::invariant::state_invariant;
use super::path::{PathBuilder, choose_values};
use super::reach::Powers;
use super::trace::Reached;
use crate::reason::WitnessError;

/// A visit of a vertex on a path to falsehood.
pub(super) struct Visit {
    vertex: VertexId,
    entry: EdgeId,
    builder: PathBuilder,
}

/// A path to falsehood.
pub(super) struct PathToFalse {
    /// The visits in order.
    pub visits: Vec<Visit>,
    /// The edge from the last of them to falsehood.
    pub exit: EdgeId,
}

impl Visit {
    /// The visit that has reached these states.
    pub(super) fn of(vertex: VertexId, entry: EdgeId, powers: &Powers, reached: Reached) -> Visit {
        let builder = PathBuilder {
            copies: powers.copies.clone(),
            sequences: powers.sequences.up_to(0),
            composition: powers.composition,
            direction: powers.settings.direction,
            traces: powers.traces.clone(),
            reached,
        };
        Visit { vertex, entry, builder }
    }
}

/// The safe sets as a certificate.
pub(super) fn certificate(safe_sets: &[KnownSafe]) -> Certificate {
    let set = |KnownSafe { vertex, powers, without_stuttering }: &KnownSafe| SafeSet {
        vertex: *vertex,
        entry: powers.system.initial,
        without_stuttering: *without_stuttering,
        powers: powers.certificate(),
    };
    Certificate::SafeSets(SafeSets { sets: safe_sets.iter().map(set).collect() })
}

/// The interpretation that the safe sets give.
pub(super) fn interpretation(
    graph: &Graph,
    safe_sets: &[KnownSafe],
    store: &mut Store,
    budget: &mut Budget,
) -> Result<Interpretation, WitnessError> {
    let mut interpretation = Interpretation::new();
    for vertex in graph.vertices() {
        let mut sets = Vec::new();
        for safe_set in safe_sets.iter().filter(|safe_set| safe_set.vertex == vertex) {
            sets.push(state_invariant(&safe_set.powers, store, budget)?);
        }
        let set = store.or(&sets);
        interpretation.insert(vertex, set);
    }
    Ok(interpretation)
}

impl PathToFalse {
    /// The derivation of falsehood.
    pub(super) fn derivation(
        mut self,
        graph: &Graph,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<Derivation<EdgeId>, WitnessError> {
        // The paths of the visits, the last visit first.
        let mut paths = Vec::with_capacity(self.visits.len());
        let mut exit = self.exit;
        let mut after: Option<Vec<Value>> = None;
        while let Some(mut visit) = self.visits.pop() {
            let edge = graph.edge(exit);
            let mut formulas = vec![visit.builder.reached.states, edge.label];
            if let Some(values) = &after {
                formulas.push(store.value_cube(graph.vertex(edge.target).target(), values));
            }
            let end = choose_values(store, &formulas, graph.vertex(visit.vertex).state(), budget)?;
            let path = visit.builder.path_to(store, end, budget)?;
            after = path.first().cloned();
            exit = visit.entry;
            paths.push((visit.vertex, visit.entry, path));
        }
        let mut derivation = Derivation::new();
        let mut premise = None;
        let mut loops = Loops::default();
        for (vertex, entry, path) in paths.into_iter().rev() {
            let mut states = path.into_iter();
            let mut state = states.next().expect("a path has a state");
            premise = Some(derivation.push(entry, premise.as_slice(), state.iter().cloned()));
            for next in states {
                let rule = loops.find(graph, vertex, [&state, &next], store, budget)?;
                premise = Some(derivation.push(rule, premise.as_slice(), next.iter().cloned()));
                state = next;
            }
        }
        derivation.push(self.exit, premise.as_slice(), []);
        Ok(derivation.compressed())
    }
}

/// The solvers for the loops, each made once.
#[derive(Default)]
struct Loops {
    solvers: Vec<(VertexId, EdgeId, Solver<NoProof>)>,
}

impl Loops {
    /// The loop of the vertex that allows a step.
    fn find(
        &mut self,
        graph: &Graph,
        vertex: VertexId,
        [from, to]: [&[Value]; 2],
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<EdgeId, WitnessError> {
        if self.solvers.iter().all(|(known, ..)| *known != vertex) {
            for id in graph.outgoing(vertex).filter(|&id| graph.edge(id).is_loop()) {
                let mut solver = Solver::with_proof(Default::default(), NoProof);
                solver.assert(store, graph.edge(id).label);
                self.solvers.push((vertex, id, solver));
            }
        }
        let from = store.value_cube(graph.vertex(vertex).state(), from);
        let to = store.value_cube(graph.vertex(vertex).target(), to);
        for (_, id, solver) in self.solvers.iter_mut().filter(|(known, ..)| *known == vertex) {
            solver.push();
            solver.assert(store, from);
            solver.assert(store, to);
            let status = solver.check(store, budget).status();
            solver.pop();
            match status {
                Status::Sat => return Ok(*id),
                Status::Unsat => {}
                Status::Unknown(reason) => return Err(reason.into()),
            }
        }
        Err(WitnessError::broken(format!("no loop of {vertex:?} allows a step")))
    }
}
