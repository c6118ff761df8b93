//! Answers for others to check: derivations as Alethe proofs from the assertions as they stand in the input.

mod assertion;
mod derivation;
mod error;
mod evaluate;
mod explain;
mod formula;
mod read;

pub use derivation::write_alethe;
pub use error::ProofError;
