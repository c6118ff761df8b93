//! Formulas in the making.
//!
//! The partial interpolants of a proof are conjunctions and disjunctions of one another, and only what the
//! last step's is made of is wanted. So the pass over the proof notes joints of joints, without looking for
//! equal ones and without flattening, and terms are built at the end, for the joints that are reached and are
//! not merely part of a larger one of their kind. The store would otherwise sort the members of every
//! intermediate conjunction and keep it for ever.

use shem_base::StampSet;
use shem_term::{Store, Term};

/// A formula that is a term already, or a joint of a [`Sketch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Formula {
    Term(Term),
    Joint(u32),
}

impl Formula {
    pub(super) const TRUE: Formula = Formula::Term(Term::TRUE);
    pub(super) const FALSE: Formula = Formula::Term(Term::FALSE);
}

#[derive(Clone, Copy, Debug)]
struct Joint {
    start: u32,
    end: u32,
    disjunction: bool,
    /// The term, once it is built.
    term: Option<Term>,
}

/// Conjunctions and disjunctions. A member is older than what it is a member of.
#[derive(Debug, Default)]
pub(super) struct Sketch {
    joints: Vec<Joint>,
    members: Vec<Formula>,
    // Buffers.
    seen: StampSet,
    open: Vec<u32>,
    inside: Vec<u32>,
    terms: Vec<Term>,
}

impl Sketch {
    pub(super) fn clear(&mut self) {
        self.joints.clear();
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
                self.joints.push(Joint { start, end, disjunction, term: None });
                Formula::Joint(self.joints.len() as u32 - 1)
            }
        }
    }

    /// The term of a formula.
    pub(super) fn build(&mut self, store: &mut Store, formula: Formula) -> Term {
        let root = match formula {
            Formula::Term(term) => return term,
            Formula::Joint(root) => root,
        };
        self.open.clear();
        self.open.push(root);
        while let Some(&top) = self.open.last() {
            if self.joints[top as usize].term.is_some() || self.gather(top) {
                if self.joints[top as usize].term.is_none() {
                    let built = match self.joints[top as usize].disjunction {
                        true => store.or(&self.terms),
                        false => store.and(&self.terms),
                    };
                    self.joints[top as usize].term = Some(built);
                }
                self.open.pop();
            }
        }
        self.joints[root as usize].term.expect("what is closed is built")
    }

    /// Gathers the members of a joint, with those of members of its kind, as terms. False if some are not built;
    /// these are opened.
    fn gather(&mut self, top: u32) -> bool {
        let disjunction = self.joints[top as usize].disjunction;
        let opened = self.open.len();
        self.terms.clear();
        self.seen.clear();
        self.inside.clear();
        self.inside.push(top);
        while let Some(joint) = self.inside.pop() {
            let Joint { start, end, .. } = self.joints[joint as usize];
            for &member in &self.members[start as usize..end as usize] {
                let index = match member {
                    Formula::Term(term) => {
                        self.terms.push(term);
                        continue;
                    }
                    Formula::Joint(index) => index,
                };
                if !self.seen.insert(index as usize) {
                    continue;
                }
                match self.joints[index as usize] {
                    Joint { term: Some(term), .. } => self.terms.push(term),
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
    fn joints_become_flat_terms() {
        let mut store = Store::new();
        let [p, q, r] = ["p", "q", "r"].map(|name| store.variable(name, Sort::Bool));
        let mut sketch = Sketch::default();
        let [fp, fq, fr] = [p, q, r].map(Formula::Term);
        let inner = sketch.join(&[fp, fq], false);
        let outer = sketch.join(&[inner, fr, inner], false);
        let before = store.len();
        let built = sketch.build(&mut store, outer);
        // The inner conjunction was not built on the way.
        assert_eq!(store.len(), before + 1);
        assert_eq!(built, store.and(&[p, q, r]));
        let either = sketch.join(&[outer, Formula::Term(!p)], true);
        let all = sketch.join(&[either, inner], false);
        let conjunction = store.and(&[p, q, r]);
        let disjunction = store.or(&[conjunction, !p]);
        assert_eq!(sketch.build(&mut store, all), store.and(&[disjunction, p, q]));
        assert_eq!(sketch.join(&[], true), Formula::FALSE);
    }
}
