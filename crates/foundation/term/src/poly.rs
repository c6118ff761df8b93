//! Interned polynomials: the left-hand sides of all linear atoms.
//!
//! A polynomial is a sum of integer multiples of leaves (variables, arithmetic if-then-else, quotients,
//! remainders, integer parts) without a constant. It is primitive: the coefficients have no common divisor
//! and the first one is positive. Hence `2x + 2y <= 5`, `x + y >= 3` and `(- x) - y = 1` have one
//! polynomial, and solvers can share one slack variable for them.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use shem_base::Int;

use crate::store::{Slot, table_hash};
use crate::term::Term;

/// A handle of an interned polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Poly(u32);

impl Poly {
    /// The dense index of the polynomial in its store.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A summand: an integer multiple of a leaf.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PolyTerm {
    /// The leaf: an arithmetic term that is not itself a sum or a number.
    pub leaf: Term,
    /// Its coefficient, not zero.
    pub coeff: Int,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    len: u32,
    integral: bool,
}

/// The table of polynomials of a store.
#[derive(Clone, Debug, Default)]
pub(crate) struct PolyTable {
    terms: Vec<PolyTerm>,
    entries: Vec<Entry>,
    index: HashTable<Slot>,
}

fn hash_terms(terms: &[PolyTerm]) -> u64 {
    let mut hasher = FxHasher::default();
    terms.hash(&mut hasher);
    hasher.finish()
}

impl PolyTable {
    /// The polynomial with these terms: sorted by leaf, primitive. `integral` says whether all leaves are
    /// integer terms.
    pub(crate) fn intern(&mut self, terms: &[PolyTerm], integral: bool) -> Poly {
        debug_assert!(!terms.is_empty());
        debug_assert!(terms.windows(2).all(|w| w[0].leaf < w[1].leaf));
        debug_assert!(terms[0].coeff.is_positive());
        let hash = hash_terms(terms);
        let (entries, store) = (&self.entries, &self.terms);
        let slice = |id: u32| {
            let e = &entries[id as usize];
            &store[e.start as usize..(e.start + e.len) as usize]
        };
        let found = |slot: &Slot| slot.fits(hash) && slice(slot.id) == terms;
        if let Some(slot) = self.index.find(table_hash(hash), found) {
            return Poly(slot.id);
        }
        let id = self.entries.len() as u32;
        self.entries.push(Entry { start: self.terms.len() as u32, len: terms.len() as u32, integral });
        self.terms.extend_from_slice(terms);
        let slot = Slot::new(id, hash);
        self.index.insert_unique(slot.table_hash(), slot, |slot| slot.table_hash());
        Poly(id)
    }

    #[inline]
    pub(crate) fn terms(&self, poly: Poly) -> &[PolyTerm] {
        let e = &self.entries[poly.index()];
        &self.terms[e.start as usize..(e.start + e.len) as usize]
    }

    #[inline]
    pub(crate) fn is_integral(&self, poly: Poly) -> bool {
        self.entries[poly.index()].integral
    }
}
