//! How files are run by `shem bench`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// The heading of these options in the help.
pub(crate) const BENCH: &str = "Many files (shem bench)";

/// How files are run by `shem bench`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = BENCH)]
#[group(skip)]
pub struct Options {
    /// Keep the results in this file; what it has already is not run again.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub csv: Option<PathBuf>,
    /// Take the right answers from this file, with lines FILE,ANSWER, and not only from :status.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub expected: Option<PathBuf>,
    /// Draw how many problems each engine solves within which time, as SVG.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub plot: Option<PathBuf>,
}
