//! Horn problems from files: reading, deciding, answering.
//!
//! `session` does it with limits, several checks in one script, and output; `check` is one check, `json` its answer for
//! programs. What stands between reading and printing is the crate `shem-decide`.

mod certificate;
mod check;
pub(crate) mod json;
mod listener;
mod options;
mod print;
mod session;
mod shapes;
mod strategy;

pub(crate) use options::{COOPERATION, HORN};
pub use options::{Options, ProofFormat, Stage};
pub(crate) use session::run;
pub(crate) use shapes::list_shapes;
pub(crate) use strategy::list_strategy;
