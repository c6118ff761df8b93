//! Inequalities whose weighted sum is a contradiction.

use super::inequality::{add_terms, inequality};
use crate::check::error::CheckError;
use crate::check::meaning::AtomMeaning;
use crate::proof::StepId;
use shem_base::{Lit, Rat};
use std::collections::BTreeMap;

pub(crate) fn check_farkas(
    step: StepId,
    lits: &[Lit],
    coeffs: &[Rat],
    meaning: &impl AtomMeaning,
) -> Result<(), CheckError> {
    let mut sum = BTreeMap::new();
    let mut bound = Rat::ZERO;
    let mut strict = false;
    for (&lit, coeff) in lits.iter().zip(coeffs) {
        if !coeff.is_positive() {
            return Err(CheckError::Coefficients(step));
        }
        let atom = inequality(step, !lit, meaning)?;
        add_terms(&mut sum, &atom.terms, coeff);
        bound = &bound + &(&atom.bound * coeff);
        strict |= atom.strict;
    }
    let contradictory = bound.is_negative() || (bound.is_zero() && strict);
    if contradictory && sum.values().all(|coeff| coeff.is_zero()) {
        Ok(())
    } else {
        Err(CheckError::Sum(step))
    }
}
