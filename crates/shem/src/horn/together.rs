//! A system decided by several engines, each in a process of its own.
//!
//! Preprocessing comes first and in this process: what it decides needs no engine, and what is left says which
//! engines to start. A worker is this very program, with the words of its entry and those that make it a worker
//! (`worker.rs`).

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use shem_base::{Budget, StopToken, UnknownReason};
use shem_chc::System;
use shem_decide::{Entry, Job, Observer, Outcome, Profile, entries_for};
use shem_engine::{EngineDescription, Events, NoEvents, Progress, Reason, Registry};
use shem_exchange::Share;
use shem_term::Store;

use super::answer::{Answer, Checked, Verdict, Witness};
use super::decide::{PREPROCESSING, Prepared, Purpose, conclude, prepare};
use super::options::{Engines, Options, SolveOptions};
use super::reason::{Fault, NoWitness, Undecided};
use crate::guard::{Board, MEGABYTE};
use crate::memory;

/// The least memory for a worker, in bytes; with less none can even read.
const LEAST_SHARE: usize = 4 * MEGABYTE;

/// What the workers have to read.
pub(super) struct Text<'a> {
    pub(super) bytes: &'a Arc<Vec<u8>>,
    /// The number of the check, from 1.
    pub(super) check: u64,
}

/// Shows what happens in a portfolio.
pub(super) struct Screen<'a> {
    pub(super) board: Board,
    pub(super) err: &'a mut dyn Write,
}

impl Observer for Screen<'_> {
    fn progress(&mut self, entry: &Entry, depth: u64, lemmas: u64) {
        self.board.name(name_of(entry));
        self.board.progress(Progress { depth, lemmas });
    }

    fn warning(&mut self, words: &str) {
        self.board.clear();
        let _ = writeln!(self.err, "shem: warning: {words}");
    }
}

/// The engine's name in this program.
fn name_of(entry: &Entry) -> &'static str {
    Registry::standard().engine(entry.engine()).map_or("portfolio", |engine| engine.name)
}

/// The number of cores to use.
pub(super) fn jobs(options: &Options) -> usize {
    options.jobs.unwrap_or_else(shem_decide::cores)
}

/// The entries for a system after preprocessing.
pub(super) fn entries(options: &Options, prepared: &Prepared) -> Vec<Entry> {
    match &options.engines {
        Engines::Mix(entries) => entries.clone(),
        _ => entries_for(&Profile::of(&prepared.preprocessed.graph, jobs(options))),
    }
}

/// Decides a system by a portfolio.
pub(super) fn decide_together(
    store: &mut Store,
    system: &System,
    options: &Options,
    solve: &SolveOptions,
    text: &Text<'_>,
    stop: &StopToken,
    screen: &mut Screen<'_>,
) -> Result<Answer, Fault> {
    let prepared = prepare(store, system, solve, stop);
    let budget = Budget::until(stop.clone());
    if let Some(outcome) = prepared.decision(store, &budget) {
        let found = (PREPROCESSING, outcome);
        return conclude(store, system, solve, Purpose::Answer, stop, prepared, found, &mut NoEvents);
    }
    let mut entries = entries(options, &prepared);
    if let Some(folder) = &options.dump_queries {
        separate_dumps(&mut entries, folder);
    }
    let Prepared { preprocessed, shape_read, shape, mut statistics } = prepared;
    drop(preprocessed);
    let exchange = exchange(solve, &entries);
    let mut words = words(options, solve, text.check, share(options, entries.len()));
    if let Some(share) = exchange {
        words.push(format!("--exchange={}", text.bytes.len()).into());
        words.push(format!("--share={share}").into());
    }
    let job = Job {
        program: program(),
        words,
        entries,
        text: Arc::clone(text.bytes),
        check: text.check,
        exchange: exchange.is_some(),
        jobs: jobs(options),
        witness_budget: solve.witness_budget,
    };
    let decision = shem_decide::run(&job, store, system, stop, screen).map_err(Fault::Contradiction)?;
    // What the winner did again, reading and preprocessing, is not counted twice.
    decision.statistics.iter().for_each(|(name, figure)| statistics.set(name, figure));
    let (verdict, engine, checked) = match decision.outcome {
        Outcome::Sat(entry, model) => {
            let (witness, checked) = shown(model, solve.witness);
            (Verdict::Sat(witness), name_of(&entry), checked)
        }
        Outcome::Unsat(entry, derivation) => {
            let (witness, checked) = shown(derivation, solve.witness);
            (Verdict::Unsat(witness), name_of(&entry), checked)
        }
        Outcome::Stopped => {
            let reason = Reason::Limit(UnknownReason::Stopped);
            (Verdict::Unknown(reason.into()), "portfolio", Checked::Nothing)
        }
        Outcome::Unknown(words) => {
            (Verdict::Unknown(Undecided::Reported(words)), "portfolio", Checked::Nothing)
        }
    };
    Ok(Answer { verdict, engine, checked, shape_read, shape, statistics, warnings: Vec::new() })
}

/// The witness for the answer, and what was checked.
fn shown<W>(witness: Option<W>, wanted: bool) -> (Witness<W>, Checked) {
    match (witness, wanted) {
        (Some(witness), true) => (Witness::Found(witness), Checked::Witness),
        (Some(_), false) => (Witness::Unwanted, Checked::Witness),
        (None, true) => (Witness::Missing(NoWitness::CertificateInstead), Checked::Certificate),
        (None, false) => (Witness::Unwanted, Checked::Certificate),
    }
}

/// This program.
fn program() -> PathBuf {
    // A program that was replaced while it runs is still to be had by this name.
    let itself = PathBuf::from("/proc/self/exe");
    if itself.exists() { itself } else { std::env::current_exe().unwrap_or_else(|_| "shem".into()) }
}

/// What workers tell each other, if they do. Lemmas that count steps are of use only to engines that count the same
/// steps.
fn exchange(solve: &SolveOptions, entries: &[Entry]) -> Option<Share> {
    if solve.share.is_none() || entries.len() < 2 {
        return None;
    }
    let registry = Registry::standard();
    let engines: Vec<&EngineDescription> =
        entries.iter().filter_map(|entry| registry.engine(entry.engine()).ok()).collect();
    let related = |(i, one): (usize, &&EngineDescription)| {
        engines[..i].iter().any(|other| one.shares_steps_with(other))
    };
    Some(if engines.iter().enumerate().any(related) { solve.share } else { Share::INVARIANTS })
}

/// The memory of one worker, in bytes.
fn share(options: &Options, workers: usize) -> Option<usize> {
    let all = match options.memory {
        Some(limit) => Some(limit),
        None => shem_decide::memory().and_then(|bytes| usize::try_from(bytes).ok()),
    };
    let left = all?.saturating_sub(memory::used());
    Some((left / workers.max(1)).max(LEAST_SHARE))
}

/// The words that all workers have.
fn words(options: &Options, solve: &SolveOptions, check: u64, share: Option<usize>) -> Vec<OsString> {
    let mut words = vec![
        format!("--worker={}", std::process::id()),
        format!("--check={check}"),
        format!("--witness-budget={}", solve.witness_budget.as_secs_f64()),
        format!("--compute-witness={}", if solve.witness { "yes" } else { "no" }),
    ];
    words.extend(solve.verdict_time.map(|time| format!("--verdict-timeout={}", time.as_secs_f64())));
    words.extend(share.map(|bytes| format!("--memory={}", bytes / MEGABYTE)));
    words.extend(options.engine_words.iter().cloned());
    words.into_iter().map(OsString::from).collect()
}

/// Each worker writes its queries to a folder of its own.
fn separate_dumps(entries: &mut [Entry], folder: &std::path::Path) {
    for (i, entry) in entries.iter_mut().enumerate() {
        let path = folder.join(format!("{i}-{}", entry.engine()));
        let words = ["--dump-queries".to_owned(), path.to_string_lossy().into_owned()];
        *entry = entry.clone().with(words);
    }
}
