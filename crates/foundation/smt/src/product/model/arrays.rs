//! Values for arrays.
//!
//! The theory of arrays says what each class of arrays has at the indices that are read or written in its component:
//! an element that is known, or one that nothing else is equal to. At all other indices the arrays of a component
//! agree, on the element of a constant array among them or on a fresh one. If there are no fresh elements, components
//! without a constant array differ from all others at an index of their own.

use shem_term::Value;

use super::values::{Assembly, Map, is_array};
use crate::equality::{ArrayModel, Content, Node};
use crate::product::combination::Combination;
use crate::product::sorts::SortKind;

/// Classes of arrays that writes connect, with what they contain.
#[derive(Debug, Default)]
struct Component {
    arrays: Vec<ArrayModel>,
    done: bool,
}

/// All components.
#[derive(Debug, Default)]
pub(super) struct Components {
    components: Vec<Component>,
    of_class: Map<Node, usize>,
}

impl Components {
    pub(super) fn new(combination: &Combination, models: Vec<ArrayModel>) -> Components {
        let closure = combination.closure();
        let mut result = Components::default();
        let mut numbers: Map<u32, usize> = Map::default();
        for model in models {
            let next = result.components.len();
            let number = *numbers.entry(model.component).or_insert(next);
            if number == next {
                result.components.push(Component::default());
            }
            result.of_class.insert(model.root, number);
            result.components[number].arrays.push(model);
        }
        // Arrays that nothing is read from or written to are components by themselves.
        for index in 0..closure.len() {
            let class = closure.class(Node::new(index as u32));
            if is_array(combination, class) && !result.of_class.contains_key(&class) {
                let number = result.components.len();
                let array = ArrayModel { root: class, component: 0, constant: None, entries: Vec::new() };
                result.of_class.insert(class, number);
                result.components.push(Component { arrays: vec![array], done: false });
            }
        }
        result
    }

    /// The component of a class, if it is one of arrays.
    pub(super) fn of(&self, class: Node) -> Option<usize> {
        self.of_class.get(&class).copied()
    }

    /// Whether the arrays of the component have their values.
    pub(super) fn is_done(&self, component: usize) -> bool {
        self.components[component].done
    }

    /// The indices and elements of a component.
    pub(super) fn parts(&self, component: usize) -> Vec<Node> {
        let mut parts = Vec::new();
        for array in &self.components[component].arrays {
            parts.extend(array.constant);
            for &(index, content) in &array.entries {
                parts.push(index);
                if let Content::Element(element) = content {
                    parts.push(element);
                }
            }
        }
        parts
    }

    /// Gives values to the arrays of a component.
    pub(super) fn give(&mut self, component: usize, assembly: &mut Assembly<'_>) {
        let component = &mut self.components[component];
        component.done = true;
        let sort = assembly.combination.closure().sort(component.arrays[0].root);
        let entry = assembly.combination.sorts.get(sort);
        let SortKind::Array { index, element, .. } = entry.kind else {
            unreachable!("a component consists of arrays")
        };
        let infinite = |sort| assembly.combination.sorts.get(sort).cardinality.is_none();
        let mut own_entry = None;
        let default = match component.arrays[0].constant {
            Some(constant) => assembly.value(constant),
            None => {
                if !infinite(element) && infinite(index) {
                    own_entry = Some((assembly.fresh.make(index), assembly.fresh.another(element)));
                }
                assembly.fresh.make(element)
            }
        };
        let mut others: Map<u32, Value> = Map::default();
        for array in &component.arrays {
            let mut entries: Vec<(Value, Value)> = own_entry.iter().cloned().collect();
            for &(index, content) in &array.entries {
                let value = match content {
                    Content::Element(node) => assembly.value(node),
                    Content::Other(number) => {
                        others.entry(number).or_insert_with(|| assembly.fresh.make(element)).clone()
                    }
                };
                entries.push((assembly.value(index), value));
            }
            let value = assembly.store.array_value(entry.sort, default.clone(), entries);
            assembly.values.insert(array.root, value);
        }
    }
}
