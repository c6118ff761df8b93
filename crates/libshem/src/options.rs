//! How to decide a problem.

use std::ffi::OsString;
use std::time::Duration;

use shem_base::StopToken;
use shem_decide::{Engines, SolveOptions};
use shem_engine::{EngineChoice, Registry, UnknownEngine};
use shem_transform::DisabledPasses;

use crate::limits::Limits;

/// How to decide a problem. The default is the default strategy, without limits, with a validated witness.
///
/// ```
/// use std::time::Duration;
/// use libshem::{Limits, Options};
///
/// let limits = Limits { time: Some(Duration::from_secs(10)), memory: Some(2_000_000_000) };
/// let mut options = Options { limits, ..Options::by_engine("spacer")? };
/// options.engine.as_mut().unwrap().set("spacer.clauses", "no")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The engine that is to decide, in the thread of the caller. `None` is the default strategy: engines that suit
    /// the problem, each in a thread of its own, of which the first one wins whose verdict was checked.
    pub engine: Option<EngineChoice>,
    /// How the default strategy starts its engines in processes, for a problem that was read from text. Without this, and
    /// for problems that were built by calls, they run in threads.
    pub workers: Option<Workers>,
    /// The passes that are not to be run before the engines.
    pub disabled_passes: DisabledPasses,
    /// When to give up.
    pub limits: Limits,
    /// Ends the search when it is stopped from another thread. Clones are stopped together, and for good.
    pub stop: StopToken,
    /// The seed of everything random. It fixes the run of one engine; the default strategy depends on timing unless
    /// [`deterministic`](Options::deterministic) is set.
    pub seed: u64,
    /// Whether the default strategy, too, depends on nothing but the problem, these options and the seed: its engines
    /// take turns that are counted in work done. A limit of time that is reached still ends the run.
    pub deterministic: bool,
    /// Whether the witness is part of the answer. It is judged in any case, or else a certificate of the engine, within a
    /// share of the time; [`Answer::checked`](crate::Answer::checked) says what was done.
    pub witness: bool,
    /// How long building and validating a witness may take once the verdict is known, within the limits.
    pub witness_time: Duration,
}

/// Engines in processes of their own: they take turns by their weights, each has its share of the memory, and one that
/// fails takes nothing with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workers {
    /// A program with its first arguments that hands the rest of them to [`run_worker`](crate::run_worker), as the program
    /// `shem` does.
    pub program: Vec<OsString>,
    /// How many cores may be busy.
    pub jobs: usize,
}

impl Default for Options {
    fn default() -> Options {
        let SolveOptions { seed, deterministic, witness, witness_budget, .. } = SolveOptions::default();
        Options {
            engine: None,
            workers: None,
            disabled_passes: DisabledPasses::default(),
            limits: Limits::default(),
            stop: StopToken::new(),
            seed,
            deterministic,
            witness,
            witness_time: witness_budget,
        }
    }
}

impl Options {
    /// The engine with this name, with its default settings. The names are those of [`Registry::names`].
    pub fn by_engine(name: &str) -> Result<Options, UnknownEngine> {
        let engine = Some(Registry::standard().choose(name)?);
        Ok(Options { engine, ..Options::default() })
    }

    /// What engines in processes of their own have to know of these options, as settings.
    pub(crate) fn engine_words(&self) -> Vec<String> {
        let passes = self.disabled_passes.names().map(|name| format!("--disable-pass={name}"));
        passes.chain([format!("--seed={}", self.seed)]).collect()
    }

    /// The same for the crate that decides.
    pub(crate) fn solve_options(&self) -> SolveOptions {
        SolveOptions {
            engines: if self.engine.is_some() { Engines::One } else { Engines::Strategy },
            engine: self.engine.clone().unwrap_or_default(),
            disabled_passes: self.disabled_passes.clone(),
            seed: self.seed,
            deterministic: self.deterministic,
            witness: self.witness,
            time_limit: self.limits.time,
            witness_budget: self.witness_time,
            ..SolveOptions::default()
        }
    }
}
