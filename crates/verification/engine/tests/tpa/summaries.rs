//! Nonlinear graphs: loops in procedures, procedures that call others twice, recursion; and random ones, compared with
//! the list of all facts. Every witness is judged.

use shem_base::{Budget, Rng, Statistics, StopToken};
use shem_chc::{Script, Shape, normalise};
use shem_engine::tpa::{DagTpa, Tpa, TpaSettings};
use shem_term::Store;
use shem_test_support::engine::{Judged, run};
use shem_test_support::graph::{Plan, is_unsafe, random_graph};

fn engines() -> [DagTpa; 2] {
    [Tpa::new(TpaSettings::default()), Tpa::split(TpaSettings::default())].map(DagTpa::new)
}

fn declare(predicate: &str, arguments: usize) -> String {
    format!("(declare-fun {predicate} ({}) Bool)\n", vec!["Int"; arguments].join(" "))
}

fn clause(variables: &str, body: &str, head: &str) -> String {
    let binders: String = variables.split(' ').map(|name| format!("({name} Int)")).collect();
    format!("(assert (forall ({binders}) (=> (and {body}) {head})))\n")
}

#[track_caller]
fn decide(text: &str, mut engine: DagTpa) -> (Judged, Statistics) {
    let mut store = Store::new();
    let script = Script::read(&mut store, text, &StopToken::new()).expect("a script");
    let graph = normalise(&mut store, &script.system);
    assert_eq!(Shape::of(&graph), Shape::Nonlinear, "{text}");
    let budget = Budget { conflicts: 200_000, pivots: 4_000_000, ..Budget::unlimited() };
    run(&mut store, &graph, &mut engine, budget)
}

/// A procedure `p` from a number to that number plus `rounds`, by a loop of so many rounds.
fn counting(rounds: u64) -> String {
    declare("l", 3)
        + &declare("p", 2)
        + &clause("x", "true", "(l x 0 x)")
        + &clause("x i y", &format!("(l x i y) (< i {rounds})"), "(l x (+ i 1) (+ y 1))")
        + &clause("x i y", &format!("(l x i y) (>= i {rounds})"), "(p x y)")
}

/// Procedures of which each calls the one before twice; the first is the loop.
fn doubling(rounds: u64, calls: usize, bad: &str) -> String {
    let mut text = counting(rounds);
    let mut callee = "p".to_owned();
    for level in 0..calls {
        let name = format!("p{level}");
        text += &declare(&name, 2);
        text += &clause("x y z", &format!("({callee} x y) ({callee} y z)"), &format!("({name} x z)"));
        callee = name;
    }
    text + &clause("x y", &format!("({callee} x y) {bad}"), "false")
}

#[test]
fn loops_in_procedures_that_are_called_twice() {
    for (number, engine) in engines().into_iter().enumerate() {
        // One sequence needs a formula for each length of a path to prove what a loop computes.
        let families: &[(u64, usize)] = if number == 0 { &[(5, 1)] } else { &[(5, 1), (100, 2), (1_000, 3)] };
        for &(rounds, calls) in families {
            let result = rounds << calls;
            let wrong = doubling(rounds, calls, &format!("(= x 0) (= y {result})"));
            assert_eq!(decide(&wrong, engine.clone()).0, Judged::Unsafe, "{rounds} {calls}");
            let right = doubling(rounds, calls, &format!("(> y (+ x {result}))"));
            let (judged, statistics) = decide(&right, engine.clone());
            assert_eq!(judged, Judged::Safe, "{rounds} {calls}: {statistics}");
        }
    }
}

#[test]
fn the_levels_of_a_loop_in_a_procedure_are_the_logarithm_of_its_rounds() {
    for engine in engines() {
        for (rounds, most) in [(100, 7), (1_000, 10)] {
            let (judged, statistics) = decide(&doubling(rounds, 3, "(<= y x)"), engine.clone());
            assert_eq!(judged, Judged::Safe, "{rounds}: {statistics}");
            assert!(statistics.count("depth") <= most, "{rounds}: {statistics}");
        }
    }
}

/// A loop that calls a procedure in every round: `m` has the rounds so far and the sum of what was returned.
fn calling_loop(rounds: u64, within: u64, bad: &str) -> String {
    counting(within)
        + &declare("m", 2)
        + &clause("k", "(= k 0)", "(m k 0)")
        + &clause("k s r", &format!("(m k s) (p s r) (< k {rounds})"), "(m (+ k 1) r)")
        + &clause("k s", &format!("(m k s) (>= k {rounds}) {bad}"), "false")
}

#[test]
fn loops_that_call_procedures_with_loops() {
    for engine in engines() {
        let wrong = calling_loop(6, 7, "(= s 42)");
        assert_eq!(decide(&wrong, engine.clone()).0, Judged::Unsafe);
        let (judged, statistics) = decide(&calling_loop(6, 9, "(< s k)"), engine.clone());
        assert_eq!(judged, Judged::Safe, "{statistics}");
    }
}

/// Two loops, one within the other, in a procedure from `x` to `y` that is called twice.
fn nested_loops(outer: u64, inner: u64, bad: &str) -> String {
    declare("o", 3)
        + &declare("w", 4)
        + &declare("p", 2)
        + &clause("x", "true", "(o x 0 x)")
        + &clause("x i y", &format!("(o x i y) (< i {outer})"), "(w x i 0 y)")
        + &clause("x i j y", &format!("(w x i j y) (< j {inner})"), "(w x i (+ j 1) (+ y 1))")
        + &clause("x i j y", &format!("(w x i j y) (>= j {inner})"), "(o x (+ i 1) y)")
        + &clause("x i y", &format!("(o x i y) (>= i {outer})"), "(p x y)")
        + &clause("x y z", &format!("(p x y) (p y z) {bad}"), "false")
}

#[test]
fn loops_within_loops_in_procedures() {
    for engine in engines() {
        let wrong = nested_loops(3, 4, "(= x 0) (= z 24)");
        assert_eq!(decide(&wrong, engine.clone()).0, Judged::Unsafe);
        let right = nested_loops(3, 4, "(< z x)");
        let (judged, statistics) = decide(&right, engine.clone());
        assert_eq!(judged, Judged::Safe, "{statistics}");
        assert!(statistics.count("components") < 5, "the two loops are one component: {statistics}");
    }
}

#[test]
fn procedures_that_call_themselves_twice() {
    let fibonacci = |bad: &str| {
        declare("f", 2)
            + &clause("n", "(< n 2)", "(f n 1)")
            + &clause("n a b", "(>= n 2) (f (- n 1) a) (f (- n 2) b)", "(f n (+ a b))")
            + &clause("n a", &format!("(f n a) {bad}"), "false")
    };
    let mccarthy = |bad: &str| {
        declare("f", 2)
            + &clause("n", "(> n 100)", "(f n (- n 10))")
            + &clause("n a b", "(<= n 100) (f (+ n 11) a) (f a b)", "(f n b)")
            + &clause("n a", &format!("(f n a) {bad}"), "false")
    };
    for engine in engines() {
        assert_eq!(decide(&fibonacci("(< a 1)"), engine.clone()).0, Judged::Safe);
        assert_eq!(decide(&fibonacci("(= n 6) (= a 13)"), engine.clone()).0, Judged::Unsafe);
        assert_eq!(decide(&mccarthy("(= n 99) (= a 91)"), engine.clone()).0, Judged::Unsafe);
        assert_eq!(decide(&mccarthy("(< a 91)"), engine).0, Judged::Safe);
    }
}

#[test]
fn what_no_procedure_returns_is_safe_at_once() {
    // The callee has no facts at all, or no clause.
    let text = |first: &str| {
        declare("p", 1)
            + &declare("q", 1)
            + first
            + &clause("x", "(= x 0)", "(q x)")
            + &clause("x y", "(q x) (p y)", "(q (+ x y))")
            + &clause("x", "(q x) (> x 0)", "false")
    };
    for engine in engines() {
        for first in [String::new(), clause("x", "(p x)", "(p (+ x 1))"), clause("x", "(< x x)", "(p x)")] {
            assert_eq!(decide(&text(&first), engine.clone()).0, Judged::Safe);
        }
    }
}

#[test]
fn random_graphs() {
    for (number, engine) in engines().into_iter().enumerate() {
        let mut counts = [0; 3];
        for seed in 0..shem_test_support::rounds(300) {
            let mut store = Store::new();
            let mut rng = Rng::new(seed);
            let vertices = 1 + rng.index(3);
            let edges = vertices + rng.index(2 * vertices + 3);
            let plan = Plan { vertices, edges, arguments: 2, nonlinear: true };
            let graph = random_graph(&mut store, &mut rng, plan);
            if Shape::of(&graph) != Shape::Nonlinear {
                continue;
            }
            let budget = Budget { conflicts: 100_000, ..Budget::unlimited() };
            let (judged, statistics) = run(&mut store, &graph, &mut engine.clone(), budget);
            if judged != Judged::Unknown {
                let expected = is_unsafe(&store, &graph);
                assert_eq!(judged == Judged::Unsafe, expected, "seed {seed}, engine {number}: {statistics}");
            }
            counts[judged as usize] += 1;
        }
        assert!(counts[..2].iter().all(|&n| n > 20), "a one-sided test: {counts:?}");
        assert!(counts[2] * 50 < counts[0] + counts[1], "too many are left open: {counts:?}");
    }
}

#[test]
fn a_search_that_is_stopped_ends() {
    let mut store = Store::new();
    let text = doubling(1_000, 2, "(< y x)");
    let script = Script::read(&mut store, &text, &StopToken::new()).expect("a script");
    let graph = normalise(&mut store, &script.system);
    for mut engine in engines() {
        let budget = Budget::unlimited();
        budget.stop.stop();
        let (judged, _) = run(&mut store, &graph, &mut engine, budget);
        assert_eq!(judged, Judged::Unknown);
    }
}
