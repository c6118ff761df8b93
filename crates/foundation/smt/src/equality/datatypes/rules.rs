//! What constructors, selectors and testers imply, as derived equalities.
//!
//! - *Injectivity*: if `C(x)` and `C(y)` are equal, so are their fields. (Different constructors clash in the
//!   closure already.)
//! - *Fields and testers*: in a class with a constructor application, its selectors give the fields, its testers are
//!   decided. A selector of another constructor is a free function.
//! - *Knowledge* (see `knowledge`): exactly one tester of a class is true.
//!
//! The rules look at what changed since the last time. A rule is tried again when what it was derived from is undone
//! and done again, or when a node that it needs is made.

use shem_base::StampSet;

use super::cycles::Step;
use super::knowledge::Knowledge;
use super::table::{Datatype, DatatypeTable};
use crate::equality::closure::Closure;
use crate::equality::node::{Kind, Node, NodeShape, Premise};
use crate::equality::trail::Change;

/// The rules of datatypes.
#[derive(Debug, Default)]
pub(crate) struct Datatypes {
    pub(super) table: DatatypeTable,
    /// Nodes whose classes have no constructor, perhaps, and are to be looked at.
    pub(super) open: Vec<Node>,
    /// Nodes of classes with a constructor that may have become part of a cycle, each with a change that came with it
    /// or later: when that is undone, the merge is undone, too, or will be looked at again.
    pub(super) merged: Vec<(u32, Node)>,
    /// Classes that were looked at, in `propagate` or in a search for cycles.
    pub(super) visited: StampSet,
    /// Classes on the path of a search for cycles.
    pub(super) on_path: StampSet,
    /// The path of a search for cycles.
    pub(super) path: Vec<Step>,
    /// The equalities of a cycle.
    pub(super) premises: Vec<Premise>,
    pub(super) knowledge: Knowledge,
    buffer: Vec<Node>,
}

impl Datatypes {
    /// Takes note of a datatype.
    pub(crate) fn declare(&mut self, number: u32, datatype: Datatype, closure: &mut Closure) {
        self.table.declare(number, datatype, closure);
    }

    /// Whether there is no datatype.
    pub(crate) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Derives what follows from the changes since the last time. The caller closes and calls again until there are
    /// no changes.
    pub(crate) fn propagate(&mut self, closure: &mut Closure) {
        while let Some(change) = closure.next_change() {
            match change {
                Change::Made(node) => self.visit_new(node, closure),
                Change::Merged { absorbed, first } => self.visit_merged(absorbed, first, closure),
            }
        }
        self.visited.clear();
        while let Some(node) = self.open.pop() {
            if self.visited.insert(closure.class(node).index()) {
                self.complete(node, closure);
            }
        }
    }

    /// Forgets notes about what was undone.
    pub(crate) fn undo(&mut self, closure: &Closure) {
        let count = closure.change_count();
        self.merged.retain(|&(at, _)| (at as usize) < count);
    }

    fn visit_new(&mut self, node: Node, closure: &mut Closure) {
        let Some((_, kind)) = closure.function(node) else { return };
        match kind {
            Kind::Selector { .. } | Kind::Tester { .. } => {
                let arg = closure.args(node)[0];
                if closure.value(arg).is_some() {
                    self.apply_value(node, closure);
                } else {
                    self.open.push(arg);
                }
            }
            Kind::Constructor { .. } => {
                self.wake_waiting(node, closure);
                let Some(value) = closure.value(node) else { return };
                if value == node {
                    self.buffer.extend(closure.uses(node));
                    self.apply_value_to_buffer(closure);
                } else {
                    derive_fields(node, value, closure);
                }
            }
            _ => {}
        }
    }

    fn visit_merged(&mut self, absorbed: Node, first: Node, closure: &mut Closure) {
        let Some(value) = closure.value(absorbed) else {
            if self.table.of_sort(closure.sort(absorbed)).is_some() {
                self.open.push(absorbed);
            }
            return;
        };
        let own = closure.absorbed_value(absorbed);
        if value.index() < 2 {
            // Testers were decided, or equations became false. If the absorbed class brought the value, that
            // concerns the others, which cannot be told apart any more.
            if own.is_none() {
                self.buffer.extend(closure.absorbed_members(absorbed, first));
            } else {
                self.buffer.extend(closure.members(absorbed));
            }
            self.note_decided(value == closure.falsity(), closure);
            return;
        }
        if closure.function(value).is_none() {
            return;
        }
        self.merged.push((closure.change_count() as u32 - 1, absorbed));
        match own {
            Some(own) => {
                if own != value {
                    derive_fields(own, value, closure);
                }
                // The class that absorbed it may have been without a value then, and may have met another one since:
                // its members cannot be told apart any more.
                self.buffer.extend(closure.uses(absorbed));
                self.apply_value_to_buffer(closure);
            }
            None => {
                let members = closure.absorbed_members(absorbed, first);
                self.buffer.extend(members.flat_map(|member| closure.uses_of_node(member)));
                self.apply_value_to_buffer(closure);
            }
        }
    }

    /// Notes the classes that are concerned by the Boolean nodes in the buffer, which are all false or all true.
    fn note_decided(&mut self, are_false: bool, closure: &Closure) {
        while let Some(node) = self.buffer.pop() {
            match closure.shape(node) {
                NodeShape::Application(function, args) => {
                    if let Kind::Tester { .. } = closure.kind(function) {
                        self.open.push(args[0]);
                    }
                }
                NodeShape::Equation(a, b) if are_false => self.note_different(a, b, closure),
                _ => {}
            }
        }
    }

    /// Notes that two nodes are different, if that excludes a constructor.
    fn note_different(&mut self, a: Node, b: Node, closure: &Closure) {
        for (node, other) in [(a, b), (b, a)] {
            let Some(value) = closure.value(other) else { continue };
            if closure.args(value).is_empty() && closure.value(node).is_none() {
                self.open.push(node);
            }
        }
    }

    /// Applies selectors and testers among the nodes in the buffer, which use a class that has got a value.
    fn apply_value_to_buffer(&mut self, closure: &mut Closure) {
        while let Some(node) = self.buffer.pop() {
            match closure.shape(node) {
                NodeShape::Application(..) => self.apply_value(node, closure),
                NodeShape::Equation(a, b) if closure.truth_value(node) == Some(false) => {
                    self.note_different(a, b, closure);
                }
                _ => {}
            }
        }
    }

    /// Applies a selector or tester to the constructor application that its argument equals.
    fn apply_value(&mut self, node: Node, closure: &mut Closure) {
        let Some((_, kind)) = closure.function(node) else { return };
        if !matches!(kind, Kind::Selector { .. } | Kind::Tester { .. }) {
            return;
        }
        let arg = closure.args(node)[0];
        let Some(value) = closure.value(arg) else { return };
        let Some((_, Kind::Constructor { index, .. })) = closure.function(value) else { return };
        let result = match kind {
            Kind::Selector { constructor, field, .. } if constructor == index => {
                closure.args(value)[field as usize]
            }
            Kind::Tester { constructor, .. } if constructor == index => closure.truth(),
            Kind::Tester { .. } => closure.falsity(),
            _ => return,
        };
        closure.derive_equal(node, result, &[Premise::Equal(arg, value)]);
    }

    /// Notes the classes that may equal a new constructor application.
    fn wake_waiting(&mut self, node: Node, closure: &Closure) {
        if closure.args(node).is_empty() {
            // Any class of the sort. There are few such constructors.
            let sort = closure.sort(node);
            let nodes = (0..closure.len() as u32).map(Node::new);
            self.open
                .extend(nodes.filter(|&other| closure.class(other) == other && closure.sort(other) == sort));
        } else if let Some(source) = self.source(node, closure) {
            self.open.push(source);
        }
    }

    /// The node `t`, if the node is `C(sel_1(t), ..., sel_n(t))` with the selectors of `C`, n > 0.
    fn source(&self, node: Node, closure: &Closure) -> Option<Node> {
        let Some((_, Kind::Constructor { index, .. })) = closure.function(node) else { return None };
        let datatype = self.table.of_sort(closure.sort(node))?;
        let selectors = &datatype.constructors[index as usize].selectors;
        let &first = closure.args(node).first()?;
        let &source = closure.args(first).first()?;
        let mut fields = selectors.iter().zip(closure.args(node));
        let is_built = fields.all(|(&selector, &arg)| {
            closure.function(arg).is_some_and(|(function, _)| function == selector)
                && closure.args(arg) == [source]
        });
        is_built.then_some(source)
    }
}

/// Derives that the fields of two equal applications of a constructor are equal.
fn derive_fields(a: Node, b: Node, closure: &mut Closure) {
    for index in 0..closure.args(a).len() {
        let (x, y) = (closure.args(a)[index], closure.args(b)[index]);
        closure.derive_equal(x, y, &[Premise::Equal(a, b)]);
    }
}
