//! What a formula is in all rounds of a repetition, without looking at each.
//!
//! Each variable has a [course](Course): a truth value, or a polynomial in the number k of the round. Sums of such are
//! polynomials again. The sign of a polynomial in all rounds is found without search where it is affine: it changes at
//! most once, so the two ends tell. A polynomial of higher degree is monotone between the places where its difference
//! p(k + 1) - p(k), whose degree is less by one, changes its sign; on each such interval its own changes are found by
//! bisection. A comparison that holds in some rounds only has no value here. A remainder is constant if the modulus
//! divides all coefficients but the first; a quotient by a modulus is a polynomial then, too. Otherwise both have a
//! value only if the quotient is the same in all rounds.
//!
//! All computations are exact, and their cost does not depend on the number of rounds, but for its digits.

use shem_base::{Int, Rat};
use shem_chc::{Course, Progression};
use shem_term::{Store, Symbol, Term, View};

/// Evaluates terms over a number of rounds.
pub(crate) struct Rounds {
    count: u64,
    /// The least round in which something was seen to differ from the round before.
    change: Option<u64>,
}

impl Rounds {
    /// Evaluates over this many rounds.
    pub(crate) fn new(count: u64) -> Rounds {
        Rounds { count, change: None }
    }

    /// A round in which a part of the last formula differed from the round before, the least that was noticed.
    pub(crate) fn change(&self) -> Option<u64> {
        self.change
    }

    /// The course of a term; `None` if it has none, or if that is not known.
    pub(crate) fn evaluate(
        &mut self,
        store: &Store,
        root: Term,
        course: &impl Fn(Symbol) -> Option<Course>,
    ) -> Option<Course> {
        let terms = store.subterms(&[root]);
        let mut courses: Vec<Option<Course>> = Vec::with_capacity(terms.len());
        for &term in &terms {
            let found = self.node(store, term, &Known { terms: &terms, courses: &courses }, course);
            courses.push(found);
        }
        match courses.pop()?? {
            Course::Truth(truth) => Some(Course::Truth(truth != root.is_negated())),
            number => Some(number),
        }
    }

    fn node(
        &mut self,
        store: &Store,
        term: Term,
        known: &Known<'_>,
        course: &impl Fn(Symbol) -> Option<Course>,
    ) -> Option<Course> {
        let truth = |b| Some(Course::Truth(b));
        let number = |p| Some(Course::Number(p));
        match store.view(term) {
            View::True => truth(true),
            View::Var(symbol) => course(symbol),
            View::Num(value) => number(Progression::constant(value.clone())),
            View::And(members) => {
                let mut all_known = true;
                for &member in members {
                    match known.truth(member) {
                        Some(false) => return truth(false),
                        Some(true) => {}
                        None => all_known = false,
                    }
                }
                all_known.then_some(Course::Truth(true))
            }
            View::Iff(a, b) => truth(known.truth(a)? == known.truth(b)?),
            View::Ite(c, a, b) => known.course(if known.truth(c)? { a } else { b }),
            View::Le(poly, bound) => {
                let sum = known.sum(store, poly, &Rat::ONE, &-bound)?;
                self.always(&sum, |sign| sign <= 0).map(Course::Truth)
            }
            View::Lt(poly, bound) => {
                let sum = known.sum(store, poly, &Rat::ONE, &-bound)?;
                self.always(&sum, |sign| sign < 0).map(Course::Truth)
            }
            View::Eq(poly, bound) => {
                let sum = known.sum(store, poly, &Rat::ONE, &-bound)?;
                self.always(&sum, |sign| sign == 0).map(Course::Truth)
            }
            View::Divisible(modulus, poly, offset) => {
                let sum = known.sum(store, poly, &Rat::ONE, &Rat::from(offset))?;
                self.divisible(&sum, modulus).map(Course::Truth)
            }
            View::Linear(scale, poly, offset) => known.sum(store, poly, scale, offset).map(Course::Number),
            View::Div(inner, modulus) => {
                let (quotient, _) = self.divide(known.number(inner)?, modulus)?;
                number(quotient)
            }
            View::Mod(inner, modulus) => {
                let (_, remainder) = self.divide(known.number(inner)?, modulus)?;
                number(remainder)
            }
            View::ToInt(inner) => {
                let (quotient, _) = self.divide(known.number(inner)?, &Int::ONE)?;
                number(quotient)
            }
            View::App(..) | View::Equal(..) | View::Forall(..) => None,
        }
    }

    /// Whether a property of the sign holds in all rounds or in none; `None` if it holds in some.
    fn always(&mut self, number: &Progression, holds: impl Fn(i32) -> bool) -> Option<bool> {
        let first = holds(number.at(0).signum());
        for at in sign_changes(number.coefficients(), self.count) {
            if holds(number.at(at).signum()) != first {
                self.change = Some(self.change.map_or(at, |known| known.min(at)));
                return None;
            }
        }
        Some(first)
    }

    fn divisible(&mut self, number: &Progression, modulus: &Int) -> Option<bool> {
        let (first, rest) = integers(number)?;
        let common = rest.iter().fold(modulus.clone(), |common, c| common.gcd(c));
        if common == *modulus || !common.divides(&first) {
            return Some(modulus.divides(&first));
        }
        let (_, remainder) = self.divide(number, modulus)?;
        self.always(&remainder, |sign| sign == 0)
    }

    /// Quotient, rounded down, and remainder.
    fn divide(&mut self, number: &Progression, modulus: &Int) -> Option<(Progression, Progression)> {
        let coefficients = number.coefficients();
        let by = Rat::from(modulus);
        let quotient = (&coefficients[0] / &by).floor();
        let remainder = &coefficients[0] - &Rat::from(&quotient * modulus);
        if coefficients[1..].iter().all(|c| (c / &by).is_integer()) {
            let mut quotients: Vec<Rat> = coefficients.iter().map(|c| c / &by).collect();
            quotients[0] = Rat::from(quotient);
            return Some((Progression::new(quotients), Progression::constant(remainder)));
        }
        let mut left = coefficients.to_vec();
        left[0] = remainder;
        let mut over = left.clone();
        over[0] -= &by;
        let (left, over) = (Progression::new(left), Progression::new(over));
        let same = self.always(&left, |sign| sign >= 0)? && self.always(&over, |sign| sign < 0)?;
        same.then(|| (Progression::constant(Rat::from(quotient)), left))
    }
}

/// The courses of the terms before.
struct Known<'a> {
    terms: &'a [Term],
    courses: &'a [Option<Course>],
}

impl Known<'_> {
    fn get(&self, term: Term) -> Option<&Course> {
        let at = self.terms.binary_search(&term.positive()).expect("a subterm");
        self.courses[at].as_ref()
    }

    fn truth(&self, term: Term) -> Option<bool> {
        match self.get(term)? {
            Course::Truth(truth) => Some(*truth != term.is_negated()),
            Course::Number(_) => None,
        }
    }

    fn number(&self, term: Term) -> Option<&Progression> {
        match self.get(term)? {
            Course::Truth(_) => None,
            Course::Number(progression) => Some(progression),
        }
    }

    fn course(&self, term: Term) -> Option<Course> {
        match self.get(term)? {
            Course::Truth(truth) => Some(Course::Truth(*truth != term.is_negated())),
            number => Some(number.clone()),
        }
    }

    /// `scale * poly + offset`
    fn sum(&self, store: &Store, poly: shem_term::Poly, scale: &Rat, offset: &Rat) -> Option<Progression> {
        let mut sum = vec![offset.clone()];
        for term in store.poly_terms(poly) {
            let factor = scale * &Rat::from(&term.coeff);
            let coefficients = self.number(term.leaf)?.coefficients();
            if sum.len() < coefficients.len() {
                sum.resize(coefficients.len(), Rat::ZERO);
            }
            for (total, coefficient) in sum.iter_mut().zip(coefficients) {
                total.add_mul(&factor, coefficient);
            }
        }
        Some(Progression::new(sum))
    }
}

/// The coefficients, the first and the others, if all are integers.
fn integers(number: &Progression) -> Option<(Int, Vec<Int>)> {
    let mut all: Vec<Int> = number.coefficients().iter().map(Rat::to_int).collect::<Option<_>>()?;
    let first = all.remove(0);
    Some((first, all))
}

/// The rounds, after the first, in which the sign of a polynomial differs from that in the round before.
fn sign_changes(coefficients: &[Rat], rounds: u64) -> Vec<u64> {
    let mut changes = Vec::new();
    if coefficients.len() <= 1 || rounds <= 1 {
        return changes;
    }
    let number = Progression::new(coefficients.to_vec());
    let sign = |at: u64| number.at(at).signum();
    // Between these the polynomial is monotone.
    let mut turns = sign_changes(&coefficients[1..], rounds - 1);
    turns.push(rounds - 1);
    let mut low = 0;
    for high in turns {
        let mut at = low;
        let last = sign(high);
        while sign(at) != last {
            let begin = sign(at);
            // The sign at `at` is the first one, that at `beyond` is not.
            let mut beyond = high;
            while beyond - at > 1 {
                let middle = at + (beyond - at) / 2;
                if sign(middle) == begin {
                    at = middle;
                } else {
                    beyond = middle;
                }
            }
            changes.push(beyond);
            at = beyond;
        }
        low = high;
    }
    changes
}

#[cfg(test)]
mod tests {
    use shem_base::Rng;
    use shem_term::Sort;

    use super::*;

    /// Random formulas about progressions: what is said of all rounds holds in each, and says something often.
    #[test]
    fn all_rounds_agree_with_each() {
        let (mut told, mut untold) = (0, 0);
        for seed in 0..3000 {
            let mut rng = Rng::new(seed);
            let mut store = Store::new();
            let rounds = 1 + rng.below(30);
            let variables: Vec<Term> = (0..3).map(|i| store.variable(&format!("x{i}"), Sort::Int)).collect();
            let scale = if rng.chance(10) { i64::MAX / 3 } else { 1 };
            let courses: Vec<Progression> = (0..3)
                .map(|_| {
                    let degree = rng.index(4);
                    let number = |_| Rat::from(rng.range(-9..=9)) * Rat::from(scale);
                    Progression::new((0..=degree).map(number).collect())
                })
                .collect();
            let mut numbers = variables.clone();
            let mut formulas = Vec::new();
            for _ in 0..6 {
                let (a, b) = (*rng.pick(&numbers), *rng.pick(&numbers));
                let factor = Rat::from(rng.range(-3..=3));
                let constant = Rat::from(rng.range(-20..=20));
                let sum = store.linear(&[(factor, a), (Rat::ONE, b)], &constant, Sort::Int);
                let modulus = Int::from(rng.range(2..=6));
                let zero = store.int(0);
                match rng.index(7) {
                    0 => formulas.push(store.le(sum, zero)),
                    1 => formulas.push(store.eq(sum, zero)),
                    2 => formulas.push(store.divisible(&modulus, sum)),
                    3 => numbers.push(store.int_div(sum, &modulus)),
                    4 => numbers.push(store.int_mod(sum, &modulus)),
                    5 if formulas.len() > 1 => {
                        let (c, d) = (*rng.pick(&formulas), !*rng.pick(&formulas));
                        numbers.push(store.ite(c, sum, a));
                        formulas.push(store.and2(c, d));
                    }
                    _ => numbers.push(sum),
                }
            }
            let at = |symbol: Symbol| variables.iter().position(|&v| store.as_var(v) == Some(symbol));
            for &term in numbers.iter().chain(&formulas) {
                let course = |symbol| Some(Course::Number(courses[at(symbol)?].clone()));
                let Some(found) = Rounds::new(rounds).evaluate(&store, term, &course) else {
                    untold += 1;
                    continue;
                };
                told += 1;
                for round in 0..rounds {
                    let value =
                        |symbol: Symbol| at(symbol).map(|i| shem_term::Value::Num(courses[i].at(round)));
                    assert_eq!(Some(found.at(round)), store.evaluate(term, &value), "seed {seed}");
                }
            }
        }
        assert!(told > 10_000 && untold > 1000, "{told} told, {untold} not");
    }

    #[test]
    fn changes_of_sign_are_found() {
        for seed in 0..2000 {
            let mut rng = Rng::new(seed);
            let degree = rng.index(5);
            let coefficients: Vec<Rat> = (0..=degree).map(|_| Rat::from(rng.range(-40..=40))).collect();
            let number = Progression::new(coefficients.clone());
            let rounds = rng.below(60);
            let sign = |at: u64| number.at(at).signum();
            let expected: Vec<u64> = (1..rounds.max(1)).filter(|&at| sign(at) != sign(at - 1)).collect();
            assert_eq!(sign_changes(number.coefficients(), rounds), expected, "seed {seed}");
        }
    }
}
