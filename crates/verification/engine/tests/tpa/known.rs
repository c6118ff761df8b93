//! Systems with known answers.

use shem_base::Budget;
use shem_chc::TransitionSystem;
use shem_engine::tpa::{Tpa, TpaSettings};
use shem_term::{Sort, Store};

use crate::judge::{Found, run, system};

const XY: [(&str, Sort); 2] = [("x", Sort::Int), ("y", Sort::Int)];

/// The unsafe loop in two phases with a counterexample of 2N steps.
fn two_phases(store: &mut Store, n: u32) -> TransitionSystem {
    let initial = format!("(and (= x 0) (= y {n}))");
    let transition = format!(
        "(and (< x {m}) (= x.next (+ x 1)) (= y.next (ite (> x.next {n}) (+ y 1) y)))",
        m = 2 * n
    );
    let bad = format!("(and (>= x {m}) (= y {m}))", m = 2 * n);
    system(store, &XY, &initial, &transition, &bad)
}

/// The first loop of figure 1 of the paper on split-TPA.
fn first_loop(store: &mut Store, n: u32) -> TransitionSystem {
    let initial = format!("(and (= x 0) (= y {n}))");
    let transition =
        format!("(and (< x {m}) (= x.next (+ x 1)) (= y.next (ite (>= x {n}) (+ y 1) y)))", m = 2 * n);
    let bad = format!("(and (>= x {m}) (not (= y {m})))", m = 2 * n);
    system(store, &XY, &initial, &transition, &bad)
}

/// The second one.
fn second_loop(store: &mut Store) -> TransitionSystem {
    let sorts = ["x", "z", "v", "w"].map(|name| (name, Sort::Int));
    let transition = "(and (< v 1000) (= v.next (ite (< x z) (+ v 1) v)) (= w.next (ite (< x z) w (+ w 1)))
                           (= x.next (+ x 1)) (= z.next (+ z 2)))";
    system(store, &sorts, "(and (= v 0) (= w 0) (> x z))", transition, "(and (>= v 1000) (<= w 0))")
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
    let system = second_loop(&mut store);
    let (found, statistics) = run(Tpa::split(TpaSettings::default()), &mut store, &system, Budget::unlimited());
    eprintln!("{statistics:?}");
    assert_eq!(found, Found::Safe { invariant: true });
}

#[test]
fn the_first_loop_of_the_paper_is_safe() {
    let mut store = Store::new();
    let system = first_loop(&mut store, 5000);
    let (found, statistics) = run(Tpa::split(TpaSettings::default()), &mut store, &system, Budget::unlimited());
    eprintln!("{statistics:?}");
    assert_eq!(found, Found::Safe { invariant: true });
}
