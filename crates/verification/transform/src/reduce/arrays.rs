//! Elimination of auxiliary arrays.
//!
//! Two exact rules. *A write is undone*: a conjunct `b = store(a, i, v)` says that the auxiliary `a` is `b` with some
//! element `e` at `i`, and that `b` has `v` there; so `a` is replaced by `store(b, i, e)`, where `e` is a new auxiliary.
//! *Reads are named* (Ackermann 1954): if an auxiliary array, perhaps after writes, is only read, the writes are opened by
//! cases, and each read of the array itself becomes a new auxiliary; reads at indices that may be equal have equal
//! elements. Either makes an auxiliary array into numbers, or whatever its elements are. The second one is
//! not applied if it would need many cases.

use std::collections::BTreeMap;

use shem_term::{Role, Store, Term, View};

use super::Reducer;
use crate::scan::fresh_of;

/// How many pairs of reads of one array may need equal elements, and how many cases may be opened for one array.
const CASES: usize = 12;

/// How an auxiliary array is used.
#[derive(Default)]
struct Uses {
    /// Whether it occurs other than in reads and in writes that are only read.
    blocked: bool,
    /// Reads of it and of arrays written to from it.
    reads: Vec<Term>,
}

impl Reducer {
    /// A formula that is equivalent if the auxiliaries are quantified existentially, with fewer auxiliary arrays;
    /// `None` if no rule applies.
    pub(super) fn eliminate_arrays(
        &mut self,
        store: &mut Store,
        formula: Term,
        auxiliaries: &[Term],
    ) -> Option<Term> {
        let arrays: Vec<Term> = auxiliaries.iter().copied().filter(|&v| store.sort(v).is_array()).collect();
        if arrays.is_empty() {
            return None;
        }
        match self.undo_write(store, formula, &arrays) {
            Some(found) => Some(found),
            None => self.name_reads(store, formula, &arrays),
        }
    }

    fn undo_write(&mut self, store: &mut Store, formula: Term, arrays: &[Term]) -> Option<Term> {
        let mut conjuncts = store.conjuncts(formula);
        for at in 0..conjuncts.len() {
            let View::Equal(left, right) = store.view(conjuncts[at]) else { continue };
            if conjuncts[at].is_negated() {
                continue;
            }
            for (written, other) in [(left, right), (right, left)] {
                let Some((_, Role::Store, &[array, index, element])) = store.as_app(written) else {
                    continue;
                };
                if arrays.binary_search(&array).is_err()
                    || self.scan.variables(store, &[index, other]).contains(&array)
                {
                    continue;
                }
                let sort = store.sort(element);
                let before = fresh_of(store, sort);
                let read = store.select(other, index);
                conjuncts[at] = store.eq(read, element);
                let restored = store.store_at(other, index, before);
                let rest = store.and(&conjuncts);
                return Some(store.rename(rest, &[array], &[restored]));
            }
        }
        None
    }

    fn name_reads(&mut self, store: &mut Store, formula: Term, arrays: &[Term]) -> Option<Term> {
        let uses = self.uses(store, formula, arrays);
        for (array, uses) in uses {
            if uses.blocked || uses.reads.is_empty() {
                continue;
            }
            if let Some(found) = name_reads_of(store, formula, array, &uses.reads) {
                return Some(found);
            }
        }
        None
    }

    /// How the arrays, which are sorted, are used.
    fn uses(&mut self, store: &Store, formula: Term, arrays: &[Term]) -> BTreeMap<Term, Uses> {
        let mut uses: BTreeMap<Term, Uses> = BTreeMap::new();
        // The auxiliary array that an array is made of by writes.
        let origin = |mut term: Term| {
            while let Some((_, Role::Store, &[inner, ..])) = store.as_app(term) {
                term = inner;
            }
            arrays.binary_search(&term).is_ok().then_some(term)
        };
        self.scan.each(store, &[formula], |term| {
            let role = store.as_app(term).map(|app| app.1);
            let mut first = true;
            store.for_each_child(term, |child| {
                let is_first = std::mem::replace(&mut first, false);
                if !store.sort(child).is_array() {
                    return;
                }
                let Some(array) = origin(child) else { return };
                let entry = uses.entry(array).or_default();
                match role {
                    Some(Role::Select) if is_first => entry.reads.push(term),
                    Some(Role::Store) if is_first => {}
                    _ => entry.blocked = true,
                }
            });
        });
        uses
    }
}

/// The formula with the reads of an array replaced by auxiliaries; `None` if that needs too many cases.
fn name_reads_of(store: &mut Store, formula: Term, array: Term, reads: &[Term]) -> Option<Term> {
    let mut cases = 0;
    let mut pairs: Vec<(Term, Term)> = Vec::with_capacity(reads.len());
    let mut indices: Vec<Term> = Vec::new();
    let mut sorted = reads.to_vec();
    // Inner reads have smaller numbers.
    sorted.sort_unstable();
    for &read in &sorted {
        let Some((_, Role::Select, &[mut from, index])) = store.as_app(read) else { return None };
        let mut writes = Vec::new();
        while from != array {
            let Some((_, Role::Store, &[inner, place, element])) = store.as_app(from) else { return None };
            writes.push((place, element));
            from = inner;
        }
        cases += writes.len();
        if cases > CASES {
            return None;
        }
        indices.push(index);
        let mut opened = store.select(array, index);
        for (place, element) in writes.into_iter().rev() {
            let same = store.eq(place, index);
            opened = store.ite(same, element, opened);
        }
        if opened != read {
            pairs.push((read, opened));
        }
    }
    if !pairs.is_empty() {
        // The cases that were opened may have reads inside, so the reads are named in the next round.
        let opened = store.replace(formula, &pairs);
        return (opened != formula).then_some(opened);
    }
    indices.sort_unstable();
    indices.dedup();
    let mut equal = Vec::new();
    for (at, &left) in indices.iter().enumerate() {
        for &right in &indices[..at] {
            let same = store.eq(left, right);
            if same != Term::FALSE {
                equal.push((same, left, right));
            }
        }
    }
    if equal.len() > CASES {
        return None;
    }
    let mut named: Vec<(Term, Term)> = Vec::with_capacity(indices.len());
    let mut names: BTreeMap<Term, Term> = BTreeMap::new();
    for &index in &indices {
        let read = store.select(array, index);
        let sort = store.sort(read);
        let name = fresh_of(store, sort);
        names.insert(index, name);
        named.push((read, name));
    }
    let mut parts = vec![formula];
    for (same, left, right) in equal {
        let elements = store.eq(names[&left], names[&right]);
        parts.push(store.implies(same, elements));
    }
    let whole = store.and(&parts);
    Some(store.replace(whole, &named))
}
