//! What a caller may ask for.

use std::path::PathBuf;
use std::time::Duration;

use shem_decide::SolveOptions;

/// How derivations are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProofFormat {
    /// One line for each fact, with the numbers of its premises.
    #[default]
    Legacy,
    /// Four lines for each fact: the clause with the values of its variables, the instance, the implication
    /// between facts, the fact.
    Intermediate,
}

/// A stage of a graph on its way to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// As read.
    Read,
    /// After the passes.
    Preprocessed,
}

/// How the command line runs a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How to decide the systems; whether a witness is needed follows from the other options and the script.
    pub solve: SolveOptions,
    /// How many cores may be busy; all that there are if nothing is said.
    pub jobs: Option<usize>,
    /// The options that concern engines as they were typed, for the processes of a portfolio.
    pub engine_words: Vec<String>,
    /// Work for the process with this number: write a report for it, and end when it ends.
    pub worker: Option<u32>,
    /// As a worker: so many bytes of standard input are the problem, and what follows is what other workers have
    /// learnt.
    pub exchange: Option<u64>,
    /// Answer only the check of this number, from 1.
    pub check: Option<u64>,
    /// Print a witness after each verdict.
    pub print_witness: bool,
    /// Build a witness without printing it; `Some(false)` leaves `get-model` without an answer, too.
    pub compute_witness: Option<bool>,
    /// Check the witness, and say so.
    pub validate: bool,
    /// How derivations are printed.
    pub proof_format: ProofFormat,
    /// How much is told on standard error.
    pub verbosity: u64,
    /// Time for the whole run.
    pub timeout: Option<Duration>,
    /// Memory for the whole run, in bytes.
    pub memory: Option<usize>,
    /// Print statistics on standard error at the end.
    pub statistics: bool,
    /// Answer with one object of JSON.
    pub json: bool,
    /// Exit with code 1 if an answer differs from the `:status` that the script gives.
    pub check_status: bool,
    /// Print the graph of the first system at this stage, and end.
    pub dump_graph: Option<Stage>,
    /// Write the queries of the engine's solvers to files in this folder.
    pub dump_queries: Option<PathBuf>,
}

impl Options {
    /// How many cores may be busy.
    pub fn jobs(&self) -> usize {
        self.jobs.unwrap_or_else(shem_decide::cores)
    }
}
