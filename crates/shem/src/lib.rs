//! The command line of Shem: arguments, limits, output, and the interpreter of SMT-LIB scripts ([`smt`]).
//!
//! Programs that want to decide systems themselves use the crate `libshem`.

pub mod bench;
mod channel;
pub mod cli;
mod conversation;
pub mod diagnostic;
pub mod dialect;
mod format;
pub mod horn;
mod input;
mod logging;
pub mod memory;
pub mod options;
mod pieces;
mod script_info;
mod script_options;
pub mod smt;
mod statistics;
mod watchdog;
