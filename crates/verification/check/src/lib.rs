//! Validation of witnesses on the system as read. It sees neither passes nor engines.
//!
//! A model is judged by [`check_model`], a derivation by [`check_derivation`]. Both use solvers of their own;
//! what a solver claims is confirmed once more: a refutation by the judge of refutations, a model by the evaluator
//! of terms. Constraints may have quantifiers: they are judged by instances, without elimination.
//!
//! That all runs end, or that one is infinite, is judged by [`check_ranking`] and [`check_recurrence`].
//!
//! A [`Certificate`] is weaker evidence, about the graph that an engine was given.

pub mod certificate;
mod derivation;
mod indices;
mod instance;
mod instantiate;
mod model;
mod refute;
mod repetition;
mod rounds;
mod run;
mod termination;
mod validity;
mod values;

pub use certificate::{Certificate, CertificateError};
pub use derivation::check_derivation;
pub use instance::StepInstances;
pub use model::check_model;
pub use repetition::RoundCheck;
pub use termination::{
    Choice, Closure, Level, RankingArgument, RankingFunction, Recurrence, check_ranking, check_recurrence,
};
pub use validity::{Defect, Validity};
pub use values::DerivationValues;
