//! The clock: the one thread that looks at the time.
//!
//! What runs a search never reads a clock; what it sees of time is a stop token. A deadline is a token and an
//! instant; it may stand under another token, and is then stopped with that one. Whoever sets a deadline holds a
//! [`Scheduled`], and the deadline is gone when that is dropped. Besides, there is work that is done again and
//! again: limits of memory, signals, the progress line of the command line.
//!
//! The thread is started with the first deadline and sleeps where there is nothing to wait for. A token under
//! another one is looked at every few milliseconds, since tokens wake nobody.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use shem_base::StopToken;

/// Between two looks at tokens that others may stop.
const PERIOD: Duration = Duration::from_millis(10);

/// What is done when the time has come.
enum Task {
    /// Stop the inner token: at this time, or when the outer token is stopped.
    Stop { token: StopToken, outer: Option<StopToken>, at: Option<Instant> },
    /// Do this now and again. It is taken out while it runs.
    Repeat { work: Option<Box<dyn FnMut() + Send>>, period: Duration, next: Instant },
}

/// What the thread has to do, by numbers that are never used twice.
struct Tasks {
    list: BTreeMap<u64, Task>,
    next: u64,
}

static TASKS: Mutex<Tasks> = Mutex::new(Tasks { list: BTreeMap::new(), next: 0 });
static CHANGED: Condvar = Condvar::new();
static STARTED: Once = Once::new();

/// Something that the clock is to do; it is not done any more once this is dropped.
#[derive(Debug)]
pub struct Scheduled(u64);

fn tasks() -> MutexGuard<'static, Tasks> {
    TASKS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn schedule(task: Task) -> Scheduled {
    STARTED.call_once(|| {
        // Without a thread nothing is stopped; but then no engine could be started either.
        let _ = thread::Builder::new().name("clock".to_owned()).spawn(watch);
    });
    let mut tasks = tasks();
    let id = tasks.next;
    tasks.next += 1;
    tasks.list.insert(id, task);
    CHANGED.notify_one();
    Scheduled(id)
}

impl Drop for Scheduled {
    fn drop(&mut self) {
        tasks().list.remove(&self.0);
    }
}

/// A token that is stopped at this time.
pub fn stop_at(at: Instant) -> (StopToken, Scheduled) {
    let token = StopToken::new();
    let scheduled = schedule(Task::Stop { token: token.clone(), outer: None, at: Some(at) });
    (token, scheduled)
}

/// A token that is stopped after so long, or when the outer one is.
pub fn stop_after(outer: &StopToken, time: Duration) -> (StopToken, Scheduled) {
    let token = StopToken::new();
    if time.is_zero() || outer.is_stopped() {
        token.stop();
    }
    let at = Instant::now().checked_add(time);
    let scheduled = schedule(Task::Stop { token: token.clone(), outer: Some(outer.clone()), at });
    (token, scheduled)
}

/// Does this now and again, for the first time after one period.
pub fn repeat(period: Duration, work: impl FnMut() + Send + 'static) -> Scheduled {
    schedule(Task::Repeat { work: Some(Box::new(work)), period, next: Instant::now() + period })
}

/// The thread.
fn watch() {
    let mut tasks = tasks();
    loop {
        let now = Instant::now();
        let mut wait: Option<Duration> = None;
        let mut due = Vec::new();
        tasks.list.retain(|&id, task| match task {
            Task::Stop { token, outer, at } => {
                let over =
                    at.is_some_and(|at| at <= now) || outer.as_ref().is_some_and(StopToken::is_stopped);
                if over {
                    token.stop();
                    return false;
                }
                let left = at.map(|at| at - now).into_iter().chain(outer.as_ref().map(|_| PERIOD));
                wait = wait.into_iter().chain(left).min();
                true
            }
            Task::Repeat { work, period, next } => {
                if *next <= now {
                    *next = now + *period;
                    due.extend(work.take().map(|work| (id, work)));
                }
                wait = wait.into_iter().chain([*next - now]).min();
                true
            }
        });
        if !due.is_empty() {
            // Work may take long, and may schedule something itself.
            drop(tasks);
            due.iter_mut().for_each(|(_, work)| work());
            tasks = self::tasks();
            for (id, done) in due {
                if let Some(Task::Repeat { work, .. }) = tasks.list.get_mut(&id) {
                    *work = Some(done);
                }
            }
            continue;
        }
        tasks = match wait {
            Some(wait) => CHANGED.wait_timeout(tasks, wait).unwrap_or_else(PoisonError::into_inner).0,
            None => CHANGED.wait(tasks).unwrap_or_else(PoisonError::into_inner),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    fn wait(token: &StopToken) {
        let since = Instant::now();
        while !token.is_stopped() {
            assert!(since.elapsed() < Duration::from_secs(20), "the token is never stopped");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn the_token_is_stopped_by_time_or_from_outside() {
        let outer = StopToken::new();
        let (soon, _soon) = stop_after(&outer, Duration::from_millis(5));
        wait(&soon);
        let (late, _late) = stop_after(&outer, Duration::MAX);
        assert!(!late.is_stopped());
        outer.stop();
        wait(&late);
        assert!(stop_after(&outer, Duration::MAX).0.is_stopped());
    }

    #[test]
    fn deadlines_do_not_touch_each_other_and_end_with_their_owner() {
        let (late, _late) = stop_at(Instant::now() + Duration::from_secs(3600));
        let (soon, _soon) = stop_at(Instant::now() + Duration::from_millis(5));
        wait(&soon);
        assert!(!late.is_stopped());
        let (dropped, scheduled) = stop_at(Instant::now() + Duration::from_millis(20));
        drop(scheduled);
        thread::sleep(Duration::from_millis(40));
        assert!(!dropped.is_stopped());
    }

    #[test]
    fn work_is_repeated_until_it_is_dropped() {
        let count = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&count);
        let scheduled = repeat(Duration::from_millis(2), move || {
            counted.fetch_add(1, Ordering::Relaxed);
            // Work may set deadlines of its own.
            drop(stop_at(Instant::now()));
        });
        let since = Instant::now();
        while count.load(Ordering::Relaxed) < 3 {
            assert!(since.elapsed() < Duration::from_secs(20), "nothing is repeated");
            thread::sleep(Duration::from_millis(1));
        }
        drop(scheduled);
        thread::sleep(Duration::from_millis(10));
        let last = count.load(Ordering::Relaxed);
        thread::sleep(Duration::from_millis(30));
        assert_eq!(count.load(Ordering::Relaxed), last);
    }
}
