//! Horn problems from files: reading, deciding, answering.
//!
//! [`parse`] and [`solve`] do the job for other programs; `session` does it for the command line, with limits, several
//! checks in one script, and output. What stands between reading and printing is the crate `shem-decide`.

mod listener;
mod options;
mod print;
mod problem;
mod session;
mod shapes;
mod strategy;

pub(crate) use options::{COOPERATION, HORN};
pub use options::{Options, ProofFormat, Stage};
pub use problem::{Problem, parse, solve};
pub(crate) use session::run;
pub(crate) use shapes::list_shapes;
pub use shem_decide::{
    Answer, Cause, Checked, Engines, Fault, NoWitness, SolveOptions, Undecided, Verdict, Witness,
};
pub(crate) use strategy::list_strategy;
