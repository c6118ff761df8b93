//! Bounded model checking of linear graphs along their edges.
//!
//! A layer has the vertices that a path may have reached after some number of edges, each with a Boolean that says
//! that the path is there, and one set of variables for the arguments of all of them (shared by position and sort,
//! so that `x' = x` in two edges is one row of the arithmetic). A vertex of a layer implies
//! that one of its incoming edges was taken, and an edge that was taken implies its label and its source in
//! the layer before. There are no implications in the other direction, so the solver follows one path backwards
//! from the goal, and its model gives the edges of that path: the derivation needs no search.
//!
//! Only vertices that edges lead to from the layer before are in a layer. So a graph without cycles ends in
//! an empty layer, and a graph with a hundred locations has few of them at depth one. Every
//! path that is longer than a layer goes through it, so that some vertex of each layer holds is asserted for
//! good; if that is a contradiction, no path is that long and the graph is safe. Layers correspond to the
//! states of the single-loop transformation, which is where the invariant is made when it is asked for.

use std::collections::BTreeMap;

use shem_base::{Budget, UnknownReason};
use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, TransitionSystem, VertexId};
use shem_check::Certificate;
use shem_check::certificate::{Encoding, LoopCertificate};
use shem_proof::NoProof;
use shem_smt::{Answer, Solution, Solver, Template, Variable};
use shem_term::{Sort, Store, Term, Value};
use shem_transform::{After, Pass, SingleLoop, Work, share_arguments};

use super::End;
use super::exhausted;
use super::extension::Extension;
use crate::adaptor::encoding;
use crate::context::{Context, Progress};
use crate::reason::{Incomplete, WitnessError};
use crate::verdict::{Outcome, Proven, Verdict, WitnessSource};

/// Decides a linear graph with several vertices.
pub(super) fn solve(
    store: &mut Store,
    graph: &Graph,
    max_depth: Option<usize>,
    context: &mut Context<'_>,
) -> Verdict {
    let graph = graph.clone();
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    context.set_up(&mut solver);
    let mut search = LayeredSearch::new(store, &graph, solver);
    let outcome = search.run(store, max_depth, context);
    let depth = search.layers.len().saturating_sub(1);
    context.statistics.set("depth", depth as u64);
    context.statistics.merge_prefixed("solver", &search.solver.statistics());
    match outcome {
        Ok(End::Reached(derivation)) => Outcome::unsafe_by(derivation),
        Ok(End::Exhausted) => {
            let certificate = encode(store, &graph).map(|encoding| {
                let certificate = exhausted::certificate(depth);
                Certificate::Loop(Box::new(LoopCertificate { encoding: Some(encoding), certificate }))
            });
            let recipe = move |store: &mut Store, budget: &mut Budget| model(store, graph, depth, budget);
            Outcome::Safe(Proven { witness: WitnessSource::Deferred(Box::new(recipe)), certificate })
        }
        Ok(End::MaxDepth) => Outcome::unknown(Incomplete::Depth(depth)),
        Err(reason) => Outcome::unknown(reason),
    }
}

/// An encoding of the graph as a transition system; none if there are arguments of declared sorts.
fn encode(store: &mut Store, graph: &Graph) -> Option<Encoding> {
    let vertices: Vec<VertexId> = graph.vertices().collect();
    let (shared, _) = share_arguments(graph, &vertices);
    if shared.iter().any(|&sort| store.has_elements(sort)) {
        return None;
    }
    let sorts = [&vec![Sort::Bool; vertices.len()][..], &shared].concat();
    let mut merged = graph.clone();
    let vertex = merged.add_vertex(store, "loop", &sorts);
    Some(encoding(graph, &merged, vertex))
}

/// The interpretation of a linear graph without a path to the layer of this depth.
fn model(
    store: &mut Store,
    mut graph: Graph,
    depth: usize,
    budget: &mut Budget,
) -> Result<Interpretation, WitnessError> {
    let back = SingleLoop.apply(Work::new(store, &mut graph, &mut Default::default(), budget));
    // Vertices with arguments of declared sorts are not merged.
    let Some(back) = back else {
        return Err(UnknownReason::Incomplete("a model over declared sorts is not built").into());
    };
    let (vertex, system) = TransitionSystem::of(store, &mut graph).expect("a single loop");
    let invariant = exhausted::invariant(store, &system, depth, budget)?;
    let mut interpretation = Interpretation::new();
    interpretation.insert(vertex, invariant);
    Ok(back.interpretation(After::new(store, &graph, budget), interpretation)?)
}

/// An edge, compiled.
struct CompiledEdge {
    id: EdgeId,
    source: Option<VertexId>,
    target: VertexId,
    /// If the edge is taken, its source is there and its label holds. Over a Boolean for the edge, one for
    /// the source if there is one, the arguments of the source and those of the target.
    taken: Template,
    /// For an edge to false whose label has no auxiliaries: it is not taken. Over a Boolean for the source
    /// and its arguments.
    not_taken: Option<Template>,
}

/// A vertex of a layer.
struct LayerVertex {
    /// Whether the path goes through this vertex of the layer.
    visited: Variable,
    /// The edges by which it may have come, as indices, each with whether it was taken.
    edges: Vec<(usize, Variable)>,
}

/// The vertices that a path may have reached after some number of edges.
struct Layer {
    arguments: Vec<Variable>,
    vertices: BTreeMap<VertexId, LayerVertex>,
}

/// The layers so far, in a solver.
struct LayeredSearch {
    solver: Solver<NoProof>,
    /// All edges: by target, those with the same target in the order of ids.
    edges: Vec<CompiledEdge>,
    /// For each vertex, where its arguments stand among those of a layer.
    positions: Vec<Vec<usize>>,
    sorts: Vec<Sort>,
    /// A Boolean that is true.
    truth: Variable,
    /// By number n: of n Booleans, the first implies one of the others.
    implications: BTreeMap<usize, Template>,
    layers: Vec<Layer>,
}

impl LayeredSearch {
    fn new(store: &mut Store, graph: &Graph, mut solver: Solver<NoProof>) -> LayeredSearch {
        let vertices: Vec<VertexId> = graph.vertices().collect();
        let (sorts, shared) = share_arguments(graph, &vertices);
        let mut positions = vec![Vec::new(); graph.vertex_bound()];
        for (vertex, own) in vertices.into_iter().zip(shared) {
            positions[vertex.index()] = own;
        }
        let taken = store.variable("taken", Sort::Bool);
        let visited = store.variable("at", Sort::Bool);
        let mut edges = Vec::with_capacity(graph.edge_count());
        for (id, edge) in graph.edges() {
            edges.push(compile(store, graph, id, edge, taken, visited));
        }
        edges.sort_by_key(|edge| edge.target);
        let truth = solver.fresh(Sort::Bool);
        let fact = Template::new(store, taken, &[taken]);
        solver.instantiate(store, &fact, &[truth]);
        let (implications, layers) = (BTreeMap::new(), Vec::new());
        LayeredSearch { solver, edges, positions, sorts, truth, implications, layers }
    }

    fn run(
        &mut self,
        store: &mut Store,
        max_depth: Option<usize>,
        context: &mut Context<'_>,
    ) -> Result<End<Derivation<EdgeId>>, UnknownReason> {
        let mut extension = Extension::default();
        loop {
            context.budget.check_stop()?;
            self.add_layer(store);
            let depth = self.layers.len() - 1;
            context.events.progress(Progress { depth: depth as u64, lemmas: 0 });
            if self.layers[depth].vertices.is_empty()
                || !extension.is_possible(store, &mut self.solver, depth, &mut context.budget)
            {
                return Ok(End::Exhausted);
            }
            self.solver.push();
            let queries = self.add_queries(store);
            match self.solver.check(store, &mut context.budget) {
                Answer::Sat(solution) => {
                    let (edges, positions, layers) = (&self.edges, &self.positions, &self.layers);
                    return Ok(End::Reached(derivation(edges, positions, layers, &queries, solution)));
                }
                Answer::Unsat(_) => self.solver.pop(),
                Answer::Unknown(reason) => return Err(reason),
            }
            if max_depth.is_some_and(|max| max <= depth) {
                return Ok(End::MaxDepth);
            }
            self.exclude_queries(store);
        }
    }

    /// Adds the next layer, and asserts that the path goes through one of its vertices.
    fn add_layer(&mut self, store: &mut Store) {
        let arguments: Vec<Variable> =
            self.sorts.iter().map(|&sort| self.solver.fresh_of(store, sort)).collect();
        let mut incoming: BTreeMap<VertexId, Vec<usize>> = BTreeMap::new();
        for (index, edge) in self.edges.iter().enumerate() {
            let follows = match (edge.source, self.layers.last()) {
                (None, before) => before.is_none(),
                (Some(source), before) => before.is_some_and(|l| l.vertices.contains_key(&source)),
            };
            if follows && edge.target != VertexId::FALSE {
                incoming.entry(edge.target).or_default().push(index);
            }
        }
        let mut vertices = BTreeMap::new();
        for (vertex, indices) in incoming {
            let visited = self.solver.fresh(Sort::Bool);
            // With one incoming edge, the vertex and the edge share a Boolean.
            let single = indices.len() == 1;
            let mut edges = Vec::with_capacity(indices.len());
            for index in indices {
                let taken = if single { visited } else { self.solver.fresh(Sort::Bool) };
                self.assert_taken(store, index, taken, &arguments);
                edges.push((index, taken));
            }
            if !single {
                let choice: Vec<Variable> = [visited].into_iter().chain(edges.iter().map(|e| e.1)).collect();
                self.assert_implication(store, &choice);
            }
            vertices.insert(vertex, LayerVertex { visited, edges });
        }
        let somewhere: Vec<Variable> =
            [self.truth].into_iter().chain(vertices.values().map(|vertex| vertex.visited)).collect();
        self.assert_implication(store, &somewhere);
        self.layers.push(Layer { arguments, vertices });
    }

    /// Asserts that the first of these Booleans implies one of the others.
    fn assert_implication(&mut self, store: &mut Store, choice: &[Variable]) {
        let count = choice.len();
        let template = self.implications.entry(count).or_insert_with(|| {
            let formals: Vec<Term> =
                (0..count).map(|i| store.variable(&format!("choice.{i}"), Sort::Bool)).collect();
            let mut disjuncts = formals.clone();
            disjuncts[0] = !formals[0];
            let formula = store.or(&disjuncts);
            Template::new(store, formula, &formals)
        });
        self.solver.instantiate(store, template, choice);
    }

    /// Asserts what follows if an edge is taken from the last layer to a vertex with these arguments.
    fn assert_taken(&mut self, store: &mut Store, index: usize, taken: Variable, arguments: &[Variable]) {
        let edge = &self.edges[index];
        let mut actuals = vec![taken];
        if let Some(source) = edge.source {
            let layer = self.layers.last().expect("a layer before");
            actuals.push(layer.vertices[&source].visited);
            actuals.extend(self.positions[source.index()].iter().map(|&p| layer.arguments[p]));
        }
        actuals.extend(self.positions[edge.target.index()].iter().map(|&p| arguments[p]));
        self.solver.instantiate(store, &edge.taken, &actuals);
    }

    /// Asserts that an edge to false is taken from the last layer; returns the edges.
    fn add_queries(&mut self, store: &mut Store) -> Vec<(usize, Variable)> {
        let vertices = &self.layers.last().expect("a layer").vertices;
        let from_here = |e: &CompiledEdge| {
            e.target == VertexId::FALSE && e.source.is_some_and(|s| vertices.contains_key(&s))
        };
        let indices: Vec<usize> = (0..self.edges.len()).filter(|&i| from_here(&self.edges[i])).collect();
        let mut queries = Vec::with_capacity(indices.len());
        // Without such an edge the disjunction is empty, and the answer is unsat.
        for index in indices {
            let taken = self.solver.fresh(Sort::Bool);
            self.assert_taken(store, index, taken, &[]);
            queries.push((index, taken));
        }
        let some: Vec<Variable> = [self.truth].into_iter().chain(queries.iter().map(|q| q.1)).collect();
        self.assert_implication(store, &some);
        queries
    }

    /// Asserts that no edge to false can be taken from the last layer, for the edges without auxiliary variables.
    fn exclude_queries(&mut self, store: &mut Store) {
        let layer = self.layers.last().expect("a layer");
        for edge in &self.edges {
            if let (Some(not_taken), Some(source)) = (&edge.not_taken, edge.source)
                && let Some(vertex) = layer.vertices.get(&source)
            {
                let positions = self.positions[source.index()].iter();
                let mut actuals = vec![vertex.visited];
                actuals.extend(positions.map(|&p| layer.arguments[p]));
                self.solver.instantiate(store, not_taken, &actuals);
            }
        }
    }
}

/// The derivation that a path through the layers describes, given the edges to false.
fn derivation(
    edges: &[CompiledEdge],
    positions: &[Vec<usize>],
    layers: &[Layer],
    queries: &[(usize, Variable)],
    mut solution: Solution<'_, NoProof>,
) -> Derivation<EdgeId> {
    let mut choices = queries;
    let mut path = Vec::with_capacity(layers.len() + 1);
    for layer in layers.iter().rev() {
        let index = taken_edge(&mut solution, choices);
        path.push(index);
        let source = edges[index].source.expect("a layer before");
        choices = &layer.vertices[&source].edges;
    }
    path.push(taken_edge(&mut solution, choices));
    let mut derivation = Derivation::new();
    let mut premise = None;
    for (at, index) in path.into_iter().rev().enumerate() {
        let edge = &edges[index];
        let arguments = positions[edge.target.index()].iter().map(|&position| layers[at].arguments[position]);
        let values: Vec<Value> = arguments.map(|variable| solution.value(variable)).collect();
        premise = Some(derivation.push(edge.id, premise.as_slice(), values));
    }
    derivation
}

/// The first of these edges that was taken.
fn taken_edge(solution: &mut Solution<'_, NoProof>, choices: &[(usize, Variable)]) -> usize {
    let mut taken = choices.iter().filter(|choice| solution.value(choice.1).as_bool() == Some(true));
    taken.next().expect("some edge was taken").0
}

fn compile(
    store: &mut Store,
    graph: &Graph,
    id: EdgeId,
    edge: &Edge,
    taken: Term,
    visited: Term,
) -> CompiledEdge {
    let source = edge.sources.first().copied();
    let mut formals = vec![taken];
    let mut conjuncts = vec![edge.label];
    if let Some(source) = source {
        formals.push(visited);
        formals.extend_from_slice(graph.vertex(source).state());
        conjuncts.push(visited);
    }
    formals.extend_from_slice(graph.vertex(edge.target).target());
    let body = store.and(&conjuncts);
    let not_taken = edge.target == VertexId::FALSE && graph.auxiliaries(store, edge).is_empty();
    let not_taken = not_taken.then(|| Template::new(store, !body, &formals[1..]));
    let formula = store.implies(taken, body);
    CompiledEdge {
        id,
        source,
        target: edge.target,
        taken: Template::new(store, formula, &formals),
        not_taken,
    }
}
