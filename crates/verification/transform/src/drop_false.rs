//! Removal of edges whose label is the constant false.
//!
//! Such an edge is in no derivation, and it holds under every interpretation: there is no way back to go.

use shem_base::{Budget, Statistics};
use shem_chc::{EdgeId, Graph};
use shem_term::{Store, Term};

use crate::pass::{Back, Pass};

/// Removes edges whose label is false.
#[derive(Clone, Copy, Debug, Default)]
pub struct DropFalse;

impl Pass for DropFalse {
    fn name(&self) -> &'static str {
        "drop-false"
    }

    fn summary(&self) -> &'static str {
        "removes edges whose label is false"
    }

    fn apply(
        &self,
        _: &mut Store,
        graph: &mut Graph,
        statistics: &mut Statistics,
        _: &mut Budget,
    ) -> Option<Box<dyn Back>> {
        let edges = graph.edges().filter(|(_, edge)| edge.label == Term::FALSE);
        let edges: Vec<EdgeId> = edges.map(|(id, _)| id).collect();
        for id in edges {
            graph.remove_edge(id);
            statistics.add("edges", 1);
        }
        None
    }
}
