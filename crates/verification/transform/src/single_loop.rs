//! The single-loop transformation: any linear graph as one transition system.
//!
//! All vertices are merged into one ([`merge`](crate::merge) says how, and why witnesses find their way
//! back), so that what is left is at most one initial edge, one loop and one query. A program with a hundred
//! locations becomes a loop around a switch: engines for transition systems can work on it, at the price
//! that they do not see the structure any more. Edges from true to false are left alone.

use shem_base::{Budget, Statistics};
use shem_chc::{Graph, Shape, VertexId};
use shem_term::Store;

use crate::merge::Merged;
use crate::pass::{Back, Pass};

/// Makes a linear graph with several vertices a transition system; leaves other graphs as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct SingleLoop;

impl Pass for SingleLoop {
    fn name(&self) -> &'static str {
        "single-loop"
    }

    fn apply(
        &self,
        store: &mut Store,
        graph: &mut Graph,
        statistics: &mut Statistics,
        _: &mut Budget,
    ) -> Option<Box<dyn Back>> {
        if !matches!(Shape::of(graph), Shape::Dag | Shape::Linear) {
            return None;
        }
        let vertices: Vec<VertexId> = graph.vertices().collect();
        let merged = Merged::apply(store, graph, &vertices, "loop");
        statistics.add("vertices", vertices.len() as u64);
        statistics.add("edges", merged.edge_count() as u64);
        statistics.add("arguments", graph.vertex(merged.vertex()).sorts().len() as u64);
        Some(Box::new(merged))
    }
}
