//! The nested-loop transformation: a linear graph as a DAG of transition systems.
//!
//! Each strongly connected component with more than one vertex is merged into one vertex
//! ([`merge`](crate::merge) says how, and why witnesses find their way back); the edges inside become one
//! loop. What is left has no cycles but loops at a vertex, so that engines that follow the structure of the
//! graph reach programs with nested loops, and lose it only inside the component.

use shem_chc::{Derivation, EdgeId, Graph, Interpretation, Shape, VertexId};
use shem_term::Store;

use crate::merged_vertices::{MergedVertices, can_be_merged};
use crate::pass::{After, Back, Pass, PassDescription, Returned, Work};

/// Makes a linear graph with cycles through several vertices a DAG; leaves other graphs as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct NestedLoop;

impl Pass for NestedLoop {
    fn description(&self) -> PassDescription {
        PassDescription::new("nested-loop", "removes nested loops (on request: --simplify-nested)")
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        if Shape::of(graph) != Shape::Linear {
            return None;
        }
        let mut merged = Vec::new();
        for component in mutual_components(graph) {
            if budget.check_stop().is_err() || !can_be_merged(store, graph, &component) {
                continue;
            }
            let name = format!("loop.{}", merged.len());
            statistics.add("components", 1);
            statistics.add("vertices", component.len() as u64);
            merged.push(MergedVertices::apply(store, graph, &component, &name));
        }
        (!merged.is_empty()).then(|| Box::new(Components { merged }) as Box<dyn Back>)
    }
}

/// The way back: the components, in the order in which they were merged.
struct Components {
    merged: Vec<MergedVertices>,
}

impl Back for Components {
    fn interpretation(
        &self,
        mut at: After<'_>,
        mut interpretation: Interpretation,
    ) -> Returned<Interpretation> {
        for merged in self.merged.iter().rev() {
            interpretation = merged.interpretation(at.reborrow(), interpretation)?;
        }
        Ok(interpretation)
    }

    fn forward(
        &self,
        store: &mut Store,
        graph: &Graph,
        mut interpretation: Interpretation,
    ) -> Interpretation {
        for merged in &self.merged {
            interpretation = merged.forward(store, graph, interpretation);
        }
        interpretation
    }

    fn derivation(
        &self,
        mut at: After<'_>,
        mut derivation: Derivation<EdgeId>,
    ) -> Returned<Derivation<EdgeId>> {
        for merged in self.merged.iter().rev() {
            derivation = merged.derivation(at.reborrow(), derivation)?;
        }
        Ok(derivation)
    }
}

/// The strongly connected components with more than one vertex, each sorted, by Tarjan's algorithm with a stack of
/// its own.
pub fn mutual_components(graph: &Graph) -> Vec<Vec<VertexId>> {
    const UNSEEN: usize = usize::MAX;
    let bound = graph.vertex_bound();
    let successors = |vertex: VertexId| -> Vec<VertexId> {
        let targets = graph.outgoing(vertex).map(|e| graph.edge(e).target);
        targets.filter(|&t| t != VertexId::FALSE).collect()
    };
    let mut order = vec![UNSEEN; bound];
    let mut low = vec![UNSEEN; bound];
    let mut open = vec![false; bound];
    let mut trail: Vec<VertexId> = Vec::new();
    let mut next = 0;
    let mut found = Vec::new();
    for root in graph.vertices() {
        if order[root.index()] != UNSEEN {
            continue;
        }
        let mut stack = vec![(root, successors(root), 0)];
        while let Some((vertex, targets, at)) = stack.last_mut() {
            let v = vertex.index();
            if order[v] == UNSEEN {
                order[v] = next;
                low[v] = next;
                next += 1;
                open[v] = true;
                trail.push(*vertex);
            }
            if let Some(&target) = targets.get(*at) {
                *at += 1;
                let t = target.index();
                if order[t] == UNSEEN {
                    stack.push((target, successors(target), 0));
                } else if open[t] {
                    low[v] = low[v].min(order[t]);
                }
                continue;
            }
            let vertex = *vertex;
            stack.pop();
            if let Some((parent, ..)) = stack.last() {
                low[parent.index()] = low[parent.index()].min(low[v]);
            }
            if low[v] == order[v] {
                let start = trail.iter().rposition(|&t| t == vertex).expect("an open vertex");
                let mut component = trail.split_off(start);
                for member in &component {
                    open[member.index()] = false;
                }
                component.sort_unstable();
                if component.len() > 1 {
                    found.push(component);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use shem_base::{Budget, Statistics};
    use shem_chc::Edge;
    use shem_term::{Store, Term};

    use super::*;

    /// A graph of nullary vertices 1, 2, … with these edges between them; 0 is false.
    fn graph(store: &mut Store, vertices: usize, edges: &[(usize, usize)]) -> Graph {
        let mut graph = Graph::new();
        for i in 0..vertices {
            graph.add_vertex(store, &format!("p{i}"), &[]);
        }
        for &(source, target) in edges {
            let (sources, target) = (vec![VertexId::new(source)], VertexId::new(target));
            graph.add_edge(store, Edge { sources, target, label: Term::TRUE });
        }
        graph
    }

    fn indices(graph: &Graph) -> Vec<Vec<usize>> {
        let mut found: Vec<Vec<usize>> =
            mutual_components(graph).iter().map(|c| c.iter().map(|v| v.index()).collect()).collect();
        found.sort();
        found
    }

    #[test]
    fn strongly_connected_components() {
        let mut store = Store::new();
        let none: [Vec<usize>; 0] = [];
        let loops = graph(&mut store, 3, &[(1, 1), (1, 2), (2, 3), (3, 3), (3, 0)]);
        assert_eq!(indices(&loops), none);
        let edges = [(1, 2), (2, 3), (3, 2), (3, 4), (4, 5), (5, 6), (6, 4), (5, 5), (6, 0), (1, 4)];
        let two = graph(&mut store, 7, &edges);
        assert_eq!(indices(&two), [vec![2, 3], vec![4, 5, 6]]);
        // A cycle inside a cycle is one component.
        let nested = graph(&mut store, 4, &[(1, 2), (2, 3), (3, 2), (3, 4), (4, 1)]);
        assert_eq!(indices(&nested), [vec![1, 2, 3, 4]]);
    }

    #[test]
    fn depth_needs_no_stack() {
        let mut store = Store::new();
        let n = 50_000;
        let mut edges: Vec<(usize, usize)> = (1..n).map(|i| (i, i + 1)).collect();
        edges.push((n, n / 2));
        let long = graph(&mut store, n, &edges);
        assert_eq!(indices(&long), [(n / 2..=n).collect::<Vec<usize>>()]);
    }

    /// Two loops, one inside the other, and a way in and out.
    #[test]
    fn the_edges_of_a_component() {
        let mut store = Store::new();
        let edges = [(1, 2), (2, 3), (3, 3), (3, 2), (2, 4), (3, 4), (4, 0)];
        let mut nested = graph(&mut store, 4, &edges);
        let (mut statistics, mut budget) = (Statistics::new(), Budget::unlimited());
        let back = NestedLoop.apply(Work::new(&mut store, &mut nested, &mut statistics, &mut budget));
        assert!(back.is_some());
        assert_eq!((statistics.count("components"), statistics.count("vertices")), (1, 2));
        assert_eq!(Shape::of(&nested), Shape::Dag);
        let merged = VertexId::new(5);
        let mut ends: Vec<(usize, usize)> =
            nested.edges().map(|(_, e)| (e.sources[0].index(), e.target.index())).collect();
        ends.sort_unstable();
        assert_eq!(ends, [(1, 5), (4, 0), (5, 4), (5, 5)]);
        assert_eq!(nested.vertex(merged).sorts().len(), 2);
        assert!(NestedLoop.apply(Work::new(&mut store, &mut nested, &mut statistics, &mut budget)).is_none());
    }
}
