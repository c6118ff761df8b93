//! Cases of the reader: each form of a clause, each kind of mistake with its place, and scripts.

use std::collections::BTreeSet;
use std::fmt::Write;

use shem_base::StopToken;
use shem_term::smtlib::{ErrorKind, Lexer, Location};
use shem_term::{Store, Term};

use super::script::{Effect, Request, Script, ScriptReader};
use crate::print::write_system;
use crate::system::System;

const DECLARATIONS: &str =
    "(declare-fun P (Int) Bool) (declare-fun Q (Int Int) Bool) (declare-fun B (Bool) Bool)
(declare-fun S (Real) Bool) (declare-const N Bool) (declare-fun M () Bool)\n";

fn read(text: &str) -> Result<(Store, Script), String> {
    let mut store = Store::new();
    match Script::read(&mut store, text, &StopToken::new()) {
        Ok(script) => Ok((store, script)),
        Err(error) => {
            let Location { line, column } = Location::of(text, error.span.start);
            Err(format!("{line}:{column} {:?}: {error}", error.kind))
        }
    }
}

/// The clauses of a system, one a line.
fn clauses(store: &mut Store, system: &System) -> String {
    let mut text = Vec::new();
    write_system(&mut text, store, system).expect("a vector takes all that is written");
    let text = String::from_utf8(text).expect("text");
    let assertion = |line: &str| Some(line.strip_prefix("(assert ")?.strip_suffix(')')?.to_owned());
    text.lines().filter_map(assertion).collect::<Vec<_>>().join("\n")
}

/// Asserts what the clauses of these commands are, after the declarations.
#[track_caller]
fn check(commands: &str, expected: &str) {
    let found = match read(&format!("{DECLARATIONS}{commands}")) {
        Ok((mut store, script)) => {
            let system = &script.system;
            for clause in &system.clauses {
                let mut terms = vec![clause.constraint];
                terms.extend(
                    clause.body.iter().chain(&clause.head).flat_map(|atom| atom.args.iter().copied()),
                );
                for variable in store.free_variables(&terms) {
                    assert!(clause.variables.contains(&variable), "a variable of the clause");
                }
            }
            let mut all: Vec<_> = system.clauses.iter().flat_map(|c| c.variables.iter().copied()).collect();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count, "clauses share no variables");
            clauses(&mut store, system)
        }
        Err(error) => error,
    };
    assert_eq!(found, expected, "for {commands}");
}

#[test]
fn implications() {
    check("(assert (forall ((x Int)) (=> (= x 0) (P x))))", "(forall ((x Int)) (=> (= x 0) (P x)))");
    check(
        "(assert (forall ((x Int) (y Int)) (=> (and (P x) (= y (+ x 1))) (P y))))",
        "(forall ((x Int) (y Int)) (=> (and (P x) (= (+ x (- y)) (- 1))) (P y)))",
    );
    check("(assert (forall ((x Int)) (=> (P x) false)))", "(forall ((x Int)) (=> (P x) false))");
    check(
        "(assert (forall ((x Int)) (=> (P x) (> x 0))))",
        "(forall ((x Int)) (=> (and (P x) (<= x 0)) false))",
    );
    check(
        "(assert (forall ((x Int)) (=> (P x) (=> (> x 0) (Q x x)))))",
        "(forall ((x Int)) (=> (and (P x) (>= x 1)) (Q x x)))",
    );
}

#[test]
fn negated_existentials_and_disjunctions() {
    check(
        "(assert (not (exists ((x Int)) (and (P x) (> x 3)))))",
        "(forall ((x Int)) (=> (and (P x) (>= x 4)) false))",
    );
    check(
        "(assert (forall ((x Int)) (or (not (P x)) (< x 3) (not (Q x 1)) N)))",
        "(forall ((x Int)) (=> (and (P x) (Q x 1) (>= x 3)) N))",
    );
    check("(assert (forall ((x Int)) (not (P x))))", "(forall ((x Int)) (=> (P x) false))");
    check("(assert (not (and (P 1) N)))", "(=> (and N (P 1)) false)");
}

#[test]
fn ground_clauses_facts_and_truth() {
    check("(assert (P 3))", "(=> true (P 3))");
    check("(assert (not (P 3)))", "(=> (P 3) false)");
    check("(assert (=> N M))", "(=> N M)");
    check("(assert M)", "(=> true M)");
    check("(assert (=> M false))", "(=> M false)");
    check("(assert true)", "");
    check("(assert false)", "(=> true false)");
    check("(assert (> 1 2))", "(=> true false)");
    check("(assert (=> (P 1) (P 1)))", "");
    check("(assert (forall ((UNUSED Bool)) (=> N false)))", "(forall ((UNUSED Bool)) (=> N false))");
}

#[test]
fn arguments_are_any_terms() {
    check(
        "(assert (forall ((x Int)) (Q (+ x 1) (* 2 x))))",
        "(forall ((x Int)) (=> true (Q (+ x 1) (* 2 x))))",
    );
    check(
        "(assert (forall ((x Int) (b Bool)) (=> (B (and b (> x 0))) (B (not b)))))",
        "(forall ((x Int) (b Bool)) (=> (B (and b (>= x 1))) (B (not b))))",
    );
    check("(assert (forall ((r Real)) (=> (S r) (S 1))))", "(forall ((r Real)) (=> (S r) (S 1.0)))");
    check(
        "(assert (forall ((x Int)) (P (ite (> x 0) x (- x)))))",
        "(forall ((x Int)) (=> true (P (ite (<= x 0) (- x) x))))",
    );
    // An argument with a quantifier becomes a variable.
    check(
        "(assert (forall ((x Int)) (B (exists ((y Int)) (= x (* 2 y))))))",
        "(forall ((x Int) (argument Bool)) (=> (not (= (forall ((y Int)) (not (= (+ x (* (- 2) y)) 0))) argument)) \
         (B argument)))",
    );
    check(
        "(assert (forall ((x Int)) (P (ite (exists ((y Int)) (= x (* 2 y))) 1 x))))",
        "(forall ((x Int) (argument Int)) (=> (= (+ (ite (forall ((y Int)) (not (= (+ x (* (- 2) y)) 0))) x 1) (- argument)) \
         0) (P argument)))",
    );
}

#[test]
fn all_sorts() {
    check("(assert (forall ((x Int)) (P (* x x))))", "(forall ((x Int)) (=> true (P (* x x))))");
    check(
        "(assert (forall ((x Int) (y Int)) (P (div x y))))",
        "(forall ((x Int) (y Int)) (=> true (P (div x y))))",
    );
    check(
        "(declare-fun A ((Array Int Int)) Bool)
         (assert (forall ((a (Array Int Int)) (i Int)) (=> (and (A a) (= (select a i) 7)) (A (store a i 0)))))",
        "(forall ((a (Array Int Int)) (i Int)) (=> (and (A a) (= (select a i) 7)) (A (store a i 0))))",
    );
    check(
        "(declare-sort U 0) (declare-fun F (U (Array U Bool)) Bool)
         (assert (forall ((u U) (s (Array U Bool))) (=> (and (F u s) (select s u)) N)))",
        "(forall ((u U) (s (Array U Bool))) (=> (and (F u s) (select s u)) N))",
    );
    // A sort that is declared after its use.
    check(
        "(declare-datatypes ((Q 0)) (((q (p Z))))) (declare-datatypes ((Z 0)) (((z (n Int)))))
         (declare-fun R (Q) Bool) (assert (forall ((x Q)) (=> (> (n (p x)) 0) (R x))))",
        "(forall ((x Q)) (=> (>= (n (p x)) 1) (R x)))",
    );
    let list = "(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
        (declare-fun L ((List Int)) Bool) ";
    check(
        &format!(
            "{list}(assert (L (as nil (List Int))))
             (assert (forall ((l (List Int)) (x Int)) (=> (L l) (L (cons x l)))))
             (assert (forall ((l (List Int))) (=> (and (L l) ((_ is cons) l) (= (head l) 0)) N)))
             (assert (forall ((l (List Int))) (=> (L l) (match l ((nil M) ((cons x k) (P x)))))))"
        ),
        "(=> true (L (as nil (List Int))))
(forall ((l (List Int)) (x Int)) (=> (L l) (L (cons x l))))
(forall ((l (List Int))) (=> (and (L l) (= l (cons (head l) (tail l))) (= (head l) 0)) N))
(forall ((l (List Int))) (=> (and (L l) (= (as nil (List Int)) l)) M))
(forall ((l (List Int))) (=> (and (L l) (not (= (as nil (List Int)) l))) (P (head l))))",
    );
    // Truth values inside of other sorts are no predicates.
    check(
        "(declare-datatype R ((mk (flag Bool)))) (declare-fun T (R) Bool)
         (assert (forall ((r R)) (=> (and (T r) (flag r)) N))) (assert (T (mk true)))",
        "(forall ((r R)) (=> (and (T r) (flag r)) N))
(=> true (T (mk true)))",
    );
    check(
        "(declare-datatype R ((mk (flag Bool)))) (declare-fun T (R) Bool)
         (assert (T (mk N)))",
        "4:10 NotHorn: not a Horn clause: N inside an argument of T",
    );
    // Thrust writes `par` without parameters.
    check(
        "(declare-datatypes ((K 0)) ((par () ((c) (d (e Int)))))) (declare-fun D (K) Bool)
         (define-fun is-big ((t K)) Bool (and ((_ is d) t) (> (e t) 9))) (assert (forall ((t K)) (=> (is-big t) (D t))))",
        "(forall ((t K)) (=> (and (>= (e t) 10) ((_ is d) t)) (D t)))",
    );
}

#[test]
fn quantifiers_are_pulled_out() {
    check(
        "(assert (forall ((x Int)) (=> (P x) (forall ((y Int)) (=> (> y x) (Q x y))))))",
        "(forall ((x Int) (y Int)) (=> (and (P x) (<= (+ x (- y)) (- 1))) (Q x y)))",
    );
    check(
        "(assert (forall ((x Int)) (=> (exists ((y Int)) (Q x y)) (P x))))",
        "(forall ((x Int) (y Int)) (=> (Q x y) (P x)))",
    );
    check(
        "(assert (forall ((x Int)) (=> (exists ((y Int)) (= x (* 2 y))) (P x))))",
        "(forall ((x Int) (y Int)) (=> (= (+ x (* (- 2) y)) 0) (P x)))",
    );
    check(
        "(assert (forall ((x Int)) (=> (or (< x 0) (exists ((y Int)) (= x (* 2 y)))) (P x))))",
        "(forall ((x Int) (y Int)) (=> (or (<= x (- 1)) (= (+ x (* (- 2) y)) 0)) (P x)))",
    );
    // A universal quantifier in a constraint stays, as does an existential one on the right.
    check(
        "(assert (forall ((x Int)) (=> (forall ((y Int)) (or (< y 0) (> y x))) (P x))))",
        "(forall ((x Int)) (=> (forall ((y Int)) (or (<= y (- 1)) (<= (+ x (- y)) (- 1)))) (P x)))",
    );
    check(
        "(assert (forall ((x Int)) (=> (P x) (exists ((y Int)) (= x (* 2 y))))))",
        "(forall ((x Int)) (=> (and (P x) (forall ((y Int)) (not (= (+ x (* (- 2) y)) 0)))) false))",
    );
    // A block that is opened and stays, too, has two variables; names of bound variables hide nothing.
    check(
        "(assert (forall ((x Int) (y Int) (b Bool)) (=> (and (= y x) (let ((e (exists ((y Int)) (= x (* 2 y))))) (and e (= b e)))) (P y))))",
        "(forall ((x Int) (y Int) (b Bool) (y!1 Int)) (=> (and (= (+ x (- y)) 0) (not (= b (forall ((y!2 Int)) (not (= (+ x \
         (* (- 2) y!2)) 0))))) (= (+ x (* (- 2) y!1)) 0)) (P y)))",
    );
    // A name that is bound twice is two variables.
    check(
        "(assert (forall ((x Int)) (=> (P x) (forall ((x Int)) (Q x 0)))))",
        "(forall ((x Int) (x!1 Int)) (=> (P x) (Q x!1 0)))",
    );
}

#[test]
fn one_assertion_gives_several_clauses() {
    check(
        "(assert (forall ((x Int)) (=> (P x) (and (Q x 0) (Q x 1) (> x 2)))))",
        "(forall ((x Int)) (=> (P x) (Q x 0)))
(forall ((x Int)) (=> (P x) (Q x 1)))
(forall ((x Int)) (=> (and (P x) (<= x 2)) false))",
    );
    check(
        "(assert (forall ((x Int)) (=> (or (P x) (Q x 0) (< x 0) (> x 9)) N)))",
        "(forall ((x Int)) (=> (P x) N))
(forall ((x Int)) (=> (Q x 0) N))
(forall ((x Int)) (=> (or (>= x 10) (<= x (- 1))) N))",
    );
    check(
        "(assert (and (P 1) (=> (P 2) N)))",
        "(=> true (P 1))
(=> (P 2) N)",
    );
    check(
        "(assert (forall ((x Int)) (ite (> x 0) (P x) (Q x x))))",
        "(forall ((x Int)) (=> (<= x 0) (Q x x)))
(forall ((x Int)) (=> (>= x 1) (P x)))",
    );
    check(
        "(assert (forall ((x Int)) (= (P x) (> x 0))))",
        "(forall ((x Int)) (=> (and (P x) (<= x 0)) false))
(forall ((x Int)) (=> (>= x 1) (P x)))",
    );
}

#[test]
fn lets_macros_and_annotations() {
    check(
        "(assert (forall ((x Int)) (let ((p (P x)) (c (> x 0))) (=> (and p c) N))))",
        "(forall ((x Int)) (=> (and (P x) (>= x 1)) N))",
    );
    check(
        "(define-fun next ((a Int) (b Int)) Bool (and (P a) (= b (+ a 1))))
         (assert (forall ((x Int) (y Int)) (=> (next x y) (P y))))",
        "(forall ((x Int) (y Int)) (=> (and (P x) (= (+ x (- y)) (- 1))) (P y)))",
    );
    // The quantifier of a macro is another one in each use.
    check(
        "(define-fun some ((a Int)) Bool (exists ((b Int)) (Q a b)))
         (assert (=> (and (some 1) (some 2)) N)) (assert (=> (some 1) M))",
        "(forall ((b Int) (b!1 Int)) (=> (and (Q 1 b) (Q 2 b!1)) N))
(forall ((b Int)) (=> (Q 1 b) M))",
    );
    check(
        "(assert (! (forall ((x Int)) (! (=> (P x) N) :pattern ((P x)) :weight 3)) :named rule))
         (set-info :source |a b|) (set-info :notes (a (b))) (set-option :produce-models true)",
        "(forall ((x Int)) (=> (P x) N))",
    );
    // A macro inside itself: the inner variable is not the outer one.
    check(
        "(define-fun also ((f Bool)) Bool (exists ((b Int)) (and f (P b)))) (assert (=> (also (also N)) M))",
        "(forall ((b Int) (b!1 Int)) (=> (and (P b) N (P b!1)) M))",
    );
}

#[test]
fn what_is_not_horn() {
    let not_horn = |formula: &str, message: &str| {
        check(&format!("  (assert {formula})"), &format!("3:3 NotHorn: not a Horn clause: {message}"));
    };
    not_horn("(or (P 1) (P 2))", "it has two positive predicates, P and P");
    not_horn("(forall ((x Int)) (=> (P x) (or N (Q x x))))", "it has two positive predicates, N and Q");
    not_horn("(=> (not N) M)", "it has two positive predicates, N and M");
    not_horn("(xor N M)", "it has two positive predicates, N and M");
    not_horn("(B (P 1))", "P inside an argument of B");
    not_horn("(B (and N (> 1 0)))", "N inside an argument of B");
    not_horn("(forall ((x Int)) (=> (= x (ite N 1 2)) (P x)))", "N inside an arithmetic term");
    let under = "P under a quantifier in a body, where one atom may stand, not negated";
    not_horn("(exists ((x Int)) (P x))", under);
    not_horn("(=> (forall ((x Int)) (not (P x))) N)", under);
    not_horn("(=> (forall ((x Int)) (or (P x) (P (+ x 1)))) N)", under);
}

/// Premises stay what they are, with bound variables of their own; where values are few, they are written out.
#[test]
fn universal_premises() {
    let premises = |formula: &str| {
        let (mut store, script) = read(&format!("{DECLARATIONS}(assert {formula})")).expect("clauses");
        let mut bound = BTreeSet::new();
        let mut counts = Vec::new();
        for clause in script.system.clauses.iter().filter(|clause| clause.constraint != Term::FALSE) {
            counts.push((clause.body.len(), clause.premises.len()));
            for variable in clause.premises.iter().flat_map(|premise| &premise.variables) {
                assert!(bound.insert(*variable) && !clause.variables.contains(variable), "{formula}");
            }
        }
        // What is printed is read back as the same premises.
        let mut text = Vec::new();
        write_system(&mut text, &mut store, &script.system).expect("a text");
        let again = read(&String::from_utf8(text).expect("a text")).expect("a script").1.system;
        let found: Vec<_> = again.clauses.iter().map(|c| (c.body.len(), c.premises.len())).collect();
        assert_eq!(found, counts, "{formula}");
        counts
    };
    assert_eq!(premises("(=> (forall ((x Int)) (P x)) N)"), [(0, 1)]);
    assert_eq!(premises("(forall ((x Int)) (=> (forall ((x Int)) (=> (> x 0) (P x))) (P x)))"), [(0, 1)]);
    assert_eq!(premises("(=> (forall ((x Int) (y Int)) (and (P x) (Q x y) (< y (+ y 1)))) N)"), [(0, 2)]);
    // Of one that does not depend on the variable there is nothing to quantify.
    let cases = premises("(=> (forall ((x Int)) (=> (> x 0) M)) N)");
    assert_eq!(cases.iter().copied().collect::<BTreeSet<_>>(), BTreeSet::from([(0, 0), (1, 0)]));
    assert_eq!(premises("(=> (forall ((b Bool)) (P (ite b 1 2))) N)"), [(2, 0)]);
    assert_eq!(premises("(=> (forall ((x Int)) (=> (and (<= 0 x) (< x 3)) (P x))) N)"), [(3, 0)]);
    assert_eq!(premises("(=> (forall ((x Int)) (=> (and (<= 0 x) (< x 300)) (P x))) N)"), [(0, 1)]);
    // A guard that the clause decides: cases of the clause.
    let cases = premises("(forall ((n Int)) (=> (forall ((b Bool)) (=> (= b (> n 0)) (P n))) N))");
    assert!(cases.iter().all(|&(_, premises)| premises == 0) && !cases.is_empty());
}

/// What a heap is made of does not hide where a mistake is, and heaps from nowhere are noticed.
#[test]
fn heaps() {
    const HEAP: &str =
        "(declare-heap Heap Addr Object nothing ((Object 0)) (((nothing) (O_Int (int Int)))))\n";
    let wrong = |text: &str| Script::read(&mut Store::new(), text, &StopToken::new()).expect_err("a mistake");
    let message = |text: &str| {
        let error = wrong(text);
        format!("{} at `{}`", error.message, &text[error.span.range()])
    };
    assert_eq!(
        message("(declare-heap Heap Addr Object oops ((Object 0)) (((nothing))))"),
        "the symbol oops is not declared at `oops`"
    );
    assert_eq!(
        message("(declare-heap Heap Addr Object nothing ((Object 0)) (((nothing) (h (g Heap)))))"),
        "the sort Heap is not declared at `Heap`"
    );
    assert_eq!(
        message("(declare-heap Heap Addr Object true ((Object 0)) (((nothing))))"),
        "expected a term of sort Object, found one of sort Bool at `true`"
    );
    assert!(message("(declare-heap Heap Addr)").ends_with("at `declare-heap`"));
    assert!(message("(declare-heap Heap (Addr) Object)").ends_with("at `(`"));
    let approximated = |text: &str| {
        let predicates = "(declare-fun p (Heap Addr) Bool) (declare-fun q (AllocResHeap) Bool)";
        let script = read(&format!("{HEAP}{predicates}(assert {text})")).expect("clauses").1;
        script.system.is_over_approximated()
    };
    assert!(!approximated("(forall ((a Addr)) (p emptyHeap a))"));
    assert!(approximated("(forall ((h Heap) (a Addr)) (p h a))"));
    assert!(!approximated("(forall ((h Heap) (a Addr)) (=> (p h a) (p (write h a nothing) a)))"));
    assert!(!approximated(
        "(forall ((h Heap) (g Heap) (a Addr)) (=> (and (p h a) (= (AllocResHeap g a) (alloc h nothing))) (p g a)))"
    ));
    assert!(!approximated("(forall ((r AllocResHeap)) (=> (q r) (p (newHeap r) (newAddr r))))"));
    assert!(approximated(
        "(forall ((h Heap) (g Heap) (a Addr)) (=> (and (p h a) (= h (write g a nothing))) (p g a)))"
    ));
    assert!(approximated("(forall ((h Heap) (a Addr)) (=> (not (= h emptyHeap)) (p h a)))"));
    let quantified = "(forall ((a Addr)) (=> (forall ((h Heap)) (= h emptyHeap)) (p emptyHeap a)))";
    let error = wrong(&format!("{HEAP}(declare-fun p (Heap Addr) Bool)(assert {quantified})"));
    assert_eq!(error.kind, ErrorKind::Unsupported);
}

#[test]
fn mistakes_and_their_places() {
    check("(assert (P x))", "3:12 Unknown: the symbol x is not declared");
    check("(assert\n  (R 1))", "4:4 Unknown: the symbol R is not declared");
    check("(assert (P 1 2))", "3:9 IllSorted: P takes 1 argument, not 2");
    check("(assert (P true))", "3:12 IllSorted: expected a term of sort Int, found one of sort Bool");
    check("(assert (P 1.5))", "3:12 IllSorted: expected a term of sort Int, found one of sort Real");
    check("(assert P)", "3:9 IllSorted: P needs arguments");
    check("(assert 1)", "3:9 IllSorted: expected a term of sort Bool, found one of sort Int");
    check(
        "(assert (forall ((v (_ FloatingPoint 8 24))) N))",
        "3:24 Unsupported: the sort FloatingPoint is not supported yet",
    );
    check("(declare-fun P (Int) Bool)", "3:14 Redeclared: P is declared already");
    check(
        "(declare-fun f (Int) Int) (assert (P 1))\n(assert (forall ((x Int)) (P (+ 1 (f x)))))",
        "4:36 Unsupported: the function f is not supported in clauses: only predicates may be declared",
    );
    check("(declare-fun f (Int) Int) (assert (P 1))", "(=> true (P 1))");
    check(
        "(define-fun-rec f ((n Int)) Int (ite (= n 0) 0 (f (- n 1)))) (assert (P (f 2)))",
        "3:74 Unsupported: the recursive function f is not supported yet",
    );
    check(
        "(declare-const c Int) (assert\n (forall ((x Int)) (=> (= x c) (P x))))",
        "4:29 Unsupported: the free constant c is not supported in clauses: quantify it",
    );
    check("(declare-const c Int) (assert (P 1))", "(=> true (P 1))");
    check(
        "(set-logic QF_LIA)",
        "3:1 Unsupported: the logic QF_LIA is not one of Horn clauses (HORN is); scripts of other logics are for shem smt",
    );
    check(
        "(declare-rell R (Int))",
        "3:2 Syntax: the command declare-rell is not known; did you mean declare-fun?",
    );
    check("(get-value (N))", "3:1 Unsupported: this command is not supported for Horn clauses");
    check("(assert (P 1)", "3:14 Syntax: the text ends where a closing parenthesis is expected");
    check("(pop 1)", "3:2 Mode: pop of 1 levels where there are 0");
    check("(no-such-command)", "3:2 Syntax: the command no-such-command is not known");
    check("(declare-sort Pointer 1) (assert N)", "(=> true N)");
}

/// What a script asks, in short: how many predicates and clauses a check has.
fn requests(text: &str) -> String {
    let script = match read(text) {
        Ok((_, script)) => script,
        Err(error) => return error,
    };
    let mut shown = String::new();
    for request in &script.requests {
        match request {
            Request::Check { system, .. } => {
                write!(shown, "check {} {}; ", system.predicates.len(), system.clauses.len())
            }
            Request::SetOption { keyword, value, .. } => write!(shown, "{keyword} {value}; "),
            other => write!(shown, "{other:?}; "),
        }
        .expect("a string takes all that is written");
    }
    shown
}

#[test]
fn scripts() {
    let text = "(set-option :timeout 1500) (set-logic HORN) (declare-fun P (Int) Bool) (assert (P 0))
        (check-sat) (get-model) (push 1) (declare-fun Q () Bool) (assert (=> (P 1) Q)) (check-sat)
        (push 2) (assert (not Q)) (check-sat) (get-proof) (pop 2) (check-sat) (pop 1) (echo \"done\") (check-sat)
        (get-info :name) (exit) (check-sat)";
    assert_eq!(
        requests(text),
        ":timeout 1500; check 1 1; GetModel; check 2 2; check 2 3; GetProof; check 2 2; Echo(\"done\"); \
         check 1 1; GetInfo(\":name\"); "
    );
    let text = "(declare-fun P () Bool) (assert P) (reset-assertions) (check-sat) (declare-fun P () Bool) (check-sat)
        (assert (not P)) (check-sat) (reset) (check-sat) (set-info :status unsat) (get-option :a)";
    assert_eq!(
        requests(text),
        "check 0 0; check 1 0; check 1 1; Reset; check 0 0; Status(\"unsat\"); GetOption(\":a\"); "
    );
    let text =
        "(set-option :global-declarations true) (push) (declare-fun P () Bool) (assert P) (pop) (check-sat)
        (set-option :timeout 0) (check-sat-assuming (P (not P))) (check-sat)";
    assert_eq!(requests(text), ":global-declarations true; check 1 0; :timeout 0; check 1 2; check 1 0; ");
    assert_eq!(requests("(check-sat) (assert (P 1))"), "1:22 Unknown: the symbol P is not declared");
    let text = "(declare-fun P (Int) Bool) (assert (forall ((y Int)) (=> (forall ((i Int))
        (= (bv2nat (bvand ((_ int2bv 64) i) ((_ int2bv 64) y))) 0)) (P y))))";
    let refused = "operations on single bits of unknown numbers under a quantifier";
    assert_eq!(requests(text), format!("1:28 Unsupported: {refused}"));
    assert_eq!(requests(""), "");
}

/// The text may come in pieces, and a command with a mistake has no effect.
#[test]
fn commands_one_by_one() {
    let mut store = Store::new();
    let mut reader = ScriptReader::new();
    let mut run = |text: &str| {
        let mut lexer = Lexer::new(text).expect("a short text");
        let effect = reader.next_effect(&mut store, &mut lexer).map(|found| found.map(|(effect, _)| effect));
        let word = match effect {
            Ok(Some(Effect::Done)) => "done",
            Ok(Some(Effect::Request(_))) => "request",
            Ok(Some(Effect::Exit)) => "exit",
            Ok(None) => "end",
            Err(_) => "mistake",
        };
        (word, reader.system().predicates.len(), reader.system().clauses.len(), reader.level_count())
    };
    assert_eq!(run("(declare-fun P (Int) Bool)"), ("done", 1, 0, 0));
    assert_eq!(run("(declare-fun Q (Int) Bool Bool)"), ("mistake", 1, 0, 0));
    assert_eq!(run("(declare-fun Q (Int) Bool)"), ("done", 2, 0, 0));
    assert_eq!(run("(assert (and (P 0) (or (P 1) (Q 2))))"), ("mistake", 2, 0, 0));
    assert_eq!(run("(push 1 1)"), ("mistake", 2, 0, 0));
    assert_eq!(run("(push 1)"), ("done", 2, 0, 1));
    assert_eq!(run("(assert (P 0))"), ("done", 2, 1, 1));
    assert_eq!(run("(check-sat-assuming ((not (P 0)) (or (P 1) (P 2))))"), ("mistake", 2, 1, 1));
    assert_eq!(run("(check-sat)"), ("request", 2, 1, 1));
    assert_eq!(run("(pop 1)"), ("done", 2, 0, 0));
    assert_eq!(run("(reset 1)"), ("mistake", 2, 0, 0));
    assert_eq!(run("(declare-datatype D ((d (first E))))"), ("done", 2, 0, 0));
    assert_eq!(run("(declare-datatype E ((e)))"), ("done", 2, 0, 0));
    assert_eq!(run("(declare-fun R (D) Bool)"), ("done", 3, 0, 0));
    assert_eq!(run("; nothing"), ("end", 3, 0, 0));
    assert_eq!(run("(exit)"), ("exit", 3, 0, 0));
}

#[test]
fn the_fixed_point_form() {
    let text = "(declare-rel inv (Int Bool) interval_relation) (declare-rel bad ()) (declare-var x Int) (declare-var b Bool)
        (rule (=> (= x 0) (inv x b)) start)
        (rule (! (=> (and (inv x b) (< x 5)) (inv (+ x 1) (not b))) :named step))
        (rule (=> (and (inv x b) (> x 3)) bad))
        (query bad :print-certificate true)
        (query inv)
        (query (and (inv x b) (> x 7)))";
    assert_eq!(requests(text), "check 2 4; check 2 4; check 2 4; ");
    let (mut store, script) = read(text).expect("a script");
    let mut goals = Vec::new();
    for request in &script.requests {
        let Request::Check { system, .. } = request else { continue };
        let text = clauses(&mut store, system);
        goals.push(text.lines().last().expect("a clause").to_owned());
    }
    assert_eq!(goals[0], "(=> bad false)");
    assert_eq!(goals[1], "(forall ((x0 Int) (x1 Bool)) (=> (inv x0 x1) false))");
    assert_eq!(goals[2], "(forall ((x Int) (b Bool)) (=> (and (inv x b) (>= x 8)) false))");
    assert_eq!(
        clauses(&mut store, &script.system),
        "(forall ((x Int) (b Bool)) (=> (= x 0) (inv x b)))
(forall ((x Int) (b Bool)) (=> (and (inv x b) (<= x 4)) (inv (+ x 1) (not b))))
(forall ((x Int) (b Bool)) (=> (and (inv x b) (>= x 4)) bad))"
    );
    assert_eq!(
        requests("(declare-rel P (Int)) (declare-var x Int) (assert (P x))"),
        "1:54 Unsupported: the free constant x is not supported in clauses: quantify it"
    );
}

/// A clause nested a million deep is read without recursion and in linear time.
#[test]
fn deep_nesting() {
    const DEPTH: usize = 1_000_000;
    let shape = |formula: &str| {
        let (_, script) = read(&format!("{DECLARATIONS}(assert {formula})")).expect("a clause");
        let clause = script.system.clauses.last().expect("a clause");
        (script.system.clauses.len(), clause.body.len(), clause.variables.len())
    };
    let nested = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(DEPTH), close.repeat(DEPTH))
    };
    assert_eq!(shape(&nested("(=> N ", "M", ")")), (1, 1, 0));
    assert_eq!(shape(&nested("(not (not ", "M", "))")), (1, 0, 0));
    assert_eq!(shape(&nested("(let ((N (and M N))) ", "(=> N (P 1))", ")")), (1, 2, 0));
    assert_eq!(shape(&format!("(=> {} M)", nested("(and N ", "(P 1)", ")"))), (1, 2, 0));
    assert_eq!(shape(&nested("(forall ((x Int)) ", "(=> (P x) N)", ")")), (1, 1, DEPTH));
    assert_eq!(shape(&nested("(forall ((x Int)) (=> (P x) ", "N", "))")), (1, DEPTH, DEPTH));
    assert_eq!(shape(&nested("(and (P 1) ", "(P 2)", ")")), (2, 0, 0));
    let constraint = nested("(or (= x 0) (and (= x 1) ", "(= x 2)", "))");
    assert_eq!(shape(&format!("(forall ((x Int)) (=> {constraint} (P x)))")), (1, 0, 1));
}

#[test]
fn what_would_take_forever_is_refused() {
    // Conjunctions of disjunctions of predicates: twice as many clauses with each.
    let mut body = String::new();
    for i in 0..40 {
        write!(body, " (or (P {i}) (Q {i} 0))").expect("a string takes all that is written");
    }
    check(
        &format!("(assert (=> (and{body}) N))"),
        "3:1 Unsupported: the clauses of this assertion are too many to be written out",
    );
    // Many clauses that are there are no such case.
    let facts: String = (0..200_000).map(|i| format!("(P {i})")).collect();
    let (_, script) = read(&format!("{DECLARATIONS}(assert (and {facts}))")).expect("clauses");
    assert_eq!(script.system.clauses.len(), 200_000);
}

#[test]
fn operands_that_the_clause_fixes() {
    let quantifier = "(forall ((x Int) (y Int) (z Int) (w Int))";
    let check = |constraint: &str, expected: &str| {
        let clause = format!("(assert {quantifier} (=> (and {constraint} (Q x y)) (Q z w))))");
        let (mut store, script) = read(&format!("{DECLARATIONS}{clause}")).expect("a clause");
        let found = clauses(&mut store, &script.system);
        assert_eq!(found, format!("{quantifier} (=> (and (Q x y) {expected}) (Q z w)))"), "for {constraint}");
    };
    check("(= x 2) (= z (* x y))", "(= x 2) (= (+ (* 2 y) (- z)) 0)");
    // Along a chain of equations, and for quotients.
    check("(= z (mod w y)) (= y x) (= x 3)", "(= x 3) (= y 3) (= (+ z (- (mod w 3))) 0)");
    // What is left open stays a product; what contradicts itself is false.
    check("(= x 2) (= z (* w y))", "(= x 2) (= (+ z (- (* y w))) 0)");
    check("(= x 2) (= y 3) (= 7 (* x y)) (= z w)", "false");
    // Without products nothing is put in.
    check("(= x 2) (= z (+ x y))", "(= x 2) (= (+ x y (- z)) 0)");
}

/// Eldarica's `_size`: a predicate for each datatype of the group, with a clause for each constructor, and an atom in
/// the body for each number.
#[test]
fn constructors_are_counted() {
    let prelude = "(declare-datatypes ((Tree 0) (Trees 0))
        (((leaf) (node (label Int) (below Trees))) ((none) (more (first Tree) (rest Trees)))))
        (declare-fun p (Tree Int) Bool)";
    let read = |text: &str| {
        let mut store = Store::new();
        let script = Script::read(&mut store, &format!("{prelude}{text}"), &StopToken::new());
        script.map(|script| (store, script.system)).map_err(|error| error.message)
    };
    let (mut store, system) =
        read("(assert (forall ((t Tree) (n Int)) (=> (and (p t n) (> (_size t) 3)) (p t (+ n (_size t))))))")
            .unwrap();
    let names: Vec<&str> = system.predicates.iter().map(|predicate| &*predicate.name).collect();
    assert_eq!(names, ["p", "_size of Tree", "_size of Trees"]);
    let mut text = Vec::new();
    write_system(&mut text, &mut store, &system).unwrap();
    let text = String::from_utf8(text).unwrap();
    let clauses: Vec<&str> = text.lines().filter(|line| line.starts_with("(assert")).collect();
    assert_eq!(clauses.len(), 5, "{text}");
    assert_eq!(clauses[0], "(assert (=> true (|_size of Tree| leaf 1)))");
    assert!(clauses[1].contains("(+ size 1)"), "{text}");
    // One atom, though the number stands in the constraint and in the head.
    assert_eq!(clauses[4].matches("_size of").count(), 1, "{text}");
    for (text, words) in [
        ("(assert (forall ((n Int)) (=> (= n (_size 3)) (p leaf n))))", "expected a term of sort a datatype"),
        ("(assert (forall ((n Int)) (=> (= n (_size leaf leaf)) (p leaf n))))", "takes one argument"),
        ("(push 1) (assert (p leaf (_size leaf)))", "before the first push"),
        ("(assert (p leaf (_size leaf))) (reset-assertions)", "reset is"),
        (
            "(declare-datatype Box ((box (inside Tree)))) (assert (p leaf (_size (box leaf))))",
            "parts of sort Tree",
        ),
        (
            "(assert (forall ((n Int)) (=> (forall ((t Tree)) (> (_size t) n)) (p leaf n))))",
            "_size under a quantifier",
        ),
    ] {
        let message = read(text).unwrap_err();
        assert!(message.contains(words), "{message}");
    }
    // Levels keep it, a reset takes it away, and names of the user's own come first.
    let (_, system) = read(
        "(assert (p leaf (_size leaf))) (push 1) (declare-fun q (Int) Bool)
         (assert (q (_size leaf))) (pop 1) (declare-fun r (Int) Bool) (assert (r (_size leaf)))",
    )
    .unwrap();
    let names: Vec<&str> = system.predicates.iter().map(|predicate| &*predicate.name).collect();
    assert_eq!(names, ["p", "_size of Tree", "_size of Trees", "r"]);
    let (_, system) = read(
        "(define-fun big ((t Tree)) Bool (> (_size t) 9)) (assert (p leaf 1))
         (assert (forall ((t Tree) (n Int)) (=> (and (p t n) (big t)) false)))",
    )
    .unwrap();
    assert_eq!(system.clauses.last().map(|clause| clause.body.len()), Some(2));
    let (_, system) =
        read("(assert (p leaf (_size leaf))) (reset) (declare-fun q () Bool) (assert q)").unwrap();
    assert_eq!(system.predicates.len(), 1);
    let (_, system) = read("(define-fun _size ((t Tree)) Int 7) (assert (p leaf (_size leaf)))").unwrap();
    assert_eq!((system.predicates.len(), system.clauses.len()), (1, 1));
}
