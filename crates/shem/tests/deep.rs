//! Scripts nested a million deep run from end to end.

use shem_script::smt::{Options, Outcome, run_text};

const DEPTH: usize = 1_000_000;

/// Of terms that congruence closure, datatypes or arrays deal with. Cores are not checked there: the closure of the
/// checker of proofs is quadratic.
const THEORY_DEPTH: usize = 50_000;

fn check(formula: &str, open: &str, middle: &str, close: &str, expected: &str) {
    check_at(DEPTH, formula, open, middle, close, expected);
}

fn check_at(depth: usize, formula: &str, open: &str, middle: &str, close: &str, expected: &str) {
    let nested = format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
    let declarations = "(declare-const x Int) (declare-const p Bool) (declare-const q Bool)
        (declare-sort U 0) (declare-const u U) (declare-fun f (U) U) (declare-fun g (Int) Int)
        (declare-datatype List ((nil) (cons (head Int) (tail List)))) (declare-const l List)
        (declare-const a (Array Int Int))";
    let script = format!("{declarations} (assert {}) (check-sat)", formula.replace('@', &nested));
    let options = Options { check_models: true, check_cores: depth == DEPTH, ..Options::default() };
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

#[test]
fn nested_applications() {
    check_at(THEORY_DEPTH, "(= u @)", "(f ", "u", ")", "sat\n");
    check_at(THEORY_DEPTH, "(and (= (f u) u) (distinct u @))", "(f ", "u", ")", "unsat\n");
    check_at(THEORY_DEPTH, "(< x @)", "(g ", "x", ")", "sat\n");
}

#[test]
fn nested_constructors() {
    check_at(THEORY_DEPTH, "(= l @)", "(cons x ", "nil", ")", "sat\n");
    check_at(THEORY_DEPTH, "(= l @)", "(cons x ", "l", ")", "unsat\n");
    check_at(THEORY_DEPTH, "(distinct l @)", "(tail ", "l", ")", "sat\n");
}

#[test]
fn nested_writes() {
    check_at(THEORY_DEPTH, "(= x (select @ 2))", "(store ", "a", " 1 x)", "sat\n");
}
