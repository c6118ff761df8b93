//! Rationals of any size, inline while numerator and denominator fit a machine word.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::num::NonZeroI64;

use super::Int;
use super::big::BigInt;
use super::forms::convert_words;
use super::int::Repr as IntRepr;
use super::word;

/// A rational number of any size.
///
/// Sixteen bytes. While numerator and denominator fit a machine word they are inline, and cloning or computing
/// with them does not allocate.
#[derive(Clone, PartialEq, Eq)]
pub struct Rat(pub(super) Repr);

/// The representation of a rational.
///
/// Invariant *lowest terms*: the denominator is positive, and coprime to the numerator.
/// Invariant *canonical*: the value is `Small` exactly if numerator and denominator both [`word::fits`]; so
/// equal rationals have equal representations.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Repr {
    Small { num: i64, den: NonZeroI64 },
    Big(Box<BigRat>),
}

/// A fraction of big integers, in lowest terms and with a positive denominator.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct BigRat {
    pub(super) num: BigInt,
    pub(super) den: BigInt,
}

// The denominator's niche holds the tag, and the box lies where the numerator would.
const _: () = assert!(size_of::<Rat>() == 16);

/// The denominator of an integer.
pub(super) const ONE: NonZeroI64 = NonZeroI64::new(1).expect("one is not zero");

impl Rat {
    /// The rational 0.
    pub const ZERO: Rat = Rat(Repr::Small { num: 0, den: ONE });
    /// The rational 1.
    pub const ONE: Rat = Rat(Repr::Small { num: 1, den: ONE });
    /// The rational -1.
    pub const MINUS_ONE: Rat = Rat(Repr::Small { num: -1, den: ONE });

    /// The fraction `num / den`, which need not be in lowest terms.
    ///
    /// # Panics
    /// If `den` is zero.
    pub fn new(num: impl Into<Int>, den: impl Into<Int>) -> Rat {
        let (num, den) = (num.into(), den.into());
        assert!(!den.is_zero(), "denominator is zero");
        if let (IntRepr::Small(num), IntRepr::Small(den)) = (&num.0, &den.0) {
            let divisor = word::gcd(num.unsigned_abs(), den.unsigned_abs()) as i64;
            let divisor = if *den < 0 { -divisor } else { divisor };
            return Rat::small(num / divisor, den / divisor);
        }
        Rat::from_big(num.to_big().into_owned(), den.to_big().into_owned())
    }

    /// The numerator of the fraction in lowest terms; it has the sign of the number.
    #[inline]
    pub fn numer(&self) -> Int {
        match &self.0 {
            Repr::Small { num, .. } => Int(IntRepr::Small(*num)),
            Repr::Big(big) => Int::from_big(big.num.clone()),
        }
    }

    /// The positive denominator of the fraction in lowest terms.
    #[inline]
    pub fn denom(&self) -> Int {
        match &self.0 {
            Repr::Small { den, .. } => Int(IntRepr::Small(den.get())),
            Repr::Big(big) => Int::from_big(big.den.clone()),
        }
    }

    /// Whether this is an integer.
    #[inline]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Small { den, .. } => *den == ONE,
            Repr::Big(big) => big.den.is_one(),
        }
    }

    /// Whether this is zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small { num: 0, .. })
    }

    /// Whether this is one.
    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small { num: 1, den: ONE })
    }

    /// Whether this is minus one.
    #[inline]
    pub fn is_minus_one(&self) -> bool {
        matches!(self.0, Repr::Small { num: -1, den: ONE })
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

    /// The sign: -1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small { num, .. } => num.signum() as i32,
            Repr::Big(big) => big_signum(big),
        }
    }

    /// The absolute value.
    #[inline]
    pub fn abs(&self) -> Rat {
        match &self.0 {
            Repr::Small { num, den } => Rat(Repr::Small { num: num.abs(), den: *den }),
            Repr::Big(big) if big.num.is_negative() => -self,
            Repr::Big(_) => self.clone(),
        }
    }

    /// The reciprocal.
    ///
    /// # Panics
    /// If this is zero.
    #[inline]
    pub fn recip(&self) -> Rat {
        match &self.0 {
            Repr::Small { num, den } => {
                assert!(*num != 0, "division by zero");
                Rat::small(if *num < 0 { -den.get() } else { den.get() }, num.abs())
            }
            Repr::Big(big) => big_recip(big),
        }
    }

    /// The greatest integer that is not above this.
    #[inline]
    pub fn floor(&self) -> Int {
        match &self.0 {
            Repr::Small { num, den } if *den == ONE => Int(IntRepr::Small(*num)),
            // The Euclidean quotient by a positive divisor rounds down.
            Repr::Small { num, den } => Int(IntRepr::Small(num.div_euclid(den.get()))),
            Repr::Big(_) => self.numer().div_floor(&self.denom()),
        }
    }

    /// The least integer that is not below this.
    #[inline]
    pub fn ceil(&self) -> Int {
        -(-self).floor()
    }

    /// The distance to the floor: at least zero, and less than one.
    pub fn fract(&self) -> Rat {
        self - Rat::from(self.floor())
    }

    /// The value as an integer, if it is one.
    #[inline]
    pub fn to_int(&self) -> Option<Int> {
        if self.is_integer() { Some(self.numer()) } else { None }
    }

    /// A floating-point number near this; infinite if the magnitude is beyond all of them.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Repr::Small { num, den } => *num as f64 / den.get() as f64,
            Repr::Big(big) => big_to_f64(big),
        }
    }

    /// The number of bits of the longer of numerator and denominator.
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Repr::Small { num, den } => {
                u64::from(u64::BITS - (num.unsigned_abs() | den.get() as u64).leading_zeros())
            }
            Repr::Big(big) => big.num.bits().max(big.den.bits()),
        }
    }

    /// The inline fraction, given in lowest terms and within range.
    #[inline(always)]
    pub(super) fn small(num: i64, den: i64) -> Rat {
        debug_assert!(word::fits(num) && word::fits(den) && den > 0);
        Rat(Repr::Small { num, den: NonZeroI64::new(den).expect("a denominator is not zero") })
    }

    /// The fraction `num / den`, given in lowest terms with a positive denominator, of whatever size.
    #[inline]
    pub(super) fn from_wide(num: i128, den: i128) -> Rat {
        match (word::narrow(num), word::narrow(den)) {
            (Some(num), Some(den)) => Rat::small(num, den),
            _ => box_wide(num, den),
        }
    }

    /// The fraction `num / den` of a non-zero denominator, brought to lowest terms and canonical form.
    pub(super) fn from_big(num: BigInt, den: BigInt) -> Rat {
        let divisor = num.gcd(&den);
        let divisor = if den.is_negative() { divisor.neg() } else { divisor };
        if divisor.is_one() {
            Rat::from_reduced(num, den)
        } else {
            Rat::from_reduced(num.div(&divisor), den.div(&divisor))
        }
    }

    /// The fraction `num / den`, given in lowest terms with a positive denominator, in canonical form.
    pub(super) fn from_reduced(num: BigInt, den: BigInt) -> Rat {
        if let (Some(num), Some(den)) = (num.to_i64(), den.to_i64())
            && word::fits(num)
            && word::fits(den)
        {
            return Rat::small(num, den);
        }
        Rat(Repr::Big(Box::new(BigRat { num, den })))
    }

    /// The value for computing on the big path.
    pub(super) fn to_big(&self) -> Cow<'_, BigRat> {
        match &self.0 {
            Repr::Small { num, den } => {
                Cow::Owned(BigRat { num: BigInt::from_i64(*num), den: BigInt::from_i64(den.get()) })
            }
            Repr::Big(big) => Cow::Borrowed(big),
        }
    }

    /// Checks the invariants *lowest terms* and *canonical*.
    #[cfg(test)]
    pub(super) fn check_invariants(&self) {
        let (num, den) = (self.numer(), self.denom());
        assert!(den.is_positive() && num.gcd(&den).is_one(), "{self} is not in lowest terms");
        match &self.0 {
            Repr::Small { num, den } => assert!(word::fits(*num) && word::fits(den.get())),
            Repr::Big(big) => {
                let fits = |n: &BigInt| n.to_i64().is_some_and(word::fits);
                assert!(!(fits(&big.num) && fits(&big.den)), "{self} must be small");
            }
        }
    }
}

#[cold]
#[inline(never)]
fn box_wide(num: i128, den: i128) -> Rat {
    Rat(Repr::Big(Box::new(BigRat { num: BigInt::from_i128(num), den: BigInt::from_i128(den) })))
}

#[cold]
#[inline(never)]
fn big_signum(big: &BigRat) -> i32 {
    // Zero is never big.
    if big.num.is_negative() { -1 } else { 1 }
}

#[cold]
#[inline(never)]
fn big_recip(big: &BigRat) -> Rat {
    let (num, den) = (big.den.clone(), big.num.clone());
    if den.is_negative() { Rat::from_reduced(num.neg(), den.neg()) } else { Rat::from_reduced(num, den) }
}

/// Divides after scaling so that the quotient has at least 64 bits, and undoes the scaling in two steps, since
/// the power of two alone may be beyond the range of floating-point numbers.
#[cold]
#[inline(never)]
fn big_to_f64(big: &BigRat) -> f64 {
    let places = big.den.bits() as i64 - big.num.bits() as i64 + 65;
    let (num, den) = if places >= 0 {
        (big.num.shift_left(places as usize), big.den.clone())
    } else {
        (big.num.clone(), big.den.shift_left(places.unsigned_abs() as usize))
    };
    let quotient = num.div(&den).to_f64();
    let exponent = (-places).clamp(-4000, 4000) as i32;
    quotient * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

impl Default for Rat {
    /// Zero.
    #[inline]
    fn default() -> Rat {
        Rat::ZERO
    }
}

impl From<Int> for Rat {
    #[inline]
    fn from(n: Int) -> Rat {
        match n.0 {
            IntRepr::Small(num) => Rat(Repr::Small { num, den: ONE }),
            IntRepr::Big(num) => Rat(Repr::Big(Box::new(BigRat { num: *num, den: BigInt::from_i64(1) }))),
        }
    }
}

impl From<&Int> for Rat {
    #[inline]
    fn from(n: &Int) -> Rat {
        match &n.0 {
            IntRepr::Small(num) => Rat(Repr::Small { num: *num, den: ONE }),
            IntRepr::Big(_) => Rat::from(n.clone()),
        }
    }
}

impl From<i64> for Rat {
    #[inline]
    fn from(n: i64) -> Rat {
        Rat::from(Int::from(n))
    }
}

impl From<i128> for Rat {
    #[inline]
    fn from(n: i128) -> Rat {
        Rat::from(Int::from(n))
    }
}

convert_words!(Rat);

impl Hash for Rat {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Repr::Small { num, den } => {
                state.write_i64(*num);
                state.write_i64(den.get());
            }
            Repr::Big(big) => big.hash(state),
        }
    }
}

impl PartialOrd for Rat {
    #[inline]
    fn partial_cmp(&self, other: &Rat) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rat {
    #[inline]
    fn cmp(&self, other: &Rat) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small { num: a, den: b }, Repr::Small { num: c, den: d }) => {
                if b == d {
                    a.cmp(c)
                } else {
                    word::wide_mul(*a, d.get()).cmp(&word::wide_mul(*c, b.get()))
                }
            }
            _ => big_cmp(self, other),
        }
    }
}

#[cold]
#[inline(never)]
fn big_cmp(a: &Rat, b: &Rat) -> Ordering {
    let by_sign = a.signum().cmp(&b.signum());
    if by_sign.is_ne() {
        return by_sign;
    }
    let (a, b) = (a.to_big(), b.to_big());
    if a.den == b.den { a.num.cmp(&b.num) } else { a.num.mul(&b.den).cmp(&b.num.mul(&a.den)) }
}

impl fmt::Display for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small { num, den } if *den == ONE => write!(f, "{num}"),
            Repr::Small { num, den } => write!(f, "{num}/{den}"),
            Repr::Big(big) if big.den.is_one() => write!(f, "{}", big.num),
            Repr::Big(big) => write!(f, "{}/{}", big.num, big.den),
        }
    }
}

impl fmt::Debug for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
