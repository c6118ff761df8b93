//! Small graphs on which it is known what the passes do.

use shem_chc::Shape;
use shem_transform::{
    Contract, Direct, Inline, Locations, Merge, Pipeline, Propagate, Reachable, Simplify, Slice, Subsume,
};

use crate::case::{run, with};

#[test]
fn nothing_at_all() {
    assert!(run("", &Pipeline::standard()).decided());
    let unused = run("(declare-fun p (Int) Bool)(declare-fun q () Bool)", &Pipeline::standard());
    assert_eq!(unused.size(), (0, 0));
    assert!(unused.decided());
}

#[test]
fn direct_edges() {
    let clauses = "(declare-fun p (Int) Bool)
        (assert (forall ((x Int)) (=> (= x 0) (p x))))
        (assert (forall ((x Int)) (=> (and (< 0 x) (< x 1)) false)))
        (assert (forall ((x Int)) (=> (and (< 0 x) (< x 2)) false)))";
    let case = with(clauses, Direct::default());
    assert_eq!(case.size(), (0, 1));
    assert!(!case.decided());
}

#[test]
fn a_hyperedge_needs_all_its_sources() {
    // q is not reachable, so the loop at p through q is not, and p matters all the same.
    let clauses = "(declare-fun p (Int) Bool)(declare-fun q (Int) Bool)(declare-fun r (Int) Bool)
        (assert (p 0))
        (assert (forall ((x Int)) (=> (and (p x) (q x)) (p (+ x 1)))))
        (assert (forall ((x Int)) (=> (q x) (q x))))
        (assert (forall ((x Int)) (=> (p x) (r x))))
        (assert (forall ((x Int)) (=> (and (p x) (> x 0)) false)))";
    let case = with(clauses, Reachable).confirm(true);
    assert_eq!(case.size(), (1, 2));
    assert_eq!(case.statistics.count("reachable.unreachable"), 1);
    assert_eq!(case.statistics.count("reachable.useless"), 1);
}

#[test]
fn a_chain_becomes_an_edge() {
    let mut clauses = String::from("(declare-fun p0 (Int) Bool)(assert (p0 0))");
    for i in 1..60 {
        clauses += &format!(
            "(declare-fun p{i} (Int) Bool)
             (assert (forall ((x Int)(y Int)) (=> (and (p{} x) (= y (+ x 1)) (< y 100)) (p{i} y))))",
            i - 1
        );
    }
    let safe = format!("{clauses}(assert (forall ((x Int)) (=> (p59 x) (= x 59))))");
    let case = with(&safe, Contract::chains()).confirm(true);
    assert_eq!(case.size(), (0, 0));
    let unsafe_ = format!("{clauses}(assert (forall ((x Int)) (=> (and (p59 x) (= x 59)) false)))");
    let case = with(&unsafe_, Contract::chains()).confirm(false);
    assert_eq!(case.size(), (0, 1));
}

/// A row of diamonds: x or y grows at each of them.
fn diamonds(count: usize, query: &str) -> String {
    let mut clauses = String::from("(declare-fun p0 (Int Int) Bool)(assert (p0 0 0))");
    for i in 1..=count {
        let from = i - 1;
        clauses += &format!(
            "(declare-fun p{i} (Int Int) Bool)
             (assert (forall ((x Int)(y Int)) (=> (p{from} x y) (p{i} (+ x 1) y))))
             (assert (forall ((x Int)(y Int)) (=> (p{from} x y) (p{i} x (+ y 1)))))"
        );
    }
    format!("{clauses}(assert (forall ((x Int)(y Int)) (=> (and (p{count} x y) {query}) false)))")
}

#[test]
fn joins_that_would_multiply_paths_stay() {
    let few = run(&diamonds(4, "(not (= (+ x y) 4))"), &Pipeline::standard()).confirm(true);
    assert_eq!(few.size(), (0, 0));
    let many = run(&diamonds(24, "(not (= (+ x y) 24))"), &Pipeline::standard()).confirm(true);
    assert!((1..12).contains(&many.size().0), "{:?}", many.size());
    run(&diamonds(24, "(= x 17)"), &Pipeline::standard()).confirm(false);
    // An equality holds at every join.
    let many = run(&diamonds(24, "(not (= (+ x y) 24))"), &Pipeline::with_equalities()).confirm(true);
    assert_eq!(many.size(), (0, 0));
    run(&diamonds(24, "(= x 17)"), &Pipeline::with_equalities()).confirm(false);
}

/// A loop that counts to n and a procedure that it calls, with a program counter.
fn procedure(query: &str) -> String {
    format!(
        "(declare-fun main (Int Int Int) Bool)(declare-fun twice (Int Int) Bool)
         (assert (forall ((n Int)) (=> (and (<= 0 n) (<= n 3)) (main 10 n 0))))
         (assert (forall ((n Int)(i Int)) (=> (and (main 10 n i) (< i n)) (main 20 n i))))
         (assert (forall ((pc Int)(n Int)(i Int)) (=> (and (main pc n i) (= pc 10) (>= i n)) (main 40 n i))))
         (assert (forall ((n Int)(i Int)) (=> (main 20 n i) (twice 1 i))))
         (assert (forall ((i Int)) (=> (twice 1 i) (twice 2 (+ i i)))))
         (assert (forall ((i Int)) (=> (twice 2 i) (twice 3 i))))
         (assert (forall ((n Int)(i Int)(j Int))
           (=> (and (main 20 n i) (twice 3 j) (= j (+ i i))) (main 30 n j))))
         (assert (forall ((n Int)(i Int)(j Int)) (=> (and (main 30 n i) (= i (+ j j))) (main 10 n (+ j 1)))))
         (assert (forall ((pc Int)(n Int)(i Int)) (=> (and (main pc n i) {query}) false)))"
    )
}

#[test]
fn a_program_counter_is_taken_apart() {
    for (query, safe) in [
        ("(= pc 40) (not (= i n))", true),
        ("(= pc 40) (= i 3)", false),
        ("(> i 4)", true),
        ("(> i 3)", false),
        ("(= pc 50)", true),
    ] {
        let case = with(&procedure(query), Locations::default()).confirm(safe);
        assert_eq!(case.statistics.count("locations.vertices"), 2, "{query}");
        assert_eq!(case.statistics.count("locations.locations"), 7, "{query}");
        assert_eq!(case.size().0, 7, "{query}");
        run(&procedure(query), &Pipeline::standard()).confirm(safe);
    }
}

#[test]
fn an_argument_that_grows_or_is_seldom_asked_for_is_no_location() {
    let counter = "(declare-fun p (Int Int) Bool)
        (assert (p 0 0))(assert (p 1 0))(assert (p 2 0))
        (assert (forall ((x Int)(y Int)) (=> (and (p x y) (< y 2)) (p x (+ y 1)))))
        (assert (forall ((x Int)(y Int)) (=> (and (p x y) (< x 5)) (p (+ x 1) y))))
        (assert (forall ((x Int)(y Int)) (=> (and (p x y) (> y 2)) false)))";
    assert_eq!(with(counter, Locations::default()).confirm(true).statistics.count("locations.vertices"), 0);
    // Each edge would become three.
    let kept = "(declare-fun p (Int Int) Bool)
        (assert (p 0 0))(assert (p 1 0))(assert (p 2 0))
        (assert (forall ((x Int)(y Int)) (=> (and (p x y) (< y 2)) (p x (+ y 1)))))
        (assert (forall ((x Int)(y Int)) (=> (and (p x y) (> y x) (> y 2)) false)))";
    let case = with(kept, Locations { growth: 1, ..Locations::default() }).confirm(true);
    assert_eq!(case.statistics.count("locations.vertices"), 0);
    let case = with(kept, Locations { growth: 3, ..Locations::default() }).confirm(true);
    assert_eq!(case.size(), (3, 9));
}

/// The location of `q` is copied from `p`, by way of `r`, and neither is split; that they have no other values than 1, 2
/// and 3 comes back with the model.
#[test]
fn locations_may_be_copied_from_vertices_that_are_not_split() {
    let clauses = "(declare-fun p (Int Int) Bool)(declare-fun r (Int Int) Bool)(declare-fun q (Int Int) Bool)
        (assert (p 1 0))(assert (p 2 0))(assert (p 3 0))
        (assert (forall ((x Int) (k Int)) (=> (p x k) (p x (+ k 1)))))
        (assert (forall ((x Int) (k Int)) (=> (p x k) (p x (+ k 2)))))
        (assert (forall ((x Int) (k Int)) (=> (p x k) (p x (+ k 3)))))
        (assert (forall ((x Int) (k Int)) (=> (p x k) (r x k))))
        (assert (forall ((x Int) (k Int)) (=> (r x k) (r x (+ k 1)))))
        (assert (forall ((x Int) (k Int)) (=> (r x k) (r x (+ k 2)))))
        (assert (forall ((x Int) (k Int)) (=> (r x k) (q x k))))
        (assert (forall ((k Int)) (=> (q 1 k) (q 2 (+ k 1)))))
        (assert (forall ((k Int)) (=> (q 2 k) (q 3 (+ k 1)))))
        (assert (forall ((k Int)) (=> (q 3 k) (q 1 (+ k 1)))))";
    let case = with(clauses, Locations::default()).confirm_weakest();
    assert_eq!(case.statistics.count("locations.vertices"), 1);
}

#[test]
fn a_vertex_twice_in_a_body_is_contracted() {
    let clauses = |query: &str| {
        format!(
            "(declare-fun p (Int) Bool)(declare-fun q (Int) Bool)
             (assert (forall ((x Int)) (=> (or (= x 1) (= x 4)) (p x))))
             (assert (p 2))
             (assert (forall ((x Int)(y Int)) (=> (and (p x) (p y) (< x y)) (q (- y x)))))
             (assert (forall ((x Int)) (=> (and (q x) {query}) false)))"
        )
    };
    let contract = || Contract { extra_edges: 8, ..Contract::default() };
    for (query, safe) in [("(> x 3)", true), ("(< x 1)", true), ("(= x 3)", false), ("(= x 1)", false)] {
        let case = with(&clauses(query), contract()).confirm(safe);
        assert_eq!(case.size().0, 0, "{query}");
    }
}

#[test]
fn each_occurrence_in_a_body_has_its_interpolant() {
    // The first occurrence needs the upper bound, the second one the lower bound.
    let clauses = "(declare-fun p (Int) Bool)
        (assert (forall ((x Int)) (=> (and (<= 5 x) (<= x 10)) (p x))))
        (assert (forall ((x Int)(y Int)) (=> (and (p x) (p y) (> x (+ y 5))) false)))";
    let case = with(clauses, Contract::default()).confirm(true);
    assert_eq!(case.size().0, 0);
}

/// A shift by a variable, as Solidity's encoder writes it, is called with constants through predicates that pass it on.
/// The composed clauses are about constants; the formulas of the predicates in between are about all arguments.
#[test]
fn a_shift_by_a_variable_is_called_with_constants() {
    let (word, half) = (1_i64 << 32, 1_i64 << 31);
    let unsigned = |x: &str| {
        format!("(ite (>= {x} 0) (mod {x} {word}) (mod (* {} (mod (* (- 1) {x}) {word})) {word}))", word - 1)
    };
    let bit = |number: i64| format!("(= (mod (div k {number}) 2) 1)");
    let mut text = format!(
        "(declare-fun f (Int Int Int) Bool)(declare-fun g (Int Int Int) Bool)(declare-fun h (Int Int Int) Bool)
        (declare-fun start () Bool)(declare-fun one (Int) Bool)(declare-fun two (Int Int) Bool)
        (assert (forall ((x Int) (n Int) (r Int)) (=>
            (let ((u {})) (let ((k {})) (let ((s0 (ite (< u {half}) u (- u {word}))))
            (let ((s1 (ite {} (div s0 2) s0))) (let ((s2 (ite {} (div s1 4) s1))) (let ((s3 (ite {} (div s2 16) s2)))
            (let ((s4 (ite {} (div s3 256) s3))) (let ((s5 (ite {} (div s4 65536) s4)))
            (let ((v (ite (< k 32) (mod s5 {word}) (mod (div s0 {word}) {word}))))
            (let ((w (ite (= (mod (div v {half}) 2) 0) v (- (mod (* {} v) {word})))))
                (and (= r w) (>= x (- {half})) (< x {half}) (>= n 0) (< n {word}) (>= w (- {half})) (< w {half}))))))))))))
            (f x n r))))",
        unsigned("x"), unsigned("n"), bit(1), bit(2), bit(4), bit(8), bit(16), word - 1
    );
    text += "(assert (forall ((x Int) (n Int) (r Int)) (=> (f x n r) (g x n r))))
        (assert (forall ((x Int) (n Int) (r Int)) (=> (g x n r) (h x n r))))
        (assert start)
        (assert (forall ((r Int)) (=> (and start (h (- 4266) 0 r)) (one r))))
        (assert (forall ((r Int) (s Int)) (=> (and (one r) (h (- 4266) 8 s)) (two r s))))
        (assert (forall ((r Int) (s Int)) (=> (and (two r s) (not (= r (- 4266)))) false)))
        (assert (forall ((r Int) (s Int)) (=> (and (two r s) (not (= s (- 17)))) false)))";
    assert!(run(&text, &Pipeline::standard()).decided());
}

#[test]
fn a_loop_through_itself_twice_stays() {
    let clauses = "(declare-fun p (Int) Bool)
        (assert (p 1))
        (assert (forall ((x Int)(y Int)) (=> (and (p x) (p y) (< (+ x y) 8)) (p (+ x y)))))
        (assert (forall ((x Int)) (=> (and (p x) (= x 7)) false)))";
    let case = run(clauses, &Pipeline::standard()).confirm(false);
    assert_eq!(Shape::of(&case.done.graph), Shape::Nonlinear);
}

#[test]
fn permuted_bodies_are_merged() {
    let clauses = "(declare-fun p (Int) Bool)(declare-fun q (Int) Bool)(declare-fun r (Int) Bool)
        (assert (p 1))(assert (p 2))(assert (q 5))
        (assert (forall ((x Int)(y Int)(z Int)) (=> (and (p x) (q y) (p z) (= z (+ x 1))) (r (+ y z)))))
        (assert (forall ((x Int)(y Int)(z Int)) (=> (and (p x) (p z) (q y) (= z (- x 1))) (r (- y z)))))
        (assert (forall ((x Int)) (=> (and (r x) (= x 4)) false)))";
    let case = with(clauses, Merge).confirm(false);
    // The two facts of p, and the two edges to r.
    assert_eq!(case.statistics.count("merge.edges"), 4);
    assert_eq!(case.size(), (3, 4));
}

#[test]
fn arguments_that_do_not_matter_go() {
    let clauses = |query: &str| {
        format!(
            "(declare-fun p (Int Int Int Bool Real) Bool)
             (assert (forall ((u Int)(b Bool)) (=> (> u 7) (p 0 5 u b 0.5))))
             (assert (forall ((x Int)(c Int)(u Int)(b Bool)(r Real))
               (=> (and (p x c u b r) (< x 3)) (p (+ x 1) (* 2 c) (- u c) (not b) (+ r 0.5)))))
             (assert (forall ((x Int)(c Int)(u Int)(b Bool)(r Real)) (=> (and (p x c u b r) {query}) false)))"
        )
    };
    for (query, safe) in [("(> x 3)", true), ("(= x 3)", false)] {
        let case = with(&clauses(query), Slice).confirm(safe);
        assert_eq!(case.statistics.count("slice.arguments"), 4);
        assert_eq!(case.size(), (1, 3));
    }
    // The number r matters; u matters through nothing but itself.
    let case = with(&clauses("(> r 2.0)"), Slice);
    assert_eq!(case.statistics.count("slice.arguments"), 3);
    // An integer with a coefficient is not always defined: the argument goes, and what is said of it stays.
    let parity = "(declare-fun p (Int) Bool)
        (assert (forall ((x Int)(y Int)) (=> (and (= (* 2 x) y) (= y 1)) (p x))))
        (assert (forall ((x Int)) (=> (p x) false)))";
    let case = with(parity, Slice).confirm(true);
    assert_eq!(case.statistics.count("slice.arguments"), 1);
    let (_, edge) = case.done.graph.edges().find(|(_, edge)| edge.sources.is_empty()).expect("a fact");
    assert!(!case.store.free_variables(&[edge.label]).is_empty());
}

/// The range of an argument, in every clause as systems have it that were written by machines: if nothing else is said of
/// the argument, the range does not matter either.
#[test]
fn conditions_that_hold_of_all_facts_do_not_matter() {
    let range = |v: &str| format!("(or (= {v} 1.0) (= {v} 2.0) (= {v} 4.0))");
    let clauses = |first: &str, query: &str| {
        format!(
            "(declare-fun p (Real Real Real) Bool)
             (assert (forall ((i Real)(f Real)) (=> (and (= i {first}) {}) (p 0.0 i f))))
             (assert (forall ((x Real)(i Real)(f Real)(y Real)(j Real))
               (=> (and (p x i f) {} {} {} (= y (+ x j)) (<= x 9.0)) (p y j f))))
             (assert (forall ((x Real)(i Real)(f Real)) (=> (and (p x i f) {query}) false)))",
            range("f"),
            range("i"),
            range("j"),
            range("f")
        )
    };
    for (query, safe) in [("(> x 13.0)", true), ("(= x 7.0)", false)] {
        let case = with(&clauses("2.0", query), Slice).confirm(safe);
        assert_eq!(case.statistics.count("slice.arguments"), 2, "{query}");
        // No step leads from a first fact without the condition.
        let case = with(&clauses("3.0", query), Slice).confirm(true);
        assert_eq!(case.statistics.count("slice.arguments"), 1, "{query}");
    }
    // What the query looks at stays, with its range.
    let case = with(&clauses("4.0", "(= i 2.0)"), Slice).confirm(false);
    assert_eq!(case.statistics.count("slice.arguments"), 1);
    let (_, step) = case.done.graph.edges().find(|(_, edge)| edge.sources.len() == 1).expect("the step");
    assert!(case.store.conjuncts(step.label).len() > 3);
}

#[test]
fn constants_and_intervals() {
    let clauses = |query: &str| {
        format!(
            "(declare-fun p (Int Int Int) Bool)
             (assert (p 0 7 0))
             (assert (forall ((x Int)(c Int)(m Int)) (=> (and (p x c m) (< x c)) (p (+ x 1) c (mod x 3)))))
             (assert (forall ((x Int)(c Int)(m Int)) (=> (and (p x c m) {query}) false)))"
        )
    };
    for query in ["(< c 7)", "(< x 0)", "(> x 7)", "(> m 2)"] {
        let case = with(&clauses(query), Propagate::default()).confirm(true);
        assert_eq!(case.statistics.count("propagate.edges"), 1, "{query}");
    }
    let case = with(&clauses("(= x 7)"), Propagate::default()).confirm(false);
    assert_eq!(case.statistics.count("propagate.edges"), 0);
    // The constant is gone, together with the argument.
    let both = Pipeline::new(vec![Box::new(Propagate::default()), Box::new(Slice)]);
    let case = run(&clauses("(= x 7)"), &both).confirm(false);
    assert_eq!(case.statistics.count("slice.arguments"), 2);
}

#[test]
fn edges_with_one_feeder_are_inlined() {
    let clauses = "(declare-fun p (Int Int) Bool)(declare-fun q (Int) Bool)
        (assert (p 1 10))(assert (p 2 20))(assert (p 3 30))
        (assert (forall ((x Int)) (=> (and (p 1 x)) (q x))))
        (assert (forall ((x Int)) (=> (and (p 4 x)) (q x))))
        (assert (forall ((x Int)) (=> (and (p 1 x) (> x 10)) (q (- x)))))
        (assert (forall ((x Int)(y Int)) (=> (and (p y x) (> y 2)) (q (+ x 1)))))
        (assert (forall ((x Int)) (=> (and (q x) (> x QUERY)) false)))";
    for (query, safe) in [("31", true), ("30", false)] {
        let case = with(&clauses.replace("QUERY", query), Inline::default()).confirm(safe);
        assert_eq!(case.statistics.count("inline.inlined"), 2 + u64::from(!safe));
        assert_eq!(case.statistics.count("inline.removed"), 2 + u64::from(safe));
    }
}

#[test]
fn duplicates_tautologies_and_subsumed_clauses() {
    let clauses = "(declare-fun p (Int) Bool)(declare-fun n () Bool)
        (assert (p 1))(assert (p 1))
        (assert (forall ((x Int)(y Int)) (=> (and (p x) (= x y)) (p y))))
        (assert (forall ((x Int)) (=> (and (p x) (> x 2)) n)))
        (assert (forall ((x Int)(y Int)) (=> (and (p x) (p y) (> x 2)) n)))
        (assert (forall ((x Int)) (=> (and (p x) (> x 2) (< x 9)) n)))
        (assert (=> n false))";
    let case = with(clauses, Subsume::default()).confirm(true);
    let count = |name: &str| case.statistics.count(name);
    assert_eq!((count("subsume.duplicates"), count("subsume.tautologies")), (1, 1));
    assert_eq!(count("subsume.subsumed"), 2);
}

#[test]
fn auxiliaries_are_eliminated() {
    let clauses = "(declare-fun p (Int) Bool)
        (assert (forall ((x Int)(a Int)(b Int)) (=> (and (= a (+ b 1)) (= x a) (<= 0 b) (<= b 2)) (p x))))
        (assert (forall ((x Int)(a Int)) (=> (and (p x) (< x a) (< a 3)) false)))";
    let case = with(clauses, Simplify::default()).confirm(false);
    for (_, edge) in case.done.graph.edges() {
        assert!(case.done.graph.auxiliaries(&case.store, edge).is_empty());
    }
}

#[test]
fn a_predicate_may_be_called_false() {
    let clauses = "(declare-fun |false| () Bool)(declare-fun |false#0| (Int) Bool)
        (assert (forall ((x Int)) (=> (= x 3) (|false#0| x))))
        (assert (forall ((x Int)) (=> (and (|false#0| x) (> x 3)) false)))";
    assert!(run(&clauses.replace("(declare-fun |false| () Bool)", ""), &Pipeline::standard()).decided());
}

#[test]
fn a_long_chain_with_branches_takes_no_time() {
    let mut clauses = String::from("(declare-fun p0 (Int Int) Bool)(assert (p0 0 0))");
    for i in 1..3000 {
        clauses += &format!(
            "(declare-fun p{i} (Int Int) Bool)
             (assert (forall ((x Int)(z Int)) (=> (and (p{0} x z) (< x 5)) (p{i} (+ x 1) z))))
             (assert (forall ((x Int)(z Int)) (=> (and (p{0} x z) (>= x 5)) (p{i} 0 (+ z 1)))))",
            i - 1
        );
    }
    clauses += "(assert (forall ((x Int)(z Int)) (=> (and (p2999 x z) (> x 5)) false)))";
    let case = run(&clauses, &Pipeline::standard());
    assert!(case.decided());
}
