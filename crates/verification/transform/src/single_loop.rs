//! The single-loop transformation: any linear graph as one transition system.
//!
//! All vertices are merged into one ([`merge`](crate::merge) says how, and why witnesses find their way
//! back), so that what is left is at most one initial edge, one loop and one query. A program with a hundred
//! locations becomes a loop around a switch: engines for transition systems can work on it, at the price
//! that they do not see the structure any more. Edges from true to false are left alone.

use shem_chc::{Shape, VertexId};

use crate::merged_vertices::{MergedVertices, can_be_merged};
use crate::pass::{Back, Pass, PassDescription, Work};

/// Makes a linear graph with several vertices a transition system; leaves other graphs as they are, and those with
/// arguments of declared sorts.
#[derive(Clone, Copy, Debug, Default)]
pub struct SingleLoop;

impl Pass for SingleLoop {
    fn description(&self) -> PassDescription {
        PassDescription::new(
            "single-loop",
            "turns a linear graph into one transition system with a program counter",
        )
    }

    fn apply(&self, Work { store, graph, statistics, .. }: Work<'_>) -> Option<Box<dyn Back>> {
        if !matches!(Shape::of(graph), Shape::Dag | Shape::Linear) {
            return None;
        }
        let vertices: Vec<VertexId> = graph.vertices().collect();
        if !can_be_merged(store, graph, &vertices) {
            return None;
        }
        let merged = MergedVertices::apply(store, graph, &vertices, "loop");
        statistics.add("vertices", vertices.len() as u64);
        statistics.add("edges", merged.edge_count() as u64);
        statistics.add("arguments", graph.vertex(merged.vertex()).sorts().len() as u64);
        Some(Box::new(merged))
    }
}

#[cfg(test)]
mod tests {
    use shem_base::{Budget, Statistics};
    use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, TransitionSystem};
    use shem_term::{Sort, Store, Value};

    use super::*;
    use crate::pass::After;

    /// `p(0)`; `p(x)` gives `q(x > 0, x)` by two edges, of which one needs `x` to be 5; `q(b, x)` with `b` gives
    /// `p(x + 1)`, without `b` too; `p(x)` with `x < 0` is false.
    fn graph(store: &mut Store) -> Graph {
        let mut graph = Graph::new();
        let p = graph.add_vertex(store, "p", &[Sort::Int]);
        let q = graph.add_vertex(store, "q", &[Sort::Bool, Sort::Int]);
        let (zero, five) = (store.int(0), store.int(5));
        let (p_state, p_next) = (graph.vertex(p).state()[0], graph.vertex(p).target()[0]);
        let (q_state, q_next) = (graph.vertex(q).state().to_vec(), graph.vertex(q).target().to_vec());
        let label = store.eq(p_next, zero);
        graph.add_edge(store, Edge { sources: vec![], target: p, label });
        let is_five = store.eq(p_state, five);
        let positive = store.gt(p_state, zero);
        let same = [store.iff(q_next[0], positive), store.eq(q_next[1], p_state)];
        let same = store.and(&same);
        let label = store.and2(same, is_five);
        graph.add_edge(store, Edge { sources: vec![p], target: q, label });
        graph.add_edge(store, Edge { sources: vec![p], target: q, label: same });
        let sum = store.linear(&[(1.into(), q_state[1])], &1.into(), Sort::Int);
        let label = store.eq(p_next, sum);
        graph.add_edge(store, Edge { sources: vec![q], target: p, label });
        let label = store.lt(p_state, zero);
        graph.add_edge(store, Edge { sources: vec![p], target: VertexId::FALSE, label });
        graph
    }

    #[test]
    fn arguments_are_shared() {
        let mut store = Store::new();
        let mut graph = graph(&mut store);
        let (mut statistics, mut budget) = (Statistics::new(), Budget::unlimited());
        let back = SingleLoop.apply(Work::new(&mut store, &mut graph, &mut statistics, &mut budget)).unwrap();
        let (vertex, _) = TransitionSystem::of(&mut store, &mut graph).unwrap();
        let sorts = [Sort::Bool, Sort::Bool, Sort::Int, Sort::Bool];
        assert_eq!(graph.vertex(vertex).sorts(), sorts, "two locations, a number, a truth value");
        assert_eq!((graph.edge_count(), statistics.count("edges")), (3, 5));

        // The number is not negative: that of p and of q, each by its own name.
        let [at_p, _, x, b] = graph.vertex(vertex).state().try_into().unwrap();
        let zero = store.int(0);
        let natural = store.ge(x, zero);
        let aliens = store.implies(at_p, !b);
        let formula = store.and2(natural, aliens);
        let mut interpretation = Interpretation::new();
        interpretation.insert(vertex, formula);
        let found = back.interpretation(After::new(&mut store, &graph, &mut budget), interpretation).unwrap();
        for (part, number) in [(1, 0), (2, 1)] {
            let part = VertexId::new(part);
            let expected = store.ge(graph.vertex(part).state()[number], zero);
            assert_eq!(found.get(part), Some(expected));
        }
    }

    #[test]
    fn steps_find_their_edges() {
        let mut store = Store::new();
        let mut graph = graph(&mut store);
        let (mut statistics, mut budget) = (Statistics::new(), Budget::unlimited());
        let back = SingleLoop.apply(Work::new(&mut store, &mut graph, &mut statistics, &mut budget)).unwrap();
        let image = |at_q: bool, b: bool, x: i64| {
            [Value::Bool(!at_q), Value::Bool(at_q), Value::Num(x.into()), Value::Bool(b)]
        };
        let start = graph.edges().find(|(_, e)| e.sources.is_empty()).unwrap().0;
        let step = graph.edges().find(|(_, e)| e.is_loop()).unwrap().0;
        let mut derivation: Derivation<EdgeId> = Derivation::new();
        let mut last = derivation.push(start, &[], image(false, false, 0));
        let mut expected = vec![0];
        for x in 0..6 {
            last = derivation.push(step, &[last], image(true, x > 0, x));
            last = derivation.push(step, &[last], image(false, false, x + 1));
            // Both edges allow the step from 5; the first one is taken.
            expected.extend([if x == 5 { 1 } else { 2 }, 3]);
        }
        let found = back.derivation(After::new(&mut store, &graph, &mut budget), derivation.clone()).unwrap();
        let rules: Vec<usize> = found.steps().map(|(_, step)| step.rule.index()).collect();
        assert_eq!(rules, expected);
        let lengths: Vec<usize> = found.steps().map(|(_, step)| step.values.len()).collect();
        assert_eq!(lengths[..3], [1, 2, 1]);

        let two_places = [Value::Bool(true), Value::Bool(true), Value::Num(0.into()), Value::Bool(false)];
        let mut broken = derivation.clone();
        broken.push(step, &[last], two_places);
        assert!(back.derivation(After::new(&mut store, &graph, &mut budget), broken).is_err());
        let mut broken = derivation;
        broken.push(step, &[last], image(true, true, 100));
        assert!(back.derivation(After::new(&mut store, &graph, &mut budget), broken).is_err());
    }
}
