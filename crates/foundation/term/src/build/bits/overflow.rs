//! The predicates of SMT-LIB 2.7 that say whether an operation leaves the range of its width.

use shem_base::BitVec;

use crate::store::Store;
use crate::term::Term;

impl Store {
    /// Whether the negative of a number with a sign is out of range: it is the least one.
    pub fn bv_nego(&mut self, a: Term) -> Term {
        let least = self.bit_vector(&BitVec::least(self.width(a)));
        self.eq(a, least)
    }

    /// Whether the sum without signs is out of range.
    pub fn bv_uaddo(&mut self, a: Term, b: Term) -> Term {
        let sum = self.bv_add(&[a, b]);
        self.bv_ult(sum, a)
    }

    /// Whether the sum with signs is out of range: the signs are the same, and another than that of the sum.
    pub fn bv_saddo(&mut self, a: Term, b: Term) -> Term {
        let sum = self.bv_add(&[a, b]);
        let [left, right, result] = [a, b, sum].map(|term| self.is_negative(term));
        let [same, changed] = [self.iff(left, right), self.xor(left, result)];
        self.and(&[same, changed])
    }

    /// Whether the difference without signs is out of range.
    pub fn bv_usubo(&mut self, a: Term, b: Term) -> Term {
        self.bv_ult(a, b)
    }

    /// Whether the difference with signs is out of range: the signs differ, and that of the difference is not the first.
    pub fn bv_ssubo(&mut self, a: Term, b: Term) -> Term {
        let difference = self.bv_sub(a, b);
        let [left, right, result] = [a, b, difference].map(|term| self.is_negative(term));
        let [differ, changed] = [self.xor(left, right), self.xor(left, result)];
        self.and(&[differ, changed])
    }

    /// Whether the product without signs is out of range: that of twice the width has a bit in its upper half.
    pub fn bv_umulo(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let wide = [a, b].map(|term| self.bv_zero_extend(width, term));
        let product = self.bv_mul(&wide);
        let upper = self.bv_extract(2 * width - 1, width, product);
        let zero = self.zero_bits(width);
        !self.eq(upper, zero)
    }

    /// Whether the product with signs is out of range: that of twice the width is not the extension of its lower half.
    pub fn bv_smulo(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let wide = [a, b].map(|term| self.bv_sign_extend(width, term));
        let product = self.bv_mul(&wide);
        let low = self.bv_extract(width - 1, 0, product);
        let low = self.bv_sign_extend(width, low);
        !self.eq(product, low)
    }

    /// Whether the quotient with signs is out of range: the least number by -1.
    pub fn bv_sdivo(&mut self, a: Term, b: Term) -> Term {
        let minus_one = self.bit_vector(&BitVec::ones(self.width(a)));
        let [least, by_minus_one] = [self.bv_nego(a), self.eq(b, minus_one)];
        self.and(&[least, by_minus_one])
    }
}
