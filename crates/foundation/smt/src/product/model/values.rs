//! Values for the classes of nodes.
//!
//! Arithmetic nodes have the values of the arithmetic, words those of their bits, Boolean nodes those of the closure; each class of a declared sort
//! is an element of its own. A class of a datatype has the value of its constructor application, or a fresh one. All
//! arrays that are connected by writes get their values together, after those of the indices and elements that
//! are read or written there. No value is part of itself, so parts can come before wholes.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::Int;
use shem_term::{Sort, Store, Symbol, Value};

use super::arrays::Components;
use super::fresh::FreshValues;
use super::table::FunctionTable;
use crate::arith::Arith;
use crate::equality::{ArrayModel, Node};
use crate::product::combination::Combination;
use crate::product::sorts::{SortKind, Sorts};

pub(super) type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// Why there is no model although nothing contradicts.
pub(super) type Failure = &'static str;

/// The values of nodes, and the functions that they are the values of.
#[derive(Debug, Default)]
pub(crate) struct NodeValues {
    /// By node.
    values: Vec<Option<Value>>,
    /// In the order of first use.
    functions: Vec<(Symbol, FunctionTable)>,
}

impl NodeValues {
    /// The model of what the product has found consistent, confirmed by evaluation.
    pub(crate) fn new(
        combination: &mut Combination,
        arith: &Arith,
        store: &Store,
    ) -> Result<NodeValues, Failure> {
        let arrays = combination.equality.array_models();
        let combination = &*combination;
        let values = Assembly::new(combination, arrays, arith, store).run()?;
        let functions = super::confirm::confirm(combination, store, &values)?;
        Ok(NodeValues { values, functions })
    }

    /// The value of a node.
    pub(crate) fn get(&self, node: Node) -> Option<&Value> {
        self.values.get(node.index())?.as_ref()
    }

    /// The functions with their tables.
    pub(crate) fn functions(&self) -> &[(Symbol, FunctionTable)] {
        &self.functions
    }
}

/// A model in the making.
pub(super) struct Assembly<'a> {
    pub(super) combination: &'a Combination,
    pub(super) store: &'a Store,
    /// By class.
    pub(super) values: Map<Node, Value>,
    pub(super) fresh: FreshValues<'a>,
    components: Components,
}

/// What is given a value at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Unit {
    /// A class of a datatype.
    Class(Node),
    /// The arrays of a component.
    Component(usize),
}

impl<'a> Assembly<'a> {
    fn new(
        combination: &'a Combination,
        arrays: Vec<ArrayModel>,
        arith: &Arith,
        store: &'a Store,
    ) -> Assembly<'a> {
        let closure = combination.closure();
        let mut values: Map<Node, Value> = Map::default();
        let mut elements: Map<Sort, u32> = Map::default();
        let mut bound = Int::ONE;
        for (node, _, form) in combination.forms.iter() {
            let value = form.value(arith);
            let above = &value.abs().ceil() + &Int::ONE;
            if above > bound {
                bound = above;
            }
            values.insert(closure.class(*node), Value::Num(value));
        }
        for (node, value) in combination.words.iter().flat_map(|words| words.values()) {
            values.insert(closure.class(node), Value::Bits(value.clone()));
        }
        for index in 0..closure.len() {
            let class = closure.class(Node::new(index as u32));
            if values.contains_key(&class) {
                continue;
            }
            let entry = combination.sorts.get(closure.sort(class));
            match entry.kind {
                SortKind::Bool | SortKind::Bits => {
                    let value = |node| values.get(&closure.class(node));
                    let value = match closure.truth_value(class) {
                        Some(truth) => Value::Bool(truth),
                        None => combination.computed_value(store, Node::new(index as u32), value),
                    };
                    values.insert(class, value);
                }
                SortKind::Declared => {
                    let count = elements.entry(entry.sort).or_insert(0);
                    values.insert(class, Value::Element(entry.sort, *count));
                    *count += 1;
                }
                _ => {}
            }
        }
        let fresh = FreshValues::new(store, &combination.sorts, bound, elements, depth_of_data(combination));
        let components = Components::new(combination, arrays);
        Assembly { combination, store, values, fresh, components }
    }

    /// The values of all nodes, by index.
    fn run(mut self) -> Result<Vec<Option<Value>>, Failure> {
        let closure = self.combination.closure();
        for index in 0..closure.len() {
            if let Some(unit) = self.missing_unit(Node::new(index as u32)) {
                self.evaluate(unit)?;
            }
        }
        let nodes = (0..closure.len()).map(|index| closure.class(Node::new(index as u32)));
        Ok(nodes.map(|class| self.values.get(&class).cloned()).collect())
    }

    /// The unit to which a node belongs, if it has no value yet.
    fn missing_unit(&self, node: Node) -> Option<Unit> {
        let class = self.combination.closure().class(node);
        if self.values.contains_key(&class) {
            return None;
        }
        match self.components.of(class) {
            Some(component) => Some(Unit::Component(component)),
            None => Some(Unit::Class(class)),
        }
    }

    /// Gives values to a unit and all that it is made of.
    fn evaluate(&mut self, unit: Unit) -> Result<(), Failure> {
        let mut stack = vec![unit];
        // Units whose parts have been put on the stack.
        let mut opened: Map<Unit, ()> = Map::default();
        while let Some(&unit) = stack.last() {
            let parts = match unit {
                Unit::Class(class) if self.values.contains_key(&class) => {
                    stack.pop();
                    continue;
                }
                Unit::Component(component) if self.components.is_done(component) => {
                    stack.pop();
                    continue;
                }
                Unit::Class(class) => self.constructor_args(class).map(<[Node]>::to_vec).unwrap_or_default(),
                Unit::Component(component) => self.components.parts(component),
            };
            let before = stack.len();
            stack.extend(parts.into_iter().filter_map(|part| self.missing_unit(part)));
            if stack.len() > before {
                if opened.insert(unit, ()).is_some() {
                    return Err("a value would be part of itself");
                }
                continue;
            }
            match unit {
                Unit::Class(class) => self.give_class(class),
                Unit::Component(component) => {
                    let mut components = std::mem::take(&mut self.components);
                    components.give(component, self);
                    self.components = components;
                }
            }
            stack.pop();
        }
        Ok(())
    }

    /// The arguments of the constructor application in a class, if there is one.
    fn constructor_args(&self, class: Node) -> Option<&'a [Node]> {
        let closure = self.combination.closure();
        closure.value(class).map(|value| closure.args(value))
    }

    /// Gives a value to a class that is not one of arrays.
    fn give_class(&mut self, class: Node) {
        let closure = self.combination.closure();
        let value =
            match closure.value(class).and_then(|value| closure.function(value).map(|(f, _)| (f, value))) {
                Some((function, value)) => {
                    let (symbol, _) = self.combination.sorts.symbol(function);
                    let fields = closure.args(value).iter().map(|&arg| self.value(arg));
                    Value::data(symbol, fields.collect())
                }
                None => self.fresh.make(closure.sort(class)),
            };
        self.values.insert(class, value);
    }

    /// The value of a node, which has one.
    pub(super) fn value(&self, node: Node) -> Value {
        self.values[&self.combination.closure().class(node)].clone()
    }
}

/// How deep constructor applications are nested in the classes. Of classes that contain each other, which have no
/// values, nothing is said.
fn depth_of_data(combination: &Combination) -> usize {
    let closure = combination.closure();
    let mut depths: Map<Node, usize> = Map::default();
    let mut greatest = 0;
    let mut stack = Vec::new();
    for index in 0..closure.len() {
        stack.push((closure.class(Node::new(index as u32)), false));
        while let Some((class, opened)) = stack.pop() {
            let Some(value) = closure.value(class) else { continue };
            let args = closure.args(value).iter().map(|&arg| closure.class(arg));
            if opened {
                let inner = args.filter_map(|arg| depths.get(&arg)).max().copied().unwrap_or(0);
                greatest = greatest.max(inner + 1);
                depths.insert(class, inner + 1);
            } else if !depths.contains_key(&class) {
                // A class that is met again while it is open counts as one without fields.
                depths.insert(class, 0);
                stack.push((class, true));
                stack.extend(args.map(|arg| (arg, false)));
            }
        }
    }
    greatest
}

/// Whether a sort is one of arrays.
pub(super) fn is_array(combination: &Combination, node: Node) -> bool {
    let sort = combination.closure().sort(node);
    !Sorts::is_arithmetic(sort) && matches!(combination.sorts.get(sort).kind, SortKind::Array { .. })
}
