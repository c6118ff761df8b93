//! Variables of the simplex and the polynomials that define the slack variables.
//!
//! A structural variable stands for itself; a slack variable stands for a linear form over structural
//! variables, interned so that every bound on the form is a bound on the same variable. All polynomials
//! lie in one array in the order of their creation, so that closing a scope cuts it off at the end.

use std::fmt;
use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use shem_base::Int;

/// A variable of the arithmetic solver, structural or slack: a dense index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArithVar(u32);

impl ArithVar {
    /// The variable with this index.
    #[inline]
    pub const fn new(index: u32) -> ArithVar {
        ArithVar(index)
    }

    /// The dense index of the variable.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for ArithVar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

/// Where a polynomial lies in the array.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    end: u32,
    /// The slack variable that stands for it.
    slack: ArithVar,
}

/// The interned polynomials.
#[derive(Debug, Default)]
pub(super) struct Polys {
    terms: Vec<(ArithVar, Int)>,
    spans: Vec<Span>,
    table: HashTable<u32>,
}

fn hash(terms: &[(ArithVar, Int)]) -> u64 {
    let mut hasher = FxHasher::default();
    terms.hash(&mut hasher);
    hasher.finish()
}

impl Polys {
    /// The number of polynomials.
    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    /// The terms of a polynomial.
    #[inline]
    pub(super) fn terms(&self, poly: u32) -> &[(ArithVar, Int)] {
        let span = self.spans[poly as usize];
        &self.terms[span.start as usize..span.end as usize]
    }

    /// The slack variable of a polynomial, if it is known.
    pub(super) fn find(&self, terms: &[(ArithVar, Int)]) -> Option<ArithVar> {
        let found = self.table.find(hash(terms), |&poly| self.terms(poly) == terms)?;
        Some(self.spans[*found as usize].slack)
    }

    /// Adds a polynomial that is not known yet, for the slack variable `slack`.
    pub(super) fn add(&mut self, terms: &[(ArithVar, Int)], slack: ArithVar) -> u32 {
        let poly = self.spans.len() as u32;
        let start = self.terms.len() as u32;
        self.terms.extend_from_slice(terms);
        self.spans.push(Span { start, end: self.terms.len() as u32, slack });
        let Polys { terms: all, spans, table } = self;
        table.insert_unique(hash(terms), poly, |&poly| {
            let span = spans[poly as usize];
            hash(&all[span.start as usize..span.end as usize])
        });
        poly
    }

    /// Removes the polynomials from number `count` on.
    pub(super) fn truncate(&mut self, count: usize) {
        while self.spans.len() > count {
            let poly = self.spans.len() as u32 - 1;
            let code = hash(self.terms(poly));
            if let Ok(entry) = self.table.find_entry(code, |&other| other == poly) {
                entry.remove();
            }
            if let Some(span) = self.spans.pop() {
                self.terms.truncate(span.start as usize);
            }
        }
    }
}
