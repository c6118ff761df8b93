//! How to run a script.

use crate::options::RunOptions;

/// The heading of these options in the help.
pub const SCRIPTS: &str = "Scripts (shem smt)";

/// How to run a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = SCRIPTS), group(skip))]
pub struct Options {
    /// Evaluate all assertions in each model; a false one is an error.
    #[cfg_attr(feature = "clap", arg(long, hide_short_help = true))]
    pub check_models: bool,
    /// Solve each unsatisfiable core again on its own; a satisfiable one is an error.
    #[cfg_attr(feature = "clap", arg(long, hide_short_help = true))]
    pub check_cores: bool,
    /// Have each interpolant judged by solvers of its own; a wrong one is an error.
    #[cfg_attr(feature = "clap", arg(long, hide_short_help = true))]
    pub check_interpolants: bool,
    /// Make circuits of products and quotients of N bits and more only where their values matter; 0 means of none.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", hide_short_help = true))]
    pub abstract_from: Option<u32>,
    /// Answer unknown after N conflicts in a query.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", hide_short_help = true))]
    pub conflict_limit: Option<u64>,
    /// Answer unknown after N pivots in a query.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", hide_short_help = true))]
    pub pivot_limit: Option<u64>,
    /// Answer unknown after N case splits in a query.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", hide_short_help = true))]
    pub split_limit: Option<u64>,
    /// With --jobs or --virtual-cores, split a query after so many units of work of one solver.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", hide_short_help = true))]
    pub split_after: Option<u64>,
    /// Give a query that takes long to so many solvers, which split it into parts. One, or 0, means that the solver of the
    /// script decides alone.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub jobs: usize,
    /// Split queries as for so many cores, whatever the number of jobs, and count time in work.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub virtual_cores: Option<usize>,
    /// What Horn problems have, too.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub run: RunOptions,
}
