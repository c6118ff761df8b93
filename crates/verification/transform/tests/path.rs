//! From paths of transition systems to derivations.

use shem_base::{Budget, Rat, UnknownReason};
use shem_chc::{Edge, EdgeId, Graph, Path, StepId, TransitionSystem, VertexId};
use shem_term::{Sort, Store, Term, Value};
use shem_transform::{After, BackError, derivation_of};

/// `x` begins at 0 and grows by one or, if it is even, by two; bad is a number that is at least `goal`. With
/// `hidden`, what is added is an auxiliary variable, so that evaluation does not decide the steps.
fn graph(store: &mut Store, goal: i64, hidden: bool) -> Graph {
    let mut graph = Graph::new();
    let p = graph.add_vertex(store, "p", &[Sort::Int]);
    let (x, next) = (graph.vertex(p).state()[0], graph.vertex(p).target()[0]);
    let (zero, goal) = (store.int(0), store.int(goal));
    let label = store.eq(next, zero);
    graph.add_edge(store, Edge { sources: vec![], target: p, label });
    for by in [1, 2] {
        let mut label = Vec::new();
        let by_term = store.int(by);
        let mut added = by_term;
        if hidden {
            added = graph.fresh(store, Sort::Int);
            label.extend([store.ge(added, by_term), store.le(added, by_term)]);
        }
        let sum = store.add(&[x, added]);
        label.push(store.eq(next, sum));
        if by == 2 {
            label.push(store.divisible(&2.into(), x));
        }
        let label = store.and(&label);
        graph.add_edge(store, Edge { sources: vec![p], target: p, label });
    }
    let label = store.ge(x, goal);
    graph.add_edge(store, Edge { sources: vec![p], target: VertexId::FALSE, label });
    graph
}

fn number(n: i64) -> Vec<Value> {
    vec![Value::Num(Rat::from(n))]
}

/// A path with steps of one and of two, each of which has its edge.
fn check_long(hidden: bool, steps: i64) {
    let mut store = Store::new();
    // From 0 in turns by two and by one, so that every second number is reached from an even one by two,
    // except that a step by two is not taken from an odd number.
    let mut path: Path = vec![number(0)];
    let mut expected = vec![EdgeId::new(0)];
    let mut x = 0;
    for i in 0..steps {
        let by = if x % 2 == 0 && i % 3 == 0 { 2 } else { 1 };
        x += by;
        path.push(number(x));
        expected.push(EdgeId::new(by as usize));
    }
    expected.push(EdgeId::new(3));
    let graph = graph(&mut store, x, hidden);
    let mut budget = Budget::unlimited();
    let derivation = derivation_of(After::new(&mut store, &graph, &mut budget), path.clone().into()).unwrap();
    let derivation = derivation.expanded(&store, 1_000_000).expect("not that many steps");
    assert_eq!(derivation.len(), path.len() + 1);
    for (id, step) in derivation.steps() {
        assert_eq!(step.rule, expected[id.index()], "step {id:?}");
        assert_eq!(step.values, path.get(id.index()).map_or(&[][..], |state| &state[..]));
        let premises: Vec<StepId> = id.index().checked_sub(1).map(StepId::new).into_iter().collect();
        assert_eq!(step.premises, premises);
    }
}

#[test]
fn long_paths_by_evaluation() {
    check_long(false, 100_000);
}

#[test]
fn long_paths_by_solving() {
    check_long(true, 10_000);
}

#[test]
fn what_is_no_path() {
    for hidden in [false, true] {
        let mut store = Store::new();
        let graph = graph(&mut store, 3, hidden);
        let mut derive = |numbers: &[i64], budget: &mut Budget| {
            let path: Path = numbers.iter().map(|&n| number(n)).collect();
            derivation_of(After::new(&mut store, &graph, budget), path.into())
                .map(|derivation| derivation.step_count())
        };
        let budget = &mut Budget::unlimited();
        assert_eq!(derive(&[0, 2, 3], budget), Ok(4));
        for broken in [&[][..], &[1, 2, 3], &[0, 1, 3], &[0, 2]] {
            assert!(matches!(derive(broken, budget), Err(BackError::Broken(_))), "{broken:?}");
        }
        budget.stop.stop();
        assert_eq!(derive(&[0, 2, 3], budget), Err(BackError::Unknown(UnknownReason::Stopped)));
    }
}

#[test]
fn systems_of_other_shapes() {
    let mut store = Store::new();
    let mut graph = graph(&mut store, 3, false);
    assert!(TransitionSystem::of(&mut store, &mut graph).is_some());
    graph.add_edge(&mut store, Edge { sources: vec![], target: VertexId::FALSE, label: Term::FALSE });
    assert!(TransitionSystem::of(&mut store, &mut graph).is_none(), "an edge from true to false");
}
