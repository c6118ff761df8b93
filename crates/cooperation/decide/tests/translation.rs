//! Invariants between engines that see integers and engines that see bits.

use std::time::Duration;

use shem_base::{Statistic, StopToken};
use shem_chc::Script;
use shem_decide::{Answer, Checked, Engines, Entry, Request, SolveOptions, Verdict, Witness, decide};
use shem_engine::NoEvents;
use shem_term::Store;

/// A word that is at most another one, which is for integers, beside the parity of a word, which is for bits.
const ORDER_AND_PARITY: &str = "
    (declare-fun p ((_ BitVec 12) (_ BitVec 12) (_ BitVec 4) (_ BitVec 1)) Bool)
    (define-fun parity ((k (_ BitVec 4))) (_ BitVec 1)
      (bvxor ((_ extract 0 0) k) ((_ extract 1 1) k) ((_ extract 2 2) k) ((_ extract 3 3) k)))
    (assert (p #x000 #x000 #x0 #b0))
    (assert (forall ((a (_ BitVec 12)) (c (_ BitVec 12)) (k (_ BitVec 4)) (t (_ BitVec 1)) (j (_ BitVec 4)) (i Bool))
      (=> (and (p a c k t) (bvult c #x600))
          (p (ite i (bvadd a #x001) a) (bvadd c #x001) (bvxor k j) (bvxor t (parity j))))))
    (assert (forall ((a (_ BitVec 12)) (c (_ BitVec 12)) (k (_ BitVec 4)) (t (_ BitVec 1)))
      (=> (and (p a c k t) (or (distinct t (parity k)) (bvult c a))) false)))";

fn solve(options: &SolveOptions) -> Answer {
    let mut store = Store::new();
    let system = Script::read(&mut store, ORDER_AND_PARITY, &StopToken::new()).expect("a script").system;
    let request = Request { system: &system, options, launch: None };
    decide(&mut store, &request, &StopToken::new(), &mut NoEvents).expect("no fault")
}

/// Without the passes that would find the order themselves.
fn options() -> SolveOptions {
    let engines = Engines::Mix(Entry::mix("ic3, spacer").expect("a mix"));
    let mut options = SolveOptions { engines, ..SolveOptions::default() };
    for pass in ["equalities", "invariants", "word-invariants"] {
        options.disabled_passes.disable(pass).expect("a pass");
    }
    options
}

#[track_caller]
fn check(answer: &Answer) {
    assert!(matches!(answer.verdict, Verdict::Sat(Witness::Found(_))), "{answer:?}");
    assert_eq!(answer.checked, Checked::Witness);
    for name in ["portfolio.translated", "ic3.shared.invariants"] {
        let count = answer.statistics.get(name);
        assert!(matches!(count, Some(Statistic::Count(1..))), "{name}: {count:?}");
    }
}

#[test]
fn what_integers_show_helps_bits_in_rounds() {
    let limit = Some(Duration::from_secs(20));
    let rounds =
        SolveOptions { deterministic: true, virtual_cores: Some(1), verdict_time: limit, ..options() };
    let answer = solve(&rounds);
    check(&answer);
    // The same run takes the same steps.
    let count = |answer: &Answer| answer.statistics.get("ic3.queries");
    assert_eq!(count(&solve(&rounds)), count(&answer));
}

#[test]
fn what_integers_show_helps_bits_in_threads() {
    check(&solve(&options()));
}
