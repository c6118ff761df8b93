//! Which arguments are free, and which of them are always equal.
//!
//! The analysis begins with all arguments. What the edges to a vertex have in common of the equations between its
//! arguments is found by propagation from facts on, as for intervals; then every edge is judged. An edge binds an
//! argument of its target if the variable, or one that is equal to it, occurs in something else than an equation of
//! variables, or is an argument that is not free; and it binds two arguments if it makes them equal and another edge does
//! not. Arguments that are bound are taken out, and the analysis is repeated, until none are.

use std::collections::BTreeMap;

use shem_base::Budget;
use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Store, Term};

use crate::collapse::equated;
use crate::scan::{Scan, source_variables};

/// How often the analysis is repeated.
const ROUNDS: usize = 50;

/// What holds of the arguments of the vertices.
pub(super) struct Analysis {
    /// For each vertex and argument, whether it is free.
    pub(super) free: Vec<Vec<bool>>,
    /// For each vertex the first argument that each argument is equal to; `None` if it has no facts.
    equal: Vec<Option<Vec<usize>>>,
    edges: BTreeMap<EdgeId, Parts>,
}

/// What is known of a label. Its variables have numbers: those of the sources come first, then those of the target,
/// then auxiliary ones.
struct Parts {
    /// Where the variables of each source begin, then those of the target, then auxiliary ones.
    starts: Vec<usize>,
    count: usize,
    equations: Vec<(usize, usize)>,
    /// Whether a variable occurs in something else than an equation.
    bound: Vec<bool>,
}

/// Classes of the variables of an edge: for each the smallest one that is equal to it.
pub(super) struct Components {
    starts: Vec<usize>,
    roots: Vec<usize>,
}

impl Components {
    /// The class of an argument of the source at this position.
    pub(super) fn of_source(&self, position: usize, argument: usize) -> usize {
        self.roots[self.starts[position] + argument]
    }

    /// The class of an argument of the target.
    pub(super) fn of_target(&self, argument: usize) -> usize {
        self.roots[self.starts[self.starts.len() - 2] + argument]
    }
}

impl Parts {
    fn of(store: &Store, graph: &Graph, scan: &mut Scan, edge: &Edge) -> Parts {
        let mut numbers: BTreeMap<Term, usize> = BTreeMap::new();
        let mut starts = Vec::with_capacity(edge.sources.len() + 2);
        let mut count = 0;
        let target = graph.vertex(edge.target).target().to_vec();
        for variables in source_variables(graph, &edge.sources).into_iter().chain([target]) {
            starts.push(count);
            for variable in variables {
                numbers.insert(variable, count);
                count += 1;
            }
        }
        starts.push(count);
        let mut equations = Vec::new();
        let mut occurrences = Vec::new();
        for conjunct in store.conjuncts(edge.label) {
            let linked = equated(store, conjunct);
            let mut number = |variable: Term| {
                *numbers.entry(variable).or_insert_with(|| {
                    count += 1;
                    count - 1
                })
            };
            match linked {
                Some((a, b)) => equations.push((number(a), number(b))),
                None => occurrences.extend(scan.variables(store, &[conjunct]).into_iter().map(number)),
            }
        }
        let mut bound = vec![false; count];
        occurrences.into_iter().for_each(|number| bound[number] = true);
        Parts { starts, count, equations, bound }
    }

    /// The classes of equal variables, given which arguments of the sources are equal; `None` if a source has no facts.
    fn components(&self, edge: &Edge, analysis: &Analysis) -> Option<Components> {
        let mut parents: Vec<usize> = (0..self.count).collect();
        for (position, source) in edge.sources.iter().enumerate() {
            let start = self.starts[position];
            for (argument, &first) in analysis.equal[source.index()].as_ref()?.iter().enumerate() {
                link(&mut parents, start + argument, start + first);
            }
        }
        for &(a, b) in &self.equations {
            link(&mut parents, a, b);
        }
        let roots = (0..self.count).map(|number| root(&mut parents, number)).collect();
        Some(Components { starts: self.starts.clone(), roots })
    }
}

fn root(parents: &mut [usize], mut number: usize) -> usize {
    while parents[number] != number {
        parents[number] = parents[parents[number]];
        number = parents[number];
    }
    number
}

fn link(parents: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parents, a), root(parents, b));
    parents[a.max(b)] = a.min(b);
}

impl Analysis {
    /// Analyses a graph; `None` if a stop was requested, if it takes too long, or if some vertex has no facts.
    pub(super) fn of(store: &Store, graph: &Graph, budget: &Budget) -> Option<Analysis> {
        let mut scan = Scan::default();
        let mut free = vec![Vec::new(); graph.vertex_bound()];
        for vertex in graph.vertices() {
            free[vertex.index()] = vec![true; graph.vertex(vertex).sorts().len()];
        }
        let edges = graph.edges().map(|(id, edge)| (id, Parts::of(store, graph, &mut scan, edge))).collect();
        let mut analysis = Analysis { free, equal: Vec::new(), edges };
        for _ in 0..ROUNDS {
            budget.check_stop().ok()?;
            analysis.propagate(graph);
            // A vertex without facts is for another pass; its edges would have to be excluded on the way back.
            if graph.vertices().any(|vertex| analysis.equal[vertex.index()].is_none()) {
                return None;
            }
            if !analysis.bind(graph) {
                return Some(analysis);
            }
        }
        None
    }

    /// The first of the free arguments that are equal to each free argument of the vertex.
    pub(super) fn equal(&self, vertex: VertexId) -> Option<&[usize]> {
        self.equal[vertex.index()].as_deref()
    }

    /// The classes of the variables of an edge; `None` if a source has no facts.
    pub(super) fn components(&self, id: EdgeId, edge: &Edge) -> Option<Components> {
        self.edges[&id].components(edge, self)
    }

    /// Finds out which free arguments are equal in all facts.
    fn propagate(&mut self, graph: &Graph) {
        self.equal = vec![None; graph.vertex_bound()];
        let mut queue: Vec<EdgeId> = self.edges.keys().copied().rev().collect();
        while let Some(id) = queue.pop() {
            let edge = graph.edge(id);
            let Some(found) = self.given(id, edge) else { continue };
            let target = edge.target.index();
            let common = match &self.equal[target] {
                None => found,
                Some(before) => {
                    let mut firsts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
                    let pairs = before.iter().copied().zip(found).enumerate();
                    pairs.map(|(at, pair)| *firsts.entry(pair).or_insert(at)).collect()
                }
            };
            if self.equal[target].as_ref() != Some(&common) {
                self.equal[target] = Some(common);
                queue.extend(graph.outgoing(edge.target));
            }
        }
    }

    /// The first free argument of the target that an edge makes equal to each one; others are alone.
    fn given(&self, id: EdgeId, edge: &Edge) -> Option<Vec<usize>> {
        let components = self.components(id, edge)?;
        let mut firsts: BTreeMap<usize, usize> = BTreeMap::new();
        let free = &self.free[edge.target.index()];
        let first = |(at, &free): (usize, &bool)| match free {
            true => *firsts.entry(components.of_target(at)).or_insert(at),
            false => at,
        };
        Some(free.iter().enumerate().map(first).collect())
    }

    /// Takes out the arguments that an edge binds; whether there are any.
    fn bind(&mut self, graph: &Graph) -> bool {
        let mut bound: Vec<(VertexId, usize)> = Vec::new();
        for (&id, parts) in &self.edges {
            let edge = graph.edge(id);
            let (Some(components), Some(given)) = (self.components(id, edge), self.given(id, edge)) else {
                continue;
            };
            let mut is_bound: Vec<bool> = vec![false; parts.count];
            for (number, &bound) in parts.bound.iter().enumerate() {
                is_bound[components.roots[number]] |= bound;
            }
            for (vertex, start) in edge.sources.iter().chain([&edge.target]).zip(&parts.starts) {
                for (at, free) in self.free[vertex.index()].iter().enumerate() {
                    is_bound[components.roots[start + at]] |= !free;
                }
            }
            let common = self.equal(edge.target).unwrap_or(&[]);
            for at in 0..given.len() {
                // What only this edge makes equal is bound.
                let alone = given[at] != common[at] && given[at] != at;
                if is_bound[components.of_target(at)] || alone {
                    bound.push((edge.target, at));
                    bound.extend(alone.then_some((edge.target, given[at])));
                }
            }
        }
        let mut any = false;
        for (vertex, at) in bound {
            any |= std::mem::replace(&mut self.free[vertex.index()][at], false);
        }
        any
    }
}
