//! Classes of equal elements and which of them are distinct.

use super::classes::Classes;
use super::universe::{FALSITY, TRUTH, Universe};
use crate::check::meaning::FunctionKind;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the elements of a universe.
#[derive(Debug)]
pub(super) struct Closure {
    classes: Classes,
    /// By name of a class: the names of those that are distinct from it. SYMMETRIC.
    distinct: Vec<BTreeSet<usize>>,
    /// Whether a class is distinct from itself.
    contradictory: bool,
}

impl Closure {
    /// What is known from the start: true is not false, numerals with different values are distinct, and so is what
    /// different constructors of a datatype make.
    pub(super) fn new(universe: &Universe) -> Closure {
        let mut closure = Closure {
            classes: Classes::new(universe.len()),
            distinct: vec![BTreeSet::new(); universe.len()],
            contradictory: false,
        };
        closure.separate(TRUTH, FALSITY);
        for (element, value) in &universe.numerals {
            for (other, _) in universe.numerals.iter().filter(|(_, other)| other != value) {
                closure.separate(*element, *other);
            }
        }
        for a in &universe.applications {
            let FunctionKind::Constructor { datatype, index } = a.kind else { continue };
            for b in &universe.applications {
                match b.kind {
                    FunctionKind::Constructor { datatype: d, index: i } if d == datatype && i != index => {
                        closure.separate(a.element, b.element);
                    }
                    _ => {}
                }
            }
        }
        closure
    }

    pub(super) fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The name of the class of an element.
    pub(super) fn class(&self, element: usize) -> usize {
        self.classes.of(element)
    }

    pub(super) fn are_equal(&self, a: usize, b: usize) -> bool {
        self.classes.same(a, b)
    }

    pub(super) fn are_distinct(&self, a: usize, b: usize) -> bool {
        self.distinct[self.class(a)].contains(&self.class(b))
    }

    pub(super) fn is_contradictory(&self) -> bool {
        self.contradictory
    }

    pub(super) fn contradict(&mut self) {
        self.contradictory = true;
    }

    /// The two are equal. Returns whether that is new.
    pub(super) fn merge(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.class(a), self.class(b));
        if a == b {
            return false;
        }
        self.classes.unite(a, b);
        let gone = if self.class(a) == a { b } else { a };
        for other in std::mem::take(&mut self.distinct[gone]) {
            self.distinct[other].remove(&gone);
            self.separate(gone, other);
        }
        true
    }

    /// The two are distinct.
    pub(super) fn separate(&mut self, a: usize, b: usize) {
        let (a, b) = (self.class(a), self.class(b));
        self.contradictory |= a == b;
        self.distinct[a].insert(b);
        self.distinct[b].insert(a);
    }

    /// A function applied to equal arguments gives equal values. Returns whether anything is new.
    pub(super) fn apply_congruence(&mut self, universe: &Universe) -> bool {
        let mut changed = false;
        let mut first = BTreeMap::new();
        for application in &universe.applications {
            let args: Vec<usize> = application.args.iter().map(|&arg| self.class(arg)).collect();
            let equal = *first.entry((application.function, args)).or_insert(application.element);
            changed |= self.merge(equal, application.element);
        }
        changed
    }

    /// An equation is true if its sides are equal, and false if they are distinct. Equations of the same sides are
    /// the same. Returns whether anything is new.
    pub(super) fn apply_equations(&mut self, universe: &Universe) -> bool {
        let mut changed = false;
        let mut first = BTreeMap::new();
        for &(element, [a, b]) in &universe.equations {
            if self.are_equal(a, b) {
                changed |= self.merge(element, TRUTH);
            } else if self.are_distinct(a, b) {
                changed |= self.merge(element, FALSITY);
            } else if self.are_equal(element, TRUTH) {
                changed |= self.merge(a, b);
            } else if self.are_equal(element, FALSITY) {
                self.separate(a, b);
                changed = true;
            }
            let sides = (self.class(a).min(self.class(b)), self.class(a).max(self.class(b)));
            changed |= self.merge(element, *first.entry(sides).or_insert(element));
        }
        changed
    }

    /// What is distinct from true is false, and the other way round. Returns whether anything is new.
    pub(super) fn apply_booleans(&mut self) -> bool {
        let mut changed = false;
        for (value, opposite) in [(TRUTH, FALSITY), (FALSITY, TRUTH)] {
            for other in self.distinct[self.class(value)].clone() {
                changed |= self.merge(opposite, other);
            }
        }
        changed
    }
}
