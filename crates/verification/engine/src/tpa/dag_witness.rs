//! Witnesses of the engines on DAGs of loops.
//!
//! *Safe*: each safe set of a vertex has a certificate that the loop of the vertex does not lead from it to a bad
//! exit: one that was not known to end in a safe set of another vertex. The safe sets together are closed: every fact
//! enters a vertex within its safe sets, and every exit from a safe set that was not bad for it ends within the safe
//! sets of the target. The state invariant of each safe set, built as for a transition system, gives the
//! interpretation: of a vertex the disjunction over its safe sets.
//!
//! *Unsafe*: the states on the path to falsehood are found from the end: from a state at the exit of a visit back to
//! one at its entry, and by the edge there back to a state that the visit before has reached.

use std::fmt;

use shem_base::Budget;
use shem_chc::{Derivation, EdgeId, Graph, Interpretation, VertexId};
use shem_proof::NoProof;
use shem_smt::project::eliminate;
use shem_smt::{Solver, Status};
use shem_term::{Store, Term, Value};

use super::certificate::PowerCertificate;
use super::dag::SafeSet;
use super::invariant::state_invariant;
use super::path::{PathBuilder, choose_values};
use super::reach::Powers;
use super::stuttering::DividedTransition;
use super::trace::Reached;
use super::transition_invariant::solve;
use crate::Certificate;
use crate::reason::{CertificateError, WitnessError};

/// The safe sets of all vertices.
#[derive(Clone)]
pub(super) struct DagCertificate {
    pub graph: Graph,
    pub safe_sets: Vec<SafeSet>,
}

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

impl DagCertificate {
    /// The union of the safe sets of a vertex.
    fn safe(&self, store: &mut Store, vertex: VertexId) -> Term {
        let safe_sets = self.safe_sets.iter().filter(|safe_set| safe_set.vertex == vertex);
        let sets: Vec<Term> = safe_sets.map(|safe_set| safe_set.certificate.system.initial).collect();
        store.or(&sets)
    }
}

impl Certificate for DagCertificate {
    fn check_part(&self, _: usize, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        for safe_set in &self.safe_sets {
            safe_set.certificate.check(store, budget)?;
        }
        let loops = |vertex: VertexId| -> Vec<Term> {
            let edges = self.graph.incoming(vertex).map(|id| self.graph.edge(id));
            edges.filter(|edge| edge.is_loop()).map(|edge| edge.label).collect()
        };
        for safe_set in &self.safe_sets {
            let transition = store.or(&loops(safe_set.vertex));
            let PowerCertificate { system, stuttering, .. } = &safe_set.certificate;
            let covered =
                DividedTransition { moving: system.transition, stuttering: stuttering.clone() }.whole(store);
            if transition != covered {
                let what = format!("a safe set of {:?} is about another loop", safe_set.vertex);
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
                let what = format!("fact {id:?} leaves the safe sets");
                expect_none(store, &[edge.label, outside], what, budget)?;
                continue;
            };
            for safe_set in self.safe_sets.iter().filter(|safe_set| safe_set.vertex == source) {
                // Outside of the bad states of the safe set every exit is safe. Auxiliary variables of the bad states
                // are quantified, so they are eliminated here.
                let state = self.graph.vertex(source).state();
                let bad = safe_set.certificate.system.bad;
                let mut others = store.free_variables(&[bad]);
                others.retain(|v| !state.contains(v));
                let bad = eliminate(store, &others, bad, budget)?;
                let what = format!("edge {id:?} leaves a safe set of {source:?}");
                expect_none(store, &[!bad, edge.label, outside], what, budget)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for DagCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DagCertificate({} safe sets)", self.safe_sets.len())
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

/// The interpretation that the safe sets give.
pub(super) fn interpretation(
    certificate: &DagCertificate,
    store: &mut Store,
    budget: &mut Budget,
) -> Result<Interpretation, WitnessError> {
    let mut interpretation = Interpretation::new();
    for vertex in certificate.graph.vertices() {
        let mut sets = Vec::new();
        for safe_set in certificate.safe_sets.iter().filter(|safe_set| safe_set.vertex == vertex) {
            sets.push(state_invariant(&safe_set.certificate, store, budget)?);
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
