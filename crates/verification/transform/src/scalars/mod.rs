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

use std::collections::BTreeMap;

use shem_chc::{Edge, EdgeId, VertexId};
use shem_term::{Sort, Store, Term};

use crate::pass::{Back, Pass, PassDescription, Work};
use crate::rewired::{End, Rewired};
use analysis::{Analysis, Places};
use label::Rewriter;

/// Replaces arrays by their elements at a few places.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalars;

/// An argument that becomes elements.
struct Elements {
    sort: Sort,
    places: Places,
    /// The position of the argument at which the array is looked at, too.
    argument: Option<usize>,
}

/// The arguments of a vertex that became elements; `None` for one that stays.
struct Arguments(Vec<Option<Elements>>);

impl Pass for Scalars {
    fn description(&self) -> PassDescription {
        PassDescription::new(
            "scalars",
            "replaces arrays that are looked at in few places by their elements there",
        )
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        if !graph.vertices().any(|vertex| graph.vertex(vertex).sorts().iter().any(|sort| sort.is_array())) {
            return None;
        }
        let mut analysis = Analysis::of(store, graph, budget)?;
        let mut rewired = Rewired::default();
        let mut replaced: BTreeMap<VertexId, Arguments> = BTreeMap::new();
        let mut count = 0;
        let old: Vec<VertexId> = graph.vertices().collect();
        for vertex in old {
            let sorts = graph.vertex(vertex).sorts().to_vec();
            let mut arguments = Vec::with_capacity(sorts.len());
            for (at, &sort) in sorts.iter().enumerate() {
                let places = sort.is_array().then(|| analysis.places(vertex, at).cloned()).flatten();
                arguments.push(places.map(|places| {
                    let argument = places.argument.and_then(|class| analysis.argument(graph, vertex, class));
                    Elements { sort, places, argument }
                }));
            }
            if arguments.iter().any(Option::is_some) {
                count += arguments.iter().flatten().count() as u64;
                let arguments = Arguments(arguments);
                let terms = arguments.elements(store, graph.vertex(vertex).state());
                rewired.replace(store, graph, vertex, terms, |store, state| {
                    arguments.arrays(store, state).into_iter().map(Some).collect()
                });
                replaced.insert(vertex, arguments);
            }
        }
        let rewired = rewired.apply(store, graph, budget, |store, _, (id, edge), ends| {
            label(store, &mut analysis, &replaced, (id, edge), ends)
        })?;
        statistics.add("arguments", count);
        statistics.add("vertices", replaced.len() as u64);
        Some(Box::new(rewired))
    }
}

impl Elements {
    fn count(&self) -> usize {
        self.places.numerals.len() + usize::from(self.argument.is_some())
    }
}

impl Arguments {
    /// Where the new arguments of each old one begin.
    fn starts(&self) -> Vec<usize> {
        let mut starts = Vec::with_capacity(self.0.len());
        let mut count = 0;
        for argument in &self.0 {
            starts.push(count);
            count += argument.as_ref().map_or(1, Elements::count);
        }
        starts
    }

    /// What the new arguments are, by these terms for the old ones.
    fn elements(&self, store: &mut Store, old: &[Term]) -> Vec<Term> {
        let mut terms = Vec::new();
        for (&term, elements) in old.iter().zip(&self.0) {
            let Some(Elements { places, argument, .. }) = elements else {
                terms.push(term);
                continue;
            };
            let places = places.numerals.iter().copied().chain(argument.map(|at| old[at]));
            terms.extend(places.map(|place| store.select(term, place)));
        }
        terms
    }

    /// What the old arguments are, by these terms for the new ones.
    fn arrays(&self, store: &mut Store, new: &[Term]) -> Vec<Term> {
        let starts = self.starts();
        let mut terms = Vec::with_capacity(self.0.len());
        for (elements, &start) in self.0.iter().zip(&starts) {
            let Some(Elements { sort, places, argument }) = elements else {
                terms.push(new[start]);
                continue;
            };
            let (_, element) = store.array_parts(*sort).expect("an array sort");
            let rest = places.constant.unwrap_or_else(|| {
                let value = store.default_value(element);
                store.value_term(&value, element)
            });
            let mut array = store.constant_array(*sort, rest);
            let indices = places.numerals.iter().copied().chain(argument.map(|at| new[starts[at]]));
            for (at, index) in indices.enumerate() {
                array = store.store_at(array, index, new[start + at]);
            }
            terms.push(array);
        }
        terms
    }
}

/// The label of an edge between the new vertices.
fn label(
    store: &mut Store,
    analysis: &mut Analysis,
    replaced: &BTreeMap<VertexId, Arguments>,
    (id, edge): (EdgeId, &Edge),
    ends: &[End],
) -> Term {
    let (mut renamed, mut elements) = (BTreeMap::new(), BTreeMap::new());
    for End { old, before, after } in ends {
        let Some(arguments) = replaced.get(old) else {
            renamed.extend(before.iter().copied().zip(after.iter().copied()));
            continue;
        };
        for ((&variable, argument), start) in before.iter().zip(&arguments.0).zip(arguments.starts()) {
            match argument {
                Some(own) => {
                    elements.insert(variable, after[start..start + own.count()].to_vec());
                }
                None => {
                    renamed.insert(variable, after[start]);
                }
            }
        }
    }
    let target = &ends[ends.len() - 1].before;
    let open: Vec<Term> = target.iter().copied().filter(|v| elements.contains_key(v)).collect();
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
    Rewriter { analysis, id, arguments, renamed, elements, open }.label(store, edge.label)
}
