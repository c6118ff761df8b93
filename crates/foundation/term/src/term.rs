//! Handles of terms and what they stand for.

use std::fmt;
use std::ops::Not;

use shem_base::{Int, Rat};

use crate::poly::Poly;
use crate::symbol::Symbol;

/// A handle of a term: four bytes, copied freely, compared by identity. It belongs to the
/// [`Store`](crate::Store) that made it.
///
/// The lowest bit is the negation of a Boolean term, so that negation costs nothing and `t` and `!t` are
/// neighbours in any order. Arithmetic terms never carry it. The default is the true formula.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

impl Term {
    /// The true formula.
    pub const TRUE: Term = Term(0);
    /// The false formula.
    pub const FALSE: Term = Term(1);

    #[inline]
    pub(crate) const fn from_node(node: usize) -> Term {
        Term((node as u32) << 1)
    }

    /// The truth constant of this value.
    #[inline]
    pub const fn from_bool(value: bool) -> Term {
        Term(!value as u32)
    }

    /// The dense index of the term without its negation: smaller than that of every term built from it.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the term is a negation.
    #[inline]
    pub const fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The term without its negation.
    #[inline]
    pub const fn positive(self) -> Term {
        Term(self.0 & !1)
    }

    /// The Boolean term, negated if `flip` holds.
    #[inline]
    pub const fn xor(self, flip: bool) -> Term {
        Term(self.0 ^ flip as u32)
    }

    /// Whether the term is one of the two truth constants.
    #[inline]
    pub const fn is_truth_constant(self) -> bool {
        self.0 <= 1
    }
}

/// The negation of a Boolean term.
impl Not for Term {
    type Output = Term;

    #[inline]
    fn not(self) -> Term {
        Term(self.0 ^ 1)
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}t{}", if self.is_negated() { "!" } else { "" }, self.0 >> 1)
    }
}

/// What a term, taken without its negation, is made of.
///
/// Disjunctions are negated conjunctions of negations, existential quantifiers negated universal ones,
/// exclusive or a negated equivalence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View<'a> {
    /// The true formula.
    True,
    /// A constant symbol (or a bound variable) of any sort.
    Var(Symbol),
    /// A symbol applied to arguments; its [role](crate::Role) says what that means. A constant of a datatype is a
    /// constructor applied to nothing.
    App(Symbol, &'a [Term]),
    /// A conjunction of at least two formulas, sorted, without repetition.
    And(&'a [Term]),
    /// The equivalence of two formulas, neither of them negated.
    Iff(Term, Term),
    /// The equality of two terms of one sort that is neither Boolean nor arithmetic, the smaller one first.
    Equal(Term, Term),
    /// If-then-else, of any sort; the condition is not negated.
    Ite(Term, Term, Term),
    /// A universally quantified formula: the bound variables and the body.
    Forall(&'a [Term], Term),
    /// `poly <= bound`. If the polynomial is integral, so is the bound.
    Le(Poly, &'a Rat),
    /// `poly < bound`, for polynomials with a real variable only.
    Lt(Poly, &'a Rat),
    /// `poly = value`. If the polynomial is integral, so is the value.
    Eq(Poly, &'a Rat),
    /// The modulus, at least 2, divides `poly + offset`; coefficients and offset are reduced.
    Divisible(&'a Int, Poly, &'a Int),
    /// A number.
    Num(&'a Rat),
    /// `scale * poly + offset`: a linear form that is neither a number nor a single leaf.
    Linear(&'a Rat, Poly, &'a Rat),
    /// The quotient of the integer term by the modulus, at least 2, rounded down.
    Div(Term, &'a Int),
    /// The remainder of the integer term modulo the modulus, at least 2: from 0 to the modulus less 1.
    Mod(Term, &'a Int),
    /// The greatest integer that is not greater than the real term.
    ToInt(Term),
}
