//! Problems of which a proof may be wanted.

use std::io::Write;

use shem_base::Budget;
use shem_smt::Answer;
use shem_term::smtlib::{Lexer, TokenKind};

use super::encode::Encoder;
use super::print;
use crate::error::{ProofError, Result, malformed};
use crate::written::{Script, TermId};

/// A problem in SMT-LIB of which a proof may be wanted.
///
/// ```
/// use shem_alethe::Problem;
/// use shem_base::Budget;
///
/// let mut problem = Problem::default();
/// problem.read("(declare-const x Int) (assert (< x 3)) (assert (> x 2))")?;
/// let mut proof = Vec::new();
/// problem.refute(&mut Budget::unlimited(), &mut proof)?;
/// assert!(String::from_utf8(proof).unwrap().contains(":rule la_generic"));
/// # Ok::<(), shem_alethe::ProofError>(())
/// ```
#[derive(Debug, Default)]
pub struct Problem {
    pub(super) script: Script,
    /// The assertions and assumptions.
    pub(super) premises: Vec<TermId>,
}

impl Problem {
    /// Reads commands. Those that declare, define, assert or assume something count, and so does `set-logic`.
    pub fn read(&mut self, text: &str) -> Result<()> {
        let mut lexer = Lexer::new(text).map_err(|error| ProofError::Malformed(error.to_string()))?;
        loop {
            match lexer.next_token().kind {
                TokenKind::End => return Ok(()),
                TokenKind::Open => self.premises.extend(self.script.command(&mut lexer)?),
                _ => return malformed("expected a command"),
            }
        }
    }

    /// Writes a proof that the assertions contradict each other. Returns the number of its steps.
    pub fn refute(&mut self, budget: &mut Budget, out: impl Write) -> Result<u64> {
        self.script.refuse_without_rules(&self.premises)?;
        let mut encoder = Encoder::new(&mut self.script, &self.premises)?;
        let proof = match encoder.solver.check(&mut encoder.store, budget) {
            Answer::Unknown(reason) => return Err(reason.into()),
            Answer::Sat(_) => {
                return Err(ProofError::NeedsRules(encoder.uninterpreted.into_iter().collect()));
            }
            Answer::Unsat(refutation) => refutation.proof(),
        };
        let proof = proof.ok_or_else(|| ProofError::Step("there is no proof".to_owned()))?;
        let proof = proof.map_err(|error| ProofError::Step(error.to_string()))?;
        print::print(encoder, &proof, out)
    }
}
