//! Cases for the reader: a script, and the term it prints or the mistake it finds.

use super::{Command, ErrorKind, Lexer, ReadError, Reader};
use crate::{Store, Term};

const PRELUDE: &str = "(declare-const x Int) (declare-const y Int) (declare-const z Int)
    (declare-const a Bool) (declare-const b Bool) (declare-const c Bool)
    (declare-const r Real) (declare-const s Real)
    (declare-fun P (Int Real) Bool)
    (define-fun twice ((n Int)) Int (* 2 n))
    (define-fun swap ((p Bool) (q Bool)) Bool (and q (not p)))
    (define-sort Pair (A B) B)\n";

/// Reads a script; gives the formulas that it asserts.
fn assertions(store: &mut Store, reader: &mut Reader, text: &str) -> Result<Vec<Term>, ReadError> {
    let mut lexer = Lexer::new(text)?;
    let mut formulas = Vec::new();
    while let Some((command, _)) = reader.next_command(&mut lexer, store)? {
        if let Command::Assert { formula, .. } = command {
            formulas.push(formula);
        }
    }
    Ok(formulas)
}

/// The last formula asserted by the script after the prelude, printed; or the mistake with the text that it is
/// about.
fn outcome(script: &str) -> String {
    let (mut store, mut reader) = (Store::new(), Reader::new());
    assertions(&mut store, &mut reader, PRELUDE).expect("the prelude is good");
    match assertions(&mut store, &mut reader, script) {
        Ok(formulas) => formulas.last().map_or("nothing".to_owned(), |&f| store.display(f).to_string()),
        Err(error) => format!("{:?} at `{}`: {}", error.kind, &script[error.span.range()], error.message),
    }
}

#[track_caller]
fn check(script: &str, expected: &str) {
    assert_eq!(outcome(script), expected, "for {script}");
}

/// The first formula asserted is read as the same term as the second.
#[track_caller]
fn check_same(left: &str, right: &str) {
    let (mut store, mut reader) = (Store::new(), Reader::new());
    let script = format!("{PRELUDE} (assert {left}) (assert {right})");
    let formulas = assertions(&mut store, &mut reader, &script).unwrap_or_else(|e| panic!("{left}: {e}"));
    assert_eq!(formulas[0], formulas[1], "{} and {}", store.display(formulas[0]), store.display(formulas[1]));
}

/// The term is ill-formed: the class of the mistake, its place and the message are as expected.
#[track_caller]
fn check_mistake(term: &str, expected: &str) {
    assert_eq!(outcome(&format!("(assert {term})")), expected, "for {term}");
}

#[test]
fn connectives() {
    check_same("(and a b c)", "(and a (and b c))");
    check_same("(or a (or b) c)", "(or c b a)");
    check_same("(and a)", "a");
    check_same("(=> a b c)", "(or (not a) (not b) c)");
    check_same("(xor a b c)", "(not (= (not (= a b)) c))");
    check_same("(= a b c)", "(and (= a b) (= b c))");
    check_same("(distinct a b)", "(xor a b)");
    check_same("(ite a b (not b))", "(= a b)");
    check_same("(not (not true))", "true");
    check_same("(and a (or b (and c a) b))", "(and (or (and a c) b) a)");
}

#[test]
fn arithmetic() {
    check_same("(< x y z)", "(and (< x y) (< y z))");
    check_same("(>= x y)", "(<= y x)");
    check_same("(= x (- y))", "(= (+ x y) 0)");
    check_same("(= x (- y z 1))", "(= x (+ y (* (- 1) z) (- 1)))");
    check_same("(= x (* 2 (- 3) y))", "(= x (* y (- 6)))");
    check_same("(= x (* (+ 1 1) y))", "(= x (+ y y))");
    check_same("(= x (* (- y y) z))", "(= x 0)");
    check_same("(= (div x 2 3) y)", "(= (div (div x 2) 3) y)");
    check_same("(= (mod x (- 3)) 2)", "(= (mod x 3) 2)");
    check_same("((_ divisible 3) x)", "(= (mod x 3) 0)");
    check_same("(= (abs x) 3)", "(= (ite (>= x 0) x (- x)) 3)");
    check_same("(distinct x y z)", "(and (not (= x y)) (not (= y z)) (not (= x z)))");
    check_same("(= 0 (+ 1 2 3 x 4))", "(= x (- 10))");
    check_same("(> x 99999999999999999999)", "(not (<= x 99999999999999999999))");
}

#[test]
fn integers_among_reals() {
    check_same("(= r 5)", "(= r 5.0)");
    check_same("(< r x)", "(< r (to_real x))");
    check_same("(= r (/ 1 3))", "(= (* 3 r) 1.0)");
    check_same("(= r (/ 1 2 3))", "(= (* 6.0 r) 1.0)");
    check_same("(= r (/ x 2))", "(= (* 2 r) (to_real x))");
    check_same("(= r (ite a 1 s))", "(= r (ite a 1.0 s))");
    check_same("(= r 0.50)", "(= r (/ 5.0 10.0))");
    check_same("(= x (to_int r))", "(= (to_int r) x)");
    check_same("(is_int r)", "(<= r (to_real (to_int r)))");
    check_same("(is_int x)", "true");
    check_same("(P x 1)", "(P x 1.0)");
    check_same("(P x y)", "(P x (to_real y))");
    check_same("(= 0 (+ r (+ x 1)))", "(= r (- (- 1) (to_real x)))");
}

#[test]
fn numerals_of_a_real_logic() {
    let (mut store, mut reader) = (Store::new(), Reader::new());
    reader.set_numerals_are_real(true);
    let script = "(declare-const r Real) (define-const one Real (ite true 1 2)) (assert (= r 1))";
    let formulas = assertions(&mut store, &mut reader, script).unwrap();
    assert_eq!(store.display(formulas[0]).to_string(), "(= r 1.0)");
    let script = "(declare-const i Int) (assert (= i 1))";
    let formulas = assertions(&mut store, &mut reader, script).unwrap();
    assert_eq!(store.display(formulas[0]).to_string(), "(= i 1)");
}

#[test]
fn symbols_of_a_logic_without_numbers() {
    let (mut store, mut reader) = (Store::new(), Reader::new());
    reader.free_arithmetic();
    let script = "(declare-sort Real 0) (declare-fun mod (Real Real) Real) (declare-const + Real)
        (assert (= (mod + +) +)) (push) (declare-fun < (Int Int) Bool) (assert (< 1 (* 2 3))) (pop)
        (declare-const x Int) (assert (< x (- 3)))";
    let formulas = assertions(&mut store, &mut reader, script).unwrap();
    let shown: Vec<String> = formulas.iter().map(|&term| store.display(term).to_string()).collect();
    assert_eq!(shown, ["(= + (mod + +))", "(< 1 6)", "(<= x (- 4))"]);
    let mut reader = Reader::new();
    assert!(assertions(&mut store, &mut reader, "(declare-sort Real 0)").is_err());
    assert!(assertions(&mut store, &mut reader, "(declare-const mod Bool)").is_err());
}

#[test]
fn commands_that_are_refused() {
    for (script, reason) in [
        ("(check-sat)\n (minimize (+ x 1))", "there is no optimisation"),
        ("(check-sat)\n (get-objectives)", "there is no optimisation"),
        ("(check-sat)\n (check-sat-assuming-model (x) (1))", "check-sat-assuming"),
        ("(check-sat)\n (declare-codatatypes ((S 0)) (((c (t S)))))", "those of a codatatype need not be"),
    ] {
        let (mut store, mut reader, mut lexer) = (Store::new(), Reader::new(), Lexer::new(script).unwrap());
        reader.next_command(&mut lexer, &mut store).unwrap();
        let error = reader.next_command(&mut lexer, &mut store).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unsupported, "{script}");
        assert_eq!(error.span.start, 14, "{script}");
        assert!(error.message.contains(reason), "{}", error.message);
    }
}

#[test]
fn names() {
    check_same("(and |a| a)", "a");
    check("(declare-const |let| Bool) (assert |let|)", "|let|");
    check("(declare-const |a b| Bool) (assert (not |a b|))", "(not |a b|)");
    check("(assert (as a Bool))", "a");
    check("(assert ((as P Bool) x 1.5))", "(P x (/ 3.0 2.0))");
    check("(declare-const u (Pair Int Bool)) (assert u)", "u");
    check("(define-sort Truth () Bool) (declare-fun u () Truth) (assert u)", "u");
    check("(define-sort F (X) (Pair X X)) (declare-fun u () (F (F Bool))) (assert u)", "u");
}

#[test]
fn let_binds_in_parallel() {
    check_same("(let ((a b) (b a)) (and a (not b)))", "(and b (not a))");
    check_same("(let ((x y)) (let ((x (+ x 1))) (= x 0)))", "(= (+ y 1) 0)");
    check_same("(and (let ((a b)) a) a)", "(and b a)");
    check_same("(let ((n (let ((n 1)) (+ n 1)))) (= x n))", "(= x 2)");
    check_same("(let ((+ 1)) (= x +))", "(= x 1)");
    check_same("(let ((u (and a b)) (v (or a b))) (=> u v))", "(=> (and a b) (or a b))");
}

#[test]
fn definitions_are_expanded() {
    check_same("(= (twice (+ x 1)) y)", "(= (+ x x 2) y)");
    check_same("(swap a (swap b c))", "(and (and c (not b)) (not a))");
    check("(define-fun half ((q Real)) Real (/ q 2)) (assert (= (half x) 1.0))", "(= x 2)");
    check("(define-const k Int 7) (assert (= k x))", "(= x 7)");
    check("(define-fun k () Real 7) (assert (= k r))", "(= r 7.0)");
    check("(assert (! (= x 1) :named first)) (assert (not first))", "(not (= x 1))");
    check("(define-fun f ((a Int)) Bool (= a 0)) (assert (and a (f x)))", "(and a (= x 0))");
}

#[test]
fn annotations() {
    check_same("(! a :weight 3 :pattern ((P x r) (P y r)) :flag)", "a");
    check_same("(and (! a :flag :other (1 (2 \"3\") #b1)) b)", "(and a b)");
    check("(push 1) (assert (! a :named n)) (pop 1) (push 1) (assert (! b :named n)) (assert n)", "b");
    let (mut store, mut reader) = (Store::new(), Reader::new());
    let mut lexer =
        Lexer::new("(assert (! (! true :named in) :named out))(assert (not (! false :named no)))").unwrap();
    let mut label = || match reader.next_command(&mut lexer, &mut store) {
        Ok(Some((Command::Assert { name, .. }, _))) => name.map(|n| reader.name(n).to_owned()),
        other => panic!("{other:?}"),
    };
    assert_eq!(label().as_deref(), Some("out"));
    assert_eq!(label(), None);
}

#[test]
fn quantifiers() {
    check("(assert (forall ((n Int)) (P n r)))", "(forall ((n Int)) (P n r))");
    check("(assert (exists ((a Int) (q Real)) (P a q)))", "(exists ((a Int) (q Real)) (P a q))");
    check("(assert (or a (forall ((a Int)) (P a 0.0)) a))", "(or a (forall ((a Int)) (P a 0.0)))");
    check_mistake("(forall () a)", "Syntax at `(forall ()`: a quantifier needs a variable");
    check_mistake(
        "(forall ((n Int)) n)",
        "IllSorted at `n`: expected a term of sort Bool, found one of sort Int",
    );
    check_mistake(
        "(forall ((n Int)) (! (P n r) :named out))",
        "Unsupported at `out`: a term inside a quantifier or a definition with parameters is given a name",
    );
}

#[test]
fn mistakes_of_syntax() {
    check("(assert a", "Syntax at ``: the text ends where a closing parenthesis is expected");
    check("(assert (and a", "Syntax at ``: the text ends where a term is expected");
    check("assert", "Syntax at `assert`: expected a command, found assert");
    check("(foo)", "Syntax at `foo`: the command foo is not known");
    check("(check-sat 1)", "Syntax at `1`: expected a closing parenthesis, found 1");
    check("(push x)", "Syntax at `x`: expected a numeral, found x");
    check("(declare-const let Int)", "Syntax at `let`: expected a symbol, found let");
    check("(echo 1)", "Syntax at `1`: expected a string, found 1");
    check_mistake("", "Syntax at `)`: expected a term, found )");
    check_mistake("()", "Syntax at `)`: expected a function symbol, found )");
    check_mistake("(5 a)", "Syntax at `5`: expected a function symbol, found 5");
    check_mistake("(let () a)", "Syntax at `)`: expected an open parenthesis, found )");
    check_mistake("(let ((a b)) a b)", "Syntax at `b`: expected a closing parenthesis, found b");
    check_mistake("(let ((a b c)) a)", "Syntax at `c`: expected a closing parenthesis, found c");
    check_mistake("(let ((a b)))", "Syntax at `)`: expected a term, found )");
    check_mistake("(! a)", "Syntax at `)`: expected an attribute, found )");
    check_mistake("(! a :named)", "Syntax at `)`: expected a symbol, found )");
    check_mistake("let", "Syntax at `let`: expected a term, found let");
    check_mistake("a)", "Syntax at `)`: expected a command, found )");
}

#[test]
fn mistakes_of_sort() {
    check_mistake("x", "IllSorted at `x`: expected a term of sort Bool, found one of sort Int");
    check_mistake(
        "(and a (or x b))",
        "IllSorted at `x`: expected a term of sort Bool, found one of sort Int",
    );
    check_mistake("(= x a)", "IllSorted at `a`: expected a term of sort Int or Real, found one of sort Bool");
    check_mistake(
        "(= a (+ 1 x))",
        "IllSorted at `(+ 1 x)`: expected a term of sort Bool, found one of sort Int",
    );
    check_mistake(
        "(< x (+ 1 a))",
        "IllSorted at `a`: expected a term of sort Int or Real, found one of sort Bool",
    );
    check_mistake("(= (div r 2) 1)", "IllSorted at `r`: expected a term of sort Int, found one of sort Real");
    check_mistake("(not a b)", "IllSorted at `(not a b)`: not takes one argument, not 2");
    check_mistake("(= x)", "IllSorted at `(= x)`: = takes at least two arguments, not 1");
    check_mistake("(and)", "IllSorted at `(and)`: a function symbol without arguments");
    check_mistake(
        "(ite a x b)",
        "IllSorted at `b`: expected a term of sort Int or Real, found one of sort Bool",
    );
    check_mistake("(ite x a b)", "IllSorted at `x`: expected a term of sort Bool, found one of sort Int");
    check_mistake("(P 1.5 r)", "IllSorted at `1.5`: expected a term of sort Int, found one of sort Real");
    check_mistake("(P x)", "IllSorted at `(P x)`: P takes 2 arguments, not 1");
    check_mistake("(= (twice x y) 1)", "IllSorted at `(twice x y)`: twice takes 1 argument, not 2");
    check_mistake("(= (twice r) 1)", "IllSorted at `r`: expected a term of sort Int, found one of sort Real");
    check_mistake("(x 1)", "IllSorted at `x`: x takes no arguments");
    check_mistake("P", "IllSorted at `P`: P needs arguments");
    check_mistake("(as x Real)", "IllSorted at `x`: this symbol has sort Int, not Real");
    check_mistake("((_ divisible 0) x)", "IllSorted at `0`: divisibility needs a positive number");
    check("(declare-const u (Pair Int))", "IllSorted at `(Pair Int)`: this sort takes 2 arguments, not 1");
    check(
        "(define-fun f () Int 1.5)",
        "IllSorted at `1.5`: expected a term of sort Int, found one of sort Real",
    );
}

#[test]
fn names_unknown_and_known() {
    check_mistake("(and a unknown)", "Unknown at `unknown`: the symbol unknown is not declared");
    check_mistake("(f x)", "Unknown at `f`: the symbol f is not declared");
    check("(declare-const u Foo)", "Unknown at `Foo`: the sort Foo is not declared");
    check("(declare-const x Bool)", "Redeclared at `x`: x is declared already");
    check("(declare-const and Bool)", "Redeclared at `and`: and is a symbol of the theory");
    check("(declare-const true Bool)", "Redeclared at `true`: true is a symbol of the theory");
    check("(define-sort Int () Bool)", "Redeclared at `Int`: the sort Int is declared already");
    check_mistake("(! a :named b)", "Redeclared at `b`: b is declared already");
    check_mistake("(let ((n 1) (n 2)) a)", "Redeclared at `n`: n is bound twice");
    check("(define-fun f ((n Int) (n Int)) Int n)", "Redeclared at `n`: n is bound twice");
    check(
        "(push 1) (declare-const u Bool) (pop 1) (assert u)",
        "Unknown at `u`: the symbol u is not declared",
    );
    check("(reset) (assert a)", "Unknown at `a`: the symbol a is not declared");
    check("(pop 1)", "Mode at `pop`: pop of 1 levels where there are 0");
}

#[test]
fn what_is_not_supported() {
    check_mistake(
        "((_ extract 1 2) x)",
        "IllSorted at `1 2`: the first index of extract is less than the second: 1 < 2",
    );
    check_mistake(
        "(= (bvand ((_ int_to_bv 9) x) ((_ int_to_bv 9) y)) #b000000000)",
        "Unsupported at `(= (bvand ((_ int_to_bv 9) x) ((_ int_to_bv 9) y)) #b000000000)`: operations on single bits need an argument that is a number",
    );
    check_mistake(
        "((_ rotate_left 1) #b01)",
        "Unsupported at `((_ rotate_left 1) #b01)`: bit-vectors other than conversions of integers are not supported yet",
    );
    check_mistake("(= \"a\" \"b\")", "Unsupported at `\"a\"`: strings are not supported yet");
    check_mistake("(= (_ char 2) x)", "Unsupported at `_`: this indexed identifier is not supported yet");
    check("(declare-const u (_ BitVec 3))", "Unsupported at `BitVec`: the sort BitVec is not supported yet");
    check("(declare-const u Float32)", "Unsupported at `Float32`: the sort Float32 is not supported yet");
    check("(declare-const u String)", "Unsupported at `String`: the sort String is not supported yet");
    check("(push 1000001)", "Unsupported at `push`: more than 1000000 assertion levels");
    for word in ["rule", "query"] {
        check(&format!("({word} R)"), &format!("Syntax at `{word}`: the command {word} is not known"));
    }
}

/// A formula nested a million deep is read without recursion.
#[test]
fn deep_nesting() {
    const DEPTH: usize = 1_000_000;
    let nested = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(DEPTH), close.repeat(DEPTH))
    };
    // The scripts are long, and a failure must not print them whole.
    let check_start = |script: String, expected: &str| {
        let found: String = outcome(&script).chars().take(expected.len()).collect();
        assert_eq!(found, expected, "for {}", script.chars().take(60).collect::<String>());
    };
    let check_formula = |open: &str, middle: &str, close: &str, expected: &str| {
        check_start(format!("(assert {})", nested(open, middle, close)), expected);
    };
    check_formula("(not ", "a", ")", "a");
    check_formula("(and a ", "b", ")", "(and a b)");
    check_formula("(or b (and a ", "b", "))", "(or b (and a");
    check_formula("(let ((a a)) ", "b", ")", "b");
    check_formula("(let ((u ", "a", ")) u)", "a");
    check_formula("(! ", "a", " :flag)", "a");
    check_formula("(ite a b ", "c", ")", "(ite a b");
    check_formula("(= x (+ 1 (ite a ", "y", " z)))", "IllSorted");
    check_formula("(", "a", ")", "Syntax");
    check_start(format!("(assert (= x {}))", nested("(+ 1 ", "y", ")")), "(= (+ x (- y)) 1000000)");
    check_start(format!("(assert (= x {}))", nested("(- ", "y", ")")), "(= (+ x (- y)) 0)");
    check_start(format!("(assert (= x {}))", nested("(ite a x ", "y", ")")), "(= (+ x (- (ite a x");
    check_start(format!("(declare-const u {}) (assert u)", nested("(Pair Int ", "Bool", ")")), "u");
    check_start(format!("(define-fun f ((p Bool)) Bool {}) (assert (f a))", nested("(not ", "p", ")")), "a");
    check_start(format!("(set-info :notes {})", nested("(", "a", ")")), "nothing");
    let open = "(forall ((n Int)) (or (P n 0.0) (exists ((m Int)) (and (P m 1.0) ";
    let quantified = format!("(assert {}a{})", open.repeat(1000), "))))".repeat(1000));
    check_start(quantified, "(forall ((n Int)) (or (P n 0.0)");
}
