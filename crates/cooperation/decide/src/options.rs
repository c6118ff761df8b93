//! How to decide a system.

use std::time::Duration;

use shem_engine::EngineChoice;
use shem_exchange::{Address, Share};
use shem_transform::DisabledPasses;

use crate::entry::Entry;
use crate::parts::Division;

/// Who decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Engines {
    /// Those that suit the problem: the default strategy.
    #[default]
    Strategy,
    /// The engine that [`SolveOptions`] name, in this process.
    One,
    /// These, side by side.
    Mix(Vec<Entry>),
}

/// How much is checked before an answer is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checking {
    /// Nothing, unless the witness is part of the answer.
    Trust,
    /// The witness or a certificate, within a share of the time; an answer for which neither is to be had says so.
    #[default]
    Share,
    /// The same in all the time that there is; an answer that could not be checked is withheld.
    Require,
}

/// How to decide a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolveOptions {
    /// Who decides.
    pub engines: Engines,
    /// The engine, if it is one alone, with its settings.
    pub engine: EngineChoice,
    /// The passes that are switched off.
    pub disabled_passes: DisabledPasses,
    /// How many instances of the engine work together, in threads of one process.
    pub instances: usize,
    /// What engines that work together tell each other; if that is not said, what pays: see
    /// [`Profile::share`](crate::Profile::share).
    pub share: Option<Share>,
    /// Into which parts the problem is divided, if it is.
    pub division: Option<Division>,
    /// Where instances of other processes are met.
    pub join: Option<Address>,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether answer, witness and counts depend on nothing but the problem, these options and the seed: engines take
    /// turns that are counted in steps, and so is the effort for a witness.
    pub deterministic: bool,
    /// For how many cores such a run counts time, also of one engine: one, if that is not said. The time for the verdict
    /// is virtual, too, then.
    pub virtual_cores: Option<usize>,
    /// Whether the witness is part of the answer.
    pub witness: bool,
    /// How much is checked.
    pub checking: Checking,
    /// How many cores may be busy with the check of a certificate.
    pub cores: usize,
    /// How long building and judging a witness may take, once the verdict is known.
    pub witness_budget: Duration,
    /// The time for the verdict alone; the witness has its own budget after it.
    pub verdict_time: Option<Duration>,
    /// When the caller is going to stop the run, so that judging leaves time for what comes after it.
    pub time_limit: Option<Duration>,
}

impl Default for SolveOptions {
    fn default() -> SolveOptions {
        SolveOptions {
            engines: Engines::default(),
            engine: EngineChoice::default(),
            disabled_passes: DisabledPasses::default(),
            instances: 1,
            share: None,
            division: None,
            join: None,
            seed: 0,
            deterministic: false,
            virtual_cores: None,
            witness: true,
            checking: Checking::default(),
            cores: 1,
            witness_budget: Duration::from_secs(60),
            verdict_time: None,
            time_limit: None,
        }
    }
}

impl SolveOptions {
    /// The time for the verdict that the clock counts.
    pub(crate) fn real_verdict_time(&self) -> Option<Duration> {
        self.verdict_time.filter(|_| self.virtual_cores.is_none())
    }
}
