//! Safe sets of the vertices of a linear graph, by transition power abstraction on DAGs of loops.
//!
//! **Claim.** A *safe set* of a vertex is a set of its states from which its loops lead to no *bad exit*: no state from
//! which another edge leads to falsehood or out of the safe sets of its target. Powers show that (see `powers`). Every
//! edge without a source leads into safe sets, and none to falsehood.
//!
//! **Why that suffices.** By induction over derivations every fact is reached by the loops of its vertex from a state in a
//! safe set: an edge from elsewhere enters the vertex within its safe sets, since the state that it leaves is no bad exit.
//! For the same reason no edge leads to falsehood. That the graph is a DAG of loops is not needed.

use std::collections::BTreeMap;

use shem_base::Budget;
use shem_chc::{Graph, TransitionSystem, VertexId};
use shem_term::{Store, Term};

use super::check_variables;
use super::error::CertificateError;
use super::powers::Powers;
use super::refuter::expect_contradiction;
use super::transition::without_stuttering;

/// States of a vertex that are safe to enter it with, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafeSet {
    /// The vertex.
    pub vertex: VertexId,
    /// The states, without auxiliary variables.
    pub entry: Term,
    /// Whether steps of the loops that change nothing are left out.
    pub without_stuttering: bool,
    /// Why the loops lead from these states to no bad exit.
    pub powers: Powers,
}

/// The safe sets of all vertices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SafeSets {
    /// The safe sets; a vertex may have several.
    pub sets: Vec<SafeSet>,
}

impl SafeSets {
    pub(super) fn parts(&self) -> usize {
        1 + self.sets.len()
    }

    pub(super) fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        graph: &Graph,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        if graph.edges().any(|(_, edge)| !edge.is_linear()) {
            return Err(CertificateError::wrong("the graph is not linear"));
        }
        let outside = self.outside(store, graph)?;
        let Some(part) = part.checked_sub(1) else {
            for (_, edge) in graph.edges().filter(|(_, edge)| edge.sources.is_empty()) {
                let formulas = [edge.label, outside[&edge.target]];
                expect_contradiction(store, &formulas, "a fact leaves the safe sets", budget)?;
            }
            return Ok(());
        };
        let SafeSet { vertex, entry, powers, .. } = &self.sets[part];
        let (mut loops, mut exits) = (Vec::new(), Vec::new());
        for edge in graph.outgoing(*vertex).map(|id| graph.edge(id)) {
            if edge.is_loop() {
                loops.push(edge.label);
            } else {
                exits.push(store.and2(edge.label, outside[&edge.target]));
            }
        }
        let mut system = TransitionSystem {
            state: graph.vertex(*vertex).state().to_vec(),
            next: graph.vertex(*vertex).target().to_vec(),
            initial: *entry,
            transition: store.or(&loops),
            bad: store.or(&exits),
        };
        if self.sets[part].without_stuttering {
            system.transition = without_stuttering(store, &system, budget)?;
        }
        (0..Powers::PARTS).try_for_each(|part| powers.check_part(part, store, &system, budget))
    }

    /// For each vertex that it is not entered within its safe sets, over its target variables.
    fn outside(
        &self,
        store: &mut Store,
        graph: &Graph,
    ) -> Result<BTreeMap<VertexId, Term>, CertificateError> {
        let mut entries: BTreeMap<VertexId, Vec<Term>> = graph.vertices().map(|v| (v, Vec::new())).collect();
        for SafeSet { vertex, entry, .. } in &self.sets {
            let Some(entries) = entries.get_mut(vertex) else {
                return Err(CertificateError::wrong("a safe set is of another vertex"));
            };
            let other = "a safe set is about something else than the state";
            check_variables(store, &[*entry], &[graph.vertex(*vertex).state()], other)?;
            entries.push(*entry);
        }
        let mut outside = BTreeMap::from([(VertexId::FALSE, Term::TRUE)]);
        for (vertex, entries) in entries {
            let safe = store.or(&entries);
            let vertex_variables = graph.vertex(vertex);
            let safe = store.rename(safe, vertex_variables.state(), vertex_variables.target());
            outside.insert(vertex, !safe);
        }
        Ok(outside)
    }
}
