//! Interpretation of SMT-LIB scripts, as `shem smt` does it.
//!
//! Commands: `set-logic`, `set-option`, `set-info`, `declare-const`, `declare-fun`, `declare-sort`,
//! `declare-datatype`, `declare-datatypes`, `define-const`, `define-fun`, `define-sort`, `define-fun-rec` and
//! `define-funs-rec` (refused where they are used), `assert`, `push`, `pop`, `check-sat`, `check-sat-assuming` (any
//! formulas), `get-model`, `get-value`, `get-assignment`, `get-unsat-core`, `get-unsat-assumptions`, `get-proof`,
//! `get-interpolants`, `get-qe`, `get-qe-disjunct`, `get-assertions`, `get-info`, `get-option`, `echo`, `reset`,
//! `reset-assertions`, `exit`.
//!
//! Where the standard leaves room or common practice differs from it: `:print-success` is off and models, cores
//! and failed assumptions are available unless a script sets their options otherwise; `push` and `pop` may stand
//! without a number; an integer term beside a real one is taken as a real; a logic need not be set. The first
//! error ends the script.

mod alethe;
mod decide;
mod declarations;
mod dump;
mod elimination;
mod input;
mod interpolants;
mod interpreter;
mod judge;
mod last;
mod limits;
mod logic;
mod model;
mod options;
mod parts;
mod print;
mod proof;
mod respond;
mod solved;

pub use input::{run_interruptible, run_stream, run_text};
pub use interpreter::Outcome;
pub use limits::Interrupt;
pub use logic::{Logic, LogicError};
pub use options::{Options, SCRIPTS};
