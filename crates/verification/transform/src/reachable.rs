//! Removal of vertices that no derivation of falsehood can pass through.
//!
//! A vertex is *reachable* if some edge to it has only reachable sources; an edge without sources begins.
//! Where this fails, no fact of the vertex is derivable, and it is interpreted as false. Among the usable
//! edges, those with reachable sources only, a vertex is *relevant* if some usable edge from it leads to false or
//! to a relevant vertex. One that is not is interpreted as true: whatever leads to it holds, and no edge
//! that stays has it among its sources. Both analyses are linear in the size of the graph.

use shem_chc::{EdgeId, Graph, Interpretation, VertexId};
use shem_term::Term;

use crate::pass::{After, Back, Pass, PassDescription, Returned, Work};

/// Removes vertices that are not reachable from true or do not reach false.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reachable;

struct Removed {
    unreachable: Vec<VertexId>,
    useless: Vec<VertexId>,
}

impl Pass for Reachable {
    fn description(&self) -> PassDescription {
        PassDescription::new("reachable", "removes predicates that no derivation of falsehood can use")
            .before_abstraction()
    }

    fn apply(&self, Work { graph, statistics, .. }: Work<'_>) -> Option<Box<dyn Back>> {
        let reachable = reachable(graph);
        let before = graph.edge_count();
        let unusable: Vec<EdgeId> = graph
            .edges()
            .filter(|(_, edge)| edge.sources.iter().any(|source| !reachable[source.index()]))
            .map(|(id, _)| id)
            .collect();
        for edge in unusable {
            graph.remove_edge(edge);
        }
        let is_relevant = relevant(graph);
        let useless: Vec<EdgeId> =
            graph.edges().filter(|(_, edge)| !is_relevant[edge.target.index()]).map(|(id, _)| id).collect();
        for edge in useless {
            graph.remove_edge(edge);
        }
        let mut removed = Removed { unreachable: Vec::new(), useless: Vec::new() };
        for vertex in graph.vertices() {
            if !reachable[vertex.index()] {
                removed.unreachable.push(vertex);
            } else if !is_relevant[vertex.index()] {
                removed.useless.push(vertex);
            }
        }
        for &vertex in removed.unreachable.iter().chain(&removed.useless) {
            graph.remove_vertex(vertex);
        }
        statistics.add("edges", (before - graph.edge_count()) as u64);
        statistics.add("unreachable", removed.unreachable.len() as u64);
        statistics.add("useless", removed.useless.len() as u64);
        let changed = !removed.unreachable.is_empty() || !removed.useless.is_empty();
        changed.then(|| Box::new(removed) as Box<dyn Back>)
    }
}

/// For each vertex, whether it is reachable.
fn reachable(graph: &Graph) -> Vec<bool> {
    let mut reached = vec![false; graph.vertex_bound()];
    // How many sources of an edge are not reached yet, each vertex counted once.
    let mut missing = std::collections::BTreeMap::new();
    let mut ready = Vec::new();
    for (id, edge) in graph.edges() {
        let mut sources = edge.sources.clone();
        sources.sort_unstable();
        sources.dedup();
        if sources.is_empty() {
            ready.push(edge.target);
        } else {
            missing.insert(id, sources.len());
        }
    }
    while let Some(vertex) = ready.pop() {
        if std::mem::replace(&mut reached[vertex.index()], true) {
            continue;
        }
        for id in graph.outgoing(vertex) {
            let count = missing.get_mut(&id).expect("an edge with sources");
            *count -= 1;
            if *count == 0 {
                ready.push(graph.edge(id).target);
            }
        }
    }
    reached
}

/// For each vertex, whether an edge from it leads to false, perhaps through others.
fn relevant(graph: &Graph) -> Vec<bool> {
    let mut is_relevant = vec![false; graph.vertex_bound()];
    let mut ready = vec![VertexId::FALSE];
    while let Some(vertex) = ready.pop() {
        if std::mem::replace(&mut is_relevant[vertex.index()], true) {
            continue;
        }
        for id in graph.incoming(vertex) {
            ready.extend(graph.edge(id).sources.iter().filter(|source| !is_relevant[source.index()]));
        }
    }
    is_relevant
}

impl Back for Removed {
    fn interpretation(&self, _at: After<'_>, mut interpretation: Interpretation) -> Returned<Interpretation> {
        for &vertex in &self.unreachable {
            interpretation.insert(vertex, Term::FALSE);
        }
        for &vertex in &self.useless {
            interpretation.insert(vertex, Term::TRUE);
        }
        Ok(interpretation)
    }
}
