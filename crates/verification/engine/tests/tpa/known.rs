//! Systems with known answers.

use shem_base::{Budget, Statistics, StopToken, UnknownReason};
use shem_chc::{EdgeId, Script, Trail, TransitionSystem, normalise};
use shem_check::{Validity, check_derivation};
use shem_engine::tpa::{DagTpa, Direction, StepOrder, Tpa, TpaSettings};
use shem_engine::{Context, Engine, NoEvents, Outcome, Reason, TransitionEngine};
use shem_term::{Sort, Store};
use shem_test_support::engine::{Found, run_transition};
use shem_test_support::transition::system;

const XY: [(&str, Sort); 2] = [("x", Sort::Int), ("y", Sort::Int)];

/// The unsafe loop in two phases with a counterexample of 2N steps.
fn two_phases(store: &mut Store, n: u32) -> TransitionSystem {
    let initial = format!("(and (= x 0) (= y {n}))");
    let transition =
        format!("(and (< x {m}) (= x.next (+ x 1)) (= y.next (ite (> x.next {n}) (+ y 1) y)))", m = 2 * n);
    let bad = format!("(and (>= x {m}) (= y {m}))", m = 2 * n);
    system(store, &XY, &initial, &transition, &bad)
}

/// The same with a step that is no function: the counter may also grow by two, but that is never right.
fn two_phases_with_choice(store: &mut Store, n: u32) -> TransitionSystem {
    let initial = format!("(and (= x 0) (= y {n}))");
    let transition = format!(
        "(and (< x {m}) (<= (+ x 1) x.next (+ x 2)) (= y.next (ite (> x.next {n}) (+ y 1) y)))",
        m = 2 * n
    );
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

fn context(events: &mut NoEvents) -> Context<'_> {
    Context { budget: Budget::unlimited(), seed: 1, witness: true, events, statistics: Statistics::new() }
}

#[test]
fn deep_counterexamples_are_found_and_walked() {
    for n in [1, 2, 3, 5, 16, 100, 511] {
        for mut engine in engines() {
            let mut store = Store::new();
            let system = two_phases(&mut store, n);
            let (found, statistics) = run_transition(&mut store, &system, &mut engine, Budget::unlimited());
            assert_eq!(found, Found::Unsafe { steps: 2 * n as usize }, "{n}: {statistics:?}");
        }
    }
}

/// Where there is a choice, nothing is run: the path is walked state by state.
#[test]
fn paths_with_a_choice_are_walked() {
    for n in [100, 200] {
        for mut engine in engines() {
            let mut store = Store::new();
            let system = two_phases_with_choice(&mut store, n);
            let (found, _) = run_transition(&mut store, &system, &mut engine, Budget::unlimited());
            let Found::Unsafe { steps } = found else { panic!("{n}: {found:?}") };
            assert!(steps > n as usize, "{n}: {steps} steps");
        }
    }
}

/// A program is run: the path has two billion steps and is a few repetitions.
#[test]
fn deep_counterexamples_are_run() {
    let n = 1_000_000_000;
    let mut events = NoEvents;
    for mut engine in engines() {
        let mut store = Store::new();
        let system = two_phases(&mut store, n);
        let mut context = context(&mut events);
        let Outcome::Unsafe(witness) = engine.solve(&mut store, &system, &mut context) else {
            panic!("a bad state is reached")
        };
        let path = witness.get(&mut store, &mut Budget::unlimited()).expect("a path");
        let Trail::Rounds(path) = path else { panic!("it is not listed") };
        assert_eq!(path.step_count(), 2 * u64::from(n) + 1);
        assert!(path.len() < 100);
    }
    let text = format!(
        "(set-logic HORN)(declare-fun p (Int Int) Bool)
        (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y {n})) (p x y))))
        (assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x {m}))
            (p (+ x 1) (ite (>= x {n}) (+ y 1) y)))))
        (assert (forall ((x Int) (y Int)) (=> (and (p x y) (>= x {m}) (= y {m})) false)))",
        m = 2 * n
    );
    for engine in engines() {
        let mut store = Store::new();
        let script = Script::read(&mut store, &text, &StopToken::new()).expect("a script");
        let graph = normalise(&mut store, &script.system);
        let mut context = context(&mut events);
        let Outcome::Unsafe(witness) = DagTpa::new(engine).solve(&mut store, &graph, &mut context) else {
            panic!("falsehood is reached")
        };
        let free = &mut Budget::unlimited();
        let derivation = witness.get(&mut store, free).expect("a derivation");
        assert_eq!(derivation.step_count(), 2 * u64::from(n) + 2);
        let derivation = derivation.map_rules(EdgeId::clause);
        assert_eq!(check_derivation(&mut store, &script.system, &derivation, free), Validity::Valid);
    }
}

#[test]
fn a_counterexample_of_twenty_thousand_steps() {
    for mut engine in engines() {
        let mut store = Store::new();
        let system = two_phases(&mut store, 10_000);
        let (found, _) = run_transition(&mut store, &system, &mut engine, Budget::unlimited());
        assert_eq!(found, Found::Unsafe { steps: 20_000 });
    }
}

#[test]
fn the_second_loop_of_the_paper_is_safe() {
    let mut store = Store::new();
    let system = read(&mut store, include_str!("race.smt2"));
    let mut engine = Tpa::split(TpaSettings::default());
    let (found, statistics) = run_transition(&mut store, &system, &mut engine, Budget::unlimited());
    assert_eq!(found, Found::Safe { invariant: true });
    // The kind of invariant, its level and its stride are told.
    let told = statistics.iter().filter(|(name, _)| name.starts_with("invariant.")).count();
    assert_eq!(told, 1, "{statistics:?}");
}

#[test]
fn the_first_loop_of_the_paper_is_safe() {
    let mut store = Store::new();
    let system = read(&mut store, include_str!("two-phases.smt2"));
    let mut engine = Tpa::split(TpaSettings::default());
    let (found, statistics) = run_transition(&mut store, &system, &mut engine, Budget::unlimited());
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
        TpaSettings { runs: false, stuttering: true, ..defaults() },
    ];
    for settings in variants {
        for mut engine in [Tpa::new(settings.clone()), Tpa::split(settings.clone())] {
            let mut store = Store::new();
            let system = two_phases(&mut store, 40);
            let (found, _) = run_transition(&mut store, &system, &mut engine.clone(), Budget::unlimited());
            assert_eq!(found, Found::Unsafe { steps: 80 }, "{settings:?}");
            let mut store = Store::new();
            let system = two_counters(&mut store);
            let (found, _) = run_transition(&mut store, &system, &mut engine, Budget::unlimited());
            assert_eq!(found, Found::Safe { invariant: true }, "{settings:?}");
        }
    }
}

/// The budget is respected, and the engine says so.
#[test]
fn a_stopped_engine_says_so() {
    for mut engine in engines() {
        let mut store = Store::new();
        let system = read(&mut store, include_str!("two-phases.smt2"));
        let stop = StopToken::new();
        stop.stop();
        let (found, _) = run_transition(&mut store, &system, &mut engine, Budget::until(stop));
        assert_eq!(found, Found::Unknown(Reason::Limit(UnknownReason::Stopped)));
    }
}
