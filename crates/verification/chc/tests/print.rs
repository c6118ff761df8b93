//! Golden cases of the printers.

use expect_test::expect;
use shem_base::{Budget, Rat, StopToken};
use shem_chc::{
    ClauseId, Definition, Derivation, Model, Script, StepId, System, WitnessError, normalise, write_dot,
    write_intermediate, write_legacy, write_model, write_system,
};
use shem_check::DerivationValues;
use shem_term::smtlib::{Lexer, Reader};
use shem_term::{Sort, Store, Term, Value};

const COUNTER: &str = "(declare-fun Inv (Int) Bool)
    (assert (forall ((x Int)) (=> (= x 0) (Inv x))))
    (assert (forall ((x Int) (y Int)) (=> (and (Inv x) (= y (+ x 1))) (Inv y))))
    (assert (forall ((x Int)) (=> (and (Inv x) (>= x 1)) false)))";

fn read(store: &mut Store, text: &str) -> std::sync::Arc<System> {
    Script::read(store, text, &StopToken::new()).expect("a system").system
}

fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).expect("text")
}

/// A derivation in the format `intermediate`.
fn intermediate(
    store: &mut Store,
    system: &System,
    input: Option<&str>,
    steps: &Derivation<ClauseId>,
) -> Result<String, WitnessError> {
    let (mut out, mut values) = (Vec::new(), DerivationValues::new(system, steps));
    write_intermediate(&mut out, store, system, input, steps, &mut |store, step| {
        values.find(store, step, &mut Budget::unlimited())
    })?;
    Ok(String::from_utf8(out).expect("text"))
}

fn int(value: i64) -> Value {
    Value::Num(Rat::from(value))
}

/// A derivation from clauses, premises and values.
fn derivation(steps: &[(usize, &[usize], &[Value])]) -> Derivation<ClauseId> {
    let mut derivation = Derivation::new();
    for (clause, premises, values) in steps {
        let premises: Vec<StepId> = premises.iter().map(|&p| StepId::new(p)).collect();
        derivation.push(ClauseId::new(*clause), &premises, values.iter().cloned());
    }
    derivation
}

#[test]
fn legacy() {
    let mut store = Store::new();
    let system = read(&mut store, COUNTER);
    let steps = derivation(&[(0, &[], &[int(0)]), (1, &[0], &[int(1)]), (2, &[1], &[])]);
    let found = text(|out| write_legacy(out, &store, &system, &steps).expect("written"));
    expect![[r#"
        0:	true
        1:	(Inv 0) ->  0
        2:	(Inv 1) ->  1
        3:	false ->  2

    "#]]
    .assert_eq(&found);

    let system = read(
        &mut store,
        "(declare-fun p$1 (Real) Bool) (declare-fun |a b| (Int Bool) Bool) (declare-fun reach () Bool)
         (assert (p$1 (- 0.5))) (assert (p$1 0.5))
         (assert (forall ((r Real) (q Real)) (=> (and (p$1 r) (p$1 q) (> r q)) (|a b| 1 (= r q)))))
         (assert (=> (|a b| 1 false) reach)) (assert (not reach)) (assert (|a b| (- 5) true)) (assert (p$1 3.0))",
    );
    let half = |n: i64| Value::Num(Rat::new(n, 2));
    let steps = derivation(&[
        (0, &[], &[half(-1)]),
        (1, &[], &[half(1)]),
        (2, &[1, 0], &[int(1), Value::Bool(false)]),
        (3, &[2], &[]),
        (4, &[3], &[]),
        (5, &[], &[int(-5), Value::Bool(true)]),
        (6, &[], &[int(3)]),
    ]);
    let found = text(|out| write_legacy(out, &store, &system, &steps).expect("written"));
    expect![[r#"
        0:	true
        1:	(p$1 (/ (- 1) 2)) ->  0
        2:	(p$1 (/ 1 2)) ->  0
        3:	(|a b| 1 false) ->  2 1
        4:	reach ->  3
        5:	false ->  4
        6:	(|a b| (- 5) true) ->  0
        7:	(p$1 3) ->  0

    "#]]
    .assert_eq(&found);
}

/// Values of other sorts are SMT-LIB; a variable does not hide a constructor that a value is written with.
#[test]
fn values_of_all_sorts() {
    let mut store = Store::new();
    let system = read(
        &mut store,
        "(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
         (declare-datatypes ((x0 0)) (((x0 (x1 Int)))))
         (declare-fun p ((Array Int Real) (List Int) x0) Bool)
         (assert (forall ((a (Array Int Real)) (cons x0)) (p (store a 1 0.5) (as nil (List Int)) cons)))
         (assert (forall ((a (Array Int Real)) (l (List Int)) (r x0)) (=> (p a l r) (p a (cons (x1 r) l) r))))
         (assert (forall ((a (Array Int Real)) (l (List Int)) (r x0)) (=> (and (p a l r) (= (head l) 5)) false)))",
    );
    let sorts = system.predicates[0].sorts.clone();
    let [array, list, record] = sorts[..] else { panic!("three arguments") };
    let zeros = store.default_value(array);
    let filled = store.array_with(zeros.as_array().expect("an array"), int(1), Value::Num(Rat::new(1, 2)));
    let nil = store.default_value(list);
    let id = list.as_datatype().expect("a datatype");
    let cons = store.datatype(id).constructors()[1].symbol;
    let id = record.as_datatype().expect("a datatype");
    let five = Value::data(store.datatype(id).constructors()[0].symbol, vec![int(5)]);
    let one = Value::data(cons, vec![int(5), nil.clone()]);
    let steps = derivation(&[
        (0, &[], &[filled.clone(), nil, five.clone()]),
        (1, &[0], &[filled, one, five]),
        (2, &[1], &[]),
    ]);
    let found = text(|out| write_legacy(out, &store, &system, &steps).expect("written"));
    expect![[r#"
        0:	true
        1:	(p (store ((as const (Array Int Real)) 0.0) 1 (/ 1.0 2.0)) (as nil (List Int)) (x0 5)) ->  0
        2:	(p (store ((as const (Array Int Real)) 0.0) 1 (/ 1.0 2.0)) (cons 5 (as nil (List Int))) (x0 5)) ->  1
        3:	false ->  2

    "#]]
    .assert_eq(&found);
    let found = intermediate(&mut store, &system, None, &steps).expect("written");
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines.len(), 12);
    assert!(lines[0].contains("(forall ((a (Array Int Real)) (cons!1 x0)) "), "{}", lines[0]);
    let x = store.variable("x", array);
    let l = store.variable("l", list);
    let r = store.variable("r", record);
    let selector = store.datatype(id).constructors()[0].selectors[0];
    let field = store.apply(selector, &[r]);
    let zero = store.int(0);
    let body = store.ge(field, zero);
    let model = Model { definitions: vec![Definition { parameters: [x, l, r].into(), body }] };
    let found = text(|out| write_model(out, &store, &system, &model).expect("written"));
    expect![[r#"
        (
          (define-fun p ((a (Array Int Real)) (l (List Int)) (r x0)) Bool
            (>= (x1 r) 0))
        )
    "#]]
    .assert_eq(&found);
}

/// Sorts belong to a store, so the text is compared: read in another store, a system is printed alike.
#[test]
fn systems_of_all_sorts_are_read_back() {
    let theories = include_str!("theories.smt2");
    let mut store = Store::new();
    let system = read(&mut store, theories);
    let first = text(|out| write_system(out, &mut store, &system).expect("written"));
    let mut store = Store::new();
    let system = read(&mut store, &first);
    let second = text(|out| write_system(out, &mut store, &system).expect("written"));
    assert_eq!(first, second);
    assert_eq!(system.clauses.len(), 4);
}

#[test]
fn intermediate_steps() {
    let mut store = Store::new();
    let system = read(&mut store, COUNTER);
    let steps = derivation(&[(0, &[], &[int(0)]), (1, &[0], &[int(1)]), (2, &[1], &[])]);
    let found = intermediate(&mut store, &system, None, &steps).expect("written");
    expect![[r#"
        0	 (forall ((x Int)) (=> (= x 0) (Inv x)))  :args (0)
        1	 (=> (= 0 0) (Inv 0)) 
        2	 (=> true (Inv 0)) 
        3	 (Inv 0) 
        4	 (forall ((x Int) (y Int)) (=> (and (Inv x) (= (+ x (- y)) (- 1))) (Inv y)))  :args (0 1)
        5	 (=> (and (Inv 0) (= (+ 0 (- 1)) (- 1))) (Inv 1)) 
        6	 (=> (Inv 0) (Inv 1)) 
        7	 (Inv 1)  :premises 3 
        8	 (forall ((x Int)) (=> (and (Inv x) (>= x 1)) false))  :args (1)
        9	 (=> (and (Inv 1) (>= 1 1)) false) 
        10	 (=> (Inv 1) false) 
        11	 false  :premises 7 
    "#]]
    .assert_eq(&found);
}

/// Clauses are written as the input has them: no names are confused by what is bound inside, and assertions that are
/// several clauses are written as clauses.
#[test]
fn intermediate_as_the_input_has_it() {
    let mut store = Store::new();
    let input = "(declare-fun P (Int Int) Bool) (declare-fun |N m| () Bool)
        (assert (forall ((x Int) (|y z| Int)) (! (=> ; a comment
           (and (= |y z| (+ x 1)) (let ((x (- x 1)) (w x)) (< x w (+ |y z| 1)))) (P x |y z|)) :weight 3)))
        (assert (forall ((x Int)) (=> (and (P x 1) (forall ((x Int)) (>= (+ x 1) x)) (>= x 0)) |N m|)))
        (assert (and (=> |N m| false) (P 7 7)))";
    let system = read(&mut store, input);
    let steps = derivation(&[(0, &[], &[int(0), int(1)]), (1, &[0], &[]), (2, &[1], &[])]);
    let found = intermediate(&mut store, &system, Some(input), &steps).expect("written");
    let lines: Vec<&str> = found.lines().collect();
    let clause = "(! (=> (and (= |y z| (+ x 1)) (let ((x (- x 1)) (w x)) (< x w (+ |y z| 1)))) (P x |y z|)) :weight 3)";
    assert_eq!(lines[0], format!("0\t (forall ((x Int) (|y z| Int)) {clause})  :args (0 1)"));
    let instance = "(! (=> (and (= 1 (+ 0 1)) (let ((x (- 0 1)) (w 0)) (< x w (+ 1 1)))) (P 0 1)) :weight 3)";
    assert_eq!(lines[1], format!("1\t {instance} "));
    assert_eq!(lines[5], "5\t (=> (and (P 0 1) (forall ((x Int)) (>= (+ x 1) x)) (>= 0 0)) |N m|) ");
    assert_eq!(lines[8], "8\t (=> |N m| false) ");
}

/// Variables that are in no fact get values from a solver, Boolean and quoted ones are written well.
#[test]
fn intermediate_with_hidden_variables() {
    let mut store = Store::new();
    let system = read(
        &mut store,
        "(declare-fun |a b| (Int Bool) Bool) (declare-fun reach () Bool)
         (assert (forall ((|v w| Int) (b Bool)) (=> (and (> (* 2 |v w|) 6) (< |v w| 5)) (|a b| (* 3 |v w|) (not b)))))
         (assert (forall ((x Int) (y Int)) (=> (and (|a b| x true) (|a b| y false) (= y (+ x 0))) reach)))
         (assert (=> reach false))",
    );
    let steps = derivation(&[
        (0, &[], &[int(12), Value::Bool(true)]),
        (0, &[], &[int(12), Value::Bool(false)]),
        (1, &[0, 1], &[]),
        (2, &[2], &[]),
    ]);
    let found = intermediate(&mut store, &system, None, &steps).expect("written");
    let expected = "0\t (forall ((|v w| Int) (b Bool)) (=> (and (>= |v w| 4) (<= |v w| 4)) (|a b| (* 3 |v w|) (not b))))  :args (4 false)
1\t (=> (and (>= 4 4) (<= 4 4)) (|a b| (* 3 4) (not false))) 
2\t (=> true (|a b| 12 true)) 
3\t (|a b| 12 true) 
";
    assert!(found.starts_with(expected), "{found}");
    let last = "12\t (=> reach false) 
13\t (=> reach false) 
14\t (=> reach false) 
15\t false  :premises 11 
";
    assert!(found.ends_with(last), "{found}");
    assert!(found.contains("11\t reach  :premises 3 7 \n"), "{found}");
    assert!(found.contains("10\t (=> (and (|a b| 12 true) (|a b| 12 false)) reach) \n"), "{found}");
}

#[test]
fn wrong_steps_have_no_instance() {
    let mut store = Store::new();
    let system = read(&mut store, COUNTER);
    let wrong = [
        derivation(&[(0, &[], &[int(1)])]),
        derivation(&[(0, &[], &[int(0)]), (1, &[0], &[int(2)])]),
        derivation(&[(0, &[], &[int(0)]), (2, &[0], &[])]),
        derivation(&[(0, &[], &[int(0)]), (2, &[], &[])]),
        derivation(&[(0, &[], &[int(0)]), (2, &[0, 0], &[])]),
        derivation(&[(0, &[], &[int(0)]), (1, &[0], &[])]),
    ];
    for steps in wrong {
        let last = StepId::new(steps.len() - 1);
        let error = intermediate(&mut store, &system, None, &steps);
        assert!(matches!(error, Err(WitnessError::NoInstance(step)) if step == last));
    }
}

/// The model whose definitions are these formulas over `a0`, `a1` and so on.
fn model(store: &mut Store, system: &System, bodies: &[&str]) -> Model {
    let mut definitions = Vec::new();
    for (predicate, body) in system.predicates.iter().zip(bodies) {
        let mut reader = Reader::new();
        let mut text = String::new();
        for (i, &sort) in predicate.sorts.iter().enumerate() {
            text += &format!("(declare-const a{i} {})", store.display_sort(sort));
        }
        let mut lexer = Lexer::new(&text).expect("a short text");
        while reader.next_command(&mut lexer, store).expect("a declaration").is_some() {}
        let parameters: Vec<Term> =
            reader.declarations().iter().map(|d| d.symbol).map(|s| store.var(s)).collect();
        let mut lexer = Lexer::new(body).expect("a short text");
        let body = reader.read_term(&mut lexer, store).expect("a formula");
        definitions.push(Definition { parameters: parameters.into(), body });
    }
    Model { definitions }
}

#[test]
fn models() {
    let mut store = Store::new();
    let text_of = "(declare-fun Inv (Int) Bool) (declare-fun |a b| (Real Bool) Bool) (declare-const n Bool)
        (declare-fun unused (Int Int) Bool)";
    let system = read(&mut store, text_of);
    let bodies = [
        "((_ divisible 3) (+ a0 1))",
        "(and a1 (<= (* 2.0 a0) 3.0) (> a0 (- 5.0)))",
        "true",
        "(or (= (ite (< a0 a1) a0 7) (div a0 2)) (and (ite (< a0 a1) (> a0 3) (< a1 0)) (= a1 (mod a0 (- 4)))))",
    ];
    let model = model(&mut store, &system, &bodies);
    let found = text(|out| write_model(out, &store, &system, &model).expect("written"));
    expect![[r#"
        (
          (define-fun Inv ((x0 Int)) Bool
            (= (mod (+ x0 1) 3) 0))
          (define-fun |a b| ((x0 Real) (x1 Bool)) Bool
            (and x1 (<= x0 (/ 3.0 2.0)) (> x0 (- 5.0))))
          (define-fun n () Bool
            true)
          (define-fun unused ((x0 Int) (x1 Int)) Bool
            (or
              (= (ite (<= (- x0 x1) (- 1)) x0 7) (div x0 2))
              (and (not (ite (<= (- x0 x1) (- 1)) (<= x0 3) (>= x1 0))) (= x1 (mod x0 4)))))
        )
    "#]]
    .assert_eq(&found);
}

/// A body that is huge as a tree is written with `let`.
#[test]
fn models_are_linear_in_the_dag() {
    let mut store = Store::new();
    let system = read(&mut store, "(declare-fun P (Int) Bool)");
    let x = store.variable("x", Sort::Int);
    let mut sum = x;
    for i in 0..1000 {
        let bound = store.int(i);
        let condition = store.le(sum, bound);
        let other = store.add(&[sum, bound]);
        sum = store.ite(condition, sum, other);
    }
    let zero = store.int(0);
    let body = store.le(sum, zero);
    let model = Model { definitions: vec![Definition { parameters: [x].into(), body }] };
    let found = text(|out| write_model(out, &store, &system, &model).expect("written"));
    assert!(found.len() < 200_000, "{} bytes", found.len());
    assert!(found.contains("(let ((_let_1"));
}

#[test]
fn names_in_systems_are_told_apart() {
    let mut store = Store::new();
    let source = "(declare-fun P (Int Int) Bool) (declare-fun |_let_1| (Int) Bool)
        (assert (forall ((P Int)) (forall ((and Int) (and!1 Int)) (forall ((_let_1 Int) (|x y| Int)) (=> (> and P)
          (=> (> and!1 (ite (> _let_1 0) (ite (> |x y| 0) 1 2) (ite (> |x y| 0) 1 2))) (P _let_1 |x y|)))))))
        ";
    // `P` is bound as a variable in the clause, so that its head is another one.
    assert!(Script::read(&mut store, source, &StopToken::new()).is_err());
    let source = source.replace("((P Int))", "((Q Int))").replace("(> and P)", "(> and Q)");
    let system = read(&mut store, &source);
    let found = text(|out| write_system(out, &mut store, &system).expect("written"));
    expect![[r#"
        (set-logic HORN)
        (declare-fun P (Int Int) Bool)
        (declare-fun _let_1 (Int) Bool)
        (assert (forall ((Q Int) (and!2 Int) (and!1 Int) (_let_1!1 Int) (|x y| Int)) (=> (and (<= (+ Q (- and!2)) (- 1)) (>= (+ and!1 (- (ite (<= |x y| 0) 2 1))) 1)) (P _let_1!1 |x y|))))
        (check-sat)
    "#]]
    .assert_eq(&found);
}

#[test]
fn graphs() {
    let mut store = Store::new();
    let source = "(declare-fun |a\"b| (Int Bool) Bool) (declare-const n Bool)
        (assert (|a\"b| 0 true)) (assert (=> (and (|a\"b| 1 true) (|a\"b| 2 true) n) false)) (assert (=> n (|a\"b| 3 false)))
        (assert (forall ((x Int)) (=> (|a\"b| x (or (= x 1) (= x 3) (= x 5) (= x 7) (= x 9) (= x 11) (= x 13) (= x 15))) n)))";
    let system = read(&mut store, source);
    let graph = normalise(&mut store, &system);
    let found = text(|out| write_dot(out, &store, &graph).expect("written"));
    let line = |text: &str| assert!(found.lines().any(|l| l.trim() == text), "{text} in\n{found}");
    line("v0 [label=\"false\", shape=plaintext];");
    line("v1 [label=\"a\\\"b(Int, Bool)\"];");
    line("v2 [label=\"n\"];");
    line("true -> v1 [label=\"(and |a\\\"b#1'| (= |a\\\"b#0'| 0))\"];");
    line("e1 [shape=point];");
    line("v1 -> e1 [arrowhead=none];");
    line("v2 -> e1 [arrowhead=none];");
    line("v2 -> v1 [label=\"(and (not |a\\\"b#1'|) (= |a\\\"b#0'| 3))\"];");
    let cut = found.lines().find(|l| l.trim().starts_with("v1 -> v2")).expect("the last edge");
    assert!(cut.ends_with("…\"];"), "{cut}");
    assert!(cut.chars().count() < 140, "{cut}");
}
