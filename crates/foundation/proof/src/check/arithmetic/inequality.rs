//! What a literal of arithmetic says, and sums of it.

use crate::check::error::CheckError;
use crate::check::meaning::{AtomMeaning, LinearAtom};
use crate::proof::StepId;
use shem_base::{Int, Lit, Rat};
use std::collections::BTreeMap;

/// The inequality that holds if the literal is true, tightened if all its variables and coefficients are
/// integers.
pub(super) fn inequality(
    step: StepId,
    lit: Lit,
    meaning: &impl AtomMeaning,
) -> Result<LinearAtom, CheckError> {
    let mut atom = meaning.atom(lit.var()).ok_or(CheckError::Meaning(step, lit))?;
    if !lit.is_positive() {
        for (_, coeff) in &mut atom.terms {
            *coeff = -&*coeff;
        }
        atom.bound = -&atom.bound;
        atom.strict = !atom.strict;
    }
    let integral = atom.terms.iter().all(|(var, coeff)| meaning.is_integer(*var) && coeff.is_integer());
    if integral {
        let divisor = atom.terms.iter().fold(Int::ZERO, |gcd, (_, coeff)| gcd.gcd(&coeff.numer()));
        if !divisor.is_zero() {
            let divisor = Rat::from(divisor);
            let quotient = &atom.bound / &divisor;
            let tightened = if atom.strict { quotient.ceil() - Int::ONE } else { quotient.floor() };
            atom.bound = &Rat::from(tightened) * &divisor;
            atom.strict = false;
        }
    }
    Ok(atom)
}

/// Adds a multiple of some terms to a sum.
pub(super) fn add_terms(sum: &mut BTreeMap<u32, Rat>, terms: &[(u32, Rat)], factor: &Rat) {
    for (var, coeff) in terms {
        let entry = sum.entry(*var).or_insert(Rat::ZERO);
        *entry = &*entry + &(coeff * factor);
    }
}
