//! Which engines suit a problem: the default strategy.
//!
//! The choice follows the shape of the system after preprocessing and its theory. Which engines take a shape at all
//! is in their descriptions; what is said here is measured: the order, and the weights. Transition power abstraction
//! works on loops, alone or in a DAG; the engines for transition systems see any other linear system only through one
//! loop with a program counter, where much of their strength is lost. Hulls come first where there are integers: what
//! they decide takes them milliseconds, and they end by themselves where they fail. Over the reals and truth values
//! k-induction, its property-directed form and Spacer each decide systems of a kind of their own: protocols with votes,
//! protocols with averages, programs; over the integers Spacer and transition power abstraction complement each other, and
//! learning transitive relations decides most loops of many rounds at once, or gives up at once. Weights
//! come from the times of the single engines, see `docs/portfolio.md`: the figures have a wide plateau, so they are
//! kept small and round.
//!
//! Before all others, an engine that only runs the system has a head start: it needs no more than that for what it finds,
//! and what it cannot take it says at once.

use std::collections::BTreeMap;
use std::time::Duration;

use shem_chc::{Graph, Shape};
use shem_engine::{Registry, Theories};
use shem_exchange::Share;
use shem_term::{Sort, Store};

use crate::entry::Entry;

/// What the choice depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The shape after preprocessing.
    pub shape: Shape,
    /// Whether a predicate has an argument of sort Int.
    pub integers: bool,
    /// What the labels are made of.
    pub theories: Theories,
    /// Whether a predicate has an array as an argument.
    pub arrays: bool,
    /// Whether a predicate has a value of a recursive datatype as an argument.
    pub recursive: bool,
    /// Whether predicates have many arguments.
    pub wide: bool,
    /// Whether there are finitely many states: all is made of truth values and bit-vectors, before these become integers.
    pub finite: bool,
    /// Whether all bit-vectors among the arguments, before these become integers, are as wide as the numbers of programs.
    pub words: bool,
    /// The number of cores.
    pub jobs: usize,
}

impl Profile {
    /// The profile of a graph after preprocessing, given the graph as it was read, too.
    pub fn of(store: &Store, as_read: &Graph, graph: &Graph, jobs: usize) -> Profile {
        let has = |sort| graph.vertices().any(|v| graph.vertex(v).sorts().contains(&sort));
        let theories = Theories::of(store, graph);
        let any =
            |fits: &dyn Fn(&Sort) -> bool| graph.vertices().any(|v| graph.vertex(v).sorts().iter().any(fits));
        let (arrays, recursive) = (any(&|sort| sort.is_array()), any(&|&sort| store.is_recursive(sort)));
        let arguments: usize = graph.vertices().map(|v| graph.vertex(v).sorts().len()).sum();
        let wide = arguments > WIDE * graph.vertices().count();
        let shape = Shape::of(graph);
        let finite = Theories::Bits.accept(store, as_read);
        let mut sorts = as_read.vertices().flat_map(|v| as_read.vertex(v).sorts());
        let words = finite && sorts.all(|sort| sort.bit_width().is_none_or(|width| width >= WORD));
        Profile { shape, integers: has(Sort::Int), theories, arrays, recursive, wide, finite, words, jobs }
    }
}

impl Profile {
    /// What the engines of the default strategy tell each other. Over the reals and truth values alone engines seldom
    /// have a use for what others have found, and the large formulas are costly to check. Lemmas that count steps are for
    /// instances of one engine, of which there are few on one or two cores.
    pub fn share(&self) -> Share {
        match self.shape {
            Shape::TransitionSystem if !self.integers => Share::NONE,
            _ if self.jobs <= 2 => Share::INVARIANTS,
            _ => Share::default(),
        }
    }
}

/// The arguments of a predicate, in the mean, from which predicates have many.
const WIDE: usize = 20;

/// The width from which a bit-vector is a number of a program rather than a register of a circuit.
const WORD: u32 = 32;

fn entry(engine: &str) -> Entry {
    Entry::new(engine, [])
}

/// Spacer without restraint: it does not exclude an obligation as it is, and goes on where a series of obligations has
/// no end.
fn unrestrained() -> Entry {
    entry("spacer").with(["--spacer.restrain=no".to_owned()])
}

/// Spacer with lemmas from the literals of obligations alone.
fn by_cores() -> Entry {
    entry("spacer").with(["--spacer.lemmas=core".to_owned()])
}

/// Spacer on an abstraction of arrays, of recursive datatypes or of machine integers.
fn abstracted(abstraction: &str) -> Entry {
    entry("spacer").with([format!("--{ABSTRACTION}={abstraction}")])
}

/// The same without arrays, with lemmas from the literals of obligations alone.
fn cores_without_arrays() -> Entry {
    abstracted("no-arrays").with(["--spacer.lemmas=core".to_owned()])
}

/// Hulls of the cells of arrays, with phases by the order of indices and counters. They find what loops one after the other
/// make of arrays, which is too much for interpolants from the second loop on (`docs/abstractions.md`).
fn hulls_of_cells(cells: &str) -> Entry {
    entry("hull").with([format!("--{ABSTRACTION}={cells}"), "--hull.orders".to_owned()])
}

/// The milliseconds that hulls of cells wait, and those of pairs of cells: most systems over arrays are decided sooner.
const DELAY_OF_HULLS: u64 = 500;
const DELAY_OF_PAIRS: u64 = 2000;

/// The setting by which an engine sees an abstraction.
const ABSTRACTION: &str = "abstraction";

/// The milliseconds that a second form of an engine waits where it is the only company: on one core it comes late and
/// seldom.
const DELAY_OF_SECOND_FORM: u64 = 2000;

/// The milliseconds that others wait behind engines that look at paths, where predicates have many arguments. Measured
/// when each engine still prepared a large problem anew before it began.
const DELAY_BEHIND_PATHS: u64 = 3000;

/// The milliseconds that an engine waits whose proofs others find, too, unless there is a core for it.
const DELAY_OF_LAST: u64 = 6000;

/// The engine that goes before all others, and its head start in milliseconds.
const QUICK: &str = "scout";
const HEAD_START: u64 = 100;

/// The engine for finitely many states.
const OF_BITS: &str = "ic3";

/// What decides circuits. `ic3` proves most of them. In 10 s it does not decide toy_lock_4 and busdelay-p30 of hwmcc, which
/// the strategy with `spacer` does; the share of each engine was not measured apart from that.
fn of_circuits() -> Vec<Entry> {
    vec![
        entry(OF_BITS).weighing(5),
        entry("bit-bmc").weighing(2),
        entry("spacer").weighing(2),
        entry("pdkind"),
    ]
}

/// Turns the system into one transition system; only engines that may do without it have this setting.
const ONE_LOOP: &str = "force-ts";

/// The entries that are worth their time on problems of a profile, the most promising first, and those that seldom
/// decide what the others do not.
fn preferences(profile: &Profile) -> (Vec<Entry>, Vec<Entry>) {
    match profile.shape {
        Shape::Trivial => (vec![entry("spacer")], vec![]),
        // Derivations through a heap are long, and unrolling finds many of them; what interpolants of arrays cannot say
        // cores can.
        _ if profile.theories == Theories::All => {
            // An abstraction decides at once what it can decide, and gives up soon on most of the rest.
            let mut first = vec![entry("spacer").weighing(3), by_cores()];
            if profile.arrays {
                // One index for all arrays proves the most, on heaps of objects above all.
                let first_cells = abstracted("shared-cells").weighing(2);
                first.extend([first_cells, abstracted("no-arrays"), abstracted("cells")]);
                // What concurrent programs do is seldom a matter of their arrays, and their locations are literals of
                // obligations: Ultimate's spin2003 takes a quarter of the time by cores.
                if profile.shape == Shape::Nonlinear {
                    first.push(cores_without_arrays().weighing(2));
                } else {
                    first.push(hulls_of_cells("shared-cells").weighing(2).after(DELAY_OF_HULLS));
                    first.push(hulls_of_cells("cells2").after(DELAY_OF_PAIRS));
                }
            }
            // Of the size of a list or a tree more can be said than interpolants of datatypes say, and more still of
            // functions; that ends by itself.
            first.extend(profile.recursive.then(|| abstracted("sizes").weighing(2)));
            first.extend(profile.recursive.then(|| entry("functions").weighing(2)));
            // A bug that needs an array of three or four elements is a few steps deep.
            first.extend([entry("bmc").weighing(if profile.arrays { 2 } else { 1 }), entry("kind")]);
            let last = profile.arrays.then(|| abstracted("cells2"));
            (first, last.into_iter().chain([entry("imc"), entry("lawi"), unrestrained()]).collect())
        }
        Shape::TransitionSystem if profile.integers => (
            vec![
                entry("hull").weighing(2),
                entry("spacer").weighing(3),
                entry("split-tpa").weighing(3),
                entry("trl").weighing(2),
                entry("pdkind"),
            ],
            vec![entry("imc"), entry("lawi"), entry("tpa"), entry("kind"), unrestrained()],
        ),
        // Whatever lawi decides here one of the others decides, too, mostly sooner; it is for long runs.
        Shape::TransitionSystem => (
            vec![
                entry("kind").weighing(2),
                entry("pdkind").weighing(3),
                entry("spacer").weighing(3),
                entry("lawi").after(if profile.jobs > 3 { 0 } else { DELAY_OF_LAST }),
            ],
            vec![entry("imc"), entry("split-tpa"), entry("bmc")],
        ),
        // A state of a hundred variables is a large obligation; a path is one query, whatever it passes through.
        Shape::Dag | Shape::Linear if profile.wide => (
            vec![
                entry("lawi").weighing(3),
                entry("bmc"),
                entry("spacer").weighing(2).after(DELAY_BEHIND_PATHS),
                entry("pdkind").after(DELAY_BEHIND_PATHS),
            ],
            vec![entry("imc"), entry("split-tpa"), entry("hull"), unrestrained()],
        ),
        Shape::Dag => (
            vec![
                entry("hull"),
                entry("spacer").weighing(4),
                entry("split-tpa").weighing(2),
                entry("pdkind"),
                entry("lawi"),
            ],
            vec![entry("imc"), entry("tpa"), unrestrained()],
        ),
        // Hulls find linear invariants of recursive predicates, which Spacer takes.
        Shape::Nonlinear => (
            vec![
                entry("spacer").weighing(3),
                entry("hull"),
                unrestrained().after(if profile.jobs > 2 { 0 } else { DELAY_OF_SECOND_FORM }),
            ],
            vec![],
        ),
        Shape::Linear => (
            vec![entry("hull"), entry("spacer").weighing(3), entry("lawi"), entry("pdkind"), entry("imc")],
            vec![entry("split-tpa"), entry("bmc"), unrestrained()],
        ),
    }
}

/// What the cores are given that are left: instances of these engines in turn, the most gainful first. An engine that is
/// listed twice has two of each round. The choice is measured, see `docs/portfolio.md`.
fn instance_order(profile: &Profile) -> &'static [&'static str] {
    match profile.shape {
        _ if profile.finite && !profile.words && profile.shape != Shape::Nonlinear => {
            &[OF_BITS, "spacer", OF_BITS, "pdkind", "bit-bmc"]
        }
        Shape::Trivial | Shape::Nonlinear => &["spacer"],
        _ if profile.theories == Theories::All => &["spacer", "spacer", "lawi", "kind"],
        Shape::TransitionSystem if profile.integers => {
            &["spacer", "split-tpa", "pdkind", "spacer", "trl", "lawi", "hull"]
        }
        Shape::TransitionSystem => &["pdkind", "spacer", "pdkind", "kind", "lawi"],
        Shape::Dag | Shape::Linear if profile.wide => &["lawi", "spacer", "bmc", "pdkind"],
        Shape::Dag => &["spacer", "split-tpa", "lawi", "spacer", "pdkind"],
        Shape::Linear => &["spacer", "lawi", "spacer", "pdkind", "imc"],
    }
}

/// Instances of engines that take problems of a profile, without end, from number 1 on: number 0 is the engine as it is.
fn further_instances<'a>(registry: &'a Registry, profile: &'a Profile) -> impl Iterator<Item = Entry> + 'a {
    let takes = |&&engine: &&&str| fit(registry, profile, entry(engine)).is_some();
    let order: Vec<&str> = instance_order(profile).iter().filter(takes).copied().collect();
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut at = 0;
    std::iter::from_fn(move || {
        let engine = *order.get(at % order.len().max(1))?;
        at += 1;
        let number = numbers.entry(engine).or_default();
        *number += 1;
        let words = registry.choose(engine).ok()?.instance(*number).words();
        fit(registry, profile, entry(engine).with(words).with([format!("--seed={number}")]))
    })
}

/// The entry for problems of a profile, if its engine takes them.
fn fit(registry: &Registry, profile: &Profile, entry: Entry) -> Option<Entry> {
    let engine = registry.engine(entry.engine()).ok()?;
    let shape = profile.shape;
    let is_abstracted = entry.settings().iter().any(|word| word.starts_with(&format!("--{ABSTRACTION}=")));
    let theories = if is_abstracted { Theories::Arithmetic } else { profile.theories };
    let is_known = match engine.theories {
        Theories::Bits => profile.finite,
        accepted => accepted.include(theories),
    };
    if !engine.fragment.includes(shape) || !is_known {
        return None;
    }
    let asked = engine.fragment.needs_one_loop(shape)
        && engine.settings().iter().any(|setting| setting.name == ONE_LOOP);
    Some(if asked { entry.with([format!("--{ONE_LOOP}")]) } else { entry })
}

/// The entries for a problem, the most promising first. Those that seldom decide what the others do not run only
/// where there is a core for each.
pub fn entries_for(profile: &Profile) -> Vec<Entry> {
    entries_of(&Registry::standard(), profile)
}

/// The same with the engines of a registry.
pub fn entries_of(registry: &Registry, profile: &Profile) -> Vec<Entry> {
    let (mut first, mut reserves) = preferences(profile);
    if profile.finite && profile.shape != Shape::Trivial {
        if profile.words {
            // Programs are easier as integers, most of all where nothing has to wrap around.
            let spacer = first.iter().position(|entry| entry.engine() == "spacer");
            if let Some(spacer) = spacer.filter(|_| profile.integers) {
                first.insert(spacer + 1, abstracted("no-wraps").weighing(2));
            }
            first.push(entry(OF_BITS));
        } else if profile.shape != Shape::Nonlinear {
            let own = of_circuits();
            first.retain(|entry| own.iter().all(|other| other.engine() != entry.engine()));
            reserves.splice(0..0, std::mem::replace(&mut first, own));
        }
    }
    let fit = |entry| fit(registry, profile, entry);
    let mut entries: Vec<Entry> = first.into_iter().filter_map(fit).collect();
    let mut reserves = reserves.into_iter().filter_map(fit);
    // One engine alone is helped by the next, whatever there is of cores.
    if entries.len() == 1 {
        entries.extend(reserves.next().map(|entry| entry.after(DELAY_OF_SECOND_FORM)));
    }
    let free = profile.jobs.saturating_sub(entries.len());
    entries.extend(reserves.take(free));
    if profile.shape != Shape::Trivial {
        let free = profile.jobs.saturating_sub(entries.len());
        entries.extend(further_instances(registry, profile).take(free));
    }
    if profile.shape != Shape::Trivial
        && !profile.wide
        && let Some(quick) = fit(entry(QUICK))
    {
        for entry in &mut entries {
            entry.delay = entry.delay.max(Duration::from_millis(HEAD_START));
        }
        entries.insert(0, quick);
    }
    entries
}

/// How many engines of the default strategy work on each part of a problem that is divided.
const ENGINES_OF_PART: usize = 2;

/// Those entries that have the most time, for a part of a problem, the quick one aside.
pub(crate) fn most_promising(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.retain(|entry| entry.engine() != QUICK);
    entries.sort_by_key(|entry| u32::MAX - entry.weight);
    entries.truncate(ENGINES_OF_PART);
    entries
}

/// How much more time than others the entries of a process' own part have.
const OWN_WEIGHT: u32 = 4;

/// The entries for one of several processes that have joined, by its number. Each has all entries, so that nothing is
/// lost when the others leave, but begins with another part of them and gives that part most of the time.
pub fn part_of(entries: &mut [Entry], number: u64, jobs: usize) {
    // The quick one is over soon, and is no part.
    let quick = usize::from(entries.first().is_some_and(|entry| entry.engine() == QUICK));
    let entries = &mut entries[quick..];
    let count = entries.len().max(1);
    let jobs = jobs.clamp(1, count);
    let own = (number % count as u64) as usize;
    entries.rotate_left(own * jobs % count);
    for entry in entries.iter_mut().take(jobs) {
        entry.weight *= OWN_WEIGHT;
        entry.delay = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use shem_engine::{EngineDescription, Fragment};

    use super::*;

    /// The strategy as it was measured.
    #[test]
    fn the_strategy_is_the_measured_one() {
        let unrestrained = "spacer --spacer.restrain=no";
        let integers =
            ["hull 2", "spacer 3", "split-tpa 3", "trl 2", "pdkind 1", "imc 1", "lawi 1", "tpa 1", "kind 1"];
        let reals = ["kind 2", "pdkind 3", "spacer 3", "lawi 1", "imc 1", "split-tpa 1", "bmc 1"];
        let dag = ["hull 1", "spacer 4", "split-tpa 2", "pdkind 1", "lawi 1", "imc 1", "tpa 1"];
        let linear = ["hull 1", "spacer 3", "lawi 1", "pdkind 1", "imc 1", "split-tpa --force-ts 1", "bmc 1"];
        for (shape, ints, first, engines, last) in [
            (Shape::TransitionSystem, true, 5, &integers[..], true),
            (Shape::TransitionSystem, false, 4, &reals[..], false),
            (Shape::Dag, true, 5, &dag[..], true),
            (Shape::Dag, false, 5, &dag[..], true),
            (Shape::Linear, true, 5, &linear[..], true),
            (Shape::Linear, false, 5, &linear[..], true),
        ] {
            let mut expected = vec!["scout 1".to_owned()];
            expected.extend(engines.iter().map(|&entry| entry.to_owned()));
            expected.extend(last.then(|| format!("{unrestrained} 1")));
            for jobs in 1..10 {
                let entries = entries_for(&Profile {
                    shape,
                    integers: ints,
                    theories: Theories::Arithmetic,
                    arrays: false,
                    recursive: false,
                    wide: false,
                    finite: false,
                    words: false,
                    jobs,
                });
                let found: Vec<String> =
                    entries.iter().map(|entry| format!("{entry} {}", entry.weight)).collect();
                let count = 1 + jobs.clamp(first, expected.len() - 1);
                assert_eq!(found[..count], expected[..count], "{shape}, {jobs}");
                assert_eq!(found.len(), 1 + jobs.max(first), "{shape}, {jobs}");
                let late = |entry: &Entry| {
                    let waits = shape == Shape::TransitionSystem && !ints && jobs <= 3;
                    if waits && entry.engine() == "lawi" { DELAY_OF_LAST } else { HEAD_START }
                };
                let delay = |entry: &Entry| if entry.engine() == QUICK { 0 } else { late(entry) };
                for entry in &entries {
                    assert_eq!(entry.delay.as_millis(), u128::from(delay(entry)), "{shape}, {jobs}, {entry}");
                }
            }
        }
        for (jobs, integers) in [(1, true), (1, false), (3, true)] {
            let trivial = entries_for(&Profile {
                shape: Shape::Trivial,
                integers,
                theories: Theories::Arithmetic,
                arrays: false,
                recursive: false,
                wide: false,
                finite: false,
                words: false,
                jobs,
            });
            assert_eq!(trivial, [entry("spacer")]);
            let nonlinear = entries_for(&Profile {
                shape: Shape::Nonlinear,
                integers,
                theories: Theories::Arithmetic,
                arrays: false,
                recursive: false,
                wide: false,
                finite: false,
                words: false,
                jobs,
            });
            let delay = if jobs == 1 { 2000 } else { 0 };
            let expected = [entry("spacer").weighing(3), entry("hull"), super::unrestrained().after(delay)];
            assert_eq!(nonlinear, expected);
        }
        for (shape, jobs, expected) in [
            (Shape::Linear, 2, vec!["spacer 3", "spacer --spacer.lemmas=core 1", "bmc 1", "kind 1"]),
            (Shape::Nonlinear, 2, vec!["spacer 3", "spacer --spacer.lemmas=core 1"]),
            (Shape::Trivial, 2, vec!["spacer 1"]),
        ] {
            let profile = Profile {
                shape,
                integers: true,
                theories: Theories::All,
                arrays: false,
                recursive: false,
                wide: false,
                finite: false,
                words: false,
                jobs,
            };
            let entries = entries_for(&profile);
            let found: Vec<String> =
                entries.iter().map(|entry| format!("{entry} {}", entry.weight)).collect();
            assert_eq!(found, expected, "{shape}");
        }
    }

    #[test]
    fn paths_come_first_where_predicates_have_many_arguments() {
        for (shape, first) in [(Shape::Dag, "lawi"), (Shape::Linear, "lawi"), (Shape::Nonlinear, "spacer")] {
            let theories = Theories::Arithmetic;
            let profile = Profile {
                shape,
                integers: true,
                theories,
                arrays: false,
                recursive: false,
                wide: true,
                finite: false,
                words: false,
                jobs: 2,
            };
            let entries = entries_for(&profile);
            assert_eq!(
                entries.iter().find(|entry| entry.engine() != QUICK).map(Entry::engine),
                Some(first),
                "{shape}"
            );
        }
    }

    #[test]
    fn abstractions_are_for_arrays_and_recursive_datatypes() {
        for shape in [Shape::TransitionSystem, Shape::Dag, Shape::Linear, Shape::Nonlinear] {
            let profile = Profile {
                shape,
                integers: true,
                theories: Theories::All,
                arrays: true,
                recursive: false,
                wide: false,
                finite: false,
                words: false,
                jobs: 2,
            };
            let listed = |profile: &Profile, word: &str| {
                let word = format!("--abstraction={word}");
                entries_for(profile).iter().any(|entry| entry.settings() == [word.clone()])
            };
            for abstraction in ["cells", "no-arrays", "shared-cells"] {
                assert!(listed(&profile, abstraction), "{abstraction} for {shape}");
                assert!(!listed(&Profile { arrays: false, ..profile }, abstraction));
            }
            let by_cores = entries_for(&profile).contains(&cores_without_arrays().weighing(2));
            assert_eq!(by_cores, shape == Shape::Nonlinear);
            for cells in ["shared-cells", "cells2"] {
                let hulls = hulls_of_cells(cells);
                let is_listed =
                    entries_for(&profile).iter().any(|entry| entry.settings() == hulls.settings());
                assert_eq!(is_listed, shape != Shape::Nonlinear);
            }
            assert!(!listed(&profile, "sizes") && listed(&Profile { recursive: true, ..profile }, "sizes"));
            assert_eq!(entries_for(&profile)[0], entry("spacer").weighing(3));
            assert!(!listed(&profile, "cells2"), "it waits for a core of its own");
            assert!(listed(&Profile { jobs: 12, ..profile }, "cells2"));
        }
    }

    #[test]
    fn programs_over_bits_are_told_from_circuits() {
        let circuit = Profile {
            shape: Shape::TransitionSystem,
            integers: true,
            theories: Theories::Arithmetic,
            arrays: false,
            recursive: false,
            wide: false,
            finite: true,
            words: false,
            jobs: 2,
        };
        let listed = |profile: &Profile| -> Vec<String> {
            entries_for(profile).iter().map(|entry| format!("{entry} {}", entry.weight)).collect()
        };
        assert_eq!(listed(&circuit), ["scout 1", "ic3 5", "bit-bmc 2", "spacer 2", "pdkind 1"]);
        let others = ["split-tpa 3", "trl 2", "pdkind 1"];
        let ideal = ["scout 1", "hull 2", "spacer 3", "spacer --abstraction=no-wraps 2"];
        let program = Profile { words: true, ..circuit };
        assert_eq!(listed(&program), [&ideal[..], &others, &["ic3 1"]].concat());
        // Where bit-vectors do not become integers, nothing wraps around.
        let bits = Profile { integers: false, ..program };
        assert!(!listed(&bits).iter().any(|entry| entry.contains("no-wraps")));
        let nonlinear = Profile { shape: Shape::Nonlinear, ..program };
        assert_eq!(listed(&nonlinear)[1], "spacer --abstraction=no-wraps 2");
    }

    #[test]
    fn an_engine_for_other_shapes_is_left_out() {
        let narrow = EngineDescription { fragment: Fragment::Linear, ..shem_engine::spacer::DESCRIPTION };
        let registry = Registry::standard().with(narrow);
        let profile = Profile {
            shape: Shape::Nonlinear,
            integers: true,
            theories: Theories::Arithmetic,
            arrays: false,
            recursive: false,
            wide: false,
            finite: false,
            words: false,
            jobs: 4,
        };
        assert_eq!(entries_of(&registry, &profile), [entry("hull")]);
        let profile = Profile { shape: Shape::Linear, ..profile };
        assert_eq!(entries_of(&registry, &profile), entries_for(&profile));
    }

    #[test]
    fn processes_begin_with_different_parts() {
        let profile = Profile {
            shape: Shape::TransitionSystem,
            integers: true,
            theories: Theories::Arithmetic,
            arrays: false,
            recursive: false,
            wide: false,
            finite: false,
            words: false,
            jobs: 1,
        };
        let parts = [0, 1, 2, 3].map(|number| {
            let mut entries = entries_for(&profile);
            part_of(&mut entries, number, 1);
            entries
        });
        let first = parts.each_ref().map(|entries| entries[1].engine());
        assert_eq!(first, ["hull", "spacer", "split-tpa", "trl"]);
        for entries in &parts {
            assert_eq!(entries.len(), entries_for(&profile).len(), "nothing is left out");
            assert_eq!(entries[0], entry("scout"));
            assert!(entries[2..].iter().all(|entry| entry.weight < entries[1].weight));
        }
        part_of(&mut [], 3, 2);
    }

    #[test]
    fn every_problem_has_engines() {
        for shape in [Shape::Trivial, Shape::TransitionSystem, Shape::Dag, Shape::Linear, Shape::Nonlinear] {
            for integers in [false, true] {
                for jobs in [1, 2, 16, 32, 64] {
                    let entries = entries_for(&Profile {
                        shape,
                        integers,
                        theories: Theories::Arithmetic,
                        arrays: false,
                        recursive: false,
                        wide: false,
                        finite: false,
                        words: false,
                        jobs,
                    });
                    // No core idles.
                    assert!(entries.len() >= jobs || shape == Shape::Trivial, "{shape}, {jobs}");
                    // One that finds proofs and derivations is always there, and nothing runs twice.
                    assert!(entries.iter().any(|entry| ["spacer", "lawi"].contains(&entry.engine())));
                    for (i, entry) in entries.iter().enumerate() {
                        assert!(!entries[..i].contains(entry), "{entry} for {shape}");
                    }
                }
            }
        }
    }
}
