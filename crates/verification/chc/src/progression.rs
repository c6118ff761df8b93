//! Progressions: numbers that depend on the number of a round as a polynomial.
//!
//! The value in round k is the sum of c_j · (k choose j), by Newton. In this basis a step to the next round adds each
//! coefficient to the one before, coefficients are the differences of the values, and the values in all rounds are
//! integers exactly if the coefficients are.

use shem_base::{Int, Rat};
use shem_term::Value;

/// A number for each round.
///
/// Invariant *trimmed*: there is at least one coefficient, and the last of several is not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progression {
    coefficients: Vec<Rat>,
}

impl Progression {
    /// The progression with these coefficients.
    pub fn new(mut coefficients: Vec<Rat>) -> Progression {
        while coefficients.len() > 1 && coefficients.last().is_some_and(Rat::is_zero) {
            coefficients.pop();
        }
        if coefficients.is_empty() {
            coefficients.push(Rat::ZERO);
        }
        Progression { coefficients }
    }

    /// The same number in all rounds.
    pub fn constant(value: Rat) -> Progression {
        Progression { coefficients: vec![value] }
    }

    /// The progression of least degree with these values in the first rounds.
    pub fn through(values: &[Rat]) -> Progression {
        let mut differences = values.to_vec();
        for order in 1..differences.len() {
            for at in (order..differences.len()).rev() {
                let before = differences[at - 1].clone();
                differences[at] -= &before;
            }
        }
        Progression::new(differences)
    }

    /// The coefficients, that of degree 0 first.
    pub fn coefficients(&self) -> &[Rat] {
        &self.coefficients
    }

    /// The degree.
    pub fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// The value in a round.
    pub fn at(&self, round: u64) -> Rat {
        let mut sum = self.coefficients[0].clone();
        let mut binomial = Rat::ONE;
        for (j, coefficient) in self.coefficients.iter().enumerate().skip(1) {
            let factor = Rat::from(i128::from(round) - (j as i128 - 1));
            binomial = &(&binomial * &factor) / &Rat::from(j as i64);
            sum.add_mul(coefficient, &binomial);
        }
        sum
    }

    /// What the value is one round later.
    pub fn next(&self) -> Progression {
        let mut coefficients = self.coefficients.clone();
        for j in 1..coefficients.len() {
            let difference = coefficients[j].clone();
            coefficients[j - 1] += &difference;
        }
        Progression::new(coefficients)
    }

    /// What the value is one round earlier.
    pub fn previous(&self) -> Progression {
        let mut coefficients = self.coefficients.clone();
        for j in (1..coefficients.len()).rev() {
            let difference = coefficients[j].clone();
            coefficients[j - 1] -= &difference;
        }
        Progression::new(coefficients)
    }

    /// Whether the value is an integer in all rounds.
    pub fn is_integral(&self) -> bool {
        self.coefficients.iter().all(Rat::is_integer)
    }
}

/// What an argument of a fact is in each round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Course {
    /// A truth value, the same in all rounds.
    Truth(bool),
    /// A number.
    Number(Progression),
}

impl Course {
    /// The value in a round.
    pub fn at(&self, round: u64) -> Value {
        match self {
            Course::Truth(truth) => Value::Bool(*truth),
            Course::Number(progression) => Value::Num(progression.at(round)),
        }
    }

    /// The course one round earlier.
    pub fn previous(&self) -> Course {
        match self {
            Course::Truth(truth) => Course::Truth(*truth),
            Course::Number(progression) => Course::Number(progression.previous()),
        }
    }

    /// The course of least degree with these values in the first rounds; `None` if there is none: values of other sorts,
    /// or truth values that differ.
    pub fn through(values: &[Value]) -> Option<Course> {
        match values.first()? {
            Value::Bool(truth) => {
                values.iter().all(|v| v.as_bool() == Some(*truth)).then_some(Course::Truth(*truth))
            }
            Value::Num(_) => {
                let numbers: Option<Vec<Rat>> = values.iter().map(|v| v.as_num().cloned()).collect();
                Some(Course::Number(Progression::through(&numbers?)))
            }
            _ => None,
        }
    }

    /// The degree; 0 for truth values.
    pub fn degree(&self) -> usize {
        match self {
            Course::Truth(_) => 0,
            Course::Number(progression) => progression.degree(),
        }
    }

    /// The coefficients as numbers.
    pub(crate) fn numbers(&self) -> Vec<Rat> {
        match self {
            Course::Truth(truth) => vec![Rat::from(Int::from(i64::from(*truth)))],
            Course::Number(progression) => progression.coefficients().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_progression_has_the_values_that_made_it() {
        let numbers = |list: &[i64]| list.iter().map(|&n| Rat::from(n)).collect::<Vec<_>>();
        for (values, degree) in [
            (numbers(&[7]), 0),
            (numbers(&[7, 7, 7]), 0),
            (numbers(&[7, 4, 1, -2]), 1),
            (numbers(&[0, 1, 4, 9, 16]), 2),
            (numbers(&[5, 0, 2, 9, 100, 3]), 5),
        ] {
            let progression = Progression::through(&values);
            assert_eq!(progression.degree(), degree);
            let (mut later, before) = (progression.clone(), progression.previous());
            assert_eq!(before.next(), progression);
            for (round, value) in values.iter().enumerate() {
                assert_eq!(progression.at(round as u64), *value);
                assert_eq!(before.at(round as u64 + 1), *value);
                assert_eq!(later.at(0), *value);
                later = later.next();
            }
        }
        let square = Progression::through(&numbers(&[0, 1, 4]));
        let far = 1_000_000_000_000u64;
        assert_eq!(square.at(far), Rat::from(i128::from(far) * i128::from(far)));
    }
}
