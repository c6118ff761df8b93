//! Which engines suit a problem: the default strategy.
//!
//! The choice follows the shape of the system after preprocessing and its theory, since these decide what an
//! engine can do at all: only one accepts nonlinear systems; transition power abstraction works on loops, alone
//! or in a DAG; the engines for transition systems see any other linear system only through one loop with a
//! program counter, where most of their strength is lost.

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
    /// Whether a predicate has an argument of sort Real.
    pub reals: bool,
    /// The number of cores.
    pub jobs: usize,
}

impl Profile {
    /// The profile of a graph after preprocessing.
    pub fn of(graph: &Graph, jobs: usize) -> Profile {
        let has = |sort| graph.vertices().any(|v| graph.vertex(v).sorts().contains(&sort));
        Profile { shape: Shape::of(graph), integers: has(Sort::Int), reals: has(Sort::Real), jobs }
    }
}

fn entry(engine: &str) -> Entry {
    Entry::new(engine, [])
}

/// The entries for a problem, the most promising first.
pub fn entries_for(profile: &Profile) -> Vec<Entry> {
    let mut entries = match profile.shape {
        Shape::Nonlinear | Shape::Trivial => vec![entry("spacer")],
        Shape::TransitionSystem if profile.reals || !profile.integers => {
            vec![entry("spacer"), entry("imc"), entry("kind"), entry("pdkind"), entry("split-tpa")]
        }
        Shape::TransitionSystem => {
            vec![entry("spacer"), entry("split-tpa"), entry("pdkind"), entry("imc")]
        }
        Shape::Dag => vec![entry("spacer"), entry("split-tpa"), entry("pdkind")],
        Shape::Linear => vec![entry("spacer"), entry("pdkind"), entry("imc")],
    };
    if entries.len() <= profile.jobs {
        entries.iter_mut().for_each(|entry| entry.delay = Duration::ZERO);
    }
    entries
}
