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
use std::ops::Range;
use std::sync::Arc;

use shem_base::Budget;
use shem_chc::{EdgeId, Graph, VertexId};
use shem_term::{Sort, Store, Term};

use crate::pass::{Back, Pass, PassDescription, Work};
use crate::rewired::{End, Rewired};
use crate::scan::Scan;
use label::Flattener;
use layout::{Layout, Layouts};

/// Flattens records, enumerations and sums.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flatten;

/// The layouts of the arguments of a vertex, `None` for one that stays.
type VertexLayouts = Vec<Option<Arc<Layout>>>;

impl Pass for Flatten {
    fn description(&self) -> PassDescription {
        PassDescription::new("flatten", "replaces records, enumerations and sums by their fields and a tag")
            .before_abstraction()
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        if !store.has_datatypes() {
            return None;
        }
        let mut layouts = Layouts::default();
        let touched = self.touched(store, graph, &mut layouts, budget)?;
        let mut rewired = Rewired::default();
        let mut vertices: BTreeMap<VertexId, VertexLayouts> = BTreeMap::new();
        let old: Vec<VertexId> = graph.vertices().collect();
        for vertex in old {
            let sorts = graph.vertex(vertex).sorts().to_vec();
            let own: VertexLayouts = sorts.iter().map(|&sort| layouts.of(store, sort)).collect();
            if own.iter().any(Option::is_some) {
                let leaves = leaves(store, &own, graph.vertex(vertex).state());
                rewired.replace(store, graph, vertex, leaves, |store, state| {
                    let whole = |(layout, range): (&Option<Arc<Layout>>, Range<usize>)| match layout {
                        Some(layout) => layout.whole(store, &state[range]),
                        None => state[range.start],
                    };
                    own.iter().zip(ranges(&own)).map(whole).map(Some).collect()
                });
                vertices.insert(vertex, own);
            }
        }
        let mut flattener = Flattener::new(layouts);
        let rewired = rewired.apply(store, graph, budget, |store, _, (_, edge), ends| {
            for End { old, before, after } in ends {
                bind(&mut flattener, vertices.get(old), before, after);
            }
            flattener.formula(store, edge.label, &ends[ends.len() - 1].before)
        });
        for id in touched {
            // What was replaced has another id now. Of the others only auxiliaries change, which no witness knows.
            let Some(edge) = graph.get_edge(id) else { continue };
            if budget.check_stop().is_err() {
                break;
            }
            let (label, target) = (edge.label, graph.vertex(edge.target).target().to_vec());
            let new = flattener.formula(store, label, &target);
            if new != label {
                graph.set_label(id, new);
                statistics.add("labels", 1);
            }
        }
        let rewired = rewired?;
        statistics.add("vertices", vertices.len() as u64);
        statistics.add("arguments", vertices.values().flatten().flatten().count() as u64);
        Some(Box::new(rewired))
    }
}

/// The leaves of these arguments of a vertex.
fn leaves(store: &mut Store, layouts: &VertexLayouts, arguments: &[Term]) -> Vec<Term> {
    let mut leaves = Vec::new();
    for (&argument, layout) in arguments.iter().zip(layouts) {
        match layout {
            Some(layout) => leaves.extend(layout.project(store, argument)),
            None => leaves.push(argument),
        }
    }
    leaves
}

/// Where the leaves of each argument are.
fn ranges(layouts: &VertexLayouts) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut end = 0;
    layouts.iter().map(move |layout| {
        let start = end;
        end += layout.as_ref().map_or(1, |layout| layout.leaves().len());
        start..end
    })
}

/// Gives the variables of an old vertex those of the new one as leaves; other arguments are renamed.
fn bind(flattener: &mut Flattener, layouts: Option<&VertexLayouts>, from: &[Term], to: &[Term]) {
    let Some(layouts) = layouts else { return };
    for (&variable, range) in from.iter().zip(ranges(layouts)) {
        flattener.bind(variable, &to[range]);
    }
}

impl Flatten {
    /// The edges that have a term of a record or sum, or such an argument; `None` if a stop was requested.
    fn touched(
        &self,
        store: &mut Store,
        graph: &Graph,
        layouts: &mut Layouts,
        budget: &Budget,
    ) -> Option<BTreeSet<EdgeId>> {
        let mut scan = Scan::default();
        let mut touched = BTreeSet::new();
        let mut has_layout = |store: &mut Store, sort: Sort| layouts.of(store, sort).is_some();
        for (id, edge) in graph.edges() {
            budget.check_stop().ok()?;
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
        Some(touched)
    }
}
