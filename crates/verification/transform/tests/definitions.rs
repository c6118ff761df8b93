//! Predicates that are defined by their clauses, and some that only look so.

use shem_transform::{Definitions, Pipeline};

use crate::case::{run, with};

const SORTS: &str = "
    (declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))
    (declare-datatypes ((List 0)) (((nil) (cons (head Nat) (tail List)))))
    (declare-datatypes ((Tree 0)) (((leaf) (node (left Tree) (mark Int) (right Tree)))))
    (declare-fun other (Nat Nat) Bool)
    (declare-fun others (List List) Bool)
    (declare-fun differ (Tree Tree) Bool)
    (declare-fun sum (Int Int Int) Bool)
    (declare-fun most (Bool Int Int) Bool)
    ";

const OTHER: [&str; 3] = [
    "(assert (forall ((x Nat)) (other zero (succ x))))",
    "(assert (forall ((x Nat)) (other (succ x) zero)))",
    "(assert (forall ((x Nat) (y Nat)) (=> (other x y) (other (succ x) (succ y)))))",
];

const OTHERS: [&str; 4] = [
    "(assert (forall ((x Nat) (l List)) (others nil (cons x l))))",
    "(assert (forall ((x Nat) (l List)) (others (cons x l) nil)))",
    "(assert (forall ((x Nat) (y Nat) (l List) (m List)) (=> (other x y) (others (cons x l) (cons y m)))))",
    "(assert (forall ((x Nat) (y Nat) (l List) (m List)) (=> (others l m) (others (cons x l) (cons y m)))))",
];

const DIFFER: [&str; 5] = [
    "(assert (forall ((x Tree) (n Int) (y Tree)) (differ leaf (node x n y))))",
    "(assert (forall ((x Tree) (n Int) (y Tree)) (differ (node x n y) leaf)))",
    "(assert (forall ((a Tree) (n Int) (b Tree) (c Tree) (m Int) (d Tree))
      (=> (differ a c) (differ (node a n b) (node c m d)))))",
    "(assert (forall ((a Tree) (n Int) (b Tree) (c Tree) (m Int) (d Tree))
      (=> (differ b d) (differ (node a n b) (node c m d)))))",
    "(assert (forall ((a Tree) (n Int) (b Tree) (c Tree) (m Int) (d Tree))
      (=> (distinct n m) (differ (node a n b) (node c m d)))))",
];

const SUM: [&str; 2] = [
    "(assert (forall ((y Int)) (=> (>= y 0) (sum y 0 y))))",
    "(assert (forall ((x Int) (y Int) (z Int)) (=> (and (sum z x y) (>= x 0)) (sum (+ z 1) (+ x 1) y))))",
];

const MOST: [&str; 3] = [
    "(assert (forall ((y Int)) (=> (>= y 0) (most true 0 y))))",
    "(assert (forall ((x Int)) (=> (> x 0) (most false x 0))))",
    "(assert (forall ((r Bool) (x Int) (y Int))
      (=> (and (most r x y) (>= x 0) (>= y 0)) (most r (+ x 1) (+ y 1)))))",
];

/// How many definitions are found in clauses with a query.
fn found(clauses: &[&str], query: &str) -> u64 {
    let case = with(&format!("{SORTS}{}{query}", clauses.concat()), Definitions { of_numbers: true });
    case.statistics.count("definitions.vertices")
}

/// Decides clauses that are nothing but definitions and a query; witnesses are judged.
fn is_safe(clauses: &[&str], query: &str) -> bool {
    run(&format!("{SORTS}{}{query}", clauses.concat()), &Pipeline::after_abstraction()).decided()
}

#[test]
fn inequality_of_numerals_and_lists() {
    let clauses = [&OTHER[..], &OTHERS[..]].concat();
    assert!(is_safe(&clauses, "(assert (forall ((l List)) (=> (others l l) false)))"));
    let query = "(assert (forall ((l List) (m List) (x Nat) (y Nat)) (=> (and (others l m) (other y x)
        (= l (cons x (cons (succ x) nil))) (= m (cons x (cons (succ (succ (succ y))) nil)))) false)))";
    assert!(!is_safe(&clauses, query));
}

#[test]
fn inequality_of_trees() {
    let query = "(assert (forall ((t Tree) (u Tree)) (=> (and (differ t u) (differ u t)) false)))";
    assert!(!is_safe(&DIFFER, query));
    let query = "(assert (forall ((t Tree) (u Tree)) (=> (and (differ t u) (= t u)) false)))";
    assert!(is_safe(&DIFFER, query));
}

#[test]
fn sums_and_orders_of_natural_numbers() {
    let clauses = [&SUM[..], &MOST[..]].concat();
    let query = "(assert (forall ((a Int) (b Int) (x Int) (y Int))
        (=> (and (sum a x y) (sum b y x) (distinct a b)) false)))";
    assert!(is_safe(&clauses, query));
    let query = "(assert (forall ((a Int) (x Int) (y Int)) (=> (and (sum a x y) (most false a x)) false)))";
    assert!(!is_safe(&clauses, query));
    let query = "(assert (forall ((a Int) (x Int) (y Int)) (=> (and (sum a x y) (most false x a)) false)))";
    assert!(is_safe(&clauses, query));
}

/// A definition that lacks a clause, or has one too many, is none.
#[test]
fn what_is_not_defined_stays() {
    for (clauses, query) in [
        (&OTHER[..], "(assert (forall ((x Nat)) (=> (other x x) false)))"),
        (&DIFFER[..], "(assert (forall ((x Tree)) (=> (differ x x) false)))"),
        (&SUM[..], "(assert (forall ((x Int)) (=> (sum x x 1) false)))"),
        (&MOST[..], "(assert (forall ((x Int)) (=> (most false x x) false)))"),
    ] {
        assert_eq!(found(clauses, query), 1, "{clauses:?}");
        for missing in 0..clauses.len() {
            let mut rest = clauses.to_vec();
            rest.remove(missing);
            assert_eq!(found(&rest, query), 0, "{rest:?}");
        }
    }
    let more = [&OTHER[..], &["(assert (other (succ zero) (succ zero)))"]].concat();
    assert_eq!(found(&more, "(assert (forall ((x Nat)) (=> (other x x) false)))"), 0);
    let more = [&SUM[..], &["(assert (sum 5 2 2))"]].concat();
    assert_eq!(found(&more, "(assert (forall ((x Int)) (=> (sum x x 1) false)))"), 0);
}

/// Relations of numbers alone are left to the engines, unless numbers stand for something else.
#[test]
fn numbers_are_left_to_engines() {
    let query = "(assert (forall ((x Int)) (=> (sum x x 1) false)))";
    let case = with(&format!("{SORTS}{}{query}", SUM.concat()), Definitions::default());
    assert_eq!(case.statistics.count("definitions.vertices"), 0);
}

/// Without a smaller argument there is no induction: nothing is derived.
#[test]
fn a_clause_that_goes_round_defines_nothing() {
    let clauses = [
        "(assert (forall ((x Nat) (y Nat)) (=> (other x y) (other x y))))",
        "(assert (forall ((x Nat) (y Nat)) (=> (other (succ x) (succ y)) (other x y))))",
    ];
    assert_eq!(found(&clauses, "(assert (forall ((x Nat)) (=> (other x x) false)))"), 0);
}
