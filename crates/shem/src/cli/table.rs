//! The table of options.
//!
//! Every option is a row: its names, its value, its help and what it does to the settings. Parsing, the help
//! text, the manual page and the completions of shells all come from this table.

use std::path::PathBuf;
use std::time::Duration;

use shem_decide::Entry;
use shem_engine::spacer::{LemmaStyle, Retry};
use shem_exchange::Share;
use shem_smt::interpolate::TheoryRule;

use super::arguments::check_entry;
use crate::guard::MEGABYTE;
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

/// A setting that is on or off.
const fn switch(long: &'static str, help: &'static str, effect: Effect) -> OptionRow {
    choices(&["yes", "no"], setting(long, "yes|no", help, effect))
}

/// Turns something on or off.
fn set(what: &mut bool, word: &str) -> Result<(), String> {
    *what = match word {
        "yes" | "true" | "on" => true,
        "no" | "false" | "off" => false,
        _ => return Err(format!("yes or no is wanted, not {word}")),
    };
    Ok(())
}

pub(super) static TABLE: &[OptionRow] = &[
    short(
        'e',
        choices(
            horn::ENGINE_NAMES,
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
                        s.horn.engines = horn::Engines::Mix(entries);
                    } else {
                        s.horn.solve.engine = text.parse()?;
                        s.horn.engines = horn::Engines::One;
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
    setting(
        "force-ts",
        "",
        "turn the system into one transition system before the engine sees it",
        Effect::Flag(|s| s.horn.solve.engine_options.force_ts = true),
    ),
    setting(
        "simplify-nested",
        "",
        "remove nested loops before the engine sees the system",
        Effect::Flag(|s| s.horn.solve.engine_options.simplify_nested = true),
    ),
    setting(
        "forced-covering",
        "",
        "for lazy abstraction: look for coverings by force",
        Effect::Flag(|s| s.horn.solve.engine_options.forced_covering = true),
    ),
    choices(
        &["0", "2", "4", "5"],
        setting(
            "lra-itp-algorithm",
            "N",
            "interpolants of linear arithmetic: 0 Farkas, 2 dual, 4 decomposed, 5 dual decomposed",
            Effect::Word(|s, number| {
                s.horn.solve.engine_options.interpolation = Some(match number {
                    "0" => TheoryRule::Farkas,
                    "2" => TheoryRule::DualFarkas,
                    "4" => TheoryRule::Decomposed,
                    "5" => TheoryRule::DualDecomposed,
                    _ => {
                        return Err(format!(
                            "there is no interpolation algorithm {number}; 0, 2, 4 and 5 are there"
                        ));
                    }
                });
                Ok(())
            }),
        ),
    ),
    choices(
        &["mcmillan", "pudlak", "dual-mcmillan", "occurrence", "proof-sensitive"],
        setting(
            "bool-itp-algorithm",
            "NAME",
            "interpolants of proofs: mcmillan, pudlak, dual-mcmillan, occurrence or proof-sensitive",
            Effect::Word(|s, name| {
                s.horn.solve.engine_options.interpolation_system = Some(name.parse()?);
                Ok(())
            }),
        ),
    ),
    setting(
        "kind.simple-paths",
        "",
        "for k-induction: look at paths of different states only",
        Effect::Flag(|s| s.horn.solve.engine_options.simple_paths = true),
    ),
    setting(
        "pdkind.depth",
        "N",
        "for property-directed k-induction: the greatest depth of induction, or level for no limit",
        Effect::Word(|s, depth| {
            s.horn.solve.engine_options.induction_depth = Some(depth.parse()?);
            Ok(())
        }),
    ),
    choices(
        &["newest", "oldest", "random"],
        setting(
            "pdkind.order",
            "ORDER",
            "for property-directed k-induction: which obligation is next, newest, oldest or random",
            Effect::Word(|s, order| {
                s.horn.solve.engine_options.obligation_order = Some(order.parse()?);
                Ok(())
            }),
        ),
    ),
    setting(
        "tpa.use-qe",
        "",
        "for transition power abstraction: eliminate quantifiers instead of projecting",
        Effect::Flag(|s| s.horn.solve.engine_options.tpa.use_qe = true),
    ),
    setting(
        "tpa.base",
        "N",
        "for transition power abstraction: how many steps of a level are one of the next, 2 to 8 [2]",
        Effect::Word(|s, number| {
            s.horn.solve.engine_options.tpa.base = match number.parse() {
                Ok(base) if (2..=8).contains(&base) => base,
                _ => return Err(format!("a base from 2 to 8 is wanted, not {number}")),
            };
            Ok(())
        }),
    ),
    choices(
        &["forward", "backward"],
        setting(
            "tpa.direction",
            "DIRECTION",
            "for transition power abstraction: where paths grow, forward or backward [forward]",
            Effect::Word(|s, word| {
                s.horn.solve.engine_options.tpa.direction = word.parse()?;
                Ok(())
            }),
        ),
    ),
    choices(
        &["less-first", "equal-first"],
        setting(
            "tpa.steps",
            "ORDER",
            "for split-tpa: where the short part of a path is, less-first or equal-first [equal-first]",
            Effect::Word(|s, word| {
                s.horn.solve.engine_options.tpa.step_order = word.parse()?;
                Ok(())
            }),
        ),
    ),
    choices(
        &["less-first", "equal-first"],
        setting(
            "tpa.candidates",
            "ORDER",
            "for split-tpa: whose invariants are tried first, less-first or equal-first [less-first]",
            Effect::Word(|s, word| {
                s.horn.solve.engine_options.tpa.candidate_order = word.parse()?;
                Ok(())
            }),
        ),
    ),
    choices(
        &["left-first", "right-first"],
        setting(
            "tpa.grounds",
            "ORDER",
            "for transition power abstraction: the ground tried first, left-first or right-first [left-first]",
            Effect::Word(|s, word| {
                s.horn.solve.engine_options.tpa.ground_order = word.parse()?;
                Ok(())
            }),
        ),
    ),
    choices(
        &["core", "interpolant"],
        setting(
            "spacer.lemmas",
            "KIND",
            "for Spacer: what lemmas are made of, core or interpolant [interpolant]",
            Effect::Word(|s, word| {
                s.horn.solve.engine_options.spacer.lemmas = match word {
                    "core" => LemmaStyle::Core,
                    "interpolant" => LemmaStyle::Interpolant,
                    _ => {
                        return Err(format!(
                            "there are no lemmas of the kind {word}; core and interpolant are there"
                        ));
                    }
                };
                Ok(())
            }),
        ),
    ),
    choices(
        &["never", "next", "once"],
        setting(
            "spacer.retry",
            "WHEN",
            "for Spacer: try blocked obligations one height up: never, with the next bound, at once [once]",
            Effect::Word(|s, word| {
                s.horn.solve.engine_options.spacer.retry = match word {
                    "never" => Retry::Never,
                    "next" => Retry::NextBound,
                    "once" => Retry::AtOnce,
                    _ => return Err(format!("never, next or once is wanted, not {word}")),
                };
                Ok(())
            }),
        ),
    ),
    switch(
        "spacer.split-obligations",
        "for Spacer: obligations consist of literals [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.split_obligations, word)),
    ),
    switch(
        "spacer.clauses",
        "for Spacer: interpolants are weakened to clauses [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.clauses, word)),
    ),
    switch(
        "spacer.weaken-bounds",
        "for Spacer: move bounds of lemmas outwards while they stay inductive [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.weaken_bounds, word)),
    ),
    switch(
        "spacer.forget-implied",
        "for Spacer: forget lemmas that a new one implies [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.forget_implied, word)),
    ),
    switch(
        "spacer.discharge",
        "for Spacer: answer obligations by facts first [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.discharge, word)),
    ),
    switch(
        "spacer.climb",
        "for Spacer: carry facts on to the obligations that wait for them [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.climb, word)),
    ),
    switch(
        "spacer.recall",
        "for Spacer: block what a lemma is known to exclude without asking [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.recall, word)),
    ),
    switch(
        "spacer.remember-stuck",
        "for Spacer: ask about lemmas again only when the states in their way are gone [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.remember_stuck, word)),
    ),
    switch(
        "spacer.drop-literals",
        "for Spacer: drop literals of lemmas while they stay inductive [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.drop_literals, word)),
    ),
    switch(
        "spacer.lift-lemmas",
        "for Spacer: raise new lemmas as far as they hold [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.lift_lemmas, word)),
    ),
    switch(
        "spacer.subsume",
        "for Spacer: global guidance: one lemma in the place of a cluster [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.subsume, word)),
    ),
    switch(
        "spacer.conjecture",
        "for Spacer: global guidance: obligations without a bound that lemmas chase [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.conjecture, word)),
    ),
    switch(
        "spacer.concretise",
        "for Spacer: global guidance: boxes where coefficients of lemmas diverge [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.concretise, word)),
    ),
    switch(
        "spacer.restrain",
        "for Spacer: global guidance: exclude obligations as they are in a series [yes]",
        Effect::Word(|s, word| set(&mut s.horn.solve.engine_options.spacer.restrain, word)),
    ),
    setting(
        "spacer.restraints",
        "N",
        "for Spacer: how many obligations of a predicate are excluded as they are at each level [2]",
        Effect::Number(|s, limit| {
            s.horn.solve.engine_options.spacer.restraints = u32::try_from(limit).unwrap_or(u32::MAX);
        }),
    ),
    setting(
        "spacer.gas",
        "N",
        "for Spacer: how often something conjectured is worked on [20]",
        Effect::Number(|s, limit| {
            s.horn.solve.engine_options.spacer.gas = u32::try_from(limit).unwrap_or(u32::MAX);
        }),
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
