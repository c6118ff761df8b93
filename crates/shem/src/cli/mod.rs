//! The command line.

mod arguments;
mod command;
mod completions;
mod help;
mod table;

pub use arguments::{Arguments, Failure, Job, parse};
pub use command::run;
pub use completions::Shell;
pub use table::Settings;
