//! Limits of queries: the end of the run, the time of a query, memory, and an interrupt from another thread.
//!
//! A query sees nothing of them but a stop token. That of a query with a limit is stopped by the thread of the clock, which
//! also compares the memory in use with the limit. What was asserted stays in memory, so later queries that
//! take long end soon, too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use shem_base::{StopToken, UnknownReason};
use shem_decide::allocator;
use shem_decide::clock::{self, Scheduled};

/// How often the memory in use is compared with the limit.
const PERIOD: Duration = Duration::from_millis(10);

/// Ends queries of a script from another thread. Clones belong to the same script.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    /// Of the query that runs, or of the next one.
    current: Arc<Mutex<StopToken>>,
}

impl Interrupt {
    /// Ends the query that runs, if one does: its answer is `unknown`. Later queries run as before.
    pub fn stop(&self) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *current).stop();
    }

    fn token(&self) -> StopToken {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What limits the queries of a script.
pub(super) struct Limits {
    /// The end of the run.
    deadline: Option<Instant>,
    /// The bytes that may be in use.
    memory: Option<usize>,
    /// Ends the query that runs.
    interrupt: Interrupt,
    /// Whether the last query was stopped because of its memory.
    memory_reached: Arc<AtomicBool>,
}

/// The limits of a query, which are kept while this lives.
pub(super) struct QueryLimits {
    token: StopToken,
    _deadline: Option<Scheduled>,
    _memory: Option<Scheduled>,
}

impl QueryLimits {
    /// Stopped when a limit is reached.
    pub(super) fn token(&self) -> &StopToken {
        &self.token
    }
}

impl Limits {
    pub(super) fn new(deadline: Option<Instant>, memory: Option<usize>, interrupt: Interrupt) -> Limits {
        Limits { deadline, memory, interrupt, memory_reached: Arc::default() }
    }

    /// The limits of a query that begins now and may take so long.
    pub(super) fn begin_query(&self, time: Option<Duration>) -> QueryLimits {
        self.memory_reached.store(false, Ordering::Relaxed);
        let now = Instant::now();
        let end = time.and_then(|time| now.checked_add(time));
        let end = [self.deadline, end].into_iter().flatten().min();
        let outer = self.interrupt.token();
        let left = match (end, self.memory) {
            (Some(end), _) => end.saturating_duration_since(now),
            (None, Some(_)) => Duration::MAX,
            (None, None) => return QueryLimits { token: outer, _deadline: None, _memory: None },
        };
        let (token, deadline) = clock::stop_after(&outer, left);
        let memory = self.memory.map(|limit| {
            let (token, reached) = (token.clone(), Arc::clone(&self.memory_reached));
            let look = move || {
                if allocator::used() > limit {
                    reached.store(true, Ordering::Relaxed);
                    token.stop();
                }
            };
            look();
            clock::repeat(PERIOD, look)
        });
        QueryLimits { token, _deadline: Some(deadline), _memory: memory }
    }

    /// Whether there is a limit of memory.
    pub(super) fn has_memory_limit(&self) -> bool {
        self.memory.is_some()
    }

    /// Why the last query gave up, if what it says itself is this.
    pub(super) fn reason(&self, reason: UnknownReason) -> UnknownReason {
        match reason {
            UnknownReason::Stopped if self.memory_reached.load(Ordering::Relaxed) => UnknownReason::Memory,
            other => other,
        }
    }
}
