//! Splits that respect the lattice of the equalities.
//!
//! Where equalities are in force, the integer points lie on a lattice, and branching on a variable may walk
//! along it for ever: with `x = 1000 y` each branch moves `x` by one. The equalities are solved over the
//! integers (`dioph`), and the free parameters of the solution are linear forms of the variables with integer
//! coefficients. All integer variables are integer combinations of them, so some parameter has a fractional
//! value as long as some variable has, and the split is made on that one.
//!
//! Every second time the constraints that are merely tight at the vertex count as equalities, too (cuts from
//! proofs, see `cut`). Real variables are eliminated first: `0 < 3 r - n < 1` with `r = m` speaks of the
//! integer `3 m - n`, which no branch on `m` or `n` alone would ever settle. If what is left has no integer
//! solution, the split is on a form that takes a fractional value.
//!
//! A split on a form is a case distinction on an atom like any other: proofs need no rule for it. The cost is
//! an elimination for each split, so this is for problems that have resisted cheaper methods.

use shem_base::{DeltaRat, Int, Rat};

use super::dioph::System;
use crate::arith::bounds::Side;
use crate::arith::poly::ArithVar;
use crate::arith::solver::Arith;
use crate::linear::{add_up, make_primitive};

/// A linear form with coprime integer coefficients, the first positive, and the integer at which to split.
pub(super) type Split = (Vec<(ArithVar, Int)>, Int);

/// An equation over the variables: the sum of the terms is the constant.
struct Equation {
    terms: Vec<(ArithVar, Rat)>,
    constant: DeltaRat,
}

/// Systems with more equations than this are left alone.
const MAX_EQUATIONS: usize = 256;

impl Arith {
    /// A split on a linear form that has a fractional value in the current candidate model.
    pub(super) fn lattice_split(&self, with_tight: bool) -> Option<Split> {
        let equations = self.integer_equations(with_tight)?;
        let mut locals: Vec<ArithVar> = equations.iter().flat_map(|e| e.terms.iter().map(|t| t.0)).collect();
        locals.extend(self.fractional_variables());
        locals.sort_unstable();
        locals.dedup();
        let local = |x: ArithVar| locals.binary_search(&x).expect("a local variable") as u32;
        let mut system = System::new(vec![false; locals.len()]);
        for equation in &equations {
            // With coprime coefficients, a constant that is no integer settles it at once.
            if !equation.constant.is_integer() {
                return Some(split_at(equation.terms.clone(), &equation.constant));
            }
            let terms = equation.terms.iter().map(|(x, c)| (local(*x), c.numer())).collect();
            let Some(certificate) = system.add(terms, &equation.constant.real) else { continue };
            let mut sum = Vec::new();
            let mut total = DeltaRat::ZERO;
            for (number, multiplier) in &certificate {
                let Equation { terms, constant } = &equations[*number as usize];
                sum.extend(terms.iter().map(|(x, c)| (*x, c * multiplier)));
                total.add_mul(multiplier, constant);
            }
            let factor = make_primitive(&mut sum)?;
            return Some(split_at(sum, &total.div(&factor)));
        }
        self.split_parameter(&system, &locals)
    }

    /// The equalities in force and, if wanted, the constraints tight at the vertex, with the real variables
    /// eliminated and coprime integer coefficients. `None` if they are too many.
    fn integer_equations(&self, with_tight: bool) -> Option<Vec<Equation>> {
        let bounds = &self.simplex.bounds;
        let mut equations: Vec<(bool, Equation)> = Vec::new();
        for (i, bound) in bounds.trail().iter().enumerate() {
            let x = bound.var;
            if bounds.index(x, bound.side) != Some(i as u32) {
                continue;
            }
            let fixed = bounds.is_fixed(x);
            let tight = with_tight && self.simplex.value(x) == bound.value;
            if if fixed { bound.side == Side::Upper } else { tight } {
                let terms = match self.simplex.definition(x) {
                    None => vec![(x, Rat::ONE)],
                    Some(terms) => terms.iter().map(|(y, c)| (*y, Rat::from(c))).collect(),
                };
                equations.push((fixed, Equation { terms, constant: bound.value.clone() }));
            }
        }
        if equations.len() > MAX_EQUATIONS {
            return None;
        }
        // Equalities are used up first, the shorter the better.
        equations.sort_by_key(|(fixed, equation)| (!fixed, equation.terms.len()));
        let mut equations: Vec<Equation> = equations.into_iter().map(|(_, equation)| equation).collect();
        let mut next = 0;
        while next < equations.len() {
            let real = equations[next].terms.iter().position(|(x, _)| !self.simplex.is_int(*x));
            let Some(place) = real else {
                next += 1;
                continue;
            };
            let pivot = equations.remove(next);
            let (x, coeff) = pivot.terms[place].clone();
            // Equations before this one have no real variables left.
            for other in &mut equations[next..] {
                if let Some((_, c)) = other.terms.iter().find(|(y, _)| *y == x) {
                    let factor = -(c / &coeff);
                    other.terms.extend(pivot.terms.iter().map(|(y, c)| (*y, c * &factor)));
                    other.constant.add_mul(&factor, &pivot.constant);
                    add_up(&mut other.terms);
                }
            }
        }
        equations.retain_mut(|equation| match make_primitive(&mut equation.terms) {
            Some(factor) => {
                equation.constant = equation.constant.div(&factor);
                true
            }
            None => false,
        });
        Some(equations)
    }

    /// The structural integer variables without an integer value.
    fn fractional_variables(&self) -> impl Iterator<Item = ArithVar> + '_ {
        self.simplex.tableau.live().iter().map(|&row| self.simplex.tableau.basic(row)).filter(|&x| {
            self.simplex.is_int(x)
                && self.simplex.definition(x).is_none()
                && !self.simplex.attached_value(x).is_integer()
        })
    }

    /// The parameter with a fractional value that has the smallest domain, or else the smallest coefficients.
    fn split_parameter(&self, system: &System, locals: &[ArithVar]) -> Option<Split> {
        let mut best = None;
        let mut best_key = None;
        for form in system.parameters(locals.len()) {
            let mut value = DeltaRat::ZERO;
            for (y, coeff) in &form {
                value.add_mul_int(coeff, &self.simplex.value(locals[*y as usize]));
            }
            if value.is_integer() {
                continue;
            }
            let domain = match form[..] {
                [(y, _)] => self.domain(locals[y as usize]),
                _ => None,
            };
            let key = match domain {
                Some(width) => (false, width),
                None => (true, Rat::from(form.iter().map(|(_, c)| c.bits()).sum::<u64>())),
            };
            if best_key.as_ref().is_none_or(|least| key < *least) {
                best_key = Some(key);
                best = Some((form, value));
            }
        }
        let (form, value) = best?;
        let mut terms = form.iter().map(|(y, c)| (locals[*y as usize], Rat::from(c))).collect();
        let factor = make_primitive(&mut terms)?;
        Some(split_at(terms, &value.div(&factor)))
    }
}

/// The split of a primitive form below its fractional value.
fn split_at(terms: Vec<(ArithVar, Rat)>, value: &DeltaRat) -> Split {
    (terms.into_iter().map(|(x, c)| (x, c.numer())).collect(), value.floor())
}
