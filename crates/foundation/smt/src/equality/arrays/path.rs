//! Paths through the graph and what they prove.

use shem_base::StampMap;

use super::super::closure::Closure;
use super::super::node::{Node, Premise};
use super::graph::{Graph, Vertex};

/// Finds shortest paths.
#[derive(Debug, Default)]
pub(super) struct PathFinder {
    /// By vertex that was reached: the edge by which it was; none for the start.
    reached: StampMap<Option<u32>>,
    queue: Vec<Vertex>,
    /// The edges of the last path, in order.
    path: Vec<u32>,
}

impl PathFinder {
    /// Finds all vertices that can be reached over the edges that are allowed.
    pub(super) fn explore(&mut self, graph: &Graph, from: Vertex, mut allowed: impl FnMut(u32) -> bool) {
        self.reached.clear();
        self.queue.clear();
        self.reached.insert(from as usize, None);
        self.queue.push(from);
        let mut next = 0;
        while let Some(&vertex) = self.queue.get(next) {
            next += 1;
            for edge in graph.edges_at(vertex) {
                let other = graph.across(edge, vertex);
                if !self.reached.contains(other as usize) && allowed(edge) {
                    self.reached.insert(other as usize, Some(edge));
                    self.queue.push(other);
                }
            }
        }
    }

    /// Whether the last exploration reached a vertex.
    pub(super) fn has_reached(&self, vertex: Vertex) -> bool {
        self.reached.contains(vertex as usize)
    }

    /// The edges from the start of the last exploration to a vertex that it reached.
    pub(super) fn trace(&mut self, graph: &Graph, to: Vertex) -> &[u32] {
        self.path.clear();
        let mut vertex = to;
        while let Some(&Some(edge)) = self.reached.get(vertex as usize) {
            self.path.push(edge);
            vertex = graph.across(edge, vertex);
        }
        self.path.reverse();
        &self.path
    }
}

/// The premises of a consequence in the making.
#[derive(Debug, Default)]
pub(super) struct Argument {
    pub(super) premises: Vec<Premise>,
    /// The pairs of indices that have to be different for the consequence and are not known to be.
    pub(super) open: Vec<(Node, Node)>,
}

impl Argument {
    pub(super) fn clear(&mut self) {
        self.premises.clear();
        self.open.clear();
    }

    /// Adds that two nodes are equal.
    pub(super) fn equal(&mut self, a: Node, b: Node) {
        self.premises.push(Premise::Equal(a, b));
    }

    /// Adds that two indices are different, or takes note that this is open.
    fn distinct(&mut self, closure: &Closure, a: Node, b: Node) {
        if closure.are_distinct(a, b) {
            self.premises.push(Premise::Distinct(a, b));
        } else {
            self.open.push((a, b));
        }
    }

    /// Adds a path between two arrays, given as nodes with their vertices: any path, or one that avoids stores at
    /// an index. Returns whether there is one.
    pub(super) fn connect(
        &mut self,
        (closure, graph, finder): (&Closure, &Graph, &mut PathFinder),
        from: (Node, Vertex),
        to: (Node, Vertex),
        avoiding: Option<Node>,
    ) -> bool {
        match avoiding {
            None => finder.explore(graph, from.1, |_| true),
            Some(index) => {
                // A path whose indices are known to be different from this one saves case splits.
                finder.explore(graph, from.1, |edge| {
                    closure.are_distinct(graph.edges[edge as usize].index, index)
                });
                if !finder.has_reached(to.1) {
                    let label = closure.class(index);
                    finder.explore(graph, from.1, |edge| graph.edges[edge as usize].label != label);
                }
            }
        }
        if !finder.has_reached(to.1) {
            return false;
        }
        let (mut node, mut vertex) = from;
        for &number in finder.trace(graph, to.1) {
            let edge = &graph.edges[number as usize];
            let (enter, leave) =
                if edge.ends[0] == vertex { (edge.store, edge.base) } else { (edge.base, edge.store) };
            self.equal(node, enter);
            if let Some(index) = avoiding {
                self.distinct(closure, edge.index, index);
            }
            node = leave;
            vertex = graph.across(number, vertex);
        }
        self.equal(node, to.0);
        true
    }
}
