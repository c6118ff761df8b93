//! Merging of several vertices of a linear graph into one, with a location.
//!
//! The merged vertex has a Boolean argument for each vertex that it replaces, its *location*, of which
//! exactly one is true, and arguments for the arguments of the vertices. These are shared: the i-th argument
//! of a sort of one vertex and the i-th of the same sort of another are the same argument of the merged
//! vertex, since only one vertex is meant at a time. An argument that the vertex at hand does not have is
//! *foreign* to it. The idea of locations as Booleans is that of Horn2VMT and Golem; there, the arguments are
//! not shared, foreign arguments are arbitrary, and the way back for models eliminates quantifiers over them.
//!
//! Ours has no quantifiers: an edge to a vertex sets the foreign arguments to a *default*, the same for a sort: zero, false, the array of defaults. So a
//! fact `v(x)` is the fact `m(v's location, x, defaults)`, and nothing else is. Call that tuple the *image*
//! of `v(x)`. An edge from `s` to `t` becomes: at location `s`, with the label about the arguments that
//! belong to `s` and `t`, to exactly location `t` with the defaults for its foreign arguments.
//!
//! **Models.** If `M` interprets the merged vertex, let `v(x)` be `M` of the image of `v(x)`: a substitution.
//! This satisfies the edges that were there before. Take one from `s` to `t` with its label true of `x` and
//! `y`, and let `M` hold of the image of `s(x)`. The image has location `s` only, so the new edge is allowed
//! and leads to location `t` only, arguments `y` and defaults, that is, to the image of `t(y)`; `M` satisfies
//! the new edge, so it holds there. Edges from outside and to outside are the same with one side less.
//!
//! **Derivations.** Facts of the merged vertex are images, as the same argument shows, and the image says
//! which fact it is of. Parallel edges have become one edge with a disjunction; which of them allows a step
//! is found by asking them in order with the values at hand.
//!
//! Locations are not coded in binary: engines find formulas such as *at v, x is positive*, and with
//! Booleans of their own these are short. New edges also say that no other location is true at their source,
//! which follows for all facts but not for all states: so engines by induction do not meet states with two
//! locations. The size is that of the labels and, for `n` vertices, `n` literals for each pair of
//! vertices with an edge.

use std::collections::BTreeMap;

use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, StepId, VertexId};
use shem_term::{Sort, Store, Substitution, Term, Value};

use crate::ground::GroundEdge;
use crate::pass::{After, Back, BackError, Returned};
use crate::steps::{Given, StepTranslator, translate};

/// The source, if there is one, and the target of an edge.
type Ends = (Option<VertexId>, VertexId);

/// A list of sorts with a position for every argument of each of these vertices: the i-th argument of a sort has
/// the i-th position of that sort. Returns the list and, for each vertex, the positions of its arguments.
pub fn share_arguments(graph: &Graph, vertices: &[VertexId]) -> (Vec<Sort>, Vec<Vec<usize>>) {
    let mut sorts = Vec::new();
    let mut by_sort: BTreeMap<Sort, Vec<usize>> = BTreeMap::new();
    let mut positions = Vec::with_capacity(vertices.len());
    for &vertex in vertices {
        let mut used: BTreeMap<Sort, usize> = BTreeMap::new();
        let mut own = Vec::with_capacity(graph.vertex(vertex).sorts().len());
        for &sort in graph.vertex(vertex).sorts() {
            let (shared, used) = (by_sort.entry(sort).or_default(), used.entry(sort).or_default());
            if *used == shared.len() {
                shared.push(sorts.len());
                sorts.push(sort);
            }
            own.push(shared[*used]);
            *used += 1;
        }
        positions.push(own);
    }
    (sorts, positions)
}

/// The value that foreign arguments of a sort have.
fn default_term(store: &mut Store, sort: Sort) -> Term {
    let value = store.default_value(sort);
    store.value_term(&value, sort)
}

/// Whether the vertices can be merged: no term names an element of a declared sort, so there is no default.
pub fn can_be_merged(store: &Store, graph: &Graph, vertices: &[VertexId]) -> bool {
    let sorts = |&vertex: &VertexId| graph.vertex(vertex).sorts().iter().copied();
    !vertices.iter().flat_map(sorts).any(|sort| store.has_elements(sort))
}

/// A vertex that is part of a merged one.
#[derive(Debug)]
struct Part {
    vertex: VertexId,
    /// For each argument, its position among those of the merged vertex.
    positions: Vec<usize>,
}

/// Several vertices as one.
#[derive(Debug)]
pub(crate) struct MergedVertices {
    /// The vertex that stands for all parts. Its first arguments are their locations.
    vertex: VertexId,
    parts: Vec<Part>,
    /// The edges that were replaced.
    edges: BTreeMap<EdgeId, Edge>,
    /// The edges that replace them, each with its source and target.
    replacements: BTreeMap<EdgeId, Ends>,
}

impl MergedVertices {
    /// Replaces these vertices, of which there is at least one, by one. Edges that touch them must be linear.
    pub(crate) fn apply(
        store: &mut Store,
        graph: &mut Graph,
        vertices: &[VertexId],
        name: &str,
    ) -> MergedVertices {
        let (shared, positions) = share_arguments(graph, vertices);
        let locations = vertices.len();
        let sorts = [&vec![Sort::Bool; locations][..], &shared].concat();
        let part = |(&vertex, positions): (&VertexId, Vec<usize>)| Part {
            vertex,
            positions: positions.into_iter().map(|p| locations + p).collect(),
        };
        let parts = vertices.iter().zip(positions).map(part).collect();
        let vertex = graph.add_vertex(store, name, &sorts);
        let mut merged =
            MergedVertices { vertex, parts, edges: BTreeMap::new(), replacements: BTreeMap::new() };
        merged.replace_edges(store, graph);
        for &part in vertices {
            graph.remove_vertex(part);
        }
        merged
    }

    /// The vertex that stands for all.
    pub(crate) fn vertex(&self) -> VertexId {
        self.vertex
    }

    /// The number of edges that were replaced.
    pub(crate) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Replaces all edges that touch the parts, parallel ones by one.
    fn replace_edges(&mut self, store: &mut Store, graph: &mut Graph) {
        let touched: Vec<EdgeId> = graph
            .edges()
            .filter(|(_, e)| e.sources.iter().chain([&e.target]).any(|&v| self.part_of(v).is_some()))
            .map(|(id, _)| id)
            .collect();
        // New edges by their source and target; in each, by target and then by source as they were.
        type Labels = BTreeMap<VertexId, BTreeMap<Option<VertexId>, Vec<Term>>>;
        let mut new: BTreeMap<Ends, Labels> = BTreeMap::new();
        for id in touched {
            let edge = graph.remove_edge(id);
            assert!(edge.is_linear(), "merged vertices have linear edges");
            let source = edge.sources.first().copied();
            let key = (source.map(|v| self.image(v)), self.image(edge.target));
            let from = source.map(|v| self.arguments(v, graph, false));
            let to = self.arguments(edge.target, graph, true);
            let from: Vec<&[Term]> = from.iter().map(|terms| &terms[..]).collect();
            let label = graph.instantiate(store, &edge, &from, &to);
            let labels = new.entry(key).or_default().entry(edge.target).or_default();
            labels.entry(source).or_default().push(label);
            self.edges.insert(id, edge);
        }
        for ((source, target), labels) in new {
            let mut by_target = Vec::new();
            for (to, labels) in labels {
                let mut by_source = Vec::new();
                for (from, labels) in labels {
                    let mut conjuncts = vec![store.or(&labels)];
                    if let Some(part) = from.and_then(|v| self.part_of(v)) {
                        let state = graph.vertex(self.vertex).state();
                        conjuncts.extend(self.location(part, state));
                    }
                    by_source.push(store.and(&conjuncts));
                }
                let mut conjuncts = vec![store.or(&by_source)];
                if let Some(part) = self.part_of(to) {
                    let next = graph.vertex(self.vertex).target();
                    conjuncts.extend(self.location(part, next));
                    conjuncts.extend(self.defaults(store, part, next));
                }
                by_target.push(store.and(&conjuncts));
            }
            let label = store.or(&by_target);
            let edge = Edge { sources: source.into_iter().collect(), target, label };
            let id = graph.add_edge(store, edge);
            self.replacements.insert(id, (source, target));
        }
    }

    /// The index of the part that a vertex is.
    fn part_of(&self, vertex: VertexId) -> Option<usize> {
        self.parts.binary_search_by_key(&vertex, |part| part.vertex).ok()
    }

    /// The vertex after merging.
    fn image(&self, vertex: VertexId) -> VertexId {
        if self.part_of(vertex).is_some() { self.vertex } else { vertex }
    }

    /// What stands for the arguments of a vertex as the source or the target of a new edge.
    fn arguments(&self, vertex: VertexId, graph: &Graph, target: bool) -> Vec<Term> {
        let variables = |v| if target { graph.vertex(v).target() } else { graph.vertex(v).state() };
        match self.part_of(vertex) {
            None => variables(vertex).to_vec(),
            Some(part) => {
                let all = variables(self.vertex);
                self.parts[part].positions.iter().map(|&p| all[p]).collect()
            }
        }
    }

    /// Literals that say that the location is this part.
    fn location(&self, part: usize, variables: &[Term]) -> Vec<Term> {
        (0..self.parts.len()).map(|i| variables[i].xor(i != part)).collect()
    }

    /// For each argument of the merged vertex, which one of the part it is, if any.
    fn own_arguments(&self, part: usize, width: usize) -> Vec<Option<usize>> {
        let mut own = vec![None; width];
        for (argument, &position) in self.parts[part].positions.iter().enumerate() {
            own[position] = Some(argument);
        }
        own
    }

    /// Equations that set the foreign arguments of a part to their defaults.
    fn defaults(&self, store: &mut Store, part: usize, variables: &[Term]) -> Vec<Term> {
        let mut equations = Vec::new();
        let own = self.own_arguments(part, variables.len());
        for (position, &variable) in variables.iter().enumerate().skip(self.parts.len()) {
            if own[position].is_none() {
                let default = default_term(store, store.sort(variable));
                equations.push(store.eq(variable, default));
            }
        }
        equations
    }

    /// The interpretation of a part, given that of the merged vertex: that of the image.
    fn restrict(&self, store: &mut Store, graph: &Graph, part: usize, formula: Term) -> Term {
        let mut substitution = Substitution::new();
        let variables = graph.vertex(self.vertex).state();
        let own = self.own_arguments(part, variables.len());
        for (position, &variable) in variables.iter().enumerate() {
            let actual = match own[position] {
                Some(argument) => graph.vertex(self.parts[part].vertex).state()[argument],
                None if position < self.parts.len() => Term::from_bool(position == part),
                None => default_term(store, store.sort(variable)),
            };
            substitution.insert(store.as_var(variable).expect("a variable"), actual);
        }
        store.substitute(formula, &substitution)
    }

    /// The fact that stands behind one after merging.
    fn fact(&self, vertex: VertexId, values: &[Value]) -> Returned<(VertexId, Vec<Value>)> {
        if vertex != self.vertex {
            return Ok((vertex, values.to_vec()));
        }
        let locations = &values[..self.parts.len()];
        let mut here = (0..locations.len()).filter(|&i| locations[i] == Value::Bool(true));
        match (here.next(), here.next()) {
            (Some(part), None) => {
                let Part { vertex, positions } = &self.parts[part];
                Ok((*vertex, positions.iter().map(|&p| values[p].clone()).collect()))
            }
            _ => Err(BackError::Broken("a state is not at exactly one location".into())),
        }
    }
}

/// Finds the edges by which steps were taken.
struct MergedSteps<'a> {
    merged: &'a MergedVertices,
    edges: BTreeMap<Ends, Vec<(EdgeId, GroundEdge)>>,
}

impl StepTranslator for MergedSteps<'_> {
    fn leaves(&self, rule: EdgeId) -> bool {
        !self.merged.replacements.contains_key(&rule)
    }

    fn edge(&self, rule: EdgeId) -> Option<&Edge> {
        self.merged.edges.get(&rule)
    }

    fn translate(
        &mut self,
        at: After<'_>,
        given: Given<'_>,
        to: &mut Derivation<EdgeId>,
    ) -> Returned<StepId> {
        let After { store, budget, .. } = at;
        let (source, target) = self.merged.replacements[&given.rule];
        let before = match (source, given.facts) {
            (None, []) => None,
            (Some(source), &[fact]) => Some(self.merged.fact(source, fact)?),
            _ => return Err(BackError::Broken("a step has a wrong number of premises".into())),
        };
        let (target, after) = self.merged.fact(target, given.values)?;
        let arguments = before.as_ref().map(|(_, values)| &values[..]);
        let key = (before.as_ref().map(|(vertex, _)| *vertex), target);
        for (id, edge) in self.edges.get_mut(&key).into_iter().flatten() {
            if edge.allows(store, arguments.as_slice(), &after, budget)? {
                return Ok(to.push(*id, given.premises, after));
            }
        }
        Err(BackError::Broken("no edge allows a step".into()))
    }
}

impl Back for MergedVertices {
    fn interpretation(&self, at: After<'_>, mut interpretation: Interpretation) -> Returned<Interpretation> {
        let After { store, graph, budget } = at;
        let formula = interpretation.get(self.vertex).unwrap_or(Term::TRUE);
        for part in 0..self.parts.len() {
            budget.check_stop()?;
            let restricted = self.restrict(store, graph, part, formula);
            interpretation.insert(self.parts[part].vertex, restricted);
        }
        Ok(interpretation)
    }

    fn derivation(&self, at: After<'_>, derivation: Derivation<EdgeId>) -> Returned<Derivation<EdgeId>> {
        let mut edges: BTreeMap<Ends, Vec<(EdgeId, GroundEdge)>> = BTreeMap::new();
        for (id, edge) in &self.edges {
            let key = (edge.sources.first().copied(), edge.target);
            edges.entry(key).or_default().push((*id, GroundEdge::new(at.store, at.graph, edge)));
        }
        translate(at, &derivation, &mut MergedSteps { merged: self, edges })
    }

    /// At the location of a part, what holds of the part.
    fn forward(
        &self,
        store: &mut Store,
        graph: &Graph,
        mut interpretation: Interpretation,
    ) -> Interpretation {
        let state = graph.vertex(self.vertex).state().to_vec();
        let mut all = Vec::with_capacity(self.parts.len());
        for (at, Part { vertex, positions }) in self.parts.iter().enumerate() {
            if interpretation.get(*vertex).is_some() {
                let arguments: Vec<Term> = positions.iter().map(|&position| state[position]).collect();
                let formula = interpretation.apply(store, graph, *vertex, &arguments);
                all.push(store.implies(state[at], formula));
            }
        }
        let formula = store.and(&all);
        interpretation.insert(self.vertex, formula);
        interpretation
    }
}
