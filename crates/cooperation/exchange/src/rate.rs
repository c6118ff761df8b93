//! A rate limiter: lets at most so many events a second through.

use std::time::{Duration, Instant};

/// Lets at most `per_second` events a second through. Those that were not used are kept for one second.
#[derive(Clone, Debug)]
pub struct RateLimiter {
    per_second: f64,
    left: f64,
    since: Instant,
}

impl RateLimiter {
    /// A limiter that lets this many events a second through.
    pub fn new(per_second: f64) -> RateLimiter {
        RateLimiter { per_second, left: per_second, since: Instant::now() }
    }

    /// Whether one more event may pass now; if so, it is counted.
    pub fn admit(&mut self) -> bool {
        self.admit_at(Instant::now())
    }

    fn admit_at(&mut self, now: Instant) -> bool {
        self.refill(now);
        let enough = self.left >= 1.0;
        if enough {
            self.left -= 1.0;
        }
        enough
    }

    /// Counts one more event, and gives the time that it has to wait.
    pub fn delay(&mut self) -> Duration {
        self.delay_at(Instant::now())
    }

    fn delay_at(&mut self, now: Instant) -> Duration {
        self.refill(now);
        self.left -= 1.0;
        if self.left >= 0.0 { Duration::ZERO } else { Duration::from_secs_f64(-self.left / self.per_second) }
    }

    fn refill(&mut self, now: Instant) {
        let more = self.per_second * (now - self.since).as_secs_f64();
        self.left = (self.left + more).min(self.per_second);
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_events_are_kept_for_one_second() {
        let mut rate = RateLimiter::new(10.0);
        let mut now = rate.since;
        assert_eq!((0..20).filter(|_| rate.admit_at(now)).count(), 10);
        let longest: Duration = (0..5).map(|_| rate.delay_at(now)).max().expect("some");
        assert_eq!(longest, Duration::from_millis(500));
        now += Duration::from_secs(3600);
        assert_eq!((0..20).filter(|_| rate.admit_at(now)).count(), 10);
    }
}
