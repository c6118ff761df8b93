//! What each rule makes of a small formula, and the corners.

use shem_base::{Budget, Rat};
use shem_smt::project::{Projector, Unsupported, eliminate};
use shem_smt::{FunctionTable, Model};
use shem_term::{Symbol, Value};

use super::judge::{holds, is_free_of};
use super::scene::{Entries, Scene};

/// Projects the formula in the model and compares with what is expected; `exact` says whether nothing was chosen.
#[track_caller]
fn check(formula: &str, model: &Entries<'_>, eliminate: &str, expected: &str, exact: bool) {
    let (mut s, model) = Scene::new(&[formula, expected], model);
    let vars = s.vars(eliminate);
    assert!(holds(&s.store, s.formulas[0], &model), "the model is none");
    let projection = Projector::new().projection(&mut s.store, &s.formulas[..1], &model, &vars).unwrap();
    let cube = s.store.and(&projection.cube);
    assert_eq!(s.store.display(cube).to_string(), s.store.display(s.formulas[1]).to_string());
    assert_eq!(projection.exact, exact);
    assert!(holds(&s.store, cube, &model));
    is_free_of(&s.store, cube, s.formulas[0], &vars);
}

#[test]
fn definitions() {
    check(
        "(and (= a (store b i 3)) (= (select a j) x))",
        &[("i", "1"), ("a", "(store ((as const (Array Int Int)) 0) 1 3)")],
        "a",
        "(= (select (store b i 3) j) x)",
        true,
    );
    check(
        "(and (= l (cons i m)) (= (head l) 3))",
        &[("i", "3"), ("l", "(cons 3 nil)")],
        "l",
        "(= i 3)",
        true,
    );
    check(
        "(and (= (* 2 x) y) (= (f x) 3))",
        &[("x", "1"), ("y", "2"), ("f", "3")],
        "x",
        "(and ((_ divisible 2) y) (= (f (div y 2)) 3))",
        true,
    );
    check(
        "(and (= (* (- 2) x) y) (= (f x) 3))",
        &[("x", "(- 1)"), ("y", "2"), ("f", "3")],
        "x",
        "(and ((_ divisible 2) y) (= (f (+ (- y) (div y 2))) 3))",
        true,
    );
}

#[test]
fn disequalities_of_infinite_sorts_drop_out() {
    check("(and (not (= l m)) (not (= l n)))", &[("l", "(cons 3 nil)")], "l", "true", true);
    check("(not (= a b))", &[("a", "((as const (Array Int Int)) 1)")], "a", "true", true);
    // An enumeration has three values.
    check("(and (not (= d e)) (not (= d red)))", &[("d", "green")], "d", "(not (= green e))", false);
}

#[test]
fn datatypes() {
    check(
        "(and (> (head l) i) (< (head l) j))",
        &[("l", "(cons 1 nil)"), ("j", "2")],
        "l",
        "(<= (+ i (- j)) (- 2))",
        false,
    );
    check("(and (= (first p) i) (= (second p) m))", &[], "p", "true", true);
    check("(= m (cons x l))", &[("m", "(cons 1 nil)"), ("x", "1")], "x l", "((_ is cons) m)", true);
    check(
        "(and (= m (cons x l)) (< x 3) (= l n))",
        &[("m", "(cons 1 nil)"), ("x", "1")],
        "x l",
        "(and ((_ is cons) m) (= n (tail m)) (<= (head m) 2))",
        true,
    );
    check("(not (= m (cons x n)))", &[("m", "(cons 1 nil)")], "x", "((_ is cons) m)", false);
    check("(not (= m (cons x n)))", &[], "x", "(not ((_ is cons) m))", false);
    check(
        "(and (not (= m (cons x n))) (= x 1))",
        &[("x", "1"), ("m", "(cons 1 (cons 2 nil))")],
        "x",
        "(not (= m (cons 1 n)))",
        true,
    );
    // A value of another constructor.
    check("(and ((_ is nil) l) (= (head l) i))", &[], "l", "(= (+ i (- (head nil))) 0)", true);
    check(
        "(and ((_ is broken) s) (= (size s) i) (= (code s) j))",
        &[("s", "(broken 0)")],
        "s",
        "(= (+ i (- (size (broken j)))) 0)",
        false,
    );
    // Recursion follows the model.
    check(
        "(and (= (head (tail (tail l))) i) (> (head l) j))",
        &[("l", "(cons 1 (cons 2 (cons 0 nil)))")],
        "l",
        "true",
        false,
    );
    check(
        "(and (not (= l m)) ((_ is cons) l) (= (head l) 1) (= (tail l) n))",
        &[("l", "(cons 1 nil)"), ("m", "(cons 1 (cons 1 nil))")],
        "l",
        "(not (= m (cons 1 n)))",
        false,
    );
    check(
        "(= (children z) (more o (rest (children z))))",
        &[("z", "(node (more (leaf 1) none))"), ("o", "(leaf 1)")],
        "z",
        "true",
        false,
    );
    check(
        "(and (= (children z) (more o (rest (children z)))) ((_ is leaf) o))",
        &[("z", "(node (more (leaf 1) none))"), ("o", "(leaf 1)")],
        "o",
        "(let ((_let_1 (children z))) (let ((_let_2 (tree _let_1))) (and ((_ is more) _let_1) ((_ is leaf) _let_2))))",
        true,
    );
}

#[test]
fn array_reads() {
    check("(= (select a i) x)", &[], "a", "true", true);
    check(
        "(and (> (select a i) x) (< (select a j) y))",
        &[("i", "1"), ("j", "2"), ("a", "(store (store ((as const (Array Int Int)) 0) 1 1) 2 (- 1))")],
        "a",
        "(<= (+ i (- j)) (- 1))",
        false,
    );
    check(
        "(and (> (select a i) x) (< (select a j) y))",
        &[("a", "((as const (Array Int Int)) 1)"), ("y", "2")],
        "a",
        "(and (= (+ i (- j)) 0) (<= (+ x (- y)) (- 2)))",
        false,
    );
    check(
        "(and (> (select a 1) x) (< (select a 2) y))",
        &[("a", "((as const (Array Int Int)) 1)"), ("y", "2")],
        "a",
        "true",
        true,
    );
    check(
        "(= (select a (select a i)) x)",
        &[("a", "(store ((as const (Array Int Int)) 2) 2 5)"), ("x", "5")],
        "a",
        "true",
        false,
    );
    check("(= (select (store a i 3) j) x)", &[("x", "3")], "a", "(and (= (+ i (- j)) 0) (= x 3))", false);
    check("(= (select (store a i 3) j) x)", &[("j", "1")], "a", "(not (= (+ i (- j)) 0))", false);
    check(
        "(and (select ab i) (not (select ab j)))",
        &[("ab", "(store ((as const (Array Int Bool)) false) 0 true)"), ("j", "1")],
        "ab",
        "(< i j)",
        false,
    );
    // Nested arrays.
    check("(= (select (select aa i) j) x)", &[], "aa", "true", true);
    check(
        "(and (= (select aa i) b) (= (select (select aa j) k) x))",
        &[("j", "1")],
        "aa",
        "(<= (+ i (- j)) (- 1))",
        false,
    );
    check(
        "(and (= (select aa i) b) (= (select (select aa j) k) x))",
        &[],
        "aa",
        "(and (= (+ i (- j)) 0) (= (+ x (- (select b k))) 0))",
        false,
    );
    check(
        "(= bb (store aa i (store (select aa i) j x)))",
        &[],
        "aa",
        "(= (+ x (- (select (select bb i) j))) 0)",
        true,
    );
    check("(= b (store (select aa i) j x))", &[], "aa", "(= (+ x (- (select b j))) 0)", true);
    // Elements are records, indices are lists.
    check(
        "(= (select (cells s) i) x)",
        &[("s", "(record ((as const (Array Int Int)) 0) 0)")],
        "s",
        "true",
        false,
    );
    check(
        "(and (= (select al l) 1) (= (select al m) 2))",
        &[("al", "(store ((as const (Array List Int)) 1) nil 2)"), ("l", "(cons 1 nil)")],
        "al",
        "(not (= l m))",
        false,
    );
}

#[test]
fn array_equalities() {
    check("(= (store a i x) b)", &[], "a", "(= (select b i) x)", true);
    check(
        "(and (= (store a i x) b) (= (select a i) y) (= (select a j) 2))",
        &[
            ("b", "((as const (Array Int Int)) 2)"),
            ("a", "(store ((as const (Array Int Int)) 2) 0 0)"),
            ("x", "2"),
            ("j", "1"),
        ],
        "a",
        "(and (= (+ x (- (select b i))) 0) (= (select (store b i y) j) 2))",
        true,
    );
    check(
        "(= (store (store a i x) j y) b)",
        &[("j", "1")],
        "a",
        "(and (= (+ y (- (select b j))) 0) (not (= (+ i (- j)) 0)) (= (+ x (- (select b i))) 0))",
        false,
    );
    check(
        "(= (store (store a i x) j y) b)",
        &[],
        "a",
        "(and (= (+ y (- (select b j))) 0) (= (+ i (- j)) 0) (= (+ y (- (select b i))) 0))",
        false,
    );
    check("(= (store a i x) (store a j y))", &[], "a", "(and (= (+ i (- j)) 0) (= (+ x (- y)) 0))", false);
    check(
        "(= (store a i x) (store a j y))",
        &[("j", "1")],
        "a",
        "(and (not (= (+ i (- j)) 0)) (<= (+ i (- j)) (- 1)))",
        false,
    );
    check("(= a (store a i x))", &[], "a", "true", true);
    check(
        "(= a (store b (select a i) 1))",
        &[
            ("a", "(store ((as const (Array Int Int)) 0) 0 1)"),
            ("b", "(store ((as const (Array Int Int)) 0) 0 1)"),
            ("i", "5"),
        ],
        "a",
        "(>= (+ i (- (select b i))) 1)",
        false,
    );
    check("(= (store b i x) c)", &[], "x", "(= c (store b i (select c i)))", true);
    check(
        "(= (store b x 1) c)",
        &[("x", "1"), ("c", "(store ((as const (Array Int Int)) 0) 1 1)")],
        "x",
        "(= c (store b 1 1))",
        false,
    );
    check(
        "(and (= (store b x 1) c) (= x (+ i 1)))",
        &[("x", "1"), ("c", "(store ((as const (Array Int Int)) 0) 1 1)")],
        "x",
        "(= (store b (+ i 1) 1) c)",
        true,
    );
    check(
        "(not (= (store a i x) (store b i x)))",
        &[("a", "(store ((as const (Array Int Int)) 0) 4 1)")],
        "a",
        "true",
        false,
    );
    check(
        "(and (not (= (store a i x) b)) (= (select a 7) 7))",
        &[("a", "(store ((as const (Array Int Int)) 1) 7 7)")],
        "a",
        "(and (not (= i 7)) (<= (select b 7) 6))",
        false,
    );
    check("(= a ((as const (Array Int Int)) x))", &[], "x", "(= a ((as const (Array Int Int)) 0))", false);
    check(
        "(not (= ac bc))",
        &[("ac", "(store ((as const (Array Color Int)) 0) green 1)")],
        "ac",
        "true",
        true,
    );
    check(
        "(and (not (= al bl)) (= (select al nil) 5))",
        &[("al", "((as const (Array List Int)) 5)"), ("bl", "((as const (Array List Int)) 4)")],
        "al",
        "(<= (select bl nil) 4)",
        false,
    );
}

#[test]
fn numbers_in_one_literal_drop_out() {
    check("(< x (f y))", &[("f", "5")], "x y", "true", true);
    check("(= (* 2 x) (f y))", &[("f", "0")], "x y", "((_ divisible 2) (f 0))", false);
    check("(= r (* 2.0 (to_real (f y))))", &[("f", "0")], "r y", "true", true);
}

#[test]
fn functions() {
    check(
        "(and (> (f x) 3) (= (f i) y))",
        &[("f", "5"), ("y", "5")],
        "x",
        "(and (> (f i) 3) (= (f i) y))",
        false,
    );
    check(
        "(and (> (f (+ x 1)) 3) (= (f i) y) (< x j))",
        &[("f", "5"), ("y", "5"), ("x", "(- 1)")],
        "x",
        "(let ((_let_1 (f i))) (and (= (+ y (- _let_1)) 0) (>= _let_1 4) (<= (+ i (- j)) 0)))",
        false,
    );
    check("(> (f x) 3)", &[("f", "5"), ("x", "7")], "x", "(> (f 7) 3)", false);
    check(
        "(and (> (select b x) 3) (< j x))",
        &[("b", "((as const (Array Int Int)) 5)"), ("x", "7")],
        "x",
        "(and (>= (select b 7) 4) (<= j 6))",
        false,
    );
    check("(> (* x y) 3)", &[("x", "2"), ("y", "2")], "x", "(>= y 2)", false);
    check("(= (* x y) i)", &[("x", "2"), ("y", "2"), ("i", "4")], "x y", "((_ divisible 2) i)", false);
    check("(= (div i x) j)", &[("i", "4"), ("x", "2"), ("j", "2")], "x", "(= (div i 2) j)", false);
    check("(= (on (< x i)) 3)", &[("on", "true 3 0"), ("x", "(- 1)")], "x", "(= (on true) 3)", false);
    check("(= (f (ite (< x i) 1 k)) 3)", &[("f", "3")], "x", "(= (f k) 3)", false);
    check(
        "(= (h l) (h m))",
        &[("h", "3"), ("l", "(cons 1 nil)"), ("m", "nil")],
        "l",
        "(= (+ (h m) (- (h (cons 1 m)))) 0)",
        false,
    );
    // The divisor becomes a number, even if another term has its value.
    check("(= (mod i x) j)", &[("i", "5"), ("x", "3"), ("j", "2")], "x", "(= (mod i 3) j)", false);
    check("(= (of a) x)", &[("of", "0")], "a", "(= (+ x (- (of ((as const (Array Int Int)) 0)))) 0)", false);
}

#[test]
fn declared_sorts_need_another_term_of_the_same_value() {
    let (mut s, _) = Scene::new(&["(= (g u) v)", "(and (not (= u v)) (= (g v) v))", "(= (g v) v)"], &[]);
    let [u, v] = ["u", "v"].map(|name| s.symbol(name));
    let sort = s.store.signature(u).result;
    let element = |number| Value::Element(sort, number);
    let mut model = Model::default();
    model.insert_function(s.symbol("g"), FunctionTable::new(element(0)));
    model.insert(u, element(0));
    model.insert(v, element(0));
    let vars = s.vars("u");
    let cube = Projector::new().project(&mut s.store, &s.formulas[..1], &model, &vars);
    assert_eq!(cube, Ok(vec![s.formulas[2]]));
    model.insert(u, element(1));
    for formula in &s.formulas[..2] {
        let cube = Projector::new().project(&mut s.store, &[*formula], &model, &vars);
        assert_eq!(cube, Err(Unsupported::DeclaredSort));
    }
}

/// A list of the model that is too long to be taken apart.
#[test]
fn depth_is_bounded() {
    let (mut s, mut model) = Scene::new(&["(= (h l) 0)"], &[("h", "0")]);
    let vars = s.vars("l");
    let cons = list_symbol(&s, "cons");
    let mut list = Value::data(list_symbol(&s, "nil"), Vec::new());
    for _ in 0..5_000 {
        list = Value::data(cons, vec![Value::Num(Rat::ONE), list]);
    }
    model.insert(s.symbol("l"), list);
    let cube = Projector::new().project(&mut s.store, &s.formulas[..1], &model, &vars);
    assert_eq!(cube, Err(Unsupported::TooManySteps));
}

/// A constructor of lists.
fn list_symbol(s: &Scene, name: &str) -> Symbol {
    let id = s.store.signature(s.symbol("l")).result.as_datatype().expect("a list");
    let mut constructors = s.store.datatype(id).constructors().iter();
    constructors.find(|c| s.store.name(c.symbol) == name).unwrap().symbol
}

#[test]
fn elimination() {
    let check = |formula: &str, eliminated: &str, expected: &str| {
        let (mut s, _) = Scene::new(&[formula, expected], &[]);
        let vars = s.vars(eliminated);
        let result = eliminate(&mut s.store, &vars, s.formulas[0], &mut Budget::unlimited()).unwrap();
        assert_eq!(s.store.display(result).to_string(), s.store.display(s.formulas[1]).to_string());
    };
    check("(and (= a (store b i x)) (= (select a i) y))", "a", "(= x y)");
    check("(and (= (store a i x) b) (< j x))", "a x", "(< j (select b i))");
    check("(= m (cons x l))", "x l", "((_ is cons) m)");
    check("(and (= (first p) i) (= (second p) m))", "p", "true");
    check("(and (= (select a i) 1) (= (select a j) 2))", "a", "(not (= i j))");
    check("(and (not (= d e)) (not (= d red)))", "d", "true");
    check("(and ((_ is cons) l) (= (head l) i) (> i 3))", "l", "(> i 3)");
}

#[test]
fn elimination_that_does_not_end_is_refused() {
    let (mut s, _) = Scene::new(&["(> (f x) y)", "(not (= u v))"], &[]);
    for (at, var, reason) in [(0, "x", Unsupported::TooManyProjections), (1, "u", Unsupported::DeclaredSort)]
    {
        let vars = s.vars(var);
        let result = eliminate(&mut s.store, &vars, s.formulas[at], &mut Budget::unlimited());
        assert_eq!(result, Err(reason.into()));
    }
}
