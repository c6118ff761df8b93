//! Replacement of atoms in a formula, below its connectives.

use shem_base::StampMap;
use shem_term::{Store, Term, View};

/// Replaces atoms by formulas; it holds the marks.
#[derive(Default)]
pub(crate) struct Rewrite {
    results: StampMap<Term>,
}

impl Rewrite {
    /// Forgets all replacements.
    pub(crate) fn clear(&mut self) {
        self.results.clear();
    }

    /// Replaces the atom, which is not negated, from now on.
    pub(crate) fn set(&mut self, atom: Term, by: Term) {
        self.results.insert(atom.index(), by);
    }

    fn get(&self, term: Term) -> Term {
        self.results.get(term.index()).expect("children come first").xor(term.is_negated())
    }

    /// The formula with its atoms replaced. Atoms inside of arithmetic terms stay.
    pub(crate) fn apply(&mut self, store: &mut Store, formula: Term) -> Term {
        let mut stack = vec![formula.positive()];
        let mut children: Vec<Term> = Vec::new();
        while let Some(&term) = stack.last() {
            if self.results.contains(term.index()) {
                stack.pop();
                continue;
            }
            children.clear();
            match store.view(term) {
                View::And(args) => children.extend_from_slice(args),
                View::Iff(a, b) => children.extend([a, b]),
                View::Ite(c, a, b) => children.extend([c, a, b]),
                _ => {}
            }
            let open = stack.len();
            stack.extend(children.iter().filter(|c| !self.results.contains(c.index())).map(|c| c.positive()));
            if stack.len() > open {
                continue;
            }
            stack.pop();
            for child in &mut children {
                *child = self.get(*child);
            }
            let result = match (store.view(term), &children[..]) {
                (View::And(_), members) => store.and(members),
                (View::Iff(..), &[a, b]) => store.iff(a, b),
                (View::Ite(..), &[c, a, b]) => store.ite(c, a, b),
                _ => term,
            };
            self.results.insert(term.index(), result);
        }
        self.get(formula)
    }
}
