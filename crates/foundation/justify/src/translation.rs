//! What a translation to clauses tells of its variables.

use shem_base::{Int, Var};
use shem_proof::LinearAtom;
use shem_term::{Symbol, Term};

/// What a propositional variable means.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// It is true.
    Truth,
    /// It is this Boolean symbol.
    Symbol(Symbol),
    /// It is this formula.
    Formula(Term),
    /// It is this inequality over arithmetic variables.
    Inequality(LinearAtom),
    /// No symbol of the input has to do with it.
    Free,
}

/// What an arithmetic variable means.
#[derive(Clone, Debug)]
pub enum NumberMeaning {
    /// It is this symbol.
    Symbol(Symbol),
    /// It is this arithmetic term.
    Term(Term),
    /// It is the term divided by the number, rounded down.
    Quotient(Term, Int),
    /// No symbol of the input has to do with it; it ranges over the integers or over the reals.
    Free {
        /// Whether it ranges over the integers.
        integral: bool,
    },
}

/// The meaning of the variables of a proof. The same question has to get the same answer during one judgement;
/// nothing else is asked of it.
pub trait Translation {
    /// What a propositional variable means.
    fn meaning(&self, var: Var) -> Meaning;

    /// What an arithmetic variable means.
    fn number(&self, number: u32) -> NumberMeaning;
}

/// A formula that was asserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The formula.
    pub formula: Term,
    /// The variable under which alone the formula is asserted: it means nothing else.
    pub guard: Option<Var>,
}

impl From<Term> for Assertion {
    fn from(formula: Term) -> Assertion {
        Assertion { formula, guard: None }
    }
}
