//! Systems of linear equations over the integers.
//!
//! Equations are added one by one to a system in solved form. An equation whose coefficients have a common
//! divisor that does not divide its constant has no solution, and the way in which it was combined from the
//! input is the certificate: rational multipliers whose weighted sum of input equations has integer
//! coefficients and a constant that is no integer. Otherwise a variable with coefficient 1 or -1 is solved
//! for; if there is none, a change of variables makes the least coefficient smaller (Knuth, The Art of Computer
//! Programming, volume 2, section 4.5.2; Griggio, "A practical approach to satisfiability modulo linear
//! integer arithmetic", 2012). The change is unimodular and does not enter the certificate. Multipliers
//! may be reduced modulo 1 if the input equation has integer variables and an integer constant; that keeps
//! them small and often drops equations altogether. Real variables are solved for first, by ordinary elimination,
//! so that what follows for the integer variables comes to light.

use shem_base::{Int, Rat};

use super::reduce::Basis;
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

/// Multipliers for input equations, sorted by their numbers. Those of equations over integer variables with
/// an integer constant lie between 0 and 1, exclusive.
pub(super) type Certificate = Sparse<Rat>;

/// The equation `terms = constant`, and the combination of input equations that it is.
#[derive(Clone, Debug, Default)]
struct Equation {
    terms: Sparse<Int>,
    constant: Int,
    origin: Sparse<Rat>,
}

/// An equation solved for one of its variables, which has coefficient 1 if it is an integer variable, and
/// else a positive one.
#[derive(Debug)]
struct Solved {
    var: u32,
    coeff: Int,
    equation: Equation,
}

/// A system in solved form.
#[derive(Debug)]
pub(super) struct EquationSystem {
    /// TRIANGULAR: the variable that an equation is solved for occurs in no later one.
    solved: Vec<Solved>,
    /// For each variable, one more than the index of the equation that is solved for it, or zero.
    solved_at: Vec<u32>,
    /// Which of the variables of the input are real.
    is_real: Vec<bool>,
    /// For each input equation, whether it has integer variables only and an integer constant.
    is_whole: Vec<bool>,
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

    /// Multiplies by a positive integer.
    fn scale(&mut self, factor: &Int) {
        if factor.is_one() {
            return;
        }
        for (_, coeff) in &mut self.terms {
            *coeff *= factor;
        }
        for (_, multiplier) in &mut self.origin {
            *multiplier = multiplier.mul_int(factor);
        }
        self.constant *= factor;
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

    fn is_too_big(&self) -> bool {
        self.terms.iter().any(|(_, c)| c.bits() > BITS_LIMIT) || self.constant.bits() > BITS_LIMIT
    }
}

impl EquationSystem {
    /// The empty system over as many variables as `is_real` has entries.
    pub(super) fn new(is_real: Vec<bool>) -> EquationSystem {
        EquationSystem {
            solved: Vec::new(),
            solved_at: vec![0; is_real.len()],
            is_real,
            is_whole: Vec::new(),
        }
    }

    /// Adds the next input equation; they are numbered from 0. If the system has no integer solution with it,
    /// the equation is left out and the certificate given. An equation that leads to huge numbers is left
    /// out, too.
    pub(super) fn add(&mut self, terms: Sparse<Int>, constant: &Rat) -> Option<Certificate> {
        let input = self.is_whole.len() as u32;
        let has_reals = terms.iter().any(|(x, _)| self.is_real(*x));
        self.is_whole.push(!has_reals && constant.is_integer());
        let scale = constant.denom();
        let mut equation = Equation { terms, constant: Int::ONE, origin: vec![(input, Rat::ONE)] };
        equation.scale(&scale);
        equation.constant = constant.numer();
        let start = self.solved.len();
        loop {
            self.substitute(&mut equation);
            let common = equation.terms.iter().fold(Int::ZERO, |g, (_, c)| g.gcd(c));
            if common.is_zero() {
                if equation.constant.is_zero() {
                    return None;
                }
                // No solution over the rationals either: the sum divided by twice its constant is `0 = 1/2`.
                self.retract(start);
                let twice = &equation.constant + &equation.constant;
                return Some(self.certificate(&equation, &twice));
            }
            if equation.is_too_big() {
                self.retract(start);
                return None;
            }
            if let Some((x, coeff)) = equation.terms.iter().find(|(x, _)| self.is_real(*x)).cloned() {
                if coeff.is_negative() {
                    equation.divide(&Int::MINUS_ONE);
                }
                self.solve(x, coeff.abs(), equation);
                return None;
            }
            if !common.divides(&equation.constant) {
                self.retract(start);
                return Some(self.certificate(&equation, &common));
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
                self.solve(var, Int::ONE, equation);
                return None;
            }
            self.change_variables(&equation, var, &coeff);
        }
    }

    /// Whether a variable, given or new, is real.
    fn is_real(&self, x: u32) -> bool {
        self.is_real.get(x as usize).is_some_and(|real| *real)
    }

    /// The certificate of an equation that becomes contradictory when divided by `divisor`.
    fn certificate(&self, equation: &Equation, divisor: &Int) -> Certificate {
        let parts = equation.origin.iter().map(|(input, m)| {
            let multiplier = m.div_int(divisor);
            (*input, if self.is_whole[*input as usize] { multiplier.fract() } else { multiplier })
        });
        parts.filter(|(_, m)| !m.is_zero()).collect()
    }

    /// Replaces the solved variables in an equation.
    fn substitute(&self, equation: &mut Equation) {
        loop {
            let solved = equation.terms.iter().filter(|(x, _)| self.solved_at[*x as usize] != 0);
            let Some((x, coeff)) = solved.min_by_key(|(x, _)| self.solved_at[*x as usize]) else { return };
            let solved = &self.solved[self.solved_at[*x as usize] as usize - 1];
            let common = coeff.gcd(&solved.coeff);
            let factor = -coeff.div_exact(&common);
            equation.scale(&solved.coeff.div_exact(&common));
            equation.add_multiple(&solved.equation, &factor);
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
        self.solve(x, Int::ONE, Equation { terms, constant: Int::ZERO, origin: Vec::new() });
    }

    fn solve(&mut self, var: u32, coeff: Int, equation: Equation) {
        self.solved.push(Solved { var, coeff, equation });
        self.solved_at[var as usize] = self.solved.len() as u32;
    }

    /// The lattice of the solutions of a system over integers, in the coordinates of the variables below `vars`.
    /// Its parameters are the variables that are not solved for.
    pub(super) fn lattice(&self, vars: usize) -> Basis {
        // A fresh variable is defined by the equation that was solved when it was made, over older
        // variables only.
        let unit = |x: usize| (0..vars).map(|y| if x == y { Int::ONE } else { Int::ZERO }).collect();
        let mut forms: Vec<Vec<Int>> = (0..vars).map(unit).collect();
        forms.resize(self.solved_at.len(), vec![Int::ZERO; vars]);
        for Solved { equation, .. } in self.solved.iter().filter(|s| s.equation.origin.is_empty()) {
            let Some((fresh, definition)) = equation.terms.split_last() else { continue };
            let mut form = std::mem::take(&mut forms[fresh.0 as usize]);
            for (y, coeff) in definition {
                form.iter_mut().zip(&forms[*y as usize]).for_each(|(sum, c)| sum.add_mul(c, coeff));
            }
            forms[fresh.0 as usize] = form;
        }
        let free: Vec<usize> = (0..forms.len()).filter(|&x| self.solved_at[x] == 0).collect();
        let mut vectors = Vec::with_capacity(free.len());
        let mut moves = vec![Int::ZERO; forms.len()];
        for &parameter in &free {
            moves.fill(Int::ZERO);
            moves[parameter] = Int::ONE;
            // By TRIANGULAR, an equation says how its variable moves once those of later ones are known.
            for Solved { var, equation, .. } in self.solved.iter().rev() {
                let mut sum = Int::ZERO;
                for (y, coeff) in equation.terms.iter().filter(|(y, _)| y != var) {
                    sum.add_mul(&moves[*y as usize], coeff);
                }
                moves[*var as usize] = -sum;
            }
            vectors.push(moves[..vars].to_vec());
        }
        Basis { vectors, forms: free.into_iter().map(|x| std::mem::take(&mut forms[x])).collect() }
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
pub(super) fn nearest_quotient(a: &Int, b: &Int) -> Int {
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
        let mut system = EquationSystem::new(vec![false; vars]);
        for (coeffs, constant) in equations {
            let terms = coeffs.iter().enumerate().filter(|(_, c)| **c != 0);
            let terms = terms.map(|(x, c)| (x as u32, int(*c))).collect();
            let Some(certificate) = system.add(terms, &Rat::from(*constant)) else { continue };
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

    /// `x = 2 r`, `r = y + 1/2` and `x = 2 z` for a real `r`: there is no solution, because `x` is odd.
    #[test]
    fn reals_are_eliminated() {
        let mut system = EquationSystem::new(vec![false, true, false, false]);
        assert_eq!(system.add(vec![(0, int(1)), (1, int(-2))], &Rat::ZERO), None);
        assert_eq!(system.add(vec![(1, int(1)), (2, int(-1))], &Rat::new(1, 2)), None);
        let certificate = system.add(vec![(0, int(1)), (3, int(-2))], &Rat::ZERO);
        // The sum of x - 2 r = 0, 2 r - 2 y = 1 and 2 z - x = 0, halved: z - y = 1/2.
        let multipliers = certificate.map(|c| c.into_iter().map(|(_, m)| m.abs()).collect::<Vec<_>>());
        assert_eq!(multipliers, Some(vec![Rat::new(1, 2), Rat::ONE, Rat::new(1, 2)]));
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
