//! Division and number theory of integers.
//!
//! There are three kinds of division: exact division for reducing rows, rounding down
//! for tightening bounds, and the division of SMT-LIB, whose remainder is never negative.

use super::Int;
use super::int::Repr;
use super::word;

impl Int {
    /// The non-negative greatest common divisor; zero only for two zeros.
    #[inline]
    pub fn gcd(&self, other: &Int) -> Int {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0) {
            return Int(Repr::Small(word::gcd(a.unsigned_abs(), b.unsigned_abs()) as i64));
        }
        big_gcd(self, other)
    }

    /// The non-negative least common multiple; zero if either is zero.
    pub fn lcm(&self, other: &Int) -> Int {
        if self.is_zero() || other.is_zero() {
            return Int::ZERO;
        }
        (self.div_exact(&self.gcd(other)) * other).abs()
    }

    /// The quotient by a divisor that is known to divide this.
    ///
    /// # Panics
    /// If `divisor` is zero; in debug builds also if it does not divide this.
    #[inline]
    pub fn div_exact(&self, divisor: &Int) -> Int {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &divisor.0) {
            debug_assert!(a % b == 0, "{b} does not divide {a}");
            return Int(Repr::Small(a / b));
        }
        big_div_exact(self, divisor)
    }

    /// Whether this divides `other`; zero divides zero only.
    pub fn divides(&self, other: &Int) -> bool {
        if self.is_zero() { other.is_zero() } else { other.div_rem_euclid(self).1.is_zero() }
    }

    /// The quotient rounded towards minus infinity.
    ///
    /// # Panics
    /// If `divisor` is zero.
    #[inline]
    pub fn div_floor(&self, divisor: &Int) -> Int {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &divisor.0) {
            return Int(Repr::Small(floor_words(*a, *b)));
        }
        big_div_floor(self, divisor)
    }

    /// The quotient rounded towards plus infinity.
    ///
    /// # Panics
    /// If `divisor` is zero.
    #[inline]
    pub fn div_ceil(&self, divisor: &Int) -> Int {
        -((-self).div_floor(divisor))
    }

    /// What [`div_floor`](Int::div_floor) leaves: zero or of the divisor's sign, smaller in magnitude than it.
    ///
    /// # Panics
    /// If `divisor` is zero.
    #[inline]
    pub fn rem_floor(&self, divisor: &Int) -> Int {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &divisor.0) {
            let remainder = a % b;
            // Towards the divisor's sign; neither sum can leave the range, the signs being opposite.
            let wrong_side = remainder != 0 && (remainder ^ b) < 0;
            return Int(Repr::Small(if wrong_side { remainder + b } else { remainder }));
        }
        let mut remainder = self.clone();
        remainder.sub_mul(&self.div_floor(divisor), divisor);
        remainder
    }

    /// The quotient and remainder of SMT-LIB's `div` and `mod`: the remainder is at least zero and less than
    /// the magnitude of the divisor.
    ///
    /// # Panics
    /// If `divisor` is zero.
    #[inline]
    pub fn div_rem_euclid(&self, divisor: &Int) -> (Int, Int) {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &divisor.0) {
            return (Int(Repr::Small(a.div_euclid(*b))), Int(Repr::Small(a.rem_euclid(*b))));
        }
        big_div_rem_euclid(self, divisor)
    }

    /// The greatest common divisor `g >= 0` of `a` and `b`, with `x` and `y` such that `a * x + b * y = g`.
    pub fn extended_gcd(a: &Int, b: &Int) -> (Int, Int, Int) {
        // The invariant of both rows: a * x + b * y = g.
        let (mut g, mut x, mut y) = (a.clone(), Int::ONE, Int::ZERO);
        let (mut next_g, mut next_x, mut next_y) = (b.clone(), Int::ZERO, Int::ONE);
        while !next_g.is_zero() {
            let (quotient, remainder) = g.div_rem_euclid(&next_g);
            x.sub_mul(&quotient, &next_x);
            y.sub_mul(&quotient, &next_y);
            g = std::mem::replace(&mut next_g, remainder);
            std::mem::swap(&mut x, &mut next_x);
            std::mem::swap(&mut y, &mut next_y);
        }
        if g.is_negative() { (-g, -x, -y) } else { (g, x, y) }
    }
}

/// The quotient of two words of the inline range, rounded down. It stays in the range, which is symmetric.
#[inline]
fn floor_words(a: i64, b: i64) -> i64 {
    let quotient = a / b;
    if a % b != 0 && (a ^ b) < 0 { quotient - 1 } else { quotient }
}

#[cold]
#[inline(never)]
fn big_gcd(a: &Int, b: &Int) -> Int {
    Int::from_big(a.to_big().gcd(&b.to_big()))
}

#[cold]
#[inline(never)]
fn big_div_exact(a: &Int, b: &Int) -> Int {
    assert_nonzero(b);
    let (quotient, remainder) = a.to_big().div_rem(&b.to_big());
    debug_assert!(remainder.is_zero(), "{b} does not divide {a}");
    Int::from_big(quotient)
}

#[cold]
#[inline(never)]
fn big_div_floor(a: &Int, b: &Int) -> Int {
    assert_nonzero(b);
    let (quotient, remainder) = a.to_big().div_rem(&b.to_big());
    let quotient = Int::from_big(quotient);
    if !remainder.is_zero() && remainder.is_negative() != b.is_negative() {
        quotient - Int::ONE
    } else {
        quotient
    }
}

#[cold]
#[inline(never)]
fn big_div_rem_euclid(a: &Int, b: &Int) -> (Int, Int) {
    assert_nonzero(b);
    let (quotient, remainder) = a.to_big().div_rem(&b.to_big());
    let (quotient, remainder) = (Int::from_big(quotient), Int::from_big(remainder));
    if !remainder.is_negative() {
        (quotient, remainder)
    } else if b.is_negative() {
        (quotient + Int::ONE, remainder - b)
    } else {
        (quotient - Int::ONE, remainder + b)
    }
}

fn assert_nonzero(divisor: &Int) {
    assert!(!divisor.is_zero(), "division by zero");
}
