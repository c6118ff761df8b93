//! Shem as a library: what the command line does, for other programs.
//!
//! [`smt`] interprets SMT-LIB scripts. The layers below are the crates `shem-smt` (the solver), `shem-term`
//! (terms and the reader) and `shem-base` (numbers).

pub mod cli;
pub mod diagnostic;
pub mod smt;
