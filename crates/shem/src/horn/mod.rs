//! Horn problems from files: reading, deciding, answering.
//!
//! `session` is the back end of a conversation, with limits and several checks in one script; `check` is one check,
//! `witness` its models and derivations, `faults` what goes wrong, `json` the answer for programs. `vmt` answers
//! the properties of transition systems, `terminates` whether runs end, and `convert` writes problems in other languages. What stands between
//! reading and printing is the crate `shem-decide`.

mod certificate;
mod check;
mod convert;
mod core;
mod faults;
pub(crate) mod json;
mod listener;
mod options;
mod print;
mod report;
mod session;
mod shapes;
mod strategy;
mod terminates;
mod unknown;
mod vmt;
mod witness;

pub use convert::Format;
pub(crate) use convert::convert;
pub(crate) use options::{COOPERATION, HORN};
pub use options::{Options, ProofFormat, Stage};
pub(crate) use session::run;
pub(crate) use shapes::list_shapes;
pub(crate) use strategy::list_strategy;
pub(crate) use vmt::infinite_states;
