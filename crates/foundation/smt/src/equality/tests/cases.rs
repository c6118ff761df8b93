//! Cases by hand.

use shem_base::{Lit, Rat, Var};

use crate::equality::{Closure, Explanation, Function, Node, NodeSort};

const BOOLEAN: NodeSort = NodeSort::new(0);
const THING: NodeSort = NodeSort::new(1);
const F: Function = Function::new(0);
const G: Function = Function::new(1);

fn lit(index: u32) -> Lit {
    Var::new(index).positive()
}

fn apply(closure: &mut Closure, function: Function, arg: Node) -> Node {
    closure.application(function, &[arg], THING)
}

#[test]
fn five_and_three_applications() {
    let mut closure = Closure::new(BOOLEAN);
    let a = closure.leaf(THING);
    let mut powers = vec![a];
    for index in 0..5 {
        let next = apply(&mut closure, F, powers[index]);
        powers.push(next);
    }
    closure.assert_equal(powers[5], a, lit(0));
    closure.assert_equal(powers[3], a, lit(1));
    closure.assert_distinct(powers[1], a, lit(2));
    let mut out = Explanation::default();
    assert!(closure.close(&mut out).is_err());
    assert_eq!(out.lits, vec![lit(0), lit(1), lit(2)]);
    closure.undo(2);
    assert!(closure.close(&mut out).is_ok());
    assert!(closure.are_equal(powers[1], a));
}

#[test]
fn a_node_made_late_is_congruent_at_once_and_after_undoing() {
    let mut closure = Closure::new(BOOLEAN);
    let (a, b, c) = (closure.leaf(THING), closure.leaf(THING), closure.leaf(THING));
    let fa = apply(&mut closure, F, a);
    let mut out = Explanation::default();
    closure.assert_equal(a, b, lit(0));
    closure.assert_equal(b, c, lit(1));
    assert!(closure.close(&mut out).is_ok());
    let fb = apply(&mut closure, F, b);
    let fc = apply(&mut closure, F, c);
    let gfc = apply(&mut closure, G, fc);
    let gfa = apply(&mut closure, G, fa);
    assert!(closure.are_equal(fa, fb) && closure.are_equal(fa, fc) && closure.are_equal(gfa, gfc));
    closure.undo(1);
    assert!(closure.close(&mut out).is_ok());
    assert!(closure.are_equal(fa, fb) && !closure.are_equal(fa, fc) && !closure.are_equal(gfa, gfc));
    closure.explain_equal(fa, fb, &mut out);
    assert_eq!(out.lits, vec![lit(0)]);
    closure.undo(0);
    assert!(closure.close(&mut out).is_ok());
    assert!(!closure.are_equal(fa, fb));
    closure.check_invariants();
}

#[test]
fn numerals_are_different_and_interned() {
    let mut closure = Closure::new(BOOLEAN);
    let (one, two) = (closure.number(&Rat::from(1), THING), closure.number(&Rat::from(2), THING));
    assert_eq!(closure.number(&Rat::from(1), THING), one);
    let a = closure.leaf(THING);
    let (equation, other) = (closure.equation(a, two), closure.equation(one, two));
    assert_eq!(closure.truth_value(other), Some(false));
    closure.assert_equal(a, one, lit(0));
    let mut out = Explanation::default();
    assert!(closure.close(&mut out).is_ok());
    assert!(closure.are_distinct(a, two));
    assert_eq!(closure.truth_value(equation), Some(false));
    closure.explain_equal(equation, closure.falsity(), &mut out);
    assert_eq!(out.lits, vec![lit(0)]);
}

#[test]
fn a_long_chain_is_explained_without_recursion() {
    let mut closure = Closure::new(BOOLEAN);
    let (a, b) = (closure.leaf(THING), closure.leaf(THING));
    let (mut x, mut y) = (a, b);
    for _ in 0..100_000 {
        x = apply(&mut closure, F, x);
        y = apply(&mut closure, F, y);
    }
    closure.assert_equal(a, b, lit(0));
    let mut out = Explanation::default();
    assert!(closure.close(&mut out).is_ok());
    assert!(closure.are_equal(x, y));
    closure.explain_equal(x, y, &mut out);
    assert_eq!(out.lits, vec![lit(0)]);
    closure.undo(0);
    assert!(!closure.are_equal(x, y));
}

#[test]
fn watched_nodes_are_reported_again_after_undoing() {
    let mut closure = Closure::new(BOOLEAN);
    let (a, b, c) = (closure.leaf(THING), closure.leaf(THING), closure.leaf(THING));
    let mut out = Explanation::default();
    closure.assert_equal(a, b, lit(0));
    closure.assert_equal(b, c, lit(1));
    assert!(closure.close(&mut out).is_ok());
    let (near, far) = (closure.equation(a, b), closure.equation(a, c));
    closure.watch(near);
    closure.watch(far);
    assert!(closure.close(&mut out).is_ok());
    assert!(closure.decided().contains(&near) && closure.decided().contains(&far));
    closure.undo(1);
    assert!(closure.close(&mut out).is_ok());
    assert_eq!(closure.decided(), [near]);
}
