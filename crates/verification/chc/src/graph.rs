//! The graph of a system: predicates as vertices, clauses as hyperedges with formulas as labels.
//!
//! The vertex *true* is implicit: an edge without sources starts there. The vertex *false* is
//! [`VertexId::FALSE`]. An edge has a list of sources, and a vertex may stand in it several times.
//!
//! Labels are over *canonical variables*, so that labels of different edges can be put together without
//! renaming: the arguments of the `k`-th occurrence of a vertex among the sources of an edge are its source
//! variables of copy `k`, those of the target its target variables. All other variables of a label are
//! *auxiliary*: they belong to the edge alone and are quantified existentially.
//!
//! Identifiers are never used again: a pass removes edges and vertices and adds new ones, and a
//! back-translation can name what was there before.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::dense_id;
use shem_term::{Sort, Store, Substitution, Term};

dense_id! {
    /// A vertex of a graph.
    pub struct VertexId("v");
}

dense_id! {
    /// An edge of a graph.
    pub struct EdgeId("e");
}

impl VertexId {
    /// The vertex of falsehood, which has no arguments.
    pub const FALSE: VertexId = VertexId::new(0);
}

/// A vertex: a predicate with its canonical variables.
#[derive(Clone, Debug)]
pub struct Vertex {
    name: Box<str>,
    sorts: Box<[Sort]>,
    /// The variables of the copies of the vertex as a source; there is at least the copy 0.
    sources: Vec<Box<[Term]>>,
    target: Box<[Term]>,
}

impl Vertex {
    /// The name: that of the predicate, or one made up by a pass.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The sorts of the arguments.
    pub fn sorts(&self) -> &[Sort] {
        &self.sorts
    }

    /// The variables of the vertex as the only source of an edge; interpretations are over these, too.
    pub fn state(&self) -> &[Term] {
        &self.sources[0]
    }

    /// The variables of the `copy`-th occurrence among the sources of an edge.
    ///
    /// # Panics
    /// If no edge of the graph ever had so many occurrences.
    pub fn source(&self, copy: usize) -> &[Term] {
        &self.sources[copy]
    }

    /// How many copies there are among the sources of an edge, at least one.
    pub fn copies(&self) -> usize {
        self.sources.len()
    }

    /// The variables of the vertex as the target of an edge.
    pub fn target(&self) -> &[Term] {
        &self.target
    }
}

/// A hyperedge: if the sources hold of values that satisfy the label, then so does the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The vertices from which the edge comes; none for a fact.
    pub sources: Vec<VertexId>,
    /// The vertex to which the edge goes.
    pub target: VertexId,
    /// The constraint, over canonical and auxiliary variables.
    pub label: Term,
}

impl Edge {
    /// The number of the copy that the source at this position has: how often its vertex occurs before.
    pub fn copy(&self, position: usize) -> usize {
        let vertex = self.sources[position];
        self.sources[..position].iter().filter(|&&v| v == vertex).count()
    }

    /// Whether the edge has at most one source.
    pub fn is_linear(&self) -> bool {
        self.sources.len() <= 1
    }

    /// Whether the target is among the sources.
    pub fn is_loop(&self) -> bool {
        self.sources.contains(&self.target)
    }
}

/// A labelled directed multi-hypergraph.
#[derive(Clone, Debug)]
pub struct Graph {
    /// All vertices that ever were; false is the first.
    vertices: Vec<Vertex>,
    live: Vec<bool>,
    edges: BTreeMap<EdgeId, Edge>,
    /// For each vertex, the edges that go to it and those that have it among their sources.
    incoming: Vec<BTreeSet<EdgeId>>,
    outgoing: Vec<BTreeSet<EdgeId>>,
    next_edge: usize,
    next_auxiliary: usize,
}

impl Graph {
    /// The graph without edges whose only vertices are true and false.
    pub fn new() -> Graph {
        let falsehood = Vertex {
            name: "false".into(),
            sorts: Box::default(),
            sources: vec![Box::default()],
            target: Box::default(),
        };
        Graph {
            vertices: vec![falsehood],
            live: vec![true],
            edges: BTreeMap::new(),
            incoming: vec![BTreeSet::new()],
            outgoing: vec![BTreeSet::new()],
            next_edge: 0,
            next_auxiliary: 0,
        }
    }

    /// Adds a vertex.
    pub fn add_vertex(&mut self, store: &mut Store, name: &str, sorts: &[Sort]) -> VertexId {
        let state = canonical(store, name, sorts, "");
        let target = canonical(store, name, sorts, "'");
        self.push_vertex(Vertex { name: name.into(), sorts: sorts.into(), sources: vec![state], target })
    }

    /// Adds a vertex that takes the place of another one, which is to be removed. It has the arguments at these
    /// positions, by the same variables: a label about them stays as it is.
    pub fn add_narrowed_vertex(&mut self, other: VertexId, positions: &[usize]) -> VertexId {
        let narrow = |variables: &[Term]| positions.iter().map(|&at| variables[at]).collect();
        let vertex = self.vertex(other);
        let sorts = positions.iter().map(|&at| vertex.sorts[at]).collect();
        let sources = vertex.sources.iter().map(|variables| narrow(variables)).collect();
        let target = narrow(&vertex.target);
        let name = vertex.name.clone();
        self.push_vertex(Vertex { name, sorts, sources, target })
    }

    fn push_vertex(&mut self, vertex: Vertex) -> VertexId {
        let id = VertexId::new(self.vertices.len());
        self.vertices.push(vertex);
        self.live.push(true);
        self.incoming.push(BTreeSet::new());
        self.outgoing.push(BTreeSet::new());
        id
    }

    /// The vertex with this id, removed or not.
    pub fn vertex(&self, id: VertexId) -> &Vertex {
        &self.vertices[id.index()]
    }

    /// Whether the vertex has not been removed.
    pub fn is_live(&self, id: VertexId) -> bool {
        self.live[id.index()]
    }

    /// The vertices that have not been removed, without false, in the order of their ids.
    pub fn vertices(&self) -> impl Iterator<Item = VertexId> + '_ {
        (1..self.vertices.len()).filter(|&i| self.live[i]).map(VertexId::new)
    }

    /// One more than the greatest index of a vertex, removed ones included: the size of a dense map.
    pub fn vertex_bound(&self) -> usize {
        self.vertices.len()
    }

    /// Removes a vertex.
    ///
    /// # Panics
    /// If an edge touches it, or if it is false.
    pub fn remove_vertex(&mut self, id: VertexId) {
        assert!(id != VertexId::FALSE, "false stays");
        let is_isolated = self.incoming[id.index()].is_empty() && self.outgoing[id.index()].is_empty();
        assert!(is_isolated, "a vertex with edges stays");
        self.live[id.index()] = false;
    }

    /// Adds an edge. Variables of its label that are not canonical must occur in no other edge.
    pub fn add_edge(&mut self, store: &mut Store, edge: Edge) -> EdgeId {
        for (position, &source) in edge.sources.iter().enumerate() {
            self.ensure_copy(store, source, edge.copy(position));
        }
        let id = EdgeId::new(self.next_edge);
        self.next_edge += 1;
        self.incoming[edge.target.index()].insert(id);
        for source in &edge.sources {
            self.outgoing[source.index()].insert(id);
        }
        self.edges.insert(id, edge);
        id
    }

    /// Makes the variables of [`Vertex::source`] for this copy, if they are missing.
    pub fn ensure_copy(&mut self, store: &mut Store, id: VertexId, copy: usize) {
        let vertex = &mut self.vertices[id.index()];
        while vertex.sources.len() <= copy {
            let suffix = format!(".{}", vertex.sources.len());
            vertex.sources.push(canonical(store, &vertex.name, &vertex.sorts, &suffix));
        }
    }

    /// The edge with this id.
    ///
    /// # Panics
    /// If it was removed.
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[&id]
    }

    /// The edge with this id, if it has not been removed.
    pub fn get_edge(&self, id: EdgeId) -> Option<&Edge> {
        self.edges.get(&id)
    }

    /// The edges in the order of their ids.
    pub fn edges(&self) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.edges.iter().map(|(&id, edge)| (id, edge))
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Removes an edge.
    ///
    /// # Panics
    /// If there is no such edge.
    pub fn remove_edge(&mut self, id: EdgeId) -> Edge {
        let edge = self.edges.remove(&id).expect("an edge of the graph");
        self.incoming[edge.target.index()].remove(&id);
        for source in &edge.sources {
            self.outgoing[source.index()].remove(&id);
        }
        edge
    }

    /// Gives an edge an equivalent label: one with the same solutions in the canonical variables.
    pub fn set_label(&mut self, id: EdgeId, label: Term) {
        self.edges.get_mut(&id).expect("an edge of the graph").label = label;
    }

    /// The edges that go to a vertex, in the order of their ids.
    pub fn incoming(&self, id: VertexId) -> impl ExactSizeIterator<Item = EdgeId> + '_ {
        self.incoming[id.index()].iter().copied()
    }

    /// The edges that have a vertex among their sources, each once, in the order of their ids.
    pub fn outgoing(&self, id: VertexId) -> impl ExactSizeIterator<Item = EdgeId> + '_ {
        self.outgoing[id.index()].iter().copied()
    }

    /// The variables of the source at this position of an edge.
    pub fn source_variables(&self, edge: &Edge, position: usize) -> &[Term] {
        self.vertex(edge.sources[position]).source(edge.copy(position))
    }

    /// The auxiliary variables of an edge: those of its label that are not canonical for it.
    pub fn auxiliaries(&self, store: &Store, edge: &Edge) -> Vec<Term> {
        let mut canonical: Vec<Term> = self.vertex(edge.target).target().to_vec();
        for position in 0..edge.sources.len() {
            canonical.extend(self.source_variables(edge, position));
        }
        canonical.sort_unstable();
        let mut free = store.free_variables(&[edge.label]);
        free.retain(|v| canonical.binary_search(v).is_err());
        free
    }

    /// A new auxiliary variable.
    pub fn fresh(&mut self, store: &mut Store, sort: Sort) -> Term {
        let name = format!("aux#{}", self.next_auxiliary);
        self.next_auxiliary += 1;
        store.variable(&name, sort)
    }

    /// The label of an edge with these terms for the arguments of its sources and target, and its auxiliary
    /// variables replaced by new ones. `sources` gives the arguments for each position.
    pub fn instantiate(
        &mut self,
        store: &mut Store,
        edge: &Edge,
        sources: &[&[Term]],
        target: &[Term],
    ) -> Term {
        let mut substitution = Substitution::new();
        for auxiliary in self.auxiliaries(store, edge) {
            let fresh = self.fresh(store, store.sort(auxiliary));
            substitution.bind(store, &[auxiliary], &[fresh]);
        }
        for (position, actuals) in sources.iter().enumerate() {
            substitution.bind(store, self.source_variables(edge, position), actuals);
        }
        substitution.bind(store, self.vertex(edge.target).target(), target);
        store.substitute(edge.label, &substitution)
    }
}

impl Default for Graph {
    fn default() -> Graph {
        Graph::new()
    }
}

/// Variables for the arguments of a vertex.
fn canonical(store: &mut Store, name: &str, sorts: &[Sort], suffix: &str) -> Box<[Term]> {
    let variable = |(i, &sort): (usize, &Sort)| store.variable(&format!("{name}#{i}{suffix}"), sort);
    sorts.iter().enumerate().map(variable).collect()
}
