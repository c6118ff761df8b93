//! The steps of a proof, one after the other.

use super::arithmetic::{check_bridge, check_dioph, check_farkas};
use super::equality::check_equality;
use super::error::CheckError;
use super::meaning::AtomMeaning;
use crate::proof::{Proof, Resolution, Rule, StepId};
use crate::sink::LemmaKind;
use shem_base::Lit;
use std::collections::BTreeSet;

/// Checks all steps of a proof and returns the clause that it proves.
pub fn check<'a>(proof: &'a Proof, meaning: &impl AtomMeaning) -> Result<&'a [Lit], CheckError> {
    if proof.is_empty() {
        return Err(CheckError::Empty);
    }
    for step in proof.steps() {
        match proof.rule(step) {
            Rule::Input(_) => {}
            Rule::Lemma { kind, coeffs, nodes } => {
                let lits = proof.clause(step);
                if kind.has_coefficients() && lits.len() != coeffs.len() {
                    return Err(CheckError::Coefficients(step));
                }
                match kind {
                    LemmaKind::Farkas => check_farkas(step, lits, coeffs, meaning)?,
                    LemmaKind::Dioph => check_dioph(step, lits, coeffs, meaning)?,
                    LemmaKind::Equality => check_equality(step, lits, nodes, meaning)?,
                    LemmaKind::Bridge => check_bridge(step, lits, meaning)?,
                }
            }
            Rule::Resolution { first, rest } => check_resolution(proof, step, first, rest)?,
        }
    }
    Ok(proof.conclusion())
}

fn check_resolution(
    proof: &Proof,
    step: StepId,
    first: StepId,
    rest: &[Resolution],
) -> Result<(), CheckError> {
    if first >= step || rest.iter().any(|resolution| resolution.premise >= step) {
        return Err(CheckError::Order(step));
    }
    let mut clause: BTreeSet<Lit> = proof.clause(first).iter().copied().collect();
    for resolution in rest {
        let premise = proof.clause(resolution.premise);
        if !premise.contains(&resolution.pivot) || !clause.remove(&!resolution.pivot) {
            return Err(CheckError::Pivot(step, resolution.pivot));
        }
        clause.extend(premise.iter().filter(|&&lit| lit != resolution.pivot));
    }
    let claimed: BTreeSet<Lit> = proof.clause(step).iter().copied().collect();
    if clause == claimed { Ok(()) } else { Err(CheckError::Clause(step)) }
}
