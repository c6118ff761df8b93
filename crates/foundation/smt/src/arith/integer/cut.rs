//! Conflicts and cuts from equations without integer solutions.
//!
//! Variables whose two bounds coincide are equations; if they have no integer solution, their bounds are a
//! conflict. Constraints that are merely tight at the current vertex are equations of the vertex: if they
//! have no integer solution, no integer point lies on the face that they define, and the certificate is a
//! linear form with integer coefficients that has a fractional value there. Splitting on that form removes the
//! face, which branching on a variable may never do when the problem is unbounded (Dillig, Dillig and
//! Aiken, "Cuts from proofs", 2009). Unlike the paper we take the equations one at a time, shortest first, and
//! stop at the first contradiction, whose certificate involves few of them; and with multipliers reduced
//! modulo 1 the coefficients of a cut are no larger than those of the constraints together.

use shem_base::{Int, Rat};
use shem_proof::{Lemma, LemmaKind};

use super::dioph::{Finding, System};
use crate::arith::bounds::Side;
use crate::arith::poly::ArithVar;
use crate::arith::solver::Arith;

impl Arith {
    /// Looks for a row whose fixed variables leave the others without an integer solution, because the gcd
    /// of their coefficients does not divide what is left. The multipliers of the equations are the
    /// coefficients divided by the gcd.
    pub(super) fn explain_by_gcd(&self, lemma: &mut Lemma) -> bool {
        for &row in self.simplex.tableau.live() {
            let entries = self.simplex.tableau.row(row);
            if self.simplex.attached_value(entries[0].var).is_integer()
                || entries.iter().any(|e| !self.simplex.is_int(e.var))
            {
                continue;
            }
            let is_fixed = |x: ArithVar| self.simplex.bounds.is_fixed(x);
            let free = entries.iter().filter(|e| !is_fixed(e.var));
            let common = free.fold(Int::ZERO, |g, e| if g.is_one() { g } else { g.gcd(&e.coeff) });
            if common.is_one() {
                continue;
            }
            let mut constant = Rat::ZERO;
            for entry in entries.iter().filter(|e| is_fixed(e.var)) {
                constant.add_mul(&Rat::from(&entry.coeff), &self.simplex.attached_value(entry.var).real);
            }
            if constant.div_int(&common).is_integer() {
                continue;
            }
            lemma.start(LemmaKind::Dioph);
            for entry in entries.iter().filter(|e| is_fixed(e.var)) {
                let multiplier = Rat::new(entry.coeff.clone(), common.clone()).fract();
                if !multiplier.is_zero() {
                    self.add_equality(entry.var, multiplier, lemma);
                }
            }
            return true;
        }
        false
    }

    /// Adds the two bounds of a fixed variable to a lemma.
    fn add_equality(&self, x: ArithVar, multiplier: Rat, lemma: &mut Lemma) {
        for side in [Side::Lower, Side::Upper] {
            if let Some(bound) = self.simplex.bounds.get(x, side) {
                lemma.add(!bound.lit, multiplier.clone());
            }
        }
    }

    /// Eliminates the equalities in force and, if `with_tight` holds, the constraints tight at the current
    /// vertex. Equalities come first, so that a contradiction among them alone is found as such.
    pub(super) fn eliminate_equalities(&self, with_tight: bool) -> Option<Finding> {
        let mut inputs: Vec<(bool, usize, ArithVar)> = Vec::new();
        let bounds = &self.simplex.bounds;
        for (i, bound) in bounds.trail().iter().enumerate() {
            let x = bound.var;
            if !self.simplex.is_int(x) || bounds.index(x, bound.side) != Some(i as u32) {
                continue;
            }
            let fixed = bounds.is_fixed(x);
            // A fixed variable is met twice and taken once.
            let wanted = if fixed {
                bound.side == Side::Upper
            } else {
                with_tight && self.simplex.value(x) == bound.value
            };
            if wanted {
                inputs.push((!fixed, self.simplex.definition(x).map_or(1, <[_]>::len), x));
            }
        }
        inputs.sort_unstable();
        let mut locals: Vec<ArithVar> = Vec::new();
        for (_, _, x) in &inputs {
            match self.simplex.definition(*x) {
                None => locals.push(*x),
                Some(terms) => locals.extend(terms.iter().map(|(y, _)| *y)),
            }
        }
        locals.sort_unstable();
        locals.dedup();
        let local = |x: &ArithVar| locals.binary_search(x).unwrap_or_default() as u32;
        let mut system = System::new(locals.len());
        for (i, (tight, _, x)) in inputs.iter().enumerate() {
            let terms = match self.simplex.definition(*x) {
                None => vec![(local(x), Int::ONE)],
                Some(terms) => terms.iter().map(|(y, c)| (local(y), c.clone())).collect(),
            };
            let constant = self.simplex.value(*x).real.to_int()?;
            let Some(certificate) = system.add(i as u32, terms, constant) else { continue };
            let named = certificate.into_iter().map(|(input, m)| (inputs[input as usize].2, m));
            let named: Vec<(ArithVar, Rat)> = named.collect();
            if !tight {
                return Some(Finding::Conflict(named));
            }
            if let Some(cut) = self.cut(&named) {
                return Some(cut);
            }
        }
        None
    }

    /// The lemma that the fixed variables of a certificate have no integer solution.
    pub(super) fn explain_by_equalities(&self, certificate: &[(ArithVar, Rat)], lemma: &mut Lemma) {
        lemma.start(LemmaKind::Dioph);
        for (x, multiplier) in certificate {
            self.add_equality(*x, multiplier.clone(), lemma);
        }
    }

    /// The cut that a certificate over tight constraints gives, unless its coefficients are large.
    fn cut(&self, certificate: &[(ArithVar, Rat)]) -> Option<Finding> {
        let mut sum: Vec<(ArithVar, Rat)> = Vec::new();
        let mut constant = Rat::ZERO;
        for (x, multiplier) in certificate {
            constant.add_mul(multiplier, &self.simplex.value(*x).real);
            match self.simplex.definition(*x) {
                None => sum.push((*x, multiplier.clone())),
                Some(terms) => sum.extend(terms.iter().map(|(y, c)| (*y, multiplier.mul_int(c)))),
            }
        }
        sum.sort_unstable_by_key(|(x, _)| *x);
        let mut terms: Vec<(ArithVar, Int)> = Vec::new();
        for group in sum.chunk_by(|a, b| a.0 == b.0) {
            let mut coeff = Rat::ZERO;
            for (_, part) in group {
                coeff += part;
            }
            let coeff = coeff.to_int()?;
            if !coeff.is_zero() {
                terms.push((group[0].0, coeff));
            }
        }
        let mut common = terms.iter().fold(Int::ZERO, |g, (_, c)| g.gcd(c));
        if terms.first()?.1.is_negative() {
            common = -common;
        }
        for (_, coeff) in &mut terms {
            *coeff = coeff.div_exact(&common);
        }
        if terms.iter().any(|(_, c)| c.bits() > self.options.cut_bits) {
            return None;
        }
        Some(Finding::Cut(terms, constant.div_int(&common).floor()))
    }
}
