//! Removal of edges whose label is the constant false.
//!
//! Such an edge is in no derivation, and it holds under every interpretation: there is no way back to go.

use shem_chc::EdgeId;
use shem_term::Term;

use crate::pass::{Back, Pass, PassDescription, Work};

/// Removes edges whose label is false.
#[derive(Clone, Copy, Debug, Default)]
pub struct DropFalse;

impl Pass for DropFalse {
    fn description(&self) -> PassDescription {
        PassDescription::new("drop-false", "removes edges whose label is false")
    }

    fn apply(&self, Work { graph, statistics, .. }: Work<'_>) -> Option<Box<dyn Back>> {
        let edges = graph.edges().filter(|(_, edge)| edge.label == Term::FALSE);
        let edges: Vec<EdgeId> = edges.map(|(id, _)| id).collect();
        for id in edges {
            graph.remove_edge(id);
            statistics.add("edges", 1);
        }
        None
    }
}
