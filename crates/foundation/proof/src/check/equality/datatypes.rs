//! Values of datatypes: each is made by one constructor, from fields that it is no part of.
//!
//! For every class, the constructor that made its value is looked for: one that stands in the class, one whose
//! tester is true, or the only one that is left. Once it is known, it settles the testers and selectors of the class
//! and makes the class equal to the constructor applied to its fields.

use super::closure::Closure;
use super::universe::{Application, FALSITY, TRUTH, Universe};
use crate::check::meaning::FunctionKind;
use std::collections::{BTreeMap, BTreeSet};

/// The elements that have to do with one class.
struct Value<'a> {
    class: usize,
    /// What constructors made, each with the number of its constructor.
    made: Vec<(u32, &'a Application)>,
    /// Testers of the class, by number of constructor.
    testers: Vec<(u32, usize)>,
    /// Selectors of the class, by number of constructor and field.
    selectors: Vec<(u32, u32, usize)>,
}

impl<'a> Value<'a> {
    fn of(class: usize, datatype: u32, universe: &'a Universe, closure: &Closure) -> Value<'a> {
        let mut value = Value { class, made: Vec::new(), testers: Vec::new(), selectors: Vec::new() };
        let has = |element: usize| closure.class(element) == class;
        for application in &universe.applications {
            let (element, args) = (application.element, &application.args);
            match application.kind {
                FunctionKind::Constructor { datatype: d, index } if d == datatype && has(element) => {
                    value.made.push((index, application));
                }
                FunctionKind::Tester { datatype: d, constructor } if d == datatype && has(args[0]) => {
                    value.testers.push((constructor, element));
                }
                FunctionKind::Selector { datatype: d, constructor, field }
                    if d == datatype && has(args[0]) =>
                {
                    value.selectors.push((constructor, field, element));
                }
                _ => {}
            }
        }
        value
    }

    /// Whether the arguments of the constructor are the fields that the class has if the constructor made it.
    fn has_fields(&self, constructor: u32, args: &[usize], closure: &Closure) -> bool {
        (0u32..).zip(args).all(|(field, &arg)| {
            self.selectors
                .iter()
                .any(|&(c, f, element)| c == constructor && f == field && closure.are_equal(element, arg))
        })
    }

    /// The constructor applied to the fields that the class has if the constructor made it, with its number.
    fn rebuilt(
        &self,
        datatype: u32,
        universe: &'a Universe,
        closure: &Closure,
    ) -> impl Iterator<Item = (u32, usize)> {
        universe.applications.iter().filter_map(move |application| match application.kind {
            FunctionKind::Constructor { datatype: d, index }
                if d == datatype && self.has_fields(index, &application.args, closure) =>
            {
                Some((index, application.element))
            }
            _ => None,
        })
    }
}

/// Applies the rules of datatypes once. Returns whether anything is new.
pub(super) fn apply_datatypes(universe: &Universe, closure: &mut Closure) -> bool {
    let mut changed = false;
    // Elements whose first is made from the second by a constructor, perhaps among others.
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let sorts: BTreeMap<usize, (u32, u32)> = (0..universe.len())
        .filter_map(|element| Some((closure.class(element), universe.datatypes[element]?)))
        .collect();
    for (class, (datatype, constructors)) in sorts {
        // The class may have been merged with another one by now; it still is a part of its class.
        let value = Value::of(closure.class(class), datatype, universe, closure);
        let rebuilt: Vec<(u32, usize)> = value.rebuilt(datatype, universe, closure).collect();
        let maker = maker(&value, &rebuilt, constructors, closure);
        let Some(maker) = maker else { continue };
        for &(constructor, tester) in &value.testers {
            changed |= closure.merge(tester, if constructor == maker { TRUTH } else { FALSITY });
        }
        for &(_, element) in rebuilt.iter().filter(|(constructor, _)| *constructor == maker) {
            changed |= closure.merge(class, element);
        }
        let made = value.made.iter().filter(|(constructor, _)| *constructor == maker);
        for (_, application) in made.clone() {
            for (_, other) in made.clone() {
                for (&a, &b) in application.args.iter().zip(&other.args) {
                    changed |= closure.merge(a, b);
                }
            }
            for &(_, field, element) in value.selectors.iter().filter(|selector| selector.0 == maker) {
                if let Some(&arg) = application.args.get(field as usize) {
                    changed |= closure.merge(element, arg);
                }
            }
            parts.extend(application.args.iter().map(|&arg| (class, arg)));
        }
        for &(_, _, element) in value.selectors.iter().filter(|selector| selector.0 == maker) {
            parts.push((class, element));
        }
    }
    if has_cycle(&parts, closure) {
        closure.contradict();
    }
    changed
}

/// The constructor that made the value, if it is known.
fn maker(
    value: &Value<'_>,
    rebuilt: &[(u32, usize)],
    constructors: u32,
    closure: &mut Closure,
) -> Option<u32> {
    if let Some((constructor, _)) = value.made.first() {
        return Some(*constructor);
    }
    if let Some((constructor, _)) = value.testers.iter().find(|tester| closure.are_equal(tester.1, TRUTH)) {
        return Some(*constructor);
    }
    let failed = value.testers.iter().filter(|tester| closure.are_equal(tester.1, FALSITY));
    let others = rebuilt.iter().filter(|(_, element)| closure.are_distinct(*element, value.class));
    let excluded: BTreeSet<u32> = failed.chain(others).map(|(constructor, _)| *constructor).collect();
    let mut left = (0..constructors).filter(|constructor| !excluded.contains(constructor));
    match (left.next(), left.next()) {
        (None, _) => {
            closure.contradict();
            None
        }
        (only, None) => only,
        _ => None,
    }
}

/// Whether some value would be a part of itself.
fn has_cycle(parts: &[(usize, usize)], closure: &Closure) -> bool {
    let mut edges: BTreeSet<(usize, usize)> =
        parts.iter().map(|&(whole, part)| (closure.class(whole), closure.class(part))).collect();
    // An edge to a class that has none is on no cycle.
    loop {
        let sources: BTreeSet<usize> = edges.iter().map(|edge| edge.0).collect();
        let before = edges.len();
        edges.retain(|edge| sources.contains(&edge.1));
        if edges.len() == before {
            return !edges.is_empty();
        }
    }
}
