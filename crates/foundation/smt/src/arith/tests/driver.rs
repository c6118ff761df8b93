//! A small search that drives the solver, and a judge of lemmas that knows only what atoms mean.

use std::collections::BTreeMap;

use shem_base::{Budget, DeltaRat, Int, Lit, Rat, UnknownReason, Var};
use shem_proof::{Lemma, LemmaKind};

use crate::arith::{Arith, ArithOptions, ArithVar};
use crate::theory::{Consistency, FinalCheck, Theory};

/// A linear constraint `terms <= constant`, or `<` if strict.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    pub(super) terms: Vec<(usize, i64)>,
    pub(super) constant: Rat,
    pub(super) strict: bool,
}

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The values of all variables.
    Sat(Vec<Rat>),
    Unsat,
    Unknown(UnknownReason),
}

/// The solver with a counter for propositional variables.
pub(super) struct Driver {
    pub(super) arith: Arith,
    pub(super) vars: Vec<ArithVar>,
    pub(super) next_var: u32,
    pub(super) budget: Budget,
    pub(super) trail: Vec<Lit>,
    /// Whether invariants are checked at every step.
    pub(super) strict: bool,
}

impl Driver {
    pub(super) fn new(options: ArithOptions) -> Driver {
        Driver {
            arith: Arith::new(options),
            vars: Vec::new(),
            next_var: 0,
            budget: Budget { splits: 3000, pivots: 200_000, ..Budget::unlimited() },
            trail: Vec::new(),
            strict: true,
        }
    }

    pub(super) fn new_var(&mut self, is_int: bool) {
        let x = self.arith.new_var(is_int);
        self.vars.push(x);
    }

    /// The literal of a constraint; `Err` with its truth value if it has no variables.
    pub(super) fn literal(&mut self, constraint: &Constraint) -> Result<Lit, bool> {
        let mut sum: BTreeMap<ArithVar, Int> = BTreeMap::new();
        for (x, c) in &constraint.terms {
            *sum.entry(self.vars[*x]).or_default() += &Int::from(*c);
        }
        sum.retain(|_, c| !c.is_zero());
        let mut terms: Vec<(ArithVar, Int)> = sum.into_iter().collect();
        let mut scale = terms.iter().fold(Int::ZERO, |g, (_, c)| g.gcd(c));
        let Some((_, first)) = terms.first() else {
            let sign = constraint.constant.signum();
            return Err(sign > 0 || sign == 0 && !constraint.strict);
        };
        let negative = first.is_negative();
        if negative {
            scale = -scale;
        }
        for (_, c) in &mut terms {
            *c = c.div_exact(&scale);
        }
        let bound = constraint.constant.div_int(&scale);
        let p = self.arith.poly(&terms);
        // -p <= c means p >= -c, which is not (p < -c).
        let strict = constraint.strict ^ negative;
        let lit = self.arith.atom(p, &bound, strict).unwrap_or_else(|| {
            let var = Var::new(self.next_var);
            self.next_var += 1;
            self.arith.register_atom(p, &bound, strict, var);
            var.positive()
        });
        Ok(lit.xor(negative))
    }

    /// Asserts a literal, checks and drains propagations; false on a conflict, whose lemma is judged.
    pub(super) fn assert(&mut self, lit: Lit) -> Result<bool, UnknownReason> {
        let mut lemma = Lemma::default();
        if !self.arith.assert_lit(lit, &mut lemma) {
            self.trail.push(lit);
            judge(&self.arith, &lemma, |l| self.trail.contains(&!l));
            self.trail.pop();
            return Ok(false);
        }
        self.trail.push(lit);
        self.check()
    }

    /// Checks consistency over the rationals and the propagations.
    pub(super) fn check(&mut self) -> Result<bool, UnknownReason> {
        let mut lemma = Lemma::default();
        let outcome = self.arith.check(&mut lemma, &mut self.budget);
        if self.strict {
            self.arith.check_invariants();
        }
        match outcome {
            Consistency::Unknown(reason) => return Err(reason),
            Consistency::Conflict => {
                judge(&self.arith, &lemma, |l| self.trail.contains(&!l));
                return Ok(false);
            }
            Consistency::Consistent => {}
        }
        while let Some(lit) = self.arith.next_propagation() {
            self.arith.explain(lit, &mut lemma);
            assert!(lemma.lits.contains(&lit));
            judge(&self.arith, &lemma, |l| l == lit || self.trail.contains(&!l));
        }
        Ok(true)
    }

    /// Settles the literals asserted so far, if they are consistent; they are not to be taken back.
    pub(super) fn settle(&mut self) -> bool {
        let consistent = self.check() == Ok(true);
        if consistent {
            self.arith.settle(self.trail.len());
            self.arith.check_invariants();
        }
        consistent
    }

    pub(super) fn backtrack(&mut self, count: usize) {
        self.trail.truncate(count);
        self.arith.backtrack(count);
        if self.strict {
            self.arith.check_invariants();
        }
    }

    /// Decides the literals asserted by depth-first search over the splits. All is taken back.
    pub(super) fn search(&mut self) -> Outcome {
        let base = self.trail.len();
        // Each open split: the length of the trail before, and the literal still to try, if any.
        let mut open: Vec<(usize, Option<Lit>)> = Vec::new();
        let mut lemma = Lemma::default();
        loop {
            let outcome = self.arith.final_check(Var::new(self.next_var), &mut lemma, &mut self.budget);
            if self.strict {
                self.arith.check_invariants();
            }
            let mut consistent = match outcome {
                FinalCheck::Model => {
                    let values = self.model();
                    self.backtrack(base);
                    return Outcome::Sat(values);
                }
                FinalCheck::Unknown(reason) => {
                    self.backtrack(base);
                    return Outcome::Unknown(reason);
                }
                FinalCheck::Conflict => {
                    judge(&self.arith, &lemma, |l| self.trail.contains(&!l));
                    Ok(false)
                }
                FinalCheck::Split(lit) => {
                    assert!(lit.var().index() <= self.next_var as usize);
                    self.next_var = self.next_var.max(lit.var().index() as u32 + 1);
                    assert!(!self.trail.contains(&lit) && !self.trail.contains(&!lit));
                    open.push((self.trail.len(), Some(!lit)));
                    self.assert(lit)
                }
                FinalCheck::Extend(_) => panic!("arithmetic adds no lemmas"),
            };
            while consistent == Ok(false) {
                let Some((length, other)) = open.pop() else {
                    self.backtrack(base);
                    return Outcome::Unsat;
                };
                self.backtrack(length);
                if let Some(lit) = other {
                    open.push((length, None));
                    consistent = self.assert(lit);
                }
            }
            if let Err(reason) = consistent {
                self.backtrack(base);
                return Outcome::Unknown(reason);
            }
        }
    }

    fn model(&mut self) -> Vec<Rat> {
        self.arith.model();
        let values: Vec<Rat> = self.vars.iter().map(|x| self.arith.value(*x)).collect();
        for (x, value) in self.vars.iter().zip(&values) {
            assert!(!self.arith.is_int(*x) || value.is_integer());
        }
        for lit in &self.trail {
            let (x, upper, lower) = self.arith.meaning(lit.var()).unwrap();
            let value = DeltaRat::from(self.arith.value(x));
            // A strict bound excludes its rational part.
            let holds = if lit.is_positive() {
                if upper.is_rational() { value <= *upper } else { value.real < upper.real }
            } else if lower.is_rational() {
                value >= *lower
            } else {
                value.real > lower.real
            };
            assert!(holds, "{lit:?} does not hold for {value:?}");
        }
        values
    }

    /// Asserts the constraints and decides them.
    pub(super) fn decide(&mut self, constraints: &[Constraint]) -> Outcome {
        let base = self.trail.len();
        let outcome = self.decide_here(constraints);
        self.backtrack(base);
        outcome
    }

    fn decide_here(&mut self, constraints: &[Constraint]) -> Outcome {
        self.arith.start();
        for constraint in constraints {
            match self.literal(constraint) {
                Err(true) => {}
                Err(false) => return Outcome::Unsat,
                Ok(lit) if self.trail.contains(&lit) => {}
                Ok(lit) => match self.assert(lit) {
                    Ok(true) => {}
                    Ok(false) => return Outcome::Unsat,
                    Err(reason) => return Outcome::Unknown(reason),
                },
            }
        }
        let outcome = self.search();
        if let Outcome::Sat(values) = &outcome {
            for constraint in constraints {
                assert!(holds(constraint, values), "{constraint:?} {values:?}");
            }
        }
        outcome
    }
}

/// Whether a constraint holds for these values.
pub(super) fn holds(constraint: &Constraint, values: &[Rat]) -> bool {
    let mut sum = Rat::ZERO;
    for (x, c) in &constraint.terms {
        sum.add_mul(&Rat::from(*c), &values[*x]);
    }
    if constraint.strict { sum < constraint.constant } else { sum <= constraint.constant }
}

/// Checks a lemma from the meaning of its atoms, and that `is_false` holds for its literals.
pub(super) fn judge(arith: &Arith, lemma: &Lemma, is_false: impl Fn(Lit) -> bool) {
    assert_eq!(lemma.lits.len(), lemma.coeffs.len());
    assert!(lemma.lits.iter().all(|l| is_false(*l)), "a literal of the lemma is not false");
    let mut distinct = lemma.lits.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), lemma.lits.len(), "a literal occurs twice");
    let mut sum: BTreeMap<ArithVar, Rat> = BTreeMap::new();
    let mut add = |x: ArithVar, factor: &Rat| match arith.definition(x) {
        None => *sum.entry(x).or_default() += factor,
        Some(terms) => {
            for (y, c) in terms {
                *sum.entry(*y).or_default() += &factor.mul_int(c);
            }
        }
    };
    match lemma.kind {
        LemmaKind::Farkas => {
            let mut constant = DeltaRat::ZERO;
            for (lit, coeff) in lemma.lits.iter().zip(&lemma.coeffs) {
                assert!(coeff.is_positive());
                let (x, upper, lower) = arith.meaning(lit.var()).unwrap();
                // The literal is false: a negative one stands for the upper bound.
                if lit.is_positive() {
                    add(x, &-coeff);
                    constant.sub_mul(coeff, lower);
                } else {
                    add(x, coeff);
                    constant.add_mul(coeff, upper);
                }
            }
            assert!(sum.values().all(Rat::is_zero), "the sum has variables");
            assert!(constant < DeltaRat::ZERO, "the sum is no contradiction");
        }
        LemmaKind::Dioph => {
            let mut constant = Rat::ZERO;
            assert!(lemma.lits.len().is_multiple_of(2));
            for (pair, coeffs) in lemma.lits.chunks(2).zip(lemma.coeffs.chunks(2)) {
                assert_eq!(coeffs[0], coeffs[1]);
                let mut pair = [pair[0], pair[1]];
                pair.sort_by_key(|l| l.is_positive());
                let (x, upper, _) = arith.meaning(pair[0].var()).unwrap();
                let (y, _, lower) = arith.meaning(pair[1].var()).unwrap();
                assert_eq!((x, upper), (y, lower), "the two bounds of an equality");
                assert!(arith.is_int(x) && upper.is_integer());
                add(x, &coeffs[0]);
                constant.add_mul(&coeffs[0], &upper.real);
            }
            assert!(sum.values().all(Rat::is_integer), "the sum has fractional coefficients");
            assert!(!constant.is_integer(), "the constant is an integer");
        }
        LemmaKind::Equality | LemmaKind::Bridge => panic!("arithmetic has no such lemmas"),
    }
}
