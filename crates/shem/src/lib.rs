//! The command line of Shem: arguments, limits, output, and the interpreter of SMT-LIB scripts ([`smt`]).
//!
//! Programs that want to decide systems themselves use the crate `libshem`.

pub mod cli;
pub mod diagnostic;
pub mod dialect;
pub mod horn;
mod input;
mod logging;
pub mod memory;
pub mod options;
mod script_info;
pub mod smt;
mod watchdog;
