//! The judge of proofs.
//!
//! Every resolution is done again on plain sets; every lemma is checked from the meaning of its atoms, which
//! the caller supplies: linear inequalities over numbered variables, and equations of numbered nodes. The checker
//! believes nothing but these meanings and the input clauses, and shares no code with a solver.

mod arithmetic;
mod equality;
mod error;
mod judge;
mod meaning;
#[cfg(test)]
mod tests;

pub use error::CheckError;
pub use judge::check;
pub use meaning::{AtomMeaning, FunctionKind, LinearAtom, LinearForm, NodeShape};
