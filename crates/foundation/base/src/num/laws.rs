//! The numbers against an independent implementation, on operands that crowd the edges of every path: words,
//! double words and beyond, for the full range of inline numbers and for the tiny one.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::{Add, AddAssign, Mul, MulAssign, Sub, SubAssign};

use num_bigint::BigInt as Judge;
use num_integer::Integer;
use num_traits::{Pow, Signed, ToPrimitive, Zero};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use proptest::{collection, sample};

use super::{Int, Rat};

/// A fraction of the judge, in lowest terms with a positive denominator.
type Fraction = (Judge, Judge);

fn judge(n: &Int) -> Judge {
    n.check_invariants();
    n.to_string().parse().unwrap()
}

fn fraction(n: &Rat) -> Fraction {
    n.check_invariants();
    (judge(&n.numer()), judge(&n.denom()))
}

fn reduce(num: Judge, den: Judge) -> Fraction {
    let divisor = num.gcd(&den);
    let divisor = if den.is_negative() { -divisor } else { divisor };
    (num / &divisor, den / &divisor)
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The settings of a test: the same cases in every run, and no files beside the sources.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(11),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// An integer of a few bits, near a power of two, or of several words, of either sign.
fn int() -> impl Strategy<Value = Int> {
    let edges = vec![7, 8, 31, 32, 62, 63, 64, 65, 126, 127, 128, 200];
    let edge = (sample::select(edges), -2i64..=2)
        .prop_map(|(exponent, offset)| Int::from(2).pow(exponent) + Int::from(offset));
    let word = (any::<u64>(), 0..64u32).prop_map(|(bits, shift)| Int::from((bits >> shift) as i64));
    let words = collection::vec((any::<u64>(), any::<u64>()), 1..=4).prop_map(|words| {
        words.into_iter().fold(Int::ONE, |n, (factor, summand)| n * Int::from(factor) + Int::from(summand))
    });
    let magnitude = prop_oneof![
        2 => (-12i64..=12).prop_map(Int::from),
        1 => (-300i64..=300).prop_map(Int::from),
        1 => edge,
        1 => word,
        1 => words,
    ];
    (magnitude, any::<bool>()).prop_map(|(n, negated)| if negated { -n } else { n })
}

fn nonzero() -> impl Strategy<Value = Int> {
    int().prop_filter("not zero", |n| !n.is_zero())
}

fn rat() -> impl Strategy<Value = Rat> {
    prop_oneof![
        int().prop_map(Rat::from),
        (int(), 1i64..=12).prop_map(|(num, den)| Rat::new(num, den)),
        (int(), nonzero()).prop_map(|(num, den)| Rat::new(num, den)),
    ]
}

/// All forms of `a op b`, which must agree.
macro_rules! all_forms {
    ($a:expr, $b:expr, $op:ident, $assign:ident) => {{
        let result = (&$a).$op(&$b);
        assert_eq!($a.clone().$op(&$b), result);
        assert_eq!((&$a).$op($b.clone()), result);
        assert_eq!($a.clone().$op($b.clone()), result);
        let mut assigned = $a.clone();
        assigned.$assign(&$b);
        assert_eq!(assigned, result);
        assert_eq!(hash(&assigned), hash(&result));
        result
    }};
}

proptest! {
    #![proptest_config(config(20_000))]

    #[test]
    fn integer_ring(a in int(), b in int(), c in int()) {
        let (ja, jb, jc) = (judge(&a), judge(&b), judge(&c));
        assert_eq!(judge(&all_forms!(a, b, add, add_assign)), &ja + &jb);
        assert_eq!(judge(&all_forms!(a, b, sub, sub_assign)), &ja - &jb);
        assert_eq!(judge(&all_forms!(a, b, mul, mul_assign)), &ja * &jb);
        assert_eq!(judge(&-&a), -&ja);
        assert_eq!(judge(&a.abs()), ja.abs());
        let mut sum = c.clone();
        sum.add_mul(&a, &b);
        assert_eq!(judge(&sum), &jc + &ja * &jb);
        sum.sub_mul(&a, &b);
        assert_eq!(sum, c);
        sum.sub_mul(&a, &b);
        assert_eq!(judge(&sum), &jc - &ja * &jb);
        assert_eq!(a.cmp(&b), ja.cmp(&jb));
        assert_eq!(a == b, ja == jb);
    }
}

proptest! {
    #![proptest_config(config(5_000))]

    #[test]
    fn integer_properties(a in int(), exponent in 0..9u32) {
        let ja = judge(&a);
        assert_eq!(a.bits(), ja.bits());
        assert_eq!(a.to_i64(), ja.to_i64());
        assert_eq!(a.is_even(), ja.is_even());
        assert_eq!(a.is_zero(), ja.is_zero());
        assert_eq!((a.is_positive(), a.is_negative()), (ja.is_positive(), ja.is_negative()));
        assert_eq!(a.signum(), ja.signum().to_i32().unwrap());
        assert_eq!(a.to_f64(), ja.to_f64().unwrap());
        assert_eq!(judge(&a.pow(exponent)), Pow::pow(&ja, exponent));
        let same = &(&a + &Int::from(1000)) - &Int::from(1000);
        assert_eq!(same, a);
        assert_eq!(hash(&same), hash(&a));
    }
}

proptest! {
    #![proptest_config(config(20_000))]

    #[test]
    fn integer_division(a in int(), b in nonzero(), common in int()) {
        let (ja, jb) = (judge(&a), judge(&b));
        assert_eq!(judge(&a.div_floor(&b)), Integer::div_floor(&ja, &jb));
        assert_eq!(judge(&a.div_ceil(&b)), -Integer::div_floor(&-&ja, &jb));
        assert_eq!(judge(&a.rem_floor(&b)), ja.mod_floor(&jb));
        let (quotient, remainder) = a.div_rem_euclid(&b);
        assert_eq!(judge(&quotient) * &jb + judge(&remainder), ja);
        assert!(!remainder.is_negative() && remainder < b.abs());
        assert_eq!((&a * &b).div_exact(&b), a);
        assert!(b.divides(&(&a * &b)));
        assert_eq!(b.divides(&a), ja.is_multiple_of(&jb));
        assert_eq!(judge(&a.gcd(&b)), ja.gcd(&jb));
        assert_eq!(judge(&a.lcm(&b)), ja.lcm(&jb));
        assert_eq!((&a * &common).gcd(&(&b * &common)), a.gcd(&b) * common.abs());
        let (g, x, y) = Int::extended_gcd(&a, &b);
        assert_eq!(g, a.gcd(&b));
        assert_eq!(&a * &x + &b * &y, g);
    }
}

#[test]
fn integer_division_at_the_edges() {
    assert_eq!(Int::ZERO.gcd(&Int::ZERO), Int::ZERO);
    assert_eq!(Int::ZERO.gcd(&Int::from(-6)), Int::from(6));
    assert_eq!(Int::extended_gcd(&Int::ZERO, &Int::ZERO).0, Int::ZERO);
    assert_eq!(Int::from(-7).div_rem_euclid(&Int::from(-2)), (Int::from(4), Int::ONE));
    assert_eq!(Int::from(-7).div_rem_euclid(&Int::from(2)), (Int::from(-4), Int::ONE));
    assert!(Int::ZERO.divides(&Int::ZERO) && !Int::ZERO.divides(&Int::ONE));
}

#[test]
fn words_convert() {
    let edges = [i64::MIN, i64::MIN + 1, -128, -127, -1, 0, 1, 127, 128, i64::MAX];
    for n in edges {
        let int = Int::from(n);
        int.check_invariants();
        assert_eq!((int.to_i64(), int.to_string()), (Some(n), n.to_string()));
        assert_eq!(Rat::from(n).to_int(), Some(int));
    }
    for n in [i128::MIN, i128::from(i64::MIN) - 1, i128::from(i64::MAX) + 1, i128::MAX] {
        assert_eq!((Int::from(n).to_i64(), Int::from(n).to_string()), (None, n.to_string()));
    }
    assert_eq!(Int::from(u64::MAX).to_string(), u64::MAX.to_string());
    assert_eq!(Int::from(usize::MAX), Int::from(usize::MAX as u64));
    assert_eq!(Int::default(), Int::ZERO);
    assert!(Int::ONE.is_one() && Int::MINUS_ONE.is_minus_one() && !Int::ZERO.is_one());
}

proptest! {
    #![proptest_config(config(20_000))]

    #[test]
    fn words_agree_with_double_words(a in any::<i64>(), b in any::<i64>(), shift in 0..64u32, other in 0..64u32) {
        let (a, b) = (a >> shift, b >> other);
        let (x, y) = (i128::from(a), i128::from(b));
        let (p, q) = (Int::from(a), Int::from(b));
        assert_eq!(&p + &q, Int::from(x + y));
        assert_eq!(&p - &q, Int::from(x - y));
        assert_eq!(&p * &q, Int::from(x * y));
        if b != 0 {
            assert_eq!(p.div_rem_euclid(&q), (Int::from(x.div_euclid(y)), Int::from(x.rem_euclid(y))));
            assert_eq!(Rat::new(p, q).floor(), Int::from(Integer::div_floor(&x, &y)));
        }
    }
}

proptest! {
    #![proptest_config(config(20_000))]

    #[test]
    fn rational_field(a in rat(), b in rat(), c in rat(), factor in int()) {
        let ((an, ad), (bn, bd)) = (fraction(&a), fraction(&b));
        assert_eq!(fraction(&all_forms!(a, b, add, add_assign)), reduce(&an * &bd + &bn * &ad, &ad * &bd));
        assert_eq!(fraction(&all_forms!(a, b, sub, sub_assign)), reduce(&an * &bd - &bn * &ad, &ad * &bd));
        assert_eq!(fraction(&all_forms!(a, b, mul, mul_assign)), reduce(&an * &bn, &ad * &bd));
        if !b.is_zero() {
            use std::ops::{Div, DivAssign};
            assert_eq!(fraction(&all_forms!(a, b, div, div_assign)), reduce(&an * &bd, &ad * &bn));
            assert_eq!(fraction(&b.recip()), reduce(bd.clone(), bn.clone()));
        }
        assert_eq!(a.cmp(&b), (&an * &bd).cmp(&(&bn * &ad)));
        let mut sum = c.clone();
        sum.add_mul(&a, &b);
        assert_eq!(sum, &c + &(&a * &b));
        sum.sub_mul(&a, &b);
        assert_eq!(sum, c);
        sum.sub_mul(&a, &b);
        assert_eq!(sum, &c - &(&a * &b));
        assert_eq!(a.mul_int(&factor), &a * &Rat::from(&factor));
        let mut sum = c.clone();
        sum.add_mul_int(&factor, &a);
        assert_eq!(sum, &c + &a.mul_int(&factor));
        sum.sub_mul_int(&factor, &a);
        assert_eq!(sum, c);
        if !factor.is_zero() {
            assert_eq!(a.mul_int(&factor).div_int(&factor), a);
        }
    }
}

proptest! {
    #![proptest_config(config(10_000))]

    #[test]
    fn rational_properties(a in rat()) {
        let (num, den) = fraction(&a);
        let floor = Integer::div_floor(&num, &den);
        assert_eq!(judge(&a.floor()), floor);
        assert_eq!(judge(&a.ceil()), -Integer::div_floor(&-&num, &den));
        assert_eq!(fraction(&a.fract()), reduce(&num - &floor * &den, den.clone()));
        assert_eq!(a.is_integer(), den == Judge::from(1));
        assert_eq!(a.to_int().map(|n| judge(&n)), if a.is_integer() { Some(num.clone()) } else { None });
        assert_eq!(fraction(&-&a), (-&num, den.clone()));
        assert_eq!(fraction(&a.abs()), (num.abs(), den.clone()));
        assert_eq!(a.signum(), num.signum().to_i32().unwrap());
        assert_eq!((a.is_zero(), a.is_one()), (num.is_zero(), num == den));
        assert_eq!(a.bits(), num.bits().max(den.bits()));
        assert_eq!(a.to_string().parse::<Rat>(), Ok(a.clone()));
        let expected = num.to_f64().unwrap() / den.to_f64().unwrap();
        assert!((a.to_f64() - expected).abs() <= expected.abs() * 1e-15, "{a}: {} {expected}", a.to_f64());
        let same = &(&a + &Rat::new(1, 7)) - &Rat::new(1, 7);
        assert_eq!((hash(&same), &same), (hash(&a), &a));
    }
}

#[test]
fn floats_of_huge_fractions() {
    let huge = Int::from(3).pow(5000);
    assert_eq!(Rat::new(&huge + &Int::ONE, huge.clone()).to_f64(), 1.0);
    assert_eq!(Rat::new(huge.clone(), 2).to_f64(), f64::INFINITY);
    assert_eq!(Rat::new(-&huge, 2).to_f64(), f64::NEG_INFINITY);
    assert_eq!(Rat::new(2, huge).to_f64(), 0.0);
}

#[test]
#[should_panic(expected = "denominator is zero")]
fn zero_denominator() {
    Rat::new(1, 0);
}

#[test]
#[should_panic(expected = "division by zero")]
fn rational_division_by_zero() {
    let _ = Rat::ONE / Rat::ZERO;
}

#[test]
#[should_panic(expected = "division by zero")]
fn big_division_by_zero() {
    Int::from(i128::MAX).div_floor(&Int::ZERO);
}
