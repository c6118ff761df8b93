//! Cubes with many bounds on one variable, judged exhaustively on a grid with arithmetic of their own.

use shem_base::{Int, Rat, Rng};
use shem_smt::Model;
use shem_smt::project::Projector;
use shem_term::{Sort, Store, Term, Value};

/// What a literal says of its sum.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    AtMost,
    Below,
    Zero,
    NotZero,
    Divisible(i64),
    NotDivisible(i64),
}

/// A sum over three variables, the first of which is eliminated, and a constant.
#[derive(Clone, Copy, Debug)]
struct Literal {
    coeffs: [i64; 3],
    constant: i64,
    kind: Kind,
}

impl Literal {
    fn random(rng: &mut Rng, kinds: &[Kind]) -> Literal {
        let wide = rng.range(1..=5);
        let kept = rng.range(0..=3);
        Literal {
            coeffs: [rng.range(-wide..=wide), rng.range(-kept..=kept), rng.range(-kept..=kept)],
            constant: rng.range(-9..=9),
            kind: *rng.pick(kinds),
        }
    }

    fn term(&self, store: &mut Store, vars: &[Term; 3]) -> Term {
        let sort = store.sort(vars[0]);
        let terms: Vec<(Rat, Term)> =
            self.coeffs.iter().zip(vars).map(|(&c, &v)| (Rat::from(c), v)).collect();
        let sum = store.linear(&terms, &Rat::from(self.constant), sort);
        let zero = store.numeral(&Rat::ZERO, sort);
        match self.kind {
            Kind::AtMost => store.le(sum, zero),
            Kind::Below => store.lt(sum, zero),
            Kind::Zero => store.eq(sum, zero),
            Kind::NotZero => !store.eq(sum, zero),
            Kind::Divisible(k) => store.divisible(&Int::from(k), sum),
            Kind::NotDivisible(k) => !store.divisible(&Int::from(k), sum),
        }
    }

    fn holds(&self, point: [i64; 3]) -> bool {
        let sum: i64 = self.coeffs.iter().zip(point).map(|(c, v)| c * v).sum::<i64>() + self.constant;
        match self.kind {
            Kind::AtMost => sum <= 0,
            Kind::Below => sum < 0,
            Kind::Zero => sum == 0,
            Kind::NotZero => sum != 0,
            Kind::Divisible(k) => sum.rem_euclid(k) == 0,
            Kind::NotDivisible(k) => sum.rem_euclid(k) != 0,
        }
    }
}

/// Changes the constant of a literal, if need be, so that it holds at the point; tight ones often.
fn satisfy(rng: &mut Rng, literal: &mut Literal, point: [i64; 3]) {
    if literal.holds(point) && rng.chance(50) {
        return;
    }
    let sum: i64 = literal.coeffs.iter().zip(point).map(|(c, v)| c * v).sum();
    literal.constant = match literal.kind {
        Kind::AtMost => -sum - rng.range(0..=2),
        Kind::Below => -sum - rng.range(1..=2),
        Kind::Zero => -sum,
        Kind::Divisible(k) => -sum + k * rng.range(-1..=1),
        Kind::NotZero => -sum + 1,
        Kind::NotDivisible(k) => -sum + rng.range(1..=k - 1),
    };
}

/// Random cubes: at each point of the grid where the projection holds, `exists` must find a value.
fn check(sort: Sort, kinds: &[Kind], seeds: u64, exists: impl Fn(&[Literal], i64, i64) -> bool) {
    for seed in 0..seeds {
        let mut rng = Rng::new(seed);
        let mut store = Store::new();
        let vars = ["x", "a", "b"].map(|name| store.variable(name, sort));
        let point = [rng.range(-6..=6), rng.range(-5..=5), rng.range(-5..=5)];
        let literals: Vec<Literal> = (0..rng.range(2..=7))
            .map(|_| {
                let mut literal = Literal::random(&mut rng, kinds);
                satisfy(&mut rng, &mut literal, point);
                literal
            })
            .collect();
        let cube: Vec<Term> = literals.iter().map(|l| l.term(&mut store, &vars)).collect();
        let assign = |point: [i64; 3]| {
            let mut model = Model::default();
            for (var, value) in vars.iter().zip(point) {
                model.insert(store.as_var(*var).unwrap(), Value::Num(Rat::from(value)));
            }
            model
        };
        let model = assign(point);
        let points: Vec<Model> = (0..121).map(|i| assign([0, i / 11 - 5, i % 11 - 5])).collect();
        let projection = Projector::new().projection(&mut store, &cube, &model, &vars[..1]).unwrap();
        let result = store.and(&projection.cube);
        let holds = |model: &Model| store.evaluate(result, model).unwrap().as_bool().unwrap();
        assert!(holds(&model), "seed {seed}: {}", store.display(result));
        for (i, model) in points.iter().enumerate() {
            let (a, b) = (i as i64 / 11 - 5, i as i64 % 11 - 5);
            if holds(model) {
                assert!(
                    exists(&literals, a, b),
                    "seed {seed}: {} at {a}, {b} for {literals:?}",
                    store.display(result)
                );
            } else {
                assert!(!projection.exact || !exists(&literals, a, b), "seed {seed}: not exact");
            }
        }
    }
}

/// Whether an integer satisfies the literals at this point: all up to the greatest bound plus a period.
fn exists_integer(literals: &[Literal], a: i64, b: i64) -> bool {
    (-130..=130).any(|x| literals.iter().all(|l| l.holds([x, a, b])))
}

/// Whether a real does: the literals make an interval, of which finitely many points are missing.
fn exists_real(literals: &[Literal], a: i64, b: i64) -> bool {
    // A bound and whether it is excluded.
    let mut lower: Option<(Rat, bool)> = None;
    let mut upper: Option<(Rat, bool)> = None;
    let mut missing = Vec::new();
    for l in literals {
        let rest = l.coeffs[1] * a + l.coeffs[2] * b + l.constant;
        let c = l.coeffs[0];
        if c == 0 {
            if !l.holds([0, a, b]) {
                return false;
            }
            continue;
        }
        let bound = Rat::new(-rest, c);
        let strict = l.kind == Kind::Below;
        if l.kind == Kind::NotZero {
            missing.push(bound);
            continue;
        }
        if c > 0 || l.kind == Kind::Zero {
            let tighter = upper.as_ref().is_none_or(|u| bound < u.0 || (bound == u.0 && strict));
            if tighter {
                upper = Some((bound.clone(), strict));
            }
        }
        if c < 0 || l.kind == Kind::Zero {
            let tighter = lower.as_ref().is_none_or(|u| bound > u.0 || (bound == u.0 && strict));
            if tighter {
                lower = Some((bound, strict));
            }
        }
    }
    match (lower, upper) {
        (Some(l), Some(u)) if l.0 > u.0 => false,
        (Some(l), Some(u)) if l.0 == u.0 => !l.1 && !u.1 && !missing.contains(&l.0),
        _ => true,
    }
}

#[test]
fn integer_bounds() {
    check(Sort::Int, &[Kind::AtMost], 2000, exists_integer);
}

#[test]
fn integer_literals() {
    use Kind::*;
    let kinds = [AtMost, AtMost, AtMost, AtMost, Zero, NotZero, Divisible(2), Divisible(4), NotDivisible(3)];
    check(Sort::Int, &kinds, 2000, exists_integer);
}

#[test]
fn integer_divisibilities() {
    use Kind::*;
    let kinds = [AtMost, AtMost, Divisible(2), Divisible(5), Divisible(6), NotDivisible(2), NotDivisible(6)];
    check(Sort::Int, &kinds, 2000, exists_integer);
}

#[test]
fn real_bounds() {
    check(Sort::Real, &[Kind::AtMost, Kind::Below], 2000, exists_real);
}

#[test]
fn real_literals() {
    use Kind::*;
    check(Sort::Real, &[AtMost, AtMost, AtMost, Below, Below, Below, Zero, NotZero], 2000, exists_real);
}
