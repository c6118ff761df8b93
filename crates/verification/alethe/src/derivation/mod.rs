//! Proofs that Horn clauses have no model, from derivations of falsehood.

mod explain;
mod formulas;
mod write;

pub use write::write_alethe;
