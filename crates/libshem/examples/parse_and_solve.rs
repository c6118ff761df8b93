//! A system from text, decided by each engine in turn; the derivation is a run of the program to a bad state.

#![allow(clippy::print_stdout, reason = "the example shows the derivation")]

use libshem::{Options, Problem, Registry, Term, Theories, Value};

/// `x = 0; while (*) { x = x + 3; }` may reach 9.
const TEXT: &str = "
    (set-logic HORN)
    (declare-fun Inv (Int) Bool)
    (assert (forall ((x Int)) (=> (= x 0) (Inv x))))
    (assert (forall ((x Int)) (=> (Inv x) (Inv (+ x 3)))))
    (assert (forall ((x Int)) (=> (and (Inv x) (= x 9)) false)))
    (check-sat)";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Engines for bits have nothing to do with integers, and one that looks for models alone derives nothing.
    let registry = Registry::standard();
    let engines = registry.engines().iter();
    let able = engines.filter(|engine| engine.theories != Theories::Bits && engine.answers.include_unsafe());
    for engine in able.map(|engine| engine.name) {
        let mut problem = Problem::parse(TEXT)?;
        let answer = problem.solve(&Options::by_engine(engine)?)?;
        let derivation = answer.derivation().ok_or("9 can be reached")?;
        assert_eq!(derivation.len(), 5, "0, 3, 6, 9, falsehood");
        println!("{engine}: {}", answer.verdict.word());

        // Each step says which clause was used, from which steps, and what was derived.
        let (_, last_fact) = derivation.steps().nth(3).ok_or("a fourth step")?;
        let clause = problem.system().clause(last_fact.rule);
        assert_eq!(clause.head.as_ref().map(|head| head.predicate), problem.predicate("Inv"));
        assert_eq!(last_fact.values[0], Value::Num(9.into()));
        assert_eq!(last_fact.premises.len(), 1);
    }

    // What was read can be added to: with another query 9 is still reached.
    let mut problem = Problem::parse(TEXT)?;
    let inv = problem.predicate("Inv").ok_or("it is declared")?;
    let x = problem.store_mut().int(10);
    let at_ten = problem.apply(inv, &[x])?;
    problem.clause(&[at_ten], Term::FALSE)?;
    let answer = problem.solve(&Options::default())?;
    let derivation = answer.derivation().ok_or("9 can be reached")?;
    print!("{}", problem.derivation_text(derivation));

    // A mistake in a text has a place.
    let error = Problem::parse("(declare-fun Inv (Int) Bool)\n(assert (Inv true))").unwrap_err();
    println!("{error}");
    assert_eq!((error.line, error.column), (2, 14));
    Ok(())
}
