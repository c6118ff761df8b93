//! Right derivations are accepted, wrong ones refused.

use shem_base::{Budget, Rat, StopToken, UnknownReason};
use shem_chc::{ClauseId, Derivation, Run, RunCase, StepId};
use shem_check::{Defect, Validity, check_derivation};
use shem_term::{Sort, Term, Value};
use shem_test_support::case::{Case, Row, derivation, num};

fn judge(case: &mut Case, rows: &[Row]) -> Validity {
    check_derivation(&mut case.store, &case.system, &derivation(rows), &mut Budget::unlimited())
}

fn check(case: &mut Case, rows: &[Row], expected: Defect) {
    assert_eq!(judge(case, rows), Validity::Invalid(expected), "{rows:?}");
}

fn step(index: usize) -> StepId {
    StepId::new(index)
}

fn counter() -> Case {
    Case::new(&["inv Int", "other Int"])
        .clause("x Int", &[], "(= x 0)", "inv; x")
        .clause("x Int y Int", &["inv; x"], "(= y (+ x 1))", "inv; y")
        .clause("x Int", &["inv; x"], "(>= x 2)", "false")
        .clause("x Int", &["inv; x"], "true", "other; x")
}

fn counting() -> Vec<Row> {
    vec![
        (0, vec![], vec![num(0)]),
        (1, vec![0], vec![num(1)]),
        (1, vec![1], vec![num(2)]),
        (2, vec![2], vec![]),
    ]
}

#[test]
fn counting_up_is_a_derivation() {
    assert_eq!(judge(&mut counter(), &counting()), Validity::Valid);
}

#[test]
fn any_changed_value_is_noticed() {
    for at in 0..3 {
        let mut rows = counting();
        rows[at].2[0] = num(at as i64 + 1);
        check(&mut counter(), &rows, Defect::Instance(step(at)));
        let mut rows = counting();
        rows[at].2[0] = Value::Num(Rat::new(1, 2));
        check(&mut counter(), &rows, Defect::Values(step(at)));
        let mut rows = counting();
        rows[at].2[0] = Value::Bool(true);
        check(&mut counter(), &rows, Defect::Values(step(at)));
        let mut rows = counting();
        rows[at].2.push(num(0));
        check(&mut counter(), &rows, Defect::Values(step(at)));
    }
    let mut rows = counting();
    rows[3].2.push(num(0));
    check(&mut counter(), &rows, Defect::Values(step(3)));
}

#[test]
fn any_changed_premise_is_noticed() {
    let mut rows = counting();
    rows[2].1 = vec![0];
    check(&mut counter(), &rows, Defect::Instance(step(2)));
    let mut rows = counting();
    rows[3].1 = vec![1];
    check(&mut counter(), &rows, Defect::Instance(step(3)));
    let mut rows = counting();
    rows[3].1 = vec![];
    check(&mut counter(), &rows, Defect::Premises(step(3)));
    let mut rows = counting();
    rows[0].1 = vec![];
    rows[1].1 = vec![0, 0];
    check(&mut counter(), &rows, Defect::Premises(step(1)));
    let mut rows = counting();
    rows.insert(3, (3, vec![2], vec![num(2)]));
    rows[4].1 = vec![3];
    check(&mut counter(), &rows, Defect::Premise(step(4), 0));
    let mut rows = counting();
    rows.push((2, vec![3], vec![]));
    check(&mut counter(), &rows, Defect::Premise(step(4), 0));
}

#[test]
fn any_changed_rule_is_noticed() {
    let mut rows = counting();
    rows[2].0 = 3;
    check(&mut counter(), &rows, Defect::Instance(step(2)));
    let mut rows = counting();
    rows[2].0 = 17;
    check(&mut counter(), &rows, Defect::Rule(step(2)));
    let mut rows = counting();
    rows[2].0 = 0;
    check(&mut counter(), &rows, Defect::Premises(step(2)));
    let mut rows = counting();
    rows.pop();
    check(&mut counter(), &rows, Defect::Conclusion);
    check(&mut counter(), &[], Defect::Empty);
}

/// Terms as arguments in the body, one predicate twice, a fact used twice.
fn fibonacci() -> Case {
    Case::new(&["f Int Int"])
        .clause("", &[], "true", "f; 0; 1")
        .clause("", &[], "true", "f; 1; 1")
        .clause("n Int a Int b Int", &["f; n; a", "f; (+ n 1); b"], "true", "f; (+ n 2); (+ a b)")
        .clause("n Int", &["f; n; 8"], "true", "false")
}

fn fibonacci_rows() -> Vec<Row> {
    let row = |rule, premises: &[usize], n, f| (rule, premises.to_vec(), vec![num(n), num(f)]);
    vec![
        row(0, &[], 0, 1),
        row(1, &[], 1, 1),
        row(2, &[0, 1], 2, 2),
        row(2, &[1, 2], 3, 3),
        row(2, &[2, 3], 4, 5),
        row(2, &[3, 4], 5, 8),
        (3, vec![5], vec![]),
    ]
}

#[test]
fn premises_are_in_the_order_of_the_body() {
    assert_eq!(judge(&mut fibonacci(), &fibonacci_rows()), Validity::Valid);
    for at in 2..6 {
        let mut rows = fibonacci_rows();
        rows[at].1.reverse();
        check(&mut fibonacci(), &rows, Defect::Instance(step(at)));
        for value in 0..2 {
            let mut rows = fibonacci_rows();
            rows[at].2[value] = num(-3);
            check(&mut fibonacci(), &rows, Defect::Instance(step(at)));
        }
    }
}

/// Variables that no argument determines, so that a solver has to find them.
fn halving() -> Case {
    Case::new(&["p Int Real"])
        .clause("x Int r Real", &[], "(and (<= 0 x) (< 0.0 r))", "p; x; r")
        .clause(
            "x Int y Int z Int r Real e Real",
            &["p; x; r"],
            "(and (<= (* 2 z) y) (< y (+ 2 (* 2 z))) (>= z (+ x 1)) (< 0.0 e) (< (* 3.0 e) r))",
            "p; y; (- r e)",
        )
        .clause("x Int z Int r Real", &["p; x; r"], "(= x (* 7 z))", "false")
}

#[test]
fn a_solver_finds_what_nothing_determines() {
    let real = |n: i64, d: i64| Value::Num(Rat::new(n, d));
    let mut rows = vec![
        (0, vec![], vec![num(3), num(2)]),
        (1, vec![0], vec![num(9), real(3, 2)]),
        (1, vec![1], vec![num(20), real(5, 4)]),
        (1, vec![2], vec![num(42), real(5, 4)]),
        (2, vec![3], vec![]),
    ];
    // The last halving step takes nothing away: 0 < e fails.
    check(&mut halving(), &rows, Defect::Instance(step(3)));
    rows[3].2[1] = num(1);
    assert_eq!(judge(&mut halving(), &rows), Validity::Valid);
    rows[3].2[0] = num(43);
    check(&mut halving(), &rows, Defect::Instance(step(4)));
    rows[3].2[0] = num(41);
    check(&mut halving(), &rows, Defect::Instance(step(3)));
}

#[test]
fn truth_values_and_conditionals() {
    let case = || {
        Case::new(&["s Bool Int", "done"])
            .clause("b Bool", &[], "(not b)", "s; b; 5")
            .clause(
                "b Bool c Bool x Int y Int",
                &["s; b; x"],
                "(and (= c (not b)) (= y (ite (> x 4) (- x 3) (* 10 x))))",
                "s; c; y",
            )
            .clause("b Bool x Int", &["s; (not b); x"], "(and b (= x 20))", "done")
            .clause("", &["done"], "true", "false")
    };
    let state = |b, x| vec![Value::Bool(b), num(x)];
    let rows = vec![
        (0, vec![], state(false, 5)),
        (1, vec![0], state(true, 2)),
        (1, vec![1], state(false, 20)),
        (2, vec![2], vec![]),
        (3, vec![3], vec![]),
    ];
    assert_eq!(judge(&mut case(), &rows), Validity::Valid);
    for at in 0..3 {
        let mut wrong = rows.clone();
        let Value::Bool(b) = wrong[at].2[0] else { panic!("a truth value") };
        wrong[at].2[0] = Value::Bool(!b);
        check(&mut case(), &wrong, Defect::Instance(step(at)));
        let mut wrong = rows.clone();
        wrong[at].2[1] = num(21);
        check(&mut case(), &wrong, Defect::Instance(step(at)));
    }
}

#[test]
fn many_steps_make_no_terms() {
    let mut case = counter();
    let mut derivation: Derivation<ClauseId> = Derivation::new();
    let mut last = derivation.push(ClauseId::new(0), &[], [num(0)]);
    for n in 1..100_000 {
        last = derivation.push(ClauseId::new(1), &[last], [num(n)]);
    }
    derivation.push(ClauseId::new(2), &[last], []);
    let before = case.store.variable("before", Sort::Int).index();
    let mut budget = Budget::unlimited();
    let answer = check_derivation(&mut case.store, &case.system, &derivation, &mut budget);
    assert_eq!(answer, Validity::Valid);
    let after = case.store.variable("after", Sort::Int).index();
    assert!(after - before < 50, "{} terms were made", after - before);
}

#[test]
fn a_stop_is_no_judgement() {
    let mut case = counter();
    let stop = StopToken::new();
    stop.stop();
    let answer =
        check_derivation(&mut case.store, &case.system, &derivation(&counting()), &mut Budget::until(stop));
    assert_eq!(answer, Validity::Unknown(UnknownReason::Stopped));
}

/// A system as text, and the judgement of a derivation made of these steps.
fn judge_text(text: &str, make: impl Fn(&shem_term::Store, &shem_chc::System) -> Vec<Row>) -> Validity {
    let mut store = shem_term::Store::new();
    let system = shem_chc::Script::read(&mut store, text, &StopToken::new()).expect("a system").system;
    let rows = make(&store, &system);
    check_derivation(&mut store, &system, &derivation(&rows), &mut Budget::unlimited())
}

fn is_undecided(validity: &Validity) -> bool {
    matches!(validity, Validity::Unknown(UnknownReason::Incomplete(_)))
}

const LISTS: &str = "(declare-datatypes ((list 0)) (((nil) (cons (head Int) (tail list)))))
    (declare-fun p (list) Bool) ";

/// What the head of the empty list is, an interpretation may choose: a step that needs it to be zero is none, since
/// another choice has a model.
#[test]
fn unspecified_values_show_nothing() {
    let nil = |store: &shem_term::Store, system: &shem_chc::System| {
        store.default_value(system.predicates[0].sorts[0])
    };
    let make = |store: &_, system: &_| vec![(0, vec![], vec![nil(store, system)]), (1, vec![0], vec![])];
    let fact = format!("{LISTS}(assert (p nil))");
    let query = |formula: &str| {
        format!("{fact} (assert (forall ((l list) (y Int)) (=> (and (p l) {formula}) false)))")
    };
    for open in [
        "(= (head l) 0)",
        "(not (= (head l) 0))",
        "(= y (head l))",
        "(= (div y 0) 1)",
        "(> y (mod 1 (head l)))",
    ] {
        assert!(is_undecided(&judge_text(&query(open), make)), "{open}");
    }
    // These hold whatever the head is, or do not look at it.
    for right in
        ["(or (= (head l) 0) ((_ is nil) l))", "(= l nil)", "(not ((_ is cons) l))", "(= (div y 2) 1)"]
    {
        assert_eq!(judge_text(&query(right), make), Validity::Valid, "{right}");
    }
    for wrong in ["(and ((_ is cons) l) (= (head l) 0))", "(= (cons y l) l)"] {
        let validity = judge_text(&query(wrong), make);
        assert!(matches!(validity, Validity::Invalid(Defect::Instance(_))), "{wrong}: {validity:?}");
    }
}

/// A declared sort may have one element only: that two elements differ shows nothing.
#[test]
fn the_size_of_a_declared_sort_shows_nothing() {
    let text = |formula: &str| {
        format!(
            "(declare-sort U 0) (declare-fun p (U U) Bool) (assert (forall ((x U) (y U)) (p x y)))
             (assert (forall ((x U) (y U)) (=> (and (p x y) {formula}) false)))"
        )
    };
    let make = |second: u32| {
        move |_: &shem_term::Store, system: &shem_chc::System| {
            let sort = system.predicates[0].sorts[0];
            vec![
                (0, vec![], vec![Value::Element(sort, 0), Value::Element(sort, second)]),
                (1, vec![0], vec![]),
            ]
        }
    };
    assert!(is_undecided(&judge_text(&text("(not (= x y))"), make(1))));
    assert_eq!(judge_text(&text("(= x y)"), make(0)), Validity::Valid);
}

/// Values that are none of their sorts are refused, however deep.
#[test]
fn values_of_other_sorts_are_refused() {
    let text =
        format!("{LISTS}(assert (forall ((l list)) (p l))) (assert (forall ((l list)) (=> (p l) false)))");
    let make = |field: Value| {
        move |store: &shem_term::Store, system: &shem_chc::System| {
            let sort = system.predicates[0].sorts[0];
            let id = sort.as_datatype().expect("a datatype");
            let cons = store.datatype(id).constructors()[1].symbol;
            let value = Value::data(cons, vec![field.clone(), store.default_value(sort)]);
            vec![(0, vec![], vec![value]), (1, vec![0], vec![])]
        }
    };
    assert_eq!(judge_text(&text, make(num(3))), Validity::Valid);
    for wrong in [Value::Bool(true), Value::Num(Rat::new(1, 2))] {
        assert_eq!(judge_text(&text, make(wrong)), Validity::Invalid(Defect::Values(step(0))));
    }
}

/// A run of the counter, with mistakes.
#[test]
fn runs_are_taken_step_by_step() {
    let mut case = counter();
    let x = case.store.variable("x", Sort::Int);
    let next = case.store.linear(&[(Rat::ONE, x)], &Rat::ONE, Sort::Int);
    let twice = case.store.linear(&[(Rat::from(2), x)], &Rat::ONE, Sort::Int);
    let other = case.store.variable("z", Sort::Int);
    let half = case.store.variable("b", Sort::Bool);
    let mut check = |rule: usize, next: Vec<Term>, steps: u64, end: i64| {
        let cases = vec![RunCase { rule: ClauseId::new(rule), guard: Term::TRUE, next }];
        let mut derivation = Derivation::new();
        let first = derivation.push(ClauseId::new(0), &[], [num(0)]);
        let last = derivation.push_run(first, Run { arguments: vec![x], cases, steps }, [num(end)]);
        derivation.push(ClauseId::new(2), &[last], []);
        check_derivation(&mut case.store, &case.system, &derivation, &mut Budget::unlimited())
    };
    let run = step(1);
    assert_eq!(check(1, vec![next], 5000, 5000), Validity::Valid);
    assert_eq!(check(1, vec![next], 5000, 5001), Validity::Invalid(Defect::Values(run)));
    assert_eq!(check(1, vec![next], 1, 1), Validity::Invalid(Defect::Instance(step(2))));
    assert_eq!(check(1, vec![twice], 3, 7), Validity::Invalid(Defect::Instance(run)));
    assert_eq!(check(3, vec![next], 3, 3), Validity::Invalid(Defect::Premise(run, 0)));
    assert_eq!(check(0, vec![next], 3, 3), Validity::Invalid(Defect::Premises(run)));
    assert_eq!(check(7, vec![next], 3, 3), Validity::Invalid(Defect::Rule(run)));
    for wrong in [vec![other], vec![half], vec![next, next], vec![]] {
        assert_eq!(check(1, wrong, 3, 3), Validity::Invalid(Defect::Values(run)));
    }
}
