//! Concatenation, extraction, extension, and shifts.

use shem_base::BitVec;

use crate::bits::{BitOp, MAX_WIDTH};
use crate::sort::Sort;
use crate::store::Store;
use crate::term::{Term, View};

/// How many terms an extract is pushed through at most, so that neither a deep term nor one with much sharing costs more
/// than it is worth.
const PUSH_LIMIT: usize = 64;

impl Store {
    /// The bits of `high` above those of `low`. Chains nest to the right.
    ///
    /// # Panics
    /// If the result is wider than [`MAX_WIDTH`].
    pub fn bv_concat(&mut self, high: Term, low: Term) -> Term {
        let mut upper = vec![high];
        while let Some(&last) = upper.last()
            && let Some((BitOp::Concat, &[first, rest])) = self.as_bit_op(last)
        {
            upper.pop();
            upper.extend([first, rest]);
        }
        upper.into_iter().rev().fold(low, |lower, part| self.joined(part, lower))
    }

    /// A term that is no concatenation, above another term.
    fn joined(&mut self, part: Term, lower: Term) -> Term {
        let (next, rest) = match self.as_bit_op(lower) {
            Some((BitOp::Concat, &[next, rest])) => (next, Some(rest)),
            _ => (lower, None),
        };
        let (part, lower) = match (self.merged(part, next), rest) {
            (Some(whole), None) => return whole,
            (Some(whole), Some(rest)) => (whole, rest),
            (None, _) => (part, lower),
        };
        let width = self.width(part) + self.width(lower);
        let sort = Sort::bit_vec(width).unwrap_or_else(|| panic!("at most {MAX_WIDTH} bits"));
        self.bit_application(BitOp::Concat, &[part, lower], sort)
    }

    /// Two neighbours as one: numbers, or neighbouring parts of one term.
    fn merged(&mut self, high: Term, low: Term) -> Option<Term> {
        if let (Some(a), Some(b)) = (self.as_bit_vector(high), self.as_bit_vector(low)) {
            let whole = a.concat(b);
            return Some(self.bit_vector(&whole));
        }
        let (BitOp::Extract { high: top, low: cut }, &[whole]) = self.as_bit_op(high)? else { return None };
        let (BitOp::Extract { high: below, low: bottom }, &[same]) = self.as_bit_op(low)? else {
            return None;
        };
        (whole == same && cut == below + 1).then(|| self.bv_extract(top, bottom, whole))
    }

    /// The bits from `low` to `high`, both included.
    pub fn bv_extract(&mut self, high: u32, low: u32, term: Term) -> Term {
        debug_assert!(low <= high && high < self.width(term));
        let mut fuel = PUSH_LIMIT;
        self.pushed_extract(high, low, term, &mut fuel)
    }

    /// An extract pushed through at most `fuel` more terms.
    fn pushed_extract(&mut self, mut high: u32, mut low: u32, mut term: Term, fuel: &mut usize) -> Term {
        loop {
            if low == 0 && high + 1 == self.width(term) {
                return term;
            }
            let Some((op, args)) = self.as_bit_op(term) else { break };
            match (op, args) {
                (BitOp::Constant(number), _) => {
                    let part = self.bit_value(number).extract(high, low);
                    return self.bit_vector(&part);
                }
                (BitOp::Extract { low: offset, .. }, &[inner]) => {
                    (high, low, term) = (high + offset, low + offset, inner);
                }
                (BitOp::Concat, &[upper, lower]) => {
                    let cut = self.width(lower);
                    if low >= cut {
                        (high, low, term) = (high - cut, low - cut, upper);
                    } else if high < cut {
                        term = lower;
                    } else if *fuel == 0 {
                        break;
                    } else {
                        *fuel -= 1;
                        let upper = self.pushed_extract(high - cut, 0, upper, fuel);
                        let lower = self.pushed_extract(cut - 1, low, lower, fuel);
                        return self.bv_concat(upper, lower);
                    }
                }
                (BitOp::SignExtend(_), &[inner]) => {
                    let top = self.width(inner) - 1;
                    if high <= top {
                        term = inner;
                        continue;
                    }
                    let first = low.min(top);
                    let part = self.pushed_extract(top, first, inner, fuel);
                    return self.bv_sign_extend(high - low - (top - first), part);
                }
                (BitOp::FromInt, &[number]) if low == 0 => return self.int_to_bv(high + 1, number),
                (BitOp::Not | BitOp::And | BitOp::Xor, _) if *fuel >= args.len() => {
                    let args = args.to_vec();
                    *fuel -= args.len();
                    let parts: Vec<Term> =
                        args.into_iter().map(|arg| self.pushed_extract(high, low, arg, fuel)).collect();
                    return match op {
                        BitOp::Not => self.bv_not(parts[0]),
                        BitOp::And => self.bv_and(&parts),
                        _ => self.bv_xor(&parts),
                    };
                }
                // The low bits of a sum or product are those of the low bits.
                (BitOp::Add | BitOp::Multiply, _) if low == 0 && *fuel >= args.len() => {
                    let args = args.to_vec();
                    *fuel -= args.len();
                    let parts: Vec<Term> =
                        args.into_iter().map(|arg| self.pushed_extract(high, 0, arg, fuel)).collect();
                    return if op == BitOp::Add { self.bv_add(&parts) } else { self.bv_mul(&parts) };
                }
                (BitOp::Multiply, &[factor, inner]) => {
                    let Some(places) = self.as_bit_vector(factor).and_then(BitVec::exponent) else { break };
                    if high < places {
                        return self.zero_bits(high - low + 1);
                    }
                    if low < places {
                        let upper = self.pushed_extract(high - places, 0, inner, fuel);
                        let zeros = self.zero_bits(places - low);
                        return self.bv_concat(upper, zeros);
                    }
                    (high, low, term) = (high - places, low - places, inner);
                }
                _ => break,
            }
        }
        if let View::Ite(condition, then, otherwise) = self.view(term)
            && let (Some(then), Some(otherwise)) = (self.as_bit_vector(then), self.as_bit_vector(otherwise))
        {
            let [then, otherwise] = [then.extract(high, low), otherwise.extract(high, low)];
            let [then, otherwise] = [self.bit_vector(&then), self.bit_vector(&otherwise)];
            return self.ite(condition, then, otherwise);
        }
        let sort = Sort::bit_vec(high - low + 1).expect("a part is no wider than the whole");
        self.bit_application(BitOp::Extract { high, low }, &[term], sort)
    }

    /// The highest bit.
    pub(super) fn sign_bit(&mut self, term: Term) -> Term {
        let top = self.width(term) - 1;
        self.bv_extract(top, top, term)
    }

    /// Whether the number with a sign is negative.
    pub(super) fn is_negative(&mut self, term: Term) -> Term {
        let bit = self.sign_bit(term);
        let one = self.bits(1, 1);
        self.eq(bit, one)
    }

    /// So many zeros above the term.
    pub fn bv_zero_extend(&mut self, by: u32, term: Term) -> Term {
        if by == 0 {
            return term;
        }
        let zeros = self.zero_bits(by);
        self.bv_concat(zeros, term)
    }

    /// So many copies of the highest bit above the term.
    ///
    /// # Panics
    /// If the result is wider than [`MAX_WIDTH`].
    pub fn bv_sign_extend(&mut self, by: u32, term: Term) -> Term {
        if by == 0 {
            return term;
        }
        let first = match self.as_bit_op(term) {
            Some((BitOp::Constant(number), _)) => {
                let value = self.bit_value(number).sign_extend(by);
                return self.bit_vector(&value);
            }
            Some((BitOp::SignExtend(inner), &[narrow])) => return self.bv_sign_extend(by + inner, narrow),
            Some((BitOp::Concat, &[first, _])) => self.as_bit_vector(first),
            _ => None,
        };
        // Where the highest bit is known, its copies are a number.
        if let Some(first) = first {
            let copies = if first.is_negative() { BitVec::ones(by) } else { BitVec::zero(by) };
            let copies = self.bit_vector(&copies);
            return self.bv_concat(copies, term);
        }
        let sort = Sort::bit_vec(self.width(term) + by).unwrap_or_else(|| panic!("at most {MAX_WIDTH} bits"));
        self.bit_application(BitOp::SignExtend(by), &[term], sort)
    }

    /// The bits so many places further up, those that leave at the top coming in at the bottom.
    pub fn bv_rotate_left(&mut self, by: u32, term: Term) -> Term {
        let width = self.width(term);
        let by = by % width;
        if by == 0 {
            return term;
        }
        let low = self.bv_extract(width - by - 1, 0, term);
        let high = self.bv_extract(width - 1, width - by, term);
        self.bv_concat(low, high)
    }

    /// The rotation the other way.
    pub fn bv_rotate_right(&mut self, by: u32, term: Term) -> Term {
        let width = self.width(term);
        self.bv_rotate_left(width - by % width, term)
    }

    /// The concatenation of at least one term, the highest first. Pairs are joined first, then pairs of pairs, so that
    /// few long ones are made on the way.
    pub fn bv_concat_all(&mut self, terms: &[Term]) -> Term {
        let mut terms = terms.to_vec();
        while terms.len() > 1 {
            let joined = terms.chunks(2).map(|pair| match *pair {
                [high, low] => self.bv_concat(high, low),
                _ => pair[0],
            });
            terms = joined.collect();
        }
        terms[0]
    }

    /// The term so many times, at least once.
    pub fn bv_repeat(&mut self, times: u32, term: Term) -> Term {
        self.bv_concat_all(&vec![term; times as usize])
    }

    /// A distance that is a number, the width at most.
    fn known_distance(&self, distance: Term) -> Option<u32> {
        let (value, width) = (self.as_bit_vector(distance)?, self.width(distance));
        Some(value.to_u64().and_then(|by| u32::try_from(by).ok()).map_or(width, |by| by.min(width)))
    }

    /// Shifted to the left; zeros come in. By a number, it is a product.
    pub fn bv_shl(&mut self, a: Term, distance: Term) -> Term {
        let width = self.width(a);
        match self.known_distance(distance) {
            Some(by) => {
                let factor = BitVec::from_bits(width, |at| at == by);
                self.scaled_bits(a, &factor)
            }
            None if self.as_bit_vector(a).is_some_and(BitVec::is_zero) => a,
            None => self.bit_operation(BitOp::ShiftLeft, &[a, distance]),
        }
    }

    /// Shifted to the right; zeros come in.
    pub fn bv_lshr(&mut self, a: Term, distance: Term) -> Term {
        let width = self.width(a);
        match self.known_distance(distance) {
            Some(by) if by == width => self.zero_bits(width),
            Some(by) => {
                let part = self.bv_extract(width - 1, by, a);
                self.bv_zero_extend(by, part)
            }
            None if self.as_bit_vector(a).is_some_and(BitVec::is_zero) => a,
            None => self.bit_operation(BitOp::ShiftRight, &[a, distance]),
        }
    }

    /// Shifted to the right; copies of the highest bit come in.
    pub fn bv_ashr(&mut self, a: Term, distance: Term) -> Term {
        let width = self.width(a);
        match self.known_distance(distance) {
            Some(by) => {
                let by = by.min(width - 1);
                let part = self.bv_extract(width - 1, by, a);
                self.bv_sign_extend(by, part)
            }
            None if self.as_bit_vector(a).is_some_and(|value| value.is_zero() || value.is_ones()) => a,
            None => self.bit_operation(BitOp::ShiftRightSigned, &[a, distance]),
        }
    }

    /// z3's rotation by a term, to the left or to the right.
    pub fn bv_rotate_by(&mut self, left: bool, term: Term, distance: Term) -> Term {
        let width = self.width(term);
        let whole = self.bits(width, u64::from(width));
        let count = self.bv_urem(distance, whole);
        let back = self.bv_sub(whole, count);
        let (up, down) = if left { (count, back) } else { (back, count) };
        let [up, down] = [self.bv_shl(term, up), self.bv_lshr(term, down)];
        self.bv_or(&[up, down])
    }
}
