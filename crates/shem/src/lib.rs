//! Shem as a library: what the command line does, for other programs.
//!
//! [`parse`] reads a system of constrained Horn clauses and [`solve`] decides it; the [`Answer`] holds the
//! verdict with its witness. [`smt`] interprets SMT-LIB scripts. The layers below are the crates `shem-decide`
//! (from a system to its answer), `shem-engine` (engines), `shem-transform` (passes), `shem-chc` (systems, graphs and witnesses), `shem-check` (validation),
//! `shem-smt` (the solver), `shem-term` (terms and the reader) and `shem-base` (numbers).

pub mod cli;
pub mod diagnostic;
pub mod horn;
mod input;
mod logging;
pub mod memory;
pub mod options;
mod script_info;
pub mod smt;
mod watchdog;

pub use horn::{
    Answer, Cause, Checked, Engines, Fault, NoWitness, Problem, SolveOptions, Undecided, Verdict, Witness,
    parse, solve,
};
pub use shem_base::StopToken;
