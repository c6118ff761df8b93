//! Graphs, linear or not, as loops that call each other.
//!
//! Each strongly connected component of a graph is one loop. If it has several vertices, its states have a Boolean
//! for each of them, of which exactly one is true, and share the arguments, as the single-loop transformation does it
//! for a whole graph; arguments that the vertex at hand does not have are set to a default. A clause with a head in
//! the component is an *entry* if no predicate of its body is. Otherwise it is a step of the loop once for each of
//! these predicates: from the state of that one to the state of the head. All other predicates of the body are
//! *calls*: the step needs a state of each of them that can be derived. Calls may be of lower components, or of the
//! component itself, which makes it *nested*.
//!
//! The variables of a clause other than the state and the next one are renamed, so that no two steps share any.

use std::collections::BTreeMap;

use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Sort, Store, Term};
use shem_transform::{mutual_components, share_arguments};

/// A predicate that a step needs beside that from which it goes on.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The position among the sources of the edge.
    pub position: usize,
    /// The component of the source.
    pub component: usize,
    /// Variables for the arguments of the source, in this step.
    pub arguments: Vec<Term>,
    /// The variables of the component's state that the arguments are values of.
    pub places: Vec<Term>,
    /// That a state of the component is one of the source.
    pub location: Term,
    /// The variables of the component's state, and what they are in this step.
    pub formals: Vec<Term>,
    pub actuals: Vec<Term>,
}

impl Call {
    /// What a formula over the states of the component says of this call.
    pub(super) fn instance(&self, store: &mut Store, formula: Term) -> Term {
        store.rename(formula, &self.formals, &self.actuals)
    }
}

/// A clause as an entry or as a step of a loop.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub edge: EdgeId,
    /// The position of the source from which a loop goes on; none for an entry.
    pub from: Option<usize>,
    /// A Boolean variable that tells the steps of a relation apart.
    pub choice: Term,
    /// Over the state, for a step also the next one, and the step's own variables. An entry is about the state.
    pub formula: Term,
    pub calls: Vec<Call>,
    /// The variables that belong to this step alone: the choice, those of calls and auxiliary ones.
    pub own: Vec<Term>,
}

/// A loop.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub state: Vec<Term>,
    pub next: Vec<Term>,
    pub entries: Vec<Step>,
    pub loops: Vec<Step>,
    /// For each vertex: where its arguments stand in a state.
    positions: BTreeMap<VertexId, Vec<usize>>,
    /// The vertices if there are several, in the order of their Booleans at the beginning of a state.
    locations: Vec<VertexId>,
}

/// The components of a graph.
#[derive(Clone, Debug)]
pub(super) struct Components {
    components: Vec<Component>,
    /// By index of vertex.
    of: Vec<usize>,
}

impl Components {
    /// The components of a graph. Falsehood is one of its own, with the number 0.
    pub(super) fn of(store: &mut Store, graph: &Graph) -> Components {
        let mut groups = vec![vec![VertexId::FALSE]];
        groups.extend(mutual_components(graph));
        let mut of = vec![usize::MAX; graph.vertex_bound()];
        for (number, group) in groups.iter().enumerate() {
            group.iter().for_each(|vertex| of[vertex.index()] = number);
        }
        for vertex in graph.vertices() {
            if of[vertex.index()] == usize::MAX {
                of[vertex.index()] = groups.len();
                groups.push(vec![vertex]);
            }
        }
        let components =
            groups.iter().enumerate().map(|(at, group)| Component::new(store, graph, at, group)).collect();
        let mut components = Components { components, of };
        for (id, edge) in graph.edges() {
            components.add_edge(store, graph, id, edge);
        }
        components
    }

    /// The component with this number.
    pub(super) fn get(&self, number: usize) -> &Component {
        &self.components[number]
    }

    /// The number of components.
    pub(super) fn len(&self) -> usize {
        self.components.len()
    }

    /// The number of the component of a vertex.
    pub(super) fn number_of(&self, vertex: VertexId) -> usize {
        self.of[vertex.index()]
    }

    fn add_edge(&mut self, store: &mut Store, graph: &Graph, id: EdgeId, edge: &Edge) {
        let number = self.number_of(edge.target);
        let inside: Vec<usize> =
            (0..edge.sources.len()).filter(|&at| self.number_of(edge.sources[at]) == number).collect();
        if inside.is_empty() {
            let step = self.step(store, graph, (id, edge), None);
            self.components[number].entries.push(step);
        }
        for position in inside {
            let step = self.step(store, graph, (id, edge), Some(position));
            self.components[number].loops.push(step);
        }
    }

    fn step(
        &self,
        store: &mut Store,
        graph: &Graph,
        (id, edge): (EdgeId, &Edge),
        from: Option<usize>,
    ) -> Step {
        let component = self.get(self.number_of(edge.target));
        let place = from.map_or("entry".to_owned(), |position| position.to_string());
        let prefix = format!("tpa.{}.{place}", id.index());
        let choice = store.variable(&prefix, Sort::Bool);
        let mut own = vec![choice];
        let (mut variables, mut terms) = (Vec::new(), Vec::new());
        let mut conjuncts = Vec::new();
        let after = if from.is_some() { &component.next } else { &component.state };
        variables.extend_from_slice(graph.vertex(edge.target).target());
        terms.extend(component.arguments(edge.target, after));
        conjuncts.extend(component.at(store, edge.target, after));
        let mut calls = Vec::new();
        for (position, &source) in edge.sources.iter().enumerate() {
            let arguments = graph.source_variables(edge, position);
            variables.extend_from_slice(arguments);
            if from == Some(position) {
                terms.extend(component.arguments(source, &component.state));
                conjuncts.extend(component.at(store, source, &component.state));
                continue;
            }
            let renamed: Vec<Term> =
                (0..arguments.len()).map(|i| fresh(store, &prefix, own.len() + i, arguments[i])).collect();
            terms.extend_from_slice(&renamed);
            own.extend_from_slice(&renamed);
            let number = self.number_of(source);
            let callee = self.get(number);
            let formals = callee.state.clone();
            let location = callee.at(store, source, &formals);
            calls.push(Call {
                position,
                component: number,
                places: callee.arguments(source, &formals),
                location: store.and(&location),
                actuals: callee.state_of(store, source, &renamed),
                formals,
                arguments: renamed,
            });
        }
        for auxiliary in graph.auxiliaries(store, edge) {
            let renamed = fresh(store, &prefix, own.len(), auxiliary);
            variables.push(auxiliary);
            terms.push(renamed);
            own.push(renamed);
        }
        conjuncts.push(store.rename(edge.label, &variables, &terms));
        let formula = store.and(&conjuncts);
        Step { edge: id, from, choice, formula, calls, own }
    }
}

/// A variable of the same sort.
fn fresh(store: &mut Store, prefix: &str, number: usize, like: Term) -> Term {
    store.variable(&format!("{prefix}.{number}"), store.sort(like))
}

impl Component {
    fn new(store: &mut Store, graph: &Graph, number: usize, group: &[VertexId]) -> Component {
        let (state, next, positions, locations);
        if let &[vertex] = group {
            (state, next) = (graph.vertex(vertex).state().to_vec(), graph.vertex(vertex).target().to_vec());
            positions = BTreeMap::from([(vertex, (0..state.len()).collect())]);
            locations = Vec::new();
        } else {
            let (shared, places) = share_arguments(graph, group);
            let sorts = [&vec![Sort::Bool; group.len()][..], &shared].concat();
            let mut variables = |end: &str| -> Vec<Term> {
                let variable =
                    |(i, &sort): (usize, &Sort)| store.variable(&format!("tpa.{number}#{i}{end}"), sort);
                sorts.iter().enumerate().map(variable).collect()
            };
            (state, next) = (variables(""), variables("'"));
            let shifted = |places: Vec<usize>| places.into_iter().map(|at| group.len() + at).collect();
            positions = group.iter().copied().zip(places.into_iter().map(shifted)).collect();
            locations = group.to_vec();
        }
        Component { state, next, entries: Vec::new(), loops: Vec::new(), positions, locations }
    }

    /// Whether a step of the loop calls the component itself.
    pub(super) fn is_nested(&self, number: usize) -> bool {
        self.loops.iter().any(|step| step.calls.iter().any(|call| call.component == number))
    }

    /// What stands in a state for the arguments of a vertex.
    pub(super) fn arguments<T: Clone>(&self, vertex: VertexId, state: &[T]) -> Vec<T> {
        self.positions[&vertex].iter().map(|&at| state[at].clone()).collect()
    }

    /// The state that these arguments of a vertex are.
    pub(super) fn state_of(&self, store: &mut Store, vertex: VertexId, arguments: &[Term]) -> Vec<Term> {
        let mut state = Vec::with_capacity(self.state.len());
        for (at, &variable) in self.state.iter().enumerate() {
            let argument = self.positions[&vertex].iter().position(|&place| place == at);
            state.push(match (argument, self.locations.get(at)) {
                (Some(argument), _) => arguments[argument],
                (None, Some(&location)) => Term::from_bool(location == vertex),
                (None, None) => {
                    let sort = store.sort(variable);
                    let value = store.default_value(sort);
                    store.value_term(&value, sort)
                }
            });
        }
        state
    }

    /// Literals that say that a state is one of the vertex.
    pub(super) fn at(&self, store: &mut Store, vertex: VertexId, state: &[Term]) -> Vec<Term> {
        if self.locations.is_empty() {
            return Vec::new();
        }
        let arguments = self.arguments(vertex, state);
        let wanted = self.state_of(store, vertex, &arguments);
        state.iter().zip(wanted).map(|(&variable, value)| store.eq(variable, value)).collect()
    }
}
