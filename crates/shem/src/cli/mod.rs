//! The command line.

mod arguments;
mod command;
mod line;
mod options;
mod reference;

pub use arguments::{Arguments, Failure, Job, parse};
pub use command::run;
pub use reference::reference;
