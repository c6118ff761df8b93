//! Horn problems from files: reading, deciding, answering.
//!
//! `session` does it with limits, several checks in one script, and output; `check` is one check, `json` its answer for
//! programs. `vmt` answers the properties of transition systems, and `convert` writes problems in other languages. What stands between reading and printing is the crate `shem-decide`.

mod certificate;
mod check;
mod convert;
pub(crate) mod json;
mod listener;
mod options;
mod print;
mod report;
mod session;
mod shapes;
mod strategy;
mod vmt;

pub use convert::Format;
pub(crate) use convert::convert;
pub(crate) use options::{COOPERATION, HORN};
pub use options::{Options, ProofFormat, Stage};
pub(crate) use session::run;
pub(crate) use shapes::list_shapes;
pub(crate) use strategy::list_strategy;
