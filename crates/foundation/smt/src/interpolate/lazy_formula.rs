//! Formulas that are built on demand.
//!
//! The partial interpolants of a proof are conjunctions and disjunctions of one another, and only the last one is
//! needed. So the pass over the proof records connectives, without looking for equal ones and without flattening.
//! Terms are built at the end, only for the connectives that are reached and are not part of a larger one of
//! their kind: the store would otherwise sort and keep every intermediate conjunction.

use shem_base::StampSet;
use shem_term::{Store, Term};

/// A formula that is a term already, or a connective of [`LazyFormulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Formula {
    Term(Term),
    Connective(u32),
}

impl Formula {
    pub(super) const TRUE: Formula = Formula::Term(Term::TRUE);
    pub(super) const FALSE: Formula = Formula::Term(Term::FALSE);
}

/// A conjunction or a disjunction.
#[derive(Clone, Copy, Debug)]
struct Connective {
    start: u32,
    end: u32,
    disjunction: bool,
    /// The term, once it is built.
    term: Option<Term>,
}

/// Conjunctions and disjunctions. A member is older than what it is a member of.
#[derive(Debug, Default)]
pub(super) struct LazyFormulas {
    connectives: Vec<Connective>,
    members: Vec<Formula>,
    // Buffers.
    seen: StampSet,
    open: Vec<u32>,
    inside: Vec<u32>,
    terms: Vec<Term>,
}

impl LazyFormulas {
    pub(super) fn clear(&mut self) {
        self.connectives.clear();
        self.members.clear();
    }

    /// The disjunction or conjunction of the members.
    pub(super) fn join(&mut self, members: &[Formula], disjunction: bool) -> Formula {
        match *members {
            [] => Formula::Term(Term::from_bool(!disjunction)),
            [single] => single,
            _ => {
                let start = self.members.len() as u32;
                self.members.extend_from_slice(members);
                let end = self.members.len() as u32;
                self.connectives.push(Connective { start, end, disjunction, term: None });
                Formula::Connective(self.connectives.len() as u32 - 1)
            }
        }
    }

    /// The term of a formula.
    pub(super) fn build(&mut self, store: &mut Store, formula: Formula) -> Term {
        let root = match formula {
            Formula::Term(term) => return term,
            Formula::Connective(root) => root,
        };
        self.open.clear();
        self.open.push(root);
        while let Some(&top) = self.open.last() {
            if self.connectives[top as usize].term.is_some() || self.gather(top) {
                if self.connectives[top as usize].term.is_none() {
                    let built = match self.connectives[top as usize].disjunction {
                        true => store.or(&self.terms),
                        false => store.and(&self.terms),
                    };
                    self.connectives[top as usize].term = Some(built);
                }
                self.open.pop();
            }
        }
        self.connectives[root as usize].term.expect("what is closed is built")
    }

    /// Gathers the members of a connective, with those of members of its kind, as terms. False if some are not
    /// built; these are put on the stack.
    fn gather(&mut self, top: u32) -> bool {
        let disjunction = self.connectives[top as usize].disjunction;
        let opened = self.open.len();
        self.terms.clear();
        self.seen.clear();
        self.inside.clear();
        self.inside.push(top);
        while let Some(connective) = self.inside.pop() {
            let Connective { start, end, .. } = self.connectives[connective as usize];
            for &member in &self.members[start as usize..end as usize] {
                let index = match member {
                    Formula::Term(term) => {
                        self.terms.push(term);
                        continue;
                    }
                    Formula::Connective(index) => index,
                };
                if !self.seen.insert(index as usize) {
                    continue;
                }
                match self.connectives[index as usize] {
                    Connective { term: Some(term), .. } => self.terms.push(term),
                    member if member.disjunction == disjunction => self.inside.push(index),
                    _ => self.open.push(index),
                }
            }
        }
        self.open.len() == opened
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_term::Sort;

    #[test]
    fn connectives_become_flat_terms() {
        let mut store = Store::new();
        let [p, q, r] = ["p", "q", "r"].map(|name| store.variable(name, Sort::Bool));
        let mut formulas = LazyFormulas::default();
        let [fp, fq, fr] = [p, q, r].map(Formula::Term);
        let inner = formulas.join(&[fp, fq], false);
        let outer = formulas.join(&[inner, fr, inner], false);
        let before = store.len();
        let built = formulas.build(&mut store, outer);
        // The inner conjunction was not built on the way.
        assert_eq!(store.len(), before + 1);
        assert_eq!(built, store.and(&[p, q, r]));
        let either = formulas.join(&[outer, Formula::Term(!p)], true);
        let all = formulas.join(&[either, inner], false);
        let conjunction = store.and(&[p, q, r]);
        let disjunction = store.or(&[conjunction, !p]);
        assert_eq!(formulas.build(&mut store, all), store.and(&[disjunction, p, q]));
        assert_eq!(formulas.join(&[], true), Formula::FALSE);
    }
}
