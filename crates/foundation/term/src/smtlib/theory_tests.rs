//! Cases for the reader beyond arithmetic: functions, arrays, datatypes, products, with the places of mistakes.

use super::{Command, Lexer, Location, Reader};
use crate::{Store, Term};

const PRELUDE: &str = "(declare-const x Int) (declare-const y Int) (declare-const r Real) (declare-const p Bool)
(declare-sort U 0) (declare-sort Map 2) (declare-const u U) (declare-const v U)
(declare-fun f (Int U) U) (declare-fun g (Bool) Int)
(declare-const a (Array Int Int)) (declare-const b (Array Int Int))
(declare-const aa (Array Int (Array Int Bool)))
(declare-datatypes ((Color 0) (Shape 0)) (((red) (green) (blue)) ((dot) (box (side Int) (fill Color)))))
(declare-datatypes ((Tree 0) (Forest 0)) (((node (label Int) (below Forest))) ((none) (more (first Tree) (rest Forest)))))
(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
(declare-datatype Either (par (A B) ((left (l A)) (right (rr B)))))
(declare-const c Color) (declare-const s Shape) (declare-const t Tree)
(declare-const xs (List Int)) (declare-const ls (List (List Int)))
";

/// The last formula asserted by the script after the prelude, printed; or the mistake with its line and column in
/// the script.
fn outcome(script: &str) -> String {
    let (mut store, mut reader) = (Store::new(), Reader::new());
    let text = format!("{PRELUDE}{script}");
    match assertions(&mut store, &mut reader, &text) {
        Ok(formulas) => formulas.last().map_or("nothing".to_owned(), |&f| store.display(f).to_string()),
        Err(error) => {
            let start = error.span.start.saturating_sub(PRELUDE.len() as u32);
            let Location { line, column } = Location::of(script, start);
            format!("{line}:{column} {:?}: {}", error.kind, error.message)
        }
    }
}

fn assertions(store: &mut Store, reader: &mut Reader, text: &str) -> Result<Vec<Term>, super::ReadError> {
    let mut lexer = Lexer::new(text)?;
    let mut formulas = Vec::new();
    while let Some((command, _)) = reader.next_command(&mut lexer, store)? {
        if let Command::Assert { formula, .. } = command {
            formulas.push(formula);
        }
    }
    Ok(formulas)
}

#[track_caller]
fn check(script: &str, expected: &str) {
    assert_eq!(outcome(script), expected, "for {script}");
}

/// The formula is not simplified to a constant, and what is printed for it is read as the same term.
#[track_caller]
fn check_formula(formula: &str) {
    let printed = outcome(&format!("(assert {formula})"));
    assert!(!["true", "false"].contains(&printed.as_str()), "{formula} is {printed}");
    check_reads_as(formula, &printed);
}

/// Both formulas are read as the same term.
#[track_caller]
fn check_reads_as(formula: &str, expected: &str) {
    let (mut store, mut reader) = (Store::new(), Reader::new());
    let script = format!("{PRELUDE} (assert {formula}) (assert {expected})");
    let formulas = assertions(&mut store, &mut reader, &script).unwrap_or_else(|e| panic!("{formula}: {e}"));
    assert_eq!(formulas[0], formulas[1], "{} and {}", store.display(formulas[0]), store.display(formulas[1]));
}

#[test]
fn functions_and_declared_sorts() {
    check_formula("(= u (f x v))");
    check_reads_as("(= (f x v) u)", "(= u (f x v))");
    check_formula("(<= (+ x (g p)) 0)");
    check_formula("(<= (g (and p (= u v))) 0)");
    check_reads_as("(distinct u v (f 0 u))", "(and (not (= u v)) (not (= u (f 0 u))) (not (= v (f 0 u))))");
    check_reads_as("(= (ite p u v) v)", "(= v (ite p u v))");
    check("(declare-const m (Map Int U)) (declare-const n (Map Int U)) (assert (= m n))", "(= m n)");
    check(
        "(declare-const m (Map Int U)) (declare-const n (Map U Int)) (assert (= m n))",
        "1:74 IllSorted: expected a term of sort (Map Int U), found one of sort (Map U Int)",
    );
    check("(assert (= (f x) u))", "1:12 IllSorted: f takes 2 arguments, not 1");
    check("(assert (= (f u u) u))", "1:15 IllSorted: expected a term of sort Int, found one of sort U");
    check("(assert (= x u))", "1:14 IllSorted: expected a term of sort Int or Real, found one of sort U");
    check("(assert (= u x))", "1:14 IllSorted: expected a term of sort U, found one of sort Int");
    check("(assert (< u v))", "1:12 IllSorted: expected a term of sort Int or Real, found one of sort U");
    check("(assert (ite p u x))", "1:18 IllSorted: expected a term of sort U, found one of sort Int");
    check("(declare-sort U 0)", "1:15 Redeclared: the sort U is declared already");
    check("(declare-const m (Map Int))", "1:18 IllSorted: this sort takes 2 arguments, not 1");
    check("(declare-const m Map)", "1:18 IllSorted: this sort takes 2 arguments, not 0");
    check(
        "(push 1) (declare-sort V 0) (pop 1) (declare-const m V)",
        "1:54 Unknown: the sort V is not declared",
    );
    check(
        "(push 1) (declare-sort V 0) (pop 1) (declare-sort V 1) (declare-const m (V Int)) (assert (= m m))",
        "true",
    );
}

#[test]
fn arrays() {
    check_formula("(= a (store b x y))");
    check_formula("(<= (+ (select a x) (* (- 1) (select b y))) 0)");
    check_formula("(select (select aa x) y)");
    check_formula("(= a ((as const (Array Int Int)) x))");
    check_reads_as("(= (select ((as const (Array Int Int)) x) y) 0)", "(= x 0)");
    check_reads_as("(= (select (store a x y) x) 0)", "(= y 0)");
    check_reads_as("(= (select (store a 1 y) 2) 0)", "(= (select a 2) 0)");
    check_reads_as("(= (select (store a x y) (+ x 1)) 0)", "(= (select a (+ x 1)) 0)");
    check_formula("(= (select (store a x y) y) 0)");
    check_reads_as("(= a (store a x (select a x)))", "true");
    check_reads_as("(= a (store (store b x 1) x 2))", "(= a (store b x 2))");
    check(
        "(define-sort Grid (E) (Array Int (Array Int E))) (declare-const k (Grid Real)) \
           (assert (= (select (select k 1) 2) 0))",
        "(= (select (select k 1) 2) 0.0)",
    );
    check("(declare-const q (Array Int Real)) (assert (= (store q 1 2) q))", "(= q (store q 1 2.0))");
    check("(assert (select x y))", "1:17 IllSorted: expected a term of sort Array, found one of sort Int");
    check("(assert (select a p))", "1:19 IllSorted: expected a term of sort Int, found one of sort Bool");
    check(
        "(assert (= a aa))",
        "1:14 IllSorted: expected a term of sort (Array Int Int), found one of sort (Array Int (Array Int Bool))",
    );
    check(
        "(assert (= (store a 1 p) a))",
        "1:23 IllSorted: expected a term of sort Int, found one of sort Bool",
    );
    check("(assert (= (store a 1) a))", "1:12 IllSorted: store takes three arguments, not 2");
    check("(assert (= ((as const Int) 1) a))", "1:23 IllSorted: const makes no value of sort Int");
    check("(declare-const k (Array Int))", "1:18 IllSorted: this sort takes 2 arguments, not 1");
    // A script may use the names for its own symbols.
    check("(declare-fun store (Int) Bool) (assert (store x))", "(store x)");
}

#[test]
fn datatypes() {
    check_formula("(= c green)");
    check_formula("((_ is box) s)");
    check_reads_as("(is-box s)", "((_ is box) s)");
    check_formula("(= (side s) 1)");
    check_formula("(= s (box x red))");
    check_reads_as("(= (side (box x red)) y)", "(= (+ x (* (- 1) y)) 0)");
    check_reads_as("((_ is dot) (box x red))", "false");
    check_reads_as("(= (box x c) (box y red))", "(and (= (+ x (* (- 1) y)) 0) (= red c))");
    check_reads_as("(= dot (box 1 red))", "false");
    check_reads_as("(distinct red green blue)", "true");
    check_reads_as("((_ is node) t)", "true");
    check_reads_as("(= t (node (label t) (below t)))", "true");
    check_formula("(= t (first (rest (below t))))");
    check("(declare-fun is-box (Int) Bool) (assert (is-box x))", "(is-box x)");
    check("(declare-datatype R ((mk (fst Int) (snd R2))))", "1:41 Unknown: the sort R2 is not declared");
    check(
        "(declare-datatype |odd name| ((|a b| (|c d| Int)) (e))) (declare-const z |odd name|) \
           (assert ((_ is |a b|) z))",
        "((_ is |a b|) z)",
    );
    check("(assert ((_ is side) s))", "1:16 Unknown: side is no constructor");
    check("(assert ((_ is box) x))", "1:21 IllSorted: expected a term of sort Shape, found one of sort Int");
    check("(assert ((_ is box) s s))", "1:9 IllSorted: a tester takes one argument, not 2");
    check("(assert (= s (box 1)))", "1:14 IllSorted: box takes 2 arguments, not 1");
    check("(assert (= s box))", "1:14 IllSorted: box needs arguments");
    check("(assert (= (dot) s))", "1:13 IllSorted: dot takes no arguments");
    check(
        "(assert (= s (box red 1)))",
        "1:19 IllSorted: expected a term of sort Int, found one of sort Color",
    );
}

#[test]
fn declarations_of_datatypes() {
    let ill_founded = "the datatype is ill-founded: each of its constructors needs a value of the datatype";
    check("(declare-datatype D ((d (e D))))", &format!("1:19 IllSorted: {ill_founded}"));
    check(
        "(declare-datatypes ((D 0) (E 0)) (((d (de E))) ((e (ed D)))))",
        &format!("1:22 IllSorted: {ill_founded}"),
    );
    check(
        "(declare-datatypes ((G 0) (E 0)) (((k) (h (gg E))) ((e (ed E)))))",
        &format!("1:28 IllSorted: {ill_founded}"),
    );
    check(
        "(declare-datatypes ((D 1)) ((par (T) ((d (e T) (k (D T)))))))",
        &format!("1:22 IllSorted: {ill_founded}"),
    );
    check(
        "(declare-datatype D ((n) (d (e (Array Int D)))))",
        "1:19 Unsupported: a datatype that contains arrays of itself is not supported yet",
    );
    check(
        "(declare-datatype D ((n) (d (e (List (Array Int D))))))",
        "1:19 Unsupported: a datatype that contains arrays of itself is not supported yet",
    );
    check("(declare-datatypes ((D 0) (E 0)) (((d (e (Array Int E)))) ((n))))", "nothing");
    check("(declare-datatype D ())", "1:19 IllSorted: a datatype needs a constructor");
    check("(declare-datatype D ((d) (d)))", "1:27 Redeclared: d is bound twice");
    check("(declare-datatype D ((d (e Int)) (k (e Int))))", "1:38 Redeclared: e is bound twice");
    check("(declare-datatype D ((d (d Int))))", "1:26 Redeclared: d is bound twice");
    check("(declare-datatype D ((red)))", "1:23 Redeclared: red is declared already");
    check("(declare-datatype D ((d (x Int))))", "1:26 Redeclared: x is declared already");
    check("(declare-datatype Int ((d)))", "1:19 Redeclared: the sort Int is declared already");
    check(
        "(declare-datatypes ((D 0) (D 0)) (((d)) ((e))))",
        "1:28 Redeclared: the sort D is declared already",
    );
    check("(declare-datatypes ((D 1)) (((d))))", "1:29 IllSorted: D has 1 parameters, not 0");
    check("(declare-datatypes ((D 0)) ())", "1:29 Syntax: expected an open parenthesis, found )");
    check("(declare-datatypes () ())", "1:24 Syntax: expected a datatype, found )");
    check(
        "(declare-datatype W (par (T) ((w0) (w (ww (W (List T)))))))",
        "1:19 Unsupported: the instances of this datatype do not come to an end",
    );
    // Nothing of a wrong declaration is left.
    let (mut store, mut reader) = (Store::new(), Reader::new());
    assertions(&mut store, &mut reader, PRELUDE).expect("the prelude is good");
    for wrong in ["(declare-datatype D ((d (e D))))", "(declare-datatype D (par (T) ((d (e (D T))))))"] {
        assert!(assertions(&mut store, &mut reader, wrong).is_err());
    }
    let right = "(declare-datatype D ((d) (e (ee D)))) (declare-const z D) (assert (= z (e d)))";
    let formulas = assertions(&mut store, &mut reader, right).expect("the names are free");
    assert_eq!(store.display(formulas[0]).to_string(), "(= z (e d))");
    // A level takes its datatypes with it.
    check(
        "(push 1) (declare-datatype D ((d))) (pop 1) (assert (= d d))",
        "1:56 Unknown: the symbol d is not declared",
    );
    check(
        "(push 1) (declare-datatype D ((d))) (pop 1) (declare-datatype D ((d) (e))) (declare-const z D) \
           (assert (= z d))",
        "(= d z)",
    );
    check(
        "(declare-datatypes () ((D d (e (ee D2))) (D2 (d2 (dd D))))) (declare-const z D) (assert (= d (dd (ee z))))",
        "(= d (dd (ee z)))",
    );
    check(
        "(declare-datatypes (T) ((L2 n2 (c2 (h2 T) (t2 L2))))) (declare-const z (L2 Bool)) \
           (assert (= z (c2 p (as n2 (L2 Bool)))))",
        "(= z (c2 p (as n2 (L2 Bool))))",
    );
    check("(declare-datatypes ((D 0)) ((par () ((d) (e))))) (assert (= d e))", "false");
}

#[test]
fn testers_as_equalities() {
    for (formula, expected) in [
        ("((_ is box) s)", "(= s (box (side s) (fill s)))"),
        ("((_ is dot) s)", "(= s dot)"),
        ("(not ((_ is box) s))", "(not (= s (box (side s) (fill s))))"),
        ("((_ is nil) xs)", "(= xs (as nil (List Int)))"),
        (
            "((_ is more) (below (first (below t))))",
            "(let ((_let_1 (below (first (below t))))) (= _let_1 (more (first _let_1) (rest _let_1))))",
        ),
    ] {
        let (mut store, mut reader) = (Store::new(), Reader::new());
        let text = format!("{PRELUDE}(assert {formula})");
        let formulas = assertions(&mut store, &mut reader, &text).expect("a formula");
        let printed = store.display(formulas[0]).without_testers().to_string();
        let ours = printed
            .replace("(= dot s)", "(= s dot)")
            .replace("(= (as nil (List Int)) xs)", "(= xs (as nil (List Int)))");
        assert_eq!(ours, expected);
        // What is printed means the same.
        let equivalent = format!("{text}(assert (= {formula} {printed}))");
        assertions(&mut store, &mut Reader::new(), &equivalent).expect("what is printed can be read");
    }
}

#[test]
fn parametric_datatypes() {
    check_formula("(= xs (as nil (List Int)))");
    check_formula("(= xs (cons 1 (as nil (List Int))))");
    check_reads_as("(= xs ((as cons (List Int)) 1 xs))", "(= xs (cons 1 xs))");
    check_formula("(= ls (cons xs (as nil (List (List Int)))))");
    check_formula("((_ is cons) (head ls))");
    check_reads_as("(is-nil xs)", "((_ is nil) xs)");
    check_formula("(= (head xs) 3)");
    check_reads_as("(= (head (cons (cons x xs) ls)) xs)", "(= xs (cons x xs))");
    check(
        "(declare-const e (Either Int Bool)) (assert (= e ((as left (Either Int Bool)) 1)))",
        "(= e ((as left (Either Int Bool)) 1))",
    );
    check("(declare-const rs (List Real)) (assert (= rs (cons 1 rs)))", "(= rs (cons 1.0 rs))");
    check(
        "(assert (= xs (as nil (List Bool))))",
        "1:15 IllSorted: expected a term of sort (List Int), found one of sort (List Bool)",
    );
    check("(assert (= xs (as nil Int)))", "1:23 IllSorted: nil makes no value of sort Int");
    check("(assert (= xs (as cons (List Int))))", "1:19 IllSorted: cons needs arguments");
    check(
        "(assert (= xs (cons p xs)))",
        "1:21 IllSorted: expected a term of sort Int, found one of sort Bool",
    );
    check(
        "(assert (= xs (cons x x)))",
        "1:23 IllSorted: this argument of cons has sort Int, which does not fit the others",
    );
    check("(assert (= (head x) 1))", "1:18 IllSorted: expected a term of sort List, found one of sort Int");
    check("(assert ((_ is nil) c))", "1:21 IllSorted: expected a term of sort List, found one of sort Color");
    check("(declare-const z (List))", "1:18 Syntax: a sort in parentheses needs arguments");
    check("(declare-const z (List Int Int))", "1:18 IllSorted: this sort takes 1 argument, not 2");
    check(
        "(define-sort Rows (T) (List (Array Int T))) (declare-const z (Rows Bool)) \
           (assert (= z (cons ((as const (Array Int Bool)) p) z)))",
        "(= z (cons ((as const (Array Int Bool)) p) z))",
    );
    check(
        "(declare-datatype Rose ((rose (val Int) (kids (List Rose))))) (declare-const z Rose) \
           (assert (= z (rose 1 (cons z (kids z)))))",
        "(= z (rose 1 (cons z (kids z))))",
    );
}

/// The prelude uses lists of integers and lists of lists.
#[test]
fn places_determine_sorts() {
    check_reads_as("(= xs nil)", "(= xs (as nil (List Int)))");
    check_reads_as("(= nil xs)", "(= xs (as nil (List Int)))");
    check_reads_as("(distinct nil ls nil)", "false");
    check_reads_as("(= xs (cons 1 nil))", "(= xs (cons 1 (as nil (List Int))))");
    check_reads_as("(= ls (cons nil nil))", "(= ls (cons (as nil (List Int)) (as nil (List (List Int)))))");
    check_reads_as(
        "(= (cons nil (cons nil nil)) ls)",
        "(= ls (cons (as nil (List Int)) (cons (as nil (List Int)) (as nil (List (List Int))))))",
    );
    check_reads_as("(= xs (ite p nil xs))", "(= xs (ite p (as nil (List Int)) xs))");
    check_reads_as(
        "(= ls (ite (= nil xs) (ite p nil ls) (cons nil ls)))",
        "(= ls (ite (= xs (as nil (List Int))) (ite p (as nil (List (List Int))) ls) (cons (as nil (List Int)) ls)))",
    );
    check_reads_as("(let ((ys (cons x nil))) (= xs ys))", "(= xs (cons x (as nil (List Int))))");
    check_reads_as("(and p (and p (= (! xs :named here) nil)))", "(and p (= xs (as nil (List Int))))");
    for (declared, formula, expected) in [
        (
            "(declare-fun k ((List Int) (List Bool)) Bool)",
            "(k nil nil)",
            "(k (as nil (List Int)) (as nil (List Bool)))",
        ),
        (
            "(declare-const m (Array (List Int) (List Bool)))",
            "(= (select m nil) nil)",
            "(= (select m (as nil (List Int))) (as nil (List Bool)))",
        ),
        ("(define-fun k ((u (List Bool))) Bool (is-nil u))", "(k (cons p nil))", "false"),
        ("(declare-const e (Either Int Bool))", "(= e (left 1))", "(= e ((as left (Either Int Bool)) 1))"),
        (
            "(declare-const e (Either (List Int) Bool))",
            "(= (left nil) e)",
            "(= e ((as left (Either (List Int) Bool)) (as nil (List Int))))",
        ),
    ] {
        let script = format!("{PRELUDE}{declared} (assert {formula}) (assert {expected})");
        let formulas = assertions(&mut Store::new(), &mut Reader::new(), &script)
            .unwrap_or_else(|error| panic!("{formula}: {error}"));
        assert_eq!(formulas[0], formulas[1], "{formula} and {expected}");
    }
    check(
        "(declare-const rs (List Real)) (assert (= rs (cons 1 nil)))",
        "1:46 IllSorted: expected a term of sort (List Real), found one of sort (List Int)",
    );
    check("(assert (= nil nil))", "1:12 IllSorted: the sort of nil is not determined: write (as nil SORT)");
    check(
        "(assert (let ((ys (ite p nil nil))) p))",
        "1:19 IllSorted: the sort of this term is not determined: write (as C SORT) for its constructors",
    );
    check(
        "(assert (is-left (left 1)))",
        "1:18 IllSorted: the arguments do not determine the sort: write ((as left SORT) ...)",
    );
    check("(assert (and p nil))", "1:16 IllSorted: the sort of nil is not determined: write (as nil SORT)");
    check(
        "(assert (and p (and p nil)))",
        "1:23 IllSorted: the sort of nil is not determined: write (as nil SORT)",
    );
    check("(assert (> x nil))", "1:14 IllSorted: the sort of nil is not determined: write (as nil SORT)");
    check("(assert (= x nil))", "1:14 IllSorted: nil makes no value of sort Int");
    check(
        "(assert (= xs (cons p nil)))",
        "1:15 IllSorted: expected a term of sort (List Int), found one of sort (List Bool)",
    );
    check("(assert nil)", "1:9 IllSorted: the sort of nil is not determined: write (as nil SORT)");
    // Deeper than the stack allows, if reading recursed for each.
    let deep =
        |depth: usize| format!("(assert (= ls {}nil{}))", "(cons nil ".repeat(depth), ")".repeat(depth));
    let (mut store, mut reader) = (Store::new(), Reader::new());
    assert!(assertions(&mut store, &mut reader, &format!("{PRELUDE}{}", deep(200))).is_ok());
    assert!(assertions(&mut store, &mut reader, &deep(100_000)).is_err());
}

#[test]
fn matches() {
    check_reads_as(
        "(match c ((red p) (green true) (blue false)))",
        "(ite ((_ is red) c) p ((_ is green) c))",
    );
    check_reads_as(
        "(= 0 (match xs ((nil 0) ((cons h tl) (+ h 1)))))",
        "(= (ite ((_ is nil) xs) 0 (+ (head xs) 1)) 0)",
    );
    check_reads_as("(match s ((dot p) (z (= z s))))", "(or p (not ((_ is dot) s)))");
    check_reads_as("(match s ((dot p) (_ true)))", "(or p (not ((_ is dot) s)))");
    check_reads_as("(match s (((box _ z) (= z red)) (dot p)))", "(ite ((_ is box) s) (= red (fill s)) p)");
    check_reads_as(
        "(= r (match s ((dot 1) ((box n _) n))))",
        "(= r (to_real (ite ((_ is dot) s) 1 (side s))))",
    );
    check_reads_as(
        "(match t (((node n q) (match q ((none true) ((more h k) (= n (label h))))))))",
        "(or ((_ is none) (below t)) (= (+ (label t) (* (- 1) (label (first (below t))))) 0))",
    );
    check_reads_as("(match (box 1 red) ((dot p) ((box n k) (= n x))))", "(= x 1)");
    check("(assert (match c ((red p) (green true))))", "1:9 IllSorted: the match has no case for blue");
    check(
        "(assert (match s ((dot p) ((square k) true))))",
        "1:29 Unknown: square is no constructor of Shape",
    );
    check("(assert (match s ((dot p) (red true))))", "1:28 Unknown: red is no constructor of Shape");
    check("(assert (match s ((dot p) ((box k) true))))", "1:28 IllSorted: box takes 2 arguments, not 1");
    check("(assert (match s ((dot p) ((box k k) true))))", "1:35 Redeclared: k is bound twice");
    check("(assert (match s ((box p) (dot true))))", "1:20 IllSorted: box takes 2 arguments, not 0");
    check(
        "(assert (match x ((y p))))",
        "1:16 IllSorted: expected a term of a datatype, found one of sort Int",
    );
    check(
        "(assert (match c ((red p) (_ x))))",
        "1:30 IllSorted: expected a term of sort Bool, found one of sort Int",
    );
    check("(assert (match c ()))", "1:19 Syntax: expected an open parenthesis, found )");
    check(
        "(assert (match c ((red p)",
        "1:26 Syntax: the text ends where a case or a closing parenthesis is expected",
    );
    // The variables of a pattern end with it.
    check(
        "(assert (match s (((box n k) true) (dot (= n 1)))))",
        "1:44 Unknown: the symbol n is not declared",
    );
}

#[test]
fn products_and_quotients() {
    check_formula("(= (* x y) 1)");
    check_reads_as("(= (* y x 2) 6)", "(= (* x y) 3)");
    check_reads_as("(= (* (+ x 1) (- x 1)) 0)", "(= (* x x) 1)");
    check_reads_as("(= (* r x) 1.0)", "(= (* (to_real x) r) 1.0)");
    check_formula("(= (* r x y) 1.0)");
    check_reads_as("(= (* (to_real x) (to_real y)) r)", "(= (to_real (* x y)) r)");
    check_formula("(= (div x y) 1)");
    check_formula("(= (mod x 0) 1)");
    check_formula("(= (/ r 0.0) 1.0)");
    check_reads_as("(= (/ 1 r) 1)", "(= (/ 1.0 r) 1.0)");
    check_reads_as("(= (div x (- 2)) 1)", "(= (div x 2) (- 1))");
    check_reads_as("(= (div 7 (- 2)) (- 3))", "true");
}

#[test]
fn recursive_definitions_are_refused_where_they_are_used() {
    check(
        "(define-fun-rec fact ((n Int)) Int (ite (= n 0) 1 (* n (fact (- n 1))))) (assert (= x 0))",
        "(= x 0)",
    );
    check(
        "(define-fun-rec one () Int 1)\n(assert (= one x))",
        "2:12 Unsupported: the recursive function one is not supported yet",
    );
    check(
        "(define-fun-rec k ((n Int)) Int (k n))\n(assert (= x (k 1)))",
        "2:15 Unsupported: the recursive function k is not supported yet",
    );
    check(
        "(define-funs-rec ((ev ((n Int)) Bool) (od ((n Int)) Bool)) ((od (- n 1)) (ev (- n 1))))\n(assert (ev x))",
        "2:10 Unsupported: the recursive function ev is not supported yet",
    );
    check("(define-fun-rec k ((n Foo)) Int 1)", "1:23 Unknown: the sort Foo is not declared");
    check("(define-funs-rec ((k () Int) (k () Int)) (1 1))", "1:30 Redeclared: k is declared already");
    check("(define-fun-rec x () Int 1)", "1:17 Redeclared: x is declared already");
}

/// Sorts that share their parts are small, though their text is not.
#[test]
fn sorts_that_double() {
    let mut script = String::from("(define-sort S0 () Int)");
    for level in 1..=60 {
        let below = level - 1;
        script += &format!("(define-sort S{level} () (Array S{below} S{below}))");
    }
    let doubled = format!("{script}(declare-const big S60) (assert (= big big))");
    check(&doubled, "true");
    let mistake = outcome(&format!("{script}(declare-const big S60) (assert (= x big))"));
    assert!(mistake.len() < 300 && mistake.contains("(Array (Array"), "{mistake}");
    let mut script = String::from("(define-sort S0 (T) T)");
    for level in 1..=60 {
        let below = level - 1;
        script += &format!("(define-sort S{level} (T) (Array (S{below} T) (S{below} T)))");
    }
    check(&format!("{script}(declare-const big (S60 Int)) (assert (= big big))"), "true");
}

#[test]
fn deep_nesting() {
    const DEPTH: usize = 1_000_000;
    let (mut store, mut reader) = (Store::new(), Reader::new());
    assertions(&mut store, &mut reader, PRELUDE).expect("the prelude is good");
    let stores = format!("(assert (= a {}b{}))", "(store ".repeat(DEPTH), " x y)".repeat(DEPTH));
    let lists = format!("(assert (= xs {}xs{}))", "(cons x ".repeat(DEPTH), ")".repeat(DEPTH));
    let applications = format!("(assert (= u {}u{}))", "(f 1 ".repeat(DEPTH), ")".repeat(DEPTH));
    let selectors = format!("(assert (= xs {}xs{}))", "(tail ".repeat(DEPTH), ")".repeat(DEPTH));
    let matches =
        format!("(assert {}p{})", "(match c ((red ".repeat(DEPTH / 10), ") (_ p)))".repeat(DEPTH / 10));
    for script in [stores, lists, applications, selectors, matches] {
        let formula = assertions(&mut store, &mut reader, &script).expect("a formula")[0];
        let printed = store.display(formula).to_string();
        let mut lexer = Lexer::new(&printed).expect("a short text");
        let again = reader.read_term(&mut lexer, &mut store).expect("what is printed can be read");
        assert!(again == formula);
    }
    let sort = format!("(declare-const d {}Int{})", "(Array Int ".repeat(100_000), ")".repeat(100_000));
    assertions(&mut store, &mut reader, &sort).expect("a sort");
    let d = reader.declarations().last().expect("a declaration").symbol;
    assert!(store.display_sort(store.signature(d).result).to_string().len() > 1_000_000);
}
