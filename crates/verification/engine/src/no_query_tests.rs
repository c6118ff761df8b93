//! The engine that CONTRIBUTING.md adds: the document has its file word for word, and it works.

use shem_base::{Budget, Statistics};
use shem_chc::{Edge, Graph, VertexId};
use shem_term::{Sort, Store, Term};

use crate::{Context, NoEvents, Outcome, Registry, no_query};

#[test]
fn the_document_shows_the_engine() {
    let document = include_str!("../../../../CONTRIBUTING.md");
    let code = format!("```rust\n{}```\n", include_str!("no_query.rs"));
    assert!(document.contains(&code), "CONTRIBUTING.md does not show no_query.rs as it is");
    let registry = include_str!("registry.rs");
    for engine in ["bmc::DESCRIPTION,", "tpa::DESCRIPTION,"] {
        assert!(registry.contains(engine), "the document says that the registry has lines like this");
    }
}

#[test]
fn the_engine_of_the_document_runs() {
    let registry = Registry::standard().with(no_query::DESCRIPTION);
    let mut choice = registry.choose("no-query").expect("it was added");
    let mut store = Store::new();
    let mut graph = Graph::new();
    let vertex = graph.add_vertex(&mut store, "p", &[Sort::Int]);
    graph.add_edge(&mut store, Edge { sources: vec![], target: vertex, label: Term::TRUE });
    let safe = |choice: &crate::EngineChoice, store: &mut Store, graph: &Graph| {
        let mut events = NoEvents;
        let mut context = Context {
            budget: Budget::unlimited(),
            seed: 0,
            witness: true,
            events: &mut events,
            statistics: Statistics::new(),
        };
        matches!(choice.make().solve(store, graph, &mut context), Outcome::Safe(_))
    };
    assert!(safe(&choice, &mut store, &graph));
    choice.set("no-query.most-predicates", "0").expect("a setting");
    assert!(!safe(&choice, &mut store, &graph));
    choice.set("no-query.most-predicates", "7").expect("a setting");
    graph.add_edge(&mut store, Edge { sources: vec![vertex], target: VertexId::FALSE, label: Term::TRUE });
    assert!(!safe(&choice, &mut store, &graph));
    assert!(registry.settings().iter().any(|shared| shared.setting.name == "no-query.most-predicates"));
}
