//! Right arguments about infinite runs are accepted, forged ones refused.

use shem_base::Budget;
use shem_chc::{ClauseId, Definition, Model, PredicateId};
use shem_check::{
    CertificateError, Choice, Closure, Level, RankingArgument, RankingFunction, Recurrence, check_ranking,
    check_recurrence,
};
use shem_term::{Sort, Term};
use shem_test_support::case::{Case, Row, derivation, num};

/// A level: for each predicate, parameters and phases.
type LevelText<'t> = &'t [(&'t str, &'t [&'t str])];

fn ranking(case: &mut Case, invariants: &[(&str, &str)], levels: &[LevelText<'_>]) -> RankingArgument {
    let invariants = case.model(invariants);
    let mut level = |functions: LevelText<'_>| Level {
        functions: functions.iter().map(|(parameters, phases)| function(case, parameters, phases)).collect(),
    };
    let levels = levels.iter().map(|functions| level(functions)).collect();
    RankingArgument { invariants, levels, closures: Vec::new() }
}

fn function(case: &mut Case, parameters: &str, phases: &[&str]) -> RankingFunction {
    let (parameters, phases) = case.terms(parameters, phases);
    RankingFunction { parameters: parameters.into(), phases: phases.into() }
}

#[track_caller]
fn check_levels(case: &mut Case, invariants: &[(&str, &str)], levels: &[LevelText<'_>], expected: &str) {
    let argument = ranking(case, invariants, levels);
    let found = check_ranking(&mut case.store, &case.system, &argument, &mut Budget::unlimited());
    match found {
        Ok(()) => assert_eq!(expected, "", "{levels:?}"),
        Err(error) => {
            assert!(!expected.is_empty() && error.to_string().contains(expected), "{levels:?}: {error}")
        }
    }
}

/// Two counters: the second one starts anew when the first goes down; queries do not matter.
fn nested() -> Case {
    Case::new(&["p Int Int"])
        .clause("x Int y Int", &[], "true", "p; x; y")
        .clause("x Int y Int", &["p; x; y"], "(> y 0)", "p; x; (- y 1)")
        .clause("x Int y Int z Int", &["p; x; y"], "(and (> x 0) (<= y 0))", "p; (- x 1); z")
        .clause("x Int y Int", &["p; x; y"], "(= x 5)", "false")
}

#[test]
fn lexicographic_orders_are_judged() {
    let case = &mut nested();
    let all = &[("x Int y Int", "true")][..];
    let (x, y): (LevelText<'_>, LevelText<'_>) = (&[("x Int y Int", &["x"])], &[("x Int y Int", &["y"])]);
    check_levels(case, all, &[x, y], "");
    check_levels(case, all, &[y, x], "goes down in no level");
    check_levels(case, all, &[x], "goes down in no level");
    check_levels(case, all, &[], "goes down in no level");
    check_levels(case, &[("x Int y Int", "(> x 0)")], &[x, y], "the invariants are wrong");
    check_levels(case, all, &[&[("x Int y Int", &["(- x)"])], y], "goes down in no level");
    // Going down by less and less is no descent.
    check_levels(case, all, &[&[("x Int y Int", &["(* 0.5 (to_real x))"])], y], "goes down in no level");
}

#[test]
fn phases_are_judged() {
    let case = &mut Case::new(&["p Int Int"]).clause("x Int y Int", &[], "true", "p; x; y").clause(
        "x Int y Int",
        &["p; x; y"],
        "(>= x 0)",
        "p; (+ x y); (- y 1)",
    );
    let all = &[("x Int y Int", "true")][..];
    check_levels(case, all, &[&[("x Int y Int", &["(+ y 1)", "x"])]], "");
    check_levels(case, all, &[&[("x Int y Int", &["x", "(+ y 1)"])]], "goes down in no level");
    check_levels(case, all, &[&[("x Int y Int", &["(+ y 1)", "(- x)"])]], "goes down in no level");
    check_levels(case, all, &[&[("x Int y Int", &["x"])]], "goes down in no level");
}

#[test]
fn invariants_count_and_locations_have_functions_of_their_own() {
    let case = &mut Case::new(&["p Int Int", "q Int Int"])
        .clause("x Int", &[], "true", "p; x; 1")
        .clause("x Int y Int", &["p; x; y"], "(> x 0)", "q; (- x y); y")
        .clause("x Int y Int", &["q; x; y"], "true", "p; x; y");
    let (all, known) = (("x Int y Int", "true"), ("x Int y Int", "(= y 1)"));
    let after = ("x Int y Int", "(and (= y 1) (>= x 0))");
    let down: LevelText<'_> = &[("x Int y Int", &["(* 2 x)"]), ("x Int y Int", &["(+ 1 (* 2 x))"])];
    check_levels(case, &[known, after], &[down], "");
    check_levels(case, &[known, known], &[down], "a step from q to p goes down in no level");
    check_levels(case, &[all, all], &[down], "a step from p to q goes down in no level");
    check_levels(case, &[known, all], &[down], "the invariants are wrong");
    check_levels(case, &[known, after], &[&[down[0], ("x Int y Int", &["x"])]], "goes down in no level");
}

/// One of two counters goes down in each step; a second predicate repeats what it has, if it is asked for.
fn either(with_loop: bool) -> Case {
    let case = Case::new(&["p Int Int", "q Int"])
        .clause("x Int y Int", &[], "true", "p; x; y")
        .clause("x Int y Int", &["p; x; y"], "(> x 0)", "p; (- x 1); y")
        .clause("x Int y Int", &["p; x; y"], "(> y 0)", "p; x; (- y 1)")
        .clause("x Int y Int", &["p; x; y"], "true", "q; x");
    if with_loop { case.clause("x Int", &["q; x"], "true", "q; x") } else { case }
}

/// A closure of the first predicate with a relation of its states, and functions.
#[track_caller]
fn check_closed(
    with_loop: bool,
    levels: &[LevelText<'_>],
    relation: &str,
    functions: &[&str],
    expected: &str,
) {
    let case = &mut either(with_loop);
    let mut argument = ranking(case, &[("x Int y Int", "true"), ("x Int", "true")], levels);
    let relations = vec![
        case.definition("a Int b Int x Int y Int", relation),
        case.definition("a Int b Int x Int", "true"),
    ];
    let functions = functions.iter().map(|phase| function(case, "x Int y Int", &[phase])).collect();
    argument.closures.push(Closure { predicate: PredicateId::new(0), relations, functions });
    let found = check_ranking(&mut case.store, &case.system, &argument, &mut Budget::unlimited());
    match found {
        Ok(()) => assert_eq!(expected, "", "{relation}"),
        Err(error) => {
            assert!(!expected.is_empty() && error.to_string().contains(expected), "{relation}: {error}")
        }
    }
}

#[test]
fn transition_invariants_are_judged() {
    let either = "(or (and (> a 0) (< x a)) (and (> b 0) (< y b)))";
    let both = &format!("(and (<= x a) (<= y b) {either})");
    check_closed(false, &[], both, &["x", "y"], "");
    check_closed(false, &[], both, &["(* 2 x)", "x", "y"], "");
    check_closed(false, &[], both, &["x"], "no function goes down between two states of p");
    check_closed(false, &[], both, &["x", "(- y)"], "no function goes down");
    // Going down by less and less is no descent.
    check_closed(false, &[], both, &["x", "(* 0.5 (to_real y))"], "no function goes down");
    check_closed(false, &[], "true", &["x", "y"], "no function goes down");
    check_closed(false, &[], "(and (> a 0) (< x a))", &["x"], "a step from p to p is not in the relation");
    let one = "(or (and (> a 0) (= x (- a 1)) (= y b)) (and (> b 0) (= x a) (= y (- b 1))))";
    check_closed(false, &[], one, &["x", "y"], "a step from p to p leaves the relation");
    check_closed(true, &[], both, &["x", "y"], "a cycle goes through no predicate with a closure");
    // Levels take steps away; what they leave must not go up in them.
    let down: LevelText<'_> = &[("x Int y Int", &["(ite (> y 0) y 0)"]), ("x Int", &["0"])];
    check_closed(false, &[down], "(and (> a 0) (< x a))", &["x"], "");
    check_closed(false, &[down], "(and (> a 0) (< x a))", &["y"], "no function goes down");
    check_closed(false, &[], "(and (> a 0) (< x a))", &["x"], "is not in the relation");
    let up: LevelText<'_> = &[("x Int y Int", &["(ite (> y 0) (- y) 0)"]), ("x Int", &["0"])];
    check_closed(false, &[up], both, &["x", "y"], "goes down in no level");
}

#[test]
fn closures_have_to_be_well_formed() {
    let refused = |change: &dyn Fn(&mut Case, &mut Closure), expected: &str| {
        let case = &mut either(false);
        let mut argument = ranking(case, &[("x Int y Int", "true"), ("x Int", "true")], &[]);
        let relations = vec![
            case.definition("a Int b Int x Int y Int", "(and (<= x a) (<= y b))"),
            case.definition("a Int b Int x Int", "true"),
        ];
        let functions = vec![function(case, "x Int y Int", &["x"]), function(case, "x Int y Int", &["y"])];
        let mut closure = Closure { predicate: PredicateId::new(0), relations, functions };
        change(case, &mut closure);
        argument.closures.push(closure);
        let found = check_ranking(&mut case.store, &case.system, &argument, &mut Budget::unlimited());
        assert!(
            matches!(&found, Err(CertificateError::Wrong(words)) if words.contains(expected)),
            "{found:?}"
        );
    };
    refused(&|_, closure| drop(closure.relations.pop()), "not one relation for each predicate");
    refused(&|_, closure| closure.predicate = PredicateId::new(7), "not one relation for each predicate");
    refused(&|_, closure| closure.relations.swap(0, 1), "do not fit the predicate p");
    refused(&|_, closure| closure.functions[0].phases = [].into(), "not one number");
    refused(&|_, closure| closure.functions[1].phases = [Term::TRUE].into(), "not one number");
    refused(
        &|case, closure| closure.functions[1].phases = [case.store.variable("other", Sort::Int)].into(),
        "mentions other",
    );
    refused(
        &|case, closure| {
            let other = case.store.variable("other", Sort::Bool);
            closure.relations[0].body = other;
        },
        "mentions other",
    );
}

#[test]
fn levels_have_to_be_well_formed() {
    let case = &mut nested();
    let all = &[("x Int y Int", "true")][..];
    check_levels(case, all, &[&[]], "not one function for each predicate");
    check_levels(case, all, &[&[("x Int", &["x"])]], "the parameters do not fit the predicate p");
    check_levels(case, all, &[&[("x Int y Int", &[])]], "no number");
    check_levels(case, all, &[&[("x Int y Int", &["(> x y)"])]], "no number");
    // A function that looks at something that is no argument.
    let mut argument = ranking(case, all, &[&[("x Int y Int", &["x"])]]);
    let other = case.store.variable("other", Sort::Int);
    argument.levels[0].functions[0].phases = [other].into();
    let found = check_ranking(&mut case.store, &case.system, &argument, &mut Budget::unlimited());
    assert!(matches!(found, Err(CertificateError::Wrong(words)) if words.contains("mentions other")));
}

#[test]
fn clauses_that_are_not_linear_are_not_judged() {
    let case = &mut Case::new(&["p Int"]).clause("x Int", &[], "true", "p; x").clause(
        "x Int y Int",
        &["p; x", "p; y"],
        "(> x y)",
        "p; y",
    );
    let argument = ranking(case, &[("x Int", "true")], &[&[("x Int", &["x"])]]);
    let found = check_ranking(&mut case.store, &case.system, &argument, &mut Budget::unlimited());
    assert!(matches!(found, Err(CertificateError::Unknown(_))), "{found:?}");
}

/// Goes up from one, unless it is zero.
fn upwards() -> Case {
    Case::new(&["p Int", "q Int"])
        .clause("x Int", &[], "(and (<= 0 x) (<= x 1))", "p; x")
        .clause("x Int y Int", &["p; x"], "(and (> x 0) (> y x))", "p; y")
        .clause("x Int", &["p; x"], "(= x 7)", "q; x")
}

fn recurrence(case: &mut Case, stem: &[Row], set: [&str; 2], step: (usize, &[&str])) -> Recurrence {
    let definitions: Vec<Definition> = set.iter().map(|body| case.definition("x Int", body)).collect();
    let parameters = definitions[0].parameters.clone();
    let (own, values) = case.terms("x Int", step.1);
    let values = values.iter().map(|&value| case.store.rename(value, &own, &parameters)).collect();
    let choices = vec![vec![Choice { clause: ClauseId::new(step.0), values }], Vec::new()];
    Recurrence { stem: derivation(stem), set: Model { definitions }, choices }
}

#[track_caller]
fn check_set(stem: &[Row], set: [&str; 2], step: (usize, &[&str]), expected: &str) {
    let case = &mut upwards();
    let argument = recurrence(case, stem, set, step);
    let found = check_recurrence(&mut case.store, &case.system, &argument, &mut Budget::unlimited());
    match found {
        Ok(()) => assert_eq!(expected, "", "{set:?}"),
        Err(error) => {
            assert!(!expected.is_empty() && error.to_string().contains(expected), "{set:?}: {error}")
        }
    }
}

#[test]
fn recurrences_are_judged() {
    let fact = |n: i64| vec![(0, vec![], vec![num(n)])];
    let step: (usize, &[&str]) = (1, &["x", "(+ x 1)"]);
    check_set(&fact(1), ["(> x 0)", "false"], step, "");
    check_set(&[fact(1), vec![(1, vec![0], vec![num(9)])]].concat(), ["(> x 4)", "false"], step, "");
    // The stem does not reach the set, or is no derivation.
    check_set(&fact(0), ["(> x 0)", "false"], step, "the stem is wrong");
    check_set(&fact(3), ["(> x 0)", "false"], step, "the stem is wrong");
    check_set(&[], ["(> x 0)", "false"], step, "the stem is empty");
    check_set(
        &[fact(1), vec![(1, vec![0], vec![num(1)])]].concat(),
        ["(> x 0)", "false"],
        step,
        "the stem is wrong",
    );
    // The set is not closed, by its states or by the step that is named.
    let no_step = "a state of p in the set has no step that stays in it";
    check_set(&fact(1), ["(>= x 0)", "false"], step, no_step);
    check_set(&fact(1), ["(and (> x 0) (< x 100))", "false"], step, no_step);
    check_set(&fact(1), ["(> x 0)", "false"], (1, &["x", "x"]), no_step);
    check_set(&fact(1), ["(> x 0)", "false"], (1, &["(+ x 1)", "(+ x 2)"]), no_step);
    check_set(&fact(1), ["(> x 0)", "(= x 7)"], step, "a state of q in the set has no step");
    // What is named is no step from there.
    check_set(&fact(1), ["(> x 0)", "false"], (0, &["x"]), "no step");
    check_set(&fact(1), ["(> x 0)", "false"], (2, &["x"]), no_step);
    check_set(&fact(1), ["(> x 0)", "false"], (9, &["x"]), "names no clause");
    check_set(&fact(1), ["(> x 0)", "false"], (1, &["x"]), "do not fit its clause");
    check_set(&fact(1), ["(> x 0)", "false"], (1, &["x", "(> x 0)"]), "do not fit its clause");
}

#[test]
fn a_set_has_a_part_for_each_predicate() {
    let case = &mut upwards();
    let mut argument =
        recurrence(case, &[(0, vec![], vec![num(1)])], ["(> x 0)", "false"], (1, &["x", "(+ x 1)"]));
    argument.set.definitions.pop();
    let found = check_recurrence(&mut case.store, &case.system, &argument, &mut Budget::unlimited());
    assert!(matches!(found, Err(CertificateError::Wrong(_))));
    let mut argument =
        recurrence(case, &[(0, vec![], vec![num(1)])], ["(> x 0)", "false"], (1, &["x", "(+ x 1)"]));
    let other = case.store.variable("other", Sort::Bool);
    argument.set.definitions[0].body = other;
    let found = check_recurrence(&mut case.store, &case.system, &argument, &mut Budget::unlimited());
    assert!(matches!(found, Err(CertificateError::Wrong(_))));
    argument.set.definitions[0].body = Term::TRUE;
    argument.choices[0].clear();
    let found = check_recurrence(&mut case.store, &case.system, &argument, &mut Budget::unlimited());
    assert!(matches!(found, Err(CertificateError::Wrong(_))));
}
