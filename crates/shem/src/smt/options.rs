//! How to run a script.

use clap::Args;

use crate::options::RunOptions;

/// The heading of these options in the help.
pub(crate) const SCRIPTS: &str = "Scripts (shem smt)";

/// How to run a script.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = SCRIPTS)]
#[group(skip)]
pub struct Options {
    /// Evaluate all assertions in each model; a false one is an error.
    #[arg(long, hide_short_help = true)]
    pub check_models: bool,
    /// Solve each unsatisfiable core again on its own; a satisfiable one is an error.
    #[arg(long, hide_short_help = true)]
    pub check_cores: bool,
    /// Have each interpolant judged by solvers of its own; a wrong one is an error.
    #[arg(long, hide_short_help = true)]
    pub check_interpolants: bool,
    /// Answer unknown after N conflicts in a query.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub conflict_limit: Option<u64>,
    /// Answer unknown after N pivots in a query.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub pivot_limit: Option<u64>,
    /// Answer unknown after N case splits in a query.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub split_limit: Option<u64>,
    /// What Horn problems have, too.
    #[arg(skip)]
    pub run: RunOptions,
}
