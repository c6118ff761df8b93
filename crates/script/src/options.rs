//! Options that scripts and Horn problems share.
//!
//! A struct of options stands beside what it configures. With the feature `clap` a command line can be read into it: the
//! comment of a field is its help, and a default in the help is that of the struct.

use std::path::PathBuf;
use std::time::Duration;

use shem_decide::MEGABYTE;

/// The heading of these options in the help.
pub const GENERAL: &str = "General options";

/// How to run a script or a Horn problem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = GENERAL))]
pub struct RunOptions {
    /// The input; a file may also stand without this option.
    #[cfg_attr(feature = "clap", arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath,
               hide_short_help = true))]
    pub input: Option<PathBuf>,
    /// Answer unknown once the run has taken this long.
    #[cfg_attr(feature = "clap", arg(short, long, value_name = "SECONDS", value_parser = parse_seconds,
               allow_negative_numbers = true, overrides_with = "timeout_ms"))]
    pub timeout: Option<Duration>,
    /// The same in milliseconds.
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", overrides_with = "timeout", hide_short_help = true)
    )]
    pub timeout_ms: Option<u64>,
    /// Answer unknown once this much memory is in use; 2G is 2000.
    #[cfg_attr(feature = "clap", arg(long, value_name = "MB", value_parser = parse_megabytes))]
    pub memory: Option<usize>,
    /// Print statistics to standard error at the end.
    #[cfg_attr(feature = "clap", arg(long = "stats"))]
    pub statistics: bool,
    /// Exit with code 1 if an answer differs from the script's :status.
    #[cfg_attr(feature = "clap", arg(long, hide_short_help = true))]
    pub check_status: bool,
    /// Go on after a mistake in the script, as continued-execution of SMT-LIB; the exit code is 1 at the end.
    #[cfg_attr(feature = "clap", arg(long, hide_short_help = true))]
    pub continued_execution: bool,
    /// Write all queries as scripts: to files in this folder; for shem smt to this file.
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath,
               hide_short_help = true))]
    pub dump_queries: Option<PathBuf>,
    /// How long each check may take, unless the script sets a limit.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub check_time: Option<Duration>,
    /// Who sits at the other end.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub terminal: Terminal,
}

/// What is a terminal of input and output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminal {
    /// Whether commands are typed at a terminal.
    pub input: bool,
    /// Whether answers go to one.
    pub output: bool,
    /// Whether messages go to one.
    pub error: bool,
}

impl Terminal {
    /// Whether somebody sees answers and messages at once, so that a mistake need not be told twice.
    pub fn shows_all(self) -> bool {
        self.output && self.error
    }
}

impl RunOptions {
    /// Whether a script goes on after a mistake.
    pub fn goes_on(&self) -> bool {
        // Whoever types commands wants to correct them.
        self.continued_execution || self.terminal.input
    }

    /// The time for the whole run.
    pub fn time(&self) -> Option<Duration> {
        self.timeout.or(self.timeout_ms.map(Duration::from_millis))
    }
}

/// A number of megabytes, in bytes.
pub fn parse_megabytes(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.strip_suffix(['G', 'g']) {
        Some(digits) => (digits, 1000 * MEGABYTE),
        None => (text.strip_suffix(['M', 'm']).unwrap_or(text), MEGABYTE),
    };
    let number: Result<usize, _> = digits.parse();
    number
        .map(|number| number.saturating_mul(unit))
        .map_err(|_| format!("{text} is not a number of megabytes, such as 500 or 2G"))
}

/// A time in seconds.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| format!("{text} is not a number of seconds"))
}
