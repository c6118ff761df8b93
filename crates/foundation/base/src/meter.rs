//! Counts the work of solvers, and measures its time.
//!
//! A [`Meter`] is part of the budget, which reaches every solver that an engine asks: so queries are counted in one
//! place, and no engine has to do it. Whoever makes the meter gives it a clock. No search depends on what a meter
//! says. [`Meter::default`] counts nothing.
//!
//! A check *reaches search* if the theory was asked for consistency in it or a literal was decided. The others are
//! answered by facts, clauses and pairs of opposite bounds alone: an assumption is false by propagation. Both kinds
//! are queries; rates that are compared with those of other solvers should be of checks that reach search.
//!
//! Clones share the counts, which may be read from another thread while the search runs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::Statistics;

/// What a check needed for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckDepth {
    /// Propagation of clauses was enough.
    Propagation,
    /// The theory was asked, but nothing was decided.
    Theory,
    /// Literals were decided.
    Decision,
}

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A check of a solver.
    Query {
        /// What it needed for its answer.
        depth: CheckDepth,
        /// Whether there is a model.
        sat: bool,
    },
    /// The interpolants of one refutation.
    Interpolation,
}

/// The checks that reach search are counted by their time: those below 1 microsecond, below 2, below 4, and so
/// on. The last class has all that take longer.
const CLASSES: usize = 26;

/// Counts and times of the two kinds of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Checks of solvers.
    pub queries: u64,
    /// Those of them that reached search.
    pub searched: u64,
    /// Those of them that reached search and found a model.
    pub searched_sat: u64,
    /// Those of them that decided a literal.
    pub decided: u64,
    /// Checks that reached search and were timed, by their time in microseconds: below 2 to the power of the index.
    pub times: [u64; CLASSES],
    /// The nanoseconds of these checks together.
    pub class_times: [u64; CLASSES],
    /// Refutations that were asked for interpolants.
    pub interpolations: u64,
    /// Nanoseconds in checks.
    pub query_time: u64,
    /// Nanoseconds in interpolation, with the checks that it needs itself.
    pub interpolation_time: u64,
}

impl Reading {
    /// The figures: `queries`, `queries-per-second`, `seconds`, `interpolations`, `interpolation-seconds`; of
    /// the checks that reached search `searched`, `searched.sat`, `searched.decided`, and for each class of
    /// times that is not empty `searched.below.N` and `searched.below.N.seconds`, with `N` in microseconds.
    /// `seconds` is how long the search took in all.
    pub fn statistics(&self, seconds: f64) -> Statistics {
        const SECOND: f64 = 1e9;
        let mut statistics = Statistics::new();
        statistics.add("queries", self.queries);
        statistics.set("queries-per-second", self.queries as f64 / seconds.max(1e-9));
        statistics.set("seconds", self.query_time as f64 / SECOND);
        statistics.add("searched", self.searched);
        statistics.add("searched.sat", self.searched_sat);
        statistics.add("searched.decided", self.decided);
        for (class, (&count, &time)) in self.times.iter().zip(&self.class_times).enumerate() {
            if count > 0 {
                let name = format!("searched.below.{:08}", 1u64 << class);
                // Measured, as times are: the same run has other numbers the next time.
                statistics.set(&name, count as f64);
                statistics.set(&format!("{name}.seconds"), time as f64 / SECOND);
            }
        }
        statistics.add("interpolations", self.interpolations);
        statistics.set("interpolation-seconds", self.interpolation_time as f64 / SECOND);
        statistics
    }
}

#[derive(Default)]
struct Counts {
    queries: AtomicU64,
    searched: AtomicU64,
    searched_sat: AtomicU64,
    decided: AtomicU64,
    times: [AtomicU64; CLASSES],
    class_times: [AtomicU64; CLASSES],
    interpolations: AtomicU64,
    query_time: AtomicU64,
    interpolation_time: AtomicU64,
}

struct Shared {
    /// Nanoseconds since some moment.
    clock: Box<dyn Fn() -> u64 + Send + Sync>,
    /// Whether a piece of work is being timed: those inside it are counted only.
    busy: AtomicBool,
    counts: Counts,
}

/// Counts the work of solvers; clones share the counts. One search uses it at a time.
#[derive(Clone, Default)]
pub struct Meter {
    shared: Option<Arc<Shared>>,
}

/// When a piece of work began.
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
                counts: Counts::default(),
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
        let Some(Shared { clock, busy, counts }) = self.shared.as_deref() else { return };
        let time = match since {
            Since(Some(began)) => {
                busy.store(false, Ordering::Relaxed);
                Some(clock().saturating_sub(began))
            }
            Since(None) => None,
        };
        counts.add(work, time);
    }

    /// What was counted so far.
    pub fn read(&self) -> Reading {
        self.shared.as_ref().map_or_else(Reading::default, |shared| shared.counts.read())
    }
}

impl Counts {
    /// Counts a piece of work; `time` is its nanoseconds if it was not part of another.
    fn add(&self, work: Work, time: Option<u64>) {
        let add = |counter: &AtomicU64, amount: u64| {
            counter.fetch_add(amount, Ordering::Relaxed);
        };
        let nanoseconds = time.unwrap_or(0);
        match work {
            Work::Interpolation => {
                add(&self.interpolations, 1);
                add(&self.interpolation_time, nanoseconds);
            }
            Work::Query { depth, sat } => {
                add(&self.queries, 1);
                add(&self.query_time, nanoseconds);
                if depth == CheckDepth::Propagation {
                    return;
                }
                add(&self.searched, 1);
                add(&self.searched_sat, u64::from(sat));
                add(&self.decided, u64::from(depth == CheckDepth::Decision));
                if time.is_some() {
                    let class = (u64::BITS - (nanoseconds / 1000).leading_zeros()) as usize;
                    add(&self.times[class.min(CLASSES - 1)], 1);
                    add(&self.class_times[class.min(CLASSES - 1)], nanoseconds);
                }
            }
        }
    }

    fn read(&self) -> Reading {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Reading {
            queries: get(&self.queries),
            searched: get(&self.searched),
            searched_sat: get(&self.searched_sat),
            decided: get(&self.decided),
            times: std::array::from_fn(|class| get(&self.times[class])),
            class_times: std::array::from_fn(|class| get(&self.class_times[class])),
            interpolations: get(&self.interpolations),
            query_time: get(&self.query_time),
            interpolation_time: get(&self.interpolation_time),
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
        meter.end(inner, Work::Query { depth: CheckDepth::Theory, sat: false });
        meter.clone().end(outer, Work::Interpolation);
        let query = meter.begin();
        meter.end(query, Work::Query { depth: CheckDepth::Propagation, sat: true });
        let expected = Reading {
            queries: 2,
            searched: 1,
            interpolations: 1,
            query_time: 10,
            interpolation_time: 10,
            ..Reading::default()
        };
        assert_eq!(meter.read(), expected);
        let statistics = expected.statistics(0.5);
        assert_eq!(statistics.count("queries"), 2);
        assert_eq!(statistics.get("queries-per-second"), Some(4.0.into()));
    }

    #[test]
    fn checks_that_reach_search_are_counted_by_their_time() {
        let now = Arc::new(AtomicU64::new(0));
        let clock = now.clone();
        let meter = Meter::new(move || clock.load(Ordering::Relaxed));
        // Just below a microsecond, a microsecond, just below eight, and for ever.
        for nanoseconds in [999, 1_000, 7_999, 1 << 62] {
            let since = meter.begin();
            now.fetch_add(nanoseconds, Ordering::Relaxed);
            meter.end(since, Work::Query { depth: CheckDepth::Decision, sat: nanoseconds == 1_000 });
        }
        let reading = meter.read();
        let mut times = [0; CLASSES];
        for class in [0, 1, 3, CLASSES - 1] {
            times[class] = 1;
        }
        assert_eq!(reading.times, times);
        assert_eq!((reading.searched, reading.searched_sat, reading.decided), (4, 1, 4));
        let statistics = reading.statistics(1.0);
        assert_eq!(statistics.get("searched.below.00000008"), Some(1.0.into()));
        assert_eq!(statistics.get("searched.below.00000008.seconds"), Some(7.999e-6.into()));
        assert_eq!(statistics.get("searched.below.00000004"), None);
    }

    #[test]
    fn the_twin_counts_nothing() {
        let meter = Meter::default();
        let since = meter.begin();
        meter.end(since, Work::Query { depth: CheckDepth::Theory, sat: true });
        assert_eq!(meter.read(), Reading::default());
    }
}
