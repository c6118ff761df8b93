//! Arithmetic terms.
//!
//! Every arithmetic term is a number, a leaf, or `scale * poly + offset`. Quotients and remainders by a
//! constant keep only what is not a multiple of it: `(div (+ (* 5 x) 7) 2)` is `2x + 3 + (div (+ x 1) 2)`.

use shem_base::{Int, Rat};

use super::LinearSum;
use crate::sort::Sort;
use crate::store::{Node, NodeKey, Store};
use crate::term::Term;

impl Store {
    /// An integer numeral.
    pub fn int(&mut self, value: impl Into<Int>) -> Term {
        let id = self.intern_num(&Rat::from(value.into()));
        self.intern(NodeKey::Num(id), Sort::Int)
    }

    /// A real numeral.
    pub fn real(&mut self, value: impl Into<Rat>) -> Term {
        let id = self.intern_num(&value.into());
        self.intern(NodeKey::Num(id), Sort::Real)
    }

    /// A numeral of this sort; an `Int` must be integral.
    pub fn numeral(&mut self, value: &Rat, sort: Sort) -> Term {
        debug_assert!(sort == Sort::Real || value.is_integer());
        let id = self.intern_num(value);
        self.intern(NodeKey::Num(id), sort)
    }

    /// The sum of at least one term, all of one sort.
    pub fn add(&mut self, args: &[Term]) -> Term {
        let sort = self.sort(args[0]);
        let mut sum = self.take_sum();
        for &arg in args {
            debug_assert_eq!(self.sort(arg), sort);
            self.accumulate(&mut sum, arg, &Rat::ONE);
        }
        self.finish(sum, sort)
    }

    /// The difference of two terms of one sort.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        let mut sum = self.take_sum();
        self.accumulate(&mut sum, a, &Rat::ONE);
        self.accumulate(&mut sum, b, &Rat::MINUS_ONE);
        self.finish(sum, self.sort(a))
    }

    /// The sum of these multiples of terms of one sort, and a constant. For `Int` the coefficients and the
    /// constant must be integers.
    pub fn linear(&mut self, terms: &[(Rat, Term)], constant: &Rat, sort: Sort) -> Term {
        let mut sum = self.take_sum();
        for (coeff, term) in terms {
            self.accumulate(&mut sum, *term, coeff);
        }
        sum.constant += constant;
        self.finish(sum, sort)
    }

    /// The negative of a term.
    pub fn neg(&mut self, term: Term) -> Term {
        self.scale(&Rat::MINUS_ONE, term)
    }

    /// The multiple of a term; for `Int` terms the factor is an integer.
    pub fn scale(&mut self, factor: &Rat, term: Term) -> Term {
        if factor.is_one() {
            return term;
        }
        let sort = self.sort(term);
        debug_assert!(sort == Sort::Real || factor.is_integer());
        let mut sum = self.take_sum();
        if !factor.is_zero() {
            self.accumulate(&mut sum, term, factor);
        }
        self.finish(sum, sort)
    }

    /// An `Int` term as a `Real` one; `Real` terms are left alone.
    pub fn to_real(&mut self, term: Term) -> Term {
        match self.node(term) {
            _ if self.sort(term) == Sort::Real => term,
            Node::Num(c) => self.intern(NodeKey::Num(c), Sort::Real),
            Node::Linear(s, p, c) => self.intern(NodeKey::Linear(s, p, c), Sort::Real),
            _ => {
                let mut sum = self.take_sum();
                sum.terms.push((term, Rat::ONE));
                self.finish(sum, Sort::Real)
            }
        }
    }

    /// The greatest integer that is not greater than a `Real` term; `Int` terms are left alone.
    pub fn to_int(&mut self, term: Term) -> Term {
        if self.sort(term) == Sort::Int {
            return term;
        }
        // The part of the sum that is integral for certain is moved out.
        let mut sum = self.take_sum();
        self.accumulate(&mut sum, term, &Rat::ONE);
        let mut rest = LinearSum::default();
        let whole = Rat::from(sum.constant.floor());
        rest.constant = &sum.constant - &whole;
        sum.constant = whole;
        sum.terms.retain(|(leaf, coeff)| {
            let keep = coeff.is_integer() && self.sort(*leaf) == Sort::Int;
            if !keep {
                rest.terms.push((*leaf, coeff.clone()));
            }
            keep
        });
        if !rest.terms.is_empty() {
            let rest = self.sum_to_term(&mut rest, Sort::Real);
            let leaf = self.intern(NodeKey::ToInt(rest), Sort::Int);
            sum.terms.push((leaf, Rat::ONE));
        }
        self.finish(sum, Sort::Int)
    }

    /// Whether a `Real` term is integral.
    pub fn is_int(&mut self, term: Term) -> Term {
        let floor = self.to_int(term);
        let floor = self.to_real(floor);
        self.le(term, floor)
    }

    /// The absolute value.
    pub fn abs(&mut self, term: Term) -> Term {
        if let Some(value) = self.as_num(term) {
            let value = value.abs();
            return self.numeral(&value, self.sort(term));
        }
        let zero = self.numeral(&Rat::ZERO, self.sort(term));
        let condition = self.ge(term, zero);
        let negative = self.neg(term);
        self.ite(condition, term, negative)
    }

    /// The quotient of SMT-LIB's `div`: the remainder is never negative. The divisor is not zero.
    pub fn int_div(&mut self, term: Term, divisor: &Int) -> Term {
        assert!(!divisor.is_zero(), "division by zero");
        let modulus = divisor.abs();
        let mut sum = self.take_sum();
        self.accumulate(&mut sum, term, &Rat::ONE);
        let mut rest = LinearSum::default();
        let reduce = |value: &mut Rat| {
            let (quotient, remainder) = value.numer().div_rem_euclid(&modulus);
            *value = Rat::from(quotient);
            Rat::from(remainder)
        };
        rest.constant = reduce(&mut sum.constant);
        for (leaf, coeff) in &mut sum.terms {
            let remainder = reduce(coeff);
            if !remainder.is_zero() {
                rest.terms.push((*leaf, remainder));
            }
        }
        if !rest.terms.is_empty() {
            let rest = self.sum_to_term(&mut rest, Sort::Int);
            let id = self.intern_num(&Rat::from(modulus));
            let leaf = self.intern(NodeKey::Div(rest, id), Sort::Int);
            sum.terms.push((leaf, Rat::ONE));
        }
        let quotient = self.finish(sum, Sort::Int);
        if divisor.is_negative() { self.neg(quotient) } else { quotient }
    }

    /// The remainder of SMT-LIB's `mod`, from 0 to the divisor's absolute value less 1. The divisor is not
    /// zero.
    pub fn int_mod(&mut self, term: Term, divisor: &Int) -> Term {
        assert!(!divisor.is_zero(), "division by zero");
        let modulus = divisor.abs();
        let mut sum = self.take_sum();
        self.accumulate(&mut sum, term, &Rat::ONE);
        sum.constant = Rat::from(sum.constant.numer().rem_floor(&modulus));
        for (_, coeff) in &mut sum.terms {
            *coeff = Rat::from(coeff.numer().rem_floor(&modulus));
        }
        sum.terms.retain(|t| !t.1.is_zero());
        let number = sum.terms.is_empty();
        let rest = self.finish(sum, Sort::Int);
        if number {
            return rest;
        }
        let id = self.intern_num(&Rat::from(modulus));
        self.intern(NodeKey::Mod(rest, id), Sort::Int)
    }

    pub(crate) fn finish(&mut self, mut sum: LinearSum, sort: Sort) -> Term {
        let term = self.sum_to_term(&mut sum, sort);
        self.put_sum(sum);
        term
    }
}
