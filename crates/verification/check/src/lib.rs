//! Validation of witnesses on the system as read. It sees neither passes nor engines.
//!
//! A model is judged by [`check_model`], a derivation by [`check_derivation`]. Both use solvers of their own;
//! what a solver claims is confirmed once more: a refutation by the checker of proofs, a model by the evaluator
//! of terms.

mod derivation;
mod instance;
mod model;
mod validity;

pub use derivation::check_derivation;
pub use model::check_model;
pub use validity::{Defect, Validity};
