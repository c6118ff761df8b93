//! Quotients and remainders.
//!
//! Those with signs are defined by SMT-LIB through those without, of the absolute values.

use shem_base::BitVec;

use crate::bits::BitOp;
use crate::store::Store;
use crate::term::Term;

impl Store {
    /// The quotient without signs; by zero, all ones.
    pub fn bv_udiv(&mut self, a: Term, b: Term) -> Term {
        let (left, right) = (self.as_bit_vector(a), self.as_bit_vector(b));
        if let (Some(left), Some(right)) = (left, right) {
            let quotient = left.udiv(right);
            return self.bit_vector(&quotient);
        }
        match right.map(|right| (right.is_zero(), right.exponent())) {
            Some((true, _)) => self.bit_vector(&BitVec::ones(self.width(a))),
            Some((_, Some(places))) => {
                let distance = self.bits(self.width(a), u64::from(places));
                if places == 0 { a } else { self.bv_lshr(a, distance) }
            }
            _ => self.bit_operation(BitOp::Quotient, &[a, b]),
        }
    }

    /// The remainder without signs; by zero, the dividend.
    pub fn bv_urem(&mut self, a: Term, b: Term) -> Term {
        let (left, right) = (self.as_bit_vector(a), self.as_bit_vector(b));
        if let (Some(left), Some(right)) = (left, right) {
            let remainder = left.urem(right);
            return self.bit_vector(&remainder);
        }
        match right.map(|right| (right.is_zero(), right.exponent())) {
            Some((true, _)) => a,
            Some((_, Some(0))) => self.zero_bits(self.width(a)),
            Some((_, Some(places))) => {
                let part = self.bv_extract(places - 1, 0, a);
                self.bv_zero_extend(self.width(a) - places, part)
            }
            _ => self.bit_operation(BitOp::Remainder, &[a, b]),
        }
    }

    fn absolute_bits(&mut self, a: Term) -> Term {
        let (negative, opposite) = (self.is_negative(a), self.bv_neg(a));
        self.ite(negative, opposite, a)
    }

    /// The quotient with signs, rounded towards zero; by zero, 1 for a negative dividend, else -1.
    pub fn bv_sdiv(&mut self, a: Term, b: Term) -> Term {
        let [left, right] = [a, b].map(|term| self.absolute_bits(term));
        let quotient = self.bv_udiv(left, right);
        let opposite = self.bv_neg(quotient);
        let [left, right] = [a, b].map(|term| self.is_negative(term));
        let same = self.iff(left, right);
        self.ite(same, quotient, opposite)
    }

    /// The remainder with the sign of the dividend; by zero, the dividend.
    pub fn bv_srem(&mut self, a: Term, b: Term) -> Term {
        let [left, right] = [a, b].map(|term| self.absolute_bits(term));
        let remainder = self.bv_urem(left, right);
        let opposite = self.bv_neg(remainder);
        let negative = self.is_negative(a);
        self.ite(negative, opposite, remainder)
    }

    /// The remainder with the sign of the divisor; by zero, the dividend.
    pub fn bv_smod(&mut self, a: Term, b: Term) -> Term {
        let remainder = self.bv_srem(a, b);
        let shifted = self.bv_add(&[remainder, b]);
        let zero = self.zero_bits(self.width(a));
        let exact = self.eq(remainder, zero);
        let [left, right] = [a, b].map(|term| self.is_negative(term));
        let same = self.iff(left, right);
        let stays = self.or(&[exact, same]);
        self.ite(stays, remainder, shifted)
    }
}
