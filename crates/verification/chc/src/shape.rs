//! The fragments of graphs that engines ask for.

use std::fmt;

use crate::graph::{Graph, VertexId};

/// The simplest description that fits a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// No edge goes to false, or only edges from true do: there is no vertex left.
    Trivial,
    /// One vertex; every edge is an initial one, a loop or a query.
    TransitionSystem,
    /// Several vertices, linear edges, and no cycles but loops at a vertex.
    Dag,
    /// Linear edges only.
    Linear,
    /// Some edge has several sources.
    Nonlinear,
}

impl Shape {
    /// The shape of a graph.
    pub fn of(graph: &Graph) -> Shape {
        if graph.edges().any(|(_, e)| !e.is_linear()) {
            return Shape::Nonlinear;
        }
        match graph.vertices().count() {
            0 => Shape::Trivial,
            1 => Shape::TransitionSystem,
            _ if is_dag(graph) => Shape::Dag,
            _ => Shape::Linear,
        }
    }
}

/// Whether the linear graph has no cycles but loops.
fn is_dag(graph: &Graph) -> bool {
    let mut degree = vec![0usize; graph.vertex_bound()];
    let mut successors = vec![Vec::new(); graph.vertex_bound()];
    for (_, edge) in graph.edges() {
        if let [source] = edge.sources[..]
            && source != edge.target
        {
            degree[edge.target.index()] += 1;
            successors[source.index()].push(edge.target);
        }
    }
    let mut ready: Vec<VertexId> = graph.vertices().filter(|v| degree[v.index()] == 0).collect();
    let mut seen = 0;
    while let Some(vertex) = ready.pop() {
        seen += 1;
        for &next in &successors[vertex.index()] {
            degree[next.index()] -= 1;
            if degree[next.index()] == 0 && next != VertexId::FALSE {
                ready.push(next);
            }
        }
    }
    seen == graph.vertices().count()
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shape::Trivial => "trivial",
            Shape::TransitionSystem => "transition system",
            Shape::Dag => "DAG of transition systems",
            Shape::Linear => "linear",
            Shape::Nonlinear => "nonlinear",
        })
    }
}
