//! The parts of PD-KIND.

use shem_engine::Adaptor;
use shem_engine::pdkind::{Depth, Order, PdKind, Settings};
use shem_test_support::engine::Judged::{Safe, Unknown, Unsafe};

use super::{choice, clause, decide, declare, one_loop, queries};

fn engine(settings: Settings) -> Adaptor<PdKind> {
    Adaptor::new(PdKind::new(settings))
}

/// With one step of induction a lemma is needed for each step; deeper induction needs fewer lemmas.
#[test]
fn deep_induction_needs_fewer_lemmas() {
    let one = || Settings { depth: Depth::One, ..Settings::default() };
    let text = one_loop("x y", "(= x 0) (= y 0)", &[("true", "(+ x 1) (+ y 2)")], "(= x 20) (not (= y 40))");
    let (judged, deep) = decide(&text, &mut engine(Settings::default()));
    assert_eq!(judged, Safe);
    let (judged, shallow) = decide(&text, &mut engine(one()));
    assert_eq!(judged, Safe);
    assert_eq!(shallow.count("induction.depth"), 1);
    assert!(deep.count("induction.depth") > 4, "{deep}");
    assert!(queries(&shallow) > 3 * queries(&deep), "{shallow}");
}

/// There are systems on which a depth of one does not end.
#[test]
fn deep_induction_decides_more() {
    let steps = [
        ("(= (+ y z) 7)", "(+ x z) (- y 1) (+ z y)"),
        ("(= x 15)", "(- x 1) (- y 2) (+ z z)"),
        ("true", "z x (+ z y)"),
    ];
    let text = one_loop("x y z", "(= x (- 2)) (= y 1) (= z (- 1))", &steps, "(= (+ x z) 3) (<= x 12)");
    let (judged, deep) = decide(&text, &mut engine(Settings::default()));
    assert_eq!(judged, Safe, "{deep}");
    let (judged, shallow) = decide(&text, &mut engine(Settings { depth: Depth::One, ..Settings::default() }));
    assert_eq!(judged, Unknown, "{shallow}");
}

/// The newest obligation leads to the counterexample; the oldest ones have ever new predecessors.
#[test]
fn the_newest_obligation_first() {
    let steps = [
        ("true", "(+ x y) (+ y x) (+ z 3)"),
        ("true", "(- x 1) (- y 1) (+ z x)"),
        ("true", "(+ x y) (+ y 2) z"),
    ];
    let mut text = declare("p", "x y z") + &clause("x y z", "(= x 2) (= y 1) (= z 1)", "(p x y z)");
    text += &choice("p", "x y z", &steps);
    text += &clause("x y z", "(p x y z) (< y (- 1)) (< x 1)", "false");
    let (judged, newest) = decide(&text, &mut engine(Settings::default()));
    assert_eq!(judged, Unsafe, "{newest}");
    let oldest = Settings { order: Order::Oldest, ..Settings::default() };
    let (judged, oldest) = decide(&text, &mut engine(oldest));
    assert_eq!(judged, Unknown, "{oldest}");
    assert!(queries(&oldest) > 10 * queries(&newest), "{oldest}");
}

/// There is no switch for what makes up the algorithm: all of its cases occur on a loop in two phases. Lemmas are
/// pushed, added for predecessors, strengthened, and given up; models are generalised; the frames of bounded
/// reachability learn lemmas and step back by projection.
#[test]
fn every_case_of_the_induction_occurs() {
    let steps = [("(< x 6)", "(+ x 1) y"), ("(>= x 6) (< x 12)", "(+ x 1) (+ y 1)")];
    let text = one_loop("x y", "(= x 0) (= y 6)", &steps, "(>= x 12) (not (= x y))");
    let (judged, statistics) = decide(&text, &mut engine(Settings::default()));
    assert_eq!(judged, Safe, "{statistics}");
    for counter in [
        "lemmas.pushed",
        "lemmas.added",
        "lemmas.strengthened",
        "lemmas.given-up",
        "induction.generalised",
        "reachability.lemmas",
        "reachability.projections",
    ] {
        assert!(statistics.count(counter) > 0, "{counter}: {statistics}");
    }
}
