//! How workers are started: mostly this program, with the arguments that make it a worker and those of its entry.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use shem_chc::Fingerprint;
use shem_engine::{EngineDescription, Registry};
use shem_exchange::Share;

use crate::entry::Entry;
use crate::options::{Checking, SolveOptions};
use crate::reason::MEGABYTE;
use crate::runner::Job;

/// The least memory for a worker, in bytes; with less it could not even read the problem.
const LEAST_MEMORY: usize = 4 * MEGABYTE;

/// What is needed to start workers.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program that workers run, with its first arguments: one that takes the options of `shem`.
    pub program: Vec<OsString>,
    /// The text of the problem.
    pub text: Arc<Vec<u8>>,
    /// The number of the check in the text, from 1.
    pub check: u64,
    /// The options that concern engines, as they were typed.
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
        mut entries: Vec<Entry>,
        options: &SolveOptions,
        exchange: Option<(Share, Fingerprint)>,
        joined: bool,
        started: Instant,
    ) -> Job {
        if let Some(folder) = &self.queries {
            separate_queries(&mut entries, folder);
        }
        let exchange = exchange.and_then(|(share, about)| Some((shared(share, &entries, joined)?, about)));
        let mut program = self.program.iter().cloned();
        let (program, mut words) = (program.next().unwrap_or_default().into(), program.collect::<Vec<_>>());
        words.extend(self.common_words(options));
        if let Some((share, about)) = exchange {
            words.push(format!("--about={about}").into());
            words.push(format!("--share={share}").into());
        }
        Job {
            program,
            words,
            entries,
            exchange: exchange.is_some(),
            jobs: self.jobs,
            trusts: options.checking == Checking::Trust && !options.witness,
            memory: self.memory,
            deadline: options.time_limit.and_then(|limit| started.checked_add(limit)),
        }
    }

    /// The arguments that all workers have. Each may use all the memory that there is: the process that has started them
    /// sees to it that they do not use more together.
    fn common_words(&self, options: &SolveOptions) -> Vec<OsString> {
        let memory = self.memory.map(|bytes| bytes.max(LEAST_MEMORY));
        let mut words = vec![
            format!("--worker={}", std::process::id()),
            format!("--jobs={}", self.jobs),
            format!("--witness-budget={}", options.witness_budget.as_secs_f64()),
            format!("--compute-witness={}", if options.witness { "yes" } else { "no" }),
        ];
        let checking = match options.checking {
            Checking::Trust => Some("--trust"),
            Checking::Share => None,
            Checking::Require => Some("--validate"),
        };
        words.extend(checking.map(str::to_owned));
        words.extend(options.verdict_time.map(|time| format!("--verdict-timeout={}", time.as_secs_f64())));
        words.extend(memory.map(|bytes| format!("--memory={}", bytes / MEGABYTE)));
        let limit = self.memory_limit.or(self.memory);
        words.extend(limit.map(|bytes| format!("--memory-of-all={}", bytes / MEGABYTE)));
        words.extend(self.words.iter().cloned());
        words.into_iter().map(OsString::from).collect()
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
fn shared(wanted: Share, entries: &[Entry], joined: bool) -> Option<Share> {
    if wanted.is_none() || (entries.len() < 2 && !joined) {
        return None;
    }
    let registry = Registry::standard();
    let engines: Vec<&EngineDescription> =
        entries.iter().filter_map(|entry| registry.engine(entry.engine()).ok()).collect();
    let related = |(i, one): (usize, &&EngineDescription)| {
        engines[..i].iter().any(|other| one.shares_steps_with(other))
    };
    Some(if joined || engines.iter().enumerate().any(related) { wanted } else { Share::INVARIANTS })
}

/// Each worker writes its queries to a folder of its own.
fn separate_queries(entries: &mut [Entry], folder: &Path) {
    for (i, entry) in entries.iter_mut().enumerate() {
        let path = folder.join(format!("{i}-{}", entry.engine()));
        let words = ["--dump-queries".to_owned(), path.to_string_lossy().into_owned()];
        *entry = entry.clone().with(words);
    }
}
