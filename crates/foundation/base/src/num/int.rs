//! Integers of any size, inline while they fit a machine word.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use super::big::BigInt;
use super::forms::convert_words;
use super::word;

/// An integer of any size.
///
/// Sixteen bytes. Values of a machine word are inline, and cloning or computing with them does not allocate.
#[derive(Clone, PartialEq, Eq)]
pub struct Int(pub(super) Repr);

/// The representation of an integer.
///
/// Invariant *canonical*: a value that [`word::fits`] is `Small`, any other is `Big`; so equal integers have
/// equal representations.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Repr {
    Small(i64),
    Big(Box<BigInt>),
}

const _: () = assert!(size_of::<Int>() == 16 && size_of::<Option<Int>>() == 16);

impl Int {
    /// The integer 0.
    pub const ZERO: Int = Int(Repr::Small(0));
    /// The integer 1.
    pub const ONE: Int = Int(Repr::Small(1));
    /// The integer -1.
    pub const MINUS_ONE: Int = Int(Repr::Small(-1));

    /// Whether this is zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0))
    }

    /// Whether this is one.
    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small(1))
    }

    /// Whether this is minus one.
    #[inline]
    pub fn is_minus_one(&self) -> bool {
        matches!(self.0, Repr::Small(-1))
    }

    /// Whether this is greater than zero.
    #[inline]
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    /// Whether this is less than zero.
    #[inline]
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// Whether two divides this.
    #[inline]
    pub fn is_even(&self) -> bool {
        match &self.0 {
            Repr::Small(n) => n & 1 == 0,
            Repr::Big(n) => n.is_even(),
        }
    }

    /// The sign: -1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small(n) => n.signum() as i32,
            Repr::Big(n) => big_signum(n),
        }
    }

    /// The absolute value.
    #[inline]
    pub fn abs(&self) -> Int {
        match &self.0 {
            Repr::Small(n) => Int(Repr::Small(n.abs())),
            Repr::Big(n) if n.is_negative() => -self,
            Repr::Big(_) => self.clone(),
        }
    }

    /// The value as a machine word, if it fits one.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small(n) => Some(*n),
            Repr::Big(n) => n.to_i64(),
        }
    }

    /// The number with these words, the lowest first.
    pub fn from_magnitude(words: &[u64]) -> Int {
        match words {
            [] => Int::ZERO,
            [word] => Int::from(*word),
            _ => Int::from_big(BigInt::from_magnitude(words)),
        }
    }

    /// The words of the absolute value, the lowest first.
    pub fn magnitude(&self) -> Vec<u64> {
        match &self.0 {
            Repr::Small(n) => vec![n.unsigned_abs()],
            Repr::Big(n) => n.magnitude(),
        }
    }

    /// The nearest floating-point number; infinite if the magnitude is beyond all of them.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Repr::Small(n) => *n as f64,
            Repr::Big(n) => n.to_f64(),
        }
    }

    /// The number of bits of the absolute value; zero has none.
    #[inline]
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Repr::Small(n) => u64::from(u64::BITS - n.unsigned_abs().leading_zeros()),
            Repr::Big(n) => n.bits(),
        }
    }

    /// This to the power of `exponent`; zero to the power of zero is one.
    pub fn pow(&self, exponent: u32) -> Int {
        if let Repr::Small(n) = self.0
            && let Some(power) = n.checked_pow(exponent)
        {
            return Int::from(power);
        }
        Int::from_big(self.to_big().pow(exponent))
    }

    /// The integer with this value, in the canonical representation.
    #[inline]
    pub(super) fn from_big(n: BigInt) -> Int {
        match n.to_i64() {
            Some(word) if word::fits(word) => Int(Repr::Small(word)),
            _ => Int(Repr::Big(Box::new(n))),
        }
    }

    /// The value for computing on the big path.
    #[inline]
    pub(super) fn to_big(&self) -> Cow<'_, BigInt> {
        match &self.0 {
            Repr::Small(n) => Cow::Owned(BigInt::from_i64(*n)),
            Repr::Big(n) => Cow::Borrowed(n),
        }
    }

    /// Checks the invariant *canonical*.
    #[cfg(test)]
    pub(super) fn check_invariants(&self) {
        match &self.0 {
            Repr::Small(n) => assert!(word::fits(*n)),
            Repr::Big(n) => assert!(!n.to_i64().is_some_and(word::fits), "{n} must be small"),
        }
    }
}

#[cold]
#[inline(never)]
fn big_signum(n: &BigInt) -> i32 {
    if n.is_negative() { -1 } else { 1 }
}

#[cold]
#[inline(never)]
fn big_from_i128(n: i128) -> Int {
    Int::from_big(BigInt::from_i128(n))
}

impl Default for Int {
    /// Zero.
    #[inline]
    fn default() -> Int {
        Int::ZERO
    }
}

impl From<i64> for Int {
    #[inline]
    fn from(n: i64) -> Int {
        if word::fits(n) { Int(Repr::Small(n)) } else { big_from_i128(n as i128) }
    }
}

impl From<i128> for Int {
    #[inline]
    fn from(n: i128) -> Int {
        match word::narrow(n) {
            Some(word) => Int(Repr::Small(word)),
            None => big_from_i128(n),
        }
    }
}

convert_words!(Int);

impl Hash for Int {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Repr::Small(n) => state.write_i64(*n),
            Repr::Big(n) => n.hash(state),
        }
    }
}

impl PartialOrd for Int {
    #[inline]
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Int) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            _ => big_cmp(self, other),
        }
    }
}

#[cold]
#[inline(never)]
fn big_cmp(a: &Int, b: &Int) -> Ordering {
    match (&a.0, &b.0) {
        (Repr::Big(a), Repr::Big(b)) => a.cmp(b),
        // A big number is beyond all small ones, on the side of its sign.
        (Repr::Big(a), _) => big_signum(a).cmp(&0),
        (_, Repr::Big(b)) => 0.cmp(&big_signum(b)),
        (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(n) => fmt::Display::fmt(n, f),
            Repr::Big(n) => fmt::Display::fmt(n, f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
