//! Bounded model checking, judged by enumeration and by its witnesses.

mod support;

use shem_base::{Budget, Rat, Rng};
use shem_chc::{Edge, Graph, Shape, VertexId};
use shem_engine::{Adaptor, Bmc, BmcOptions, Engine, Incomplete, Outcome, Reason, TransitionBmc};
use shem_term::{Sort, Store, Term};
use support::{Judged, Plan, ends_when_stopped, is_unsafe, random_graph, run, watch};

/// Runs engines on random graphs and compares with enumeration. No random graph has facts at a depth of 36
/// that it does not have before.
fn compare(rounds: u64, plan: impl Fn(&mut Rng) -> Plan, engine: impl Fn(BmcOptions) -> Box<dyn Engine>) {
    let mut counts = [0; 3];
    for seed in 0..rounds {
        let mut store = Store::new();
        let mut rng = Rng::new(seed);
        let plan = plan(&mut rng);
        let graph = random_graph(&mut store, &mut rng, plan);
        let mut engine = engine(BmcOptions { max_depth: Some(36), ..BmcOptions::default() });
        let (judged, _) = run(&mut store, &graph, &mut *engine, Budget::unlimited());
        assert_eq!(judged == Judged::Unsafe, is_unsafe(&store, &graph), "seed {seed}");
        counts[judged as usize] += 1;
    }
    assert!(counts.iter().all(|&n| n > 20), "a one-sided test: {counts:?}");
}

fn small(rng: &mut Rng) -> Plan {
    let vertices = 2 + rng.index(3);
    Plan { vertices, edges: vertices + rng.index(2 * vertices + 2), arguments: 2, nonlinear: false }
}

#[test]
fn random_transition_systems() {
    let plan = |rng: &mut Rng| Plan { vertices: 1, edges: 2 + rng.index(5), arguments: 3, nonlinear: false };
    compare(400, plan, |options| Box::new(Adaptor::new(TransitionBmc::new(options))));
    compare(400, plan, |options| Box::new(Bmc::new(options)));
}

#[test]
fn random_linear_graphs() {
    compare(400, small, |options| Box::new(Bmc::new(options)));
}

#[test]
fn random_linear_graphs_as_transition_systems() {
    compare(200, small, |options| Box::new(Bmc::new(BmcOptions { force_ts: true, ..options })));
}

#[test]
fn nonlinear_graphs_are_refused() {
    let mut store = Store::new();
    let mut graph = Graph::new();
    let p = graph.add_vertex(&mut store, "p", &[]);
    graph.add_edge(&mut store, Edge { sources: vec![], target: p, label: Term::TRUE });
    graph.add_edge(&mut store, Edge { sources: vec![p, p], target: VertexId::FALSE, label: Term::TRUE });
    for force_ts in [false, true] {
        let mut engine = Bmc::new(BmcOptions { force_ts, ..BmcOptions::default() });
        let (judged, _) = run(&mut store, &graph, &mut engine, Budget::unlimited());
        assert_eq!(judged, Judged::Unknown);
    }
}

#[test]
fn edges_from_true_to_false() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Int);
    let (zero, one) = (store.int(0), store.int(1));
    let (low, high) = (store.ge(x, one), store.le(x, zero));
    let never = store.and2(low, high);
    for vertices in 0..3 {
        let mut graph = Graph::new();
        for i in 0..vertices {
            let vertex = graph.add_vertex(&mut store, &format!("p{i}"), &[Sort::Int]);
            graph.add_edge(&mut store, Edge { sources: vec![], target: vertex, label: Term::TRUE });
        }
        let empty = Edge { sources: vec![], target: VertexId::FALSE, label: never };
        graph.add_edge(&mut store, empty);
        let (judged, _) = run(&mut store, &graph, &mut Bmc::default(), Budget::unlimited());
        assert_eq!(judged, Judged::Safe, "{}", Shape::of(&graph));
        graph.add_edge(&mut store, Edge { sources: vec![], target: VertexId::FALSE, label: high });
        let (judged, _) = run(&mut store, &graph, &mut Bmc::default(), Budget::unlimited());
        assert_eq!(judged, Judged::Unsafe);
    }
}

/// `x` and `y` begin at 0; `x` grows by one while it is less than `steps`, and `y` twice as fast. Bad is `y =
/// goal`.
fn counter(store: &mut Store, steps: i64, goal: i64) -> Graph {
    let mut graph = Graph::new();
    let p = graph.add_vertex(store, "p", &[Sort::Int, Sort::Int]);
    let state = graph.vertex(p).state().to_vec();
    let next = graph.vertex(p).target().to_vec();
    let (zero, steps, goal) = (store.int(0), store.int(steps), store.int(goal));
    let label = [store.eq(next[0], zero), store.eq(next[1], zero)];
    let label = store.and(&label);
    graph.add_edge(store, Edge { sources: vec![], target: p, label });
    let mut label = vec![store.lt(state[0], steps)];
    for (i, by) in [(0, 1), (1, 2)] {
        let sum = store.linear(&[(Rat::from(1), state[i])], &Rat::from(by), Sort::Int);
        label.push(store.eq(next[i], sum));
    }
    let label = store.and(&label);
    graph.add_edge(store, Edge { sources: vec![p], target: p, label });
    let label = store.eq(state[1], goal);
    graph.add_edge(store, Edge { sources: vec![p], target: VertexId::FALSE, label });
    graph
}

#[test]
fn long_paths() {
    let mut store = Store::new();
    let graph = counter(&mut store, 500, 600);
    let (judged, statistics) = run(&mut store, &graph, &mut Bmc::default(), Budget::unlimited());
    assert_eq!((judged, statistics.count("depth")), (Judged::Unsafe, 300));
}

#[test]
fn paths_that_end() {
    let mut store = Store::new();
    let graph = counter(&mut store, 100, 121);
    let (judged, statistics) = run(&mut store, &graph, &mut Bmc::default(), Budget::unlimited());
    assert_eq!((judged, statistics.count("depth")), (Judged::Safe, 101));
}

#[test]
fn progress_and_limits() {
    let mut store = Store::new();
    let graph = counter(&mut store, 1000, 1201);
    let mut engine = Bmc::new(BmcOptions { max_depth: Some(5), ..BmcOptions::default() });
    let (verdict, depths, statistics) = watch(&mut store, &graph, &mut engine);
    assert!(matches!(verdict, Outcome::Unknown(Reason::Incomplete(Incomplete::Depth(5)))), "{verdict:?}");
    assert_eq!(statistics.count("depth"), 5);
    assert_eq!(depths, [0, 1, 2, 3, 4, 5]);
    ends_when_stopped::<Bmc>(&mut store, &graph);
}
