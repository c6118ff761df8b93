//! Rationals with an infinitesimal part, for strict bounds of real variables.
//!
//! A strict bound `x < c` is the weak bound `x <= c - ε` for a positive ε smaller than every rational that
//! matters (Dutertre and de Moura 2006). Values are compared by the real part and then by the factor of ε. Once
//! the search has ended, [`DeltaRat::at`] turns the values into rationals with a concrete ε.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::forms::forward_operator;
use super::{Int, Rat};

/// The value `real + delta * ε` for an infinitesimal positive ε.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DeltaRat {
    /// The part without ε. It comes first, since the order is lexicographic.
    pub real: Rat,
    /// The factor of ε.
    pub delta: Rat,
}

impl DeltaRat {
    /// The value 0.
    pub const ZERO: DeltaRat = DeltaRat { real: Rat::ZERO, delta: Rat::ZERO };

    /// The value `real + delta * ε`.
    #[inline]
    pub const fn new(real: Rat, delta: Rat) -> DeltaRat {
        DeltaRat { real, delta }
    }

    /// The value just below `real`: the greatest one that a strict upper bound allows.
    #[inline]
    pub const fn below(real: Rat) -> DeltaRat {
        DeltaRat { real, delta: Rat::MINUS_ONE }
    }

    /// The value just above `real`: the least one that a strict lower bound allows.
    #[inline]
    pub const fn above(real: Rat) -> DeltaRat {
        DeltaRat { real, delta: Rat::ONE }
    }

    /// Whether this is zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.real.is_zero() && self.delta.is_zero()
    }

    /// Whether this is a rational: it has no infinitesimal part.
    #[inline]
    pub fn is_rational(&self) -> bool {
        self.delta.is_zero()
    }

    /// Whether this is an integer, which has no infinitesimal part.
    #[inline]
    pub fn is_integer(&self) -> bool {
        self.delta.is_zero() && self.real.is_integer()
    }

    /// The sign: -1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match self.real.signum() {
            0 => self.delta.signum(),
            sign => sign,
        }
    }

    /// The greatest integer that is not above this: below the real part, if that is an integer and the
    /// infinitesimal part is negative.
    pub fn floor(&self) -> Int {
        let floor = self.real.floor();
        if self.delta.is_negative() && self.real.is_integer() { floor - Int::ONE } else { floor }
    }

    /// The least integer that is not below this.
    pub fn ceil(&self) -> Int {
        let ceil = self.real.ceil();
        if self.delta.is_positive() && self.real.is_integer() { ceil + Int::ONE } else { ceil }
    }

    /// Adds `factor * value` to this.
    #[inline]
    pub fn add_mul(&mut self, factor: &Rat, value: &DeltaRat) {
        self.real.add_mul(factor, &value.real);
        if !value.delta.is_zero() {
            self.delta.add_mul(factor, &value.delta);
        }
    }

    /// Subtracts `factor * value` from this.
    #[inline]
    pub fn sub_mul(&mut self, factor: &Rat, value: &DeltaRat) {
        self.real.sub_mul(factor, &value.real);
        if !value.delta.is_zero() {
            self.delta.sub_mul(factor, &value.delta);
        }
    }

    /// Adds `factor * value` to this.
    #[inline]
    pub fn add_mul_int(&mut self, factor: &Int, value: &DeltaRat) {
        self.real.add_mul_int(factor, &value.real);
        if !value.delta.is_zero() {
            self.delta.add_mul_int(factor, &value.delta);
        }
    }

    /// Subtracts `factor * value` from this.
    #[inline]
    pub fn sub_mul_int(&mut self, factor: &Int, value: &DeltaRat) {
        self.real.sub_mul_int(factor, &value.real);
        if !value.delta.is_zero() {
            self.delta.sub_mul_int(factor, &value.delta);
        }
    }

    /// The product with an integer.
    #[inline]
    pub fn mul_int(&self, factor: &Int) -> DeltaRat {
        DeltaRat { real: self.real.mul_int(factor), delta: self.delta.mul_int(factor) }
    }

    /// The quotient by a non-zero rational.
    ///
    /// # Panics
    /// If `divisor` is zero.
    #[inline]
    pub fn div(&self, divisor: &Rat) -> DeltaRat {
        let delta = if self.delta.is_zero() { Rat::ZERO } else { &self.delta / divisor };
        DeltaRat { real: &self.real / divisor, delta }
    }

    /// The rational that this is for a concrete `epsilon`.
    pub fn at(&self, epsilon: &Rat) -> Rat {
        let mut value = self.real.clone();
        value.add_mul(&self.delta, epsilon);
        value
    }
}

impl From<Rat> for DeltaRat {
    #[inline]
    fn from(real: Rat) -> DeltaRat {
        DeltaRat { real, delta: Rat::ZERO }
    }
}

impl From<Int> for DeltaRat {
    #[inline]
    fn from(real: Int) -> DeltaRat {
        DeltaRat::from(Rat::from(real))
    }
}

impl From<i64> for DeltaRat {
    #[inline]
    fn from(real: i64) -> DeltaRat {
        DeltaRat::from(Rat::from(real))
    }
}

impl Add<&DeltaRat> for &DeltaRat {
    type Output = DeltaRat;

    #[inline]
    fn add(self, other: &DeltaRat) -> DeltaRat {
        let mut sum = self.clone();
        sum += other;
        sum
    }
}

impl AddAssign<&DeltaRat> for DeltaRat {
    #[inline]
    fn add_assign(&mut self, other: &DeltaRat) {
        self.real += &other.real;
        if !other.delta.is_zero() {
            self.delta += &other.delta;
        }
    }
}

forward_operator!(DeltaRat, Add, add, AddAssign, add_assign);

impl Sub<&DeltaRat> for &DeltaRat {
    type Output = DeltaRat;

    #[inline]
    fn sub(self, other: &DeltaRat) -> DeltaRat {
        let mut difference = self.clone();
        difference -= other;
        difference
    }
}

impl SubAssign<&DeltaRat> for DeltaRat {
    #[inline]
    fn sub_assign(&mut self, other: &DeltaRat) {
        self.real -= &other.real;
        if !other.delta.is_zero() {
            self.delta -= &other.delta;
        }
    }
}

forward_operator!(DeltaRat, Sub, sub, SubAssign, sub_assign);

impl Mul<&Rat> for &DeltaRat {
    type Output = DeltaRat;

    #[inline]
    fn mul(self, factor: &Rat) -> DeltaRat {
        let mut product = self.clone();
        product *= factor;
        product
    }
}

impl Mul<&Rat> for DeltaRat {
    type Output = DeltaRat;

    #[inline]
    fn mul(self, factor: &Rat) -> DeltaRat {
        &self * factor
    }
}

impl MulAssign<&Rat> for DeltaRat {
    #[inline]
    fn mul_assign(&mut self, factor: &Rat) {
        self.real *= factor;
        if !self.delta.is_zero() {
            self.delta *= factor;
        }
    }
}

impl Neg for &DeltaRat {
    type Output = DeltaRat;

    #[inline]
    fn neg(self) -> DeltaRat {
        DeltaRat { real: -&self.real, delta: -&self.delta }
    }
}

impl Neg for DeltaRat {
    type Output = DeltaRat;

    #[inline]
    fn neg(self) -> DeltaRat {
        -&self
    }
}

impl fmt::Display for DeltaRat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.delta.signum() {
            0 => write!(f, "{}", self.real),
            1 => write!(f, "{} + {}ε", self.real, self.delta),
            _ => write!(f, "{} - {}ε", self.real, -&self.delta),
        }
    }
}

impl fmt::Debug for DeltaRat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(real: Rat, delta: i64) -> DeltaRat {
        DeltaRat::new(real, Rat::from(delta))
    }

    #[test]
    fn order_is_lexicographic() {
        let three = Rat::from(3);
        assert!(DeltaRat::below(three.clone()) < DeltaRat::from(3));
        assert!(DeltaRat::from(3) < DeltaRat::above(three.clone()));
        assert!(value(Rat::new(5, 2), 1000) < value(three.clone(), -1000));
        assert_eq!(value(Rat::ZERO, -2).signum(), -1);
        assert_eq!(value(Rat::ONE, -2).signum(), 1);
    }

    #[test]
    fn rounding_respects_the_infinitesimal() {
        let cases = [(Rat::from(3), 3, 3), (Rat::new(7, 2), 3, 4), (Rat::new(-7, 2), -4, -3)];
        for (real, floor, ceil) in cases {
            let plain = DeltaRat::from(real.clone());
            assert_eq!((plain.floor(), plain.ceil()), (Int::from(floor), Int::from(ceil)));
            let (above, below) = (DeltaRat::above(real.clone()), DeltaRat::below(real));
            let integer = Int::from(i64::from(floor == ceil));
            assert_eq!((above.floor(), above.ceil()), (Int::from(floor), Int::from(ceil) + &integer));
            assert_eq!((below.floor(), below.ceil()), (Int::from(floor) - &integer, Int::from(ceil)));
        }
        assert!(DeltaRat::from(3).is_integer());
        assert!(!DeltaRat::above(Rat::from(3)).is_integer());
        assert!(!DeltaRat::from(Rat::new(1, 2)).is_integer());
    }

    #[test]
    fn operations_agree_with_a_concrete_epsilon() {
        let epsilon = Rat::new(1, 1000);
        let mut rng = crate::Rng::new(3);
        let mut small = || Rat::new(rng.range(-9..=9), rng.range(1..=5));
        for _ in 0..500 {
            let a = DeltaRat::new(small(), small());
            let b = DeltaRat::new(small(), small());
            let factor = small();
            assert_eq!((&a + &b).at(&epsilon), a.at(&epsilon) + b.at(&epsilon));
            assert_eq!((&a - &b).at(&epsilon), a.at(&epsilon) - b.at(&epsilon));
            assert_eq!((&a * &factor).at(&epsilon), a.at(&epsilon) * &factor);
            assert_eq!((-&a).at(&epsilon), -a.at(&epsilon));
            let mut sum = a.clone();
            sum.add_mul(&factor, &b);
            assert_eq!(sum, &a + &(&b * &factor));
            sum.sub_mul(&factor, &b);
            assert_eq!(sum, a);
            let whole = factor.numer();
            sum.add_mul_int(&whole, &b);
            assert_eq!(sum, &a + &b.mul_int(&whole));
            sum.sub_mul_int(&whole, &b);
            assert_eq!(sum, a);
            if !factor.is_zero() {
                assert_eq!((&a * &factor).div(&factor), a);
            }
        }
    }
}
