//! Invariants that are known, and what the pass makes of them. Random systems are in `random.rs`.

use std::fmt::Write;

use shem_base::{Budget, Rng, Statistics};
use shem_chc::{Graph, Interpretation};
use shem_term::{Substitution, Term};
use shem_test_support::oracle::Facts;
use shem_test_support::rounds;
use shem_transform::{Invariants, Pass, Pipeline, Slice};

use crate::case::{Case, run};

/// The pass with equalities alone.
fn equalities() -> Invariants {
    Invariants { congruences: false, bounds: false, ..Invariants::default() }
}

/// The clauses through the pass, and slicing.
fn with(clauses: &str, pass: Invariants) -> Case {
    let passes: Vec<Box<dyn Pass>> = vec![Box::new(pass), Box::new(Slice)];
    run(clauses, &Pipeline::new(passes))
}

fn arguments(graph: &Graph) -> Vec<usize> {
    graph.vertices().map(|vertex| graph.vertex(vertex).sorts().len()).collect()
}

#[test]
fn what_others_determine_is_no_argument() {
    // z counts the steps, each of which is one of x or of y; w is twice z.
    let clauses = "(declare-fun p (Int Int Int Int) Bool)
        (assert (p 0 0 3 6))
        (assert (forall ((x Int)(y Int)(z Int)(w Int)(a Int)(b Int))
          (=> (and (p x y z w) (< z 9)
                   (or (and (= a (+ x 1)) (= b y)) (and (= a x) (= b (+ y 1)))))
              (p a b (+ z 1) (+ w 2)))))
        (assert (forall ((x Int)(y Int)(z Int)(w Int)) (=> (and (p x y z w) QUERY) false)))";
    let case = with(&clauses.replace("QUERY", "(= x 5) (= y 1)"), equalities()).confirm(false);
    assert_eq!(arguments(&case.done.graph), [2]);
    assert_eq!(case.statistics.count("invariants.definitions"), 2);
    let case = with(&clauses.replace("QUERY", "(= x 5) (= y 2)"), equalities()).confirm(true);
    assert_eq!(arguments(&case.done.graph), [2]);
    for query in ["(> w (* 2 z))", "(< (+ x y 3) z)", "(and (= x 2) (= y 2) (> z 7))"] {
        assert!(with(&clauses.replace("QUERY", query), equalities()).decided(), "{query}");
    }
}

#[test]
fn equalities_of_recursive_procedures() {
    let clauses = "(declare-fun f (Int Int) Bool)
        (assert (f 1 2))
        (assert (forall ((a Int)(b Int)(c Int)(d Int))
          (=> (and (f a b) (f c d) (< (+ a c) 6)) (f (+ a c) (+ b d)))))
        (assert (forall ((a Int)(b Int)) (=> (and (f a b) QUERY) false)))";
    assert!(with(&clauses.replace("QUERY", "(distinct b (* 2 a))"), equalities()).decided());
    let case = with(&clauses.replace("QUERY", "(= b 10)"), equalities()).confirm(false);
    assert_eq!(arguments(&case.done.graph), [1]);
}

#[test]
fn fractions_are_no_definitions_of_integers() {
    // 2x = 3y: neither is an integer multiple of the other.
    let clauses = "(declare-fun p (Int Int) Bool)
        (assert (p 0 0))
        (assert (forall ((x Int)(y Int)) (=> (and (p x y) (< x 9)) (p (+ x 3) (+ y 2)))))
        (assert (forall ((x Int)(y Int)) (=> (and (p x y) QUERY) false)))";
    let case = with(&clauses.replace("QUERY", "(= (+ x y) 10)"), equalities()).confirm(false);
    assert_eq!((arguments(&case.done.graph), case.statistics.count("invariants.equalities")), (vec![2], 1));
    assert!(with(&clauses.replace("QUERY", "(distinct (* 2 x) (* 3 y))"), equalities()).decided());
    // Reals have no such trouble. A single loop over them is left alone.
    let real = clauses.replace("Int", "Real").replace("QUERY", "(= (+ x y) 10.0)");
    let case = with(&real, equalities()).confirm(false);
    assert_eq!(arguments(&case.done.graph), [2]);
    let two = "(declare-fun q (Real Real) Bool)
        (assert (q 0.0 0.0))
        (assert (forall ((x Real)(y Real)) (=> (q x y) (p x y))))
        (assert (forall ((x Real)(y Real)) (=> (and (p x y) (< x 9.0)) (p (+ x 3.0) (+ y 2.0)))))
        (assert (forall ((x Real)(y Real)) (=> (and (p x y) (= (+ x y) 10.0)) false)))";
    let case = with(&format!("(declare-fun p (Real Real) Bool) {two}"), equalities()).confirm(false);
    assert_eq!(arguments(&case.done.graph), [1, 0]);
}

#[test]
fn truth_values() {
    // Exactly one of a, b, c holds; d is the negation of e.
    let clauses = "(declare-fun p (Bool Bool Bool Bool Bool Int) Bool)
        (assert (p true false false true false 0))
        (assert (forall ((a Bool)(b Bool)(c Bool)(d Bool)(e Bool)(n Int))
          (=> (and (p a b c d e n) (< n 9)) (p c a b (xor d a) (xor e a) (+ n 1)))))
        (assert (forall ((a Bool)(b Bool)(c Bool)(d Bool)(e Bool)(n Int))
          (=> (and (p a b c d e n) QUERY) false)))";
    for query in ["(and a b)", "(not (or a b c))", "(= d e)"] {
        assert!(with(&clauses.replace("QUERY", query), equalities()).decided(), "{query}");
    }
    let case = with(&clauses.replace("QUERY", "(and b (not d) (= n 7))"), equalities()).confirm(false);
    assert_eq!(case.statistics.count("invariants.definitions"), 1);
    assert_eq!(case.statistics.count("invariants.equalities"), 2);
}

#[test]
fn congruences() {
    let clauses = "(declare-fun p (Int Int) Bool)
        (assert (p 1 0))
        (assert (forall ((x Int)(y Int)) (=> (and (p x y) (< x 30)) (p (+ x 4) (+ y 6)))))
        (assert (forall ((x Int)(y Int)) (=> (and (p x y) (< y 40)) (p (- x 2) (+ y 3)))))
        (assert (forall ((x Int)(y Int)) (=> (and (p x y) (< x 0) (< y 40)) (p (+ x 6) y))))
        (assert (forall ((x Int)(y Int)) (=> (and (p x y) QUERY) false)))";
    for query in ["(= x 4)", "(= (mod x 2) 0)", "(= y 10)", "(= y 11)"] {
        assert!(
            with(&clauses.replace("QUERY", query), Invariants { congruences: true, ..equalities() })
                .decided(),
            "{query}"
        );
    }
    with(&clauses.replace("QUERY", "(= x 9)"), Invariants { congruences: true, ..equalities() })
        .confirm(false);
}

#[test]
fn bounds() {
    // x stays below n + 1, and n is not known.
    let clauses = "(declare-fun p (Int Int) Bool)
        (assert (forall ((n Int)) (=> (and (> n 0) (< n 5)) (p 0 n))))
        (assert (forall ((x Int)(n Int)) (=> (and (p x n) (< x n)) (p (+ x 1) n))))
        (assert (forall ((x Int)(n Int)) (=> (and (p x n) QUERY) false)))";
    for query in ["(> x n)", "(< x 0)", "(> n 4)"] {
        assert!(
            with(&clauses.replace("QUERY", query), Invariants { bounds: true, ..equalities() }).decided(),
            "{query}"
        );
    }
    with(&clauses.replace("QUERY", "(= x 4)"), Invariants { bounds: true, ..equalities() }).confirm(false);
    let safe = with(&clauses.replace("QUERY", "(> (+ x n) 8)"), Invariants { bounds: true, ..equalities() })
        .confirm(true);
    assert!(safe.statistics.count("invariants.bounds") >= 4);
}

/// A random program whose numbers move by constants, with a counter that ends it.
fn program(rng: &mut Rng) -> String {
    let (numbers, truths) = (1 + rng.index(4), rng.index(4));
    let name = |kind: &str, at: usize| format!("{kind}{at}");
    let mut sorts = vec!["Int"; 1 + numbers];
    sorts.resize(1 + numbers + truths, "Bool");
    let mut names = vec!["n".to_owned()];
    names.extend((0..numbers).map(|at| name("x", at)).chain((0..truths).map(|at| name("b", at))));
    let variables: String = names.iter().zip(&sorts).map(|(name, sort)| format!("({name} {sort})")).collect();
    let predicates = 1 + rng.index(2);
    let mut text = String::new();
    for predicate in 0..predicates {
        let _ = write!(text, "(declare-fun p{predicate} ({}) Bool)", sorts.join(" "));
    }
    let mut initial = String::new();
    for _ in 0..numbers {
        let _ = write!(initial, " {}", rng.index(4));
    }
    for _ in 0..truths {
        let _ = write!(initial, " {}", rng.bool());
    }
    let _ = write!(text, "(assert (p0 0{initial}))");
    for _ in 0..2 + rng.index(3) {
        let (from, to) = (rng.index(predicates), rng.index(predicates));
        let mut next = vec!["(+ n 1)".to_owned()];
        for at in 0..numbers {
            let step = rng.index(5) as i64 - 1;
            next.push(match rng.index(6) {
                0 => names[1 + rng.index(numbers)].clone(),
                1 => format!("(+ x{at} (* 2 {}))", names[1 + rng.index(numbers)]),
                2 => format!("(ite (< x{at} 2) (+ x{at} 2) x{at})"),
                _ => format!("(+ x{at} {})", if step < 0 { "(- 1)".to_owned() } else { step.to_string() }),
            });
        }
        for at in 0..truths {
            let other = name("b", rng.index(truths));
            next.push(match rng.index(5) {
                0 => other,
                1 => format!("(not {other})"),
                2 => format!("(and b{at} {other})"),
                _ => name("b", at),
            });
        }
        let guard = match rng.index(3) {
            0 if truths > 0 => name("b", rng.index(truths)),
            1 => format!("(< x0 {})", rng.index(6)),
            _ => "true".to_owned(),
        };
        let _ = write!(
            text,
            "(assert (forall ({variables}) (=> (and (p{from} {}) (< n 5) {guard}) (p{to} {}))))",
            names.join(" "),
            next.join(" ")
        );
    }
    text
}

/// What is found holds of all facts, which are listed, and is closed under the clauses, which a solver confirms.
#[test]
fn random_programs() {
    let mut found = Statistics::new();
    for seed in 0..rounds(60) {
        let text = program(&mut Rng::new(seed));
        let pass = Invariants { congruences: true, bounds: true, ..equalities() };
        let mut case = run(&text, &Pipeline::new(vec![Box::new(pass)]));
        found.merge_prefixed("all", &case.statistics);
        let mut weakest = Interpretation::new();
        for vertex in case.done.graph.vertices() {
            weakest.insert(vertex, Term::TRUE);
        }
        let Case { store, graph, done, .. } = &mut case;
        let known = done.interpretation(store, weakest, &mut Budget::unlimited()).expect("a way back");
        let facts = Facts::of(store, graph);
        for vertex in graph.vertices() {
            let (formula, state) = (known.get(vertex).expect("a formula"), graph.vertex(vertex).state());
            for (values, _) in &facts.facts[vertex.index()] {
                let mut here = Substitution::new();
                for (&variable, value) in state.iter().zip(values) {
                    let value = store.value_term(value, store.sort(variable));
                    here.bind(store, &[variable], &[value]);
                }
                assert_eq!(store.substitute(formula, &here), Term::TRUE, "seed {seed}: {text}");
            }
        }
        case.confirm_weakest();
    }
    for (name, least) in [("equalities", 40), ("congruences", 20), ("bounds", 100), ("definitions", 20)] {
        let count = found.count(&format!("all.invariants.{name}"));
        assert!(count >= least, "{name}: {count}");
    }
}

#[test]
fn a_vertex_without_facts_goes() {
    let clauses = "(declare-fun p (Int) Bool)(declare-fun q (Int) Bool)
        (assert (p 2))
        (assert (forall ((x Int)) (=> (and (p x) (< x 9)) (p (+ x 2)))))
        (assert (forall ((x Int)) (=> (and (p x) (= x 5)) (q x))))
        (assert (forall ((x Int)) (=> (q x) (q (+ x 1)))))
        (assert (forall ((x Int)) (=> (q x) false)))";
    assert!(with(clauses, Invariants { congruences: true, ..equalities() }).decided());
}

#[test]
fn numbers_that_grow_without_end() {
    // Neither words nor the search overflow: what becomes too large is left out.
    let clauses = "(declare-fun p (Int Int Int) Bool)
        (assert (p 3 9223372036854775807 1))
        (assert (forall ((x Int)(y Int)(z Int))
          (=> (p x y z) (p (* 1000003 x) (+ y (* 7 x)) (* 9223372036854775807 z)))))
        (assert (forall ((x Int)(y Int)(z Int)) (=> (and (p x y z) (= y 5) (= z 7)) false)))";
    let case = with(clauses, Invariants { congruences: true, bounds: true, ..equalities() });
    assert!(case.statistics.count("invariants.questions") > 2);
}

#[test]
fn limits() {
    let clauses = "(declare-fun p (Int Int) Bool)
        (assert (p 0 1))
        (assert (forall ((x Int)(y Int)) (=> (p x y) (p (+ x 1) (+ y 1)))))
        (assert (forall ((x Int)(y Int)) (=> (and (p x y) (= x 5) (> y 5)) false)))";
    let arguments = |pass: Invariants| {
        arguments(&run(clauses, &Pipeline::new(vec![Box::new(pass), Box::new(Slice)])).done.graph)
    };
    assert_eq!(arguments(Invariants::default()), [1]);
    assert_eq!(arguments(Invariants { most_subterms: 3, ..Invariants::default() }), [2]);
    assert_eq!(arguments(Invariants { work: 0, work_of_subterm: 0, ..Invariants::default() }), [2]);
}
