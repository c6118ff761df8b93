//! How the command line decides the systems of a script.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use shem_decide::{Checking, SolveOptions};
use shem_script::options::RunOptions;

use crate::dialect::Dialect;

/// The headings of these options in the help.
pub(crate) const HORN: &str = "Horn problems";
pub(crate) const COOPERATION: &str = "Cooperation of engines";

/// How derivations are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProofFormat {
    /// One line for each fact, with the numbers of its premises.
    #[default]
    Legacy,
    /// Four lines for each fact: the clause with the values of its variables, the instance, the implication
    /// between facts, the fact.
    Intermediate,
    /// A proof for the checker Carcara, from the assertions as they stand in the input to the empty clause.
    Alethe,
}

/// A stage of a graph on its way to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// As read.
    Read,
    /// After the passes.
    Preprocessed,
}

/// How the command line runs a script.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = HORN)]
#[group(skip)]
pub struct Options {
    /// Print a model after sat, a derivation after unsat.
    #[arg(long)]
    pub print_witness: bool,
    /// Compute a witness even if it is not printed; with =no, none unless another option needs it.
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes",
          value_parser = parse_compute_witness, hide_short_help = true)]
    pub compute_witness: Option<bool>,
    /// Withhold an answer unless its witness or a certificate was checked, and say which.
    #[arg(long)]
    pub validate: bool,
    /// Check nothing before the answer is given, unless a witness is printed.
    #[arg(long, conflicts_with = "validate")]
    pub trust: bool,
    /// How derivations are printed.
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_short_help = true)]
    pub proof_format: ProofFormat,
    /// Write each step of a repetition, in derivations of at most this many steps [default: 1000000 in legacy, none in
    /// intermediate].
    #[arg(long, value_name = "STEPS", hide_short_help = true)]
    pub expand_derivation: Option<u64>,
    /// After sat, write the model, and for each clause a problem with a proof in Alethe that it holds, into this folder. Of
    /// a circuit, write the circuit with a stronger property, which one step of induction shows.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, hide_short_help = true)]
    pub print_certificate: Option<PathBuf>,
    /// Write a page of HTML about the answer: graph, invariants or counterexample, time line of the engines.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
    /// Print witnesses as they were found, not smaller models and shorter derivations.
    #[arg(long, hide_short_help = true)]
    pub no_pruning: bool,
    /// Print a derivation with the fewest steps, and say whether it is one: looked for as long as --witness-budget allows.
    #[arg(long, conflicts_with = "no_pruning", hide_short_help = true)]
    pub shortest: bool,
    /// Answer with one object of JSON: answer, witness, engine, times, counts.
    #[arg(long)]
    pub json: bool,
    /// Print the graph of the first system in DOT, and end.
    #[arg(long, value_name = "STAGE", value_enum, hide_short_help = true)]
    pub dump_graph: Option<Stage>,
    /// Answer YES, NO or MAYBE: whether all runs of the clauses or of the transition system end. With --print-witness the
    /// ranking functions or the infinite run are printed, too. Files in .ari always ask for this.
    #[arg(long)]
    pub terminates: bool,
    /// Of a VMT file, answer only the property with this number.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub property: Option<u64>,
    /// Of a VMT file, answer whether all infinite runs satisfy this formula of linear temporal logic, instead of its properties:
    /// G (p -> F (> x 0)), with names and terms of the file. May be given several times.
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["terminates", "property"], hide_short_help = true)]
    pub ltl: Vec<String>,
    /// Show a live property of a VMT file with infinitely many states by showing that its formula fails at most this
    /// many times on any run.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub live_bound: Option<u64>,
    /// How many cores may be busy; several engines take turns on them [default: all that there are]. Of shem smt: how many
    /// solvers share a query that takes long [default: 1].
    #[arg(short, long, value_name = "N", value_parser = parse_jobs, help_heading = COOPERATION)]
    pub jobs: Option<NonZeroUsize>,
    /// How much is told on standard error.
    #[arg(skip)]
    pub verbosity: u64,
    /// How to decide the systems; whether a witness is needed follows from the other options and the script.
    #[arg(skip)]
    pub solve: SolveOptions,
    /// Print a model after sat, and nothing after unsat.
    #[arg(skip)]
    pub print_model: bool,
    /// Whose words are spoken.
    #[arg(skip)]
    pub dialect: Dialect,
    /// The options that concern engines as they were typed, for the processes of a portfolio.
    #[arg(skip)]
    pub engine_words: Vec<String>,
    /// What scripts have, too.
    #[arg(skip)]
    pub run: RunOptions,
}

impl Options {
    /// How much is checked.
    pub(crate) fn checking(&self) -> Checking {
        match (self.trust, self.validate) {
            (true, _) => Checking::Trust,
            (false, true) => Checking::Require,
            (false, false) => Checking::Share,
        }
    }

    /// How many cores may be busy.
    pub fn jobs(&self) -> usize {
        self.jobs.map_or_else(shem_decide::cores, NonZeroUsize::get)
    }
}

fn parse_compute_witness(text: &str) -> Result<bool, String> {
    match text {
        "yes" | "true" | "enable" => Ok(true),
        "no" | "false" | "disable" => Ok(false),
        _ => Err(format!("--compute-witness takes yes or no, not {text}")),
    }
}

fn parse_jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| format!("{text} is not a number of cores; the least is 1"))
}
