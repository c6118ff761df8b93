//! Sets of residues: what divisibilities, of both polarities, say of one polynomial.
//!
//! A set modulo m is a list of m truth values; the moduli that meet are lifted to their least common
//! multiple, as long as it is small. Written back, the set or its complement is covered by residue classes
//! of divisors of m, large classes first, so that `x mod 6` in {0, 2, 4} is `2 | x` and `x mod 3` in {0, 1}
//! is `not (3 | x + 1)`. The cover is greedy, not the least one.

use shem_base::{Int, Rat};
use shem_term::{Poly, Sort, Store, Term, View};

/// The greatest modulus of a set.
const MODULUS_LIMIT: i64 = 360;

/// A set of values of a polynomial modulo a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResidueSet {
    /// By residue; its length is the modulus.
    members: Vec<bool>,
}

/// The polynomial of whose residues a literal speaks.
pub(super) fn residues_of(store: &Store, literal: Term) -> Option<Poly> {
    match store.view(literal) {
        View::Divisible(_, poly, _) => Some(poly),
        _ => None,
    }
}

impl ResidueSet {
    /// The residues of the polynomial at which the literals are all true; they are about it alone. `None` if
    /// their common modulus is too large.
    pub(super) fn of_literals(store: &Store, literals: &[Term]) -> Option<ResidueSet> {
        let mut set = ResidueSet { members: vec![true] };
        for &literal in literals {
            let View::Divisible(modulus, _, offset) = store.view(literal) else {
                unreachable!("literals of residues are divisibilities")
            };
            let modulus = modulus.to_i64().filter(|&k| k <= MODULUS_LIMIT)?;
            let offset = offset.to_i64().expect("offsets are smaller than the modulus");
            set = set.lifted(modulus)?;
            for (residue, member) in (0_i64..).zip(&mut set.members) {
                *member &= ((residue + offset) % modulus == 0) != literal.is_negated();
            }
        }
        Some(set)
    }

    /// The same set for a multiple of both moduli, if that is small.
    fn lifted(self, modulus: i64) -> Option<ResidueSet> {
        let own = self.members.len() as i64;
        let common = Int::from(own).lcm(&Int::from(modulus)).to_i64().filter(|&k| k <= MODULUS_LIMIT)?;
        let members = (0..common).map(|residue| self.members[(residue % own) as usize]).collect();
        Some(ResidueSet { members })
    }

    /// The numbers in one of the sets, if the common modulus is small.
    pub(super) fn union(self, other: ResidueSet) -> Option<ResidueSet> {
        let mut left = self.lifted(other.members.len() as i64)?;
        let right = other.lifted(left.members.len() as i64)?;
        for (member, also) in left.members.iter_mut().zip(&right.members) {
            *member |= also;
        }
        Some(left)
    }

    /// Cubes over the polynomial, the disjunction of which is the set: one class each, or a single cube
    /// with the negations of the classes that are missing if these are fewer, or as many but not one.
    pub(super) fn cubes(&self, store: &mut Store, poly: Poly) -> Vec<Vec<Term>> {
        let (present, missing) = (self.classes(true), self.classes(false));
        let mut atom = |&(modulus, residue): &(usize, usize)| {
            let sum = store.poly_sum(poly, &-Rat::from(residue as i64), Sort::Int);
            store.divisible(&Int::from(modulus as i64), sum)
        };
        let negate = if present.len() == 1 { missing.is_empty() } else { missing.len() <= present.len() };
        if negate {
            vec![missing.iter().map(|class| !atom(class)).collect()]
        } else {
            present.iter().map(|class| vec![atom(class)]).collect()
        }
    }

    /// Residue classes (modulus, residue) that cover the members, or what are none.
    fn classes(&self, members: bool) -> Vec<(usize, usize)> {
        let whole = self.members.len();
        let mut left: Vec<bool> = self.members.iter().map(|&member| member == members).collect();
        let mut classes = Vec::new();
        for modulus in (1..=whole).filter(|modulus| whole.is_multiple_of(*modulus)) {
            for residue in 0..modulus {
                let class = || (residue..whole).step_by(modulus);
                if class().all(|r| self.members[r] == members) && class().any(|r| left[r]) {
                    classes.push((modulus, residue));
                    class().for_each(|r| left[r] = false);
                }
            }
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use shem_base::Rng;
    use shem_term::Value;

    use super::*;
    use crate::Model;

    fn x_and_poly(store: &mut Store) -> (Term, Poly) {
        let x = store.variable("x", Sort::Int);
        let even = store.divisible(&Int::from(2), x);
        (x, residues_of(store, even).unwrap())
    }

    #[test]
    fn cubes_mean_what_the_literals_mean() {
        for seed in 0..1000 {
            let mut rng = Rng::new(seed);
            let mut store = Store::new();
            let (x, poly) = x_and_poly(&mut store);
            let mut union: Option<ResidueSet> = None;
            let mut members = Vec::new();
            for _ in 0..rng.range(1..=4) {
                let cube: Vec<Term> = (0..rng.range(1..=2))
                    .map(|_| {
                        let offset = store.int(rng.range(0..=7));
                        let sum = store.add(&[x, offset]);
                        let modulus = Int::from(*rng.pick(&[2, 3, 4, 6, 5]));
                        store.divisible(&modulus, sum).xor(rng.bool())
                    })
                    .collect();
                let set = ResidueSet::of_literals(&store, &cube).unwrap();
                union = Some(union.map_or(set.clone(), |u| u.union(set).unwrap()));
                members.push(store.and(&cube));
            }
            let cubes: Vec<Term> =
                union.unwrap().cubes(&mut store, poly).iter().map(|cube| store.and(cube)).collect();
            let (expected, result) = (store.or(&members), store.or(&cubes));
            for value in -70..70_i64 {
                let mut model = Model::default();
                model.insert(store.as_var(x).unwrap(), Value::Num(Rat::from(value)));
                assert_eq!(
                    store.evaluate(expected, &model).unwrap(),
                    store.evaluate(result, &model).unwrap(),
                    "seed {seed}"
                );
            }
        }
    }

    #[test]
    fn classes_merge() {
        let mut store = Store::new();
        let (_, poly) = x_and_poly(&mut store);
        let mut check = |modulus: usize, residues: &[usize], expected: &str| {
            let members = (0..modulus).map(|r| residues.contains(&r)).collect();
            let cubes: Vec<Term> =
                ResidueSet { members }.cubes(&mut store, poly).iter().map(|cube| store.and(cube)).collect();
            let formula = store.or(&cubes);
            assert_eq!(store.display(formula).to_string(), expected);
        };
        check(6, &[0, 2, 4], "(= (mod x 2) 0)");
        check(3, &[0, 1], "(not (= (mod (+ x 1) 3) 0))");
        check(4, &[0, 1, 2, 3], "true");
        check(5, &[], "false");
        check(5, &[1, 3], "(or (= (mod (+ x 4) 5) 0) (= (mod (+ x 2) 5) 0))");
    }

    #[test]
    fn large_moduli_are_left_alone() {
        let mut store = Store::new();
        let (x, _) = x_and_poly(&mut store);
        let large = store.divisible(&Int::from(361), x);
        assert_eq!(ResidueSet::of_literals(&store, &[large]), None);
        let a = store.divisible(&Int::from(101), x);
        let b = store.divisible(&Int::from(103), x);
        assert_eq!(ResidueSet::of_literals(&store, &[a, b]), None);
        let (a, b) = (ResidueSet::of_literals(&store, &[a]), ResidueSet::of_literals(&store, &[b]));
        assert_eq!(a.unwrap().union(b.unwrap()), None);
    }
}
