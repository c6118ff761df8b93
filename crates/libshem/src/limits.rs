//! Limits of time and memory, and the token of the caller.

use std::time::{Duration, Instant};

use shem_base::StopToken;
use shem_decide::{Cause, Watch, resident};

/// When to give up. A search notices some milliseconds later that a limit is reached, and the answer is *unknown* with
/// the [cause](Cause).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The time from the call to the answer.
    pub time: Option<Duration>,
    /// The bytes of memory that the process may use. [`Problem::solve`](crate::Problem::solve) watches what the whole
    /// process occupies ([`resident`]), with what belongs to the caller; it can do so on Linux only, and elsewhere the
    /// answer has a warning. Threads that were stopped give their memory back when they end, which may be after the
    /// answer.
    pub memory: Option<usize>,
}

impl Limits {
    /// Watches a search that begins now.
    pub(crate) fn watch(self, stop: &StopToken) -> Watch {
        let (started, stop) = (Instant::now(), stop.clone());
        let reached = move || {
            let memory = self.memory.filter(|&limit| resident().is_some_and(|bytes| bytes > limit));
            let time = self.time.filter(|&limit| started.elapsed() >= limit);
            let stopped = stop.is_stopped().then_some(Cause::Stopped);
            stopped.or(memory.map(Cause::Memory)).or(time.map(Cause::Time))
        };
        // Nobody but the caller may end the process.
        Watch::start(reached, |_| {})
    }
}
