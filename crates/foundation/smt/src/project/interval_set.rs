//! Finite unions of intervals: the values of one polynomial that literals allow.
//!
//! A set is a sorted list of endpoints, where membership changes, and whether it contains the numbers before the
//! first one. Union and complement are passes over the endpoints. Written back, intervals that are apart by a
//! single number become one interval without that number, so that `p < 3 or p > 3` is one literal.

use shem_base::Rat;
use shem_term::{Poly, Store, Term, View};

/// Where membership changes: just before the number, or just after it.
///
/// Invariant *whole*: of an integral polynomial all endpoints are before a number, so that equal sets have
/// equal endpoints.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Endpoint {
    value: Rat,
    after: bool,
}

/// A set of values of a polynomial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IntervalSet {
    integral: bool,
    /// Whether numbers before the first endpoint belong to the set.
    begins: bool,
    /// Invariant *ascending*: strictly.
    endpoints: Vec<Endpoint>,
}

/// The polynomial that a literal bounds or equates with a number.
pub(super) fn bounded_poly(store: &Store, literal: Term) -> Option<Poly> {
    match store.view(literal) {
        View::Le(poly, _) | View::Lt(poly, _) | View::Eq(poly, _) => Some(poly),
        _ => None,
    }
}

impl IntervalSet {
    /// The values of the polynomial at which the literals are all true; they are about it alone.
    pub(super) fn of_literals(store: &Store, poly: Poly, literals: &[Term]) -> IntervalSet {
        let integral = store.poly_is_integral(poly);
        let mut misses = IntervalSet { integral, begins: false, endpoints: Vec::new() };
        for &literal in literals {
            misses = misses.union(&IntervalSet::of_literal(store, integral, !literal));
        }
        misses.complement()
    }

    fn of_literal(store: &Store, integral: bool, literal: Term) -> IntervalSet {
        let endpoint = |value: &Rat, after: bool| {
            if integral && after {
                Endpoint { value: value + &Rat::ONE, after: false }
            } else {
                Endpoint { value: value.clone(), after }
            }
        };
        let (begins, endpoints) = match store.view(literal) {
            View::Le(_, bound) => (true, vec![endpoint(bound, true)]),
            View::Lt(_, bound) => (true, vec![endpoint(bound, false)]),
            View::Eq(_, value) => (false, vec![endpoint(value, false), endpoint(value, true)]),
            _ => unreachable!("literals of a interval_set compare a polynomial"),
        };
        IntervalSet { integral, begins: begins != literal.is_negated(), endpoints }
    }

    fn complement(mut self) -> IntervalSet {
        self.begins = !self.begins;
        self
    }

    /// The numbers in one of the sets.
    pub(super) fn union(&self, other: &IntervalSet) -> IntervalSet {
        let begins = self.begins || other.begins;
        let (mut left, mut right, mut inside) = (self.begins, other.begins, begins);
        let mut endpoints = Vec::new();
        let (mut i, mut j) = (0, 0);
        while i < self.endpoints.len() || j < other.endpoints.len() {
            let endpoint = match (self.endpoints.get(i), other.endpoints.get(j)) {
                (Some(a), Some(b)) => a.min(b),
                (Some(a), None) => a,
                (None, Some(b)) => b,
                (None, None) => unreachable!("one of the lists goes on"),
            };
            if self.endpoints.get(i) == Some(endpoint) {
                left = !left;
                i += 1;
            }
            if other.endpoints.get(j) == Some(endpoint) {
                right = !right;
                j += 1;
            }
            if (left || right) != inside {
                inside = !inside;
                endpoints.push(endpoint.clone());
            }
        }
        IntervalSet { integral: self.integral, begins, endpoints }
    }

    /// Cubes over the polynomial, the disjunction of which is the set.
    pub(super) fn cubes(&self, store: &mut Store, poly: Poly) -> Vec<Vec<Term>> {
        let mut cubes = Vec::new();
        let mut open: Option<Vec<Term>> = self.begins.then(Vec::new);
        let mut i = 0;
        while i < self.endpoints.len() {
            let endpoint = &self.endpoints[i];
            let point = self.endpoints.get(i + 1).and_then(|next| self.only_between(endpoint, next));
            match (open.take(), point) {
                (Some(mut cube), Some(missing)) => {
                    cube.push(!store.poly_eq(poly, missing));
                    open = Some(cube);
                    i += 1;
                }
                (Some(mut cube), None) => {
                    cube.push(self.before(store, poly, endpoint));
                    cubes.push(cube);
                }
                (None, Some(only)) => {
                    cubes.push(vec![store.poly_eq(poly, only)]);
                    i += 1;
                }
                (None, None) => open = Some(vec![!self.before(store, poly, endpoint)]),
            }
            i += 1;
        }
        cubes.extend(open);
        cubes
    }

    /// The only number between two endpoints, if there is exactly one.
    fn only_between<'a>(&self, low: &'a Endpoint, high: &Endpoint) -> Option<&'a Rat> {
        let next = if self.integral { &low.value + &Rat::ONE == high.value } else { low.value == high.value };
        next.then_some(&low.value)
    }

    /// The literal of all numbers before the endpoint.
    fn before(&self, store: &mut Store, poly: Poly, endpoint: &Endpoint) -> Term {
        if self.integral {
            store.poly_le(poly, &(&endpoint.value - &Rat::ONE))
        } else if endpoint.after {
            store.poly_le(poly, &endpoint.value)
        } else {
            store.poly_lt(poly, &endpoint.value)
        }
    }
}

#[cfg(test)]
mod tests {
    use shem_base::Rng;
    use shem_term::{Sort, Value};

    use super::*;
    use crate::Model;

    /// Random unions of conjunctions agree with their literals at all points near the ends.
    #[test]
    fn unions_and_cubes_mean_what_the_literals_mean() {
        for seed in 0..2000 {
            let mut rng = Rng::new(seed);
            let mut store = Store::new();
            let sort = if rng.bool() { Sort::Int } else { Sort::Real };
            let x = store.variable("x", sort);
            let literal = |store: &mut Store, rng: &mut Rng| {
                let bound = store.numeral(&Rat::from(rng.range(-4..=4)), sort);
                let atom = match rng.below(3) {
                    0 => store.le(x, bound),
                    1 => store.lt(x, bound),
                    _ => store.eq(x, bound),
                };
                atom.xor(rng.bool())
            };
            let mut union: Option<IntervalSet> = None;
            let mut members = Vec::new();
            for _ in 0..rng.range(1..=4) {
                let cube: Vec<Term> = (0..rng.range(1..=3)).map(|_| literal(&mut store, &mut rng)).collect();
                let poly = bounded_poly(&store, cube[0]).unwrap();
                let set = IntervalSet::of_literals(&store, poly, &cube);
                union = Some(union.map_or(set.clone(), |u| u.union(&set)));
                members.push(store.and(&cube));
            }
            let union = union.unwrap();
            assert!(union.endpoints.windows(2).all(|w| w[0] < w[1]));
            let bound = store.numeral(&Rat::ZERO, sort);
            let some = store.le(x, bound);
            let poly = bounded_poly(&store, some).unwrap();
            let cubes: Vec<Term> = union.cubes(&mut store, poly).iter().map(|cube| store.and(cube)).collect();
            let (expected, result) = (store.or(&members), store.or(&cubes));
            for i in -12..=12 {
                let value = if sort == Sort::Int { Rat::from(i) } else { Rat::new(i, 2) };
                let mut model = Model::default();
                model.insert(store.as_var(x).unwrap(), Value::Num(value));
                assert_eq!(
                    store.evaluate(expected, &model).unwrap(),
                    store.evaluate(result, &model).unwrap(),
                    "seed {seed}: {} for {}",
                    store.display(result),
                    store.display(expected)
                );
            }
        }
    }

    #[test]
    fn a_missing_point_is_one_literal() {
        let mut store = Store::new();
        let x = store.variable("x", Sort::Int);
        let three = store.int(3);
        let (below, above) = (store.lt(x, three), store.gt(x, three));
        let poly = bounded_poly(&store, below).unwrap();
        let left = IntervalSet::of_literals(&store, poly, &[below]);
        let union = left.union(&IntervalSet::of_literals(&store, poly, &[above]));
        assert_eq!(union.cubes(&mut store, poly), [[!store.eq(x, three)]]);
        let at_least = store.ge(x, three);
        let all = left.union(&IntervalSet::of_literals(&store, poly, &[at_least]));
        assert_eq!(all.cubes(&mut store, poly), [[]]);
    }
}
