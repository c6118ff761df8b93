//! Values that nothing else in a model has.
//!
//! Numbers beyond all others and new elements of declared sorts are easy. A value of a datatype is made from a fresh
//! value of some field, if a number or an element can be reached through fields; otherwise by going around a cycle of
//! constructors more often than any other value of the model can. A finite sort has no fresh values: there the
//! default of the sort is given, and whoever needs different values has to find out.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{BitVec, Int, Rat};
use shem_term::{Sort, Store, Symbol, Value};

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

/// A way through parts of a sort to a source of fresh values.
struct Way {
    steps: Vec<Step>,
    /// Where it leads to.
    end: NodeSort,
    /// If that is a datatype: the steps that lead from it back to itself.
    cycle: Vec<Step>,
}

/// A constructor with defaults for all fields but one.
struct Wrapper {
    constructor: Symbol,
    fields: Vec<Value>,
    place: usize,
}

impl Wrapper {
    fn apply(&self, value: Value) -> Value {
        let mut fields = self.fields.clone();
        fields[self.place] = value;
        Value::data(self.constructor, fields)
    }
}

type Map<V> = HashMap<NodeSort, V, FxBuildHasher>;

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
    /// For datatypes of pure structure, the last value made by going around their cycle, and how often that was done:
    /// the next value contains it.
    around: Map<(usize, Value)>,
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
        let (rounds, stride) = (depth + 2, depth + 2);
        FreshValues { store, sorts, number: bound, elements, rounds, stride, around: Map::default() }
    }

    /// A value of the sort that nothing else has, if the sort is infinite.
    pub(super) fn make(&mut self, sort: NodeSort) -> Value {
        if self.sorts.get(sort).cardinality.is_some() {
            return self.default(sort);
        }
        let way = self.way(sort);
        let mut value = match self.sorts.get(way.end).kind {
            SortKind::Int | SortKind::Real => {
                let value = Value::Num(Rat::from(self.number.clone()));
                self.number = &self.number + &Int::ONE;
                value
            }
            SortKind::Declared => {
                let sort = self.sorts.get(way.end).sort;
                let count = self.elements.entry(sort).or_insert(0);
                *count += 1;
                Value::Element(sort, *count - 1)
            }
            _ => {
                let known = self.around.remove(&way.end);
                let (mut done, mut value) = known.unwrap_or_else(|| (0, self.default(way.end)));
                let wrappers: Vec<Wrapper> = way.cycle.iter().rev().map(|&step| self.wrapper(step)).collect();
                while done < self.rounds {
                    value = wrappers.iter().fold(value, |value, wrapper| wrapper.apply(value));
                    done += 1;
                }
                self.around.insert(way.end, (done, value.clone()));
                self.rounds += self.stride;
                value
            }
        };
        for &step in way.steps.iter().rev() {
            value = self.wrap(step, value);
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
                SortKind::Bits => {
                    let width = entry.sort.bit_width().expect("a width");
                    break Value::Bits(BitVec::new(width, 1));
                }
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

    /// The constructor of a step from a datatype, ready to be applied many times.
    fn wrapper(&self, step: Step) -> Wrapper {
        match (step, &self.sorts.get(step.from()).kind) {
            (Step::Field { constructor, field: place, .. }, SortKind::Datatype { constructors, .. }) => {
                let constructor = &constructors[constructor];
                let fields = constructor.fields.iter().map(|field| self.default(field.sort));
                Wrapper { constructor: constructor.symbol, fields: fields.collect(), place }
            }
            _ => unreachable!("a datatype is part of itself through fields only"),
        }
    }

    /// The value with this part, the others being defaults.
    fn wrap(&self, step: Step, value: Value) -> Value {
        match (step, &self.sorts.get(step.from()).kind) {
            (Step::Field { .. }, _) => self.wrapper(step).apply(value),
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

    /// The shortest way through parts from an infinite sort to numbers or elements; if there is none, to a datatype
    /// that is part of itself.
    fn way(&self, start: NodeSort) -> Way {
        let (reached, arrived) = self.explore(start);
        let is_source = |&&sort: &&NodeSort| {
            !matches!(self.sorts.get(sort).kind, SortKind::Datatype { .. } | SortKind::Array { .. })
        };
        if let Some(&end) = reached.iter().find(is_source) {
            return Way { steps: trace(&arrived, start, end), end, cycle: Vec::new() };
        }
        for &sort in &reached {
            let (_, around) = self.explore(sort);
            if around.contains_key(&sort) {
                let steps = if sort == start { Vec::new() } else { trace(&arrived, start, sort) };
                return Way { steps, end: sort, cycle: trace(&around, sort, sort) };
            }
        }
        unreachable!("an infinite sort has numbers, elements or a recursive datatype among its parts")
    }

    /// The infinite sorts that are reached through parts, the nearest first, and by which step each is reached first.
    fn explore(&self, start: NodeSort) -> (Vec<NodeSort>, Map<Step>) {
        let is_infinite = |sort: NodeSort| self.sorts.get(sort).cardinality.is_none();
        let mut arrived: Map<Step> = Map::default();
        let mut queue = vec![start];
        let mut next = 0;
        while let Some(&from) = queue.get(next) {
            next += 1;
            let mut arrive = |sort: NodeSort, step: Step| {
                if is_infinite(sort) && !arrived.contains_key(&sort) {
                    arrived.insert(sort, step);
                    if sort != start {
                        queue.push(sort);
                    }
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
                _ => {}
            }
        }
        (queue, arrived)
    }
}

/// The steps from one sort to another, or back to itself, given by which step each sort is reached.
fn trace(arrived: &Map<Step>, start: NodeSort, end: NodeSort) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = end;
    while steps.is_empty() || at != start {
        let Some(&step) = arrived.get(&at) else { break };
        steps.push(step);
        at = step.from();
    }
    steps.reverse();
    steps
}
