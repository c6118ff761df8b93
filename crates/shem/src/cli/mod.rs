//! The command line.
//!
//! The program's own is in `arguments`, those of solvers in whose place it can stand in `compat`.

mod arguments;
mod command;
mod compat;
mod line;
mod options;
mod plain;
mod reference;

pub use arguments::{Arguments, Failure, Job, parse};
pub use command::{run, run_as, run_at};
pub use reference::reference;
