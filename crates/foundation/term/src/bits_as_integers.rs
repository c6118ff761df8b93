//! Bit-vectors written as integers.
//!
//! Front ends translate casts and shifts of machine integers to bit-vectors and back, with integers as variables, and a
//! variable of width w may itself be given as an integer of a known range. A bit-vector becomes an integer that is
//! congruent to it modulo 2^w, with its range as far as that is known. It is brought into the range without a sign, from
//! 0 to 2^w - 1, or with one, from -2^(w-1) to 2^(w-1) - 1, only where an operation needs that: once for a whole sum,
//! and not at all where the known range lies inside. Where few multiples of 2^w come into question they are told apart
//! by cases, otherwise there is a remainder. Parts are quotients by powers of two, a shift by a term that is no number
//! goes by the bits of the distance. All of this is exact.
//!
//! There may be no other variables, functions or arrays of bit-vectors. Conjunction and exclusive disjunction are exact
//! where one argument is a number, or where there are few bits. Otherwise the common bits are an application of a symbol
//! of its own, for a caller that knows what to put in its place, and an error for any other ([`CommonBits`]).

use rustc_hash::FxHashMap;
use shem_base::{BitVec, Int, Rat};

use crate::bits::BitOp;
use crate::sort::Sort;
use crate::store::Store;
use crate::subst::Memo;
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
/// Up to so many multiples of 2^w are told apart by cases.
const MOST_CASES: i64 = 3;

/// What becomes of the common bits of two terms that are no numbers and have many bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommonBits {
    /// They are an error.
    Refused,
    /// They are an application, to two integers that are not negative, of this symbol, which is made when it is needed.
    Kept(Option<Symbol>),
}

/// An integer that stands for a bit-vector of width w: congruent modulo 2^w.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitInteger {
    /// The integer.
    pub term: Term,
    /// Its least and its greatest value, if they are known.
    pub range: Option<(Int, Int)>,
}

impl BitInteger {
    fn unbounded(term: Term) -> BitInteger {
        BitInteger { term, range: None }
    }

    fn number(store: &mut Store, number: &Int) -> BitInteger {
        BitInteger { term: store.int(number.clone()), range: Some((number.clone(), number.clone())) }
    }

    /// Whether it is known to be in the range of this width that begins with the least number.
    fn fits(&self, width: u32, least: &Int) -> bool {
        self.range.as_ref().is_some_and(|(low, high)| low >= least && *high < least + &power(width))
    }

    /// The integer of the range of this width that begins with the least number.
    fn within(&self, store: &mut Store, width: u32, least: &Int) -> BitInteger {
        let modulus = power(width);
        if self.fits(width, least) {
            return self.clone();
        }
        let range = Some((least.clone(), &(least + &modulus) - &Int::ONE));
        if let Some((low, high)) = &self.range {
            let multiple = |bound: &Int| (bound - least).div_floor(&modulus);
            let (first, last) = (multiple(low), multiple(high));
            if let Some(cases) = (&last - &first).to_i64().filter(|&cases| cases < MOST_CASES) {
                let less = |store: &mut Store, times: &Int| {
                    let multiple = store.int(times * &modulus);
                    store.sub(self.term, multiple)
                };
                let mut term = less(store, &last);
                for back in 1..=cases {
                    let times = &last - &Int::from(back);
                    let end = store.int(least + &(&(&times + &Int::ONE) * &modulus));
                    let is_below = store.lt(self.term, end);
                    let case = less(store, &times);
                    term = store.ite(is_below, case, term);
                }
                let shifted = cases == 0;
                let moved = (low - &(&last * &modulus), high - &(&last * &modulus));
                return BitInteger { term, range: if shifted { Some(moved) } else { range } };
            }
        }
        let offset = store.int(least.clone());
        let above = store.sub(self.term, offset);
        let remainder = store.int_mod(above, &modulus);
        BitInteger { term: store.add(&[remainder, offset]), range }
    }

    fn unsigned(&self, store: &mut Store, width: u32) -> BitInteger {
        self.within(store, width, &Int::ZERO)
    }

    fn signed(&self, store: &mut Store, width: u32) -> BitInteger {
        self.within(store, width, &-&power(width - 1))
    }
}

/// The integers for the bit-vectors that were met.
struct Integers {
    numbers: FxHashMap<Term, BitInteger>,
    /// Terms of other sorts, and what they become.
    rewritten: Memo,
}

impl Integers {
    fn get(&self, term: Term) -> &BitInteger {
        &self.numbers[&term]
    }

    fn unsigned(&self, store: &mut Store, term: Term) -> Term {
        self.get(term).unsigned(store, store.width(term)).term
    }
}

impl Store {
    /// The term without bit-vectors; an error, for the user, if they are more than conversions of integers and variables
    /// for which there are integers.
    pub fn bits_as_integers(
        &mut self,
        root: Term,
        variables: &FxHashMap<Term, BitInteger>,
        common: &mut CommonBits,
    ) -> Result<Term, &'static str> {
        let subterms = self.subterms(&[root]);
        if subterms.iter().all(|&term| self.sort(term).bit_width().is_none()) {
            return Ok(root);
        }
        if self.sort(root).bit_width().is_some() {
            return Err(NO_INTEGERS);
        }
        let mut integers =
            Integers { numbers: FxHashMap::default(), rewritten: std::mem::take(&mut self.rewriting) };
        integers.rewritten.clear();
        for term in subterms {
            if let Some(width) = self.sort(term).bit_width() {
                let number = match variables.get(&term) {
                    Some(number) => number.clone(),
                    None => self.integer_of_bits(term, width, &mut integers, common)?,
                };
                integers.numbers.insert(term, number);
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
                integers.rewritten.insert(term.index(), result);
            }
        }
        let result = self.rewrite(root, &mut integers.rewritten);
        self.rewriting = integers.rewritten;
        Ok(result)
    }

    /// A comparison or conversion of bit-vectors.
    fn relation_of_integers(&mut self, term: Term, integers: &Integers) -> Result<Term, &'static str> {
        if let View::Equal(a, b) = self.view(term) {
            // A test of the highest bit is one of the sign.
            for (constant, bit) in [(a, b), (b, a)] {
                if let Some((BitOp::Extract { high, low }, &[whole])) = self.as_bit_op(bit)
                    && high == low
                    && high + 1 == self.width(whole)
                    && let Some(is_set) = self.as_bit_vector(constant).map(BitVec::is_one)
                {
                    let is_negative = self.has_sign(integers.get(whole), high + 1);
                    return Ok(is_negative.xor(!is_set));
                }
            }
            let width = self.width(a);
            return Ok(self.congruent(integers.get(a), integers.get(b), width));
        }
        match self.as_bit_op(term) {
            Some((BitOp::LessEqual, &[a, b])) => {
                let [a, b] = [a, b].map(|term| integers.unsigned(self, term));
                Ok(self.le(a, b))
            }
            Some((BitOp::SignedLessEqual, &[a, b])) => {
                let width = self.width(a);
                let [a, b] = [a, b].map(|term| integers.get(term).signed(self, width).term);
                Ok(self.le(a, b))
            }
            Some((BitOp::ToInt, &[a])) => Ok(integers.unsigned(self, a)),
            _ => Err(NO_INTEGERS),
        }
    }

    /// Whether the highest bit of a bit-vector of this width is one.
    fn has_sign(&mut self, number: &BitInteger, width: u32) -> Term {
        if number.fits(width, &-&power(width - 1)) {
            let zero = self.int(0);
            return self.lt(number.term, zero);
        }
        let (number, half) = (number.unsigned(self, width).term, self.int(power(width - 1)));
        self.ge(number, half)
    }

    /// Whether two bit-vectors of this width are equal.
    fn congruent(&mut self, a: &BitInteger, b: &BitInteger, width: u32) -> Term {
        let modulus = power(width);
        if let (Some((low_a, high_a)), Some((low_b, high_b))) = (&a.range, &b.range) {
            // The difference is one of these multiples.
            let (first, last) = ((low_a - high_b).div_ceil(&modulus), (high_a - low_b).div_floor(&modulus));
            if let Some(more) = (&last - &first).to_i64().filter(|&more| more < MOST_CASES) {
                let mut cases = Vec::new();
                for times in 0..=more {
                    let multiple = self.int(&(&first + &Int::from(times)) * &modulus);
                    let sum = self.add(&[b.term, multiple]);
                    cases.push(self.eq(a.term, sum));
                }
                return self.or(&cases);
            }
        }
        let least = -&power(width - 1);
        let least = if a.fits(width, &least) || b.fits(width, &least) { least } else { Int::ZERO };
        let [a, b] = [a, b].map(|number| number.within(self, width, &least).term);
        self.eq(a, b)
    }

    /// The integer of a bit-vector whose parts are known.
    fn integer_of_bits(
        &mut self,
        term: Term,
        width: u32,
        integers: &mut Integers,
        common: &mut CommonBits,
    ) -> Result<BitInteger, &'static str> {
        if width > INTEGER_WIDTH {
            return Err(TOO_WIDE);
        }
        let hull = |a: &Option<(Int, Int)>, b: &Option<(Int, Int)>| match (a, b) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c).clone(), b.max(d).clone())),
            _ => None,
        };
        if let View::Ite(condition, then, otherwise) = self.view(term) {
            let condition = self.rewrite(condition, &mut integers.rewritten);
            let (then, otherwise) = (integers.get(then), integers.get(otherwise));
            let range = hull(&then.range, &otherwise.range);
            return Ok(BitInteger { term: self.ite(condition, then.term, otherwise.term), range });
        }
        let Some((op, args)) = self.as_bit_op(term) else { return Err(NO_INTEGERS) };
        let args = args.to_vec();
        let modulus = power(width);
        let whole = Some((Int::ZERO, &modulus - &Int::ONE));
        Ok(match op {
            BitOp::Constant(number) => {
                let value = self.bit_value(number).to_signed();
                BitInteger::number(self, &value)
            }
            BitOp::FromInt => {
                let number = self.rewrite(args[0], &mut integers.rewritten);
                BitInteger::unbounded(number)
            }
            BitOp::Add => {
                let parts: Vec<&BitInteger> = args.iter().map(|&arg| integers.get(arg)).collect();
                let mut range = Some((Int::ZERO, Int::ZERO));
                for part in &parts {
                    let sum = |((a, b), (c, d)): (&(Int, Int), &(Int, Int))| (a + c, b + d);
                    range = range.as_ref().zip(part.range.as_ref()).map(sum);
                }
                let terms: Vec<Term> = parts.iter().map(|part| part.term).collect();
                BitInteger { term: self.add(&terms), range }
            }
            BitOp::Multiply => {
                let parts: Vec<&BitInteger> = args.iter().map(|&arg| integers.get(arg)).collect();
                let mut range = Some((Int::ONE, Int::ONE));
                for part in &parts {
                    range = range.as_ref().zip(part.range.as_ref()).map(|((a, b), (c, d))| {
                        let corners = [a * c, a * d, b * c, b * d];
                        let least = corners.iter().min().expect("four").clone();
                        (least, corners.into_iter().max().expect("four"))
                    });
                }
                let terms: Vec<Term> = parts.iter().map(|part| part.term).collect();
                BitInteger { term: self.product(&terms), range }
            }
            BitOp::Not => {
                let all = self.int(-1);
                let BitInteger { term, range } = integers.get(args[0]);
                let flip = |(low, high): &(Int, Int)| (&-high - &Int::ONE, &-low - &Int::ONE);
                BitInteger { term: self.sub(all, *term), range: range.as_ref().map(flip) }
            }
            BitOp::And | BitOp::Xor => {
                // The negation of a disjunction has its members negated; bounds are known of the disjunction.
                let is_disjunction = op == BitOp::And
                    && self.as_bit_vector(args[1]).is_none()
                    && args.iter().all(|&arg| self.is_bitwise_negation(arg));
                let mut members = Vec::with_capacity(args.len());
                // Common bits are at most what each member is.
                let mut greatest = &modulus - &Int::ONE;
                for &arg in &args {
                    members.push(match self.as_bit_op(arg) {
                        Some((BitOp::Not, &[inner])) if is_disjunction => integers.unsigned(self, inner),
                        _ if is_disjunction => {
                            let all = self.int(-1);
                            let negated = self.sub(all, integers.get(arg).term);
                            self.int_mod(negated, &modulus)
                        }
                        _ => {
                            let number = integers.get(arg).unsigned(self, width);
                            let high = number.range.map(|(_, high)| high).filter(|_| op == BitOp::And);
                            greatest = high.map_or(greatest.clone(), |high| greatest.min(high));
                            number.term
                        }
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
                BitInteger { term: value, range: Some((Int::ZERO, greatest)) }
            }
            BitOp::Concat => {
                let above = power(self.width(args[1]));
                let low = integers.get(args[1]).unsigned(self, self.width(args[1]));
                let BitInteger { term: high, range } = integers.get(args[0]);
                let shifted = self.scale(&Rat::from(above.clone()), *high);
                let lows = low.range.as_ref();
                let sum =
                    |((a, b), (c, d)): (&(Int, Int), &(Int, Int))| (&(a * &above) + c, &(b * &above) + d);
                let range = range.as_ref().zip(lows).map(sum);
                BitInteger { term: self.add(&[shifted, low.term]), range }
            }
            // Congruent modulo a higher power of two.
            BitOp::Extract { low: 0, .. } => integers.get(args[0]).clone(),
            BitOp::Extract { low, .. } => {
                let BitInteger { term, range } = integers.get(args[0]);
                let by = power(low);
                let range = range.as_ref().map(|(a, b)| (a.div_floor(&by), b.div_floor(&by)));
                BitInteger { term: self.int_div(*term, &by), range }
            }
            BitOp::SignExtend(by) => integers.get(args[0]).signed(self, width - by),
            BitOp::Quotient | BitOp::Remainder => {
                let numbers = [args[0], args[1]].map(|arg| integers.get(arg).unsigned(self, width));
                let range = match [&numbers[0].range, &numbers[1].range] {
                    // By zero, the quotient is all ones, and the remainder the dividend.
                    [Some((_, high)), Some((least, greatest))] => match (op, least.is_positive()) {
                        (BitOp::Quotient, false) => whole,
                        (BitOp::Remainder, true) => Some((Int::ZERO, high.clone().min(greatest - &Int::ONE))),
                        _ => Some((Int::ZERO, high.clone())),
                    },
                    _ => whole,
                };
                let [first, second] = numbers.map(|number| number.term);
                let zero = self.int(0);
                let by_zero = self.eq(second, zero);
                let (default, value) = match op {
                    BitOp::Quotient => (self.int(&modulus - &Int::ONE), self.int_quotient(first, second)),
                    _ => (first, self.remainder(first, second)),
                };
                BitInteger { term: self.ite(by_zero, default, value), range }
            }
            BitOp::ShiftLeft | BitOp::ShiftRight | BitOp::ShiftRightSigned => {
                let value = match op {
                    BitOp::ShiftRightSigned => integers.get(args[0]).signed(self, width).term,
                    _ => integers.unsigned(self, args[0]),
                };
                let distance = integers.unsigned(self, args[1]);
                BitInteger { term: shifted(self, op, width, value, distance), range: whole }
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

/// A value, for a shift with signs that with its sign, shifted by a distance that is no number, bit by bit of the distance:
/// quotients by powers of two are taken one after the other.
fn shifted(store: &mut Store, op: BitOp, width: u32, value: Term, distance: Term) -> Term {
    let modulus = power(width);
    // A number with a sign keeps it, however far it is shifted.
    let far = match op {
        BitOp::ShiftRightSigned => {
            let sign = store.int_div(value, &modulus);
            store.int_mod(sign, &modulus)
        }
        _ => store.int(0),
    };
    let (mut result, mut bits, mut step) = (value, distance, 1);
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
