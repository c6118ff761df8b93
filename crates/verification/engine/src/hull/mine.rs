//! Linear forms that stay bounded over runs: combinations of two known ones.
//!
//! What a phase leaves unchanged in each run (an equality of the run, lost when another run is joined) may depend on
//! another such quantity from run to run: a loop counts up to N by two and leaves N or N + 1. Of two quantities that
//! both vary, the slope is read off the extremes of one of them, as the simplest fraction that the extremes allow; the
//! combination is worth bounds if it varies little where the quantities vary much.

use std::collections::BTreeMap;

use shem_base::{Int, Rat};
use shem_chc::VertexId;
use shem_term::Store;
use shem_transform::domain::Form;

use super::features::{Features, Phase, value};
use super::program::State;

/// How far a quantity has to vary.
const SPREAD: i64 = 40;
/// How far a combination may vary at its ends without making the slope another one.
const NOISE: i64 = 16;
/// The bits of numerator and denominator of a slope.
const BITS: u64 = 6;
/// The greatest number of combinations for a vertex.
const MOST: usize = 16;
/// The states of a run in a phase that are looked at from the first on; after them those whose number doubles.
const FIRST: usize = 16;

/// Combinations of two of these quantities that vary little in some phase of a vertex.
pub(super) fn combinations(
    store: &Store,
    features: &mut Features,
    runs: &[Vec<(VertexId, State)>],
    quantities: &[Form],
) -> Vec<Form> {
    let mut samples: BTreeMap<Phase, Vec<Vec<Rat>>> = BTreeMap::new();
    for run in runs {
        let mut seen: BTreeMap<Phase, usize> = BTreeMap::new();
        for (vertex, state) in run {
            if *vertex != features.vertex {
                continue;
            }
            let Some(observation) = features.observe(store, state) else { continue };
            let count = seen.entry(observation.phase.clone()).or_default();
            *count += 1;
            if *count <= FIRST || count.is_power_of_two() {
                samples.entry(observation.phase).or_default().push(observation.point);
            }
        }
    }
    let mut found: Vec<(Rat, Form)> = Vec::new();
    for points in samples.values() {
        let values: Vec<Vec<Rat>> =
            quantities.iter().map(|form| points.iter().map(|point| value(form, point)).collect()).collect();
        for (f, one) in values.iter().enumerate() {
            for (g, other) in values.iter().enumerate() {
                let Some((p, q)) = slope(one, other) else { continue };
                // The combination q g - p f.
                let rest: Vec<Rat> =
                    one.iter().zip(other).map(|(a, b)| b.mul_int(&q) - a.mul_int(&p)).collect();
                let range = range(&rest);
                if &range * &Rat::from(4) <= self::range(one) {
                    let form = combine(&q, &quantities[g], &p, &quantities[f]);
                    if form.len() > 1 && !found.iter().any(|(_, known)| *known == form) {
                        found.push((range, form));
                    }
                }
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.truncate(MOST);
    found.into_iter().map(|(_, form)| form).collect()
}

fn range(values: &[Rat]) -> Rat {
    match (values.iter().max(), values.iter().min()) {
        (Some(most), Some(least)) => most - least,
        _ => Rat::ZERO,
    }
}

/// The slope of the second quantity over the first, as a fraction other than zero, if the first varies far enough.
fn slope(one: &[Rat], other: &[Rat]) -> Option<(Int, Int)> {
    let least = (0..one.len()).min_by(|&a, &b| one[a].cmp(&one[b]))?;
    let most = (0..one.len()).max_by(|&a, &b| one[a].cmp(&one[b]))?;
    let spread = &one[most] - &one[least];
    if spread < Rat::from(SPREAD) {
        return None;
    }
    let rise = &other[most] - &other[least];
    let noise = Rat::from(NOISE);
    let slope = simplest(&((&rise - &noise) / &spread), &((&rise + &noise) / &spread));
    let usable = !slope.is_zero() && slope.numer().bits() <= BITS && slope.denom().bits() <= BITS;
    usable.then(|| (slope.numer(), slope.denom()))
}

/// The fraction with the least denominator between two numbers.
fn simplest(low: &Rat, high: &Rat) -> Rat {
    if !low.is_positive() && !high.is_negative() {
        return Rat::ZERO;
    }
    if high.is_negative() {
        return -simplest(&-high, &-low);
    }
    // By continued fractions: the common whole parts, and at the end the least number above.
    let (mut low, mut high) = (low.clone(), high.clone());
    let mut parts: Vec<Int> = Vec::new();
    let mut last = loop {
        let whole = low.ceil();
        if Rat::from(whole.clone()) <= high {
            break Rat::from(whole);
        }
        let below = low.floor();
        let shift = Rat::from(below.clone());
        (low, high) = ((&high - &shift).recip(), (&low - &shift).recip());
        parts.push(below);
    };
    for part in parts.iter().rev() {
        last = &Rat::from(part.clone()) + &last.recip();
    }
    last
}

/// The form `q g - p f`.
fn combine(q: &Int, g: &Form, p: &Int, f: &Form) -> Form {
    let mut sum: BTreeMap<usize, Int> = BTreeMap::new();
    for (at, coefficient) in g {
        sum.entry(*at).or_insert(Int::ZERO).add_mul(q, coefficient);
    }
    for (at, coefficient) in f {
        sum.entry(*at).or_insert(Int::ZERO).sub_mul(p, coefficient);
    }
    sum.into_iter().filter(|(_, coefficient)| !coefficient.is_zero()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simplest_fractions() {
        let check = |low: (i64, i64), high: (i64, i64), expected: (i64, i64)| {
            let fraction = |(n, d): (i64, i64)| Rat::new(n, d);
            assert_eq!(simplest(&fraction(low), &fraction(high)), fraction(expected));
        };
        check((-1, 9), (1, 2), (0, 1));
        check((1, 3), (2, 3), (1, 2));
        check((31, 100), (34, 100), (1, 3));
        check((-34, 100), (-31, 100), (-1, 3));
        check((1999, 1000), (2001, 1000), (2, 1));
        check((7, 5), (7, 5), (7, 5));
        check((314, 100), (315, 100), (22, 7));
    }

    #[test]
    fn brute_force_agrees() {
        for low in -30i64..30 {
            for width in 0..12i64 {
                let (low, high) = (Rat::new(low, 13), Rat::new(low + width, 13));
                let found = simplest(&low, &high);
                assert!(low <= found && found <= high);
                let inside = |d: i64| {
                    let least = low.mul_int(&Int::from(d)).ceil();
                    Rat::new(least, d) <= high
                };
                let first = (1..=13).find(|&d| inside(d)).expect("the bound itself");
                assert_eq!(found.denom(), Int::from(first));
            }
        }
    }
}
