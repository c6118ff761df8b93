//! The nested-loop transformation: a linear graph as a DAG of transition systems.
//!
//! Each strongly connected component with more than one vertex is merged into one vertex
//! ([`merge`](crate::merge) says how, and why witnesses find their way back); the edges inside become one
//! loop. What is left has no cycles but loops at a vertex, so that engines that follow the structure of the
//! graph reach programs with nested loops, and lose it only inside the component.

use shem_base::{Budget, Statistics};
use shem_chc::{Derivation, EdgeId, Graph, Interpretation, Shape, VertexId};
use shem_term::Store;

use crate::merge::Merged;
use crate::pass::{Back, BackError, Pass};

/// Makes a linear graph with cycles through several vertices a DAG; leaves other graphs as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct NestedLoop;

impl Pass for NestedLoop {
    fn name(&self) -> &'static str {
        "nested-loop"
    }

    fn apply(
        &self,
        store: &mut Store,
        graph: &mut Graph,
        statistics: &mut Statistics,
        _: &mut Budget,
    ) -> Option<Box<dyn Back>> {
        if Shape::of(graph) != Shape::Linear {
            return None;
        }
        let mut merged = Vec::new();
        for component in components(graph) {
            let name = format!("loop.{}", merged.len());
            statistics.add("components", 1);
            statistics.add("vertices", component.len() as u64);
            merged.push(Merged::apply(store, graph, &component, &name));
        }
        Some(Box::new(Components { merged }))
    }
}

/// The way back: the components, in the order in which they were merged.
struct Components {
    merged: Vec<Merged>,
}

impl Back for Components {
    fn interpretation(
        &self,
        store: &mut Store,
        graph: &Graph,
        mut interpretation: Interpretation,
        budget: &mut Budget,
    ) -> Result<Interpretation, BackError> {
        for merged in self.merged.iter().rev() {
            interpretation = merged.interpretation(store, graph, interpretation, budget)?;
        }
        Ok(interpretation)
    }

    fn derivation(
        &self,
        store: &mut Store,
        graph: &Graph,
        mut derivation: Derivation<EdgeId>,
        budget: &mut Budget,
    ) -> Result<Derivation<EdgeId>, BackError> {
        for merged in self.merged.iter().rev() {
            derivation = merged.derivation(store, graph, derivation, budget)?;
        }
        Ok(derivation)
    }
}

/// The strongly connected components with more than one vertex of a linear graph, each sorted, by Tarjan's
/// algorithm with a stack of its own.
fn components(graph: &Graph) -> Vec<Vec<VertexId>> {
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
