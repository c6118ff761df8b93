//! Numerals of all sizes and notations.

use crate::rng::Rng;
use crate::sexpr::Sexpr;

/// How large constants are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Magnitude {
    /// Up to four, and nothing else in the script: for what grows with the least common multiple.
    Tiny,
    /// One or two digits.
    Small,
    /// Up to a million.
    Medium,
    /// Next to a power of two where machine words end.
    Edge,
    /// Beyond all machine words.
    Huge,
}

/// The digits of a natural number of the given magnitude.
pub fn natural(rng: &mut Rng, magnitude: Magnitude) -> String {
    match magnitude {
        Magnitude::Tiny => rng.range(0, 4).to_string(),
        Magnitude::Small => rng.range(0, 12).to_string(),
        Magnitude::Medium => {
            let limit = *rng.pick(&[100, 1_000, 1_000_000]);
            rng.range(0, limit).to_string()
        }
        Magnitude::Edge => {
            let power = *rng.pick(&[15_u32, 16, 31, 32, 53, 62, 63, 64]);
            ((1_i128 << power) + i128::from(rng.range(-2, 2))).to_string()
        }
        Magnitude::Huge => {
            let length = rng.range(20, 40);
            let mut digits = rng.range(1, 9).to_string();
            digits.extend((1..length).map(|_| char::from(b'0' + rng.below(10) as u8)));
            digits
        }
    }
}

/// An integer numeral; most are small whatever the magnitude, for variety within one script.
pub fn integer(rng: &mut Rng, magnitude: Magnitude) -> Sexpr {
    let magnitude = mostly_small(rng, magnitude, 40);
    let digits = natural(rng, magnitude);
    signed(rng, Sexpr::atom(digits))
}

/// Small in so many percent of the cases. The dice are thrown in any case: the recorded scripts depend on it.
fn mostly_small(rng: &mut Rng, magnitude: Magnitude, percent: usize) -> Magnitude {
    if rng.chance(percent) && magnitude != Magnitude::Tiny { Magnitude::Small } else { magnitude }
}

/// A positive integer's digits, for coefficients and moduli.
pub fn positive(rng: &mut Rng, magnitude: Magnitude) -> String {
    let magnitude = mostly_small(rng, magnitude, 60);
    let digits = natural(rng, magnitude);
    if digits == "0" { "1".to_owned() } else { digits }
}

/// A coefficient that is not 0.
pub fn coefficient(rng: &mut Rng, magnitude: Magnitude) -> Sexpr {
    let digits = positive(rng, magnitude);
    signed(rng, Sexpr::atom(digits))
}

/// A real numeral in one of its notations. `bare` admits numerals without a point, which stand for
/// reals only where the logic has no integers.
pub fn real(rng: &mut Rng, magnitude: Magnitude, bare: bool) -> Sexpr {
    let magnitude = mostly_small(rng, magnitude, 40);
    let digits = natural(rng, magnitude);
    let point = |digits: &str| {
        if bare { Sexpr::atom(digits) } else { Sexpr::atom(format!("{digits}.0")) }
    };
    let value = match rng.below(5) {
        0 | 1 => point(&digits),
        2 => Sexpr::atom(format!("{digits}.0")),
        3 => {
            let fraction = rng.pick(&["5", "25", "125", "1", "333", "75", "001", "50"]);
            Sexpr::atom(format!("{digits}.{fraction}"))
        }
        _ => {
            let below = positive(rng, magnitude);
            let above = signed(rng, point(&digits));
            return Sexpr::app("/", [above, point(&below)]);
        }
    };
    signed(rng, value)
}

/// The value or, in two of five cases, its negation.
fn signed(rng: &mut Rng, value: Sexpr) -> Sexpr {
    if rng.chance(40) && value.text() != Some("0") { Sexpr::app("-", [value]) } else { value }
}

/// The term of a machine integer.
pub fn literal(value: i64) -> Sexpr {
    let magnitude = Sexpr::atom(value.unsigned_abs().to_string());
    if value < 0 { Sexpr::app("-", [magnitude]) } else { magnitude }
}

/// The term of a machine integer as a real.
pub fn real_literal(value: i64) -> Sexpr {
    let magnitude = Sexpr::atom(format!("{}.0", value.unsigned_abs()));
    if value < 0 { Sexpr::app("-", [magnitude]) } else { magnitude }
}
