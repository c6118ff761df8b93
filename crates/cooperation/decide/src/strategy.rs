//! Which engines suit a problem: the default strategy.
//!
//! The choice follows the shape of the system after preprocessing and its theory, since these decide what an
//! engine can do at all: only Spacer accepts nonlinear systems; transition power abstraction works on loops,
//! alone or in a DAG; the engines for transition systems see any other linear system only through one loop with
//! a program counter, where much of their strength is lost. Over the reals and truth values lazy abstraction proves
//! most, over the integers Spacer and transition power abstraction complement each other. Weights come from the times
//! of the single engines, see `docs/portfolio.md`: the figures have a wide plateau, so they are kept small and round.

use std::time::Duration;

use shem_chc::{Graph, Shape};
use shem_term::Sort;

use crate::entry::Entry;

/// What the choice depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The shape after preprocessing.
    pub shape: Shape,
    /// Whether a predicate has an argument of sort Int.
    pub integers: bool,
    /// The number of cores.
    pub jobs: usize,
}

impl Profile {
    /// The profile of a graph after preprocessing.
    pub fn of(graph: &Graph, jobs: usize) -> Profile {
        let has = |sort| graph.vertices().any(|v| graph.vertex(v).sorts().contains(&sort));
        Profile { shape: Shape::of(graph), integers: has(Sort::Int), jobs }
    }
}

fn entry(engine: &str) -> Entry {
    Entry::new(engine, [])
}

/// Spacer without restraint: it does not exclude an obligation as it is, and goes on where a series of obligations has
/// no end.
fn unrestrained() -> Entry {
    entry("spacer").with(["--spacer.restrain=no".to_owned()])
}

/// The entries for a problem, the most promising first. Those that seldom decide what the others do not run only
/// where there is a core for each.
pub fn entries_for(profile: &Profile) -> Vec<Entry> {
    let (mut entries, reserves) = match profile.shape {
        Shape::Trivial => (vec![entry("spacer")], vec![]),
        // The only engine for such systems, in two forms; on one core the second comes late and seldom.
        Shape::Nonlinear => (vec![entry("spacer").weighing(3), unrestrained().after(2000)], vec![]),
        Shape::TransitionSystem if profile.integers => (
            vec![entry("spacer").weighing(3), entry("split-tpa").weighing(3), entry("pdkind")],
            vec![entry("imc"), entry("lawi"), entry("tpa"), entry("kind"), unrestrained()],
        ),
        Shape::TransitionSystem => (
            vec![entry("lawi").weighing(4), entry("kind"), entry("pdkind")],
            vec![entry("spacer"), entry("imc"), entry("split-tpa"), entry("bmc")],
        ),
        Shape::Dag => (
            vec![entry("spacer").weighing(4), entry("split-tpa").weighing(2), entry("pdkind"), entry("lawi")],
            vec![entry("imc"), entry("tpa"), unrestrained()],
        ),
        Shape::Linear => (
            vec![entry("spacer").weighing(3), entry("lawi"), entry("pdkind"), entry("imc")],
            vec![entry("split-tpa").with(["--force-ts".to_owned()]), entry("bmc"), unrestrained()],
        ),
    };
    let free = profile.jobs.saturating_sub(entries.len());
    entries.extend(reserves.into_iter().take(free));
    entries
}

/// How much more time than others the entries of a process' own part have.
const OWN_WEIGHT: u32 = 4;

/// The entries for one of several processes that have joined, by its number. Each has all entries, so that nothing is
/// lost when the others leave, but begins with another part of them and gives that part most of the time.
pub fn part_of(entries: &mut [Entry], number: u64, jobs: usize) {
    let Ok(count) = u64::try_from(entries.len()) else { return };
    if count == 0 {
        return;
    }
    let jobs = jobs.clamp(1, entries.len());
    let first = (number % count * jobs as u64) % count;
    entries.rotate_left(first as usize);
    for (at, entry) in entries.iter_mut().enumerate() {
        if at < jobs {
            entry.weight *= OWN_WEIGHT;
            entry.delay = Duration::ZERO;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_begin_with_different_parts() {
        let profile = Profile { shape: Shape::TransitionSystem, integers: true, jobs: 1 };
        let parts = [0, 1, 2, 3].map(|number| {
            let mut entries = entries_for(&profile);
            part_of(&mut entries, number, 1);
            entries
        });
        let first = parts.each_ref().map(|entries| entries[0].engine());
        assert_eq!(first, ["spacer", "split-tpa", "pdkind", "spacer"]);
        for entries in &parts {
            assert_eq!(entries.len(), entries_for(&profile).len(), "nothing is left out");
            assert!(entries[1..].iter().all(|entry| entry.weight < entries[0].weight));
        }
        part_of(&mut [], 3, 2);
    }

    #[test]
    fn every_problem_has_engines() {
        for shape in [Shape::Trivial, Shape::TransitionSystem, Shape::Dag, Shape::Linear, Shape::Nonlinear] {
            for integers in [false, true] {
                for jobs in [1, 2, 64] {
                    let entries = entries_for(&Profile { shape, integers, jobs });
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
