//! Vertices without some of their arguments, for passes that find arguments of no account.
//!
//! A formula for a narrowed vertex is one for the vertex as it was: it does not mention the arguments that went.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::Statistics;
use shem_chc::{Edge, EdgeId, Graph, Interpretation, VertexId};
use shem_term::{Sort, Store, Substitution, Term};

use crate::scan::source_variables;

/// Vertices and edges that were replaced.
pub(crate) struct Narrowed {
    /// The new vertices, with the old ones and the positions that were kept.
    pub(crate) vertices: BTreeMap<VertexId, (VertexId, Vec<usize>)>,
    /// The new edges, with the old ones as they were.
    pub(crate) edges: BTreeMap<EdgeId, (EdgeId, Edge)>,
}

impl Narrowed {
    /// Replaces the vertices that do not keep all of their arguments; `None` if there are none. `label` gives the label
    /// of an edge about the arguments that are kept, by their old variables.
    pub(crate) fn apply(
        store: &mut Store,
        graph: &mut Graph,
        keeps: &[Vec<bool>],
        statistics: &mut Statistics,
        mut label: impl FnMut(&mut Store, &Graph, EdgeId, &Edge) -> Term,
    ) -> Option<Narrowed> {
        let mut vertices = BTreeMap::new();
        let mut replaced: BTreeMap<VertexId, VertexId> = BTreeMap::new();
        let old: Vec<VertexId> = graph.vertices().collect();
        for vertex in old {
            let keeps = &keeps[vertex.index()];
            if keeps.iter().all(|&keeps| keeps) {
                continue;
            }
            let kept: Vec<usize> = (0..keeps.len()).filter(|&at| keeps[at]).collect();
            statistics.add("arguments", (keeps.len() - kept.len()) as u64);
            statistics.add("vertices", 1);
            let name = graph.vertex(vertex).name().to_owned();
            let sorts: Vec<Sort> = kept.iter().map(|&at| graph.vertex(vertex).sorts()[at]).collect();
            let new = graph.add_vertex(store, &name, &sorts);
            replaced.insert(vertex, new);
            vertices.insert(new, (vertex, kept));
        }
        if replaced.is_empty() {
            return None;
        }
        let touched: BTreeSet<EdgeId> =
            replaced.keys().flat_map(|&v| graph.incoming(v).chain(graph.outgoing(v))).collect();
        let mut edges = BTreeMap::new();
        for id in touched {
            let edge = graph.remove_edge(id);
            let label = label(store, graph, id, &edge);
            let new = |vertex: &VertexId| *replaced.get(vertex).unwrap_or(vertex);
            let sources: Vec<VertexId> = edge.sources.iter().map(new).collect();
            let mut narrow = Edge { sources, target: new(&edge.target), label: Term::TRUE };
            for (at, &source) in narrow.sources.iter().enumerate() {
                graph.ensure_copy(store, source, narrow.copy(at));
            }
            let mut substitution = Substitution::new();
            let mut rename = |store: &Store, vertex: VertexId, from: &[Term], to: &[Term]| {
                if let Some((_, kept)) = vertices.get(&vertex) {
                    let from: Vec<Term> = kept.iter().map(|&at| from[at]).collect();
                    substitution.bind(store, &from, to);
                }
            };
            let (before, after) =
                (source_variables(graph, &edge.sources), source_variables(graph, &narrow.sources));
            for ((&vertex, from), to) in narrow.sources.iter().zip(&before).zip(&after) {
                rename(store, vertex, from, to);
            }
            let (from, to) = (graph.vertex(edge.target).target(), graph.vertex(narrow.target).target());
            rename(store, narrow.target, from, to);
            narrow.label = store.substitute(label, &substitution);
            let new = graph.add_edge(store, narrow);
            edges.insert(new, (id, edge));
        }
        for &vertex in replaced.keys() {
            graph.remove_vertex(vertex);
        }
        Some(Narrowed { vertices, edges })
    }

    /// The positions that the old vertices kept, of those that were replaced.
    pub(crate) fn kept(&self) -> BTreeMap<VertexId, &[usize]> {
        self.vertices.values().map(|(old, kept)| (*old, &kept[..])).collect()
    }

    /// The formulas of the new vertices for the old ones.
    pub(crate) fn interpretation(
        &self,
        store: &mut Store,
        graph: &Graph,
        mut interpretation: Interpretation,
    ) -> Interpretation {
        for (&new, (old, kept)) in &self.vertices {
            let state = graph.vertex(*old).state();
            let arguments: Vec<Term> = kept.iter().map(|&at| state[at]).collect();
            let formula = match interpretation.get(new) {
                Some(_) => interpretation.apply(store, graph, new, &arguments),
                None => Term::TRUE,
            };
            interpretation.insert(*old, formula);
        }
        interpretation
    }

    /// Those conjuncts of formulas for the old vertices that can be said of the new ones.
    pub(crate) fn forward(
        &self,
        store: &mut Store,
        graph: &Graph,
        mut interpretation: Interpretation,
    ) -> Interpretation {
        for (&new, (old, kept)) in &self.vertices {
            let Some(formula) = interpretation.get(*old) else { continue };
            let (before, after) = (graph.vertex(*old).state(), graph.vertex(new).state());
            let known: Vec<Term> = kept.iter().map(|&at| before[at]).collect();
            let mut parts = store.conjuncts(formula);
            parts.retain(|&part| store.free_variables(&[part]).iter().all(|v| known.contains(v)));
            let part = store.and(&parts);
            let part = store.rename(part, &known, after);
            interpretation.insert(new, part);
        }
        interpretation
    }
}
