//! Linear forms over the coordinates of points, and the numbers at which their bounds stop.

use std::collections::BTreeSet;

use shem_base::{Int, Rat};

/// A linear form: coordinates with their coefficients, sorted by coordinate, without zeros.
pub type Form = Vec<(usize, Int)>;

/// The one representation of a form and its multiples: without a common divisor, the first coefficient positive. `None`
/// if there is no coefficient other than zero, or a coordinate occurs twice.
pub fn normal_form(mut form: Form) -> Option<Form> {
    form.sort();
    let common = form.iter().fold(Int::ZERO, |common, (_, coefficient)| common.gcd(coefficient));
    if common.is_zero() || form.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let common = if form[0].1.is_negative() { -common } else { common };
    for (_, coefficient) in &mut form {
        *coefficient = coefficient.div_exact(&common);
    }
    Some(form)
}

/// The value of a form whose coordinates have these values; `None` if one has no value.
pub fn value_of<'a>(form: &[(usize, Int)], coordinate: impl Fn(usize) -> Option<&'a Rat>) -> Option<Rat> {
    let mut sum = Rat::ZERO;
    for (at, coefficient) in form {
        sum.add_mul_int(coefficient, coordinate(*at)?);
    }
    Some(sum)
}

/// Numbers at which bounds stop.
#[derive(Clone, Debug, Default)]
pub struct Thresholds(BTreeSet<Rat>);

impl Thresholds {
    /// Just these numbers.
    pub fn exactly(numbers: impl IntoIterator<Item = Rat>) -> Thresholds {
        Thresholds(numbers.into_iter().collect())
    }

    /// The numbers of a program, those next to them, and all of these with the other sign.
    pub fn around<'a>(numbers: impl IntoIterator<Item = &'a Rat>) -> Thresholds {
        let mut thresholds = Thresholds::default();
        for number in numbers {
            for offset in [Rat::ZERO, Rat::ONE, Rat::MINUS_ONE] {
                thresholds.add(number + &offset);
            }
        }
        thresholds
    }

    /// Adds a number, with both signs.
    pub fn add(&mut self, number: Rat) {
        self.0.insert(-&number);
        self.0.insert(number);
    }

    /// The greatest that is not above a value.
    pub fn below(&self, value: &Rat) -> Option<Rat> {
        self.0.range(..=value).next_back().cloned()
    }

    /// The least that is not below a value.
    pub fn above(&self, value: &Rat) -> Option<Rat> {
        self.0.range(value..).next().cloned()
    }
}
