//! What is known of a class that has no constructor application: which constructor made it, or which did not.
//!
//! A tester that is true names the constructor. A tester that is false excludes one, as does a false equation with a
//! constructor that has no fields. If all but one are excluded, the last one made the class; if all are, that is a
//! contradiction. Once the constructor is known and `C(sel_1(t), ..., sel_n(t))` was made for some `t` of the class,
//! `t` equals it.

use super::rules::Datatypes;
use super::table::{Constructor, Datatype};
use crate::equality::closure::Closure;
use crate::equality::node::{Kind, Node, NodeShape, Premise};

/// What is known of a class. A buffer, reused from one class to the next.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    /// The testers of the class, with the numbers of their constructors.
    pub(super) testers: Vec<(u32, Node)>,
    /// The selectors of the class, with the numbers of their constructors.
    pub(super) selectors: Vec<(u32, Node)>,
    /// A tester that is true.
    pub(super) true_tester: Option<(u32, Node)>,
    /// For each constructor, why it did not make the class, if that is known.
    excluded: Vec<Option<Exclusion>>,
    premises: Vec<Premise>,
    fields: Vec<Node>,
}

/// Why a constructor did not make a class.
#[derive(Clone, Copy, Debug)]
enum Exclusion {
    /// This tester is false.
    Tester(Node),
    /// This equation of a node of the class and one that equals the constructor is false.
    Equation(Node),
}

impl Knowledge {
    /// Collects what is known of the class of a node of this datatype, which has no constructor application.
    pub(super) fn collect(&mut self, datatype: &Datatype, node: Node, closure: &Closure) {
        self.testers.clear();
        self.selectors.clear();
        self.true_tester = None;
        self.excluded.clear();
        self.excluded.resize(datatype.constructors.len(), None);
        for user in closure.uses(node) {
            match closure.shape(user) {
                NodeShape::Application(function, _) => match closure.kind(function) {
                    Kind::Tester { constructor, .. } => self.add_tester(constructor, user, closure),
                    Kind::Selector { constructor, .. } => self.selectors.push((constructor, user)),
                    _ => {}
                },
                NodeShape::Equation(a, b) if closure.truth_value(user) == Some(false) => {
                    let other = if closure.are_equal(a, node) { b } else { a };
                    self.add_difference(user, other, closure);
                }
                _ => {}
            }
        }
    }

    /// Takes note of a false equation with another node.
    fn add_difference(&mut self, equation: Node, other: Node, closure: &Closure) {
        let Some(value) = closure.value(other) else { return };
        let Some((_, Kind::Constructor { index, .. })) = closure.function(value) else { return };
        if closure.args(value).is_empty() {
            self.excluded[index as usize].get_or_insert(Exclusion::Equation(equation));
        }
    }

    fn add_tester(&mut self, constructor: u32, tester: Node, closure: &Closure) {
        self.testers.push((constructor, tester));
        match closure.truth_value(tester) {
            Some(true) => {
                self.true_tester.get_or_insert((constructor, tester));
            }
            Some(false) => self.excluded[constructor as usize] = Some(Exclusion::Tester(tester)),
            None => {}
        }
    }

    /// The constructors that are not excluded.
    pub(super) fn left(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.excluded).filter(|(_, reason)| reason.is_none()).map(|(index, _)| index)
    }

    /// The constructor that made the class if all others are excluded.
    pub(super) fn last(&self) -> Option<u32> {
        let mut left = self.left();
        left.next().filter(|_| left.next().is_none())
    }
}

impl Datatypes {
    /// Derives what follows from what is known of the class of a node, if it is of a datatype and has no constructor
    /// application.
    pub(super) fn complete(&mut self, node: Node, closure: &mut Closure) {
        let Some(datatype) = self.table.of_sort(closure.sort(node)) else { return };
        if closure.value(node).is_some() {
            return;
        }
        let knowledge = &mut self.knowledge;
        knowledge.collect(datatype, node, closure);
        if let Some((constructor, tester)) = knowledge.true_tester {
            knowledge.apply_true_tester(
                &datatype.constructors[constructor as usize],
                constructor,
                tester,
                closure,
            );
        } else {
            knowledge.apply_exclusions(datatype, node, closure);
        }
    }
}

impl Knowledge {
    /// Another tester of the class is true only if it is that of the same constructor.
    fn apply_true_tester(
        &mut self,
        constructor: &Constructor,
        index: u32,
        tester: Node,
        closure: &mut Closure,
    ) {
        let truth = Premise::Equal(tester, closure.truth());
        let arg = closure.args(tester)[0];
        for &(other, node) in &self.testers {
            let value = if other == index { closure.truth() } else { closure.falsity() };
            let place = Premise::Equal(arg, closure.args(node)[0]);
            closure.derive_equal(node, value, &[truth, place]);
        }
        self.premises.clear();
        self.premises.push(truth);
        self.equate_built(constructor, arg, closure);
    }

    /// Derives testers that are false because of equations, and the last constructor that is left.
    fn apply_exclusions(&mut self, datatype: &Datatype, node: Node, closure: &mut Closure) {
        for &(constructor, tester) in &self.testers {
            if let Some(reason @ Exclusion::Equation(_)) = self.excluded[constructor as usize] {
                self.premises.clear();
                add_premises(reason, closure.args(tester)[0], &mut self.premises, closure);
                closure.derive_equal(tester, closure.falsity(), &self.premises);
            }
        }
        if self.left().count() > 1 {
            return;
        }
        self.premises.clear();
        for reason in self.excluded.iter().flatten() {
            add_premises(*reason, node, &mut self.premises, closure);
        }
        let Some(last) = self.last() else {
            closure.derive_equal(closure.truth(), closure.falsity(), &self.premises);
            return;
        };
        for &(_, tester) in self.testers.iter().filter(|(constructor, _)| *constructor == last) {
            self.premises.push(Premise::Equal(closure.args(tester)[0], node));
            closure.derive_equal(tester, closure.truth(), &self.premises);
            self.premises.pop();
        }
        self.equate_built(&datatype.constructors[last as usize], node, closure);
    }

    /// Equates nodes of the class with the constructor applied to their fields, where that was made. The premises
    /// say that the class of `node` was made by the constructor.
    fn equate_built(&mut self, constructor: &Constructor, node: Node, closure: &mut Closure) {
        let Some(&first) = constructor.selectors.first() else {
            if let Some(built) = closure.find_application(constructor.function, &[]) {
                closure.derive_equal(node, built, &self.premises);
            }
            return;
        };
        for &(_, selector) in &self.selectors {
            if closure.function(selector).is_none_or(|(function, _)| function != first) {
                continue;
            }
            let source = closure.args(selector)[0];
            let fields = constructor.selectors.iter();
            self.fields.clear();
            self.fields.extend(fields.filter_map(|&field| closure.find_application(field, &[source])));
            if self.fields.len() < constructor.selectors.len() {
                continue;
            }
            if let Some(built) = closure.find_application(constructor.function, &self.fields) {
                self.premises.push(Premise::Equal(source, node));
                closure.derive_equal(source, built, &self.premises);
                self.premises.pop();
            }
        }
    }
}

/// Adds the premises from which it follows that a constructor did not make the class of a node.
fn add_premises(reason: Exclusion, node: Node, premises: &mut Vec<Premise>, closure: &Closure) {
    match reason {
        Exclusion::Tester(tester) => {
            premises.push(Premise::Equal(tester, closure.falsity()));
            premises.push(Premise::Equal(closure.args(tester)[0], node));
        }
        Exclusion::Equation(equation) => {
            let (a, b) = (closure.args(equation)[0], closure.args(equation)[1]);
            let (same, other) = if closure.are_equal(a, node) { (a, b) } else { (b, a) };
            premises.push(Premise::Equal(equation, closure.falsity()));
            premises.push(Premise::Equal(same, node));
            premises.extend(closure.value(other).map(|value| Premise::Equal(other, value)));
        }
    }
}
