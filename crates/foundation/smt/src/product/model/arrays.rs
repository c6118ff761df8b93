//! Values for arrays.
//!
//! Arrays that are connected by writes differ at finitely many indices, so they have the same default; they form a
//! *component*. At an index two of them have the same element if a path of writes at other indices connects them
//! (weak equivalence, Christ and Hoenicke 2015). So for each index that is read or written in the component, the
//! arrays fall into groups, each with one element: the one that is read or written there, or a fresh one.

use shem_term::Value;

use super::values::{Assembly, Failure, Map, is_array, kind};
use crate::equality::{Kind, Node, NodeSort};
use crate::product::combination::Combination;
use crate::product::sorts::SortKind;

/// Classes of arrays that writes connect, with all that is known of them.
#[derive(Debug, Default)]
struct Component {
    classes: Vec<Node>,
    selects: Vec<Node>,
    stores: Vec<Node>,
    constants: Vec<Node>,
    done: bool,
}

/// All components.
#[derive(Debug, Default)]
pub(super) struct Components {
    components: Vec<Component>,
    of_class: Map<Node, usize>,
}

/// A union-find forest over places in a list.
struct Groups {
    parents: Vec<usize>,
}

impl Groups {
    fn new(count: usize) -> Groups {
        Groups { parents: (0..count).collect() }
    }

    fn find(&mut self, mut place: usize) -> usize {
        while self.parents[place] != place {
            self.parents[place] = self.parents[self.parents[place]];
            place = self.parents[place];
        }
        place
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b)] = a.min(b);
    }
}

impl Components {
    pub(super) fn new(combination: &Combination) -> Components {
        let closure = combination.closure();
        let nodes: Vec<Node> = (0..closure.len()).map(|index| Node::new(index as u32)).collect();
        let mut classes: Vec<Node> = Vec::new();
        let mut places: Map<Node, usize> = Map::default();
        for &node in &nodes {
            let class = closure.class(node);
            if is_array(combination, class) && !places.contains_key(&class) {
                places.insert(class, classes.len());
                classes.push(class);
            }
        }
        let place = |node: Node| places[&closure.class(node)];
        let mut groups = Groups::new(classes.len());
        for &node in &nodes {
            if kind(combination, node) == Some(Kind::Store) {
                groups.join(place(node), place(closure.args(node)[0]));
            }
        }
        let mut result = Components::default();
        let mut numbers: Map<usize, usize> = Map::default();
        for (index, &class) in classes.iter().enumerate() {
            let next = numbers.len();
            let number = *numbers.entry(groups.find(index)).or_insert(next);
            if number == result.components.len() {
                result.components.push(Component::default());
            }
            result.components[number].classes.push(class);
            result.of_class.insert(class, number);
        }
        for &node in &nodes {
            let array = match kind(combination, node) {
                Some(Kind::Select) => closure.args(node)[0],
                Some(Kind::Store | Kind::ConstantArray) => node,
                _ => continue,
            };
            let component = &mut result.components[result.of_class[&closure.class(array)]];
            match kind(combination, node) {
                Some(Kind::Select) => component.selects.push(node),
                Some(Kind::Store) => component.stores.push(node),
                _ => component.constants.push(node),
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

    /// The indices and elements that are read and written in a component.
    pub(super) fn parts(&self, combination: &Combination, component: usize) -> Vec<Node> {
        let closure = combination.closure();
        let Component { selects, stores, constants, .. } = &self.components[component];
        let mut parts = Vec::new();
        for &node in selects {
            parts.extend([closure.args(node)[1], node]);
        }
        for &node in stores {
            parts.extend([closure.args(node)[1], closure.args(node)[2]]);
        }
        parts.extend(constants.iter().map(|&node| closure.args(node)[0]));
        parts
    }

    /// Gives values to the arrays of a component.
    pub(super) fn give(&mut self, component: usize, assembly: &mut Assembly<'_>) -> Result<(), Failure> {
        let component = &mut self.components[component];
        component.done = true;
        let closure = assembly.combination.closure();
        let sort = closure.sort(component.classes[0]);
        let element = match assembly.combination.sorts.get(sort).kind {
            SortKind::Array { element, .. } => element,
            _ => unreachable!("a component consists of arrays"),
        };
        let places: Map<Node, usize> = component.classes.iter().copied().zip(0..).collect();
        let default = component.common_element(assembly, element);
        let mut entries: Vec<Vec<(Value, Value)>> = vec![Vec::new(); component.classes.len()];
        for index in component.indices(assembly) {
            let elements = component.elements_at(&index, element, &places, assembly)?;
            for (list, element) in entries.iter_mut().zip(elements) {
                list.push((index.clone(), element));
            }
        }
        let array = assembly.combination.sorts.get(sort).sort;
        for (&class, entries) in component.classes.iter().zip(entries) {
            let value = assembly.store.array_value(array, default.clone(), entries);
            assembly.values.insert(class, value);
        }
        Ok(())
    }
}

impl Component {
    /// The element at all indices that are not mentioned.
    fn common_element(&self, assembly: &mut Assembly<'_>, element: NodeSort) -> Value {
        match self.constants.first() {
            Some(&constant) => assembly.value(assembly.combination.closure().args(constant)[0]),
            None => assembly.fresh.make(element),
        }
    }

    /// The values of the indices that are read or written, each once.
    fn indices(&self, assembly: &Assembly<'_>) -> Vec<Value> {
        let closure = assembly.combination.closure();
        let nodes = self.selects.iter().chain(&self.stores);
        let mut indices: Vec<Value> = nodes.map(|&node| assembly.value(closure.args(node)[1])).collect();
        indices.sort();
        indices.dedup();
        indices
    }

    /// The elements of all classes at an index.
    fn elements_at(
        &self,
        index: &Value,
        element: NodeSort,
        places: &Map<Node, usize>,
        assembly: &mut Assembly<'_>,
    ) -> Result<Vec<Value>, Failure> {
        let closure = assembly.combination.closure();
        let place = |node: Node| places[&closure.class(node)];
        let mut groups = Groups::new(self.classes.len());
        for &store in &self.stores {
            if assembly.value(closure.args(store)[1]) != *index {
                groups.join(place(store), place(closure.args(store)[0]));
            }
        }
        let mut elements: Vec<Option<Value>> = vec![None; self.classes.len()];
        let mut set = |group: usize, value: Value| match &elements[group] {
            Some(other) if *other != value => Err("an array would have two elements at one index"),
            Some(_) => Ok(()),
            None => {
                elements[group] = Some(value);
                Ok(())
            }
        };
        for &select in &self.selects {
            if assembly.value(closure.args(select)[1]) == *index {
                set(groups.find(place(closure.args(select)[0])), assembly.value(select))?;
            }
        }
        for &store in &self.stores {
            if assembly.value(closure.args(store)[1]) == *index {
                set(groups.find(place(store)), assembly.value(closure.args(store)[2]))?;
            }
        }
        for &constant in &self.constants {
            set(groups.find(place(constant)), assembly.value(closure.args(constant)[0]))?;
        }
        let mut found = Vec::with_capacity(self.classes.len());
        for place in 0..self.classes.len() {
            let group = groups.find(place);
            let value = elements[group].get_or_insert_with(|| assembly.fresh.make(element)).clone();
            found.push(value);
        }
        Ok(found)
    }
}
