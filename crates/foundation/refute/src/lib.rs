//! Proofs in Alethe that an SMT-LIB problem has no model, from its assertions as they are written.
//!
//! The solver works on terms in canonical form; a proof has to begin with the text. Instead of proving that a formula is
//! equivalent to its canonical form, step by step, the problem is read once more *as it is written* (`terms`,
//! `problem`) and given to a solver of its own as clauses over names of what is written (`encode`). Each of these clauses is
//! a rule of Alethe, or a lemma of arithmetic with few literals. The solver's proof is then printed (`print`): its inputs
//! by their reasons, resolution as resolution, Farkas coefficients as `la_generic`, equations without integer solution as
//! a cut and its two halves (`arithmetic`), equality by congruence and transitivity (`equality`).
//!
//! Barbosa et al., "Flexible proof production in an industrial-strength SMT solver" (2022), record each rewriting
//! during the search. Here the search pays nothing, and only problems whose proof is wanted are solved a second time.
//!
//! What neither Alethe nor its checker Carcara has rules for is an error, or, if a function without a meaning will do in its
//! place, such a function: quotients and remainders, absolute values, arrays. Nothing is left to trust: no step is a
//! hole. The proofs are made for `carcara check --expand-let-bindings --apply-function-defs --allow-int-real-subtyping`.

mod arithmetic;
mod axioms;
mod clause;
mod encode;
mod equality;
mod error;
mod linear;
mod print;
mod problem;
mod terms;

use std::io::Write;

use shem_base::Budget;
use shem_smt::Answer;

pub use clause::{clause_problems, prove_clause};
pub use error::RefuteError;
pub use problem::Problem;

use encode::Encoder;

impl Problem {
    /// Writes a proof that the assertions contradict each other. Returns the number of its steps.
    pub fn refute(&mut self, budget: &mut Budget, out: impl Write) -> Result<u64, RefuteError> {
        let mut encoder = Encoder::new(self)?;
        let proof = match encoder.solver.check(&mut encoder.store, budget) {
            Answer::Unknown(reason) => return Err(RefuteError::Unknown(reason)),
            Answer::Sat(_) => {
                return Err(RefuteError::NeedsRules(encoder.uninterpreted.into_iter().collect()));
            }
            Answer::Unsat(refutation) => refutation.proof(),
        };
        let proof = proof.ok_or_else(|| RefuteError::Step("there is no proof".to_owned()))?;
        let proof = proof.map_err(|error| RefuteError::Step(error.to_string()))?;
        print::print(encoder, &proof, out)
    }
}
