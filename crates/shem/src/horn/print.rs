//! Witnesses and graphs on the output.

use std::io::{self, Write};

use shem_base::Budget;
use shem_chc::{Graph, System, WitnessError, write_dot, write_intermediate, write_legacy, write_model};
use shem_decide::{Verdict, Witness};
use shem_term::Store;

use super::options::ProofFormat;

/// Writes the witness of a verdict, if it has one.
pub(super) fn witness(
    mut out: &mut dyn Write,
    store: &mut Store,
    system: &System,
    verdict: &Verdict,
    format: ProofFormat,
    budget: &mut Budget,
) -> io::Result<()> {
    match (verdict, format) {
        (Verdict::Sat(Witness::Found(model)), _) => write_model(&mut out, store, system, model),
        (Verdict::Unsat(Witness::Found(derivation)), ProofFormat::Legacy) => {
            write_legacy(&mut out, system, derivation)
        }
        (Verdict::Unsat(Witness::Found(derivation)), ProofFormat::Intermediate) => {
            match write_intermediate(&mut out, store, system, derivation, budget) {
                Ok(()) => Ok(()),
                Err(WitnessError::Io(error)) => Err(error),
                Err(error) => Err(io::Error::other(error.to_string())),
            }
        }
        _ => Ok(()),
    }
}

/// Writes a graph in DOT.
pub(super) fn graph(mut out: &mut dyn Write, store: &Store, graph: &Graph) -> io::Result<()> {
    write_dot(&mut out, store, graph)
}
