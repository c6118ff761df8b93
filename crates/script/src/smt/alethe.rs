//! `get-proof` in Alethe: from the assertions as they are written.

use shem_alethe::{Problem, ProofError};
use shem_term::smtlib::{ErrorKind, ReadError, Span};

use super::interpreter::Interpreter;
use super::last::Last;
use super::respond::out_of_place;
use crate::conversation::Halt;

/// The mistake of a script that asks for a proof from assertions of which too little was kept.
pub(super) const LATE_OPTION: &str = "an assertion was made before the option :produce-proofs was set";

impl Interpreter<'_> {
    /// The proof that the last query has no model. The problem is solved once more, as it is written.
    pub(super) fn alethe_text(&self, last: &Last<'_>, span: Span) -> Result<String, Halt> {
        let Last::Unsat { assumptions, .. } = last else {
            let message = "there is no proof: the last command was not an unsatisfiable query";
            return Err(out_of_place(span, message));
        };
        let mut text = String::new();
        if let Some(logic) = &self.logic {
            text += &format!("(set-logic {})\n", logic.name());
        }
        self.assertions.declarations.texts().for_each(|declaration| text += &format!("{declaration}\n"));
        for assertion in &self.assertions.list {
            let Some(formula) = &assertion.text else {
                return Err(out_of_place(span, LATE_OPTION));
            };
            text += &format!("(assert {formula})\n");
        }
        for assumption in assumptions.iter().flatten() {
            text += &format!("(assert {assumption})\n");
        }
        let refused = |error: ProofError| {
            let message = format!("there is no proof in Alethe: {error}");
            Halt::from(ReadError::new(ErrorKind::Unsupported, span, message))
        };
        let mut problem = Problem::default();
        problem.read(&text).map_err(refused)?;
        let (mut budget, deadline) = self.budget();
        let mut proof = b"(\n".to_vec();
        problem.refute(&mut budget, &mut proof).map_err(refused)?;
        drop(deadline);
        proof.push(b')');
        String::from_utf8(proof).map_err(|error| Halt::Failure(error.to_string()))
    }
}
