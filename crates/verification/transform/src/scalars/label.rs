//! Labels about the elements of arrays at a few places.

use std::collections::BTreeMap;

use shem_chc::EdgeId;
use shem_term::{Role, Store, Term, View};

use super::analysis::Analysis;
use crate::scan::fresh_of;

/// Rewrites the label of an edge.
pub(super) struct Rewriter<'a> {
    pub(super) analysis: &'a mut Analysis,
    pub(super) id: EdgeId,
    /// For each class of arguments at which arrays are looked at, the new variable.
    pub(super) arguments: BTreeMap<usize, Term>,
    /// The new variables of canonical ones that stay.
    pub(super) renamed: BTreeMap<Term, Term>,
    /// The elements of arrays at the places of their class.
    pub(super) elements: BTreeMap<Term, Vec<Term>>,
    /// Arrays of which it is to be said that places that are the same have the same element.
    pub(super) open: Vec<Term>,
}

impl Rewriter<'_> {
    /// The label about elements. All canonical variables have entries.
    pub(super) fn label(mut self, store: &mut Store, label: Term) -> Term {
        let mut results: BTreeMap<Term, Term> = std::mem::take(&mut self.renamed);
        // Children come before what is made of them.
        for term in store.subterms(&[label]) {
            if results.contains_key(&term) || self.elements.contains_key(&term) {
                continue;
            }
            if self.analysis.places_of(self.id, term).is_some() {
                let elements = self.array(store, &results, term);
                self.elements.insert(term, elements);
                continue;
            }
            let result = self.term(store, &results, term);
            results.insert(term, result);
        }
        let mut parts = vec![get(&results, label)];
        for array in std::mem::take(&mut self.open) {
            let Some(places) = self.places(array) else { continue };
            let Some(argument) = places.last().copied().filter(|place| store.as_num(*place).is_none()) else {
                continue;
            };
            let elements = self.elements[&array].clone();
            let last = elements[elements.len() - 1];
            for (&numeral, &element) in places.iter().zip(&elements).take(elements.len() - 1) {
                let (here, same) = (store.eq(argument, numeral), store.eq(last, element));
                parts.push(store.implies(here, same));
            }
        }
        store.and(&parts)
    }

    /// The places of an array as terms: numerals, then the argument.
    fn places(&mut self, array: Term) -> Option<Vec<Term>> {
        let (_, places) = self.analysis.places_of(self.id, array)?;
        let mut terms = places.numerals.clone();
        terms.extend(places.argument.map(|class| self.arguments[&class]));
        Some(terms)
    }

    /// Which of the places of an array an index is.
    fn place(&mut self, array: Term, index: Term) -> usize {
        let (_, places) = self.analysis.places_of(self.id, array).expect("an array of a narrow class");
        places.numerals.binary_search(&index).unwrap_or(places.numerals.len())
    }

    /// The elements of an array whose subterms were rewritten.
    fn array(&mut self, store: &mut Store, results: &BTreeMap<Term, Term>, term: Term) -> Vec<Term> {
        let places = self.places(term).expect("an array of a narrow class");
        match store.view(term) {
            View::Ite(condition, then, otherwise) => {
                let condition = get(results, condition);
                let pairs = self.elements[&then].iter().zip(&self.elements[&otherwise]);
                pairs.map(|(&then, &otherwise)| store.ite(condition, then, otherwise)).collect()
            }
            View::App(symbol, args) => match (store.role(symbol), args) {
                (Role::Store, &[array, index, element]) => {
                    let at = self.place(term, index);
                    let element = get(results, element);
                    let mut elements = self.elements[&array].clone();
                    for (other, &place) in places.iter().enumerate() {
                        // Different numerals are different places; otherwise it depends.
                        let same = store.eq(places[at], place);
                        elements[other] = store.ite(same, element, elements[other]);
                    }
                    elements
                }
                (Role::ConstantArray, &[element]) => vec![get(results, element); places.len()],
                _ => unreachable!("other arrays are in no narrow class"),
            },
            _ => {
                let (_, element) = store.array_parts(store.sort(term)).expect("an array sort");
                self.open.push(term);
                places.iter().map(|_| fresh_of(store, element)).collect()
            }
        }
    }

    /// A term, not an array of a narrow class, whose subterms were rewritten.
    fn term(&mut self, store: &mut Store, results: &BTreeMap<Term, Term>, term: Term) -> Term {
        match store.view(term) {
            View::Equal(a, b) if self.elements.contains_key(&a) => {
                let pairs = self.elements[&a].iter().zip(&self.elements[&b]);
                let equations: Vec<Term> = pairs.map(|(&a, &b)| store.eq(a, b)).collect();
                return store.and(&equations);
            }
            View::App(symbol, &[array, index]) if self.elements.contains_key(&array) => {
                debug_assert_eq!(store.role(symbol), Role::Select);
                let at = self.place(array, index);
                return self.elements[&array][at];
            }
            _ => {}
        }
        let mut pairs = Vec::new();
        store.for_each_child(term, |child| pairs.push((child.positive(), get(results, child.positive()))));
        if pairs.iter().all(|(old, new)| old == new) { term } else { store.replace(term, &pairs) }
    }
}

fn get(results: &BTreeMap<Term, Term>, term: Term) -> Term {
    results[&term.positive()].xor(term.is_negated())
}
