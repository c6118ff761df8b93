//! No value is part of itself.
//!
//! If classes with applications of constructors contain one another in a circle, then some vertex `w` is made by a
//! constructor, a field of it is, a field of that is, and so on, and the last field is `w`. That this cannot be is a
//! valid clause about `w` and its fields, which every side that can write `w` can write. Its premises follow by
//! congruence, which is divided between the sides as everywhere.

use std::collections::BTreeSet;

use shem_term::{Role, Symbol};

use super::graph::{Premise, Reason};
use super::rules::Rules;
use super::vertex::Vertex;

/// A class on the path of the search.
struct Visit {
    /// An application of a constructor in the class.
    value: Vertex,
    /// The number of fields that were looked at. The path goes through the last of them.
    fields: usize,
}

impl<const W: usize> Rules<'_, W> {
    /// Equations that hold of a value that is part of itself, if there is one.
    pub(super) fn find_cycle(&mut self) -> Option<Vec<[Vertex; 2]>> {
        let mut visited: BTreeSet<Vertex> = BTreeSet::new();
        for &start in &self.graph.members().to_vec() {
            let mut path: Vec<Visit> = Vec::new();
            let mut next = self.enter(start, &mut visited);
            loop {
                path.extend(next.take());
                let Some(top) = path.last_mut() else { break };
                let field =
                    self.vertices.parts(top.value).and_then(|(_, args)| args.get(top.fields).copied());
                let Some(field) = field else {
                    path.pop();
                    continue;
                };
                top.fields += 1;
                if let Some(first) = path.iter().position(|visit| self.graph.are_equal(visit.value, field)) {
                    return self.describe(&path[first..]);
                }
                next = self.enter(field, &mut visited);
            }
        }
        None
    }

    /// The beginning of the search in the class of a vertex, unless it has no constructor or was searched before.
    fn enter(&self, vertex: Vertex, visited: &mut BTreeSet<Vertex>) -> Option<Visit> {
        let equals = self.graph.equals(vertex);
        let mut values = equals.iter().copied().filter(|&other| self.constructor(other).is_some());
        let value = values.next()?;
        visited.insert(equals[0]).then_some(Visit { value, fields: 0 })
    }

    /// The constructor that a vertex applies to something: its tester and its selectors.
    fn constructor(&self, vertex: Vertex) -> Option<(Symbol, &[Symbol])> {
        let (symbol, args) = self.vertices.parts(vertex)?;
        let Role::Constructor { datatype, index } = self.store.role(symbol) else { return None };
        let constructor = &self.store.datatype(datatype).constructors()[index as usize];
        (!args.is_empty()).then_some((constructor.tester, &*constructor.selectors))
    }

    /// What holds of the first value on a path that comes back to its class, and of its fields.
    fn describe(&mut self, path: &[Visit]) -> Option<Vec<[Vertex; 2]>> {
        let first = path.first()?.value;
        let mut equations = Vec::with_capacity(path.len() + 1);
        let mut part = first;
        for visit in path {
            let (tester, selectors) = self.constructor(visit.value)?;
            let selector = selectors[visit.fields - 1];
            equations.push([self.application(tester, &[part])?, Vertex::TRUTH]);
            part = self.application(selector, &[part])?;
        }
        equations.push([part, first]);
        Some(equations)
    }

    /// Derives falsehood from a cycle once its equations hold.
    pub(super) fn refute_cycle(&mut self) {
        let Some(equations) = &self.cycle else { return };
        if equations.iter().all(|&[a, b]| self.graph.are_equal(a, b)) {
            let premises = equations.iter().map(|&[a, b]| Premise::Equal(a, b)).collect();
            self.graph.merge(Vertex::TRUTH, Vertex::FALSITY, Reason::Axiom(premises));
        }
    }
}
