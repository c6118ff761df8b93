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

/// What is known of a class.
#[derive(Debug)]
pub(super) struct Knowledge<'a> {
    pub(super) datatype: &'a Datatype,
    /// The testers of the class, with the numbers of their constructors.
    pub(super) testers: Vec<(u32, Node)>,
    /// The selectors of the class, with the numbers of their constructors.
    pub(super) selectors: Vec<(u32, Node)>,
    /// A tester that is true.
    pub(super) true_tester: Option<(u32, Node)>,
    /// For each constructor, why it did not make the class, if that is known.
    pub(super) excluded: Vec<Option<Exclusion>>,
}

/// Why a constructor did not make a class.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exclusion {
    /// This tester is false.
    Tester(Node),
    /// This equation of a node of the class and one that equals the constructor is false.
    Equation(Node),
}

impl<'a> Knowledge<'a> {
    /// Collects what is known of the class of a node, unless its constructor is there or it is of another sort.
    pub(super) fn of(datatypes: &'a Datatypes, node: Node, closure: &Closure) -> Option<Knowledge<'a>> {
        let datatype = datatypes.table.of_sort(closure.sort(node))?;
        if closure.value(node).is_some() {
            return None;
        }
        let mut knowledge = Knowledge {
            datatype,
            testers: Vec::new(),
            selectors: Vec::new(),
            true_tester: None,
            excluded: vec![None; datatype.constructors.len()],
        };
        for user in closure.uses(node) {
            match closure.shape(user) {
                NodeShape::Application(function, _) => match closure.kind(function) {
                    Kind::Tester { constructor, .. } => knowledge.add_tester(constructor, user, closure),
                    Kind::Selector { constructor, .. } => knowledge.selectors.push((constructor, user)),
                    _ => {}
                },
                NodeShape::Equation(a, b) if closure.truth_value(user) == Some(false) => {
                    let other = if closure.are_equal(a, node) { b } else { a };
                    let Some(value) = closure.value(other) else { continue };
                    let Some((_, Kind::Constructor { index, .. })) = closure.function(value) else {
                        continue;
                    };
                    if closure.args(value).is_empty() {
                        let reason = &mut knowledge.excluded[index as usize];
                        reason.get_or_insert(Exclusion::Equation(user));
                    }
                }
                _ => {}
            }
        }
        Some(knowledge)
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
    /// Derives what follows from what is known of the class of a node.
    pub(super) fn complete(&mut self, node: Node, closure: &mut Closure) {
        let mut premises = std::mem::take(&mut self.premises);
        if let Some(knowledge) = Knowledge::of(self, node, closure) {
            if let Some((constructor, tester)) = knowledge.true_tester {
                knowledge.apply_true_tester(constructor, tester, closure);
            } else {
                knowledge.apply_exclusions(node, &mut premises, closure);
            }
        }
        premises.clear();
        self.premises = premises;
    }
}

impl Knowledge<'_> {
    /// Another tester of the class is true only if it is that of the same constructor.
    fn apply_true_tester(&self, constructor: u32, tester: Node, closure: &mut Closure) {
        let truth = Premise::Equal(tester, closure.truth());
        let arg = closure.args(tester)[0];
        for &(other, node) in &self.testers {
            let value = if other == constructor { closure.truth() } else { closure.falsity() };
            let place = Premise::Equal(arg, closure.args(node)[0]);
            closure.derive_equal(node, value, &[truth, place]);
        }
        let constructor = &self.datatype.constructors[constructor as usize];
        self.equate_built(constructor, arg, &mut vec![truth], closure);
    }

    /// Derives testers that are false because of equations, and the last constructor that is left.
    fn apply_exclusions(&self, node: Node, premises: &mut Vec<Premise>, closure: &mut Closure) {
        for &(constructor, tester) in &self.testers {
            if let Some(reason @ Exclusion::Equation(_)) = self.excluded[constructor as usize] {
                premises.clear();
                add_premises(reason, closure.args(tester)[0], premises, closure);
                closure.derive_equal(tester, closure.falsity(), premises);
            }
        }
        premises.clear();
        let left = self.left().count();
        if left > 1 {
            return;
        }
        for reason in self.excluded.iter().flatten() {
            add_premises(*reason, node, premises, closure);
        }
        let Some(last) = self.last() else {
            closure.derive_equal(closure.truth(), closure.falsity(), premises);
            return;
        };
        for &(_, tester) in self.testers.iter().filter(|(constructor, _)| *constructor == last) {
            premises.push(Premise::Equal(closure.args(tester)[0], node));
            closure.derive_equal(tester, closure.truth(), premises);
            premises.pop();
        }
        self.equate_built(&self.datatype.constructors[last as usize], node, premises, closure);
    }

    /// Equates nodes of the class with the constructor applied to their fields, where that was made. The premises
    /// say that the class of `node` was made by the constructor.
    fn equate_built(
        &self,
        constructor: &Constructor,
        node: Node,
        premises: &mut Vec<Premise>,
        closure: &mut Closure,
    ) {
        let Some(&first) = constructor.selectors.first() else {
            if let Some(built) = closure.find_application(constructor.function, &[]) {
                closure.derive_equal(node, built, premises);
            }
            return;
        };
        for &(_, selector) in &self.selectors {
            if closure.function(selector).is_none_or(|(function, _)| function != first) {
                continue;
            }
            let source = closure.args(selector)[0];
            let fields: Option<Vec<Node>> = constructor
                .selectors
                .iter()
                .map(|&field| closure.find_application(field, &[source]))
                .collect();
            let built = fields.and_then(|fields| closure.find_application(constructor.function, &fields));
            if let Some(built) = built {
                premises.push(Premise::Equal(source, node));
                closure.derive_equal(source, built, premises);
                premises.pop();
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
