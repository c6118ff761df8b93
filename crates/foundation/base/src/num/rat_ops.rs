//! Sums, products and quotients of rationals.
//!
//! The paths from hot to cold: two integers, which need one checked operation; two inline fractions, where
//! the common factors are taken out *before* multiplying (Henrici 1956; Knuth, TAOCP 2, 4.5.1), so that every
//! gcd is of words and the results, computed in 128 bits, are in lowest terms already; and big fractions by
//! the same formulas.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::big::BigInt;
use super::forms::forward_operator;
use super::int::Repr as IntRepr;
use super::rat::{BigRat, ONE, Repr};
use super::{Int, Rat, word};

impl Rat {
    /// Adds the product `a * b` to this.
    #[inline]
    pub fn add_mul(&mut self, a: &Rat, b: &Rat) {
        if let (
            Repr::Small { num: sum, den: ONE },
            Repr::Small { num: a, den: ONE },
            Repr::Small { num: b, den: ONE },
        ) = (&mut self.0, &a.0, &b.0)
            && let Some(product) = a.checked_mul(*b)
            && let Some(n) = word::add(*sum, product)
        {
            *sum = n;
            return;
        }
        *self += &(a * b);
    }

    /// Subtracts the product `a * b` from this.
    #[inline]
    pub fn sub_mul(&mut self, a: &Rat, b: &Rat) {
        if let (
            Repr::Small { num: sum, den: ONE },
            Repr::Small { num: a, den: ONE },
            Repr::Small { num: b, den: ONE },
        ) = (&mut self.0, &a.0, &b.0)
            && let Some(product) = a.checked_mul(*b)
            && let Some(n) = word::sub(*sum, product)
        {
            *sum = n;
            return;
        }
        *self -= &(a * b);
    }

    /// Adds the product `a * b` to this.
    #[inline]
    pub fn add_mul_int(&mut self, a: &Int, b: &Rat) {
        if let (Repr::Small { num: sum, den: ONE }, IntRepr::Small(a), Repr::Small { num: b, den: ONE }) =
            (&mut self.0, &a.0, &b.0)
            && let Some(product) = a.checked_mul(*b)
            && let Some(n) = word::add(*sum, product)
        {
            *sum = n;
            return;
        }
        *self += &b.mul_int(a);
    }

    /// Subtracts the product `a * b` from this.
    #[inline]
    pub fn sub_mul_int(&mut self, a: &Int, b: &Rat) {
        if let (Repr::Small { num: sum, den: ONE }, IntRepr::Small(a), Repr::Small { num: b, den: ONE }) =
            (&mut self.0, &a.0, &b.0)
            && let Some(product) = a.checked_mul(*b)
            && let Some(n) = word::sub(*sum, product)
        {
            *sum = n;
            return;
        }
        *self -= &b.mul_int(a);
    }

    /// The product with an integer.
    #[inline]
    pub fn mul_int(&self, factor: &Int) -> Rat {
        if let (Repr::Small { num, den: ONE }, IntRepr::Small(factor)) = (&self.0, &factor.0)
            && let Some(n) = word::mul(*num, *factor)
        {
            return Rat(Repr::Small { num: n, den: ONE });
        }
        self * Rat::from(factor)
    }

    /// The quotient by a non-zero integer.
    ///
    /// # Panics
    /// If `divisor` is zero.
    #[inline]
    pub fn div_int(&self, divisor: &Int) -> Rat {
        self / Rat::from(divisor)
    }
}

/// The sum, or the difference if `SUBTRACT`, of two inline fractions.
#[inline]
fn add_fractions<const SUBTRACT: bool>(a: i64, b: i64, c: i64, d: i64) -> Rat {
    // Negation cannot overflow, the range of inline numbers being symmetric.
    let c = if SUBTRACT { -c } else { c };
    let common = word::gcd(b as u64, d as u64) as i64;
    if common == 1 {
        // Neither sum nor product has a common factor left: a prime of b divides c * b but not a * d.
        return Rat::from_wide(word::wide_mul(a, d) + word::wide_mul(c, b), word::wide_mul(b, d));
    }
    let (b, d_rest) = (b / common, d / common);
    let sum = word::wide_mul(a, d_rest) + word::wide_mul(c, b);
    // What numerator and denominator still share divides `common`.
    let remainder = match i64::try_from(sum) {
        Ok(sum) => sum % common,
        Err(_) => (sum % common as i128) as i64,
    };
    let shared = word::gcd(remainder.unsigned_abs(), common as u64) as i64;
    if shared == 1 {
        return Rat::from_wide(sum, word::wide_mul(b, d));
    }
    let num = match i64::try_from(sum) {
        Ok(sum) => (sum / shared) as i128,
        Err(_) => sum / shared as i128,
    };
    Rat::from_wide(num, word::wide_mul(b, d / shared))
}

/// Takes the common factors out of a numerator and a positive denominator.
#[inline]
fn cancel(num: i64, den: i64) -> (i64, i64) {
    match word::gcd(num.unsigned_abs(), den as u64) as i64 {
        1 => (num, den),
        common => (num / common, den / common),
    }
}

/// The product of two inline fractions.
#[inline]
fn mul_fractions(a: i64, b: i64, c: i64, d: i64) -> Rat {
    let (a, d) = cancel(a, d);
    let (c, b) = cancel(c, b);
    Rat::from_wide(word::wide_mul(a, c), word::wide_mul(b, d))
}

/// The quotient of two inline fractions, the second not zero.
#[inline]
fn div_fractions(a: i64, b: i64, c: i64, d: i64) -> Rat {
    // Negation cannot overflow, the range of inline numbers being symmetric.
    let (d, c) = if c < 0 { (-d, -c) } else { (d, c) };
    let (a, c) = cancel(a, c);
    let (d, b) = cancel(d, b);
    Rat::from_wide(word::wide_mul(a, d), word::wide_mul(b, c))
}

#[cold]
#[inline(never)]
fn big_add<const SUBTRACT: bool>(a: &Rat, b: &Rat) -> Rat {
    let (a, b) = (a.to_big(), b.to_big());
    let combine = |mut left: BigInt, right: &BigInt| {
        if SUBTRACT {
            left.sub_assign(right);
        } else {
            left.add_assign(right);
        }
        left
    };
    if a.den.is_one() && b.den.is_one() {
        return Rat::from_reduced(combine(a.num.clone(), &b.num), BigInt::from_i64(1));
    }
    let common = a.den.gcd(&b.den);
    if common.is_one() {
        let sum = combine(a.num.mul(&b.den), &b.num.mul(&a.den));
        return Rat::from_reduced(sum, a.den.mul(&b.den));
    }
    let (left, right) = (a.den.div(&common), b.den.div(&common));
    let sum = combine(a.num.mul(&right), &b.num.mul(&left));
    let shared = sum.gcd(&common);
    if shared.is_one() {
        return Rat::from_reduced(sum, left.mul(&b.den));
    }
    Rat::from_reduced(sum.div(&shared), left.mul(&b.den.div(&shared)))
}

/// The product of two fractions of which at least one is big.
#[cold]
#[inline(never)]
fn big_mul(a: &Rat, b: &Rat) -> Rat {
    mul_big_parts(&a.to_big(), &b.to_big())
}

/// The quotient of two fractions of which at least one is big.
#[cold]
#[inline(never)]
fn big_div(a: &Rat, b: &Rat) -> Rat {
    mul_big_parts(&a.to_big(), &b.recip().to_big())
}

fn mul_big_parts(a: &BigRat, b: &BigRat) -> Rat {
    let cross = |num: &BigInt, den: &BigInt| {
        let common = num.gcd(den);
        if common.is_one() { (num.clone(), den.clone()) } else { (num.div(&common), den.div(&common)) }
    };
    let (a_num, b_den) = cross(&a.num, &b.den);
    let (b_num, a_den) = cross(&b.num, &a.den);
    Rat::from_reduced(a_num.mul(&b_num), a_den.mul(&b_den))
}

/// What remains of an operation when the operands are not two integers whose result is inline: one of
/// fractions, or one of big numbers. Kept out of line, so that the integer path is small where it is used.
macro_rules! define_slow_path {
    ($name:ident, $fractions:path, $big:path) => {
        #[inline(never)]
        fn $name(a: &Rat, b: &Rat) -> Rat {
            if let (Repr::Small { num: a, den: b }, Repr::Small { num: c, den: d }) = (&a.0, &b.0) {
                return $fractions(*a, b.get(), *c, d.get());
            }
            $big(a, b)
        }
    };
}

define_slow_path!(slow_add, add_fractions::<false>, big_add::<false>);
define_slow_path!(slow_sub, add_fractions::<true>, big_add::<true>);
define_slow_path!(slow_mul, mul_fractions, big_mul);
define_slow_path!(slow_div, div_fractions, big_div);

/// Defines `&a op &b` and `a op= &b` from the word operation on integers and the slow path.
macro_rules! define_operator {
    ($op:ident, $method:ident, $op_assign:ident, $assign:ident, $slow:ident) => {
        impl $op<&Rat> for &Rat {
            type Output = Rat;

            #[inline]
            fn $method(self, other: &Rat) -> Rat {
                if let (Repr::Small { num: a, den: ONE }, Repr::Small { num: b, den: ONE }) =
                    (&self.0, &other.0)
                    && let Some(num) = word::$method(*a, *b)
                {
                    return Rat(Repr::Small { num, den: ONE });
                }
                $slow(self, other)
            }
        }

        impl $op_assign<&Rat> for Rat {
            #[inline]
            fn $assign(&mut self, other: &Rat) {
                if let (Repr::Small { num: a, den: ONE }, Repr::Small { num: b, den: ONE }) =
                    (&mut self.0, &other.0)
                    && let Some(num) = word::$method(*a, *b)
                {
                    *a = num;
                    return;
                }
                *self = $slow(self, other);
            }
        }

        forward_operator!(Rat, $op, $method, $op_assign, $assign);
    };
}

define_operator!(Add, add, AddAssign, add_assign, slow_add);
define_operator!(Sub, sub, SubAssign, sub_assign, slow_sub);
define_operator!(Mul, mul, MulAssign, mul_assign, slow_mul);

/// The quotient; panics if the divisor is zero.
impl Div<&Rat> for &Rat {
    type Output = Rat;

    #[inline]
    fn div(self, divisor: &Rat) -> Rat {
        assert!(!divisor.is_zero(), "division by zero");
        slow_div(self, divisor)
    }
}

/// The quotient; panics if the divisor is zero.
impl DivAssign<&Rat> for Rat {
    #[inline]
    fn div_assign(&mut self, divisor: &Rat) {
        *self = &*self / divisor;
    }
}

forward_operator!(Rat, Div, div, DivAssign, div_assign);

impl Neg for &Rat {
    type Output = Rat;

    #[inline]
    fn neg(self) -> Rat {
        match &self.0 {
            Repr::Small { num, den } => Rat(Repr::Small { num: -num, den: *den }),
            Repr::Big(big) => big_neg(big),
        }
    }
}

impl Neg for Rat {
    type Output = Rat;

    #[inline]
    fn neg(self) -> Rat {
        -&self
    }
}

#[cold]
#[inline(never)]
fn big_neg(big: &BigRat) -> Rat {
    Rat(Repr::Big(Box::new(BigRat { num: big.num.clone().neg(), den: big.den.clone() })))
}

impl<'a> std::iter::Sum<&'a Rat> for Rat {
    fn sum<I: Iterator<Item = &'a Rat>>(terms: I) -> Rat {
        let mut sum = Rat::ZERO;
        terms.for_each(|term| sum += term);
        sum
    }
}
