//! Proofs of derivations as text, and what they are not written for. That a checker takes them is shown by
//! `scripts/check proofs`.

use shem_alethe::{ProofError, write_alethe};
use shem_base::{Budget, StopToken};
use shem_chc::{ClauseId, Course, Derivation, Script, StepId};
use shem_term::{Store, Value};

const COUNTER: &str = "(set-logic HORN) (declare-fun Inv (Int) Bool)
(assert (forall ((x Int)) (=> (= x (- 1)) (Inv x)))) ; the start
(assert (forall ((x Int) (y Int)) (=> (and (Inv x) (= y (+ x 1))) (Inv y))))
(assert (forall ((x Int)) (=> (and (Inv x) (>= (mod (- x) 5) 3)) false)))
(check-sat)";

fn int(value: i64) -> Value {
    Value::Num(value.into())
}

/// The proof of a derivation from clauses, premises and values.
fn prove(input: &str, steps: &[(usize, &[usize], &[Value])]) -> Result<String, ProofError> {
    let mut derivation = Derivation::new();
    for (clause, premises, values) in steps {
        let premises: Vec<StepId> = premises.iter().map(|&p| StepId::new(p)).collect();
        derivation.push(ClauseId::new(*clause), &premises, values.iter().cloned());
    }
    prove_derivation(input, &derivation)
}

fn prove_derivation(input: &str, derivation: &Derivation<ClauseId>) -> Result<String, ProofError> {
    let mut store = Store::new();
    let script = Script::read(&mut store, input, &StopToken::new()).expect("a script");
    let system = script.first_system().clone();
    let mut out = Vec::new();
    write_alethe(&mut out, input, &mut store, &system, derivation, &mut Budget::unlimited())?;
    Ok(String::from_utf8(out).expect("text"))
}

#[test]
fn a_proof() {
    let steps: [(usize, &[usize], &[Value]); 5] = [
        (0, &[], &[int(-1)]),
        (1, &[0], &[int(0)]),
        (1, &[1], &[int(1)]),
        (1, &[2], &[int(2)]),
        (2, &[3], &[]),
    ];
    let proof = prove(COUNTER, &steps).expect("a proof");
    let lines: Vec<&str> = proof.lines().collect();
    let expected = "\
(assume h0 (! (forall ((x Int)) (=> (= x (- 1)) (Inv x))) :named @h0))
(assume h1 (! (forall ((x Int) (y Int)) (=> (and (Inv x) (= y (+ x 1))) (Inv y))) :named @h1))
(assume h2 (! (forall ((x Int)) (=> (and (Inv x) (>= (mod (- x) 5) 3)) false)) :named @h2))
(step t1 (cl true) :rule true)
(step t2 (cl (not false)) :rule false)";
    assert_eq!(lines[..5].join("\n"), expected);
    assert!(proof.contains(
        "(step t3 (cl (or (not @h0) (! (@5 (- 1)) :named @i0_6))) :rule forall_inst :args ((- 1)))"
    ));
    assert!(proof.contains(":rule mod_simplify"), "{proof}");
    assert!(lines.last().expect("a step").contains("(cl) :rule resolution"), "{proof}");
}

/// A repetition is written out, and facts that follow from themselves are not proved again.
#[test]
fn repetitions() {
    let mut derivation = Derivation::new();
    let start = derivation.push(ClauseId::new(0), &[], [int(-1)]);
    let course = Course::through(&[int(0), int(1), int(2)]).expect("a course");
    let last = derivation.push_repetition(start, 1003, &[(ClauseId::new(1), vec![course])]);
    derivation.push(ClauseId::new(2), &[last], []);
    let proof = prove_derivation(COUNTER, &derivation).expect("a proof");
    assert_eq!(proof.matches(":rule forall_inst").count(), 1005);
    let steps: [(usize, &[usize], &[Value]); 3] = [(0, &[], &[int(2)]), (1, &[0], &[int(2)]), (2, &[1], &[])];
    let input = COUNTER.replace("(= x (- 1))", "(= x 2)").replace("(+ x 1)", "(+ x 0)");
    let proof = prove(&input, &steps).expect("a proof");
    assert_eq!(proof.matches(":rule forall_inst").count(), 2);
}

#[test]
fn wrong_steps_have_no_proof() {
    /// A clause, the premises and the values of a step.
    type Line<'a> = (usize, &'a [usize], &'a [Value]);
    let wrong: [&[Line<'_>]; 3] = [
        &[(0, &[], &[int(5)])],
        &[(0, &[], &[int(-1)]), (1, &[0], &[int(1)])],
        &[(0, &[], &[int(-1)]), (2, &[0], &[])],
    ];
    for steps in wrong {
        let error = prove(COUNTER, steps).expect_err("no proof");
        assert!(matches!(error, ProofError::Step(_)), "{error}");
    }
}

#[test]
fn what_proofs_are_not_about() {
    let refused = |input: &str, steps: &[(usize, &[usize], &[Value])], words: &str| {
        let error = prove(input, steps).expect_err("no proof").to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(
        "(declare-rel P (Int)) (declare-var x Int) (rule (=> (= x 0) (P x))) (query (and (P x) (= x 0)))",
        &[(0, &[], &[int(0)]), (1, &[0], &[])],
        "clauses of the command rule",
    );
    refused(
        "(declare-fun P (Int) Bool) (assert (forall ((a (Array Int Int))) (=> (= (select a 1) 0) (P 0))))
         (assert (not (P 0))) (check-sat)",
        &[(0, &[], &[int(0)]), (1, &[0], &[])],
        "no rules for select",
    );
    refused(
        "(declare-fun P (Int) Bool) (assert (P 0)) (check-sat-assuming ((not (P 0))))",
        &[(0, &[], &[int(0)]), (1, &[0], &[])],
        "clauses of the command check-sat-assuming",
    );
    refused(
        "(declare-fun P (Int) Bool) (assert (forall ((x Int)) (=> (or (= x 0) (= (div x 0) 1)) (P x))))
         (assert (not (P 0))) (check-sat)",
        &[(0, &[], &[int(0)]), (1, &[0], &[])],
        "divides by zero",
    );
}

/// Terms of any depth are read and written without recursion.
#[test]
fn deep_terms() {
    const DEPTH: usize = 20_000;
    let sum = format!("{}x{}", "(+ 1 ".repeat(DEPTH), ")".repeat(DEPTH));
    let not = format!("{}(P {sum}){}", "(not (not ".repeat(DEPTH), "))".repeat(DEPTH));
    let input = format!(
        "(declare-fun P (Int) Bool) (assert (forall ((x Int)) (=> (= x 0) {not}))) (assert (not (P {DEPTH})))"
    );
    let steps: [(usize, &[usize], &[Value]); 2] = [(0, &[], &[int(DEPTH as i64)]), (1, &[0], &[])];
    let proof = prove(&input, &steps).expect("a proof");
    let end = &proof[proof.len() - 100..];
    assert!(end.ends_with("(cl) :rule resolution :premises (h1 t11))\n"), "{end}");
}
