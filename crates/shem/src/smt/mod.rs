//! Interpretation of SMT-LIB scripts, as `shem smt` does it.

mod alarm;
mod dump;
mod input;
mod interpreter;
mod judge;
mod logic;
mod options;
mod print;
mod respond;
mod script_options;

pub use input::{run_stream, run_text};
pub use interpreter::{Interpreter, Outcome};
pub use logic::Logic;
pub use options::{Limits, Options};
