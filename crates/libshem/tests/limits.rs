//! Limits, and stops from other threads, on a problem that nobody decides soon.

use std::thread;
use std::time::{Duration, Instant};

use libshem::{Cause, Limits, Options, Problem, StopToken, Undecided, Verdict};

/// No engine knows within minutes that the sums of the numbers below 1000003 are not 500002500004.
const HARD: &str = "(declare-fun p (Int Int) Bool)
    (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
    (assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 1) (+ y x)))))
    (assert (forall ((x Int) (y Int)) (=> (and (p x y) (= x 1000003) (= y 500002500004)) false)))";

/// How long a search may take to notice that it is to stop; builds without optimisation are slow.
const SOON: Duration = Duration::from_secs(10);

/// The default strategy, an engine that keeps obligations, and one that unrolls.
fn ways() -> [Options; 3] {
    let by = |name| Options::by_engine(name).expect("an engine");
    [Options::default(), by("spacer"), by("kind")]
}

/// Solves the problem; gives the cause of its end.
fn cause(options: &Options) -> Option<Cause> {
    let since = Instant::now();
    let mut problem = Problem::parse(HARD).expect("a problem");
    let answer = problem.solve(options).expect("no fault");
    assert!(since.elapsed() < SOON + Duration::from_secs(1), "{:?}", since.elapsed());
    match answer.verdict {
        Verdict::Unknown(Undecided::Ended(cause)) => Some(cause),
        _ => None,
    }
}

#[test]
fn time_is_limited() {
    let time = Duration::from_millis(200);
    for options in ways() {
        let limits = Limits { time: Some(time), memory: None };
        assert_eq!(cause(&Options { limits, ..options }), Some(Cause::Time(time)));
    }
}

/// The limit is above what the process has when the search begins, and then something else in the process takes it.
#[test]
#[cfg(target_os = "linux")]
fn memory_is_limited() {
    const BLOCK: usize = 256_000_000;
    let limit = libshem::resident().expect("Linux tells") + BLOCK / 2;
    let limits = Limits { time: None, memory: Some(limit) };
    let taker = thread::spawn(|| {
        thread::sleep(Duration::from_millis(300));
        let block = vec![1_u8; BLOCK];
        thread::sleep(Duration::from_secs(1));
        block.len()
    });
    let since = Instant::now();
    let options = Options { limits, ..Options::by_engine("spacer").expect("an engine") };
    assert_eq!(cause(&options), Some(Cause::Memory(limit)));
    assert!(since.elapsed() > Duration::from_millis(250), "the search had begun");
    assert_eq!(taker.join().expect("no panic"), BLOCK);
    // Below what the process has in any case.
    for options in ways() {
        let limits = Limits { time: None, memory: Some(1) };
        assert_eq!(cause(&Options { limits, ..options }), Some(Cause::Memory(1)));
    }
}

#[test]
fn another_thread_stops_the_search() {
    for options in ways() {
        let stop = StopToken::new();
        let options = Options { stop: stop.clone(), ..options };
        let other = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            stop.stop();
        });
        assert_eq!(cause(&options), Some(Cause::Stopped));
        other.join().expect("no panic");
        // A token that is stopped stays so.
        assert_eq!(cause(&options), Some(Cause::Stopped));
    }
}

/// What is decided within its limits has no cause.
#[test]
fn limits_that_are_not_reached_change_nothing() {
    let text = "(declare-fun p (Int) Bool) (assert (p 0)) (assert (not (p 1)))";
    let limits = Limits { time: Some(Duration::from_secs(600)), memory: Some(usize::MAX) };
    let options = Options { limits, ..Options::default() };
    let answer = Problem::parse(text).expect("a problem").solve(&options).expect("an answer");
    assert!(answer.model().is_some());
    assert_eq!(answer.warnings.is_empty(), cfg!(target_os = "linux"));
}
