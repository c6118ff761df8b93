//! Nanoseconds an operation on numbers: ours on inline values, and the two candidate libraries on big ones.
//!
//! Run with `cargo bench -p shem-base`. Each figure is the best of several rounds over a fixed set of seeded
//! operands, so that figures of two runs can be compared.
#![allow(clippy::print_stdout, reason = "a benchmark reports to its user")]

use std::hint::black_box;
use std::time::Instant;

use dashu_int::IBig;
use dashu_int::ops::Gcd;
use num_bigint::BigInt;
use num_integer::Integer;
use shem_base::{DeltaRat, Int, Rat, Rng};

const OPERANDS: usize = 256;
const ROUNDS: usize = 31;

/// Prints the best time an operation over pairs of neighbouring operands.
fn measure<T, R>(name: &str, operands: &[T], operation: impl Fn(&T, &T) -> R) {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for pair in operands.windows(2) {
            black_box(operation(black_box(&pair[0]), black_box(&pair[1])));
        }
        best = best.min(start.elapsed().as_nanos() as f64 / (operands.len() - 1) as f64);
    }
    println!("{name:<36} {best:>10.1} ns");
}

/// Prints the best time a step that changes a sum in place.
fn accumulate<T, S: Default>(name: &str, operands: &[T], step: impl Fn(&mut S, &T, &T)) {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut sum = S::default();
        let start = Instant::now();
        for pair in operands.windows(2) {
            step(black_box(&mut sum), &pair[0], &pair[1]);
        }
        best = best.min(start.elapsed().as_nanos() as f64 / (operands.len() - 1) as f64);
    }
    println!("{name:<36} {best:>10.1} ns");
}

/// Decimal digits of a signed number with about this many bits.
fn draw_digits(rng: &mut Rng, bits: u64) -> String {
    let mut n = Int::from(rng.next_u64() >> 1 | 1 << 62);
    while n.bits() + 32 <= bits {
        n = n * Int::from(1u64 << 32) + Int::from(rng.next_u64() >> 32);
    }
    if rng.bool() { (-n).to_string() } else { n.to_string() }
}

fn measure_rationals(kind: &str, operands: &[Rat]) {
    measure(&format!("Rat {kind} add"), operands, |a, b| a + b);
    measure(&format!("Rat {kind} mul"), operands, |a, b| a * b);
    measure(&format!("Rat {kind} div"), operands, |a, b| a / b);
    measure(&format!("Rat {kind} cmp"), operands, |a, b| a.cmp(b));
    measure(&format!("Rat {kind} add_mul"), operands, |a, b| {
        let mut sum = a.clone();
        sum.add_mul(a, b);
        sum
    });
}

fn measure_libraries(bits: u64, rng: &mut Rng) {
    let digits: Vec<String> = (0..OPERANDS).map(|_| draw_digits(rng, bits)).collect();
    let dashu: Vec<IBig> = digits.iter().map(|n| n.parse().expect("digits")).collect();
    let num: Vec<BigInt> = digits.iter().map(|n| n.parse().expect("digits")).collect();
    measure(&format!("{bits} bits add, dashu"), &dashu, |a, b| a + b);
    measure(&format!("{bits} bits add, num"), &num, |a, b| a + b);
    measure(&format!("{bits} bits mul, dashu"), &dashu, |a, b| a * b);
    measure(&format!("{bits} bits mul, num"), &num, |a, b| a * b);
    measure(&format!("{bits} bits gcd, dashu"), &dashu, |a, b| a.gcd(b));
    measure(&format!("{bits} bits gcd, num"), &num, |a, b| a.gcd(b));
    measure(&format!("{bits} bits cmp, dashu"), &dashu, |a, b| a.cmp(b));
    measure(&format!("{bits} bits cmp, num"), &num, |a, b| a.cmp(b));
    // Dividends twice as long as their divisors.
    let dashu: Vec<_> = dashu.windows(2).map(|pair| (&pair[0] * &pair[1], pair[0].clone())).collect();
    let num: Vec<_> = num.windows(2).map(|pair| (&pair[0] * &pair[1], pair[0].clone())).collect();
    measure(&format!("{bits} bits div, dashu"), &dashu, |(a, b), _| a / b);
    measure(&format!("{bits} bits div, num"), &num, |(a, b), _| a / b);
}

fn main() {
    let rng = &mut Rng::new(1);
    let integers: Vec<Int> = (0..OPERANDS).map(|_| Int::from(rng.range(1..=1000))).collect();
    measure("Int word add", &integers, |a, b| a + b);
    measure("Int word mul", &integers, |a, b| a * b);
    measure("Int word gcd", &integers, |a, b| a.gcd(b));
    let integers: Vec<Rat> = integers.into_iter().map(Rat::from).collect();
    measure_rationals("integer", &integers);
    let deltas: Vec<DeltaRat> = integers.iter().cloned().map(DeltaRat::from).collect();
    measure("DeltaRat integer add", &deltas, |a, b| a + b);
    measure("DeltaRat integer mul", &integers, |a, b| DeltaRat::from(a.clone()) * b);
    accumulate("Rat integer += a * b", &integers, |sum: &mut Rat, a, b| {
        sum.add_mul(a, b);
        *sum -= a;
    });
    accumulate("DeltaRat integer += 3 * a", &deltas, |sum: &mut DeltaRat, a, b| {
        sum.add_mul_int(&Int::from(3), a);
        *sum -= b;
    });
    measure("DeltaRat integer cmp", &deltas, |a, b| a.cmp(b));
    let mut fractions = |bits: u32| -> Vec<Rat> {
        let high = (1i64 << (bits - 1)) - 1 + (1i64 << (bits - 1));
        (0..OPERANDS).map(|_| Rat::new(rng.range(-high..=-1), rng.range(1..=high))).collect()
    };
    measure_rationals("8-bit fraction", &fractions(8));
    measure_rationals("31-bit fraction", &fractions(31));
    measure_rationals("63-bit fraction", &fractions(63));
    let unwieldy: Vec<Rat> = (0..OPERANDS)
        .map(|_| {
            let parse = |text: String| text.parse::<Int>().expect("digits");
            Rat::new(parse(draw_digits(rng, 200)), parse(draw_digits(rng, 200)))
        })
        .collect();
    measure_rationals("200-bit fraction", &unwieldy);
    for bits in [64, 200, 2000] {
        measure_libraries(bits, rng);
    }
}
