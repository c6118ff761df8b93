//! The command line of Shem: arguments, limits and output.
//!
//! Programs that want to decide systems themselves use the crate `libshem`.

pub mod bench;
pub mod cli;
pub mod dialect;
mod format;
pub mod horn;
mod input;
mod logging;
mod watchdog;
