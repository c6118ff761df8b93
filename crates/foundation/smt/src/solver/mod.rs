//! The incremental solver: terms in, answers out.

mod answer;
mod bits;
mod core;
mod facade;
mod group;
mod instance;
mod meaning;
mod model;
mod nodes;
mod observer;
mod part;
mod record;
mod refutation;
mod solution;
mod translation;

pub use answer::{Answer, Status};
pub use facade::{Solver, SolverOptions};
pub use group::Group;
pub use instance::Variable;
pub(crate) use meaning::{NodeMeaning, NumberMeaning, VarMeaning};
pub use model::Model;
pub use observer::QueryObserver;
pub use record::Recorder;
pub use refutation::Refutation;
pub use solution::Solution;
