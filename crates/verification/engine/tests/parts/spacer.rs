//! The parts of Spacer.

use shem_engine::spacer::{LemmaStyle, Retry, Settings, Spacer};
use shem_test_support::engine::Judged::{self, Safe, Unknown, Unsafe};

use super::Worth::{self, Answer, Queries};
use super::{acts, clause, commands, decide, declare, one_loop, queries, two_loops};

/// Compares the default with these settings.
#[track_caller]
fn check(text: &str, expected: Judged, counter: &str, worth: Worth, without: Settings) {
    acts(text, expected, counter, worth, &mut Spacer::default(), &mut Spacer::new(without));
}

/// A part that is always on acts: a counter shows it.
#[track_caller]
fn check_counter(text: &str, expected: Judged, counter: &str) {
    let (judged, statistics) = decide(text, &mut Spacer::default());
    assert_eq!(judged, expected, "{statistics}");
    assert!(statistics.count(counter) > 0, "{statistics}");
}

/// Two numbers that meet in the middle: one series of lemmas for each side.
fn meeting() -> String {
    one_loop("x y", "(= x (- 2)) (= y 2)", &[("(> y x)", "(+ x 1) (- y 1)")], "(>= x 13)")
}

/// That `y` is twice `x` matters after twenty steps only.
fn doubling() -> String {
    one_loop("x y", "(= x 0) (= y 0)", &[("true", "(+ x 1) (+ y 2)")], "(= x 20) (not (= y 40))")
}

/// Two numbers grow together, and one of them may fall later on: their difference does not reach 14.
fn together() -> String {
    let steps = [("(> y 5)", "(- y 1) (+ z 1)"), ("true", "(+ y 1) (+ z 1)")];
    one_loop("y z", "(= y (- 2)) (= z (- 2))", &steps, "(>= (- y z) 14) (> z 15)")
}

/// A loop in two phases of six steps each; at its end both numbers are equal.
fn phases(bad: &str) -> String {
    let steps = [("(< x 6)", "(+ x 1) y"), ("(>= x 6) (< x 12)", "(+ x 1) (+ y 1)")];
    one_loop("x y", "(= x 0) (= y 6)", &steps, bad)
}

/// Two loops count the same number; together they count twice as much.
#[test]
fn subsumption_finds_the_lemma_behind_a_series() {
    let count = [("(< b n)", "(+ a 1) (+ b 1) n")];
    let mut text = declare("p", "a b n") + &declare("q", "a b n");
    text += &clause("a b n", "(= a 0) (= b 0) (> n 0)", "(p a b n)");
    text += &commands("p", "a b n", &count);
    text += &clause("a b n", "(p a b n) (>= b n)", "(q a 0 n)");
    text += &commands("q", "a b n", &count);
    text += &clause("a b n", "(q a b n) (>= b n) (< a (* 2 n))", "false");
    let off = || Settings { subsume: false, ..Settings::default() };
    check(&text, Safe, "guidance.subsumptions", Answer, off());
    check(&doubling(), Safe, "guidance.subsumptions", Queries(3), off());
    // Without gas the clusters are not looked at.
    let no_gas = Settings { cluster_gas: 0, ..Settings::default() };
    check(&doubling(), Safe, "guidance.subsumptions", Queries(3), no_gas);
}

#[test]
fn conjectures_leave_a_series() {
    let off = Settings { conjecture: false, ..Settings::default() };
    check(&together(), Safe, "guidance.conjectures", Queries(3), off);
}

/// The sum of 1, 0, -1, … is bounded by a curve: lemmas with ever new coefficients do not end.
#[test]
fn boxes_end_a_series_of_coefficients() {
    let text = one_loop("x z", "(= x 1) (= z (- 2))", &[("true", "(- x 1) (+ z x)")], "(>= z 2)");
    let off = Settings { concretise: false, ..Settings::default() };
    check(&text, Safe, "guidance.concretised", Answer, off);
}

#[test]
fn restraint_ends_a_series_of_bounds() {
    let off = || Settings { restrain: false, ..Settings::default() };
    check(&meeting(), Safe, "guidance.restrained", Queries(2), off());
    let none = Settings { restraints: 0, ..Settings::default() };
    check(&meeting(), Safe, "guidance.restrained", Queries(2), none);
}

/// What guidance proposes needs gas to be followed down to the facts.
#[test]
fn gas_is_what_a_proposal_lives_on() {
    let steps = [("(>= y 8)", "y (+ y y)"), ("true", "x (- y 1)"), ("(< (- y x) x)", "(- x 2) (+ y x)")];
    let text = one_loop("x y", "(= x (- 1)) (= y 1)", &steps, "(= x 0)");
    let (judged, with) = decide(&text, &mut Spacer::default());
    assert_eq!((judged, with.count("guidance.out-of-gas")), (Safe, 0));
    assert!(with.count("guidance.tentative") > 0, "{with}");
    let (judged, without) = decide(&text, &mut Spacer::new(Settings { gas: 0, ..Settings::default() }));
    assert!(without.count("guidance.out-of-gas") > 0, "{without}");
    assert!(judged == Unknown || queries(&without) > 3 * queries(&with), "{without}");
}

/// The end of a derivation is carried up to its goal.
#[test]
fn climbing_spares_questions_on_the_way_up() {
    let first = [("true", "(+ x z) (- y 1) (- z 2)")];
    let second = [("true", "(- x 1) y (+ z y)")];
    let start = "(= x (- 1)) (= y 2) (= z 0)";
    let text = two_loops("x y z", start, &first, "(< (- z x) y)", &second, "(>= x z) (>= y z)");
    check_counter(&text, Unsafe, "obligations.climbed");
}

#[test]
fn recall_blocks_what_a_lemma_excludes() {
    let steps = [("(> x 0)", "z y (+ z x)"), ("true", "(+ x 3) (- y 1) z")];
    let text = one_loop("x y z", "(= x 0) (= y 2) (= z 0)", &steps, "(= (- y x) 8) (>= z y)");
    check_counter(&text, Safe, "obligations.recalled");
}

/// The bound that is inductive is a constant of the system.
#[test]
fn bounds_move_to_constants_of_the_system() {
    let (first, second) = ([("true", "(+ x 1) y")], [("(> y (- 2))", "(- x 2) (+ y 1)")]);
    let text = two_loops("x y", "(< y (- 1))", &first, "(< x y)", &second, "(> y 3)");
    check_counter(&text, Safe, "bounds-weakened");
}

#[test]
fn literals_that_are_not_needed_are_dropped() {
    let steps = [("true", "(+ x 1) y (+ z 3)"), ("(> z 4)", "x (+ y 2) z")];
    let start = "(= x 0) (= y 0) (= z 0)";
    let text = one_loop("x y z", start, &steps, "(= x (- 1)) (= y 7) (= z 2)");
    check_counter(&text, Safe, "literals-dropped");
    // Nor does an interpolant say more than is needed, while the obligation itself does.
    let core = Settings { lemmas: LemmaStyle::Core, ..Settings::default() };
    check(&text, Safe, "interpolants", Queries(3), core);
}

#[test]
fn lemmas_are_lifted_as_far_as_they_hold() {
    check_counter(&doubling(), Safe, "lemmas.lifted");
}

/// A lemma that is remembered to be stuck is not asked about.
#[test]
fn lemmas_that_are_stuck_are_not_asked_about() {
    check_counter(&together(), Safe, "lemmas.still-stuck");
}

#[test]
fn implied_lemmas_are_forgotten() {
    let steps = [("true", "(- x 2) (- y 2)"), ("(= y 8)", "(+ x y) (- y 2)")];
    let text = one_loop("x y", "(> x 12) (> y (* 2 x))", &steps, "(> x y) (>= y 0)");
    check_counter(&text, Safe, "lemmas.forgotten");
}

#[test]
fn known_facts_answer_obligations() {
    check_counter(&phases("(>= x 12) (= x y)"), Unsafe, "obligations.discharged");
}

#[test]
fn obligations_are_literals() {
    let bad = "(or (and (> x 5) (> y 3)) (and (< x (- 5)) (< y 2)) (and (= x 3) (= y 4)))";
    let text = one_loop("x y", "(= x 0) (= y 0)", &[("(< x 20)", "(+ x 1) (- y 1)")], bad);
    check_counter(&text, Safe, "obligations.split");
}

#[test]
fn interpolants_become_clauses() {
    let off = Settings { clauses: false, ..Settings::default() };
    check(&together(), Safe, "interpolants.weakened", Queries(3), off);
}

/// A derivation of nine steps is found at the bound 4, since its obligations are tried higher up at once.
#[test]
fn blocked_obligations_are_tried_again() {
    let steps = [("(< x 4)", "(+ x 1) y"), ("(< y 4)", "x (+ y 1)"), ("true", "y x")];
    let text = one_loop("x y", "(= x 0) (= y 0)", &steps, "(= x 4) (= y 4)");
    let never = Settings { retry: Retry::Never, ..Settings::default() };
    check(&text, Unsafe, "obligations.retried", Queries(3), never);
    let (_, at_once) = decide(&text, &mut Spacer::default());
    let later = Settings { retry: Retry::NextBound, ..Settings::default() };
    let (judged, later) = decide(&text, &mut Spacer::new(later));
    assert_eq!(judged, Unsafe);
    assert!(
        later.count("obligations.deferred") > 0 && later.count("level") > at_once.count("level"),
        "{later}"
    );
    assert!(queries(&later) > queries(&at_once));
}
