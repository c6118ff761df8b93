//! The options that are no settings of engines, as clap reads them.
//!
//! The comment of a field is its help. Defaults are read from the structs that the options fill.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, RangedU64ValueParser, TypedValueParser};
use clap::{Arg, Args, Command, ValueHint};
use shem_exchange::Share;

use crate::horn::{ProofFormat, SolveOptions, Stage};

/// More instances than anybody has cores for.
const MOST_INSTANCES: u64 = 256;

/// The headings of the parts of the help.
pub(super) const GENERAL: &str = "General options";
pub(super) const HORN: &str = "Horn problems";
pub(super) const COOPERATION: &str = "Cooperation of engines";
pub(super) const SCRIPTS: &str = "Scripts (shem smt)";

/// Options of all jobs.
#[derive(Args)]
#[command(next_help_heading = GENERAL)]
pub(super) struct General {
    /// The input; a file may also stand without this option
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub(super) input: Option<PathBuf>,
    /// Answer unknown once the run has taken this long
    #[arg(short, long, value_name = "SECONDS", allow_negative_numbers = true, overrides_with = "timeout_ms")]
    pub(super) timeout: Option<Seconds>,
    /// The same in milliseconds
    #[arg(long, value_name = "N", overrides_with = "timeout", hide_short_help = true)]
    pub(super) timeout_ms: Option<u64>,
    /// Print statistics to standard error at the end
    #[arg(long)]
    pub(super) stats: bool,
    /// Exit with code 1 if an answer differs from the script's :status
    #[arg(long, hide_short_help = true)]
    pub(super) check_status: bool,
    /// Write all queries as scripts: to files in this folder; for shem smt to this file
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, hide_short_help = true)]
    pub(super) dump_queries: Option<PathBuf>,
}

/// Options for Horn problems.
#[derive(Args)]
#[command(next_help_heading = HORN)]
pub(super) struct Horn {
    /// Print a model after sat, a derivation after unsat
    #[arg(long)]
    pub(super) print_witness: bool,
    /// Compute a witness even if it is not printed; with =no, none unless another option needs it
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes",
          value_parser = parse_compute_witness, hide_short_help = true)]
    pub(super) compute_witness: Option<bool>,
    /// Check the witness against the clauses as read; an answer that fails is withheld
    #[arg(long)]
    pub(super) validate: bool,
    /// How derivations are printed
    #[arg(short, long, value_name = "FORMAT", hide_short_help = true,
          value_parser = Hinted::new(&["legacy", "intermediate"]).try_map(|name| parse_proof_format(&name)))]
    pub(super) proof_format: Option<ProofFormat>,
    /// Answer unknown if there is no verdict after this long; the witness has its budget on top
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, hide_short_help = true)]
    pub(super) verdict_timeout: Option<Seconds>,
    /// Time for building and checking a witness once the verdict is known
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, hide_short_help = true,
          default_value_t = Seconds(SolveOptions::default().witness_budget))]
    pub(super) witness_budget: Seconds,
    /// Answer unknown once this much memory is in use
    #[arg(long, value_name = "MB")]
    pub(super) memory: Option<u64>,
    /// The logic of constraints; it is detected, too
    #[arg(short, long, value_name = "LOGIC", value_parser = parse_logic, hide_short_help = true)]
    pub(super) logic: Option<()>,
    /// The seed of everything random; same seed, same run of an engine
    #[arg(long, value_name = "N", default_value_t = SolveOptions::default().seed, hide_short_help = true)]
    pub(super) seed: u64,
    /// Answer with one object of JSON: answer, witness, engine, times, counts
    #[arg(long)]
    pub(super) json: bool,
    /// Print the graph in DOT, and end
    #[arg(long, value_name = "STAGE", hide_short_help = true,
          value_parser = Hinted::new(&["read", "preprocessed"]).try_map(|name| parse_stage(&name)))]
    pub(super) dump_graph: Option<Stage>,
    /// Tell more on standard error; -vv tells more still
    #[arg(short, long, value_name = "N", num_args = 0..=1, require_equals = true,
          default_missing_value = "more", action = clap::ArgAction::Append)]
    pub(super) verbose: Vec<Verbosity>,
    /// Accepted for compatibility, without effect
    #[arg(short, long, hide_short_help = true)]
    pub(super) flow: bool,
    /// Answer only the check-sat with this number, counted from 1
    #[arg(long, value_name = "N", hide = true)]
    pub(super) check: Option<u64>,
    /// Write a report for the process with this number, which started this one, and end when it ends
    #[arg(long, value_name = "PID", hide = true)]
    pub(super) worker: Option<u32>,
    /// For a worker: so many bytes of standard input are the problem, what follows is what others have learnt
    #[arg(long, value_name = "BYTES", hide = true)]
    pub(super) exchange: Option<u64>,
}

/// Options for engines that work together.
#[derive(Args)]
#[command(next_help_heading = COOPERATION)]
pub(super) struct Cooperation {
    /// How many cores may be busy; several engines take turns on them [default: all that there are]
    #[arg(short, long, value_name = "N", value_parser = RangedU64ValueParser::<u64>::new().range(1..))]
    pub(super) jobs: Option<u64>,
    /// So many instances of the engine, which differ in their settings, work together
    #[arg(long, value_name = "N", default_value_t = SolveOptions::default().instances as u64,
          value_parser = RangedU64ValueParser::<u64>::new().range(1..=MOST_INSTANCES), hide_short_help = true)]
    pub(super) instances: u64,
    /// What engines that work together tell each other
    #[arg(long, value_name = "WHAT", default_value_t = SolveOptions::default().share, hide_short_help = true,
          value_parser = Hinted::new(Share::WORDS).try_map(|word| word.parse::<Share>()))]
    pub(super) share: Share,
    // A text, since clap repeats values that are wrong, and this one may have a password.
    /// Work together with all who join redis://HOST/NAME (rediss:// for TLS) for the same input
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, hide_short_help = true)]
    pub(super) join: Option<String>,
}

/// Options for scripts.
#[derive(Args)]
#[command(next_help_heading = SCRIPTS)]
pub(super) struct Scripts {
    /// Evaluate all assertions in each model
    #[arg(long, hide_short_help = true)]
    pub(super) check_models: bool,
    /// Solve each unsatisfiable core again on its own
    #[arg(long, hide_short_help = true)]
    pub(super) check_cores: bool,
    /// Have each interpolant judged by solvers of its own
    #[arg(long, hide_short_help = true)]
    pub(super) check_interpolants: bool,
    /// Answer unknown after N conflicts in a query
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) conflict_limit: Option<u64>,
    /// Answer unknown after N pivots in a query
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) pivot_limit: Option<u64>,
    /// Answer unknown after N case splits in a query
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) split_limit: Option<u64>,
}

/// A time in seconds.
#[derive(Clone, Copy)]
pub(super) struct Seconds(pub(super) Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_secs_f64().fmt(f)
    }
}

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seconds, String> {
        let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        time.map(Seconds).ok_or_else(|| format!("{text} is not a number of seconds"))
    }
}

/// What one occurrence of `--verbose` says.
#[derive(Clone, Copy)]
pub(super) enum Verbosity {
    More,
    Level(u64),
}

impl FromStr for Verbosity {
    type Err = String;

    fn from_str(text: &str) -> Result<Verbosity, String> {
        match text {
            "more" => Ok(Verbosity::More),
            level => level
                .parse()
                .map(Verbosity::Level)
                .map_err(|_| format!("--verbose takes a number, not {level}")),
        }
    }
}

/// Reads any text, and tells help and completions of the values that it may be: what is wrong with others is said
/// by whoever takes the text.
#[derive(Clone)]
pub(super) struct Hinted(Vec<&'static str>);

impl Hinted {
    pub(super) fn new(words: &[&'static str]) -> Hinted {
        Hinted(words.to_vec())
    }
}

impl TypedValueParser for Hinted {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}

fn parse_compute_witness(text: &str) -> Result<bool, String> {
    match text {
        "yes" | "true" | "enable" => Ok(true),
        "no" | "false" | "disable" => Ok(false),
        _ => Err(format!("--compute-witness takes yes or no, not {text}")),
    }
}

fn parse_proof_format(name: &str) -> Result<ProofFormat, String> {
    match name {
        "legacy" => Ok(ProofFormat::Legacy),
        "intermediate" => Ok(ProofFormat::Intermediate),
        "alethe" => Err("the proof format alethe is not there yet".to_owned()),
        _ => Err(format!("there is no proof format {name}; formats: legacy, intermediate")),
    }
}

fn parse_stage(name: &str) -> Result<Stage, String> {
    match name {
        "read" => Ok(Stage::Read),
        "preprocessed" => Ok(Stage::Preprocessed),
        _ => Err(format!("there is no stage {name} of the graph; stages: read, preprocessed")),
    }
}

fn parse_logic(name: &str) -> Result<(), String> {
    match name {
        "HORN" | "ALL" | "QF_LIA" | "QF_LRA" | "QF_LIRA" | "QF_IDL" | "QF_RDL" | "QF_BOOL" | "LIA"
        | "LRA" | "LIRA" => Ok(()),
        _ => Err(format!("the logic {name} is not supported; QF_LIA, QF_LRA and QF_LIRA are")),
    }
}
