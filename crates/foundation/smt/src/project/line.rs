//! Sets of numbers with finitely many ends: what literals say of one polynomial.
//!
//! A set is a sorted list of cuts, the places between numbers where membership changes, and whether it
//! begins inside. Union and complement are walks over the cuts. Written back, intervals that are apart by a
//! single number become one interval without that number, so that `p < 3 or p > 3` is one literal.

use shem_base::Rat;
use shem_term::{Poly, Store, Term, View};

/// A place on the line: before the number, or after it.
///
/// Invariant *whole*: of an integral line all cuts are before a number, so that equal sets have equal cuts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cut {
    value: Rat,
    after: bool,
}

/// A set of values of a polynomial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineSet {
    integral: bool,
    /// Whether numbers before the first cut belong to the set.
    begins: bool,
    /// Invariant *ascending*: strictly.
    cuts: Vec<Cut>,
}

/// The polynomial of which a literal speaks by order or equality.
pub(super) fn line_of(store: &Store, literal: Term) -> Option<Poly> {
    match store.view(literal) {
        View::Le(poly, _) | View::Lt(poly, _) | View::Eq(poly, _) => Some(poly),
        _ => None,
    }
}

impl LineSet {
    /// The values of the polynomial at which the literals are all true; they speak of it alone.
    pub(super) fn of_literals(store: &Store, poly: Poly, literals: &[Term]) -> LineSet {
        let integral = store.poly_is_integral(poly);
        let mut misses = LineSet { integral, begins: false, cuts: Vec::new() };
        for &literal in literals {
            misses = misses.union(&LineSet::of_literal(store, integral, !literal));
        }
        misses.complement()
    }

    fn of_literal(store: &Store, integral: bool, literal: Term) -> LineSet {
        let cut = |value: &Rat, after: bool| {
            if integral && after {
                Cut { value: value + &Rat::ONE, after: false }
            } else {
                Cut { value: value.clone(), after }
            }
        };
        let (begins, cuts) = match store.view(literal) {
            View::Le(_, bound) => (true, vec![cut(bound, true)]),
            View::Lt(_, bound) => (true, vec![cut(bound, false)]),
            View::Eq(_, value) => (false, vec![cut(value, false), cut(value, true)]),
            _ => unreachable!("literals of a line compare a polynomial"),
        };
        LineSet { integral, begins: begins != literal.is_negated(), cuts }
    }

    fn complement(mut self) -> LineSet {
        self.begins = !self.begins;
        self
    }

    /// The numbers in one of the sets.
    pub(super) fn union(&self, other: &LineSet) -> LineSet {
        let begins = self.begins || other.begins;
        let (mut left, mut right, mut inside) = (self.begins, other.begins, begins);
        let mut cuts = Vec::new();
        let (mut i, mut j) = (0, 0);
        while i < self.cuts.len() || j < other.cuts.len() {
            let cut = match (self.cuts.get(i), other.cuts.get(j)) {
                (Some(a), Some(b)) => a.min(b),
                (Some(a), None) => a,
                (None, Some(b)) => b,
                (None, None) => unreachable!("one of the lists goes on"),
            };
            if self.cuts.get(i) == Some(cut) {
                left = !left;
                i += 1;
            }
            if other.cuts.get(j) == Some(cut) {
                right = !right;
                j += 1;
            }
            if (left || right) != inside {
                inside = !inside;
                cuts.push(cut.clone());
            }
        }
        LineSet { integral: self.integral, begins, cuts }
    }

    /// Cubes over the polynomial, the disjunction of which is the set.
    pub(super) fn cubes(&self, store: &mut Store, poly: Poly) -> Vec<Vec<Term>> {
        let mut cubes = Vec::new();
        let mut open: Option<Vec<Term>> = self.begins.then(Vec::new);
        let mut i = 0;
        while i < self.cuts.len() {
            let cut = &self.cuts[i];
            let point = self.cuts.get(i + 1).and_then(|next| self.only_between(cut, next));
            match (open.take(), point) {
                (Some(mut cube), Some(missing)) => {
                    cube.push(!store.poly_eq(poly, missing));
                    open = Some(cube);
                    i += 1;
                }
                (Some(mut cube), None) => {
                    cube.push(self.before(store, poly, cut));
                    cubes.push(cube);
                }
                (None, Some(only)) => {
                    cubes.push(vec![store.poly_eq(poly, only)]);
                    i += 1;
                }
                (None, None) => open = Some(vec![!self.before(store, poly, cut)]),
            }
            i += 1;
        }
        cubes.extend(open);
        cubes
    }

    /// The only number between two cuts, if there is exactly one.
    fn only_between<'a>(&self, low: &'a Cut, high: &Cut) -> Option<&'a Rat> {
        let next = if self.integral { &low.value + &Rat::ONE == high.value } else { low.value == high.value };
        next.then_some(&low.value)
    }

    /// The literal of all numbers before the cut.
    fn before(&self, store: &mut Store, poly: Poly, cut: &Cut) -> Term {
        if self.integral {
            store.poly_le(poly, &(&cut.value - &Rat::ONE))
        } else if cut.after {
            store.poly_le(poly, &cut.value)
        } else {
            store.poly_lt(poly, &cut.value)
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
            let mut union: Option<LineSet> = None;
            let mut members = Vec::new();
            for _ in 0..rng.range(1..=4) {
                let cube: Vec<Term> = (0..rng.range(1..=3)).map(|_| literal(&mut store, &mut rng)).collect();
                let poly = line_of(&store, cube[0]).unwrap();
                let set = LineSet::of_literals(&store, poly, &cube);
                union = Some(union.map_or(set.clone(), |u| u.union(&set)));
                members.push(store.and(&cube));
            }
            let union = union.unwrap();
            assert!(union.cuts.windows(2).all(|w| w[0] < w[1]));
            let bound = store.numeral(&Rat::ZERO, sort);
            let some = store.le(x, bound);
            let poly = line_of(&store, some).unwrap();
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
        let poly = line_of(&store, below).unwrap();
        let left = LineSet::of_literals(&store, poly, &[below]);
        let union = left.union(&LineSet::of_literals(&store, poly, &[above]));
        assert_eq!(union.cubes(&mut store, poly), [[!store.eq(x, three)]]);
        let at_least = store.ge(x, three);
        let all = left.union(&LineSet::of_literals(&store, poly, &[at_least]));
        assert_eq!(all.cubes(&mut store, poly), [[]]);
    }
}
