//! Coincidences: equal values of nodes that the closure has not merged, where that matters.
//!
//! It matters where a function would get two values at one place, where two indices of connected arrays become one,
//! and where two arrays that are compared become equal. Nowhere else are equations made: differently from the
//! usual way to combine theories by models, which asks for each pair of shared terms with the same value.

use super::candidate::{Candidate, Map};
use super::combination::Combination;
use crate::equality::{ArrayModel, Content, Function, Kind, Node, NodeSort, is_compared};

impl Combination {
    /// The pairs of nodes whose equality has to be decided.
    pub(super) fn find_coincidences(&mut self, candidate: &Candidate) -> Vec<(Node, Node)> {
        let mut wanted = Vec::new();
        self.compare_applications(candidate, &mut wanted);
        self.compare_arrays(candidate, &mut wanted);
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// Adds the arguments of applications that have the same values and different results.
    fn compare_applications(&self, candidate: &Candidate, wanted: &mut Vec<(Node, Node)>) {
        let closure = self.closure();
        let mut table: Map<(Function, Vec<u64>), Node> = Map::default();
        for index in 0..closure.len() {
            let node = Node::new(index as u32);
            let Some((function, kind)) = closure.function(node) else { continue };
            if matches!(kind, Kind::Select | Kind::Store | Kind::ConstantArray) {
                continue;
            }
            // Operations on bit-vectors have the values that their arguments give them.
            if self.words.is_some() && self.bit_op(node).is_some() {
                continue;
            }
            let args = closure.args(node);
            let key: Vec<u64> = args.iter().map(|&arg| candidate.identity(self, arg)).collect();
            let other = *table.entry((function, key)).or_insert(node);
            if other == node || candidate.identity(self, node) == candidate.identity(self, other) {
                continue;
            }
            let pairs = closure.args(other).iter().zip(args);
            wanted.extend(pairs.filter(|(a, b)| !closure.are_equal(**a, **b)).map(|(&a, &b)| (a, b)));
        }
    }

    /// Adds the pairs of indices and elements whose values coincide although it matters to arrays that they are
    /// different: indices of one component, and elements of different arrays that would become equal.
    fn compare_arrays(&mut self, candidate: &Candidate, wanted: &mut Vec<(Node, Node)>) {
        let models = self.equality.array_models();
        let closure = self.equality.closure();
        self.compare_constants(&models, wanted);
        let mut indices: Map<(u32, u64), Node> = Map::default();
        let mut contents: Map<(NodeSort, Vec<u64>), usize> = Map::default();
        for (place, model) in models.iter().enumerate() {
            for &(index, _) in &model.entries {
                let key = (model.component, candidate.identity(self, index));
                let other = *indices.entry(key).or_insert(index);
                if !closure.are_equal(other, index) {
                    wanted.push((other, index));
                }
            }
            if !is_compared(closure, model.root) {
                continue;
            }
            let mut content = vec![match model.constant {
                Some(element) => candidate.identity(self, element) << 1,
                None => u64::from(model.component) << 1 | 1,
            }];
            let mut entries: Vec<[u64; 2]> = Vec::with_capacity(model.entries.len());
            for &(index, element) in &model.entries {
                let element = match element {
                    Content::Element(node) => candidate.identity(self, node) << 1,
                    Content::Other(number) => u64::from(number) << 1 | 1,
                };
                // What a constant array has everywhere need not be said.
                if model.constant.is_none() || element != content[0] {
                    entries.push([candidate.identity(self, index), element]);
                }
            }
            entries.sort_unstable();
            content.extend(entries.into_iter().flatten());
            let key = (closure.sort(model.root), content);
            let other = *contents.entry(key).or_insert(place);
            if !closure.are_equal(model.root, models[other].root) {
                let other = &models[other];
                let mut elements: Map<u64, Node> = Map::default();
                for model in [other, model] {
                    let listed = model.entries.iter().filter_map(|&(_, content)| match content {
                        Content::Element(node) => Some(node),
                        Content::Other(_) => None,
                    });
                    for node in listed.chain(model.constant) {
                        let first = *elements.entry(candidate.identity(self, node)).or_insert(node);
                        if !closure.are_equal(first, node) {
                            wanted.push((first, node));
                        }
                    }
                }
            }
        }
    }
}

impl Combination {
    /// Adds the elements of constant arrays of one component. The rules of arrays make them equal only if there are
    /// infinitely many indices in every model; but in the models that are made here, a declared sort is infinite.
    fn compare_constants(&self, models: &[ArrayModel], wanted: &mut Vec<(Node, Node)>) {
        let closure = self.closure();
        let components: Map<Node, u32> = models.iter().map(|model| (model.root, model.component)).collect();
        let mut elements: Map<u32, Node> = Map::default();
        for index in 0..closure.len() {
            let node = Node::new(index as u32);
            if !matches!(closure.function(node), Some((_, Kind::ConstantArray))) {
                continue;
            }
            let Some(&component) = components.get(&closure.class(node)) else { continue };
            let element = closure.args(node)[0];
            let first = *elements.entry(component).or_insert(element);
            if !closure.are_equal(first, element) && !closure.are_distinct(first, element) {
                wanted.push((first, element));
            }
        }
    }
}
