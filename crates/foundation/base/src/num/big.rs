//! Integers of any size: the only file that names the library that computes with them.
//!
//! The rest of the crate uses the few operations of [`BigInt`], so that the library can be exchanged by
//! rewriting this file. Nothing here normalises: a `BigInt` may hold a small value, and [`Int`](super::Int)
//! and [`Rat`](super::Rat) decide what becomes of a result.

use std::fmt;

use dashu_int::Sign;
use dashu_int::ops::{BitTest, DivRem, Gcd};
use dashu_int::{IBig, UBig};

use crate::add_work;

/// The units of work that the sum of two numbers counts for; most numbers here have few words.
const WORK_OF_OPERATION: usize = 4;

/// An integer of any size.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct BigInt(IBig);

impl BigInt {
    #[inline]
    pub(super) fn from_i64(n: i64) -> BigInt {
        BigInt(IBig::from(n))
    }

    #[inline]
    pub(super) fn from_i128(n: i128) -> BigInt {
        BigInt(IBig::from(n))
    }

    /// Reads a non-empty string of decimal digits.
    pub(super) fn from_digits(digits: &str) -> Option<BigInt> {
        debug_assert!(digits.bytes().all(|b| b.is_ascii_digit()));
        IBig::from_str_radix(digits, 10).ok().map(BigInt)
    }

    /// The number with these words, the lowest first.
    pub(super) fn from_magnitude(words: &[u64]) -> BigInt {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        BigInt(IBig::from(UBig::from_le_bytes(&bytes)))
    }

    /// The words of the magnitude, the lowest first.
    pub(super) fn magnitude(&self) -> Vec<u64> {
        let bytes = self.0.as_sign_words().1.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        bytes.chunks(8).map(word).collect()
    }

    #[inline]
    pub(super) fn to_i64(&self) -> Option<i64> {
        i64::try_from(&self.0).ok()
    }

    /// The nearest floating-point number.
    pub(super) fn to_f64(&self) -> f64 {
        self.0.to_f64().value()
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    pub(super) fn is_one(&self) -> bool {
        self.0.is_one()
    }

    pub(super) fn is_negative(&self) -> bool {
        self.0.sign() == Sign::Negative
    }

    pub(super) fn is_even(&self) -> bool {
        !self.0.bit(0)
    }

    /// The number of bits of the magnitude; zero has none.
    pub(super) fn bits(&self) -> u64 {
        self.0.as_sign_words().1.last().map_or(0, |top| {
            let words = self.0.as_sign_words().1.len() as u64;
            words * u64::from(dashu_int::Word::BITS) - u64::from(top.leading_zeros())
        })
    }

    pub(super) fn neg(self) -> BigInt {
        BigInt(-self.0)
    }

    pub(super) fn add(&self, other: &BigInt) -> BigInt {
        add_work(WORK_OF_OPERATION);
        BigInt(&self.0 + &other.0)
    }

    pub(super) fn sub(&self, other: &BigInt) -> BigInt {
        add_work(WORK_OF_OPERATION);
        BigInt(&self.0 - &other.0)
    }

    pub(super) fn mul(&self, other: &BigInt) -> BigInt {
        add_work(WORK_OF_OPERATION);
        BigInt(&self.0 * &other.0)
    }

    pub(super) fn add_assign(&mut self, other: &BigInt) {
        add_work(WORK_OF_OPERATION);
        self.0 += &other.0;
    }

    pub(super) fn sub_assign(&mut self, other: &BigInt) {
        add_work(WORK_OF_OPERATION);
        self.0 -= &other.0;
    }

    /// The quotient rounded towards zero, and the remainder, which has the sign of `self`.
    pub(super) fn div_rem(&self, other: &BigInt) -> (BigInt, BigInt) {
        add_work(2 * WORK_OF_OPERATION);
        let (quotient, remainder) = (&self.0).div_rem(&other.0);
        (BigInt(quotient), BigInt(remainder))
    }

    /// The quotient rounded towards zero.
    pub(super) fn div(&self, other: &BigInt) -> BigInt {
        add_work(2 * WORK_OF_OPERATION);
        BigInt(&self.0 / &other.0)
    }

    /// The non-negative greatest common divisor.
    pub(super) fn gcd(&self, other: &BigInt) -> BigInt {
        add_work(4 * WORK_OF_OPERATION);
        if self.is_zero() && other.is_zero() {
            return BigInt(IBig::ZERO);
        }
        BigInt(IBig::from((&self.0).gcd(&other.0)))
    }

    pub(super) fn pow(&self, exponent: u32) -> BigInt {
        BigInt(self.0.pow(exponent as usize))
    }

    /// `self` times two to the power of `places`.
    pub(super) fn shift_left(&self, places: usize) -> BigInt {
        BigInt(&self.0 << places)
    }
}

impl fmt::Display for BigInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
