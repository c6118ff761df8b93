//! Equations and comparisons.

use std::cmp::Ordering;

use shem_base::BitVec;

use super::sums::BitSum;
use crate::bits::BitOp;
use crate::sort::Sort;
use crate::store::{NodeKey, Store};
use crate::term::{Term, View};

impl Store {
    /// The equality of two bit-vectors of one width.
    pub(crate) fn equal_bits(&mut self, a: Term, b: Term) -> Term {
        let mut conjuncts = Vec::new();
        let mut pairs = vec![(a, b)];
        while let Some((a, b)) = pairs.pop() {
            if a == b {
                continue;
            }
            if let Some(((a, b), rest)) = self.split_pair(a, b) {
                pairs.extend([rest, (a, b)]);
                continue;
            }
            let equality = self.equal_words(a, b);
            if equality == Term::FALSE {
                return Term::FALSE;
            }
            conjuncts.push(equality);
        }
        self.and(&conjuncts)
    }

    /// The pairs of the upper and of the lower parts of two terms, if one is a concatenation and the other is a number
    /// or a concatenation that is cut at the same place.
    fn split_pair(&mut self, a: Term, b: Term) -> Option<((Term, Term), (Term, Term))> {
        let parts = |store: &Store, term: Term| match store.as_bit_op(term) {
            Some((BitOp::Concat, &[high, low])) => Some((high, low)),
            _ => None,
        };
        let cut = parts(self, a).or_else(|| parts(self, b)).map(|(_, low)| self.width(low))?;
        let [(a_high, a_low), (b_high, b_low)] = {
            let mut cut_parts = |term: Term| match parts(self, term) {
                Some((high, low)) if self.width(low) == cut => Some((high, low)),
                Some(_) => None,
                None => {
                    let value = self.as_bit_vector(term)?;
                    let (high, low) = (value.extract(value.width() - 1, cut), value.extract(cut - 1, 0));
                    Some((self.bit_vector(&high), self.bit_vector(&low)))
                }
            };
            [cut_parts(a)?, cut_parts(b)?]
        };
        Some(((a_high, b_high), (a_low, b_low)))
    }

    /// The equality of two terms that do not come apart: solved for a leaf with an odd coefficient.
    fn equal_words(&mut self, a: Term, b: Term) -> Term {
        if let Some(decided) = self.equal_conditional(a, b).or_else(|| self.equal_conditional(b, a)) {
            return decided;
        }
        let difference = self.difference_of_bits(a, b);
        if let Some(BitSum { terms, constant }) = self.expanded_bits(&difference)
            && terms.is_empty()
        {
            return Term::from_bool(constant.is_zero());
        }
        let BitSum { terms, constant } = difference;
        let width = constant.width();
        // All coefficients are multiples of 2^shared: the equation is one of the other bits.
        let shared = terms.iter().map(|term| term.1.trailing_zeros()).min().unwrap_or(width);
        if constant.trailing_zeros() < shared {
            return Term::FALSE;
        }
        if shared == width {
            return Term::TRUE;
        }
        let mut sum = BitSum { terms, constant };
        if shared > 0 {
            let halved = |value: &BitVec| value.extract(width - 1, shared);
            let narrow = BitSum::new(width - shared);
            let terms = std::mem::replace(&mut sum.terms, narrow.terms);
            sum.constant = halved(&sum.constant);
            let mut args = vec![self.bit_vector(&sum.constant)];
            for (leaf, coefficient) in terms {
                let low = self.bv_extract(width - shared - 1, 0, leaf);
                args.push(self.scaled_bits(low, &halved(&coefficient)));
            }
            let total = self.bv_add(&args);
            let zero = self.zero_bits(width - shared);
            sum = self.difference_of_bits(total, zero);
        }
        // The narrower leaves may have been sums: then the even coefficients may be back. One more look would do no harm,
        // but the equation is right as it stands.
        let Some(at) = sum.terms.iter().rposition(|term| term.1.bit(0)) else {
            let total = self.sum_of_bits(sum);
            let zero = self.zero_bits(self.width(total));
            return self.plain_equality(total, zero);
        };
        let (leaf, other) = self.solved_sum(sum, at);
        self.plain_equality(leaf, other)
    }

    /// The leaf at a place of a sum that is zero, where it has an odd coefficient, and what it is equal to.
    fn solved_sum(&mut self, mut sum: BitSum, at: usize) -> (Term, Term) {
        let (leaf, coefficient) = sum.terms.remove(at);
        let factor = coefficient.inverse().neg();
        for term in &mut sum.terms {
            term.1 = term.1.mul(&factor);
        }
        sum.constant = sum.constant.mul(&factor);
        (leaf, self.sum_of_bits(sum))
    }

    /// What the equality of two bit-vectors says a variable is, if the variable is a summand with an odd coefficient and
    /// occurs nowhere else.
    pub fn bv_solve(&mut self, a: Term, b: Term, variable: Term) -> Option<Term> {
        let sum = self.difference_of_bits(a, b);
        let at = sum.terms.iter().position(|term| term.0 == variable && term.1.bit(0))?;
        let (_, other) = self.solved_sum(sum, at);
        (!self.free_variables(&[other]).contains(&variable)).then_some(other)
    }

    /// The equality of a conditional between two numbers and a number.
    fn equal_conditional(&mut self, a: Term, b: Term) -> Option<Term> {
        let View::Ite(condition, then, otherwise) = self.view(a) else { return None };
        let value = self.as_bit_vector(b)?;
        let (then, otherwise) = (self.as_bit_vector(then)?, self.as_bit_vector(otherwise)?);
        Some(match (value == then, value == otherwise) {
            (true, true) => Term::TRUE,
            (true, false) => condition,
            (false, true) => !condition,
            (false, false) => Term::FALSE,
        })
    }

    fn plain_equality(&mut self, a: Term, b: Term) -> Term {
        let values = [self.as_bit_vector(a), self.as_bit_vector(b)];
        if let [Some(left), Some(right)] = values {
            return Term::from_bool(left == right);
        }
        // A single bit that is not one is zero.
        if self.width(a) == 1 {
            let one = self.bits(1, 1);
            let zero = self.zero_bits(1);
            for (bit, constant) in [(a, b), (b, a)] {
                if constant == zero {
                    return !self.intern(NodeKey::Equal(bit.min(one), bit.max(one)), Sort::Bool);
                }
            }
        }
        self.intern(NodeKey::Equal(a.min(b), a.max(b)), Sort::Bool)
    }

    /// `a <= b` without signs.
    pub fn bv_ule(&mut self, a: Term, b: Term) -> Term {
        self.less_equal_bits(a, b, false)
    }

    /// `a < b` without signs.
    pub fn bv_ult(&mut self, a: Term, b: Term) -> Term {
        !self.bv_ule(b, a)
    }

    /// `a <= b` with signs.
    pub fn bv_sle(&mut self, a: Term, b: Term) -> Term {
        match self.width(a) {
            // The only bit is the sign.
            1 => self.bv_ule(b, a),
            _ => self.less_equal_bits(a, b, true),
        }
    }

    /// `a < b` with signs.
    pub fn bv_slt(&mut self, a: Term, b: Term) -> Term {
        !self.bv_sle(b, a)
    }

    fn less_equal_bits(&mut self, a: Term, b: Term, signed: bool) -> Term {
        if a == b {
            return Term::TRUE;
        }
        let width = self.width(a);
        let (least, greatest) = match signed {
            true => (BitVec::least(width), BitVec::least(width).not()),
            false => (BitVec::zero(width), BitVec::ones(width)),
        };
        match (self.as_bit_vector(a).cloned(), self.as_bit_vector(b).cloned()) {
            (Some(left), Some(right)) => {
                let order = if signed { left.signed_cmp(&right) } else { left.cmp(&right) };
                Term::from_bool(order != Ordering::Greater)
            }
            (Some(left), None) if left == least => Term::TRUE,
            (Some(left), None) if left == greatest => self.eq(a, b),
            (Some(left), None) => {
                let below = self.bit_vector(&left.add(&BitVec::ones(width)));
                !self.less_equal_bits(b, below, signed)
            }
            (None, Some(right)) if right == greatest => Term::TRUE,
            (None, Some(right)) if right == least => self.eq(a, b),
            _ => {
                if let Some((a, b)) = self.without_zeros(a, b) {
                    return self.less_equal_bits(a, b, false);
                }
                let op = if signed { BitOp::SignedLessEqual } else { BitOp::LessEqual };
                self.bit_application(op, &[a, b], Sort::Bool)
            }
        }
    }

    /// The lower parts of two terms whose upper parts are zeros, equally many.
    fn without_zeros(&mut self, a: Term, b: Term) -> Option<(Term, Term)> {
        let ((a_high, b_high), lower) = self.split_pair(a, b)?;
        let zero = self.as_bit_vector(a_high).is_some_and(BitVec::is_zero);
        (zero && a_high == b_high).then_some(lower)
    }

    /// One bit: whether two bit-vectors are equal.
    pub fn bv_comp(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        let [zero, one] = [0, 1].map(|bit| self.bits(1, bit));
        self.ite(equal, one, zero)
    }
}
