//! The clock: one thread that stops a query when its time is over.
//!
//! The solver counts steps and never reads a clock; what it sees of time is a stop token. Each query under a
//! time limit gets a token of its own, and the alarm stops that token at the deadline unless the query has
//! ended before.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use shem_base::StopToken;

/// The token to stop next, and when.
type Deadline = Option<(Instant, StopToken)>;

/// A thread that waits for deadlines. It is started with the first one.
#[derive(Debug, Default)]
pub(super) struct Alarm {
    shared: Option<Arc<(Mutex<Deadline>, Condvar)>>,
}

impl Alarm {
    /// A token that is stopped at the deadline. It replaces the one before.
    pub(super) fn set(&mut self, deadline: Instant) -> StopToken {
        let token = StopToken::new();
        let shared = self.shared.get_or_insert_with(|| {
            let shared = Arc::new((Mutex::new(None), Condvar::new()));
            let watched = Arc::clone(&shared);
            thread::spawn(move || watch(&watched));
            shared
        });
        *shared.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((deadline, token.clone()));
        shared.1.notify_one();
        token
    }

    /// Lets the last token be.
    pub(super) fn clear(&mut self) {
        if let Some(shared) = &self.shared {
            *shared.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

/// Waits for deadlines until nobody can set one any more.
fn watch(shared: &Arc<(Mutex<Deadline>, Condvar)>) {
    let (deadline, changed) = &**shared;
    let mut guard = deadline.lock().unwrap_or_else(PoisonError::into_inner);
    while Arc::strong_count(shared) > 1 {
        let now = Instant::now();
        match &*guard {
            Some((at, token)) if *at <= now => {
                token.stop();
                *guard = None;
            }
            Some((at, _)) => {
                let wait = *at - now;
                guard = changed.wait_timeout(guard, wait).unwrap_or_else(PoisonError::into_inner).0;
            }
            None => guard = changed.wait(guard).unwrap_or_else(PoisonError::into_inner),
        }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.take() {
            let (deadline, changed) = &*shared;
            *deadline.lock().unwrap_or_else(PoisonError::into_inner) = None;
            changed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_last_token_is_stopped() {
        let mut alarm = Alarm::default();
        let first = alarm.set(Instant::now() + Duration::from_secs(3600));
        let second = alarm.set(Instant::now() + Duration::from_millis(5));
        while !second.is_stopped() {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(!first.is_stopped());
        let third = alarm.set(Instant::now() + Duration::from_millis(20));
        alarm.clear();
        thread::sleep(Duration::from_millis(40));
        assert!(!third.is_stopped());
    }
}
