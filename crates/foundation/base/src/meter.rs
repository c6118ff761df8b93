//! Counts the work of solvers, and measures its time.
//!
//! A [`Meter`] travels in the budget of a search to every solver that the search asks, however deep it is hidden:
//! so the queries of an engine are counted in one place, and no engine has to do it. The clock belongs to whoever
//! makes the meter; below, only the meter asks it. Nothing that a search does depends on what a meter says. Its
//! twin that does nothing is [`Meter::default`].
//!
//! Clones share the counts, which may be read from another thread while the search runs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::Statistics;

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A check of a solver.
    Query,
    /// The interpolants of one refutation.
    Interpolation,
}

/// Counts and times of the two kinds of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Checks of solvers.
    pub queries: u64,
    /// Refutations that were asked for interpolants.
    pub interpolations: u64,
    /// Nanoseconds in checks.
    pub query_time: u64,
    /// Nanoseconds in interpolation, with the checks that it needs itself.
    pub interpolation_time: u64,
}

impl Reading {
    /// The figures: `queries`, `queries-per-second`, `seconds`, `interpolations`, `interpolation-seconds`.
    /// `seconds` is how long the search took in all.
    pub fn statistics(&self, seconds: f64) -> Statistics {
        const SECOND: f64 = 1e9;
        let mut statistics = Statistics::new();
        statistics.add("queries", self.queries);
        statistics.set("queries-per-second", self.queries as f64 / seconds.max(1e-9));
        statistics.set("seconds", self.query_time as f64 / SECOND);
        statistics.add("interpolations", self.interpolations);
        statistics.set("interpolation-seconds", self.interpolation_time as f64 / SECOND);
        statistics
    }
}

struct Shared {
    /// Nanoseconds since some moment.
    clock: Box<dyn Fn() -> u64 + Send + Sync>,
    /// Whether a piece of work is being timed: those inside it are counted only.
    busy: AtomicBool,
    queries: AtomicU64,
    interpolations: AtomicU64,
    query_time: AtomicU64,
    interpolation_time: AtomicU64,
}

/// Counts the work of solvers; clones share the counts. One search uses it at a time.
#[derive(Clone, Default)]
pub struct Meter {
    shared: Option<Arc<Shared>>,
}

/// The beginning of a piece of work.
#[must_use = "work is counted when it ends"]
#[derive(Debug)]
pub struct Since(Option<u64>);

impl Meter {
    /// A meter with this clock, which gives nanoseconds.
    pub fn new(clock: impl Fn() -> u64 + Send + Sync + 'static) -> Meter {
        Meter {
            shared: Some(Arc::new(Shared {
                clock: Box::new(clock),
                busy: AtomicBool::new(false),
                queries: AtomicU64::new(0),
                interpolations: AtomicU64::new(0),
                query_time: AtomicU64::new(0),
                interpolation_time: AtomicU64::new(0),
            })),
        }
    }

    /// A piece of work begins.
    #[inline]
    pub fn begin(&self) -> Since {
        let Some(shared) = &self.shared else { return Since(None) };
        Since((!shared.busy.swap(true, Ordering::Relaxed)).then(|| (shared.clock)()))
    }

    /// A piece of work ends.
    #[inline]
    pub fn end(&self, since: Since, work: Work) {
        let Some(shared) = &self.shared else { return };
        let (count, time) = match work {
            Work::Query => (&shared.queries, &shared.query_time),
            Work::Interpolation => (&shared.interpolations, &shared.interpolation_time),
        };
        count.fetch_add(1, Ordering::Relaxed);
        if let Since(Some(began)) = since {
            time.fetch_add((shared.clock)().saturating_sub(began), Ordering::Relaxed);
            shared.busy.store(false, Ordering::Relaxed);
        }
    }

    /// What was counted so far.
    pub fn read(&self) -> Reading {
        let Some(shared) = &self.shared else { return Reading::default() };
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Reading {
            queries: get(&shared.queries),
            interpolations: get(&shared.interpolations),
            query_time: get(&shared.query_time),
            interpolation_time: get(&shared.interpolation_time),
        }
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shared {
            Some(_) => self.read().fmt(f),
            None => f.write_str("Meter(off)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_inside_of_other_work_is_not_timed_twice() {
        let ticks = AtomicU64::new(0);
        let meter = Meter::new(move || ticks.fetch_add(10, Ordering::Relaxed));
        let outer = meter.begin();
        let inner = meter.begin();
        meter.end(inner, Work::Query);
        meter.clone().end(outer, Work::Interpolation);
        let query = meter.begin();
        meter.end(query, Work::Query);
        let expected = Reading { queries: 2, interpolations: 1, query_time: 10, interpolation_time: 10 };
        assert_eq!(meter.read(), expected);
        let statistics = expected.statistics(0.5);
        assert_eq!(statistics.count("queries"), 2);
        assert_eq!(statistics.get("queries-per-second"), Some(4.0.into()));
    }

    #[test]
    fn the_twin_counts_nothing() {
        let meter = Meter::default();
        let since = meter.begin();
        meter.end(since, Work::Query);
        assert_eq!(meter.read(), Reading::default());
    }
}
