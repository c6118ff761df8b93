//! TRL: bounded model checking that learns transitive relations.
//!
//! Frohn and Giesl (2025), "Infinite State Model Checking by Learning Transitive Relations": an unrolling whose steps
//! are transitions or relations that were learnt. A loop in a trace gives a relation that contains any number of its
//! rounds (`relation`); it becomes a rule (`rule`) that later steps may choose, and what it covers is excluded as
//! superfluous. If no trace is left that is longer than k steps, and none ends in a bad state, the system is safe
//! (`search`, with the argument). The search goes forwards from the initial states, backwards from the bad ones, or
//! both in turn (`engine`). A bad state that was reached by learnt relations may be out of reach: what led there is run
//! as a program (`runs`).
//!
//! Ours differs from the paper in what is excluded: two steps in a row by the same learnt relation at once, since it is
//! transitive, instead of by the loops that this makes. Each verdict has a certificate (`certificate`) whose check
//! shares no code with the search; the invariant is computed on demand (`invariant`).
//!
//! The cost is that of a bounded model checking of few steps and one projection for each loop; it depends neither on
//! the number of rounds nor on the constants.

mod description;
mod engine;
mod invariant;
mod precision;
mod relation;
mod rule;
mod runs;
mod search;
mod settings;

pub use description::DESCRIPTION;
pub use engine::Trl;
pub use precision::Precision;
pub use relation::{Learner, Relation, Vocabulary};
pub use settings::{Direction, Settings};
