//! Locations: a predicate with a program counter among its arguments becomes a predicate for each location.
//!
//! Encodings of programs often have one predicate for a whole procedure, one argument that says where control is, and
//! a clause for each statement, which asks for one constant in that argument and leaves another one there. The flow of
//! control is hidden in numbers, then: no vertex can be contracted, no argument sliced that is of use elsewhere, and
//! parallel edges are merged into one formula with all statements of the procedure.
//!
//! An argument is a *location* if it has finitely many values, by a propagation of constants and of copies along the
//! edges that keeps sets of values. A vertex is *split* by a location if that makes few edges more: most edges from it
//! must ask for one value. It is replaced by a vertex for each value without that argument, and each edge by one for
//! each choice of values that its label allows as far as its conjuncts say so.
//!
//! *Back.* The interpretation of the vertex is the disjunction over the values: the argument has the value, and the
//! interpretation of the part holds. A location may be a copy of an argument of a vertex that is not split, and what
//! that one is interpreted as may allow other values than those that were found. These values are closed under all
//! edges, so it is said of each argument from which a location is copied, by way of others or not, that it has one of
//! them. Then an edge before the pass is satisfied, since one of the edges after the pass stands for it. A step is one
//! by the old edge, with the value of the part as one more argument.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::Budget;
use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, StepId, VertexId};
use shem_term::{Sort, Store, Term, Value};

use crate::collapse::equated;
use crate::pass::{After, Back, Pass, PassDescription, Returned, Work};
use crate::scan::{Scan, constants, source_variables};
use crate::steps::{Given, StepTranslator, translate};

/// Splits vertices by locations.
#[derive(Clone, Copy, Debug)]
pub struct Locations {
    /// The number of values from which an argument is a location: a flag is none.
    pub least: usize,
    /// The number of values up to which it is one.
    pub most: usize,
    /// How many edges the graph may have afterwards for each that it had.
    pub growth: usize,
}

impl Default for Locations {
    fn default() -> Locations {
        Locations { least: 3, most: 1_000, growth: 2 }
    }
}

/// The values that an argument can have; `None` if they are not known.
type Values = Option<BTreeSet<Value>>;

/// What the conjuncts of a label say of an argument of the target.
enum Argument {
    Constant(Value),
    /// It is the argument of the source at this position.
    Copy(usize, usize),
    Unknown,
}

/// What the conjuncts of a label say about arguments.
struct Facts {
    /// For each source: the arguments that have to have a value.
    wanted: Vec<BTreeMap<usize, Value>>,
    /// For each argument of the target.
    given: Vec<Argument>,
}

/// A vertex that was split.
struct Split {
    /// The argument that is the location.
    position: usize,
    /// A vertex for each value.
    parts: BTreeMap<Value, VertexId>,
}

/// An edge after the pass: the edge that it was, and the location of its target.
struct Origin {
    edge: EdgeId,
    target: Option<(usize, Value)>,
}

struct Located {
    splits: BTreeMap<VertexId, Split>,
    /// The other arguments from which locations are copied, with the values that they can have.
    copied: BTreeMap<(VertexId, usize), BTreeSet<Value>>,
    /// The edges that were replaced.
    before: BTreeMap<EdgeId, Edge>,
    origins: BTreeMap<EdgeId, Origin>,
}

impl Pass for Locations {
    fn description(&self) -> PassDescription {
        PassDescription::new("locations", "splits predicates by an argument that says where control is")
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let mut facts: BTreeMap<EdgeId, Facts> = BTreeMap::new();
        for (id, edge) in graph.edges() {
            budget.check_stop().ok()?;
            facts.insert(id, Facts::of(store, graph, edge));
        }
        let values = self.values(graph, &facts, budget)?;
        let chosen = self.choose(graph, &facts, &values);
        if chosen.is_empty() {
            return None;
        }
        let mut splits = BTreeMap::new();
        let mut locations = 0;
        for (&vertex, &position) in &chosen {
            let values = values[vertex.index()][position].as_ref().expect("a location has known values");
            locations += values.len() as u64;
            let mut sorts = graph.vertex(vertex).sorts().to_vec();
            sorts.remove(position);
            let mut parts = BTreeMap::new();
            for value in values {
                let name = format!("{}@{}", graph.vertex(vertex).name(), parts.len());
                parts.insert(value.clone(), graph.add_vertex(store, &name, &sorts));
            }
            splits.insert(vertex, Split { position, parts });
        }
        let copied = copied(graph, &facts, &values, &chosen);
        let mut back = Located { splits, copied, before: BTreeMap::new(), origins: BTreeMap::new() };
        let touched: BTreeSet<EdgeId> =
            chosen.keys().flat_map(|&vertex| graph.incoming(vertex).chain(graph.outgoing(vertex))).collect();
        let mut scan = Scan::default();
        let mut made = Vec::new();
        for &id in &touched {
            let edge = graph.edge(id).clone();
            for (sources, target) in back.choices(&edge, &facts[&id]) {
                if budget.check_stop().is_err() {
                    for part in back.splits.values().flat_map(|split| split.parts.values()) {
                        graph.remove_vertex(*part);
                    }
                    return None;
                }
                made.extend(back.edge_at(store, graph, &mut scan, (id, &edge), &sources, target));
            }
        }
        for (edge, origin) in made {
            back.origins.insert(graph.add_edge(store, edge), origin);
        }
        for id in touched {
            back.before.insert(id, graph.remove_edge(id));
        }
        statistics.add("vertices", back.splits.len() as u64);
        statistics.add("locations", locations);
        for &vertex in back.splits.keys() {
            graph.remove_vertex(vertex);
        }
        Some(Box::new(back))
    }
}

impl Facts {
    fn of(store: &Store, graph: &Graph, edge: &Edge) -> Facts {
        let inputs = source_variables(graph, &edge.sources);
        let target = graph.vertex(edge.target).target();
        let wanted: Vec<_> = inputs.iter().map(|input| constants(store, edge.label, input)).collect();
        let mut sources: BTreeMap<Term, (usize, usize)> = BTreeMap::new();
        for (position, input) in inputs.iter().enumerate() {
            sources.extend(input.iter().enumerate().map(|(at, &variable)| (variable, (position, at))));
        }
        let outputs: BTreeMap<Term, usize> = target.iter().enumerate().map(|(at, &v)| (v, at)).collect();
        let mut given: Vec<Argument> = target.iter().map(|_| Argument::Unknown).collect();
        for conjunct in store.conjuncts(edge.label) {
            let Some((a, b)) = equated(store, conjunct) else { continue };
            for (a, b) in [(a, b), (b, a)] {
                if let (Some(&at), Some(&(position, argument))) = (outputs.get(&a), sources.get(&b)) {
                    given[at] = Argument::Copy(position, argument);
                }
            }
        }
        for (at, value) in constants(store, edge.label, target) {
            given[at] = Argument::Constant(value);
        }
        Facts { wanted, given }
    }
}

impl Locations {
    /// By vertex and argument, the values that facts can have; `None` if a stop was requested.
    fn values(
        &self,
        graph: &Graph,
        facts: &BTreeMap<EdgeId, Facts>,
        budget: &Budget,
    ) -> Option<Vec<Vec<Values>>> {
        let mut values: Vec<Vec<Values>> = vec![Vec::new(); graph.vertex_bound()];
        for vertex in graph.vertices() {
            let start = |&sort: &Sort| matches!(sort, Sort::Int | Sort::Bool).then(BTreeSet::new);
            values[vertex.index()] = graph.vertex(vertex).sorts().iter().map(start).collect();
        }
        let mut queue: BTreeSet<EdgeId> = facts.keys().copied().collect();
        while let Some(id) = queue.pop_first() {
            budget.check_stop().ok()?;
            let edge = graph.edge(id);
            if edge.target == VertexId::FALSE {
                continue;
            }
            let mut changed = false;
            for (at, given) in facts[&id].given.iter().enumerate() {
                if values[edge.target.index()][at].is_none() {
                    continue;
                }
                let found = match given {
                    Argument::Constant(value) => Some(BTreeSet::from([value.clone()])),
                    Argument::Copy(position, argument) => match facts[&id].wanted[*position].get(argument) {
                        Some(value) => Some(BTreeSet::from([value.clone()])),
                        None => values[edge.sources[*position].index()][*argument].clone(),
                    },
                    Argument::Unknown => None,
                };
                let known = &mut values[edge.target.index()][at];
                let before = known.as_ref().map(BTreeSet::len);
                match (&mut *known, found) {
                    (Some(known), Some(found)) => known.extend(found),
                    _ => *known = None,
                }
                if known.as_ref().is_some_and(|known| known.len() > self.most) {
                    *known = None;
                }
                changed |= known.as_ref().map(BTreeSet::len) != before;
            }
            if changed {
                queue.extend(graph.outgoing(edge.target));
            }
        }
        Some(values)
    }

    /// The vertices to be split, with the argument that is the location.
    fn choose(
        &self,
        graph: &Graph,
        facts: &BTreeMap<EdgeId, Facts>,
        values: &[Vec<Values>],
    ) -> BTreeMap<VertexId, usize> {
        let mut chosen = BTreeMap::new();
        for vertex in graph.vertices() {
            let edges = graph.incoming(vertex).len() + graph.outgoing(vertex).len();
            let candidates = values[vertex.index()].iter().enumerate().filter_map(|(at, values)| {
                let count = values.as_ref()?.len();
                let is_integer = graph.vertex(vertex).sorts()[at] == Sort::Int;
                let made = is_integer.then(|| made(graph, facts, vertex, at, count))?;
                (count >= self.least && made <= self.growth * edges).then_some((count, at))
            });
            if let Some((_, at)) = candidates.max_by_key(|&(count, at)| (count, std::cmp::Reverse(at))) {
                chosen.insert(vertex, at);
            }
        }
        chosen
    }
}

/// The number of edges that there are in place of those at a vertex if it is split.
fn made(graph: &Graph, facts: &BTreeMap<EdgeId, Facts>, vertex: VertexId, at: usize, count: usize) -> usize {
    let from = graph.outgoing(vertex).map(|id| {
        let wanted = graph.edge(id).sources.iter().zip(&facts[&id].wanted);
        let open = wanted.filter(|&(&source, wanted)| source == vertex && !wanted.contains_key(&at)).count();
        u32::try_from(open).ok().and_then(|open| count.checked_pow(open)).unwrap_or(usize::MAX)
    });
    let to = graph.incoming(vertex).map(|id| match &facts[&id].given[at] {
        Argument::Constant(_) => 1,
        Argument::Copy(position, argument) if facts[&id].wanted[*position].contains_key(argument) => 1,
        _ => count,
    });
    from.chain(to).fold(0, usize::saturating_add)
}

/// The arguments from which locations are copied along edges, and from which those are, with the values that they can
/// have; without the locations themselves.
fn copied(
    graph: &Graph,
    facts: &BTreeMap<EdgeId, Facts>,
    values: &[Vec<Values>],
    chosen: &BTreeMap<VertexId, usize>,
) -> BTreeMap<(VertexId, usize), BTreeSet<Value>> {
    let mut found = BTreeMap::new();
    let mut open: Vec<(VertexId, usize)> =
        chosen.iter().map(|(&vertex, &position)| (vertex, position)).collect();
    while let Some((vertex, at)) = open.pop() {
        for id in graph.incoming(vertex) {
            let Argument::Copy(position, argument) = facts[&id].given[at] else { continue };
            let origin = (graph.edge(id).sources[position], argument);
            let is_location = chosen.get(&origin.0) == Some(&argument);
            if is_location
                || found.contains_key(&origin)
                || facts[&id].wanted[position].contains_key(&argument)
            {
                continue;
            }
            let known = values[origin.0.index()][argument].clone();
            found.insert(origin, known.expect("what is copied to known values has known values"));
            open.push(origin);
        }
    }
    found
}

impl Located {
    /// The choices of locations for the sources and the target of an edge that its conjuncts allow.
    fn choices(&self, edge: &Edge, facts: &Facts) -> Vec<(Vec<Option<Value>>, Option<Value>)> {
        let mut choices: Vec<Vec<Option<Value>>> = vec![Vec::new()];
        for (source, wanted) in edge.sources.iter().zip(&facts.wanted) {
            let options: Vec<Option<Value>> = match self.splits.get(source) {
                None => vec![None],
                Some(split) => match wanted.get(&split.position) {
                    Some(value) if !split.parts.contains_key(value) => Vec::new(),
                    Some(value) => vec![Some(value.clone())],
                    None => split.parts.keys().cloned().map(Some).collect(),
                },
            };
            let longer = |choice: &Vec<Option<Value>>| {
                let choice = choice.clone();
                options.iter().map(move |option| [&choice[..], std::slice::from_ref(option)].concat())
            };
            choices = choices.iter().flat_map(longer).collect();
        }
        let mut all = Vec::new();
        for choice in choices {
            let Some(split) = self.splits.get(&edge.target) else {
                all.push((choice, None));
                continue;
            };
            let known = match &facts.given[split.position] {
                Argument::Constant(value) => Some(value.clone()),
                Argument::Copy(position, argument) => {
                    let is_location = |split: &Split| split.position == *argument;
                    match self.splits.get(&edge.sources[*position]) {
                        Some(split) if is_location(split) => choice[*position].clone(),
                        _ => facts.wanted[*position].get(argument).cloned(),
                    }
                }
                Argument::Unknown => None,
            };
            match known {
                Some(value) => all.push((choice, Some(value))),
                None => all.extend(split.parts.keys().map(|value| (choice.clone(), Some(value.clone())))),
            }
        }
        all
    }

    /// The edge for a choice of locations; `None` if it has no use.
    fn edge_at(
        &self,
        store: &mut Store,
        graph: &mut Graph,
        scan: &mut Scan,
        (id, edge): (EdgeId, &Edge),
        locations: &[Option<Value>],
        target: Option<Value>,
    ) -> Option<(Edge, Origin)> {
        let part = |splits: &BTreeMap<VertexId, Split>, vertex: VertexId, value: &Option<Value>| match value {
            Some(value) => splits[&vertex].parts.get(value).copied(),
            None => Some(vertex),
        };
        let sources =
            edge.sources.iter().zip(locations).map(|(&source, value)| part(&self.splits, source, value));
        // Where there is no part, there is no fact.
        let sources = sources.collect::<Option<Vec<VertexId>>>()?;
        let end = part(&self.splits, edge.target, &target)?;
        let mut new = Edge { sources, target: end, label: Term::TRUE };
        for position in 0..new.sources.len() {
            graph.ensure_copy(store, new.sources[position], new.copy(position));
        }
        let inputs = source_variables(graph, &new.sources);
        let mut terms = Vec::with_capacity(inputs.len());
        for ((&vertex, value), input) in edge.sources.iter().zip(locations).zip(inputs) {
            terms.push(self.with_location(store, graph, vertex, value, input));
        }
        let output = graph.vertex(end).target().to_vec();
        let output = self.with_location(store, graph, edge.target, &target, output);
        new.label = scan.instance(store, graph, edge, &terms, &output);
        let target = target.map(|value| (self.splits[&edge.target].position, value));
        (new.label != Term::FALSE).then_some((new, Origin { edge: id, target }))
    }

    /// The arguments of a vertex: those of its part, and the value of the location.
    fn with_location(
        &self,
        store: &mut Store,
        graph: &Graph,
        vertex: VertexId,
        value: &Option<Value>,
        mut arguments: Vec<Term>,
    ) -> Vec<Term> {
        if let Some(value) = value {
            let position = self.splits[&vertex].position;
            arguments.insert(position, store.value_term(value, graph.vertex(vertex).sorts()[position]));
        }
        arguments
    }
}

impl StepTranslator for &Located {
    fn leaves(&self, rule: EdgeId) -> bool {
        !self.origins.contains_key(&rule)
    }

    fn edge(&self, rule: EdgeId) -> Option<&Edge> {
        self.before.get(&rule)
    }

    fn translate(&mut self, _: After<'_>, given: Given<'_>, to: &mut Derivation<EdgeId>) -> Returned<StepId> {
        let Origin { edge, target } = &self.origins[&given.rule];
        let mut values = given.values.to_vec();
        if let Some((position, value)) = target {
            values.insert(*position, value.clone());
        }
        Ok(to.push(*edge, given.premises, values))
    }
}

impl Back for Located {
    fn interpretation(&self, at: After<'_>, mut interpretation: Interpretation) -> Returned<Interpretation> {
        let After { store, graph, budget } = at;
        for (&vertex, split) in &self.splits {
            budget.check_stop()?;
            let state = graph.vertex(vertex).state().to_vec();
            let mut arguments = state.clone();
            let location = arguments.remove(split.position);
            let sort = store.sort(location);
            let mut cases = Vec::with_capacity(split.parts.len());
            for (value, &part) in &split.parts {
                let value = store.value_term(value, sort);
                let here = store.eq(location, value);
                let formula = match interpretation.get(part) {
                    Some(_) => interpretation.apply(store, graph, part, &arguments),
                    None => Term::TRUE,
                };
                cases.push(store.and2(here, formula));
            }
            let formula = store.or(&cases);
            interpretation.insert(vertex, formula);
        }
        for (&(vertex, argument), values) in &self.copied {
            budget.check_stop()?;
            let argument = graph.vertex(vertex).state()[argument];
            let sort = store.sort(argument);
            let mut cases = Vec::with_capacity(values.len());
            for value in values {
                let value = store.value_term(value, sort);
                cases.push(store.eq(argument, value));
            }
            let one_of_them = store.or(&cases);
            let formula = store.and2(interpretation.get(vertex).unwrap_or(Term::TRUE), one_of_them);
            interpretation.insert(vertex, formula);
        }
        Ok(interpretation)
    }

    /// What holds of a vertex, for the value of its location that a part stands for.
    fn forward(
        &self,
        store: &mut Store,
        graph: &Graph,
        mut interpretation: Interpretation,
    ) -> Interpretation {
        for (&vertex, split) in &self.splits {
            if interpretation.get(vertex).is_none() {
                continue;
            }
            let sort = store.sort(graph.vertex(vertex).state()[split.position]);
            for (value, &part) in &split.parts {
                let mut arguments = graph.vertex(part).state().to_vec();
                arguments.insert(split.position, store.value_term(value, sort));
                let formula = interpretation.apply(store, graph, vertex, &arguments);
                interpretation.insert(part, formula);
            }
        }
        interpretation
    }

    fn derivation(&self, at: After<'_>, derivation: Derivation<EdgeId>) -> Returned<Derivation<EdgeId>> {
        translate(at, &derivation, &mut &*self)
    }
}
