//! Interpretation of SMT-LIB scripts, as `shem smt` does it.
//!
//! Commands: `set-logic`, `set-option`, `set-info`, `declare-const`, `declare-fun` (constants, and predicates with
//! arguments), `define-const`, `define-fun`, `define-sort`, `assert`, `push`, `pop`, `check-sat`,
//! `check-sat-assuming` (any formulas), `get-model`, `get-value`, `get-unsat-core`, `get-unsat-assumptions`,
//! `get-interpolants`, `get-qe`, `get-qe-disjunct`, `get-assertions`, `get-info`, `get-option`, `echo`, `reset`, `reset-assertions`, `exit`.
//!
//! Where the standard leaves room or common practice differs from it: `:print-success` is off and models, cores
//! and failed assumptions are available unless a script sets their options otherwise; `push` and `pop` may stand
//! without a number; an integer term beside a real one is taken as a real; a logic need not be set. The first
//! error ends the script.

mod dump;
mod elimination;
mod input;
mod interpolants;
mod interpreter;
mod judge;
mod last;
mod logic;
mod options;
mod print;
mod respond;
mod script_options;

pub use input::{run_stream, run_text};
pub use interpreter::Outcome;
pub use logic::Logic;
pub use options::Options;
pub(crate) use options::SCRIPTS;
