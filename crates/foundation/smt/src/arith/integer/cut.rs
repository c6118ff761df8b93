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

use super::dioph::{EquationSystem, Finding};
use crate::arith::bounds::Side;
use crate::arith::poly::ArithVar;
use crate::arith::solver::Arith;

/// The kinds of tight constraints, in the order of elimination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// An equality over integer variables: may be part of a conflict.
    Equality,
    /// An equality in which real variables occur.
    MixedEquality,
    /// A bound that happens to be attained.
    Tight,
}

impl Arith {
    /// Looks for a row whose fixed variables leave the others without an integer solution, because the gcd
    /// of their coefficients does not divide what is left. The multipliers of the equations are the
    /// coefficients divided by the gcd.
    pub(super) fn explain_by_gcd(&self, lemma: &mut Lemma) -> bool {
        for &row in self.simplex.tableau.live() {
            let row = self.simplex.tableau.row(row);
            if self.simplex.attached_value(row.basic().var).is_integer()
                || row.entries().any(|e| !self.simplex.is_int(e.var))
            {
                continue;
            }
            let is_fixed = |x: ArithVar| self.simplex.bounds.is_fixed(x);
            let free = row.entries().filter(|e| !is_fixed(e.var));
            let common = free.fold(Int::ZERO, |g, e| if g.is_one() { g } else { g.gcd(&e.coeff) });
            if common.is_one() {
                continue;
            }
            let mut constant = -row.constant();
            for entry in row.entries().filter(|e| is_fixed(e.var)) {
                constant.add_mul(&Rat::from(&entry.coeff), &self.simplex.attached_value(entry.var).real);
            }
            if constant.div_int(&common).is_integer() {
                continue;
            }
            let mut fixed = self.simplex.settled_entries(row.entries().map(|e| (e.var, Rat::from(&e.coeff))));
            if fixed.iter().any(|(x, _)| !self.simplex.is_int(*x)) {
                continue;
            }
            let entries = row.entries().filter(|e| is_fixed(e.var));
            fixed.extend(entries.map(|e| (e.var, Rat::from(&e.coeff))));
            lemma.start(LemmaKind::Dioph);
            for (x, coeff) in fixed {
                let multiplier = coeff.div_int(&common).fract();
                if !multiplier.is_zero() {
                    self.add_equality(x, multiplier, lemma);
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

    /// Eliminates the equalities in force over integers and, if `with_tight` holds, all other constraints
    /// that are tight at the current vertex. The equalities over integers come first, so that a
    /// contradiction among them alone is found as such.
    pub(super) fn eliminate_equalities(&self, with_tight: bool) -> Option<Finding> {
        let inputs = self.tight_constraints(with_tight);
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
        let mut system = EquationSystem::new(locals.iter().map(|x| !self.simplex.is_int(*x)).collect());
        for (rank, _, x) in &inputs {
            let terms = match self.simplex.definition(*x) {
                None => vec![(local(x), Int::ONE)],
                Some(terms) => terms.iter().map(|(y, c)| (local(y), c.clone())).collect(),
            };
            let Some(certificate) = system.add(terms, &self.simplex.value(*x).real) else { continue };
            let named = certificate.into_iter().map(|(input, m)| (inputs[input as usize].2, m));
            let named: Vec<(ArithVar, Rat)> = named.collect();
            if *rank == Rank::Equality {
                return Some(Finding::Conflict(named));
            }
            if let Some(cut) = self.cut(&named) {
                return Some(cut);
            }
        }
        None
    }

    /// The variables with a value at one of their bounds, without infinitesimal part, in the order of
    /// elimination: by rank, and shortest definition first.
    fn tight_constraints(&self, with_tight: bool) -> Vec<(Rank, usize, ArithVar)> {
        let mut tight = Vec::new();
        let bounds = &self.simplex.bounds;
        for (i, bound) in bounds.trail().iter().enumerate() {
            let x = bound.var;
            if !bound.value.is_rational() || bounds.index(x, bound.side) != Some(i as u32) {
                continue;
            }
            let rank = match (bounds.is_fixed(x), self.simplex.is_int(x)) {
                // A fixed variable is met twice and taken once.
                (true, _) if bound.side == Side::Lower => continue,
                (true, true) => Rank::Equality,
                (true, false) => Rank::MixedEquality,
                (false, _) => Rank::Tight,
            };
            if rank == Rank::Equality || with_tight && self.simplex.value(x) == bound.value {
                tight.push((rank, self.simplex.definition(x).map_or(1, <[_]>::len), x));
            }
        }
        tight.sort_unstable();
        tight
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
        let half = Rat::new(1, 2);
        for (x, multiplier) in certificate {
            // Over integers multipliers count modulo 1: those nearest to zero make the smallest coefficients.
            let above = self.simplex.is_int(*x) && *multiplier > half;
            let multiplier = &if above { multiplier - &Rat::ONE } else { multiplier.clone() };
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
