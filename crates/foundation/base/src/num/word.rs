//! The range of numbers that are kept in a machine word, and word-sized number theory.
//!
//! The range is symmetric: `i64::MIN` is left out, so that negation, absolute value and the reciprocal of a
//! small number are small again and need no check.

/// The largest magnitude of a number kept inline.
#[cfg(not(feature = "tiny-words"))]
pub(super) const SMALL_MAX: i64 = i64::MAX;

/// The largest magnitude of a number kept inline.
#[cfg(feature = "tiny-words")]
pub(super) const SMALL_MAX: i64 = 127;

/// Whether `n` is in the range of inline numbers.
#[inline(always)]
pub(super) const fn fits(n: i64) -> bool {
    // For the full range this is one comparison with `i64::MIN`.
    n.unsigned_abs() <= SMALL_MAX as u64
}

/// `n` as an inline number, if it is in their range.
#[inline(always)]
pub(super) const fn narrow(n: i128) -> Option<i64> {
    let word = n as i64;
    if word as i128 == n && fits(word) { Some(word) } else { None }
}

/// `a + b` if it is in the range of inline numbers.
#[inline(always)]
pub(super) const fn add(a: i64, b: i64) -> Option<i64> {
    match a.checked_add(b) {
        Some(n) if fits(n) => Some(n),
        _ => None,
    }
}

/// `a - b` if it is in the range of inline numbers.
#[inline(always)]
pub(super) const fn sub(a: i64, b: i64) -> Option<i64> {
    match a.checked_sub(b) {
        Some(n) if fits(n) => Some(n),
        _ => None,
    }
}

/// `a * b` if it is in the range of inline numbers.
#[inline(always)]
pub(super) const fn mul(a: i64, b: i64) -> Option<i64> {
    match a.checked_mul(b) {
        Some(n) if fits(n) => Some(n),
        _ => None,
    }
}

/// The exact product of two words.
#[inline(always)]
pub(super) const fn wide_mul(a: i64, b: i64) -> i128 {
    a as i128 * b as i128
}

/// The greatest common divisor, by Stein's binary algorithm; `gcd(0, b)` is `b`.
#[inline]
pub(super) const fn gcd(a: u64, b: u64) -> u64 {
    if a <= 1 || b <= 1 {
        // Common enough to be worth the test: most coefficients and denominators are one.
        return if a == 0 {
            b
        } else if b == 0 {
            a
        } else {
            1
        };
    }
    binary_gcd(a, b)
}

/// [`gcd`] of two positive numbers.
const fn binary_gcd(mut a: u64, mut b: u64) -> u64 {
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    b >>= b.trailing_zeros();
    while a != b {
        let difference = a.abs_diff(b);
        if b < a {
            a = b;
        }
        b = difference >> difference.trailing_zeros();
    }
    a << shift
}
