//! A stop token with a deadline, under another token.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use shem_base::StopToken;

/// Between two looks at the outer token.
const PERIOD: Duration = Duration::from_millis(10);

/// Runs the job with a token that is stopped when the time is over or the outer token is stopped.
pub fn with_deadline<T>(outer: &StopToken, time: Duration, job: impl FnOnce(&StopToken) -> T) -> T {
    let token = StopToken::new();
    if time.is_zero() || outer.is_stopped() {
        token.stop();
        return job(&token);
    }
    let (done, waiting) = channel::<()>();
    let inner = token.clone();
    thread::scope(|scope| {
        scope.spawn(move || {
            let end = Instant::now().checked_add(time);
            loop {
                let left = end.map_or(PERIOD, |end| end.saturating_duration_since(Instant::now()));
                if left.is_zero() || outer.is_stopped() {
                    inner.stop();
                    return;
                }
                // The other end is dropped when the job is done.
                if waiting.recv_timeout(left.min(PERIOD)) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        });
        let result = job(&token);
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(token: &StopToken) {
        while !token.is_stopped() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn the_token_is_stopped_by_time_or_from_outside() {
        let outer = StopToken::new();
        with_deadline(&outer, Duration::from_millis(5), wait);
        with_deadline(&outer, Duration::MAX, |token| assert!(!token.is_stopped()));
        with_deadline(&outer, Duration::MAX, |token| {
            outer.stop();
            wait(token);
        });
        with_deadline(&outer, Duration::MAX, |token| assert!(token.is_stopped()));
    }
}
