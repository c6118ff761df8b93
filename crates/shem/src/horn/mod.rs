//! Horn problems: reading, deciding, answering.
//!
//! [`parse`] and [`solve`] do the job for other programs; `session` does it for the
//! command line, with limits, several checks in one script, and output. Between reading and printing stands
//! `decide`: graph, passes, engine, the way back, validation.

mod answer;
mod decide;
mod dump;
mod instances;
mod json;
#[cfg(test)]
mod liar;
mod options;
mod print;
mod problem;
mod reason;
mod session;
mod shapes;
mod strategy;
mod together;
mod worker;

pub use answer::{Answer, Checked, Verdict, Witness};
pub use options::{Engines, Options, ProofFormat, SolveOptions, Stage};
pub use problem::{Problem, parse, solve};
pub use reason::{Fault, NoWitness, Undecided};
pub(crate) use session::run;
pub(crate) use shapes::list_shapes;
pub(crate) use strategy::list_strategy;
