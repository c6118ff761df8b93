//! Systems of linear equations over the integers.
//!
//! Equations are added one by one to a system in solved form. An equation whose coefficients have a common
//! divisor that does not divide its constant has no solution, and the way in which it was combined from the
//! input is the certificate: rational multipliers whose weighted sum of input equations has integer
//! coefficients and a constant that is no integer. Otherwise a variable with coefficient 1 or -1 is solved
//! for; if there is none, a change of variables makes the least coefficient smaller (Knuth, The Art of Computer
//! Programming, volume 2, section 4.5.2; Griggio, "A practical approach to satisfiability modulo linear
//! integer arithmetic", 2012). The change is unimodular and needs no place in the certificate. Multipliers
//! may be reduced modulo 1, since the input has integer coefficients and constants; that keeps them small
//! and often drops equations altogether.

use shem_base::{Int, Rat};

use crate::arith::poly::ArithVar;

/// A sparse vector, sorted by index, without zeros.
type Sparse<T> = Vec<(u32, T)>;

/// Coefficients beyond this size end the elimination without a result.
const BITS_LIMIT: u64 = 512;

/// What elimination found.
#[derive(Debug)]
pub(super) enum Finding {
    /// The equalities in force have no integer solution.
    Conflict(Vec<(ArithVar, Rat)>),
    /// The constraints tight at the current vertex have no integer solution: the linear form is at most the
    /// bound or at least one more.
    Cut(Vec<(ArithVar, Int)>, Int),
}

/// Multipliers between 0 and 1, exclusive, for input equations, sorted by their numbers.
pub(super) type Certificate = Sparse<Rat>;

/// The equation `terms = constant`, and the combination of input equations that it is.
#[derive(Clone, Debug, Default)]
struct Equation {
    terms: Sparse<Int>,
    constant: Int,
    origin: Sparse<Rat>,
}

/// An equation solved for one of its variables, which has coefficient 1.
#[derive(Debug)]
struct Solved {
    var: u32,
    equation: Equation,
}

/// A system in solved form.
#[derive(Debug)]
pub(super) struct System {
    /// TRIANGULAR: the variable that an equation is solved for occurs in no later one.
    solved: Vec<Solved>,
    /// For each variable, one more than the place where it is solved, or zero.
    solved_at: Vec<u32>,
}

/// `a + factor * b`.
fn combine<T>(a: &mut Sparse<T>, b: &Sparse<T>, scale: impl Fn(&T) -> T, is_zero: impl Fn(&T) -> bool)
where
    T: for<'a> std::ops::AddAssign<&'a T>,
{
    let old = std::mem::take(a);
    a.reserve(old.len() + b.len());
    let mut right = b.iter().peekable();
    for (var, mut coeff) in old {
        while let Some((other, value)) = right.next_if(|(other, _)| *other < var) {
            a.push((*other, scale(value)));
        }
        if let Some((_, value)) = right.next_if(|(other, _)| *other == var) {
            coeff += &scale(value);
        }
        if !is_zero(&coeff) {
            a.push((var, coeff));
        }
    }
    a.extend(right.map(|(other, value)| (*other, scale(value))));
}

impl Equation {
    /// Adds a multiple of another equation.
    fn add_multiple(&mut self, other: &Equation, factor: &Int) {
        combine(&mut self.terms, &other.terms, |c| c * factor, Int::is_zero);
        combine(&mut self.origin, &other.origin, |m| m.mul_int(factor), Rat::is_zero);
        self.constant.add_mul(&other.constant, factor);
    }

    /// Divides by a common divisor of coefficients and constant.
    fn divide(&mut self, divisor: &Int) {
        for (_, coeff) in &mut self.terms {
            *coeff = coeff.div_exact(divisor);
        }
        for (_, multiplier) in &mut self.origin {
            *multiplier = multiplier.div_int(divisor);
        }
        self.constant = self.constant.div_exact(divisor);
    }

    /// The certificate of an equation that becomes contradictory when divided by `divisor`.
    fn certificate(&self, divisor: &Int) -> Certificate {
        let parts = self.origin.iter().map(|(input, m)| (*input, m.div_int(divisor).fract()));
        parts.filter(|(_, m)| !m.is_zero()).collect()
    }

    fn is_too_big(&self) -> bool {
        self.terms.iter().any(|(_, c)| c.bits() > BITS_LIMIT) || self.constant.bits() > BITS_LIMIT
    }
}

impl System {
    /// The empty system over the variables below `vars`.
    pub(super) fn new(vars: usize) -> System {
        System { solved: Vec::new(), solved_at: vec![0; vars] }
    }

    /// Adds input equation number `input`. If the system has no integer solution with it, the equation is
    /// left out and the certificate given. An equation that leads to huge numbers is left out, too.
    pub(super) fn add(&mut self, input: u32, terms: Sparse<Int>, constant: Int) -> Option<Certificate> {
        let mut equation = Equation { terms, constant, origin: vec![(input, Rat::ONE)] };
        let start = self.solved.len();
        loop {
            self.substitute(&mut equation);
            let common = equation.terms.iter().fold(Int::ZERO, |g, (_, c)| g.gcd(c));
            if common.is_zero() {
                if equation.constant.is_zero() {
                    return None;
                }
                // No solution over the rationals either: half the sum has a constant that is no integer
                // after division by the constant.
                self.retract(start);
                let twice = &equation.constant + &equation.constant;
                return Some(equation.certificate(&twice));
            }
            if !common.divides(&equation.constant) {
                self.retract(start);
                return Some(equation.certificate(&common));
            }
            if equation.is_too_big() {
                self.retract(start);
                return None;
            }
            if !common.is_one() {
                equation.divide(&common);
            }
            let least = equation.terms.iter().min_by(|(x, a), (y, b)| a.abs().cmp(&b.abs()).then(x.cmp(y)));
            let (var, coeff) = least.cloned()?;
            if coeff.is_one() || coeff.is_minus_one() {
                if !coeff.is_one() {
                    equation.divide(&coeff);
                }
                self.solve(var, equation);
                return None;
            }
            self.change_variables(&equation, var, &coeff);
        }
    }

    /// Replaces the solved variables in an equation.
    fn substitute(&self, equation: &mut Equation) {
        loop {
            let solved = equation.terms.iter().filter(|(x, _)| self.solved_at[*x as usize] != 0);
            let Some((x, coeff)) = solved.min_by_key(|(x, _)| self.solved_at[*x as usize]) else { return };
            let place = self.solved_at[*x as usize] as usize - 1;
            let factor = -coeff;
            equation.add_multiple(&self.solved[place].equation, &factor);
        }
    }

    /// Defines a new variable `t = x + sum of q_i * x_i` for the variable `x` with coefficient `coeff`,
    /// where the `q_i` are the quotients of the other coefficients, rounded to the nearest integer.
    fn change_variables(&mut self, equation: &Equation, x: u32, coeff: &Int) {
        let fresh = self.solved_at.len() as u32;
        self.solved_at.push(0);
        let mut terms: Sparse<Int> = Vec::with_capacity(equation.terms.len() + 1);
        for (y, c) in &equation.terms {
            let quotient = if *y == x { Int::ONE } else { nearest_quotient(c, coeff) };
            if !quotient.is_zero() {
                terms.push((*y, quotient));
            }
        }
        terms.push((fresh, Int::MINUS_ONE));
        self.solve(x, Equation { terms, constant: Int::ZERO, origin: Vec::new() });
    }

    fn solve(&mut self, var: u32, equation: Equation) {
        self.solved.push(Solved { var, equation });
        self.solved_at[var as usize] = self.solved.len() as u32;
    }

    /// Takes back the changes of variables since there were `count` solved equations.
    fn retract(&mut self, count: usize) {
        while self.solved.len() > count {
            if let Some(solved) = self.solved.pop() {
                self.solved_at[solved.var as usize] = 0;
            }
        }
    }
}

/// The integer nearest to `a / b`.
fn nearest_quotient(a: &Int, b: &Int) -> Int {
    let twice = b + b;
    let (numerator, denominator) = if b.is_negative() { (-(a + a) - b, -twice) } else { (a + a + b, twice) };
    numerator.div_floor(&denominator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_base::Rng;

    fn int(i: i64) -> Int {
        Int::from(i)
    }

    /// Adds equations and checks the certificate; gives whether the system is solvable.
    fn solvable(equations: &[(Vec<i64>, i64)]) -> bool {
        let vars = equations[0].0.len();
        let mut system = System::new(vars);
        for (i, (coeffs, constant)) in equations.iter().enumerate() {
            let terms = coeffs.iter().enumerate().filter(|(_, c)| **c != 0);
            let terms = terms.map(|(x, c)| (x as u32, int(*c))).collect();
            let Some(certificate) = system.add(i as u32, terms, int(*constant)) else { continue };
            let mut sum = vec![Rat::ZERO; vars];
            let mut total = Rat::ZERO;
            for (input, multiplier) in &certificate {
                assert!(multiplier.is_positive() && *multiplier < Rat::ONE);
                let (coeffs, constant) = &equations[*input as usize];
                for (s, c) in sum.iter_mut().zip(coeffs) {
                    s.add_mul(multiplier, &Rat::from(*c));
                }
                total.add_mul(multiplier, &Rat::from(*constant));
            }
            assert!(sum.iter().all(Rat::is_integer), "{equations:?} {certificate:?}");
            assert!(!total.is_integer(), "{equations:?} {certificate:?}");
            return false;
        }
        true
    }

    #[test]
    fn parity() {
        assert!(!solvable(&[(vec![1, -2, 0], 0), (vec![1, 0, -2], 1)]));
        assert!(solvable(&[(vec![1, -2, 0], 0), (vec![1, 0, -3], 1)]));
        assert!(!solvable(&[(vec![6, 10, 15], 1), (vec![2, 0, 4], 5)]));
        assert!(solvable(&[(vec![6, 10, 15], 1)]));
        assert!(!solvable(&[(vec![1, 1], 1), (vec![1, 1], 2)]));
    }

    #[test]
    fn quotients_are_nearest() {
        for a in -20..=20 {
            for b in (-7i64..=7).filter(|b| *b != 0) {
                let q = nearest_quotient(&int(a), &int(b)).to_i64().unwrap();
                assert!(2 * (a - q * b).abs() <= b.abs());
            }
        }
    }

    /// Random systems with a planted solution are solvable; of the others, certificates are checked, and
    /// those found solvable have a solution in a box or are skipped.
    #[test]
    fn random_systems() {
        let mut rng = Rng::new(11);
        for round in 0..3000 {
            let vars = 1 + rng.index(4);
            let count = 1 + rng.index(4);
            let planted: Vec<i64> = (0..vars).map(|_| rng.range(-5..=5)).collect();
            let equations: Vec<(Vec<i64>, i64)> = (0..count)
                .map(|_| {
                    let coeffs: Vec<i64> = (0..vars).map(|_| rng.range(-6..=6)).collect();
                    let constant = if round % 2 == 0 {
                        coeffs.iter().zip(&planted).map(|(c, x)| c * x).sum()
                    } else {
                        rng.range(-9..=9)
                    };
                    (coeffs, constant)
                })
                .collect();
            let answer = solvable(&equations);
            if round % 2 == 0 {
                assert!(answer, "{equations:?} has the solution {planted:?}");
            }
        }
    }
}
