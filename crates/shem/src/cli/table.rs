//! The table of options.
//!
//! Every option is a row: its names, its value, its help and what it does to the settings. Parsing, the help
//! text, the manual page and the completions of shells all come from this table.

use std::path::PathBuf;
use std::time::Duration;

use shem_decide::{Entry, MEGABYTE};
use shem_engine::Registry;
use shem_exchange::Share;

use super::arguments::check_entry;
use crate::{horn, smt};

/// More instances than anybody has cores for.
const MOST_INSTANCES: usize = 256;

/// What was set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// How to run scripts.
    pub smt: smt::Options,
    /// How to decide Horn problems.
    pub horn: horn::Options,
    /// The input, if an option names it.
    pub input: Option<PathBuf>,
}

/// What an option does.
pub(super) enum Effect {
    Help,
    Version,
    Flag(fn(&mut Settings)),
    Number(fn(&mut Settings, u64)),
    Seconds(fn(&mut Settings, Duration)),
    File(fn(&mut Settings, PathBuf)),
    Word(fn(&mut Settings, &str) -> Result<(), String>),
    /// A value that may be missing and otherwise stands behind an equals sign.
    Optional(fn(&mut Settings, Option<&str>) -> Result<(), String>),
}

/// Which jobs an option belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Horn problems: the main job.
    Horn,
    /// Scripts: `shem smt`.
    Smt,
    Both,
}

/// An option: a row of the table.
pub(super) struct OptionRow {
    pub(super) short: Option<char>,
    pub(super) long: &'static str,
    /// How the help calls the value; empty if there is none.
    pub(super) value: &'static str,
    /// The values that there are, for completions; empty if any will do.
    pub(super) choices: &'static [&'static str],
    pub(super) scope: Scope,
    /// Whether it concerns engines: it may stand in a mix, and is handed on to workers.
    pub(super) setting: bool,
    pub(super) help: &'static str,
    pub(super) effect: Effect,
}

impl OptionRow {
    /// The names with the value, as help and manual show them.
    pub(super) fn usage(&self) -> String {
        let short = self.short.map_or("    ".to_owned(), |short| format!("-{short}, "));
        let value = match (&self.effect, self.value) {
            (_, "") => String::new(),
            (Effect::Optional(_), value) => format!("[={value}]"),
            (_, value) => format!(" {value}"),
        };
        format!("{short}--{}{value}", self.long)
    }

    /// Whether a value follows as a word of its own.
    pub(super) fn takes_word(&self) -> bool {
        !matches!(self.effect, Effect::Help | Effect::Version | Effect::Flag(_) | Effect::Optional(_))
    }
}

/// A row without a short name and without choices.
const fn row(
    scope: Scope,
    long: &'static str,
    value: &'static str,
    help: &'static str,
    effect: Effect,
) -> OptionRow {
    OptionRow { short: None, long, value, choices: &[], scope, setting: false, help, effect }
}

/// A row for a setting of engines, which a portfolio hands on to its workers.
const fn setting(long: &'static str, value: &'static str, help: &'static str, effect: Effect) -> OptionRow {
    OptionRow { setting: true, ..row(Scope::Horn, long, value, help, effect) }
}

const fn short(short: char, row: OptionRow) -> OptionRow {
    OptionRow { short: Some(short), ..row }
}

const fn choices(choices: &'static [&'static str], row: OptionRow) -> OptionRow {
    OptionRow { choices, ..row }
}

pub(super) static TABLE: &[OptionRow] = &[
    short(
        'e',
        choices(
            &[],
            row(
                Scope::Horn,
                "engine",
                "NAME,…",
                "the engine that decides, see the list below, or several with their settings: \"a, b --x 1\"; \
                 without this option engines are chosen that suit the problem",
                Effect::Word(|s, text| {
                    if text.contains([',', ' ']) {
                        let entries = Entry::mix(text)?;
                        entries.iter().try_for_each(check_entry)?;
                        s.horn.solve.engines = horn::Engines::Mix(entries);
                    } else {
                        s.horn.solve.engine =
                            Registry::standard().choose(text).map_err(|error| error.to_string())?;
                        s.horn.solve.engines = horn::Engines::One;
                    }
                    Ok(())
                }),
            ),
        ),
    ),
    short(
        'j',
        row(
            Scope::Horn,
            "jobs",
            "N",
            "how many cores may be busy; several engines take turns on them [all that there are]",
            Effect::Number(|s, jobs| {
                s.horn.jobs = Some(usize::try_from(jobs).unwrap_or(usize::MAX).max(1));
            }),
        ),
    ),
    short(
        'i',
        row(
            Scope::Both,
            "input",
            "FILE",
            "the input; a file may also stand without this option",
            Effect::File(|s, file| {
                s.input = Some(file);
            }),
        ),
    ),
    row(
        Scope::Horn,
        "print-witness",
        "",
        "print a model after sat, a derivation after unsat",
        Effect::Flag(|s| {
            s.horn.print_witness = true;
        }),
    ),
    choices(
        &["yes", "no"],
        row(
            Scope::Horn,
            "compute-witness",
            "no",
            "compute a witness even if it is not printed; with =no, none unless another option needs it",
            Effect::Optional(|s, value| {
                s.horn.compute_witness = Some(match value {
                    None | Some("yes" | "true" | "enable") => true,
                    Some("no" | "false" | "disable") => false,
                    Some(other) => return Err(format!("--compute-witness takes yes or no, not {other}")),
                });
                Ok(())
            }),
        ),
    ),
    row(
        Scope::Horn,
        "validate",
        "",
        "check the witness against the clauses as read; an answer that fails is withheld",
        Effect::Flag(|s| s.horn.validate = true),
    ),
    short(
        'p',
        choices(
            &["legacy", "intermediate"],
            row(
                Scope::Horn,
                "proof-format",
                "FORMAT",
                "how derivations are printed: legacy or intermediate",
                Effect::Word(|s, name| {
                    s.horn.proof_format = match name {
                        "legacy" => horn::ProofFormat::Legacy,
                        "intermediate" => horn::ProofFormat::Intermediate,
                        "alethe" => return Err("the proof format alethe is not there yet".to_owned()),
                        _ => {
                            return Err(format!(
                                "there is no proof format {name}; formats: legacy, intermediate"
                            ));
                        }
                    };
                    Ok(())
                }),
            ),
        ),
    ),
    row(
        Scope::Horn,
        "verdict-timeout",
        "SECONDS",
        "answer unknown if there is no verdict after this long; the witness has its budget on top",
        Effect::Seconds(|s, time| s.horn.solve.verdict_time = Some(time)),
    ),
    row(
        Scope::Horn,
        "witness-budget",
        "SECONDS",
        "time for building and checking a witness once the verdict is known [60]",
        Effect::Seconds(|s, time| s.horn.solve.witness_budget = time),
    ),
    short(
        'l',
        row(
            Scope::Horn,
            "logic",
            "LOGIC",
            "the logic of constraints; it is detected, too",
            Effect::Word(|_, name| {
                let known = matches!(
                    name,
                    "HORN"
                        | "ALL"
                        | "QF_LIA"
                        | "QF_LRA"
                        | "QF_LIRA"
                        | "QF_IDL"
                        | "QF_RDL"
                        | "QF_BOOL"
                        | "LIA"
                        | "LRA"
                        | "LIRA"
                );
                if known {
                    Ok(())
                } else {
                    Err(format!("the logic {name} is not supported; QF_LIA, QF_LRA and QF_LIRA are"))
                }
            }),
        ),
    ),
    short(
        't',
        row(
            Scope::Both,
            "timeout",
            "SECONDS",
            "answer unknown once the run has taken this long",
            Effect::Seconds(|s, time| {
                s.horn.timeout = Some(time);
                s.smt.timeout = Some(time);
            }),
        ),
    ),
    row(
        Scope::Both,
        "timeout-ms",
        "N",
        "the same in milliseconds",
        Effect::Number(|s, limit| {
            let time = Some(Duration::from_millis(limit));
            s.horn.timeout = time;
            s.smt.timeout = time;
        }),
    ),
    row(
        Scope::Horn,
        "memory",
        "MB",
        "answer unknown once this much memory is in use",
        Effect::Number(|s, limit| {
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            s.horn.memory = Some(limit.saturating_mul(MEGABYTE));
        }),
    ),
    setting(
        "seed",
        "N",
        "the seed of everything random; same seed, same run [0]",
        Effect::Number(|s, seed| {
            s.horn.solve.seed = seed;
        }),
    ),
    row(
        Scope::Horn,
        "instances",
        "N",
        "so many instances of the engine (pdkind), which differ in their settings, work together [1]",
        Effect::Word(|s, number| {
            s.horn.solve.instances = match number.parse() {
                Ok(number @ 1..=MOST_INSTANCES) => number,
                _ => {
                    return Err(format!(
                        "--instances takes a number from 1 to {MOST_INSTANCES}, not {number}"
                    ));
                }
            };
            Ok(())
        }),
    ),
    choices(
        Share::WORDS,
        row(
            Scope::Horn,
            "share",
            "WHAT",
            "what engines that work together tell each other: none, invariants, reach, induction or all [all]",
            Effect::Word(|s, word| {
                s.horn.solve.share = word.parse()?;
                Ok(())
            }),
        ),
    ),
    row(
        Scope::Horn,
        "join",
        "URL",
        "work together with all who join redis://HOST/NAME (rediss:// for TLS) for the same input",
        Effect::Word(|s, address| {
            s.horn.solve.join = Some(address.parse()?);
            Ok(())
        }),
    ),
    row(
        Scope::Both,
        "stats",
        "",
        "print statistics to standard error at the end",
        Effect::Flag(|s| {
            s.horn.statistics = true;
            s.smt.statistics = true;
        }),
    ),
    row(
        Scope::Horn,
        "json",
        "",
        "answer with one object of JSON: answer, witness, engine, times, counts",
        Effect::Flag(|s| s.horn.json = true),
    ),
    choices(
        &["read", "preprocessed"],
        row(
            Scope::Horn,
            "dump-graph",
            "STAGE",
            "print the graph (read or preprocessed) in DOT, and end",
            Effect::Word(|s, name| {
                s.horn.dump_graph = Some(match name {
                    "read" => horn::Stage::Read,
                    "preprocessed" => horn::Stage::Preprocessed,
                    _ => {
                        return Err(format!(
                            "there is no stage {name} of the graph; stages: read, preprocessed"
                        ));
                    }
                });
                Ok(())
            }),
        ),
    ),
    row(
        Scope::Both,
        "dump-queries",
        "PATH",
        "write all queries as scripts: to files in this folder; for shem smt to this file",
        Effect::File(|s, path| {
            s.smt.dump_queries = Some(path.clone());
            s.horn.dump_queries = Some(path);
        }),
    ),
    row(
        Scope::Both,
        "check-status",
        "",
        "exit with code 1 if an answer differs from the script's :status",
        Effect::Flag(|s| {
            s.horn.check_status = true;
            s.smt.check_status = true;
        }),
    ),
    short(
        'v',
        row(
            Scope::Horn,
            "verbose",
            "N",
            "tell more on standard error",
            Effect::Optional(|s, value| {
                s.horn.verbosity = match value {
                    None => s.horn.verbosity + 1,
                    Some(level) => {
                        level.parse().map_err(|_| format!("--verbose takes a number, not {level}"))?
                    }
                };
                Ok(())
            }),
        ),
    ),
    row(
        Scope::Horn,
        "check",
        "N",
        "answer only the check-sat with this number, counted from 1",
        Effect::Number(|s, number| s.horn.check = Some(number)),
    ),
    row(
        Scope::Horn,
        "worker",
        "PID",
        "write a report for the process with this number, which started this one, and end when it ends",
        Effect::Number(|s, parent| s.horn.worker = Some(u32::try_from(parent).unwrap_or(0))),
    ),
    row(
        Scope::Horn,
        "exchange",
        "BYTES",
        "for a worker: so many bytes of standard input are the problem, and what follows is what others have learnt",
        Effect::Number(|s, bytes| s.horn.exchange = Some(bytes)),
    ),
    row(
        Scope::Smt,
        "check-models",
        "",
        "evaluate all assertions in each model",
        Effect::Flag(|s| {
            s.smt.check_models = true;
        }),
    ),
    row(
        Scope::Smt,
        "check-cores",
        "",
        "solve each unsatisfiable core again on its own",
        Effect::Flag(|s| {
            s.smt.check_cores = true;
        }),
    ),
    row(
        Scope::Smt,
        "check-interpolants",
        "",
        "have each interpolant judged by solvers of its own",
        Effect::Flag(|s| s.smt.check_interpolants = true),
    ),
    row(
        Scope::Smt,
        "conflict-limit",
        "N",
        "answer unknown after N conflicts in a query",
        Effect::Number(|s, limit| {
            s.smt.limits.conflicts = limit;
        }),
    ),
    row(
        Scope::Smt,
        "pivot-limit",
        "N",
        "answer unknown after N pivots in a query",
        Effect::Number(|s, limit| {
            s.smt.limits.pivots = limit;
        }),
    ),
    row(
        Scope::Smt,
        "split-limit",
        "N",
        "answer unknown after N case splits in a query",
        Effect::Number(|s, limit| {
            s.smt.limits.splits = limit;
        }),
    ),
    short(
        'f',
        row(Scope::Horn, "flow", "", "accepted for compatibility, without effect", Effect::Flag(|_| {})),
    ),
    short('V', row(Scope::Both, "version", "", "print the version", Effect::Version)),
    short('h', row(Scope::Both, "help", "", "print this help", Effect::Help)),
];
