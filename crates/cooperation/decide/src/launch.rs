//! How workers are started: mostly this program, with the words that make it a worker ([`Assignment`]).

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use shem_chc::Fingerprint;
use shem_engine::{EngineDescription, Registry};
use shem_exchange::Share;

use crate::assignment::Assignment;
use crate::entry::Entry;
use crate::options::{Checking, SolveOptions};
use crate::reason::MEGABYTE;
use crate::runner::Job;

/// The least memory for a worker, in bytes; with less it could not even read the problem.
const LEAST_MEMORY: usize = 4 * MEGABYTE;

/// What is needed to start workers.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program that workers run, with its first arguments: one that hands the rest of them to
    /// [`run_worker`](crate::run_worker).
    pub program: Vec<OsString>,
    /// The text of the problem.
    pub text: Arc<Vec<u8>>,
    /// The number of the check in the text, from 1.
    pub check: u64,
    /// Settings of all entries, as words of the form `--NAME=VALUE`.
    pub words: Vec<String>,
    /// How many cores may be busy.
    pub jobs: usize,
    /// The bytes of memory that all workers together may use.
    pub memory: Option<usize>,
    /// The limit that the user has set for all processes together, for messages.
    pub memory_limit: Option<usize>,
    /// Where workers write their queries, each in a folder of its own.
    pub queries: Option<PathBuf>,
}

impl Launch {
    /// The job of running these entries. Workers exchange what they learn among each other and with other processes,
    /// if there are any.
    pub fn job(
        &self,
        entries: Vec<Entry>,
        options: &SolveOptions,
        exchange: Option<(Share, Fingerprint)>,
        joined: bool,
        started: Instant,
    ) -> Job {
        let exchange = exchange.and_then(|(share, about)| Some((shared(share, &entries, joined)?, about)));
        // Each may use all the memory that there is: this process sees to it that they do not use more together.
        let memory = self.memory.map(|bytes| {
            let all = self.memory_limit.unwrap_or(bytes);
            (bytes.max(LEAST_MEMORY) / MEGABYTE, all / MEGABYTE)
        });
        let common = Entry::new("", self.words.iter().cloned());
        let queries = self.queries.clone();
        Job {
            program: self.program.clone(),
            common: Assignment { exchange, memory, queries, ..Assignment::new(common, options) },
            entries,
            jobs: self.jobs,
            trusts: options.checking == Checking::Trust && !options.witness,
            memory: self.memory,
            deadline: options.time_limit.and_then(|limit| started.checked_add(limit)),
        }
    }
}

/// This program, for [`Launch::program`].
pub fn this_program() -> Vec<OsString> {
    // A program that was replaced while it runs is still to be had by this name.
    let itself = PathBuf::from("/proc/self/exe");
    let path =
        if itself.exists() { itself } else { std::env::current_exe().unwrap_or_else(|_| "shem".into()) };
    vec![path.into()]
}

/// What workers tell each other, if they do. Lemmas that count steps are of use only to engines that count the same
/// steps; of other processes this is not known.
pub(crate) fn shared(wanted: Share, entries: &[Entry], joined: bool) -> Option<Share> {
    if wanted.is_none() || (entries.len() < 2 && !joined) {
        return None;
    }
    let registry = Registry::standard();
    let engines: Vec<&EngineDescription> =
        entries.iter().filter_map(|entry| registry.engine(entry.engine()).ok()).collect();
    let related = |(i, one): (usize, &&EngineDescription)| {
        engines[..i].iter().any(|other| one.shares_steps_with(other))
    };
    let steps = joined || engines.iter().enumerate().any(related);
    let share = if steps { wanted } else { Share { invariants: wanted.invariants, ..Share::NONE } };
    (!share.is_none()).then_some(share)
}
