//! Values that nothing else in a model has.
//!
//! Numbers beyond all others and new elements of declared sorts are easy. A value of a datatype is made from a fresh
//! value of some field, if a number or an element can be reached through fields; otherwise by going around a cycle of
//! constructors more often than any other value of the model can. A finite sort has no fresh values: there the
//! default of the sort is given, and whoever needs different values has to find out.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Int, Rat};
use shem_term::{Sort, Store, Value};

use crate::equality::NodeSort;
use crate::product::sorts::{SortKind, Sorts};

/// A step from a sort to one of its parts.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// From a datatype to a field of a constructor.
    Field { from: NodeSort, constructor: usize, field: usize },
    /// From an array to its elements.
    Element { from: NodeSort },
    /// From an array to its indices.
    Index { from: NodeSort },
}

impl Step {
    fn from(self) -> NodeSort {
        match self {
            Step::Field { from, .. } | Step::Element { from } | Step::Index { from } => from,
        }
    }
}

/// A source of fresh values.
pub(super) struct FreshValues<'a> {
    store: &'a Store,
    sorts: &'a Sorts,
    /// The next number.
    number: Int,
    /// The number of elements of each declared sort that are taken.
    elements: HashMap<Sort, u32, FxBuildHasher>,
    /// How often the next value of a sort of pure structure goes around its cycle.
    rounds: usize,
    /// By how much that grows: values of the model are smaller.
    stride: usize,
}

impl<'a> FreshValues<'a> {
    /// Values beyond the numbers below `bound`, beyond these elements, and beyond data of this depth.
    pub(super) fn new(
        store: &'a Store,
        sorts: &'a Sorts,
        bound: Int,
        elements: HashMap<Sort, u32, FxBuildHasher>,
        depth: usize,
    ) -> Self {
        FreshValues { store, sorts, number: bound, elements, rounds: depth + 2, stride: depth + 2 }
    }

    /// A value of the sort that nothing else has, if the sort is infinite.
    pub(super) fn make(&mut self, sort: NodeSort) -> Value {
        if self.sorts.get(sort).cardinality.is_some() {
            return self.default(sort);
        }
        let (steps, end) = self.way(sort);
        let mut rounds = 1;
        let mut value = match self.sorts.get(end).kind {
            SortKind::Int | SortKind::Real => {
                let value = Value::Num(Rat::from(self.number.clone()));
                self.number = &self.number + &Int::ONE;
                value
            }
            SortKind::Declared => {
                let sort = self.sorts.get(end).sort;
                let count = self.elements.entry(sort).or_insert(0);
                *count += 1;
                Value::Element(sort, *count - 1)
            }
            _ => {
                rounds = self.rounds;
                self.rounds += self.stride;
                self.default(end)
            }
        };
        for _ in 0..rounds {
            for &step in steps.iter().rev() {
                value = self.wrap(step, value);
            }
        }
        value
    }

    fn default(&self, sort: NodeSort) -> Value {
        self.store.default_value(self.sorts.get(sort).sort)
    }

    /// A value of the sort other than its default, if there is one.
    pub(super) fn another(&self, sort: NodeSort) -> Value {
        let mut steps = Vec::new();
        let mut at = sort;
        let mut value = loop {
            let entry = self.sorts.get(at);
            match &entry.kind {
                _ if entry.cardinality == Some(1) => break self.default(at),
                SortKind::Bool => break Value::Bool(true),
                SortKind::Int | SortKind::Real => break Value::Num(Rat::ONE),
                SortKind::Declared => break Value::Element(entry.sort, 1),
                SortKind::Array { element, .. } => {
                    steps.push(Step::Element { from: at });
                    at = *element;
                }
                SortKind::Datatype { constructors, base, .. } => {
                    if let Some(other) = (0..constructors.len()).find(|index| index != base) {
                        let fields = constructors[other].fields.iter().map(|field| self.default(field.sort));
                        break Value::data(constructors[other].symbol, fields.collect());
                    }
                    let mut fields = constructors[*base].fields.iter();
                    let varied = |sort| self.sorts.get(sort).cardinality != Some(1);
                    let Some(field) = fields.position(|field| varied(field.sort)) else {
                        break self.default(at);
                    };
                    steps.push(Step::Field { from: at, constructor: *base, field });
                    at = constructors[*base].fields[field].sort;
                }
            }
        };
        for &step in steps.iter().rev() {
            value = self.wrap(step, value);
        }
        value
    }

    /// The value with this part, the others being defaults.
    fn wrap(&self, step: Step, value: Value) -> Value {
        match (step, &self.sorts.get(step.from()).kind) {
            (Step::Field { constructor, field: place, .. }, SortKind::Datatype { constructors, .. }) => {
                let constructor = &constructors[constructor];
                let fields = constructor.fields.iter().enumerate().map(|(index, field)| {
                    if index == place { value.clone() } else { self.default(field.sort) }
                });
                Value::data(constructor.symbol, fields.collect())
            }
            (Step::Element { from }, _) => {
                self.store.array_value(self.sorts.get(from).sort, value, Vec::new())
            }
            (Step::Index { from }, SortKind::Array { element, .. }) => {
                let entries = vec![(value, self.another(*element))];
                self.store.array_value(self.sorts.get(from).sort, self.default(*element), entries)
            }
            _ => unreachable!("a step starts at a sort with parts"),
        }
    }

    /// The shortest way through parts from an infinite sort to numbers or elements, and where it ends; if there is
    /// none, from the sort back to itself.
    fn way(&self, start: NodeSort) -> (Vec<Step>, NodeSort) {
        let is_infinite = |sort: NodeSort| self.sorts.get(sort).cardinality.is_none();
        let mut arrived: HashMap<NodeSort, Step, FxBuildHasher> = HashMap::default();
        let mut queue = vec![start];
        let mut next = 0;
        let mut end = None;
        while next < queue.len() && end.is_none() {
            let from = queue[next];
            next += 1;
            let mut arrive = |sort: NodeSort, step: Step| {
                if is_infinite(sort) && !arrived.contains_key(&sort) {
                    arrived.insert(sort, step);
                    queue.push(sort);
                }
            };
            match &self.sorts.get(from).kind {
                SortKind::Datatype { constructors, .. } => {
                    for (constructor, shape) in constructors.iter().enumerate() {
                        for (field, part) in shape.fields.iter().enumerate() {
                            arrive(part.sort, Step::Field { from, constructor, field });
                        }
                    }
                }
                SortKind::Array { element, .. } if is_infinite(*element) => {
                    arrive(*element, Step::Element { from });
                }
                SortKind::Array { index, .. } => arrive(*index, Step::Index { from }),
                _ => end = Some(from),
            }
        }
        let target = end.unwrap_or(start);
        let mut steps = Vec::new();
        let mut at = target;
        while steps.is_empty() || at != start {
            let Some(&step) = arrived.get(&at) else { break };
            steps.push(step);
            at = step.from();
        }
        steps.reverse();
        (steps, target)
    }
}
