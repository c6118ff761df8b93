//! Sums and products of integers: a checked word operation, and a cold path for what does not fit.

use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::Int;
use super::forms::forward_operator;
use super::int::Repr;
use super::word;

impl Int {
    /// Adds the product `a * b` to this.
    #[inline]
    pub fn add_mul(&mut self, a: &Int, b: &Int) {
        if let (Repr::Small(sum), Repr::Small(a), Repr::Small(b)) = (&mut self.0, &a.0, &b.0)
            && let Some(product) = a.checked_mul(*b)
            && let Some(n) = word::add(*sum, product)
        {
            *sum = n;
            return;
        }
        big_add_mul(self, a, b);
    }

    /// Subtracts the product `a * b` from this.
    #[inline]
    pub fn sub_mul(&mut self, a: &Int, b: &Int) {
        if let (Repr::Small(sum), Repr::Small(a), Repr::Small(b)) = (&mut self.0, &a.0, &b.0)
            && let Some(product) = a.checked_mul(*b)
            && let Some(n) = word::sub(*sum, product)
        {
            *sum = n;
            return;
        }
        big_sub_mul(self, a, b);
    }
}

#[cold]
#[inline(never)]
fn big_add(a: &Int, b: &Int) -> Int {
    Int::from_big(a.to_big().add(&b.to_big()))
}

#[cold]
#[inline(never)]
fn big_sub(a: &Int, b: &Int) -> Int {
    Int::from_big(a.to_big().sub(&b.to_big()))
}

#[cold]
#[inline(never)]
fn big_mul(a: &Int, b: &Int) -> Int {
    if let (Repr::Small(a), Repr::Small(b)) = (&a.0, &b.0) {
        return Int::from(word::wide_mul(*a, *b));
    }
    Int::from_big(a.to_big().mul(&b.to_big()))
}

#[cold]
#[inline(never)]
fn big_neg(a: &Int) -> Int {
    Int::from_big(a.to_big().into_owned().neg())
}

#[cold]
#[inline(never)]
fn big_add_mul(sum: &mut Int, a: &Int, b: &Int) {
    *sum += &(a * b);
}

#[cold]
#[inline(never)]
fn big_sub_mul(sum: &mut Int, a: &Int, b: &Int) {
    *sum -= &(a * b);
}

/// Defines `&a op &b` and `a op= &b` from the checked word operation and the big one.
macro_rules! define_operator {
    ($op:ident, $method:ident, $op_assign:ident, $assign:ident, $big:ident) => {
        impl $op<&Int> for &Int {
            type Output = Int;

            #[inline]
            fn $method(self, other: &Int) -> Int {
                if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0)
                    && let Some(n) = word::$method(*a, *b)
                {
                    return Int(Repr::Small(n));
                }
                $big(self, other)
            }
        }

        impl $op_assign<&Int> for Int {
            #[inline]
            fn $assign(&mut self, other: &Int) {
                if let (Repr::Small(a), Repr::Small(b)) = (&mut self.0, &other.0)
                    && let Some(n) = word::$method(*a, *b)
                {
                    *a = n;
                    return;
                }
                *self = $big(self, other);
            }
        }

        forward_operator!(Int, $op, $method, $op_assign, $assign);
    };
}

define_operator!(Add, add, AddAssign, add_assign, big_add);
define_operator!(Sub, sub, SubAssign, sub_assign, big_sub);
define_operator!(Mul, mul, MulAssign, mul_assign, big_mul);

impl Neg for &Int {
    type Output = Int;

    #[inline]
    fn neg(self) -> Int {
        match &self.0 {
            Repr::Small(n) => Int(Repr::Small(-n)),
            Repr::Big(_) => big_neg(self),
        }
    }
}

impl Neg for Int {
    type Output = Int;

    #[inline]
    fn neg(self) -> Int {
        -&self
    }
}

impl<'a> std::iter::Sum<&'a Int> for Int {
    fn sum<I: Iterator<Item = &'a Int>>(terms: I) -> Int {
        let mut sum = Int::ZERO;
        terms.for_each(|term| sum += term);
        sum
    }
}
