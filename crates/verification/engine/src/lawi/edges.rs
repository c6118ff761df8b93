//! The edges of a linear graph, compiled.

use shem_base::TieBreak;
use shem_chc::{EdgeId, Graph, VertexId};
use shem_smt::Template;
use shem_term::{Store, Term};

/// An edge with at most one source.
#[derive(Debug)]
pub(super) struct CompiledEdge {
    pub(super) id: EdgeId,
    pub(super) target: VertexId,
    pub(super) label: Term,
    /// The label over the state of the source, if there is one, and the variables of the target.
    pub(super) template: Template,
}

/// All edges, and which go where.
#[derive(Debug)]
pub(super) struct Edges {
    pub(super) all: Vec<CompiledEdge>,
    /// The indices of the edges from true; those to false first.
    facts: Vec<usize>,
    /// By vertex: the indices of the edges from there; those to false first.
    outgoing: Vec<Vec<usize>>,
}

impl Edges {
    pub(super) fn new(store: &mut Store, graph: &Graph, ties: TieBreak) -> Edges {
        let mut edges =
            Edges { all: Vec::new(), facts: Vec::new(), outgoing: vec![Vec::new(); graph.vertex_bound()] };
        for (id, edge) in graph.edges() {
            let mut formals = Vec::new();
            if let Some(&source) = edge.sources.first() {
                formals.extend_from_slice(graph.vertex(source).state());
            }
            formals.extend_from_slice(graph.vertex(edge.target).target());
            let template = Template::new(store, edge.label, &formals);
            let index = edges.all.len();
            edges.all.push(CompiledEdge { id, target: edge.target, label: edge.label, template });
            edges.list(edge.sources.first().copied()).push(index);
        }
        for list in edges.outgoing.iter_mut().chain([&mut edges.facts]) {
            list.sort_by_key(|&index| (edges.all[index].target != VertexId::FALSE, ties.rank(index)));
        }
        edges
    }

    fn list(&mut self, source: Option<VertexId>) -> &mut Vec<usize> {
        match source {
            None => &mut self.facts,
            Some(source) => &mut self.outgoing[source.index()],
        }
    }

    /// The indices of the edges from a vertex, or of the facts; those to false first.
    pub(super) fn from(&self, source: Option<VertexId>) -> &[usize] {
        match source {
            None => &self.facts,
            Some(source) => &self.outgoing[source.index()],
        }
    }
}
