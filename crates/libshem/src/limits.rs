//! Limits of time and memory, and the token of the caller.
//!
//! The thread of the clock looks at them every few milliseconds and stops the search when one is reached.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use shem_base::StopToken;
use shem_decide::clock::{self, Scheduled};
use shem_decide::{Cause, resident};

/// Between two looks.
const PERIOD: Duration = Duration::from_millis(10);

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

/// Watches a search.
pub(crate) struct Watch {
    token: StopToken,
    cause: Arc<OnceLock<Cause>>,
    _looks: Scheduled,
}

impl Watch {
    /// Begins to watch: the search begins now.
    pub(crate) fn start(limits: Limits, stop: &StopToken) -> Watch {
        let (token, cause) = (StopToken::new(), Arc::new(OnceLock::new()));
        let (started, stop) = (Instant::now(), stop.clone());
        let (to_stop, why) = (token.clone(), Arc::clone(&cause));
        let look = move || {
            let memory = limits.memory.filter(|&limit| resident().is_some_and(|bytes| bytes > limit));
            let time = limits.time.filter(|&limit| started.elapsed() >= limit);
            let stopped = stop.is_stopped().then_some(Cause::Stopped);
            if let Some(reached) = stopped.or(memory.map(Cause::Memory)).or(time.map(Cause::Time)) {
                // What came first is the cause.
                why.get_or_init(|| reached);
                to_stop.stop();
            }
        };
        look();
        Watch { token, cause, _looks: clock::repeat(PERIOD, look) }
    }

    /// Stopped when the search is to end.
    pub(crate) fn token(&self) -> &StopToken {
        &self.token
    }

    /// Why the search was stopped, if it was.
    pub(crate) fn cause(&self) -> Option<Cause> {
        self.cause.get().copied()
    }
}
