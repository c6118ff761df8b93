//! Running the system as a program.
//!
//! Where each clause determines the arguments of its head, a system is a program, and nobody needs a solver to run one.
//! `case` compiles the labels of edges to the code of `code`; `run` takes steps, `start` chooses where to begin, `trace`
//! keeps what was done, and `engine` is the search.

mod case;
mod code;
mod engine;
mod jump;
mod rounds;
mod run;
mod start;
mod trace;

pub(crate) use engine::DESCRIPTION;
pub use engine::{Scout, ScoutSettings};
#[allow(unused_imports, reason = "the interface for what is learnt from runs")]
pub(crate) use run::{CompiledGraph, State};
