//! No value is part of itself.
//!
//! A class with a constructor application points to the classes of its fields. A cycle can arise only where a class
//! with a constructor was merged, so a depth-first search starts from there; what one search has finished the next
//! ones do not enter. The equalities along the cycle contradict each other.

use super::rules::Datatypes;
use crate::equality::closure::Closure;
use crate::equality::node::{Kind, Node, Premise};

/// A class on the path of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The constructor application of the class.
    value: Node,
    /// The number of fields that have been looked at. The path goes through the last of them.
    fields: usize,
}

impl Datatypes {
    /// Looks for a cycle through what was merged since the last time. If there is one, derives that truth is
    /// falsity from its equalities and says so.
    pub(crate) fn find_cycle(&mut self, closure: &mut Closure) -> bool {
        self.visited.clear();
        self.on_path.clear();
        for index in 0..self.merged.len() {
            if self.search_from(self.merged[index].1, closure) {
                closure.derive_equal(closure.truth(), closure.falsity(), &self.premises);
                self.premises.clear();
                return true;
            }
        }
        self.merged.clear();
        false
    }

    /// Searches from the class of a node. If there is a cycle, its equalities are left in the premises.
    fn search_from(&mut self, node: Node, closure: &Closure) -> bool {
        self.path.clear();
        self.enter(node, closure);
        while let Some(step) = self.path.last_mut() {
            let Some(&field) = closure.args(step.value).get(step.fields) else {
                self.on_path.remove(closure.class(step.value).index());
                self.path.pop();
                continue;
            };
            step.fields += 1;
            if self.on_path.contains(closure.class(field).index()) {
                self.collect_cycle(field, closure);
                return true;
            }
            self.enter(field, closure);
        }
        false
    }

    /// Puts the class of a node on the path, unless it has no constructor with fields or was searched before.
    fn enter(&mut self, node: Node, closure: &Closure) {
        let Some(value) = closure.value(node) else { return };
        let Some((_, Kind::Constructor { .. })) = closure.function(value) else { return };
        let class = closure.class(node).index();
        if !closure.args(value).is_empty() && self.visited.insert(class) {
            self.on_path.insert(class);
            self.path.push(Step { value, fields: 0 });
        }
    }

    /// The equalities of the cycle that the field at the end of the path closes: each field equals the constructor
    /// application of the next class.
    fn collect_cycle(&mut self, field: Node, closure: &Closure) {
        self.premises.clear();
        let class = closure.class(field);
        let start = self.path.iter().position(|step| closure.class(step.value) == class).unwrap_or(0);
        self.premises.push(Premise::Equal(field, self.path[start].value));
        for index in start + 1..self.path.len() {
            let before = &self.path[index - 1];
            let field = closure.args(before.value)[before.fields - 1];
            self.premises.push(Premise::Equal(field, self.path[index].value));
        }
    }
}
