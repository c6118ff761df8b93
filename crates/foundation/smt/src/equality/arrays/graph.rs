//! The graph of array classes and stores.

use shem_base::StampMap;

use super::super::closure::Closure;
use super::super::node::{Kind, Node, NodeSort};

/// What the rules have to know of an array sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArraySort {
    /// How many indices there are at least; the greatest number if they are infinitely many.
    pub indices: u64,
    /// Whether there are infinitely many elements.
    pub infinite_element: bool,
}

/// A class of arrays.
pub(super) type Vertex = u32;

/// A store between two array classes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The node of the store.
    pub(super) store: Node,
    /// The array that is changed.
    pub(super) base: Node,
    /// The index at which it is changed.
    pub(super) index: Node,
    /// The class of the index.
    pub(super) label: Node,
    /// The classes of the store and of its base.
    pub(super) ends: [Vertex; 2],
}

/// What is known of an array at an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    /// The array.
    pub(super) array: Node,
    /// The class of the array.
    pub(super) vertex: Vertex,
    /// The index; a constant array has its element at all of them.
    pub(super) index: Option<Node>,
    /// The element.
    pub(super) element: Node,
}

/// The graph of the current classes.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// By vertex: the root of its class.
    pub(super) roots: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    /// By vertex: the edges at it, in `incident`.
    starts: Vec<u32>,
    incident: Vec<u32>,
    /// By vertex: the number of its component.
    pub(super) component: Vec<u32>,
    /// The vertices, sorted by component.
    order: Vec<Vertex>,
    /// By component: where its vertices end in `order`.
    ends: Vec<u32>,
    /// The reads at an index, of selects and stores, SORTED by the component, then by the class of the index.
    pub(super) reads: Vec<(u32, Node, Read)>,
    /// The constant arrays, SORTED by component.
    pub(super) constants: Vec<(u32, Read)>,
    /// From the index of a root to its vertex.
    vertices: StampMap<Vertex>,
    stack: Vec<Vertex>,
}

/// The applications of the functions of arrays, kept up to date as nodes come and go.
#[derive(Debug, Default)]
pub(super) struct Applications {
    selects: Vec<Node>,
    stores: Vec<Node>,
    constants: Vec<Node>,
    /// The nodes that have been looked at.
    seen: usize,
}

impl Applications {
    /// Takes note of new nodes, and of those that are gone.
    pub(super) fn update(&mut self, closure: &Closure) {
        for index in self.seen..closure.len() {
            let node = Node::new(index as u32);
            match closure.function(node) {
                Some((_, Kind::Select)) => self.selects.push(node),
                Some((_, Kind::Store)) => self.stores.push(node),
                Some((_, Kind::ConstantArray)) => self.constants.push(node),
                _ => {}
            }
        }
        self.seen = closure.len();
    }

    /// Forgets the nodes from this number on.
    pub(super) fn truncate(&mut self, count: usize) {
        for list in [&mut self.selects, &mut self.stores, &mut self.constants] {
            list.truncate(list.partition_point(|node| node.index() < count));
        }
        self.seen = self.seen.min(count);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.selects.is_empty() && self.stores.is_empty() && self.constants.is_empty()
    }
}

impl Graph {
    /// Builds the graph anew.
    pub(super) fn build(&mut self, closure: &Closure, applications: &Applications) {
        self.vertices.clear();
        self.roots.clear();
        self.edges.clear();
        self.reads.clear();
        self.constants.clear();
        for &store in &applications.stores {
            let &[base, index, _] = closure.args(store) else { continue };
            let ends = [self.vertex(closure, store), self.vertex(closure, base)];
            self.edges.push(Edge { store, base, index, label: closure.class(index), ends });
        }
        for &array in &applications.constants {
            let &[element] = closure.args(array) else { continue };
            let vertex = self.vertex(closure, array);
            self.constants.push((0, Read { array, vertex, index: None, element }));
        }
        for &select in &applications.selects {
            let &[array, index] = closure.args(select) else { continue };
            let vertex = self.vertex(closure, array);
            let read = Read { array, vertex, index: Some(index), element: select };
            self.reads.push((0, closure.class(index), read));
        }
        for at in 0..self.edges.len() {
            let Edge { store, index, label, ends, .. } = self.edges[at];
            let element = closure.args(store)[2];
            self.reads.push((0, label, Read { array: store, vertex: ends[0], index: Some(index), element }));
        }
        self.connect();
        let component = &self.component;
        for (of, _, read) in &mut self.reads {
            *of = component[read.vertex as usize];
        }
        for (of, read) in &mut self.constants {
            *of = component[read.vertex as usize];
        }
        self.reads.sort_by_key(|&(of, label, _)| (of, label));
        self.constants.sort_by_key(|&(of, _)| of);
    }

    fn vertex(&mut self, closure: &Closure, array: Node) -> Vertex {
        let root = closure.class(array);
        if let Some(&vertex) = self.vertices.get(root.index()) {
            return vertex;
        }
        let vertex = self.roots.len() as Vertex;
        self.vertices.insert(root.index(), vertex);
        self.roots.push(root);
        vertex
    }

    /// Lists the edges at each vertex and finds the components.
    fn connect(&mut self) {
        let count = self.roots.len();
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        for edge in &self.edges {
            for end in edge.ends {
                self.starts[end as usize + 1] += 1;
            }
        }
        for at in 0..count {
            self.starts[at + 1] += self.starts[at];
        }
        self.incident.clear();
        self.incident.resize(2 * self.edges.len(), 0);
        let mut free = self.starts.clone();
        for (number, edge) in self.edges.iter().enumerate() {
            for end in edge.ends {
                self.incident[free[end as usize] as usize] = number as u32;
                free[end as usize] += 1;
            }
        }
        self.component.clear();
        self.component.resize(count, u32::MAX);
        self.order.clear();
        self.ends.clear();
        let mut stack = std::mem::take(&mut self.stack);
        for start in 0..count as Vertex {
            if self.component[start as usize] != u32::MAX {
                continue;
            }
            let number = self.ends.len() as u32;
            self.component[start as usize] = number;
            stack.push(start);
            while let Some(vertex) = stack.pop() {
                self.order.push(vertex);
                for at in self.starts[vertex as usize]..self.starts[vertex as usize + 1] {
                    let edge = &self.edges[self.incident[at as usize] as usize];
                    let other = edge.ends[0] ^ edge.ends[1] ^ vertex;
                    if self.component[other as usize] == u32::MAX {
                        self.component[other as usize] = number;
                        stack.push(other);
                    }
                }
            }
            self.ends.push(self.order.len() as u32);
        }
        self.stack = stack;
    }

    /// The number of components.
    pub(super) fn components(&self) -> usize {
        self.ends.len()
    }

    /// The vertices of a component.
    pub(super) fn vertices_of(&self, component: usize) -> &[Vertex] {
        let start = if component == 0 { 0 } else { self.ends[component - 1] };
        &self.order[start as usize..self.ends[component] as usize]
    }

    /// The numbers of the edges at a vertex; a loop stands there twice.
    pub(super) fn edges_at(&self, vertex: Vertex) -> impl Iterator<Item = u32> + '_ {
        let range = self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize;
        self.incident[range].iter().copied()
    }

    /// The other end of an edge.
    pub(super) fn across(&self, edge: u32, vertex: Vertex) -> Vertex {
        let [a, b] = self.edges[edge as usize].ends;
        a ^ b ^ vertex
    }

    /// The sort of the arrays of a component.
    pub(super) fn sort_of(&self, closure: &Closure, component: usize) -> NodeSort {
        closure.sort(self.roots[self.vertices_of(component)[0] as usize])
    }

    /// The constant arrays of a component.
    pub(super) fn constants_of(&self, component: usize) -> &[(u32, Read)] {
        let component = component as u32;
        let start = self.constants.partition_point(|&(of, _)| of < component);
        let end = self.constants.partition_point(|&(of, _)| of <= component);
        &self.constants[start..end]
    }

    /// The reads of a component, sorted by the class of the index.
    pub(super) fn reads_of(&self, component: usize) -> &[(u32, Node, Read)] {
        let component = component as u32;
        let start = self.reads.partition_point(|&(of, ..)| of < component);
        let end = self.reads.partition_point(|&(of, ..)| of <= component);
        &self.reads[start..end]
    }
}
