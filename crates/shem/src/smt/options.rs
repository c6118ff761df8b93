//! What a caller may ask of the interpreter.

use std::path::PathBuf;
use std::time::Duration;

/// Limits of effort for each query; `u64::MAX` means none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Conflicts of the propositional search.
    pub conflicts: u64,
    /// Pivots of the simplex.
    pub pivots: u64,
    /// Case splits over the integers.
    pub splits: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { conflicts: u64::MAX, pivots: u64::MAX, splits: u64::MAX }
    }
}

/// How to run a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Evaluate all assertions in each model; a false one ends the run with an error.
    pub check_models: bool,
    /// Solve each unsatisfiable core again on its own; if it is satisfiable, the run ends with an error.
    pub check_cores: bool,
    /// Have each interpolant judged by solvers of its own; a wrong one ends the run with an error.
    pub check_interpolants: bool,
    /// Exit with code 1 if an answer differs from the `:status` that the script gives.
    pub check_status: bool,
    /// Print statistics at the end.
    pub statistics: bool,
    /// Limits of effort for each query.
    pub limits: Limits,
    /// Write every query that the solver answers to this file, as a script.
    pub dump_queries: Option<PathBuf>,
    /// Time for the whole run, after which queries are answered with `unknown`.
    pub timeout: Option<Duration>,
}
