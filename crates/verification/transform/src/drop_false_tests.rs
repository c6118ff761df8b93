//! The pass that CONTRIBUTING.md adds: the document has its file word for word, and it works.

use shem_base::{Budget, Statistics};
use shem_chc::{Edge, Graph, VertexId};
use shem_term::{Store, Term};

use crate::drop_false::DropFalse;
use crate::pipeline::Pipeline;
use crate::preprocessed::Decision;

#[test]
fn the_document_shows_the_pass() {
    let document = include_str!("../../../../CONTRIBUTING.md");
    let code = format!("```rust\n{}```\n", include_str!("drop_false.rs"));
    assert!(document.contains(&code), "CONTRIBUTING.md does not show drop_false.rs as it is");
    let pipeline = include_str!("pipeline.rs");
    assert!(pipeline.contains("            Box::new(Slice),\n"), "the document names a line of the pipeline");
}

#[test]
fn the_pass_of_the_document_runs() {
    let mut store = Store::new();
    let mut graph = Graph::new();
    graph.add_edge(&mut store, Edge { sources: vec![], target: VertexId::FALSE, label: Term::FALSE });
    let mut statistics = Statistics::new();
    let pipeline = Pipeline::new(vec![Box::new(DropFalse)]);
    let done = pipeline.run(&mut store, graph, &mut statistics, &mut Budget::unlimited());
    assert_eq!(done.graph.edge_count(), 0);
    assert!(matches!(done.decision(&mut store, &Budget::unlimited()), Some(Decision::Safe(_))));
    assert!(statistics.iter().any(|(name, _)| name == "drop-false.edges"));
}
