//! What gates and auxiliary variables stand for.
//!
//! The names are only read when a formula has to be made out of literals again, as an interpolant is. To be
//! cheap to keep they are two lists in the order of creation, which is also the order of the variables, so
//! that a name is found by bisection and a scope is forgotten by truncation.

use shem_base::{Int, Var};
use shem_term::Term;

/// The term that an auxiliary arithmetic variable stands for.
#[derive(Clone, Debug)]
pub(crate) enum Defined {
    /// This very term.
    Leaf(Term),
    /// The integer term divided by the modulus, rounded down.
    Quotient(Term, Int),
}

/// The names of the gates and auxiliaries of a target.
#[derive(Debug)]
pub(crate) struct Names<N> {
    /// SORTED by variable; the term is not negated.
    gates: Vec<(Var, Term)>,
    /// SORTED by number.
    numbers: Vec<(N, Defined)>,
    marks: Vec<(usize, usize)>,
}

impl<N> Default for Names<N> {
    fn default() -> Self {
        Names { gates: Vec::new(), numbers: Vec::new(), marks: Vec::new() }
    }
}

impl<N: Copy + Ord> Names<N> {
    pub(super) fn add_gate(&mut self, var: Var, term: Term) {
        debug_assert!(self.gates.last().is_none_or(|last| last.0 < var));
        self.gates.push((var, term));
    }

    pub(super) fn add_number(&mut self, number: N, defined: Defined) {
        debug_assert!(self.numbers.last().is_none_or(|last| last.0 < number));
        self.numbers.push((number, defined));
    }

    /// The formula that a gate stands for.
    pub(crate) fn gate(&self, var: Var) -> Option<Term> {
        let place = self.gates.binary_search_by_key(&var, |entry| entry.0).ok()?;
        Some(self.gates[place].1)
    }

    /// The term that an auxiliary stands for.
    pub(crate) fn number(&self, number: N) -> Option<&Defined> {
        let place = self.numbers.binary_search_by_key(&number, |entry| entry.0).ok()?;
        Some(&self.numbers[place].1)
    }

    pub(super) fn push(&mut self) {
        self.marks.push((self.gates.len(), self.numbers.len()));
    }

    pub(super) fn pop(&mut self) {
        let (gates, numbers) = self.marks.pop().expect("a scope is open");
        self.gates.truncate(gates);
        self.numbers.truncate(numbers);
    }
}
