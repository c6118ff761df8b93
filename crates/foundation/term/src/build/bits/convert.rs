//! Conversions between bit-vectors and integers.

use shem_base::{BitVec, Int};

use crate::bits::BitOp;
use crate::sort::Sort;
use crate::store::{Node, Store};
use crate::term::Term;

impl Store {
    /// The number without a sign, as an integer.
    pub fn bv_to_int(&mut self, term: Term) -> Term {
        let mut term = term;
        while let Some((op, args)) = self.as_bit_op(term) {
            match (op, args) {
                (BitOp::Constant(number), _) => {
                    let value = self.bit_value(number).to_int();
                    return self.int(value);
                }
                (BitOp::FromInt, &[number]) => {
                    let modulus = Int::from(2).pow(self.width(term));
                    return self.int_mod(number, &modulus);
                }
                // Zeros above do not count.
                (BitOp::Concat, &[high, low]) if self.as_bit_vector(high).is_some_and(BitVec::is_zero) => {
                    term = low;
                }
                _ => break,
            }
        }
        self.bit_application(BitOp::ToInt, &[term], Sort::Int)
    }

    /// The number with a sign, as an integer.
    pub fn bv_to_signed_int(&mut self, term: Term) -> Term {
        let number = self.bv_to_int(term);
        let modulus = self.int(Int::from(2).pow(self.width(term)));
        let below = self.sub(number, modulus);
        let negative = self.is_negative(term);
        self.ite(negative, below, number)
    }

    /// The bit-vector of this width for an integer, modulo 2 to the power of the width.
    pub fn int_to_bv(&mut self, width: u32, number: Term) -> Term {
        if let Some(value) = self.as_num(number) {
            let value = BitVec::from_int(width, &value.numer());
            return self.bit_vector(&value);
        }
        if let Some((BitOp::ToInt, &[term])) = self.as_bit_op(number) {
            let own = self.width(term);
            return match width > own {
                true => self.bv_zero_extend(width - own, term),
                false => self.bv_extract(width - 1, 0, term),
            };
        }
        if let Node::Mod(inner, modulus) = self.node(number)
            && Int::from(2).pow(width).divides(self.num_int(modulus))
        {
            return self.int_to_bv(width, inner);
        }
        let sort = Sort::bit_vec(width).expect("a width within the limit");
        self.bit_application(BitOp::FromInt, &[number], sort)
    }
}
