//! Shem as a library: what the command line does, for other programs.
//!
//! [`parse`] reads a system of constrained Horn clauses and [`solve`] decides it; the [`Answer`] holds the
//! verdict with its witness. [`smt`] interprets SMT-LIB scripts. The layers below are the crates `shem-engine`
//! (engines), `shem-transform` (passes), `shem-chc` (systems, graphs and witnesses), `shem-check` (validation),
//! `shem-smt` (the solver), `shem-term` (terms and the reader) and `shem-base` (numbers).

pub mod cli;
pub mod diagnostic;
mod guard;
pub mod horn;
mod input;
pub mod memory;
pub mod smt;

pub use guard::Cause;
pub use horn::{
    Answer, Checked, Fault, NoWitness, Problem, SolveOptions, Undecided, Verdict, Witness, parse, solve,
};
pub use shem_base::StopToken;
