//! Flattening: arguments that are records, enumerations or sums become their fields and a tag.
//!
//! The layout of a sort says which leaves stand for its values (see `layout`): every value has exactly one list of
//! leaves, its *image*. A vertex gets an argument for each leaf; labels are rewritten to be about leaves (see `label`),
//! and the auxiliary variables of such sorts become leaves as well. Recursive datatypes stay, and so do arrays, whose
//! elements may be records: there is no term for the array of one field on the way back.
//!
//! An edge's label says of its target that its leaves are the image of a value, where that does not follow from an
//! equation. So the facts after the pass are the images of those before it. Of sources it is not said: it follows for
//! facts, and arguments would matter that can be sliced otherwise.
//!
//! *Back.* A formula is put about the leaves of the original argument, by selectors and testers. That satisfies the
//! old edges: take values that satisfy an old label; their images satisfy the new one. A derivation is taken over
//! step by step, with values put together by constructors.
//!
//! The cost is linear in the sizes of the labels times the number of leaves of a sort.

mod label;
mod layout;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shem_base::{Budget, Statistics};
use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, VertexId};
use shem_term::{Sort, Store, Substitution, Term, Value};

use crate::pass::{Back, BackError, Pass};
use crate::scan::{Scan, source_variables};
use crate::steps::plain;
use label::Flattener;
use layout::{Layout, Layouts};

/// Flattens records, enumerations and sums.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flatten;

/// A vertex that was replaced: which, and the layouts of its arguments, `None` for one that stays.
struct Flattened {
    old: VertexId,
    layouts: Vec<Option<Arc<Layout>>>,
}

struct Way {
    layouts: Layouts,
    /// The new vertices.
    vertices: BTreeMap<VertexId, Flattened>,
    /// The new edges, with the old ones and their targets after the pass.
    edges: BTreeMap<EdgeId, (EdgeId, VertexId)>,
}

impl Pass for Flatten {
    fn name(&self) -> &'static str {
        "flatten"
    }

    fn summary(&self) -> &'static str {
        "replaces records, enumerations and sums by their fields and a tag"
    }

    fn apply(
        &self,
        store: &mut Store,
        graph: &mut Graph,
        statistics: &mut Statistics,
        budget: &mut Budget,
    ) -> Option<Box<dyn Back>> {
        if !store.has_datatypes() {
            return None;
        }
        let mut way = Way { layouts: Layouts::default(), vertices: BTreeMap::new(), edges: BTreeMap::new() };
        let mut replaced: BTreeMap<VertexId, VertexId> = BTreeMap::new();
        let touched = self.touched(store, graph, &mut way.layouts);
        let old: Vec<VertexId> = graph.vertices().collect();
        for vertex in old {
            let sorts = graph.vertex(vertex).sorts().to_vec();
            let layouts: Vec<_> = sorts.iter().map(|&sort| way.layouts.of(store, sort)).collect();
            if layouts.iter().all(Option::is_none) {
                continue;
            }
            statistics.add("vertices", 1);
            statistics.add("arguments", layouts.iter().flatten().count() as u64);
            let leaves: Vec<Sort> = sorts
                .iter()
                .zip(&layouts)
                .flat_map(|(sort, layout)| layout.as_ref().map_or(std::slice::from_ref(sort), |l| l.leaves()))
                .copied()
                .collect();
            let name = graph.vertex(vertex).name().to_owned();
            let new = graph.add_vertex(store, &name, &leaves);
            replaced.insert(vertex, new);
            way.vertices.insert(new, Flattened { old: vertex, layouts });
        }
        let mut flattener = Flattener::new(way.layouts.clone());
        for id in touched {
            if budget.check_stop().is_err() && replaced.is_empty() {
                return None;
            }
            let edge = graph.edge(id).clone();
            let new = |vertex: &VertexId| *replaced.get(vertex).unwrap_or(vertex);
            let sources: Vec<VertexId> = edge.sources.iter().map(new).collect();
            let mut flat = Edge { sources, target: new(&edge.target), label: Term::TRUE };
            for (at, &source) in flat.sources.iter().enumerate() {
                graph.ensure_copy(store, source, flat.copy(at));
            }
            let (before, after) =
                (source_variables(graph, &edge.sources), source_variables(graph, &flat.sources));
            for ((vertex, from), to) in flat.sources.iter().zip(&before).zip(&after) {
                way.bind(&mut flattener, *vertex, from, to);
            }
            let (from, to) = (graph.vertex(edge.target).target(), graph.vertex(flat.target).target());
            way.bind(&mut flattener, flat.target, from, to);
            flat.label = flattener.formula(store, edge.label, from);
            let is_moved = flat.sources != edge.sources || flat.target != edge.target;
            if is_moved {
                let target = flat.target;
                graph.remove_edge(id);
                let new = graph.add_edge(store, flat);
                way.edges.insert(new, (id, target));
            } else if flat.label != edge.label {
                // Only auxiliaries are different, which no witness knows.
                graph.set_label(id, flat.label);
                statistics.add("labels", 1);
            }
        }
        for &vertex in replaced.keys() {
            graph.remove_vertex(vertex);
        }
        (!replaced.is_empty()).then(|| Box::new(way) as Box<dyn Back>)
    }
}

impl Flatten {
    /// The edges that have a term of a record or sum, or such an argument.
    fn touched(&self, store: &mut Store, graph: &Graph, layouts: &mut Layouts) -> BTreeSet<EdgeId> {
        let mut scan = Scan::default();
        let mut touched = BTreeSet::new();
        let mut has_layout = |store: &mut Store, sort: Sort| layouts.of(store, sort).is_some();
        for (id, edge) in graph.edges() {
            let mut sorts: BTreeSet<Sort> = BTreeSet::new();
            for vertex in edge.sources.iter().chain([&edge.target]) {
                sorts.extend(graph.vertex(*vertex).sorts());
            }
            scan.each(store, &[edge.label], |term| {
                let sort = store.sort(term);
                if sort.is_datatype() {
                    sorts.insert(sort);
                }
            });
            if sorts.into_iter().any(|sort| has_layout(store, sort)) {
                touched.insert(id);
            }
        }
        touched
    }
}

impl Way {
    /// Gives the variables of an old vertex those of the new one as leaves; other arguments are renamed.
    fn bind(&self, flattener: &mut Flattener, new: VertexId, from: &[Term], to: &[Term]) {
        let Some(Flattened { layouts, .. }) = self.vertices.get(&new) else { return };
        let mut start = 0;
        for (&variable, layout) in from.iter().zip(layouts) {
            let width = layout.as_ref().map_or(1, |layout| layout.leaves().len());
            flattener.bind(variable, &to[start..start + width]);
            start += width;
        }
    }
}

impl Flattened {
    /// The leaves of these arguments of the old vertex.
    fn leaves(&self, store: &mut Store, arguments: &[Term]) -> Vec<Term> {
        let mut leaves = Vec::new();
        for (&argument, layout) in arguments.iter().zip(&self.layouts) {
            match layout {
                Some(layout) => leaves.extend(layout.project(store, argument)),
                None => leaves.push(argument),
            }
        }
        leaves
    }

    /// The arguments of the old vertex that have these leaves.
    fn values(&self, leaves: &[Value]) -> Option<Vec<Value>> {
        let mut values = Vec::with_capacity(self.layouts.len());
        let mut start = 0;
        for layout in &self.layouts {
            match layout {
                Some(layout) => {
                    let end = start + layout.leaves().len();
                    values.push(layout.value(leaves.get(start..end)?)?);
                    start = end;
                }
                None => {
                    values.push(leaves.get(start)?.clone());
                    start += 1;
                }
            }
        }
        Some(values)
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
        for (&new, flattened) in &self.vertices {
            let formula = interpretation.get(new).unwrap_or(Term::TRUE);
            let leaves = flattened.leaves(store, graph.vertex(flattened.old).state());
            let mut substitution = Substitution::new();
            substitution.bind(store, graph.vertex(new).state(), &leaves);
            let formula = store.substitute(formula, &substitution);
            interpretation.insert(flattened.old, formula);
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
                Some(flattened) => flattened
                    .values(step.values)
                    .ok_or_else(|| BackError::Broken(format!("{:?} gives no value", step.rule)))?,
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
        let mut flattener = Flattener::new(self.layouts.clone());
        for (&new, flattened) in &self.vertices {
            let Some(formula) = interpretation.get(flattened.old) else { continue };
            let (from, to) = (graph.vertex(flattened.old).state(), graph.vertex(new).state());
            self.bind(&mut flattener, new, from, to);
            let formula = flattener.formula(store, formula, &[]);
            interpretation.insert(new, formula);
        }
        interpretation
    }
}
