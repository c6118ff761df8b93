//! Random graphs and their parts: falsehood can be derived in the whole if and only if it can be in a part, by the same
//! edges, and the interpretations of all parts give one of the whole.

use shem_base::{Budget, Rng, Statistics};
use shem_chc::{Graph, Shape};
use shem_engine::{Context, NoEvents, Outcome, Registry, Verdict};
use shem_term::Store;
use shem_test_support::graph::{Plan, is_unsafe, random_graph};
use shem_test_support::{rounds, witness};
use shem_transform::{Partition, PartitionBy};

const BY: [PartitionBy; 4] =
    [PartitionBy::Either, PartitionBy::Queries, PartitionBy::Facts, PartitionBy::Both];

fn solve(store: &mut Store, graph: &Graph) -> Verdict {
    let (budget, statistics) = (Budget::unlimited(), Statistics::new());
    let mut context = Context { budget, seed: 0, witness: true, events: &mut NoEvents, statistics };
    let mut engine = Registry::standard().choose("spacer").expect("an engine").make();
    engine.solve(store, graph, &mut context)
}

/// How often something was seen.
#[derive(Debug, Default)]
struct Seen {
    partitions: u64,
    safe: u64,
    unsafe_parts: u64,
    both: u64,
    nonlinear: u64,
}

fn divide(rng: &mut Rng, nonlinear: bool, seen: &mut Seen) {
    let mut store = Store::new();
    let plan = Plan { vertices: 1 + rng.index(3), edges: 4 + rng.index(6), arguments: 2, nonlinear };
    let graph = random_graph(&mut store, rng, plan);
    let by = *rng.pick(&BY);
    let most = 2 + rng.index(6);
    let Some(partition) = Partition::of(&mut store, &graph, most, by, &Budget::unlimited()) else { return };
    let parts = partition.parts();
    assert!((2..=most.max(4)).contains(&parts.len()), "{} parts of {most}, {by:?}", parts.len());
    let is_nonlinear = Shape::of(&graph) == Shape::Nonlinear;
    assert!(!is_nonlinear || parts.iter().all(|part| facts(part) == facts(&graph)));
    let mut interpretations = Vec::new();
    let mut is_derived = false;
    let mut budget = Budget::unlimited();
    for part in parts {
        match solve(&mut store, part) {
            Outcome::Safe(proven) => {
                assert!(!is_unsafe(&store, part));
                interpretations.push(proven.witness.get(&mut store, &mut budget).expect("an interpretation"));
            }
            Outcome::Unsafe(found) => {
                is_derived = true;
                seen.unsafe_parts += 1;
                let derivation = found.get(&mut store, &mut budget).expect("a derivation");
                witness::derivation(&mut store, &graph, &derivation).expect("a derivation of the whole");
            }
            Outcome::Unknown(reason) => panic!("unknown: {reason}"),
        }
    }
    assert_eq!(is_derived, is_unsafe(&store, &graph), "{by:?}");
    seen.partitions += 1;
    seen.both += u64::from(by == PartitionBy::Both && parts.len() > 3);
    seen.nonlinear += u64::from(is_nonlinear);
    if !is_derived {
        seen.safe += 1;
        let whole = partition.interpretation(&mut store, &interpretations);
        witness::interpretation(&mut store, &graph, &whole).expect("an interpretation of the whole");
    }
}

/// The edges from true, with their labels.
fn facts(graph: &Graph) -> Vec<(shem_chc::EdgeId, shem_term::Term)> {
    let facts = graph.edges().filter(|(_, edge)| edge.sources.is_empty());
    facts
        .filter(|(_, edge)| edge.target != shem_chc::VertexId::FALSE)
        .map(|(id, edge)| (id, edge.label))
        .collect()
}

#[test]
fn parts_decide_the_whole() {
    let mut seen = Seen::default();
    for seed in 0..rounds(400) {
        divide(&mut Rng::new(seed), seed % 3 == 0, &mut seen);
    }
    let Seen { partitions, safe, unsafe_parts, both, nonlinear } = seen;
    assert!(partitions > 150 && safe > 60 && unsafe_parts > 100 && both > 8 && nonlinear > 12, "{seen:?}");
}
