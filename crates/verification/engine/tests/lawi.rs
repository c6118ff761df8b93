//! Lazy abstraction on random linear systems: the answer is that of listing all facts, and every witness is
//! judged, on the graph and, as part of the system, by the checker of witnesses. And small systems whose
//! answer is known.

use shem_base::{Budget, Rat, Rng};
use shem_chc::{Edge, Graph, Shape, VertexId};
use shem_engine::Outcome;
use shem_engine::lawi::{Lawi, Settings};
use shem_smt::interpolate::{InterpolationSystem, ItpOptions, TheoryRule};
use shem_term::{Sort, Store, Term};
use shem_test_support::engine::{
    Judged, decide_random_systems, ends_when_stopped, refuses_nonlinear_graphs, run, watch,
};
use shem_test_support::graph::{Plan, is_unsafe, random_graph};
use shem_test_support::rounds;

fn variants() -> Vec<Settings> {
    let rules = |system, theory| ItpOptions { system, theory, ..ItpOptions::default() };
    // Paths are refuted as in the paper, as a whole and without their labels.
    let plain =
        Settings { path_labels: false, local_refinement: 0, forced_covering: false, ..Settings::default() };
    vec![
        Settings::default(),
        Settings { forced_covering: !Settings::default().forced_covering, ..Settings::default() },
        plain.clone(),
        Settings {
            forced_covering: true,
            forced_candidates: usize::MAX,
            interpolation: rules(InterpolationSystem::DualMcMillan, TheoryRule::DualFarkas),
            ..plain.clone()
        },
        Settings {
            interpolation: rules(InterpolationSystem::Pudlak, TheoryRule::Decomposed),
            path_labels: true,
            local_refinement: usize::MAX,
            ..plain
        },
        Settings { local_refinement: 0, ..Settings::default() },
        Settings {
            interpolation: rules(InterpolationSystem::ProofSensitive, TheoryRule::DualDecomposed),
            ..Settings::default()
        },
    ]
}

#[test]
fn random_systems_are_decided_and_witnessed() {
    let engines =
        || variants().into_iter().map(|s| (format!("{s:?}"), Box::new(Lawi::new(s)) as _)).collect();
    decide_random_systems(400, |shape| shape != Shape::Nonlinear, engines);
}

#[test]
fn random_graphs_with_many_edges() {
    let mut counts = [0; 3];
    for seed in 0..rounds(200) {
        let mut store = Store::new();
        let mut rng = Rng::new(seed);
        let vertices = 2 + rng.index(3);
        let edges = 2 * vertices + rng.index(3 * vertices);
        let plan = Plan { vertices, edges, arguments: 3, nonlinear: false };
        let graph = random_graph(&mut store, &mut rng, plan);
        let expected = if is_unsafe(&store, &graph) { Judged::Unsafe } else { Judged::Safe };
        for settings in variants() {
            let mut engine = Lawi::new(settings.clone());
            let (judged, _) = run(&mut store, &graph, &mut engine, Budget::unlimited());
            assert_eq!(judged, expected, "seed {seed}, {settings:?}");
        }
        counts[expected as usize] += 1;
    }
    assert!(counts[0] > 20 && counts[1] > 20, "a one-sided test: {counts:?}");
}

#[test]
fn nonlinear_graphs_are_refused() {
    refuses_nonlinear_graphs(&mut Lawi::default());
}

#[test]
fn edges_from_true_to_false() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Int);
    let (zero, one) = (store.int(0), store.int(1));
    let (low, high) = (store.ge(x, one), store.le(x, zero));
    let never = store.and2(low, high);
    let mut graph = Graph::new();
    let p = graph.add_vertex(&mut store, "p", &[Sort::Int]);
    graph.add_edge(&mut store, Edge { sources: vec![], target: p, label: Term::TRUE });
    graph.add_edge(&mut store, Edge { sources: vec![], target: VertexId::FALSE, label: never });
    let (judged, _) = run(&mut store, &graph, &mut Lawi::default(), Budget::unlimited());
    assert_eq!(judged, Judged::Safe);
    graph.add_edge(&mut store, Edge { sources: vec![], target: VertexId::FALSE, label: high });
    let (judged, _) = run(&mut store, &graph, &mut Lawi::default(), Budget::unlimited());
    assert_eq!(judged, Judged::Unsafe);
}

/// Two loops one after the other: `x` begins at 0 and grows to at least `steps`, then it shrinks again. Bad is
/// `x = goal` in the second loop.
fn two_loops(store: &mut Store, steps: i64, goal: i64) -> Graph {
    let mut graph = Graph::new();
    let up = graph.add_vertex(store, "up", &[Sort::Int]);
    let down = graph.add_vertex(store, "down", &[Sort::Int]);
    let (x, next) = (graph.vertex(up).state()[0], graph.vertex(up).target()[0]);
    let (y, then) = (graph.vertex(down).state()[0], graph.vertex(down).target()[0]);
    let (zero, steps, goal) = (store.int(0), store.int(steps), store.int(goal));
    let start = store.eq(next, zero);
    graph.add_edge(store, Edge { sources: vec![], target: up, label: start });
    let more = store.linear(&[(Rat::from(1), x)], &Rat::from(1), Sort::Int);
    let grow = store.eq(next, more);
    graph.add_edge(store, Edge { sources: vec![up], target: up, label: grow });
    let enough = [store.ge(x, steps), store.eq(then, x)];
    let leave = store.and(&enough);
    graph.add_edge(store, Edge { sources: vec![up], target: down, label: leave });
    let less = store.linear(&[(Rat::from(1), y)], &Rat::from(-1), Sort::Int);
    let both = [store.gt(y, zero), store.eq(then, less)];
    let shrink = store.and(&both);
    graph.add_edge(store, Edge { sources: vec![down], target: down, label: shrink });
    let bad = store.eq(y, goal);
    graph.add_edge(store, Edge { sources: vec![down], target: VertexId::FALSE, label: bad });
    graph
}

#[test]
fn several_loops() {
    for settings in variants() {
        let mut store = Store::new();
        let graph = two_loops(&mut store, 4, -1);
        let (judged, statistics) =
            run(&mut store, &graph, &mut Lawi::new(settings.clone()), Budget::unlimited());
        assert_eq!(judged, Judged::Safe, "{settings:?}");
        assert!(statistics.count("covers") > 0 && statistics.count("refinements") > 0);
    }
}

#[test]
fn the_oldest_leaf_first_finds_a_shortest_path() {
    let mut store = Store::new();
    let graph = two_loops(&mut store, 4, 2);
    let settings = Settings::default();
    let (judged, statistics) = run(&mut store, &graph, &mut Lawi::new(settings), Budget::unlimited());
    // Four steps up, one to the other loop and two down, from a first node at depth 1.
    assert_eq!((judged, statistics.count("depth")), (Judged::Unsafe, 8));
}

#[test]
fn progress_and_limits() {
    let mut store = Store::new();
    let graph = two_loops(&mut store, 4, 2);
    let (verdict, depths, _) = watch(&mut store, &graph, &mut Lawi::default());
    assert!(matches!(verdict, Outcome::Unsafe(_)));
    assert!(depths.windows(2).all(|pair| pair[0] < pair[1]) && depths.len() > 2, "{depths:?}");
    ends_when_stopped::<Lawi>(&mut store, &graph);
}
