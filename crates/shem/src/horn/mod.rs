//! Horn problems from files: reading, deciding, answering.
//!
//! `session` does it with limits, several checks in one script, and output. What stands between reading and printing is
//! the crate `shem-decide`.

#[cfg(test)]
mod liar;
mod options;
mod print;
mod session;
mod shapes;
mod strategy;

pub use options::{Options, ProofFormat, Stage};
pub(crate) use session::run;
pub(crate) use shapes::list_shapes;
pub(crate) use shem_decide::{Engines, SolveOptions};
pub(crate) use strategy::list_strategy;
