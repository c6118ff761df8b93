//! Quantifiers in labels: eliminated first, and if that fails, nothing else looks at the graph.

use shem_base::{Budget, Effort, Statistics, StopToken};
use shem_chc::{Graph, Script, normalise};
use shem_term::{Sort, Store};
use shem_transform::{Decision, EliminateQuantifiers, Pipeline, QUANTIFIED, Reachable, Simplify};

const TEXT: &str = "(declare-fun p (Int) Bool)
    (assert (forall ((x Int)) (=> (forall ((y Int)) (or (< y 0) (> y x))) (p x))))
    (assert (forall ((x Int)) (=> (and (p x) (= (> x 0) (exists ((y Int)) (= x (* 2 y))))) (p (+ x 1)))))
    (assert (forall ((x Int)) (=> (and (p x) (>= x 0)) false)))";

fn read() -> (Store, Graph) {
    let mut store = Store::new();
    let script = Script::read(&mut store, TEXT, &StopToken::new()).expect("a script");
    let graph = normalise(&mut store, &script.system);
    (store, graph)
}

fn quantified(store: &Store, graph: &Graph) -> usize {
    graph.edges().filter(|(_, edge)| store.has_quantifier(edge.label)).count()
}

#[test]
fn labels_lose_their_quantifiers_and_keep_their_meaning() {
    let (mut store, graph) = read();
    assert_eq!(quantified(&store, &graph), 2);
    let before = graph.clone();
    let pipeline = Pipeline::new(vec![Box::new(EliminateQuantifiers::default())]);
    let mut statistics = Statistics::new();
    let done = pipeline.run(&mut store, graph, &mut statistics, &mut Budget::unlimited());
    assert_eq!(quantified(&store, &done.graph), 0);
    let (_, first) = done.graph.edges().next().unwrap();
    let canonical = done.graph.vertex(first.target).target()[0];
    let minus_one = store.int(-1);
    assert_eq!(first.label, store.le(canonical, minus_one));
    // The graph is the same but for the labels.
    for ((id, edge), (other_id, other)) in before.edges().zip(done.graph.edges()) {
        assert_eq!((id, &edge.sources, edge.target), (other_id, &other.sources, other.target));
    }
    assert!(statistics.to_string().contains("eliminate-quantifiers.labels"), "{statistics}");
}

#[test]
fn what_is_not_eliminated_is_not_decided() {
    let none = Effort { conflicts: 0, pivots: 0, splits: 0 };
    let pipelines = [
        Pipeline::new(vec![Box::new(Simplify::default()), Box::new(Reachable)]),
        Pipeline::new(vec![Box::new(EliminateQuantifiers { effort: none }), Box::new(Simplify::default())]),
    ];
    for pipeline in pipelines {
        let (mut store, graph) = read();
        let labels: Vec<_> = graph.edges().map(|(_, edge)| edge.label).collect();
        let done = pipeline.run(&mut store, graph, &mut Statistics::new(), &mut Budget::unlimited());
        assert!(quantified(&store, &done.graph) > 0);
        // No pass that does not know quantifiers has touched a label.
        let unchanged = done.graph.edges().zip(&labels).filter(|((_, edge), label)| edge.label == **label);
        assert!(unchanged.count() >= 2);
        let decision = done.decision(&mut store, &Budget::unlimited());
        assert!(matches!(decision, Some(Decision::Unknown(reason)) if reason == QUANTIFIED), "{decision:?}");
    }
}

#[test]
fn the_standard_passes_eliminate_first() {
    let (mut store, graph) = read();
    let done = Pipeline::standard().run(&mut store, graph, &mut Statistics::new(), &mut Budget::unlimited());
    assert_eq!(quantified(&store, &done.graph), 0);
    // Without a way to falsehood there is nothing that quantifiers could change.
    let mut store = Store::new();
    let mut graph = Graph::new();
    let vertex = graph.add_vertex(&mut store, "p", &[Sort::Int]);
    assert!(vertex.index() > 0);
    let done = Pipeline::default().run(&mut store, graph, &mut Statistics::new(), &mut Budget::unlimited());
    assert!(matches!(done.decision(&mut store, &Budget::unlimited()), Some(Decision::Safe(_))));
}
