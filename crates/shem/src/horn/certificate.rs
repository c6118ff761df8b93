//! Certificates of satisfiability: the model, and for each clause a proof that it holds.
//!
//! The folder gets `model.smt2`, and for each assertion of the input, counted from 1, `clause-1.smt2` and
//! `clause-1.alethe`: the negation of the clause under the model, and a proof that it has no model.
//! `scripts/check-certificate` checks them without Shem.
//!
//! The certificate of a circuit is a circuit, `certificate.btor2` and, unless there are arrays, `certificate.aig`: the same
//! with a stronger property, which one step of induction shows.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use shem_alethe::{ProofError, clause_problems, prove_clause};
use shem_base::Budget;
use shem_circuit::Circuit;
use shem_decide::clock;

/// Writes a certificate. Each proof may take so long. Returns why proofs are missing, in words.
pub(super) fn write(folder: &Path, script: &str, model: &str, time: Duration) -> io::Result<Vec<String>> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("model.smt2"), model)?;
    let problems = match clause_problems(script, model) {
        Ok(problems) => problems,
        Err(error) => return Ok(vec![error.to_string()]),
    };
    let mut missing = Vec::new();
    for (at, problem) in problems.into_iter().enumerate() {
        let name = |suffix: &str| folder.join(format!("clause-{}.{suffix}", at + 1));
        let proof = name("alethe");
        match write_clause(problem, &name("smt2"), &proof, time) {
            Ok(()) => {}
            Err(ProofError::Output(error)) => return Err(error),
            Err(error) => {
                fs::remove_file(&proof).ok();
                missing.push(format!("clause {}: {error}", at + 1));
            }
        }
    }
    Ok(missing)
}

/// Writes a circuit that is a certificate.
pub(super) fn write_circuit(folder: &Path, circuit: &Circuit) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let text = circuit.btor2().ok_or_else(|| io::Error::other("the circuit cannot be written in BTOR2"))?;
    fs::write(folder.join("certificate.btor2"), text)?;
    match circuit.aiger(true) {
        Some(gates) => fs::write(folder.join("certificate.aig"), gates),
        None => Ok(()),
    }
}

fn write_clause(text: String, problem: &Path, proof: &Path, time: Duration) -> Result<(), ProofError> {
    let deadline = Instant::now().checked_add(time);
    let (mut budget, _scheduled) = match deadline.map(clock::stop_at) {
        Some((token, scheduled)) => (Budget::until(token), Some(scheduled)),
        None => (Budget::unlimited(), None),
    };
    let mut out = BufWriter::new(File::create(proof)?);
    let (text, result) = prove_clause(text, &mut budget, &mut out);
    fs::write(problem, text)?;
    result?;
    Ok(out.flush()?)
}
