//! The command line.

mod arguments;
mod command;

pub use arguments::{Arguments, Failure, Job, parse};
pub use command::run;
