//! Several solvers in one process: the first whose verdict is accepted wins.
//!
//! Every runner has a thread of its own and a stop token; nothing is shared between them but what the caller put
//! into them. Results are judged in the order in which they come, while the others go on. When one is accepted, or
//! when the race is called off, all are stopped; nobody waits for them longer than it takes to notice. A runner that
//! panics is out of the race, and the others do not notice.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use shem_base::StopToken;

/// Between two looks at the outer token.
const PERIOD: Duration = Duration::from_millis(5);

/// How long a runner that was stopped may take to end.
const FAREWELL: Duration = Duration::from_millis(100);

/// A runner's stack: searches keep their own, but other code may be compiled without optimisation.
const STACK: usize = 16 << 20;

/// What takes part in a race: it hands over its results, mostly one, as it finds them.
pub type Runner<T> = Box<dyn FnOnce(&StopToken, &mut dyn FnMut(T)) + Send>;

/// What a runner has done.
#[derive(Debug)]
pub enum Finish<T> {
    /// It has found this; it may go on.
    Result(T),
    /// It panicked, and this is what it said.
    Panic(String),
}

/// Runs all at once and has their results judged as they come. The verdict that the judge breaks with is that of the
/// race; `None` if all have ended before, or the outer token was stopped. The watcher looks on every few milliseconds,
/// and says whether to go on.
pub fn race<T: Send + 'static, V>(
    runners: Vec<Runner<T>>,
    stop: &StopToken,
    mut judge: impl FnMut(usize, Finish<T>) -> ControlFlow<V>,
    mut watch: impl FnMut() -> bool,
) -> Option<V> {
    let (sender, results) = channel();
    let mut tokens = Vec::with_capacity(runners.len());
    let mut threads = Vec::with_capacity(runners.len());
    for (number, runner) in runners.into_iter().enumerate() {
        let token = StopToken::new();
        tokens.push(token.clone());
        let sender = sender.clone();
        let run = move || {
            // Nobody listens any more once the race is over.
            let mut emit = |result| drop(sender.send((number, Finish::Result(result))));
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| runner(&token, &mut emit))) {
                let _ = sender.send((number, Finish::Panic(words(&*panic))));
            }
        };
        match thread::Builder::new().name(format!("runner {number}")).stack_size(STACK).spawn(run) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                if let ControlFlow::Break(verdict) = judge(number, Finish::Panic(error.to_string())) {
                    tokens.iter().for_each(StopToken::stop);
                    return Some(verdict);
                }
            }
        }
    }
    drop(sender);
    let mut verdict = None;
    loop {
        match results.recv_timeout(PERIOD) {
            Ok((number, finish)) => {
                if let ControlFlow::Break(found) = judge(number, finish) {
                    verdict = Some(found);
                    break;
                }
            }
            Err(RecvTimeoutError::Timeout) if !stop.is_stopped() && watch() => {}
            Err(_) => break,
        }
    }
    tokens.iter().for_each(StopToken::stop);
    let since = Instant::now();
    while threads.iter().any(|thread| !thread.is_finished()) && since.elapsed() < FAREWELL {
        thread::sleep(Duration::from_millis(1));
    }
    verdict
}

/// What a panic says.
fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runner<T>(run: impl FnOnce(&StopToken) -> T + Send + 'static) -> Runner<T> {
        Box::new(move |token, emit| emit(run(token)))
    }

    fn until_stopped(token: &StopToken) -> u32 {
        while !token.is_stopped() {
            thread::sleep(Duration::from_millis(1));
        }
        99
    }

    #[test]
    fn the_first_that_is_accepted_wins() {
        let runners = vec![
            runner(until_stopped),
            runner(|_| 1),
            runner(|_| {
                thread::sleep(Duration::from_millis(30));
                2
            }),
        ];
        let mut judged = Vec::new();
        let judge = |number, finish| {
            let Finish::Result(result) = finish else { panic!("nobody panics") };
            judged.push((number, result));
            if result == 1 { ControlFlow::Continue(()) } else { ControlFlow::Break(result) }
        };
        let found = race(runners, &StopToken::new(), judge, || true);
        assert_eq!((found, judged), (Some(2), vec![(1, 1), (2, 2)]));
    }

    #[test]
    fn a_panic_is_one_runner_less() {
        let runners =
            vec![runner(|_| -> u32 { panic!("out of {}", "breath") }), runner(|_| panic!("me too"))];
        let mut said = Vec::new();
        let judge = |_, finish| {
            let Finish::Panic(words) = finish else { panic!("all panic") };
            said.push(words);
            ControlFlow::Continue(())
        };
        let found: Option<()> = race(runners, &StopToken::new(), judge, || true);
        said.sort();
        assert_eq!((found, said), (None, vec!["me too".to_owned(), "out of breath".to_owned()]));
    }

    #[test]
    fn a_race_is_called_off_in_time() {
        let stop = StopToken::new();
        let started = Instant::now();
        let other = stop.clone();
        let caller = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            other.stop();
        });
        let mut looks = 0;
        let go_on = |_, _| ControlFlow::Continue(());
        let found: Option<u32> = race(vec![runner(until_stopped)], &stop, go_on, || {
            looks += 1;
            true
        });
        caller.join().unwrap();
        assert_eq!(found, None);
        assert!(looks > 0, "somebody looks on");
        // Whoever looks on may end it, too.
        let found: Option<u32> = race(vec![runner(until_stopped)], &StopToken::new(), go_on, || false);
        assert_eq!(found, None);
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}
