//! Bitwise operations.

use shem_base::BitVec;

use super::super::boolean::FLATTEN_LIMIT;
use crate::bits::BitOp;
use crate::store::Store;
use crate::term::{Term, View};

impl Store {
    /// Bit by bit: not. The negation of a sum is a sum.
    pub fn bv_not(&mut self, a: Term) -> Term {
        if !matches!(self.as_bit_op(a), Some((BitOp::Constant(_) | BitOp::Add | BitOp::Multiply, _))) {
            return self.negation_of_leaf(a);
        }
        let minus_one = self.bit_vector(&BitVec::ones(self.width(a)));
        let negative = self.bv_neg(a);
        self.bv_add(&[negative, minus_one])
    }

    /// The bitwise negation of a term that is no sum.
    pub(super) fn negation_of_leaf(&mut self, a: Term) -> Term {
        if let View::Ite(condition, then, otherwise) = self.view(a)
            && let (Some(then), Some(otherwise)) = (self.as_bit_vector(then), self.as_bit_vector(otherwise))
        {
            let [then, otherwise] = [then.not(), otherwise.not()];
            let [then, otherwise] = [self.bit_vector(&then), self.bit_vector(&otherwise)];
            return self.ite(condition, then, otherwise);
        }
        match self.as_bit_op(a) {
            Some((BitOp::Not, &[inner])) => inner,
            Some((BitOp::Xor, args)) if args.iter().any(|&arg| self.as_bit_vector(arg).is_some()) => {
                let mut args = args.to_vec();
                args.push(self.bit_vector(&BitVec::ones(self.width(a))));
                self.bv_xor(&args)
            }
            _ => self.bit_operation(BitOp::Not, &[a]),
        }
    }

    /// Bit by bit: and, of at least one bit-vector.
    pub fn bv_and(&mut self, args: &[Term]) -> Term {
        let width = self.width(args[0]);
        let mut mask = BitVec::ones(width);
        let mut members = Vec::new();
        self.collect_operands(BitOp::And, args, &mut members);
        members.sort_unstable();
        members.dedup();
        members.retain(|&member| match self.as_bit_vector(member) {
            Some(value) => {
                mask = mask.and(value);
                false
            }
            None => true,
        });
        let is_denied = |&member: &Term| match self.as_bit_op(member) {
            Some((BitOp::Not, &[inner])) => members.binary_search(&inner).is_ok(),
            _ => false,
        };
        if mask.is_zero() || members.iter().any(is_denied) {
            return self.zero_bits(width);
        }
        if !mask.is_ones() || members.is_empty() {
            members.push(self.bit_vector(&mask));
        }
        match members[..] {
            [single] => single,
            _ => self.bit_operation(BitOp::And, &members),
        }
    }

    /// Bit by bit: or, of at least one bit-vector.
    pub fn bv_or(&mut self, args: &[Term]) -> Term {
        let negated: Vec<Term> = args.iter().map(|&arg| self.bv_not(arg)).collect();
        let negated = self.bv_and(&negated);
        self.bv_not(negated)
    }

    /// Bit by bit: exclusive or, of at least one bit-vector.
    pub fn bv_xor(&mut self, args: &[Term]) -> Term {
        let width = self.width(args[0]);
        let mut mask = BitVec::zero(width);
        let mut members = Vec::new();
        self.collect_operands(BitOp::Xor, args, &mut members);
        let mut kept = Vec::with_capacity(members.len());
        for member in members {
            match self.as_bit_op(member) {
                Some((BitOp::Constant(number), _)) => mask = mask.xor(self.bit_value(number)),
                Some((BitOp::Not, &[inner])) => {
                    mask = mask.not();
                    // The negation may hide an exclusive disjunction.
                    match self.as_bit_op(inner) {
                        Some((BitOp::Xor, args)) if args.len() <= FLATTEN_LIMIT => {
                            kept.extend_from_slice(args)
                        }
                        _ => kept.push(inner),
                    }
                }
                _ => kept.push(member),
            }
        }
        kept.retain(|&member| match self.as_bit_vector(member) {
            Some(value) => {
                mask = mask.xor(value);
                false
            }
            None => true,
        });
        kept.sort_unstable();
        // Two equal ones cancel each other.
        let mut members: Vec<Term> = Vec::with_capacity(kept.len());
        for member in kept {
            if members.last() == Some(&member) {
                members.pop();
            } else {
                members.push(member);
            }
        }
        let negated = mask.is_ones() && !members.is_empty();
        if !negated && (!mask.is_zero() || members.is_empty()) {
            members.push(self.bit_vector(&mask));
        }
        let term = match members[..] {
            [single] => single,
            _ => self.bit_operation(BitOp::Xor, &members),
        };
        if negated { self.bv_not(term) } else { term }
    }

    /// The arguments, those of small operations of the same kind inside dissolved.
    fn collect_operands(&self, op: BitOp, args: &[Term], into: &mut Vec<Term>) {
        for &arg in args {
            match self.as_bit_op(arg) {
                Some((inner, parts)) if inner == op && parts.len() <= FLATTEN_LIMIT => {
                    into.extend_from_slice(parts);
                }
                _ => into.push(arg),
            }
        }
    }

    /// Whether the term is a conjunction of negations and at most a number: the negation of a disjunction.
    pub(crate) fn is_negated_disjunction(&self, term: Term) -> bool {
        let is_negation =
            |&arg: &Term| matches!(self.as_bit_op(arg), Some((BitOp::Not | BitOp::Constant(_), _)));
        matches!(self.as_bit_op(term), Some((BitOp::And, args)) if args.iter().all(is_negation))
    }

    /// `(bvnand a b)`.
    pub fn bv_nand(&mut self, a: Term, b: Term) -> Term {
        let both = self.bv_and(&[a, b]);
        self.bv_not(both)
    }

    /// `(bvnor a b)`.
    pub fn bv_nor(&mut self, a: Term, b: Term) -> Term {
        let either = self.bv_or(&[a, b]);
        self.bv_not(either)
    }

    /// `(bvxnor a b)`.
    pub fn bv_xnor(&mut self, a: Term, b: Term) -> Term {
        let different = self.bv_xor(&[a, b]);
        self.bv_not(different)
    }
}
