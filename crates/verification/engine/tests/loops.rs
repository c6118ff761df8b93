//! The single-loop and nested-loop transformations on random linear graphs: the answer stays, and witnesses
//! come back.

use shem_base::{Budget, Rng, Statistics};
use shem_chc::{Graph, Shape};
use shem_engine::{Adaptor, BmcOptions, Context, Engine, NoEvents, Outcome, TransitionBmc};
use shem_term::Store;
use shem_test_support::engine::Judged;
use shem_test_support::graph::{Plan, is_unsafe, random_graph};
use shem_test_support::witness;
use shem_transform::{After, NestedLoop, Pass, SingleLoop, Work};

fn random(store: &mut Store, seed: u64) -> Graph {
    let mut rng = Rng::new(seed);
    let vertices = 2 + rng.index(3);
    let edges = vertices + rng.index(2 * vertices + 2);
    random_graph(store, &mut rng, Plan { vertices, edges, arguments: 2, nonlinear: false })
}

/// Applies the pass, decides what comes out, translates the witness back and judges it.
fn through(store: &mut Store, pass: &dyn Pass, graph: &Graph) -> Judged {
    let mut after = graph.clone();
    let mut budget = Budget::unlimited();
    let Some(back) = pass.apply(Work::new(store, &mut after, &mut Statistics::new(), &mut budget)) else {
        return Judged::Unknown;
    };
    let options = BmcOptions { max_depth: Some(36), ..BmcOptions::default() };
    let mut engine = Adaptor::new(TransitionBmc::new(options));
    let mut events = NoEvents;
    let statistics = Statistics::new();
    let mut context =
        Context { budget: budget.clone(), seed: 0, witness: true, events: &mut events, statistics };
    match engine.solve(store, &after, &mut context) {
        Outcome::Safe(proven) => {
            let interpretation = proven.witness.get(store, &mut budget).expect("a model");
            witness::interpretation(store, &after, &interpretation).expect("a model");
            let interpretation = back.interpretation(After::new(store, &after, &mut budget), interpretation);
            witness::interpretation(store, graph, &interpretation.expect("a way back")).expect("a model");
            Judged::Safe
        }
        Outcome::Unsafe(witness) => {
            let derivation = witness.get(store, &mut budget).expect("a derivation");
            witness::derivation(store, &after, &derivation).expect("a derivation");
            let derivation = back.derivation(After::new(store, &after, &mut budget), derivation);
            witness::derivation(store, graph, &derivation.expect("a way back")).expect("a derivation");
            Judged::Unsafe
        }
        Outcome::Unknown(_) => {
            assert!(!is_unsafe(store, graph), "a derivation was missed");
            Judged::Unknown
        }
    }
}

#[test]
fn single_loops() {
    let mut counts = [0; 3];
    for seed in 0..300 {
        let mut store = Store::new();
        let graph = random(&mut store, seed);
        counts[through(&mut store, &SingleLoop, &graph) as usize] += 1;
        let mut after = graph.clone();
        let (mut statistics, mut budget) = (Statistics::new(), Budget::unlimited());
        SingleLoop
            .apply(Work::new(&mut store, &mut after, &mut statistics, &mut budget))
            .expect("a linear graph");
        assert_eq!(Shape::of(&after), Shape::TransitionSystem, "seed {seed}");
    }
    assert!(counts[..2].iter().all(|&n| n > 30), "a one-sided test: {counts:?}");
}

#[test]
fn nested_loops() {
    let mut counts = [0; 3];
    for seed in 0..500 {
        let mut store = Store::new();
        let graph = random(&mut store, 1000 + seed);
        if Shape::of(&graph) != Shape::Linear {
            continue;
        }
        counts[through(&mut store, &NestedLoop, &graph) as usize] += 1;
        let mut after = graph.clone();
        let (mut statistics, mut budget) = (Statistics::new(), Budget::unlimited());
        NestedLoop
            .apply(Work::new(&mut store, &mut after, &mut statistics, &mut budget))
            .expect("a linear graph");
        assert!(Shape::of(&after) <= Shape::Dag, "seed {seed}");
    }
    assert!(counts[..2].iter().all(|&n| n > 20), "a one-sided test: {counts:?}");
}
