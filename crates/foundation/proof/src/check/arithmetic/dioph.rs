//! Equalities over integers whose weighted sum has no solution.

use super::inequality::{add_terms, inequality};
use crate::check::error::CheckError;
use crate::check::meaning::AtomMeaning;
use crate::proof::StepId;
use shem_base::{Lit, Rat};
use std::collections::BTreeMap;

pub(crate) fn check_dioph(
    step: StepId,
    lits: &[Lit],
    coeffs: &[Rat],
    meaning: &impl AtomMeaning,
) -> Result<(), CheckError> {
    if !lits.len().is_multiple_of(2) {
        return Err(CheckError::Pairs(step));
    }
    let mut sum = BTreeMap::new();
    let mut constant = Rat::ZERO;
    for (pair, factors) in lits.chunks_exact(2).zip(coeffs.chunks_exact(2)) {
        if factors[0] != factors[1] {
            return Err(CheckError::Coefficients(step));
        }
        let first = inequality(step, !pair[0], meaning)?;
        let second = inequality(step, !pair[1], meaning)?;
        // The two are `p <= c` and `-p <= -c`.
        let mut difference = BTreeMap::new();
        add_terms(&mut difference, &first.terms, &Rat::ONE);
        add_terms(&mut difference, &second.terms, &Rat::ONE);
        let opposite = difference.values().all(|coeff| coeff.is_zero())
            && (&first.bound + &second.bound).is_zero()
            && !first.strict
            && !second.strict;
        let integral = first.terms.iter().all(|(var, _)| meaning.is_integer(*var));
        if !opposite || !integral {
            return Err(CheckError::Pairs(step));
        }
        // The equality is meant as the atom states its polynomial.
        let factor = if pair[0].is_positive() { -&factors[0] } else { factors[0].clone() };
        add_terms(&mut sum, &first.terms, &factor);
        constant = &constant + &(&first.bound * &factor);
    }
    if sum.values().all(|coeff| coeff.is_integer()) && !constant.is_integer() {
        Ok(())
    } else {
        Err(CheckError::Sum(step))
    }
}
