//! The parts of lazy abstraction.

use shem_engine::lawi::{Lawi, Settings};
use shem_test_support::engine::Judged::{self, Safe};

use super::Worth::{self, Answer, Queries};
use super::{acts, choice, clause, decide, declare, one_loop, takes_part, two_loops};

/// Compares the default with these settings.
#[track_caller]
fn check(text: &str, expected: Judged, counter: &str, worth: Worth, without: Settings) {
    acts(text, expected, counter, worth, &mut Lawi::default(), &mut Lawi::new(without));
}

#[test]
fn several_nodes_cover_one_together() {
    let text = two_loops(
        "x y z",
        "(= x (- 2)) (>= (+ y x) 16) (= z 2)",
        &[("(> y 16)", "(- x 1) z (- z 1)")],
        "(<= (- z y) 10)",
        &[("(>= y 12)", "x (+ y 2) (+ z x)")],
        "(= y x) (< (- z y) y)",
    );
    takes_part(&text, Safe, "covers.joint", &mut Lawi::default());
}

/// The label of the first node follows from itself by the edge, but not from a weaker label by interpolation.
#[test]
fn leaves_adopt_labels() {
    let steps = [("true", "(+ x x) (- y 1)")];
    let text = one_loop("x y", "(>= (+ y x) 9) (= y 2)", &steps, "(= x y)");
    takes_part(&text, Safe, "covers.adopted", &mut Lawi::default());
}

#[test]
fn labels_on_the_path_make_short_refutations() {
    let text = one_loop("x y", "(= (- y x) 3) (>= x 0)", &[("true", "x (+ y x)")], "(>= x y) (< y 0)");
    let off = Settings { path_labels: false, ..Settings::default() };
    check(&text, Safe, "path-labels", Answer, off);
}

#[test]
fn ends_of_paths_are_refuted_locally() {
    let mut text = declare("p", "x y") + &clause("x y", "(= x 2) (= y 0)", "(p x y)");
    text += &choice("p", "x y", &[("true", "(+ x 3) y"), ("true", "y (- y 1)")]);
    text += &clause("x y", "(p x y) (= x 0) (> y x)", "false");
    let off = Settings { local_refinement: 0, ..Settings::default() };
    check(&text, Safe, "refinements.local", Queries(2), off);
}

/// Forced covering is off by default; here the default gives up.
#[test]
fn coverings_are_forced() {
    let first = [("(< x 0)", "(+ x y) y"), ("true", "(- x 2) (+ y y)"), ("true", "(- x 2) y")];
    let second = [("(<= y 0)", "y (- y 1)"), ("(>= (- x y) y)", "(- x 2) (- y 1)"), ("true", "x (+ y 3)")];
    let mut text = declare("p", "x y") + &declare("q", "x y");
    text += &clause("x y", "(= x (- 2)) (= y (- 1))", "(p x y)");
    text += &choice("p", "x y", &first);
    text += &clause("x y", "(p x y) (>= x 7)", "(q x y)");
    text += &choice("q", "x y", &second);
    text += &clause("x y", "(q x y) (= x 0)", "false");
    let mut with = Lawi::new(Settings { forced_covering: true, ..Settings::default() });
    acts(&text, Safe, "covers.forced", Answer, &mut with, &mut Lawi::default());
}

/// The youngest leaf has a younger child again and again, while an older one closes the tree.
#[test]
fn the_oldest_leaf_first_is_fair() {
    let first = [("true", "y (+ y 2)"), ("(< (+ x y) (- 2))", "(- x 1) y")];
    let mut text = declare("p", "x y") + &declare("q", "x y");
    text += &clause("x y", "(= x 1) (= y 0)", "(p x y)");
    text += &choice("p", "x y", &first);
    text += &clause("x y", "(p x y) (< x 0)", "(q x y)");
    text += &choice("q", "x y", &[("(<= y 1)", "(+ x y) y")]);
    text += &clause("x y", "(q x y) (> (- y x) 3) (> y 0)", "false");
    let (judged, oldest) = decide(&text, &mut Lawi::default());
    assert_eq!(judged, Safe, "{oldest}");
}
