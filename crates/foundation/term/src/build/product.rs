//! Products of terms, quotients and remainders by terms.
//!
//! A product of sums is multiplied out as long as it has few summands, so that its monomials are leaves that other
//! products share. Beyond, the sums are factors. A quotient by zero has some value, the same each time.

use shem_base::Rat;

use super::LinearSum;
use crate::sort::Sort;
use crate::store::{Node, NodeKey, Store};
use crate::symbol::Role;
use crate::term::Term;

/// The number of summands up to which a product of sums is multiplied out.
const EXPANSION_LIMIT: usize = 64;

/// The number of factors up to which a product inside a product is dissolved.
const FLATTEN_LIMIT: usize = 64;

impl Store {
    /// The product of at least one term, all of one arithmetic sort.
    pub fn product(&mut self, args: &[Term]) -> Term {
        let sort = self.sort(args[0]);
        let mut factor = Rat::ONE;
        let mut single = None;
        let mut linear = true;
        for &arg in args {
            debug_assert_eq!(self.sort(arg), sort);
            match self.as_num(arg) {
                Some(value) => factor *= value,
                None => linear &= single.replace(arg).is_none(),
            }
        }
        match single {
            Some(_) if factor.is_zero() => self.numeral(&factor, sort),
            None => self.numeral(&factor, sort),
            Some(single) if linear => self.scale(&factor, single),
            Some(_) => self.product_of_sums(args, factor, sort),
        }
    }

    /// The product of a number, which is not zero, and those of the terms that are no numbers, at least two.
    fn product_of_sums(&mut self, args: &[Term], factor: Rat, sort: Sort) -> Term {
        let mut sums: Vec<(Term, LinearSum)> = Vec::new();
        let mut expansion = 1usize;
        for &arg in args {
            if self.as_num(arg).is_some() {
                continue;
            }
            let mut sum = LinearSum::default();
            self.accumulate(&mut sum, arg, &Rat::ONE);
            expansion = expansion.saturating_mul(sum.terms.len() + usize::from(!sum.constant.is_zero()));
            sums.push((arg, sum));
        }
        if expansion > EXPANSION_LIMIT {
            return self.factored(sums, factor, sort);
        }
        // Monomials as lists of leaves.
        let mut monomials: Vec<(Vec<Term>, Rat)> = vec![(Vec::new(), factor)];
        for (_, sum) in &sums {
            let mut next = Vec::with_capacity(monomials.len() * (sum.terms.len() + 1));
            for (leaves, coeff) in &monomials {
                for (leaf, by) in &sum.terms {
                    let mut longer = leaves.clone();
                    self.push_factors(*leaf, &mut longer);
                    next.push((longer, coeff * by));
                }
                if !sum.constant.is_zero() {
                    next.push((leaves.clone(), coeff * &sum.constant));
                }
            }
            monomials = next;
        }
        let mut result = LinearSum::default();
        for (leaves, coeff) in monomials {
            if leaves.is_empty() {
                result.constant += &coeff;
            } else {
                let monomial = self.monomial(leaves);
                result.terms.push((monomial, coeff));
            }
        }
        self.sum_to_term(&mut result, sort)
    }

    /// The product of sums that is not multiplied out: their common factors are.
    fn factored(&mut self, sums: Vec<(Term, LinearSum)>, mut factor: Rat, sort: Sort) -> Term {
        let mut factors = Vec::new();
        for (arg, mut sum) in sums {
            match &sum.terms[..] {
                [(leaf, coeff)] if sum.constant.is_zero() => {
                    factor *= coeff;
                    self.push_factors(*leaf, &mut factors);
                }
                _ if sum.constant.is_zero() => {
                    sum.normalise();
                    let (scale, poly) = self.primitive(&sum);
                    factor *= &scale;
                    factors.push(self.poly_sum(poly, &Rat::ZERO, sort));
                }
                _ => factors.push(arg),
            }
        }
        let monomial = self.monomial(factors);
        let mut result = LinearSum { terms: vec![(monomial, factor)], constant: Rat::ZERO };
        self.sum_to_term(&mut result, sort)
    }

    /// Adds the factors of a leaf. An integer taken as a real counts as an integer.
    fn push_factors(&self, leaf: Term, factors: &mut Vec<Term>) {
        match self.as_app(leaf) {
            Some((_, Role::Product, inner)) if inner.len() <= FLATTEN_LIMIT => {
                factors.extend(inner.iter().map(|&factor| self.lowered(factor)));
            }
            _ => factors.push(leaf),
        }
    }

    /// The integer leaf, if the term is one taken as a real.
    fn lowered(&self, term: Term) -> Term {
        if let Node::Linear(scale, poly, offset) = self.node(term)
            && let [single] = self.polys.terms(poly)
            && self.num(scale).is_one()
            && self.num(offset).is_zero()
        {
            return single.leaf;
        }
        term
    }

    /// The leaf for a product of factors that are no numbers: an integer if all factors are integers.
    fn monomial(&mut self, mut factors: Vec<Term>) -> Term {
        if let [single] = factors[..] {
            return single;
        }
        let integral = factors.iter().all(|&factor| self.sort(factor) == Sort::Int);
        let sort = if integral { Sort::Int } else { Sort::Real };
        if !integral {
            for factor in &mut factors {
                *factor = self.to_real(*factor);
            }
        }
        factors.sort_unstable();
        let symbol = self.arithmetic_symbol(Role::Product, sort);
        self.intern(NodeKey::App(symbol, &factors), sort)
    }

    /// The quotient of two `Real` terms.
    pub fn real_quotient(&mut self, a: Term, b: Term) -> Term {
        match self.as_num(b) {
            Some(divisor) if !divisor.is_zero() => {
                let factor = divisor.recip();
                self.scale(&factor, a)
            }
            _ => self.division(Role::RealQuotient, a, b, Sort::Real),
        }
    }

    /// SMT-LIB's `div` of two `Int` terms: the remainder is never negative.
    pub fn int_quotient(&mut self, a: Term, b: Term) -> Term {
        match self.as_num(b) {
            Some(divisor) if !divisor.is_zero() => {
                let divisor = divisor.numer();
                self.int_div(a, &divisor)
            }
            _ => self.division(Role::IntQuotient, a, b, Sort::Int),
        }
    }

    /// SMT-LIB's `mod` of two `Int` terms.
    pub fn remainder(&mut self, a: Term, b: Term) -> Term {
        match self.as_num(b) {
            Some(divisor) if !divisor.is_zero() => {
                let divisor = divisor.numer();
                self.int_mod(a, &divisor)
            }
            _ => self.division(Role::Remainder, a, b, Sort::Int),
        }
    }

    fn division(&mut self, role: Role, a: Term, b: Term, sort: Sort) -> Term {
        let symbol = self.arithmetic_symbol(role, sort);
        self.intern(NodeKey::App(symbol, &[a, b]), sort)
    }
}
