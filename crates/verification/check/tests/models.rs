//! Right models are accepted, wrong ones refused.

use shem_base::{Budget, StopToken, UnknownReason};
use shem_chc::{ClauseId, Model, PredicateId};
use shem_check::{Defect, Validity, check_model};
use shem_term::{Sort, Term};
use shem_test_support::case::Case;

fn counter() -> Case {
    Case::new(&["inv Int", "unused Bool Real"])
        .clause("x Int", &[], "(= x 0)", "inv; x")
        .clause("x Int y Int", &["inv; x"], "(= y (+ x 2))", "inv; y")
        .clause("x Int", &["inv; x"], "(= x 7)", "false")
}

fn judge(case: &mut Case, model: &Model) -> Validity {
    check_model(&mut case.store, &case.system, model, &mut Budget::unlimited())
}

fn check(case: &mut Case, definitions: &[(&str, &str)], expected: Validity) {
    let model = case.model(definitions);
    assert_eq!(judge(case, &model), expected, "{definitions:?}");
}

fn refuted(clause: usize, values: &str) -> Validity {
    Validity::Invalid(Defect::Clause(ClauseId::new(clause), values.to_owned()))
}

const UNUSED: (&str, &str) = ("b Bool r Real", "(or b (< r 1.5))");

#[test]
fn an_inductive_invariant_is_a_model() {
    let case = &mut counter();
    check(case, &[("a Int", "(= (mod a 2) 0)"), UNUSED], Validity::Valid);
    check(case, &[("a Int", "(and (= (mod a 2) 0) (>= a 0))"), UNUSED], Validity::Valid);
}

#[test]
fn each_clause_is_asked() {
    let case = &mut counter();
    check(case, &[("a Int", "(= (mod a 2) 1)"), UNUSED], refuted(0, "x = 0"));
    check(case, &[("a Int", "(= a 0)"), UNUSED], refuted(1, "x = 0, y = 2"));
    check(case, &[("a Int", "true"), UNUSED], refuted(2, "x = 7"));
    check(case, &[("a Int", "(and (= (mod a 2) 0) (< a 100))"), UNUSED], refuted(1, "x = 98, y = 100"));
}

#[test]
fn nonlinear_clauses_and_nullary_predicates() {
    let case = &mut Case::new(&["p Int", "q"])
        .clause("x Int", &[], "(>= x 1)", "p; x")
        .clause("x Int y Int", &["p; x", "p; y"], "true", "p; (+ x y)")
        .clause("x Int", &["p; (* 2 x)"], "(< x 0)", "q")
        .clause("", &["q"], "true", "false");
    check(case, &[("a Int", "(> a 0)"), ("", "false")], Validity::Valid);
    check(case, &[("a Int", "(> a (- 1))"), ("", "false")], Validity::Valid);
    check(case, &[("a Int", "(> a 0)"), ("", "true")], refuted(3, "no variables"));
    check(case, &[("a Int", "(> a (- 2))"), ("", "false")], refuted(1, "x = -1, y = -1"));
}

#[test]
fn definitions_are_over_their_parameters() {
    let case = &mut counter();
    let good = case.model(&[("a Int", "(= (mod a 2) 0)"), UNUSED]);
    let mut refuse = |change: &dyn Fn(&mut Case, &mut Model), expected: Defect| {
        let mut model = good.clone();
        change(case, &mut model);
        assert_eq!(judge(case, &model), Validity::Invalid(expected));
    };
    let p = PredicateId::new;
    refuse(&|_, m| drop(m.definitions.pop()), Defect::Definitions { expected: 2, found: 1 });
    refuse(&|c, m| m.definitions[0] = c.definition("a Real", "(= a 0.0)"), Defect::Parameters(p(0)));
    refuse(&|_, m| m.definitions[0].parameters = [].into(), Defect::Parameters(p(0)));
    refuse(
        &|_, m| m.definitions[1].parameters[0] = !m.definitions[1].parameters[0],
        Defect::Parameters(p(1)),
    );
    refuse(&|c, m| m.definitions[0].parameters[0] = c.store.int(3), Defect::Parameters(p(0)));
    refuse(
        &|c, m| {
            let stray = c.store.variable("stray", Sort::Bool);
            m.definitions[0].body = c.store.or2(m.definitions[0].body, stray);
        },
        Defect::Body(p(0), "mentions stray".to_owned()),
    );
    refuse(
        &|c, m| {
            let symbol = c.system.predicates[0].symbol;
            let argument = m.definitions[0].parameters[0];
            m.definitions[0].body = c.store.apply(symbol, &[argument]);
        },
        Defect::Body(p(0), "mentions the predicate inv".to_owned()),
    );
    refuse(
        &|c, m| {
            let [bound, free] = ["z", "w"].map(|name| c.store.variable(name, Sort::Int));
            let body = c.store.lt(bound, free);
            m.definitions[0].body = c.store.exists(&[bound], body);
        },
        Defect::Body(p(0), "mentions w".to_owned()),
    );
    refuse(
        &|_, m| m.definitions[0].body = m.definitions[0].parameters[0],
        Defect::Body(p(0), "is not a formula".to_owned()),
    );
}

#[test]
fn repeated_parameters_are_refused() {
    let case = &mut Case::new(&["p Int Int"]).clause("x Int", &["p; x; 0"], "(= x 1)", "false");
    let mut model = case.model(&[("a Int b Int", "(= a b)")]);
    assert_eq!(judge(case, &model), Validity::Valid);
    model.definitions[0].parameters[1] = model.definitions[0].parameters[0];
    model.definitions[0].body = Term::FALSE;
    assert_eq!(judge(case, &model), Validity::Invalid(Defect::Parameters(PredicateId::new(0))));
}

#[test]
fn parameters_may_be_variables_of_a_clause() {
    let case = &mut counter();
    let x = case.system.clauses[1].variables[0];
    let y = case.system.clauses[1].variables[1];
    let mut model = case.model(&[("a Int", "true"), UNUSED]);
    for parameter in [x, y] {
        model.definitions[0].parameters = [parameter].into();
        let half = case.store.int_mod(parameter, &2.into());
        let zero = case.store.int(0);
        model.definitions[0].body = case.store.eq(half, zero);
        assert_eq!(judge(case, &model), Validity::Valid);
        model.definitions[0].body = case.store.eq(parameter, zero);
        assert_eq!(judge(case, &model), refuted(1, "x = 0, y = 2"));
    }
}

#[test]
fn a_stop_is_no_judgement() {
    let case = &mut counter();
    let model = case.model(&[("a Int", "(= (mod a 2) 0)"), UNUSED]);
    let stop = StopToken::new();
    stop.stop();
    let answer = check_model(&mut case.store, &case.system, &model, &mut Budget::until(stop));
    assert_eq!(answer, Validity::Unknown(UnknownReason::Stopped));
}
