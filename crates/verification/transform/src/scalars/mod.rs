//! Arrays that are looked at in few places become the elements there.
//!
//! A class of arrays that is read and written at a few numerals and at one argument of its vertices only (see
//! `analysis`) is replaced by its elements there. Reads become elements, writes and cases change them, and an
//! equation of arrays becomes that of the elements, which is weaker.
//!
//! *Back.* A formula is put about reads of the original array. The old labels imply the new ones for them: equations of
//! arrays occur only where a weaker one makes a weaker label. In a derivation all arrays of a class get
//! the same element at all other places: that of its constant arrays, if there are any. Then arrays with equal
//! elements at the places are equal, so the old labels hold. For that a label says of the target, and of auxiliary
//! arrays, that the argument and a numeral have the same element if they are the same.
//!
//! An abstraction by a cell (Monniaux and Gonnord 2016) reads an array at any one place and loses what it is about
//! elsewhere; here nothing is lost, but few arrays fit. The cost is linear in the sizes of the labels.

mod analysis;
mod label;

use std::collections::{BTreeMap, BTreeSet};

use shem_base::{Budget, Statistics};
use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, VertexId};
use shem_term::{Sort, Store, Substitution, Term, Value};

use crate::pass::{Back, BackError, Pass};
use crate::scan::source_variables;
use crate::steps::plain;
use analysis::{Analysis, Places};
use label::Rewriter;

/// Replaces arrays by their elements at a few places.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalars;

/// An argument that was replaced by elements.
struct Elements {
    sort: Sort,
    numerals: Vec<Term>,
    /// The position of the argument at which the array is looked at, too.
    argument: Option<usize>,
    /// The element at all other places.
    rest: Value,
}

/// A vertex that was replaced: which, and the arguments that became elements; `None` for one that stays.
struct Replaced {
    old: VertexId,
    arguments: Vec<Option<Elements>>,
}

struct Way {
    /// The new vertices.
    vertices: BTreeMap<VertexId, Replaced>,
    /// The new edges, with the old ones and the new targets.
    edges: BTreeMap<EdgeId, (EdgeId, VertexId)>,
}

impl Pass for Scalars {
    fn name(&self) -> &'static str {
        "scalars"
    }

    fn summary(&self) -> &'static str {
        "replaces arrays that are looked at in few places by their elements there"
    }

    fn apply(
        &self,
        store: &mut Store,
        graph: &mut Graph,
        statistics: &mut Statistics,
        budget: &mut Budget,
    ) -> Option<Box<dyn Back>> {
        if !graph.vertices().any(|vertex| graph.vertex(vertex).sorts().iter().any(|sort| sort.is_array())) {
            return None;
        }
        let mut analysis = Analysis::of(store, graph, budget)?;
        let mut way = Way { vertices: BTreeMap::new(), edges: BTreeMap::new() };
        let mut replaced: BTreeMap<VertexId, VertexId> = BTreeMap::new();
        let old: Vec<VertexId> = graph.vertices().collect();
        for vertex in old {
            let sorts = graph.vertex(vertex).sorts().to_vec();
            let mut arguments = Vec::with_capacity(sorts.len());
            let mut new_sorts = Vec::new();
            for (at, &sort) in sorts.iter().enumerate() {
                let places = sort.is_array().then(|| analysis.places(vertex, at).cloned()).flatten();
                let elements = places.map(|places| {
                    let argument = places.argument.and_then(|class| analysis.argument(graph, vertex, class));
                    Elements::new(store, sort, places, argument)
                });
                match &elements {
                    Some(elements) => {
                        let (_, element) = store.array_parts(sort).expect("an array sort");
                        new_sorts.extend(std::iter::repeat_n(element, elements.count()));
                        statistics.add("arguments", 1);
                    }
                    None => new_sorts.push(sort),
                }
                arguments.push(elements);
            }
            if arguments.iter().any(Option::is_some) {
                let name = graph.vertex(vertex).name().to_owned();
                let new = graph.add_vertex(store, &name, &new_sorts);
                replaced.insert(vertex, new);
                way.vertices.insert(new, Replaced { old: vertex, arguments });
            }
        }
        if replaced.is_empty() {
            return None;
        }
        statistics.add("vertices", replaced.len() as u64);
        let touched: BTreeSet<EdgeId> =
            replaced.keys().flat_map(|&v| graph.incoming(v).chain(graph.outgoing(v))).collect();
        for id in touched {
            let edge = graph.remove_edge(id);
            let new = way.edge(store, graph, &mut analysis, &replaced, (id, &edge));
            let target = new.target;
            let new = graph.add_edge(store, new);
            way.edges.insert(new, (id, target));
        }
        for &vertex in replaced.keys() {
            graph.remove_vertex(vertex);
        }
        Some(Box::new(way))
    }
}

impl Elements {
    fn new(store: &Store, sort: Sort, places: Places, argument: Option<usize>) -> Elements {
        let (_, element) = store.array_parts(sort).expect("an array sort");
        let rest = match places.constant {
            Some(constant) if constant.is_truth_constant() => Value::Bool(constant == Term::TRUE),
            Some(constant) => Value::Num(store.as_num(constant).expect("a numeral").clone()),
            None => store.default_value(element),
        };
        Elements { sort, numerals: places.numerals, argument, rest }
    }

    fn count(&self) -> usize {
        self.numerals.len() + usize::from(self.argument.is_some())
    }
}

impl Replaced {
    /// Where the new arguments of each old one begin.
    fn starts(&self) -> Vec<usize> {
        let mut starts = Vec::with_capacity(self.arguments.len());
        let mut count = 0;
        for argument in &self.arguments {
            starts.push(count);
            count += argument.as_ref().map_or(1, Elements::count);
        }
        starts
    }

    /// What the new arguments are, by these terms for the old ones.
    fn terms(&self, store: &mut Store, old: &[Term]) -> Vec<Term> {
        let mut terms = Vec::new();
        for (&term, elements) in old.iter().zip(&self.arguments) {
            let Some(elements) = elements else {
                terms.push(term);
                continue;
            };
            let places = elements.numerals.iter().copied().chain(elements.argument.map(|at| old[at]));
            terms.extend(places.map(|place| store.select(term, place)));
        }
        terms
    }

    /// The old arguments, by values of the new ones.
    fn values(&self, store: &Store, new: &[Value]) -> Option<Vec<Value>> {
        let starts = self.starts();
        let mut values = Vec::with_capacity(self.arguments.len());
        for (elements, &start) in self.arguments.iter().zip(&starts) {
            let Some(elements) = elements else {
                values.push(new.get(start)?.clone());
                continue;
            };
            let mut entries = Vec::with_capacity(elements.count());
            for (at, &numeral) in elements.numerals.iter().enumerate() {
                let index = Value::Num(store.as_num(numeral)?.clone());
                entries.push((index, new.get(start + at)?.clone()));
            }
            if let Some(argument) = elements.argument {
                let index = new.get(starts[argument])?.clone();
                entries.push((index, new.get(start + elements.numerals.len())?.clone()));
            }
            values.push(store.array_value(elements.sort, elements.rest.clone(), entries));
        }
        Some(values)
    }
}

impl Way {
    /// The edge between the new vertices.
    fn edge(
        &self,
        store: &mut Store,
        graph: &mut Graph,
        analysis: &mut Analysis,
        replaced: &BTreeMap<VertexId, VertexId>,
        (id, edge): (EdgeId, &Edge),
    ) -> Edge {
        let new = |vertex: &VertexId| *replaced.get(vertex).unwrap_or(vertex);
        let sources: Vec<VertexId> = edge.sources.iter().map(new).collect();
        let mut result = Edge { sources, target: new(&edge.target), label: Term::TRUE };
        for (at, &source) in result.sources.iter().enumerate() {
            graph.ensure_copy(store, source, result.copy(at));
        }
        let (mut renamed, mut elements) = (BTreeMap::new(), BTreeMap::new());
        let mut bind = |vertex: VertexId, from: &[Term], to: &[Term]| match self.vertices.get(&vertex) {
            Some(replaced) => {
                let starts = replaced.starts();
                for ((&variable, argument), &start) in from.iter().zip(&replaced.arguments).zip(&starts) {
                    match argument {
                        Some(own) => {
                            elements.insert(variable, to[start..start + own.count()].to_vec());
                        }
                        None => {
                            renamed.insert(variable, to[start]);
                        }
                    }
                }
            }
            None => renamed.extend(from.iter().copied().zip(to.iter().copied())),
        };
        let (before, after) =
            (source_variables(graph, &edge.sources), source_variables(graph, &result.sources));
        for ((&vertex, from), to) in result.sources.iter().zip(&before).zip(&after) {
            bind(vertex, from, to);
        }
        let (from, to) = (graph.vertex(edge.target).target(), graph.vertex(result.target).target());
        bind(result.target, from, to);
        let open: Vec<Term> = from.iter().copied().filter(|v| elements.contains_key(v)).collect();
        // Every variable of the class of an argument is the same in the edge: any canonical one will do.
        let mut arguments: BTreeMap<usize, Term> = BTreeMap::new();
        let arrays: Vec<Term> = elements.keys().copied().collect();
        for array in arrays {
            let Some(class) = analysis.places_of(id, array).and_then(|(_, places)| places.argument) else {
                continue;
            };
            if !arguments.contains_key(&class) {
                let found = renamed.iter().find(|(old, _)| analysis.is_in(id, **old, class));
                arguments.extend(found.map(|(_, &new)| (class, new)));
            }
        }
        let rewriter = Rewriter { analysis, id, arguments, renamed, elements, open };
        result.label = rewriter.label(store, edge.label);
        result
    }
}

impl Back for Way {
    fn interpretation(
        &self,
        store: &mut Store,
        graph: &Graph,
        mut interpretation: Interpretation,
        _: &mut Budget,
    ) -> Result<Interpretation, BackError> {
        for (&new, replaced) in &self.vertices {
            let formula = interpretation.get(new).unwrap_or(Term::TRUE);
            let terms = replaced.terms(store, graph.vertex(replaced.old).state());
            let mut substitution = Substitution::new();
            substitution.bind(store, graph.vertex(new).state(), &terms);
            let formula = store.substitute(formula, &substitution);
            interpretation.insert(replaced.old, formula);
        }
        Ok(interpretation)
    }

    fn derivation(
        &self,
        store: &mut Store,
        _: &Graph,
        derivation: Derivation<EdgeId>,
        budget: &mut Budget,
    ) -> Result<Derivation<EdgeId>, BackError> {
        let derivation = plain(store, derivation)?;
        let mut result = Derivation::new();
        for (_, step) in derivation.steps() {
            budget.check_stop()?;
            let Some((old, target)) = self.edges.get(&step.rule) else {
                result.push(step.rule, step.premises, step.values.to_vec());
                continue;
            };
            let values = match self.vertices.get(target) {
                Some(replaced) => replaced
                    .values(store, step.values)
                    .ok_or_else(|| BackError::Broken(format!("{:?} lacks values", step.rule)))?,
                None => step.values.to_vec(),
            };
            result.push(*old, step.premises, values);
        }
        Ok(result)
    }

    fn forward(
        &self,
        store: &mut Store,
        graph: &Graph,
        mut interpretation: Interpretation,
    ) -> Interpretation {
        for (&new, replaced) in &self.vertices {
            let Some(formula) = interpretation.get(replaced.old) else { continue };
            let (before, after) = (graph.vertex(replaced.old).state(), graph.vertex(new).state());
            let reads = replaced.terms(store, before);
            let pairs: Vec<(Term, Term)> = reads.into_iter().zip(after.iter().copied()).collect();
            // What is not about these reads is left out.
            let mut parts = Vec::new();
            for part in store.conjuncts(formula) {
                let part = store.replace(part, &pairs);
                if store.free_variables(&[part]).iter().all(|v| after.contains(v)) {
                    parts.push(part);
                }
            }
            let formula = store.and(&parts);
            interpretation.insert(new, formula);
        }
        interpretation
    }
}
