//! Witnesses on the output.

use std::io::{self, Write};

use shem_alethe::{ProofError, write_alethe};
use shem_base::Budget;
use shem_chc::{
    ClauseId, Derivation, System, WitnessError, write_hyper_resolution, write_intermediate, write_legacy,
    write_model, write_plain_model,
};
use shem_check::DerivationValues;
use shem_decide::{Verdict, Witness};
use shem_term::Store;

use super::options::ProofFormat;
use crate::dialect::Dialect;

/// The steps up to which repetitions are written out in formats that have none.
const MOST_STEPS: u64 = 1_000_000;

/// How witnesses are written.
#[derive(Clone, Copy)]
pub(super) struct Form<'a> {
    pub(super) dialect: Dialect,
    /// Of derivations, in dialects that have no format of their own.
    pub(super) proof_format: ProofFormat,
    /// The steps up to which repetitions are written out, if the user says so.
    pub(super) expand: Option<u64>,
    /// The text that the places of clauses refer to.
    pub(super) text: &'a str,
    /// The lines of the input in which the assertions of the clauses begin, where they are known.
    pub(super) lines: &'a [Option<usize>],
}

/// Writes the witness of a verdict, if it has one.
pub(super) fn witness(
    mut out: &mut dyn Write,
    store: &mut Store,
    system: &System,
    verdict: &Verdict,
    Form { dialect, proof_format, expand, text, .. }: Form<'_>,
) -> io::Result<()> {
    match (verdict, dialect, proof_format) {
        (Verdict::Sat(Witness::Found(model)), Dialect::Shem, _) => {
            write_model(&mut out, store, system, model)
        }
        (Verdict::Sat(Witness::Found(model)), _, _) => write_plain_model(&mut out, store, system, model),
        (Verdict::Unsat(Witness::Found(derivation)), Dialect::Z3, _) => {
            check_length(derivation, expand)?;
            let expanded =
                derivation.has_repetitions().then(|| derivation.expanded(store, u64::MAX)).flatten();
            write_hyper_resolution(&mut out, store, system, expanded.as_ref().unwrap_or(derivation))
        }
        (Verdict::Unsat(Witness::Found(derivation)), _, ProofFormat::Legacy) => {
            check_length(derivation, expand)?;
            write_legacy(&mut out, store, system, derivation)
        }
        (Verdict::Unsat(Witness::Found(derivation)), _, ProofFormat::Intermediate) => {
            let expanded = expand.filter(|_| derivation.has_repetitions());
            let expanded = expanded.and_then(|limit| derivation.expanded(store, limit));
            let derivation = expanded.as_ref().unwrap_or(derivation);
            let (mut values, budget) = (DerivationValues::new(system, derivation), &mut Budget::unlimited());
            let instance = &mut |store: &mut Store, step| values.find(store, step, budget);
            let written = write_intermediate(&mut out, store, system, Some(text), derivation, instance);
            written.map_err(|error| match error {
                WitnessError::Io(error) => error,
                error => io::Error::other(error.to_string()),
            })
        }
        (Verdict::Unsat(Witness::Found(derivation)), _, ProofFormat::Alethe) => {
            check_length(derivation, expand)?;
            let budget = &mut Budget::unlimited();
            let written = write_alethe(&mut out, text, store, system, derivation, budget);
            written.map_err(|error| match error {
                ProofError::Output(error) => error,
                error => io::Error::other(format!("no Alethe proof: {error}")),
            })
        }
        _ => Ok(()),
    }
}

/// Whether a derivation is short enough for all of its steps to be written.
pub(super) fn check_length(derivation: &Derivation<ClauseId>, expand: Option<u64>) -> io::Result<()> {
    let (count, limit) = (derivation.step_count(), expand.unwrap_or(MOST_STEPS));
    if !derivation.has_repetitions() || count <= limit {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "the derivation has {count} steps, more than {limit}: --proof-format intermediate writes repetitions as such, \
         --expand-derivation allows more"
    )))
}
