//! So many a second.

use std::time::{Duration, Instant};

/// Lets so many things a second pass, with a reserve for one second.
#[derive(Clone, Debug)]
pub struct Rate {
    per_second: f64,
    left: f64,
    since: Instant,
}

impl Rate {
    /// So many a second.
    pub fn new(per_second: f64) -> Rate {
        Rate { per_second, left: per_second, since: Instant::now() }
    }

    /// Whether one more may pass.
    pub fn take(&mut self) -> bool {
        self.take_at(Instant::now())
    }

    fn take_at(&mut self, now: Instant) -> bool {
        self.refill(now);
        let enough = self.left >= 1.0;
        if enough {
            self.left -= 1.0;
        }
        enough
    }

    /// Lets one more pass, and says how long to wait before it does so.
    pub fn wait(&mut self) -> Duration {
        self.wait_at(Instant::now())
    }

    fn wait_at(&mut self, now: Instant) -> Duration {
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
    fn the_reserve_is_for_one_second() {
        let mut rate = Rate::new(10.0);
        let mut now = rate.since;
        assert_eq!((0..20).filter(|_| rate.take_at(now)).count(), 10);
        let longest: Duration = (0..5).map(|_| rate.wait_at(now)).max().expect("some");
        assert_eq!(longest, Duration::from_millis(500));
        now += Duration::from_secs(3600);
        assert_eq!((0..20).filter(|_| rate.take_at(now)).count(), 10);
    }
}
