//! Systems with known answers.

use shem_base::{Budget, StopToken, UnknownReason};
use shem_chc::{Script, TransitionSystem, normalise};
use shem_engine::Reason;
use shem_engine::tpa::{CandidateOrder, Direction, GroundOrder, StepOrder, Tpa, TpaSettings};
use shem_term::{Sort, Store};

use crate::judge::{Found, run, system};

const XY: [(&str, Sort); 2] = [("x", Sort::Int), ("y", Sort::Int)];

/// The unsafe loop in two phases with a counterexample of 2N steps.
fn two_phases(store: &mut Store, n: u32) -> TransitionSystem {
    let initial = format!("(and (= x 0) (= y {n}))");
    let transition =
        format!("(and (< x {m}) (= x.next (+ x 1)) (= y.next (ite (> x.next {n}) (+ y 1) y)))", m = 2 * n);
    let bad = format!("(and (>= x {m}) (= y {m}))", m = 2 * n);
    system(store, &XY, &initial, &transition, &bad)
}

/// Two counters in step up to 20; that they differ is bad.
fn two_counters(store: &mut Store) -> TransitionSystem {
    let transition = "(and (< x 20) (= x.next (+ x 1)) (= y.next (+ y 1)))";
    system(store, &XY, "(and (= x 0) (= y 0))", transition, "(and (>= x 20) (not (= x y)))")
}

/// The system of a file.
fn read(store: &mut Store, text: &str) -> TransitionSystem {
    let script = Script::read(store, text, &StopToken::new()).expect("a script");
    let mut graph = normalise(store, &script.system);
    TransitionSystem::of(store, &mut graph).expect("a transition system").1
}

fn engines() -> [Tpa; 2] {
    [Tpa::new(TpaSettings::default()), Tpa::split(TpaSettings::default())]
}

#[test]
fn deep_counterexamples_are_found_and_walked() {
    for n in [1, 2, 3, 5, 16, 100, 511] {
        for engine in engines() {
            let mut store = Store::new();
            let system = two_phases(&mut store, n);
            let (found, statistics) = run(engine, &mut store, &system, Budget::unlimited());
            assert_eq!(found, Found::Unsafe { steps: 2 * n as usize }, "{n}: {statistics:?}");
        }
    }
}

#[test]
fn a_counterexample_of_twenty_thousand_steps() {
    for engine in engines() {
        let mut store = Store::new();
        let system = two_phases(&mut store, 10_000);
        let (found, _) = run(engine, &mut store, &system, Budget::unlimited());
        assert_eq!(found, Found::Unsafe { steps: 20_000 });
    }
}

#[test]
fn the_second_loop_of_the_paper_is_safe() {
    let mut store = Store::new();
    let system = read(&mut store, include_str!("race.smt2"));
    let engine = Tpa::split(TpaSettings::default());
    let (found, statistics) = run(engine, &mut store, &system, Budget::unlimited());
    assert_eq!(found, Found::Safe { invariant: true });
    // The kind of invariant, its level and its stride are told.
    let told = statistics.iter().filter(|(name, _)| name.starts_with("invariant.")).count();
    assert_eq!(told, 1, "{statistics:?}");
}

#[test]
fn the_first_loop_of_the_paper_is_safe() {
    let mut store = Store::new();
    let system = read(&mut store, include_str!("two-phases.smt2"));
    let engine = Tpa::split(TpaSettings::default());
    let (found, statistics) = run(engine, &mut store, &system, Budget::unlimited());
    // The invariant of states enumerates thousands of them; within the budget of the judge there is none.
    assert!(matches!(found, Found::Safe { .. }), "{found:?}");
    assert!(statistics.count("depth") >= 13, "{statistics:?}");
}

/// The settings that change the search find the same answers.
#[test]
fn settings_do_not_change_answers() {
    let defaults = TpaSettings::default;
    let variants = [
        TpaSettings { base: 3, ..defaults() },
        TpaSettings { direction: Direction::Backward, ..defaults() },
        TpaSettings { step_order: StepOrder::LessFirst, ..defaults() },
        TpaSettings { use_qe: true, ..defaults() },
        TpaSettings { candidate_order: CandidateOrder::EqualFirst, ..defaults() },
        TpaSettings { ground_order: GroundOrder::RightFirst, ..defaults() },
    ];
    for settings in variants {
        for engine in [Tpa::new(settings.clone()), Tpa::split(settings.clone())] {
            let mut store = Store::new();
            let system = two_phases(&mut store, 40);
            let (found, _) = run(engine.clone(), &mut store, &system, Budget::unlimited());
            assert_eq!(found, Found::Unsafe { steps: 80 }, "{settings:?}");
            let mut store = Store::new();
            let system = two_counters(&mut store);
            let (found, _) = run(engine, &mut store, &system, Budget::unlimited());
            assert_eq!(found, Found::Safe { invariant: true }, "{settings:?}");
        }
    }
}

/// The budget is respected, and the engine says so.
#[test]
fn a_stopped_engine_says_so() {
    for engine in engines() {
        let mut store = Store::new();
        let system = read(&mut store, include_str!("two-phases.smt2"));
        let stop = StopToken::new();
        stop.stop();
        let (found, _) = run(engine, &mut store, &system, Budget::until(stop));
        assert_eq!(found, Found::Unknown(Reason::Limit(UnknownReason::Stopped)));
    }
}
