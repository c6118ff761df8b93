//! Bit-vectors between integers, written as integers.
//!
//! Front ends translate casts and shifts of machine integers to bit-vectors and back, with integers as variables. Such a
//! bit-vector is the integer that it stands for without a sign, from 0 to 2^w - 1 for a width w: sums and products are
//! taken modulo 2^w, once for a whole sum, parts are quotients and remainders by powers of two, a shift by a term that
//! is no number goes by the bits of the distance. All of this is exact.
//!
//! There may be no variables, functions or arrays of bit-vectors. Conjunction and exclusive disjunction are exact where
//! one argument is a number, or where there are few bits. Otherwise the common bits are an application of a symbol of
//! its own, for a caller that knows what to put in its place, and an error for any other ([`CommonBits`]).

use rustc_hash::FxHashMap;
use shem_base::{BitVec, Int, Rat};

use crate::bits::BitOp;
use crate::sort::Sort;
use crate::store::Store;
use crate::symbol::Symbol;
use crate::term::{Term, View};

/// Why a term cannot be written by integers.
pub(crate) const NO_INTEGERS: &str = "bit-vectors other than conversions of integers are not supported yet";
/// The greatest width that is written by integers: a mask of n bits may take n numbers of n bits.
const INTEGER_WIDTH: u32 = 4_096;
const TOO_WIDE: &str = "between integers, bit-vectors with more than 4096 bits are not supported yet";
const NO_MASK: &str = "operations on single bits need an argument that is a number";
/// The width up to which the common bits of two terms are written out bit by bit.
const WRITTEN_OUT: u32 = 8;

/// What becomes of the common bits of two terms that are no numbers and have many bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommonBits {
    /// They are an error.
    Refused,
    /// They are an application, to two integers that are not negative, of this symbol, which is made when it is needed.
    Kept(Option<Symbol>),
}

/// The integers for the bit-vectors that were met.
#[derive(Default)]
struct Integers {
    /// From 0 to 2^w - 1.
    values: FxHashMap<Term, Term>,
    /// Any integer with the right remainder modulo 2^w, where it is simpler.
    congruent: FxHashMap<Term, Term>,
    /// Terms of other sorts with bit-vectors inside, and what they become.
    replaced: Vec<(Term, Term)>,
}

impl Integers {
    fn value(&self, term: Term) -> Term {
        self.values[&term]
    }

    fn congruent(&self, term: Term) -> Term {
        self.congruent.get(&term).copied().unwrap_or_else(|| self.value(term))
    }
}

impl Store {
    /// The term without bit-vectors; an error, for the user, if they are more than conversions of integers.
    pub fn bits_as_integers(&mut self, root: Term, common: &mut CommonBits) -> Result<Term, &'static str> {
        let subterms = self.subterms(&[root]);
        if subterms.iter().all(|&term| self.sort(term).bit_width().is_none()) {
            return Ok(root);
        }
        if self.sort(root).bit_width().is_some() {
            return Err(NO_INTEGERS);
        }
        let mut integers = Integers::default();
        for term in subterms {
            if let Some(width) = self.sort(term).bit_width() {
                let value = self.integer_of_bits(term, width, &mut integers, common)?;
                integers.values.insert(term, value);
                continue;
            }
            if let View::Forall(variables, _) = self.view(term)
                && variables.iter().any(|&variable| self.sort(variable).bit_width().is_some())
            {
                return Err(NO_INTEGERS);
            }
            let mut has_bits = false;
            self.for_each_child(term, |child| has_bits |= self.sort(child).bit_width().is_some());
            if has_bits {
                let result = self.relation_of_integers(term, &integers)?;
                integers.replaced.push((term, result));
            }
        }
        Ok(self.replace(root, &integers.replaced))
    }

    /// A comparison or conversion of bit-vectors.
    fn relation_of_integers(&mut self, term: Term, integers: &Integers) -> Result<Term, &'static str> {
        if let View::Equal(a, b) = self.view(term) {
            // The highest bit is one: the number is in the upper half.
            for (constant, bit) in [(a, b), (b, a)] {
                if let Some((BitOp::Extract { high, low }, &[whole])) = self.as_bit_op(bit)
                    && high == low
                    && high + 1 == self.width(whole)
                    && self.as_bit_vector(constant).is_some_and(BitVec::is_one)
                {
                    let half = self.int(power(high));
                    return Ok(self.ge(integers.value(whole), half));
                }
            }
            return Ok(self.eq(integers.value(a), integers.value(b)));
        }
        match self.as_bit_op(term) {
            Some((BitOp::LessEqual, &[a, b])) => Ok(self.le(integers.value(a), integers.value(b))),
            Some((BitOp::SignedLessEqual, &[a, b])) => {
                let width = self.width(a);
                let [a, b] = [a, b].map(|term| signed(self, width, integers.value(term)));
                Ok(self.le(a, b))
            }
            Some((BitOp::ToInt, &[a])) => Ok(integers.value(a)),
            _ => Err(NO_INTEGERS),
        }
    }

    /// The integer of a bit-vector whose parts are known.
    fn integer_of_bits(
        &mut self,
        term: Term,
        width: u32,
        integers: &mut Integers,
        common: &mut CommonBits,
    ) -> Result<Term, &'static str> {
        if width > INTEGER_WIDTH {
            return Err(TOO_WIDE);
        }
        if let View::Ite(condition, then, otherwise) = self.view(term) {
            let condition = self.replace(condition, &integers.replaced);
            return Ok(self.ite(condition, integers.value(then), integers.value(otherwise)));
        }
        let Some((op, args)) = self.as_bit_op(term) else { return Err(NO_INTEGERS) };
        let args = args.to_vec();
        let modulus = power(width);
        Ok(match op {
            BitOp::Constant(number) => {
                let value = self.bit_value(number).to_int();
                self.int(value)
            }
            BitOp::FromInt | BitOp::Add | BitOp::Multiply => {
                let number = match op {
                    BitOp::FromInt => self.replace(args[0], &integers.replaced),
                    _ => {
                        let parts: Vec<Term> = args.iter().map(|&arg| integers.congruent(arg)).collect();
                        if op == BitOp::Add { self.add(&parts) } else { self.product(&parts) }
                    }
                };
                integers.congruent.insert(term, number);
                self.int_mod(number, &modulus)
            }
            BitOp::Not => {
                let all = self.int(&modulus - &Int::ONE);
                self.sub(all, integers.value(args[0]))
            }
            BitOp::And | BitOp::Xor => {
                // The negation of a disjunction has its members negated; bounds are known of the disjunction.
                let is_disjunction = op == BitOp::And
                    && self.as_bit_vector(args[1]).is_none()
                    && args.iter().all(|&arg| self.is_bitwise_negation(arg));
                let mut members = Vec::with_capacity(args.len());
                for &arg in &args {
                    members.push(match self.as_bit_op(arg) {
                        Some((BitOp::Not, &[inner])) if is_disjunction => integers.value(inner),
                        _ if is_disjunction => {
                            let all = self.int(-1);
                            let negated = self.sub(all, integers.congruent(arg));
                            self.int_mod(negated, &modulus)
                        }
                        _ => integers.value(arg),
                    });
                }
                // A sum counts common bits twice; an exclusive disjunction has none of them.
                let times = if is_disjunction { -1 } else { -2 };
                let mut value = members[0];
                for &next in &members[1..] {
                    let both = self.common_bits(width, value, next, common)?;
                    value = if op == BitOp::And && !is_disjunction {
                        both
                    } else {
                        let both = self.scale(&Rat::from(times), both);
                        self.add(&[value, next, both])
                    };
                }
                if is_disjunction {
                    let all = self.int(&modulus - &Int::ONE);
                    value = self.sub(all, value);
                }
                value
            }
            BitOp::Concat => {
                let shifted = self.scale(&Rat::from(power(self.width(args[1]))), integers.value(args[0]));
                self.add(&[shifted, integers.value(args[1])])
            }
            BitOp::Extract { low: 0, .. } => {
                let number = integers.congruent(args[0]);
                self.int_mod(number, &modulus)
            }
            BitOp::Extract { high, low } => {
                let part = self.int_div(integers.value(args[0]), &power(low));
                if high + 1 == self.width(args[0]) { part } else { self.int_mod(part, &modulus) }
            }
            BitOp::SignExtend(by) => {
                let value = integers.value(args[0]);
                let half = self.int(power(width - by - 1));
                let negative = self.ge(value, half);
                let copies = self.int(&modulus - &power(width - by));
                let extended = self.add(&[value, copies]);
                self.ite(negative, extended, value)
            }
            BitOp::Quotient | BitOp::Remainder => {
                let [first, second] = [args[0], args[1]].map(|arg| integers.value(arg));
                let zero = self.int(0);
                let by_zero = self.eq(second, zero);
                let (default, value) = match op {
                    BitOp::Quotient => (self.int(&modulus - &Int::ONE), self.int_quotient(first, second)),
                    _ => (first, self.remainder(first, second)),
                };
                self.ite(by_zero, default, value)
            }
            BitOp::ShiftLeft | BitOp::ShiftRight | BitOp::ShiftRightSigned => {
                shifted(self, op, width, integers.value(args[0]), integers.value(args[1]))
            }
            BitOp::LessEqual | BitOp::SignedLessEqual | BitOp::ToInt => return Err(NO_INTEGERS),
        })
    }

    /// Whether the term is the bitwise negation of a simpler one, as far as can be seen, or a number.
    fn is_bitwise_negation(&self, term: Term) -> bool {
        let is_negative_multiple = |&part: &Term| match self.as_bit_op(part) {
            Some((BitOp::Multiply, factors)) => {
                self.as_bit_vector(factors[0]).is_some_and(|number| number.bit(number.width() - 1))
            }
            _ => false,
        };
        match self.as_bit_op(term) {
            Some((BitOp::Add, parts)) => parts.first().is_some_and(is_negative_multiple),
            Some((op, _)) => matches!(op, BitOp::Not | BitOp::Constant(_)),
            None => false,
        }
    }

    /// The bits that two values of this width have in common.
    fn common_bits(
        &mut self,
        width: u32,
        a: Term,
        b: Term,
        common: &mut CommonBits,
    ) -> Result<Term, &'static str> {
        if a == b {
            return Ok(a);
        }
        match (self.as_num(a).map(Rat::numer), self.as_num(b).map(Rat::numer)) {
            (Some(mask), _) => Ok(masked(self, &mask, b)),
            (_, Some(mask)) => Ok(masked(self, &mask, a)),
            _ if width <= WRITTEN_OUT => {
                let (zero, one) = (self.int(0), self.int(1));
                let mut parts = vec![zero];
                for at in 0..width {
                    let [a, b] = [a, b].map(|value| {
                        let bit = self.int_div(value, &power(at));
                        let bit = self.int_mod(bit, &Int::from(2));
                        self.eq(bit, one)
                    });
                    let (both, weight) = (self.and2(a, b), self.int(power(at)));
                    parts.push(self.ite(both, weight, zero));
                }
                Ok(self.add(&parts))
            }
            _ => {
                let CommonBits::Kept(symbol) = common else { return Err(NO_MASK) };
                let declare = || self.declare("bvand", &[Sort::Int, Sort::Int], Sort::Int);
                let symbol = *symbol.get_or_insert_with(declare);
                Ok(self.apply(symbol, &[a, b]))
            }
        }
    }
}

/// 2 to the power of the exponent.
fn power(exponent: u32) -> Int {
    Int::from(2).pow(exponent)
}

/// The value with the first bit as its sign.
fn signed(store: &mut Store, width: u32, value: Term) -> Term {
    let half = store.int(power(width - 1));
    let negative = store.ge(value, half);
    let whole = store.int(power(width));
    let below = store.sub(value, whole);
    store.ite(negative, below, value)
}

/// The bits that a number and a value have in common, neither of which is negative: each run of ones of the number is a
/// part of the value.
pub fn masked(store: &mut Store, mask: &Int, value: Term) -> Term {
    let mut parts = vec![store.int(0)];
    let bits = u32::try_from(mask.bits()).unwrap_or(INTEGER_WIDTH);
    let is_set = |at: u32| at < bits && !mask.div_floor(&power(at)).is_even();
    let mut at = 0;
    while at < bits {
        if !is_set(at) {
            at += 1;
            continue;
        }
        let low = at;
        while is_set(at) {
            at += 1;
        }
        let part = store.int_div(value, &power(low));
        let part = store.int_mod(part, &power(at - low));
        parts.push(store.scale(&Rat::from(power(low)), part));
    }
    store.add(&parts)
}

/// A value shifted by a distance that is no number, bit by bit of the distance: quotients by powers of two are taken one
/// after the other.
fn shifted(store: &mut Store, op: BitOp, width: u32, value: Term, distance: Term) -> Term {
    let modulus = power(width);
    let start = if op == BitOp::ShiftRightSigned { signed(store, width, value) } else { value };
    // A number with a sign keeps it, however far it is shifted.
    let far = match op {
        BitOp::ShiftRightSigned => {
            let sign = store.int_div(start, &modulus);
            store.int_mod(sign, &modulus)
        }
        _ => store.int(0),
    };
    let (mut result, mut bits, mut step) = (start, distance, 1);
    while step < width {
        let bit = store.int_mod(bits, &Int::from(2));
        bits = store.int_div(bits, &Int::from(2));
        let one = store.int(1);
        let is_set = store.eq(bit, one);
        let next = match op {
            BitOp::ShiftLeft => {
                let next = store.scale(&Rat::from(power(step)), result);
                store.int_mod(next, &modulus)
            }
            _ => store.int_div(result, &power(step)),
        };
        result = store.ite(is_set, next, result);
        step *= 2;
    }
    let result = store.int_mod(result, &modulus);
    let limit = store.int(width);
    let is_near = store.lt(distance, limit);
    store.ite(is_near, result, far)
}
