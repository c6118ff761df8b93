//! Splits that respect the lattice of the equalities.
//!
//! Where equalities are in force, the integer points lie on a lattice, and branching on a variable may walk
//! along it for ever: with `x = 1000 y` each branch moves `x` by one. The equalities are solved over the
//! integers (`dioph`), and the free parameters of the solution are linear forms of the variables with integer
//! coefficients. All integer variables are integer combinations of them, so some parameter has a fractional
//! value as long as some variable has, and the split is made on that one. The basis is reduced first (`reduce`),
//! in a space where the constraints measure lengths, so that few values of a parameter meet the polyhedron; and
//! the form of the parameter is made short by the equalities, since it may be changed by multiples of them.
//!
//! Now and then the constraints that are merely tight at the vertex count as equalities, too (cuts from
//! proofs, see `cut`). Real variables are eliminated first: `0 < 3 r - n < 1` with `r = m` bounds the
//! integer `3 m - n`, which no branch on `m` or `n` alone would ever settle. If what is left has no integer
//! solution, the split is on a form that takes a fractional value.
//!
//! A split on a form is a case distinction on an atom like any other: proofs need no rule for it. The cost is
//! an elimination for each split, so this is for problems that have resisted cheaper methods.

use shem_base::{DeltaRat, Int, Rat};

use super::dioph::{EquationSystem, nearest_quotient};
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

/// Lattices of a higher dimension are left alone.
const MAX_PARAMETERS: usize = 48;

/// How many passes are made over a form to make its coefficients small.
const MAX_SWEEPS: usize = 16;

/// The weight of a form with one bound in the length of a vector.
const WEIGHT_ONE_SIDED: f64 = 1e-3;

/// The weight of a single variable in the length of a vector, so that no vector has length zero.
const WEIGHT_ALONE: f64 = 1e-6;

impl Arith {
    /// A split on a linear form that has a fractional value in the current candidate model.
    pub(super) fn lattice_split(&self, with_tight: bool) -> Option<Split> {
        let equations = self.integer_equations(with_tight)?;
        let mut locals: Vec<ArithVar> = equations.iter().flat_map(|e| e.terms.iter().map(|t| t.0)).collect();
        locals.extend(self.fractional_variables());
        for form in self.binding_forms() {
            match self.simplex.definition(form) {
                None => locals.push(form),
                Some(terms) => locals.extend(terms.iter().map(|(x, _)| *x)),
            }
        }
        locals.retain(|x| self.simplex.is_int(*x));
        locals.sort_unstable();
        locals.dedup();
        let mut system = EquationSystem::new(vec![false; locals.len()]);
        for equation in &equations {
            // With coprime coefficients, a constant that is no integer settles it at once.
            if !equation.constant.is_integer() {
                return Some(split_at(equation.terms.clone(), &equation.constant));
            }
            let terms =
                equation.terms.iter().map(|(x, c)| (index_of(&locals, *x) as u32, c.numer())).collect();
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
        self.split_parameter(&system, &equations, &locals)
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
            let Some(position) = real else {
                next += 1;
                continue;
            };
            let pivot = equations.remove(next);
            let (x, coeff) = pivot.terms[position].clone();
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

    /// The last parameter of a reduced basis that has a fractional value: the one whose values cut the polyhedron
    /// into the fewest pieces.
    fn split_parameter(
        &self,
        system: &EquationSystem,
        equations: &[Equation],
        locals: &[ArithVar],
    ) -> Option<Split> {
        let mut basis = system.lattice(locals.len());
        if basis.vectors.len() > MAX_PARAMETERS {
            return None;
        }
        let length_forms = self.length_forms(locals);
        basis.reduce(|vector| {
            let alone = vector.iter().map(|x| WEIGHT_ALONE * x.to_f64());
            let seen = length_forms.iter().map(|(weight, terms)| {
                let mut value = Int::ZERO;
                terms.iter().for_each(|(index, c)| value.add_mul(&vector[*index], c));
                weight * value.to_f64()
            });
            alone.chain(seen).collect()
        });
        let values: Vec<DeltaRat> = locals.iter().map(|x| self.simplex.value(*x)).collect();
        let value = |form: &[Int]| {
            let mut sum = DeltaRat::ZERO;
            let terms = values.iter().zip(form).filter(|(_, coeff)| !coeff.is_zero());
            terms.for_each(|(x, coeff)| sum.add_mul_int(coeff, x));
            sum
        };
        let mut form = basis.forms.into_iter().rev().find(|form| !value(form).is_integer())?;
        shorten(&mut form, equations, locals);
        let terms = locals.iter().zip(&form).filter(|(_, coeff)| !coeff.is_zero());
        let mut terms = terms.map(|(x, coeff)| (*x, Rat::from(coeff))).collect();
        let factor = make_primitive(&mut terms)?;
        Some(split_at(terms, &value(&form).div(&factor)))
    }

    /// The forms, over indices into `locals`, whose weighted values at a vector are its image in the space where
    /// lengths are measured. The weight of a form with two bounds is in proportion to its domain; that of a form
    /// with a single bound is small.
    fn length_forms<'a>(&'a self, locals: &[ArithVar]) -> Vec<(f64, Vec<(usize, &'a Int)>)> {
        let mut length_forms = Vec::new();
        for form in self.binding_forms() {
            if self.simplex.bounds.is_fixed(form) || !self.simplex.is_int(form) {
                continue;
            }
            let weight = self.domain(form).map_or(WEIGHT_ONE_SIDED, |width| 1.0 / (1.0 + width.to_f64()));
            let terms = match self.simplex.definition(form) {
                None => vec![(index_of(locals, form), &Int::ONE)],
                Some(terms) => terms.iter().map(|(x, c)| (index_of(locals, *x), c)).collect(),
            };
            length_forms.push((weight, terms));
        }
        length_forms
    }
}

/// The split of a primitive form below its fractional value.
fn split_at(terms: Vec<(ArithVar, Rat)>, value: &DeltaRat) -> Split {
    (terms.into_iter().map(|(x, c)| (x, c.numer())).collect(), value.floor())
}

/// The index of a variable in a sorted list.
fn index_of(locals: &[ArithVar], x: ArithVar) -> usize {
    locals.binary_search(&x).expect("a local variable")
}

/// Subtracts multiples of the equations, which are constant on the lattice, so that the coefficients of the form
/// get small.
fn shorten(form: &mut [Int], equations: &[Equation], locals: &[ArithVar]) {
    let rows: Vec<Vec<(usize, Int)>> = equations
        .iter()
        .map(|equation| equation.terms.iter().map(|(x, c)| (index_of(locals, *x), c.numer())).collect())
        .collect();
    for _ in 0..MAX_SWEEPS {
        let mut changed = false;
        for row in &rows {
            let (mut product, mut square) = (Int::ZERO, Int::ZERO);
            for (index, coeff) in row {
                product.add_mul(&form[*index], coeff);
                square.add_mul(coeff, coeff);
            }
            let quotient = nearest_quotient(&product, &square);
            if !quotient.is_zero() {
                row.iter().for_each(|(index, coeff)| form[*index] -= &(coeff * &quotient));
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}
