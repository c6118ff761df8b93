//! The command line.

mod arguments;
mod command;
mod line;
mod options;
mod reference;

pub use arguments::{Arguments, Failure, Job, Settings, parse, parse_with};
pub use command::run;
pub use reference::reference;
