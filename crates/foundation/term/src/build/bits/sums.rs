//! Sums and products modulo 2^n.

use shem_base::BitVec;

use super::super::boolean::FLATTEN_LIMIT;
use crate::bits::BitOp;
use crate::store::Store;
use crate::term::Term;

/// How many products a product of sums may become.
const EXPANSION_LIMIT: usize = 64;

/// A sum of multiples of leaves and a number.
pub(super) struct BitSum {
    pub(super) terms: Vec<(Term, BitVec)>,
    pub(super) constant: BitVec,
}

impl BitSum {
    pub(super) fn new(width: u32) -> BitSum {
        BitSum { terms: Vec::new(), constant: BitVec::zero(width) }
    }

    /// Sorts by leaf, adds up equal leaves and drops zeros.
    pub(super) fn normalise(&mut self) {
        self.terms.sort_by_key(|term| term.0);
        self.terms.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 = kept.1.add(&later.1);
            }
            same
        });
        self.terms.retain(|term| !term.1.is_zero());
    }
}

impl Store {
    /// The sum of at least one bit-vector.
    pub fn bv_add(&mut self, args: &[Term]) -> Term {
        let width = self.width(args[0]);
        let mut sum = BitSum::new(width);
        let one = BitVec::new(width, 1);
        for &arg in args {
            self.add_multiple(&mut sum, arg, &one);
        }
        self.sum_of_bits(sum)
    }

    /// `a - b`.
    pub fn bv_sub(&mut self, a: Term, b: Term) -> Term {
        let sum = self.difference_of_bits(a, b);
        self.sum_of_bits(sum)
    }

    /// The bit-vector with the other sign.
    pub fn bv_neg(&mut self, a: Term) -> Term {
        let minus_one = BitVec::ones(self.width(a));
        self.scaled_bits(a, &minus_one)
    }

    /// The product of at least one bit-vector.
    pub fn bv_mul(&mut self, args: &[Term]) -> Term {
        let width = self.width(args[0]);
        let mut coefficient = BitVec::new(width, 1);
        let mut factors: Vec<Term> = Vec::new();
        for &arg in args {
            match self.as_bit_op(arg) {
                Some((BitOp::Constant(number), _)) => coefficient = coefficient.mul(self.bit_value(number)),
                Some((BitOp::Multiply, inner)) if inner.len() <= FLATTEN_LIMIT => {
                    for &factor in inner {
                        match self.as_bit_vector(factor) {
                            Some(value) => coefficient = coefficient.mul(value),
                            None => factors.push(factor),
                        }
                    }
                }
                _ => factors.push(arg),
            }
        }
        factors.sort_unstable();
        match factors[..] {
            [] => self.bit_vector(&coefficient),
            [single] => self.scaled_bits(single, &coefficient),
            _ if coefficient.is_zero() => self.zero_bits(width),
            _ => {
                let leaf = self.bit_operation(BitOp::Multiply, &factors);
                self.monomial_of_bits(leaf, &coefficient)
            }
        }
    }

    /// The product of a bit-vector and a number.
    pub(super) fn scaled_bits(&mut self, term: Term, by: &BitVec) -> Term {
        let mut sum = BitSum::new(by.width());
        self.add_multiple(&mut sum, term, by);
        self.sum_of_bits(sum)
    }

    /// The sum that `a - b` is, normalised.
    pub(super) fn difference_of_bits(&mut self, a: Term, b: Term) -> BitSum {
        let width = self.width(a);
        let mut sum = BitSum::new(width);
        self.add_multiple(&mut sum, a, &BitVec::new(width, 1));
        self.add_multiple(&mut sum, b, &BitVec::ones(width));
        sum.normalise();
        sum
    }

    /// The sum with products of sums multiplied out, if it has such products and does not get long.
    pub(super) fn expanded_bits(&mut self, sum: &BitSum) -> Option<BitSum> {
        let is_sum = |store: &Store, term: Term| matches!(store.as_bit_op(term), Some((BitOp::Add, _)));
        let factors = |store: &Store, leaf: Term| match store.as_bit_op(leaf) {
            Some((BitOp::Multiply, factors)) if factors.iter().any(|&factor| is_sum(store, factor)) => {
                Some(factors.to_vec())
            }
            _ => None,
        };
        sum.terms.iter().find(|term| factors(self, term.0).is_some())?;
        let mut expanded = BitSum::new(sum.constant.width());
        expanded.constant = sum.constant.clone();
        for (leaf, coefficient) in &sum.terms {
            let mut products = vec![Vec::new()];
            for factor in factors(self, *leaf).unwrap_or_else(|| vec![*leaf]) {
                let summands = match self.as_bit_op(factor) {
                    Some((BitOp::Add, args)) => args.to_vec(),
                    _ => vec![factor],
                };
                if products.len() * summands.len() + expanded.terms.len() > EXPANSION_LIMIT {
                    return None;
                }
                products = products
                    .iter()
                    .flat_map(|product: &Vec<Term>| {
                        summands.iter().map(move |&summand| [product.as_slice(), &[summand]].concat())
                    })
                    .collect();
            }
            for product in products {
                let product = self.bv_mul(&product);
                self.add_multiple(&mut expanded, product, coefficient);
            }
        }
        expanded.normalise();
        Some(expanded)
    }

    /// Adds a multiple of a term to a sum.
    fn add_multiple(&mut self, sum: &mut BitSum, term: Term, by: &BitVec) {
        let monomials = match self.as_bit_op(term) {
            Some((BitOp::Add, args)) => args.to_vec(),
            _ => vec![term],
        };
        for monomial in monomials {
            match self.as_bit_op(monomial) {
                Some((BitOp::Constant(number), _)) => {
                    sum.constant = sum.constant.add(&by.mul(self.bit_value(number)));
                }
                Some((BitOp::Multiply, &[first, ref rest @ ..])) if self.as_bit_vector(first).is_some() => {
                    let coefficient = self.as_bit_vector(first).map_or_else(|| by.clone(), |own| own.mul(by));
                    let rest = rest.to_vec();
                    let leaf = match rest[..] {
                        [single] => single,
                        _ => self.bit_operation(BitOp::Multiply, &rest),
                    };
                    self.add_leaf(sum, leaf, coefficient);
                }
                _ => self.add_leaf(sum, monomial, by.clone()),
            }
        }
    }

    /// Adds a multiple of a term that is neither a sum nor a product with a number. Of a term and its bitwise negation,
    /// which is the negative less one, only one is a leaf: the disjunction, or what is not negated.
    fn add_leaf(&mut self, sum: &mut BitSum, term: Term, by: BitVec) {
        let (leaf, flipped) = match self.as_bit_op(term) {
            Some((BitOp::Not, &[inner])) if !self.is_negated_disjunction(inner) => (inner, true),
            Some((BitOp::And, _)) if self.is_negated_disjunction(term) => {
                (self.bit_operation(BitOp::Not, &[term]), true)
            }
            _ => (term, false),
        };
        if flipped {
            let by = by.neg();
            sum.constant = sum.constant.add(&by);
            sum.terms.push((leaf, by));
        } else {
            sum.terms.push((leaf, by));
        }
    }

    /// The term of a sum.
    pub(super) fn sum_of_bits(&mut self, mut sum: BitSum) -> Term {
        sum.normalise();
        let BitSum { terms, constant } = sum;
        match &terms[..] {
            [] => return self.bit_vector(&constant),
            [(leaf, coefficient)] if constant.is_zero() => return self.monomial_of_bits(*leaf, coefficient),
            [(leaf, coefficient)] if constant.is_ones() && coefficient.is_ones() => {
                return self.negation_of_leaf(*leaf);
            }
            _ => {}
        }
        let mut args: Vec<Term> =
            terms.iter().map(|(leaf, coefficient)| self.monomial_of_bits(*leaf, coefficient)).collect();
        if !constant.is_zero() {
            args.push(self.bit_vector(&constant));
        }
        self.bit_operation(BitOp::Add, &args)
    }

    /// The product of a leaf and a number that is not zero.
    fn monomial_of_bits(&mut self, leaf: Term, coefficient: &BitVec) -> Term {
        if coefficient.is_one() {
            return leaf;
        }
        let mut args = vec![self.bit_vector(coefficient)];
        match self.as_bit_op(leaf) {
            Some((BitOp::Multiply, factors)) => args.extend_from_slice(factors),
            _ => args.push(leaf),
        }
        self.bit_operation(BitOp::Multiply, &args)
    }
}
