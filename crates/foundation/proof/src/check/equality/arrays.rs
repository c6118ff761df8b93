//! Arrays by weak equivalence (Christ and Hoenicke 2015; constant arrays: Hoenicke and Schindler 2019).
//!
//! A store connects two arrays that agree everywhere but at its index. Arrays that are connected by stores whose
//! indices are all distinct from `i` agree at `i`: what is read there, written there, or the value of a constant
//! array, is equal. Arrays that are connected by stores at whose indices they agree are equal. The original asks
//! for one path at a time; here all paths are tried at once, by components of the graph. Arrays that agree at their
//! difference are equal: that is what it is.

use super::classes::Classes;
use super::closure::Closure;
use super::universe::{Application, Universe};
use crate::check::meaning::FunctionKind;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of an array at some index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// The class of its value.
    Value(usize),
    /// Only that it is the same in all arrays of a component.
    Component(usize),
}

/// The applications that have to do with arrays.
struct Graph<'a> {
    selects: Vec<&'a Application>,
    stores: Vec<&'a Application>,
    constants: Vec<&'a Application>,
    differences: Vec<&'a Application>,
}

impl<'a> Graph<'a> {
    fn of(universe: &'a Universe) -> Graph<'a> {
        let all = |keep: fn(FunctionKind) -> bool| {
            universe.applications.iter().filter(|application| keep(application.kind)).collect()
        };
        Graph {
            selects: all(|kind| kind == FunctionKind::Select),
            stores: all(|kind| kind == FunctionKind::Store),
            constants: all(|kind| matches!(kind, FunctionKind::ConstantArray { .. })),
            differences: all(|kind| kind == FunctionKind::Difference),
        }
    }

    /// The components of the graph that has the stores with these indices only; equal arrays are connected.
    fn components(&self, closure: &Closure, has: impl Fn(usize) -> bool) -> Classes {
        let mut components = closure.classes().clone();
        for store in self.stores.iter().filter(|store| has(store.args[1])) {
            components.unite(store.element, store.args[0]);
        }
        components
    }

    /// The classes of the indices at which arrays are read or written.
    fn indices(&self, closure: &Closure) -> BTreeSet<usize> {
        self.selects.iter().chain(&self.stores).map(|access| closure.class(access.args[1])).collect()
    }

    /// The classes of the arrays.
    fn arrays(&self, closure: &Closure) -> BTreeSet<usize> {
        let first = self.selects.iter().chain(&self.stores).map(|access| access.args[0]);
        let made = self.stores.iter().chain(&self.constants).map(|array| array.element);
        first.chain(made).map(|array| closure.class(array)).collect()
    }

    /// The arrays that have a value at the index, each with the value. A constant array has one if the index is
    /// one for it: if an array to which it is connected is read or written there.
    fn readings(&self, index: usize, weak: &Classes, closure: &Closure) -> Vec<(usize, usize)> {
        let is_at_index = |access: &&&Application| closure.are_equal(access.args[1], index);
        let selects = self.selects.iter().filter(is_at_index);
        let stores = self.stores.iter().filter(is_at_index);
        let mut readings: Vec<(usize, usize)> =
            selects.map(|select| (select.args[0], select.element)).collect();
        readings.extend(stores.map(|store| (store.element, store.args[2])));
        let accessed: BTreeSet<usize> = readings.iter().map(|(array, _)| weak.of(*array)).collect();
        let constants =
            self.constants.iter().filter(|constant| accessed.contains(&weak.of(constant.element)));
        readings.extend(constants.map(|constant| (constant.element, constant.args[0])));
        readings
    }
}

/// The entries of all arrays at one index.
struct Column {
    /// The components of arrays that agree at the index.
    components: Classes,
    /// By component: an element that is the value at the index.
    values: BTreeMap<usize, usize>,
}

impl Column {
    fn entry(&self, array: usize, closure: &Closure) -> Entry {
        let component = self.components.of(array);
        match self.values.get(&component) {
            Some(&value) => Entry::Value(closure.class(value)),
            None => Entry::Component(component),
        }
    }
}

/// Applies the rules of arrays once. Returns whether anything is new.
pub(super) fn apply_arrays(universe: &Universe, closure: &mut Closure) -> bool {
    let graph = Graph::of(universe);
    let weak = graph.components(closure, |_| true);
    let mut changed = apply_constants(&graph, &weak, closure);
    let mut columns: BTreeMap<usize, Column> = BTreeMap::new();
    for index in graph.indices(closure) {
        let components = graph.components(closure, |other| closure.are_distinct(index, other));
        let mut values: BTreeMap<usize, usize> = BTreeMap::new();
        for (array, value) in graph.readings(index, &weak, closure) {
            let known = *values.entry(components.of(array)).or_insert(value);
            changed |= closure.merge(known, value);
        }
        columns.insert(index, Column { components, values });
    }
    changed || apply_differences(&graph, closure) || apply_extensionality(&graph, &weak, &columns, closure)
}

/// Arrays from which the same is read at their difference are equal.
fn apply_differences(graph: &Graph<'_>, closure: &mut Closure) -> bool {
    let mut changed = false;
    for difference in &graph.differences {
        let read = |array: usize| {
            graph.selects.iter().find(|select| {
                closure.are_equal(select.args[0], array)
                    && closure.are_equal(select.args[1], difference.element)
            })
        };
        let (a, b) = (difference.args[0], difference.args[1]);
        if let (Some(left), Some(right)) = (read(a), read(b))
            && closure.are_equal(left.element, right.element)
        {
            changed |= closure.merge(a, b);
        }
    }
    changed
}

/// Constant arrays that agree somewhere have the same value: if they are equal, or connected by stores at fewer
/// indices than there are.
fn apply_constants(graph: &Graph<'_>, weak: &Classes, closure: &mut Closure) -> bool {
    let mut changed = false;
    for a in &graph.constants {
        let FunctionKind::ConstantArray { indices } = a.kind else { continue };
        let stores = graph.stores.iter().filter(|store| weak.same(store.element, a.element));
        let written: BTreeSet<usize> = stores.map(|store| closure.class(store.args[1])).collect();
        let some_is_left = (written.len() as u64) < indices;
        for b in &graph.constants {
            if closure.are_equal(a.element, b.element) || (some_is_left && weak.same(a.element, b.element)) {
                changed |= closure.merge(a.args[0], b.args[0]);
            }
        }
    }
    changed
}

/// Arrays that are connected by stores at whose indices they agree are equal. The columns are those of the closure as
/// it is.
fn apply_extensionality(
    graph: &Graph<'_>,
    weak: &Classes,
    columns: &BTreeMap<usize, Column>,
    closure: &mut Closure,
) -> bool {
    for a in graph.arrays(closure) {
        for b in graph.arrays(closure).into_iter().filter(|&b| a < b && weak.same(a, b)) {
            let agree = |index: usize| {
                let column = &columns[&closure.class(index)];
                column.entry(a, closure) == column.entry(b, closure)
            };
            if graph.components(closure, agree).same(a, b) {
                return closure.merge(a, b);
            }
        }
    }
    false
}
