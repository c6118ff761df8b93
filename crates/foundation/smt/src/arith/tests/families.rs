//! Families of problems whose answer is known.

use shem_base::{Int, Rat, Rng};

use super::driver::{Constraint, Driver, Outcome};
use crate::arith::ArithOptions;

fn le(terms: &[(usize, i64)], constant: i64) -> Constraint {
    Constraint { terms: terms.to_vec(), constant: Rat::from(constant), strict: false }
}

fn ge(terms: &[(usize, i64)], constant: i64) -> Constraint {
    le(&terms.iter().map(|(x, c)| (*x, -c)).collect::<Vec<_>>(), -constant)
}

fn eq(terms: &[(usize, i64)], constant: i64) -> [Constraint; 2] {
    [le(terms, constant), ge(terms, constant)]
}

fn decide(vars: usize, constraints: &[Constraint]) -> Outcome {
    let mut driver = Driver::new(ArithOptions::default());
    (0..vars).for_each(|_| driver.new_var(true));
    driver.decide(constraints)
}

#[test]
fn a_number_is_not_even_and_odd() {
    let problem = [eq(&[(0, 1), (1, -2)], 0), eq(&[(0, 1), (2, -2)], 1)].concat();
    assert_eq!(decide(3, &problem), Outcome::Unsat);
}

#[test]
fn no_integer_between_thirds() {
    assert_eq!(decide(2, &[ge(&[(0, 3), (1, -3)], 1), le(&[(0, 3), (1, -3)], 2)]), Outcome::Unsat);
    let problem = [ge(&[(0, 3), (1, 6), (2, -9)], 1), le(&[(0, 3), (1, 6), (2, -9)], 2)];
    assert_eq!(decide(3, &problem), Outcome::Unsat);
}

/// `x` is a multiple of k, and `1 <= x - k z <= k - 1`: no solution, and unbounded.
#[test]
fn multiples_leave_no_remainder() {
    for k in [2, 3, 4, 7, 12, 100, 65_536] {
        let mut problem = eq(&[(0, 1), (1, -k)], 0).to_vec();
        problem.push(ge(&[(0, 1), (2, -k)], 1));
        problem.push(le(&[(0, 1), (2, -k)], k - 1));
        assert_eq!(decide(3, &problem), Outcome::Unsat, "k = {k}");
        problem.pop();
        problem.push(le(&[(0, 1), (2, -k)], k));
        assert!(matches!(decide(3, &problem), Outcome::Sat(_)), "k = {k}");
    }
}

/// A chain of doublings that ends in an odd number.
#[test]
fn powers_of_two_are_not_odd() {
    for length in [1, 5, 20, 80] {
        let mut problem = Vec::new();
        for i in 0..length {
            problem.extend(eq(&[(i, 1), (i + 1, -2)], 0));
        }
        problem.extend(eq(&[(0, 1), (length + 1, -2)], 1));
        assert_eq!(decide(length + 2, &problem), Outcome::Unsat, "length {length}");
    }
}

/// The triangle with the vertices (0, 0), (1, 0), (1/2, k) without its base: long and thin.
#[test]
fn thin_triangles() {
    for k in [3, 20, 100] {
        let problem = [ge(&[(1, 1)], 1), le(&[(0, -2 * k), (1, 1)], 0), le(&[(0, 2 * k), (1, 1)], 2 * k)];
        assert_eq!(decide(2, &problem), Outcome::Unsat, "k = {k}");
    }
}

/// A strip of slope a/b between two integer lattice lines, unbounded.
#[test]
fn strips_without_points() {
    for (a, b) in [(3, 5), (10, 14), (123, 457), (1000, 1002)] {
        let gcd = Int::from(a).gcd(&Int::from(b)).to_i64().unwrap();
        let strip = [ge(&[(0, a), (1, -b)], 1), le(&[(0, a), (1, -b)], 1)];
        assert_eq!(matches!(decide(2, &strip), Outcome::Sat(_)), gcd == 1);
        // 2 (a x - b y) + 4 z lies strictly between two multiples of 2 g.
        let sheet = [ge(&[(0, 2 * a), (1, -2 * b), (2, 4)], 1), le(&[(0, 2 * a), (1, -2 * b), (2, 4)], 1)];
        assert_eq!(decide(3, &sheet), Outcome::Unsat);
    }
}

/// `x = 2 r`, `r = y` and `x = 2 z + 1` for a real `r`: what the integers must satisfy goes through a real.
#[test]
fn parity_through_a_real() {
    for middle in [0, 1] {
        let mut driver = Driver::new(ArithOptions::default());
        (0..4).for_each(|x| driver.new_var(x != 1));
        let problem = [
            eq(&[(0, 1), (1, -2)], 0),
            [le(&[(1, 1), (2, -1)], 0), ge(&[(1, 1), (2, -1)], middle - 1)],
            eq(&[(0, 1), (3, -2)], 1),
        ];
        let outcome = driver.decide(&problem.concat());
        assert_eq!(outcome == Outcome::Unsat, middle == 1, "{outcome:?}");
    }
}

/// Coefficients beyond machine words.
#[test]
fn huge_coefficients() {
    use shem_base::Var;

    use crate::arith::Arith;
    use crate::theory::{Consistency, FinalCheck, Theory};

    let big: Int = "1000000000000000000000000000000".parse().unwrap();
    let mut arith = Arith::new(ArithOptions::default());
    let (x, y) = (arith.new_var(true), arith.new_var(true));
    // big x - (big + 1) y = 1, x >= 0, y >= 0: x = y = big - 1 ... or the like; solvable.
    let p = arith.poly(&[(x, big.clone()), (y, -(&big + &Int::ONE))]);
    arith.register_atom(p, &Rat::ONE, false, Var::new(0));
    arith.register_atom(p, &Rat::ZERO, false, Var::new(1));
    arith.register_atom(x, &Rat::MINUS_ONE, false, Var::new(2));
    arith.register_atom(y, &Rat::ZERO, false, Var::new(3));
    let mut lemma = Default::default();
    let mut budget = shem_base::Budget { splits: 1000, ..shem_base::Budget::unlimited() };
    for (var, value) in [(0, true), (1, false), (2, false), (3, false)] {
        assert!(arith.assert_lit(Var::new(var).lit(value), &mut lemma));
    }
    assert_eq!(arith.check(&mut lemma, &mut budget), Consistency::Consistent);
    arith.check_invariants();
    let mut next = 4;
    loop {
        match arith.final_check(Var::new(next), &mut lemma, &mut budget) {
            FinalCheck::Model => break,
            FinalCheck::Split(lit) => {
                next = next.max(lit.var().index() as u32 + 1);
                let first = arith.assert_lit(lit, &mut lemma)
                    && arith.check(&mut lemma, &mut budget) == Consistency::Consistent;
                if !first {
                    let count = arith.asserted();
                    arith.backtrack(count.min(4));
                    assert!(arith.assert_lit(!lit, &mut lemma));
                    assert_eq!(arith.check(&mut lemma, &mut budget), Consistency::Consistent);
                }
            }
            other => panic!("{other:?}"),
        }
    }
    arith.model();
    let (x, y) = (arith.value(x), arith.value(y));
    assert_eq!(x.mul_int(&big) - y.mul_int(&(&big + &Int::ONE)), Rat::ONE);
}

/// `x + y <= 5` and `x >= 3` decide `y <= 2` and `y <= 4`, but not `y <= 1`, through the row.
#[test]
fn rows_propagate() {
    use shem_base::{Budget, Var};
    use shem_proof::Lemma;

    use super::driver::judge;
    use crate::arith::Arith;
    use crate::theory::{Consistency, Theory};

    let mut arith = Arith::new(ArithOptions { row_propagation: true, ..ArithOptions::default() });
    let (x, y) = (arith.new_var(true), arith.new_var(true));
    let sum = arith.poly(&[(x, Int::ONE), (y, Int::ONE)]);
    let atoms = [(sum, 5), (x, 2), (y, 1), (y, 2), (y, 4)];
    for (i, (x, bound)) in atoms.into_iter().enumerate() {
        arith.register_atom(x, &Rat::from(bound), false, Var::new(i as u32));
    }
    let mut lemma = Lemma::default();
    let asserted = [Var::new(0).positive(), Var::new(1).negative()];
    for lit in asserted {
        assert!(arith.assert_lit(lit, &mut lemma));
    }
    assert_eq!(arith.check(&mut lemma, &mut Budget::unlimited()), Consistency::Consistent);
    let mut propagated = Vec::new();
    while let Some(lit) = arith.next_propagation() {
        arith.explain(lit, &mut lemma);
        judge(&arith, &lemma, |l| l == lit || asserted.contains(&!l));
        propagated.push(lit);
    }
    assert_eq!(propagated, [Var::new(3).positive(), Var::new(4).positive()]);
}

/// Residues of two unbounded numbers, each between two bounds: all that matters is the numbers modulo 120.
#[test]
fn residues_of_two_numbers() {
    let mut rng = Rng::new(17);
    let mut solvable = 0;
    for _ in 0..150 {
        let residues: Vec<[i64; 5]> = (0..2 + rng.index(6))
            .map(|_| {
                let modulus = [2, 3, 4, 5, 6, 8, 10, 12][rng.index(8)];
                let low = rng.range(0..=modulus - 1);
                let high = (low + rng.range(0..=2)).min(modulus - 1);
                [modulus, rng.range(-6..=6), rng.range(1..=6), low, high]
            })
            .collect();
        let holds = |x: i64, y: i64| {
            residues
                .iter()
                .all(|[m, a, b, low, high]| (low..=high).contains(&&(a * x + b * y).rem_euclid(*m)))
        };
        let expected = (0..120).any(|x| (0..120).any(|y| holds(x, y)));
        let mut problem = Vec::new();
        for (i, [modulus, a, b, low, high]) in residues.iter().enumerate() {
            let mut terms = vec![(0, *a), (1, *b), (2 + i, -modulus)];
            terms.retain(|(_, c)| *c != 0);
            problem.extend([ge(&terms, *low), le(&terms, *high)]);
        }
        // The relaxation is to have rays, but not to be a whole space.
        problem.extend([ge(&[(0, 1)], 7), le(&[(0, 1), (1, -3)], 11)]);
        let outcome = decide(2 + residues.len(), &problem);
        assert_eq!(matches!(outcome, Outcome::Sat(_)), expected, "{residues:?} {outcome:?}");
        solvable += u32::from(expected);
    }
    assert!((30..120).contains(&solvable), "{solvable}");
}
