//! Bit-vectors of a fixed width: the values of SMT-LIB's sorts `(_ BitVec n)`.
//!
//! Up to 64 bits are inline, and computing with them does not allocate. Sums, products and the like are taken modulo
//! 2 to the power of the width; shifts, parts and comparisons are those of SMT-LIB.

use std::cmp::Ordering;
use std::fmt;

use crate::Int;

/// The bits of a word.
const WORD: u32 = u64::BITS;

/// A bit-vector. The order is by width, then by the number without a sign.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BitVec {
    width: u32,
    words: Words,
}

/// Invariant *canonical*: up to 64 bits are `Small`; more are `Big`, with as many words as they need, the lowest first.
/// Bits beyond the width are zero. So equal bit-vectors have equal representations.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Words {
    Small(u64),
    Big(Box<[u64]>),
}

impl BitVec {
    /// The bit-vector of this width for a number, modulo 2 to the power of the width.
    ///
    /// # Panics
    /// If the width is zero.
    pub fn new(width: u32, number: u64) -> BitVec {
        BitVec::from_words(width, |at| if at == 0 { number } else { 0 })
    }

    /// The bit-vector whose words these are, the lowest first; what is beyond the width is dropped.
    fn from_words(width: u32, mut word: impl FnMut(usize) -> u64) -> BitVec {
        assert!(width > 0, "a bit-vector has a bit");
        if width <= WORD {
            return BitVec { width, words: Words::Small(word(0) & (u64::MAX >> (WORD - width))) };
        }
        let mut words: Box<[u64]> = (0..width.div_ceil(WORD) as usize).map(word).collect();
        if let Some(top) = words.last_mut() {
            *top &= u64::MAX >> ((WORD - width % WORD) % WORD);
        }
        BitVec { width, words: Words::Big(words) }
    }

    /// The bit-vector with these bits, the lowest first.
    pub fn from_bits(width: u32, bit: impl Fn(u32) -> bool) -> BitVec {
        BitVec::from_words(width, |at| {
            let first = at as u32 * WORD;
            let bits = first..width.min(first + WORD);
            bits.fold(0, |word, place| word | u64::from(bit(place)) << (place - first))
        })
    }

    /// The bit-vector of this width for an integer, modulo 2 to the power of the width.
    pub fn from_int(width: u32, number: &Int) -> BitVec {
        if let Some(small) = number.to_i64() {
            let sign = if small < 0 { u64::MAX } else { 0 };
            return BitVec::from_words(width, |at| if at == 0 { small as u64 } else { sign });
        }
        let magnitude = number.magnitude();
        let result = BitVec::from_words(width, |at| magnitude.get(at).copied().unwrap_or(0));
        if number.is_negative() { result.neg() } else { result }
    }

    /// The bit-vector that a text of digits stands for, with so many bits a digit (1 or 4); `None` if it is none.
    pub fn from_digits(digits: &str, bits: u32) -> Option<BitVec> {
        let values: Option<Vec<u32>> = digits.chars().rev().map(|digit| digit.to_digit(1 << bits)).collect();
        let values = values.filter(|values| !values.is_empty())?;
        let width = u32::try_from(values.len()).ok()?.checked_mul(bits)?;
        Some(BitVec::from_bits(width, |at| values[(at / bits) as usize] >> (at % bits) & 1 == 1))
    }

    /// All bits zero.
    pub fn zero(width: u32) -> BitVec {
        BitVec::new(width, 0)
    }

    /// All bits one.
    pub fn ones(width: u32) -> BitVec {
        BitVec::from_words(width, |_| u64::MAX)
    }

    /// The least number with a sign: the highest bit alone.
    pub fn least(width: u32) -> BitVec {
        BitVec::from_bits(width, |at| at == width - 1)
    }

    /// The number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    fn words(&self) -> &[u64] {
        match &self.words {
            Words::Small(word) => std::slice::from_ref(word),
            Words::Big(words) => words,
        }
    }

    fn word(&self, at: usize) -> u64 {
        self.words().get(at).copied().unwrap_or(0)
    }

    /// The bit at a place, the lowest being 0; false beyond the width.
    pub fn bit(&self, place: u32) -> bool {
        self.word((place / WORD) as usize) >> (place % WORD) & 1 == 1
    }

    /// The highest bit: whether the number with a sign is negative.
    pub fn is_negative(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// Whether all bits are zero.
    pub fn is_zero(&self) -> bool {
        self.words().iter().all(|&word| word == 0)
    }

    /// Whether all bits are one.
    pub fn is_ones(&self) -> bool {
        *self == BitVec::ones(self.width)
    }

    /// Whether the number is one.
    pub fn is_one(&self) -> bool {
        self.to_u64() == Some(1)
    }

    /// The number of zeros below the lowest one; the width if there is no one.
    pub fn trailing_zeros(&self) -> u32 {
        match self.words().iter().position(|&word| word != 0) {
            Some(at) => at as u32 * WORD + self.word(at).trailing_zeros(),
            None => self.width,
        }
    }

    /// The exponent, if the number is a power of two.
    pub fn exponent(&self) -> Option<u32> {
        let ones: u32 = self.words().iter().map(|word| word.count_ones()).sum();
        (ones == 1).then(|| self.trailing_zeros())
    }

    /// The number without a sign, if it fits a word.
    pub fn to_u64(&self) -> Option<u64> {
        self.words()[1..].iter().all(|&word| word == 0).then(|| self.word(0))
    }

    /// The number without a sign.
    pub fn to_int(&self) -> Int {
        Int::from_magnitude(self.words())
    }

    /// The number whose sign is the highest bit.
    pub fn to_signed(&self) -> Int {
        let number = self.to_int();
        if self.is_negative() { number - Int::from(2).pow(self.width) } else { number }
    }

    /// Word by word.
    fn zip(&self, other: &BitVec, operation: impl Fn(u64, u64) -> u64) -> BitVec {
        debug_assert_eq!(self.width, other.width);
        BitVec::from_words(self.width, |at| operation(self.word(at), other.word(at)))
    }

    /// Bit by bit: not.
    pub fn not(&self) -> BitVec {
        BitVec::from_words(self.width, |at| !self.word(at))
    }

    /// Bit by bit: and.
    pub fn and(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a & b)
    }

    /// Bit by bit: exclusive or.
    pub fn xor(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a ^ b)
    }

    /// The sum.
    pub fn add(&self, other: &BitVec) -> BitVec {
        debug_assert_eq!(self.width, other.width);
        let mut carry = false;
        BitVec::from_words(self.width, |at| {
            let (sum, first) = self.word(at).overflowing_add(other.word(at));
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            sum
        })
    }

    /// The number with the other sign.
    pub fn neg(&self) -> BitVec {
        self.not().add(&BitVec::new(self.width, 1))
    }

    /// The product.
    pub fn mul(&self, other: &BitVec) -> BitVec {
        debug_assert_eq!(self.width, other.width);
        let (left, right) = (self.words(), other.words());
        let mut product = vec![0_u64; left.len()];
        for (at, &a) in left.iter().enumerate().filter(|(_, a)| **a != 0) {
            let mut carry = 0_u128;
            for (place, &b) in product[at..].iter_mut().zip(right) {
                carry += u128::from(*place) + u128::from(a) * u128::from(b);
                *place = carry as u64;
                carry >>= WORD;
            }
        }
        BitVec::from_words(self.width, |at| product[at])
    }

    /// The quotient without signs; by zero, all ones.
    pub fn udiv(&self, other: &BitVec) -> BitVec {
        match (&self.words, &other.words) {
            _ if other.is_zero() => BitVec::ones(self.width),
            (Words::Small(a), Words::Small(b)) => BitVec::new(self.width, a / b),
            _ => BitVec::from_int(self.width, &self.to_int().div_floor(&other.to_int())),
        }
    }

    /// The remainder without signs; by zero, the dividend.
    pub fn urem(&self, other: &BitVec) -> BitVec {
        match (&self.words, &other.words) {
            _ if other.is_zero() => self.clone(),
            (Words::Small(a), Words::Small(b)) => BitVec::new(self.width, a % b),
            _ => BitVec::from_int(self.width, &self.to_int().rem_floor(&other.to_int())),
        }
    }

    /// The odd number by which the product with this odd number is one.
    ///
    /// # Panics
    /// If the number is even.
    pub fn inverse(&self) -> BitVec {
        assert!(self.bit(0), "an odd number");
        // Newton's iteration: an odd number is its own inverse modulo 8, and each step doubles the bits that are right.
        let two = BitVec::new(self.width, 2);
        let mut inverse = self.clone();
        let mut right = 3;
        while right < self.width {
            inverse = inverse.mul(&two.add(&self.mul(&inverse).neg()));
            right *= 2;
        }
        inverse
    }

    /// The bits from `low` to `high`, both included.
    ///
    /// # Panics
    /// If there are no such bits.
    pub fn extract(&self, high: u32, low: u32) -> BitVec {
        assert!(low <= high && high < self.width, "bits of the bit-vector");
        BitVec::from_words(high - low + 1, |at| {
            let (first, offset) = ((low / WORD) as usize + at, low % WORD);
            let upper = if offset == 0 { 0 } else { self.word(first + 1) << (WORD - offset) };
            self.word(first) >> offset | upper
        })
    }

    /// These bits above those of `low`.
    pub fn concat(&self, low: &BitVec) -> BitVec {
        let (skipped, offset) = ((low.width / WORD) as usize, low.width % WORD);
        BitVec::from_words(self.width + low.width, |at| {
            let Some(own) = at.checked_sub(skipped) else { return low.word(at) };
            let carried = if own > 0 && offset > 0 { self.word(own - 1) >> (WORD - offset) } else { 0 };
            low.word(at) | self.word(own) << offset | carried
        })
    }

    /// The number with a sign, with so many bits more.
    pub fn sign_extend(&self, by: u32) -> BitVec {
        BitVec::from_bits(self.width + by, |at| self.bit(at.min(self.width - 1)))
    }

    /// Shifted to the left; zeros come in.
    pub fn shl(&self, distance: &BitVec) -> BitVec {
        match self.near(distance) {
            Some(by) => BitVec::from_bits(self.width, |at| at >= by && self.bit(at - by)),
            None => BitVec::zero(self.width),
        }
    }

    /// Shifted to the right; zeros come in.
    pub fn lshr(&self, distance: &BitVec) -> BitVec {
        match self.near(distance) {
            Some(by) => BitVec::from_bits(self.width, |at| self.bit(at + by)),
            None => BitVec::zero(self.width),
        }
    }

    /// Shifted to the right; copies of the highest bit come in.
    pub fn ashr(&self, distance: &BitVec) -> BitVec {
        let (top, by) = (self.width - 1, self.near(distance).unwrap_or(self.width));
        BitVec::from_bits(self.width, |at| self.bit((at + by).min(top)))
    }

    /// A distance that is less than the width.
    fn near(&self, distance: &BitVec) -> Option<u32> {
        distance.to_u64().and_then(|by| u32::try_from(by).ok()).filter(|&by| by < self.width)
    }

    /// The order of the numbers with signs.
    pub fn signed_cmp(&self, other: &BitVec) -> Ordering {
        other.is_negative().cmp(&self.is_negative()).then_with(|| self.cmp(other))
    }
}

impl Ord for BitVec {
    fn cmp(&self, other: &BitVec) -> Ordering {
        let numbers = || self.words().iter().rev().cmp(other.words().iter().rev());
        self.width.cmp(&other.width).then_with(numbers)
    }
}

impl PartialOrd for BitVec {
    fn partial_cmp(&self, other: &BitVec) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// As SMT-LIB writes it: by hexadecimal digits if four divides the width.
impl fmt::Display for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = if self.width.is_multiple_of(4) { 4 } else { 1 };
        f.write_str(if bits == 4 { "#x" } else { "#b" })?;
        for digit in (0..self.width / bits).rev() {
            let value = (0..bits).fold(0, |value, at| value | u32::from(self.bit(digit * bits + at)) << at);
            write!(f, "{value:x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    fn random(rng: &mut Rng, width: u32) -> BitVec {
        let words: Vec<u64> = (0..width.div_ceil(WORD)).map(|_| rng.below(u64::MAX)).collect();
        match rng.below(6) {
            0 => BitVec::new(width, rng.below(3)),
            1 => BitVec::ones(width),
            2 => BitVec::least(width),
            _ => BitVec::from_words(width, |at| words[at]),
        }
    }

    /// Every operation beside its definition on integers, at widths on either side of a word.
    #[test]
    fn operations_are_those_of_integers() {
        let mut rng = Rng::new(7);
        for round in 0..4_000 {
            let width = [1, 2, 3, 8, 31, 32, 63, 64, 65, 66, 127, 128, 129, 200][round % 14];
            let modulus = Int::from(2).pow(width);
            let (a, b) = (random(&mut rng, width), random(&mut rng, width));
            let (x, y) = (a.to_int(), b.to_int());
            assert!(!x.is_negative() && x < modulus);
            let wrapped = |number: &Int| BitVec::from_int(width, number);
            assert_eq!(wrapped(&x), a);
            assert_eq!(wrapped(&a.to_signed()), a);
            assert_eq!(wrapped(&(&x - &(&modulus * &modulus))), a);
            assert_eq!(a.add(&b).to_int(), (&x + &y).rem_floor(&modulus));
            assert_eq!(a.neg().to_int(), (-&x).rem_floor(&modulus));
            assert_eq!(a.mul(&b).to_int(), (&x * &y).rem_floor(&modulus));
            if !b.is_zero() {
                assert_eq!(a.udiv(&b).to_int(), x.div_floor(&y));
                assert_eq!(a.urem(&b).to_int(), x.rem_floor(&y));
            }
            let distance = BitVec::new(width, rng.below(u64::from(width) + 2));
            let by = Int::from(2).pow(distance.to_u64().unwrap_or(0) as u32);
            assert_eq!(a.shl(&distance), wrapped(&(&x * &by)));
            assert_eq!(a.lshr(&distance), wrapped(&x.div_floor(&by)));
            assert_eq!(a.ashr(&distance), wrapped(&a.to_signed().div_floor(&by)));
            assert_eq!(a.concat(&b).to_int(), &x * &modulus + &y);
            assert_eq!(a.sign_extend(67).to_signed(), a.to_signed());
            let low = rng.below(u64::from(width)) as u32;
            let high = low + rng.below(u64::from(width - low)) as u32;
            let part = x.div_floor(&Int::from(2).pow(low)).rem_floor(&Int::from(2).pow(high - low + 1));
            assert_eq!(a.extract(high, low).to_int(), part);
            assert_eq!(a.cmp(&b), x.cmp(&y));
            assert_eq!(a.signed_cmp(&b), a.to_signed().cmp(&b.to_signed()));
            // The sum counts common bits twice.
            assert_eq!(a.add(&b), a.xor(&b).add(&a.and(&b).shl(&BitVec::new(width, 1))));
            assert_eq!(a.not(), a.neg().add(&BitVec::ones(width)));
            if a.bit(0) {
                assert!(a.mul(&a.inverse()) == BitVec::new(width, 1));
            }
            let text = a.to_string();
            let bits = if text.starts_with("#x") { 4 } else { 1 };
            assert_eq!(BitVec::from_digits(&text[2..], bits), Some(a));
        }
        assert_eq!(BitVec::from_digits("", 1), None);
        assert_eq!(BitVec::from_digits("12", 1), None);
    }

    #[test]
    fn a_bit_vector_is_three_words() {
        assert_eq!(size_of::<BitVec>(), 24);
    }
}
