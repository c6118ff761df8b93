//! Witnesses of the engines on DAGs of loops.
//!
//! *Safe*: each safe piece of a vertex is a set of states with a certificate that the loop of the vertex does
//! not lead from them to a bad way out: one that was not known to end in a safe piece of another vertex. The
//! pieces together are closed: every fact enters a vertex within its pieces, and every way out of a piece that
//! was not bad for it ends within the pieces of the target. The state invariant of each piece, built as for a
//! transition system, gives the interpretation: of a vertex the disjunction over its pieces.
//!
//! *Unsafe*: the visits of the way to falsehood are walked from the end, as the sets that were handed over
//! allow: from a state at the exit of a visit back to one at its entry, and by the edge there back to a state
//! that the visit before has reached.

use std::fmt;

use shem_base::Budget;
use shem_chc::{Derivation, EdgeId, Graph, Interpretation, VertexId};
use shem_proof::NoProof;
use shem_smt::project::eliminate;
use shem_smt::{Solver, Status};
use shem_term::{Store, Term, Value};

use super::certificate::PowerCertificate;
use super::claim::solve;
use super::dag::Piece;
use super::idle::Divided;
use super::invariant::state_invariant;
use super::path::{Trail, pick};
use super::reach::Powers;
use super::trace::Reached;
use crate::Certificate;
use crate::reason::{CertificateError, WitnessError};

/// The safe pieces of all vertices.
#[derive(Clone)]
pub(super) struct DagCertificate {
    pub graph: Graph,
    pub pieces: Vec<Piece>,
}

/// A visit of a vertex on the way to falsehood.
pub(super) struct Visit {
    vertex: VertexId,
    entry: EdgeId,
    trail: Trail,
}

/// A way to falsehood.
pub(super) struct Way {
    /// The visits in order.
    pub visits: Vec<Visit>,
    /// The edge from the last of them to falsehood.
    pub exit: EdgeId,
}

impl Visit {
    /// The visit that has reached these states.
    pub(super) fn of(vertex: VertexId, entry: EdgeId, powers: &Powers, reached: Reached) -> Visit {
        let trail = Trail {
            copies: powers.copies.clone(),
            sequences: powers.sequences.up_to(0),
            composition: powers.composition,
            direction: powers.settings.direction,
            traces: powers.traces.clone(),
            reached,
        };
        Visit { vertex, entry, trail }
    }
}

impl DagCertificate {
    /// The union of the safe pieces of a vertex.
    fn safe(&self, store: &mut Store, vertex: VertexId) -> Term {
        let pieces = self.pieces.iter().filter(|piece| piece.vertex == vertex);
        let sets: Vec<Term> = pieces.map(|piece| piece.certificate.system.initial).collect();
        store.or(&sets)
    }
}

impl Certificate for DagCertificate {
    fn check(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        for piece in &self.pieces {
            piece.certificate.check(store, budget)?;
        }
        let loops = |vertex: VertexId| -> Vec<Term> {
            let edges = self.graph.incoming(vertex).map(|id| self.graph.edge(id));
            edges.filter(|edge| edge.is_loop()).map(|edge| edge.label).collect()
        };
        for piece in &self.pieces {
            let transition = store.or(&loops(piece.vertex));
            let PowerCertificate { system, idle, .. } = &piece.certificate;
            let covered = Divided { moving: system.transition, idle: idle.clone() }.whole(store);
            if transition != covered {
                let what = format!("a piece of {:?} is about another loop", piece.vertex);
                return Err(CertificateError::wrong(what));
            }
        }
        for (id, edge) in self.graph.edges().filter(|(_, edge)| !edge.is_loop()) {
            let target = self.graph.vertex(edge.target);
            let safe = self.safe(store, edge.target);
            let outside = if edge.target == VertexId::FALSE {
                Term::TRUE
            } else {
                !store.rename(safe, target.state(), target.target())
            };
            let Some(&source) = edge.sources.first() else {
                let what = format!("fact {id:?} leaves the pieces");
                expect_none(store, &[edge.label, outside], what, budget)?;
                continue;
            };
            for piece in self.pieces.iter().filter(|piece| piece.vertex == source) {
                // Outside of the piece's bad states every way out is safe. Auxiliary variables of the bad states
                // are quantified, so they are eliminated here.
                let state = self.graph.vertex(source).state();
                let bad = piece.certificate.system.bad;
                let mut others = store.free_variables(&[bad]);
                others.retain(|v| !state.contains(v));
                let bad = eliminate(store, &others, bad, budget)?;
                let what = format!("edge {id:?} leaves a piece of {source:?}");
                expect_none(store, &[!bad, edge.label, outside], what, budget)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for DagCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DagCertificate({} pieces)", self.pieces.len())
    }
}

/// The formulas contradict each other; the error says what it means if not.
fn expect_none(
    store: &mut Store,
    formulas: &[Term],
    what: String,
    budget: &mut Budget,
) -> Result<(), CertificateError> {
    match solve(store, formulas, budget)? {
        None => Ok(()),
        Some(_) => Err(CertificateError::wrong(what)),
    }
}

/// The interpretation that the pieces give.
pub(super) fn interpretation(
    certificate: &DagCertificate,
    store: &mut Store,
    budget: &mut Budget,
) -> Result<Interpretation, WitnessError> {
    let mut interpretation = Interpretation::new();
    for vertex in certificate.graph.vertices() {
        let mut sets = Vec::new();
        for piece in certificate.pieces.iter().filter(|piece| piece.vertex == vertex) {
            sets.push(state_invariant(&piece.certificate, store, budget)?);
        }
        let set = store.or(&sets);
        interpretation.insert(vertex, set);
    }
    Ok(interpretation)
}

impl Way {
    /// The derivation of falsehood.
    pub(super) fn derivation(
        mut self,
        graph: &Graph,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<Derivation<EdgeId>, WitnessError> {
        // The walks, last one first.
        let mut walks = Vec::with_capacity(self.visits.len());
        let mut exit = self.exit;
        let mut after: Option<Vec<Value>> = None;
        while let Some(mut visit) = self.visits.pop() {
            let edge = graph.edge(exit);
            let mut formulas = vec![visit.trail.reached.states, edge.label];
            if let Some(values) = &after {
                formulas.push(store.value_cube(graph.vertex(edge.target).target(), values));
            }
            let end = pick(store, &formulas, graph.vertex(visit.vertex).state(), budget)?;
            let path = visit.trail.walk_to(store, end, budget)?;
            after = path.first().cloned();
            exit = visit.entry;
            walks.push((visit.vertex, visit.entry, path));
        }
        let mut derivation = Derivation::new();
        let mut premise = None;
        let mut loops = Loops::default();
        for (vertex, entry, path) in walks.into_iter().rev() {
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
        Ok(derivation)
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
