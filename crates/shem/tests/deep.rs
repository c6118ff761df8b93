//! Scripts nested a million deep run from end to end.

use shem::smt::{Options, Outcome, run_text};

const DEPTH: usize = 1_000_000;

fn check(formula: &str, open: &str, middle: &str, close: &str, expected: &str) {
    let nested = format!("{}{middle}{}", open.repeat(DEPTH), close.repeat(DEPTH));
    let declarations = "(declare-const x Int) (declare-const p Bool) (declare-const q Bool)";
    let script = format!("{declarations} (assert {}) (check-sat)", formula.replace('@', &nested));
    let options = Options { check_models: true, check_cores: true, ..Options::default() };
    let mut out = Vec::new();
    let outcome = run_text("deep", script.as_bytes(), &options, &mut out, &mut std::io::sink());
    let out: String = String::from_utf8_lossy(&out).chars().take(200).collect();
    assert_eq!(out, expected, "for {formula} of {open}");
    assert_eq!(outcome, Outcome::Completed);
}

#[test]
fn nested_negations() {
    check("@", "(not ", "p", ")", "sat\n");
}

#[test]
fn nested_conjunctions() {
    check("(and (not q) @)", "(and p ", "q", ")", "unsat\n");
}

#[test]
fn nested_alternations() {
    check("@", "(and p (or q ", "p", "))", "sat\n");
}

#[test]
fn nested_sums() {
    check("(= x @)", "(+ 1 ", "0", ")", "sat\n");
}

#[test]
fn nested_choices() {
    check("(= 3 @)", "(ite p x ", "1", ")", "sat\n");
    check("(= 3 @)", "(+ 1 (ite p 1 ", "x", "))", "sat\n");
}

#[test]
fn nested_bindings() {
    check("@", "(let ((q (not q))) ", "q", ")", "sat\n");
    check("@", "(let ((r ", "p", ")) r)", "sat\n");
}
