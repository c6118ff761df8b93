//! Proofs in Alethe, a format that others check, from problems as they are written.
//!
//! The solver and the engines work on terms in canonical form; a proof has to begin with the text. So what a proof is
//! about is read once more *as it is written* ([`written`]). There are two kinds of proofs:
//!
//! - [`refute`]: an SMT-LIB problem has no model. The problem is given to a solver of its own, and the solver's proof is
//!   printed. The clauses of a Horn problem under a model are such problems, too: their proofs make a certificate.
//! - [`derivation`]: Horn clauses have no model, because falsehood has been derived from them.
//!
//! Barbosa et al., "Flexible proof production in an industrial-strength SMT solver" (2022), record each rewriting
//! during the search. Here the search pays nothing, and only problems whose proof is wanted are read a second time.
//!
//! What neither Alethe nor its checker Carcara has rules for is an error. Nothing is left to trust: no step is a hole. The
//! proofs are made for `carcara check --expand-let-bindings --apply-function-defs --allow-int-real-subtyping`. Nothing in
//! this crate is trusted either: the checker judges what it writes.

mod derivation;
mod error;
mod refute;
mod writer;
mod written;

pub use derivation::write_alethe;
pub use error::ProofError;
pub use refute::{Problem, clause_problems, prove_clause};
pub use writer::{Apply, Equal, Not, StepName, Writer};
