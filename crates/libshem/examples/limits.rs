//! Limits of time and memory, and a stop from another thread, on a problem that no engine decides soon.

#![allow(clippy::print_stdout, reason = "the example shows the reasons")]

use std::thread;
use std::time::Duration;

use libshem::{Cause, Limits, Options, Problem, StopToken, Undecided, Verdict};

/// The pairs of x and x (x - 1) / 2, of which one that is next to a pair of them is asked for.
const TEXT: &str = "
    (declare-fun Inv (Int Int) Bool)
    (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (Inv x y))))
    (assert (forall ((x Int) (y Int)) (=> (Inv x y) (Inv (+ x 1) (+ y x)))))
    (assert (forall ((x Int) (y Int)) (=> (and (Inv x y) (= x 1000003) (= y 500002500004)) false)))";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut problem = Problem::parse(TEXT)?;
    let cause = |verdict: &Verdict| match verdict {
        Verdict::Unknown(Undecided::Ended(cause)) => Some(*cause),
        _ => None,
    };

    let time = Duration::from_millis(300);
    let limits = Limits { time: Some(time), memory: None };
    let answer = problem.solve(&Options { limits, ..Options::default() })?;
    assert_eq!(cause(&answer.verdict), Some(Cause::Time(time)));
    println!("{}: {}", answer.verdict.word(), Cause::Time(time));

    // The limit is about the whole process; this one is below what it has already. Only Linux tells how much that is.
    if cfg!(target_os = "linux") {
        let limits = Limits { time: None, memory: Some(1_000_000) };
        let answer = problem.solve(&Options { limits, ..Options::by_engine("spacer")? })?;
        assert_eq!(cause(&answer.verdict), Some(Cause::Memory(1_000_000)));
        println!("{}: {}", answer.verdict.word(), Cause::Memory(1_000_000));
    }

    // Clones of a token are stopped together.
    let stop = StopToken::new();
    let options = Options { stop: stop.clone(), ..Options::default() };
    let other = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        stop.stop();
    });
    let answer = problem.solve(&options)?;
    other.join().expect("the thread ends");
    assert_eq!(cause(&answer.verdict), Some(Cause::Stopped));
    println!("{}: {}", answer.verdict.word(), Cause::Stopped);
    Ok(())
}
