//! What sets of points say, as formulas over terms for the coordinates.

use shem_base::{Int, Rat};
use shem_term::{Sort, Store, Term};

use super::interval::Interval;
use super::lattice::LinearConstraint;

/// A linear form over these coordinates, as a sum.
pub fn terms_of(form: &[(usize, Int)], coordinates: &[Term]) -> Vec<(Rat, Term)> {
    form.iter().map(|(at, coefficient)| (Rat::from(coefficient), coordinates[*at])).collect()
}

/// A constraint of a lattice; the coordinates are integers.
pub fn congruence(store: &mut Store, constraint: &LinearConstraint, coordinates: &[Term]) -> Term {
    let parts = constraint.coefficients.iter().zip(coordinates).filter(|(c, _)| !c.is_zero());
    let terms: Vec<(Rat, Term)> = parts.map(|(c, &term)| (Rat::from(c.clone()), term)).collect();
    let sum = store.linear(&terms, &Rat::from(-&constraint.value), Sort::Int);
    if constraint.modulus.is_zero() {
        let zero = store.int(0);
        store.eq(sum, zero)
    } else {
        store.divisible(&constraint.modulus, sum)
    }
}

/// An equality of a subspace: the sum of multiples of these terms has a value.
pub fn equality(store: &mut Store, terms: &[(Rat, Term)], value: &Rat) -> Term {
    if terms.iter().all(|&(_, term)| store.sort(term) == Sort::Int) {
        let scale = terms.iter().fold(value.denom(), |common, (c, _)| common.lcm(&c.denom()));
        let scale = Rat::from(scale);
        let terms: Vec<(Rat, Term)> = terms.iter().map(|(c, term)| (c * &scale, *term)).collect();
        let sum = store.linear(&terms, &-(value * &scale), Sort::Int);
        let zero = store.int(0);
        return store.eq(sum, zero);
    }
    let terms: Vec<(Rat, Term)> = terms.iter().map(|(c, term)| (c.clone(), store.to_real(*term))).collect();
    let left = store.linear(&terms, &Rat::ZERO, Sort::Real);
    let right = store.real(value.clone());
    store.eq(left, right)
}

/// The bounds of a linear form over the coordinates, those that there are.
pub fn bounds_of(
    store: &mut Store,
    form: &[(usize, Int)],
    coordinates: &[Term],
    Interval { low, high }: &Interval,
) -> Vec<Term> {
    let mut terms = terms_of(form, coordinates);
    let mut parts = Vec::new();
    if let Some(high) = high {
        parts.push(store.linear_le(&terms, high, false));
    }
    if let Some(low) = low {
        for (coefficient, _) in &mut terms {
            *coefficient = -&*coefficient;
        }
        parts.push(store.linear_le(&terms, &-low, false));
    }
    parts
}
