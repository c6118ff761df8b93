//! Clauses with quantifiers in their constraints are judged as they are read.

use shem_base::{Budget, Rng, StopToken};
use shem_chc::{ClauseId, Definition, Model, Script, StepId};
use shem_check::{Defect, Validity, check_derivation, check_model};
use shem_smt::project::eliminate_quantifiers;
use shem_term::smtlib::{Lexer, Reader};
use shem_term::{Store, Value};
use shem_test_support::case::{Case, derivation, num};

fn judge(case: &mut Case, definitions: &[(&str, &str)]) -> Validity {
    let model: Model = case.model(definitions);
    check_model(&mut case.store, &case.system, &model, &mut Budget::unlimited())
}

/// The right definition is accepted and those that are too strong by one are not.
#[track_caller]
fn check(constraint: &str, right: &str, wrong: &[&str]) {
    let mut case = Case::new(&["p Int"]).clause("x Int", &[], constraint, "p; x");
    assert_eq!(judge(&mut case, &[("a Int", right)]), Validity::Valid, "{constraint}: {right}");
    for definition in wrong {
        let judgement = judge(&mut case, &[("a Int", definition)]);
        assert!(
            matches!(judgement, Validity::Invalid(Defect::Clause(..))),
            "{constraint}: {definition} is {judgement}"
        );
    }
}

#[test]
fn universal_constraints() {
    check("(forall ((y Int)) (or (< y 0) (> y x)))", "(< a 0)", &["(< a (- 1))", "false"]);
    check("(forall ((y Int)) (=> (> y x) (> y 5)))", "(>= a 5)", &["(> a 5)", "(= a 7)"]);
    check("(forall ((y Int)) (not (= x (* 2 y))))", "(= (mod a 2) 1)", &["(= (mod a 4) 1)"]);
    check("(forall ((y Int)) (not (= (* 3 x) (+ 1 (* 2 y)))))", "(= (mod a 2) 0)", &["(= (mod a 4) 0)"]);
    check("(forall ((y Int)) (= (= y x) (= y 3)))", "(= a 3)", &["false", "(= a 4)"]);
    check("(forall ((y Int) (z Int)) (=> (< y z) (or (< y x) (> z x))))", "true", &["(> a 0)"]);
    check("(forall ((y Real)) (=> (< y (to_real x)) (< y 2.5)))", "(<= a 2)", &["(<= a 1)"]);
    check("(forall ((b Bool)) (or b (> x 3)))", "(> a 3)", &["(> a 4)"]);
    check("(forall ((y Int)) (=> (and (<= 0 y) (<= y 9)) (distinct (mod y 4) (mod x 3))))", "false", &[]);
    check(
        "(forall ((y Int)) (=> (and (<= 1 y) (<= y 2)) (distinct (mod y 4) (mod x 3))))",
        "(= (mod a 3) 0)",
        &["(= (mod a 6) 0)"],
    );
    check("(forall ((y Int)) (distinct (div y 3) x))", "false", &[]);
    check("(forall ((y Int)) (=> (= (div y 3) x) (> y 10)))", "(>= a 4)", &["(>= a 5)"]);
}

#[test]
fn quantifiers_below_other_connectives() {
    check(
        "(= (> x 0) (exists ((y Int)) (and (< 2 y) (< y x))))",
        "(or (<= a 0) (>= a 4))",
        &["(>= a 4)", "(<= a 0)", "(or (<= a 0) (>= a 5))"],
    );
    check(
        "(ite (forall ((y Int)) (or (< y 0) (> y x))) (> x (- 5)) (< x 3))",
        "(and (< (- 5) a) (< a 3))",
        &["(and (< (- 4) a) (< a 3))", "(and (< (- 5) a) (< a 2))"],
    );
    check("(= x (ite (exists ((y Int)) (= 7 (* 2 y))) 1 2))", "(= a 2)", &["(= a 1)"]);
}

#[test]
fn nested_quantifiers() {
    // For each y there is a z between y and y + x: x is at least 2.
    check(
        "(forall ((y Int)) (exists ((z Int)) (and (< y z) (< z (+ y x)))))",
        "(>= a 2)",
        &["(>= a 3)", "(= a 2)"],
    );
    check("(forall ((y Int)) (exists ((z Int)) (and (= (* 2 z) (+ y x)) (> y 0))))", "false", &[]);
    check(
        "(forall ((y Int)) (exists ((z Int)) (forall ((u Int)) (=> (> u z) (> u (+ x y))))))",
        "true",
        &["(> a 0)"],
    );
    check(
        "(not (forall ((y Int)) (exists ((z Int)) (and (< y z) (< z (+ y x))))))",
        "(<= a 1)",
        &["(<= a 0)"],
    );
}

#[test]
fn steps_of_derivations() {
    let mut case = Case::new(&["p Int", "q Int Bool"])
        .clause("x Int", &[], "(forall ((y Int)) (or (< y 0) (> y x)))", "p; x")
        .clause("x Int z Int b Bool", &["p; x"], "(and (forall ((y Int)) (=> (> y z) (> y (+ x 5)))) (< z 5) (= b (exists ((y Int)) (= z (* 2 y)))))", "q; x; b")
        .clause("x Int b Bool", &["q; x; b"], "b", "false");
    let mut judge = |start: i64, odd: bool| {
        let steps = derivation(&[
            (0, vec![], vec![num(start)]),
            (1, vec![0], vec![num(start), Value::Bool(!odd)]),
            (2, vec![1], vec![]),
        ]);
        check_derivation(&mut case.store, &case.system, &steps, &mut Budget::unlimited())
    };
    let instance = |step: usize| Validity::Invalid(Defect::Instance(StepId::new(step)));
    assert_eq!(judge(-1, false), Validity::Valid);
    assert_eq!(judge(-4, false), Validity::Valid);
    assert_eq!(judge(0, false), instance(0));
    // From -1, z is 4; from -4 it may be odd, but then falsehood does not follow.
    assert_eq!(judge(-1, true), instance(1));
    assert_eq!(judge(-4, true), instance(2));
}

/// A system as a pass with a mistake sees it: witnesses of that system are refused on the one that was read.
#[test]
fn wrong_eliminations_are_caught() {
    let text = "(declare-fun p (Int) Bool)
        (assert (forall ((x Int)) (=> (forall ((y Int)) (or (< y 0) (> y x))) (p x))))
        (assert (forall ((x Int)) (=> (and (p x) (>= x 0)) false)))";
    let mut store = Store::new();
    let system = Script::read(&mut store, text, &StopToken::new()).expect("a script").system;
    let constraint = system.clauses[0].constraint;
    let label = eliminate_quantifiers(&mut store, constraint, &mut Budget::unlimited()).unwrap();
    let x = system.clauses[0].variables[0];
    let minus_one = store.int(-1);
    assert_eq!(label, store.le(x, minus_one));
    // Too strong: a model may be too small. Too weak: there may be a derivation.
    for bound in [-2, -1, 0] {
        let number = store.int(bound);
        let parameter = store.variable("a", shem_term::Sort::Int);
        let body = store.le(parameter, number);
        let definition = Definition { parameters: [parameter].into(), body };
        let model = Model { definitions: vec![definition] };
        let judgement = check_model(&mut store, &system, &model, &mut Budget::unlimited());
        match bound {
            -1 => assert_eq!(judgement, Validity::Valid),
            -2 => assert!(
                matches!(judgement, Validity::Invalid(Defect::Clause(id, _)) if id == ClauseId::new(0))
            ),
            _ => assert!(
                matches!(judgement, Validity::Invalid(Defect::Clause(id, _)) if id == ClauseId::new(1))
            ),
        }
    }
    let steps = derivation(&[(0, vec![], vec![num(0)]), (1, vec![0], vec![])]);
    let judgement = check_derivation(&mut store, &system, &steps, &mut Budget::unlimited());
    assert_eq!(judgement, Validity::Invalid(Defect::Instance(StepId::new(0))));
}

/// A random formula over x and the bound variables.
fn random(rng: &mut Rng, bound: &mut Vec<String>, depth: usize) -> String {
    if depth == 0 || rng.chance(20) {
        let mut sum = || {
            let mut terms = String::new();
            for _ in 0..rng.range(1..=2) {
                let variable = if rng.chance(40) { "x".to_owned() } else { rng.pick(bound).clone() };
                terms += &format!(" (* {} {variable})", ["1", "2", "(- 1)", "(- 3)"][rng.index(4)]);
            }
            format!("(+ {}{terms})", rng.range(0..=5))
        };
        let (a, b) = (sum(), sum());
        return match rng.below(6) {
            0 => format!("(= {a} {b})"),
            1 => format!("(= (mod {a} {}) 0)", rng.range(2..=3)),
            _ => format!("(<= {a} {b})"),
        };
    }
    match rng.below(6) {
        0 | 1 => {
            let name = format!("y{}", bound.len());
            bound.push(name.clone());
            let body = random(rng, bound, depth - 1);
            bound.pop();
            format!("({} (({name} Int)) {body})", if rng.bool() { "forall" } else { "exists" })
        }
        2 => format!("(not {})", random(rng, bound, depth - 1)),
        3 => format!("(and {} {})", random(rng, bound, depth - 1), random(rng, bound, depth - 1)),
        4 => format!("(or {} {})", random(rng, bound, depth - 1), random(rng, bound, depth - 1)),
        _ => format!("(= {} {})", random(rng, bound, depth - 1), random(rng, bound, depth - 1)),
    }
}

/// The elimination and the judge agree: what the elimination says is a model, and nothing stronger is.
#[test]
fn random_eliminations_are_models() {
    let (mut valid, mut refused, mut undecided) = (0, 0, 0);
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let constraint = random(&mut rng, &mut vec!["x".to_owned()], 4);
        let mut case = Case::new(&["p Int"]).clause("x Int", &[], &constraint, "p; x");
        let formula = case.system.clauses[0].constraint;
        if !case.store.has_quantifier(formula) {
            continue;
        }
        let mut budget = Budget { conflicts: 2000, splits: 500, ..Budget::unlimited() };
        let Ok(body) = eliminate_quantifiers(&mut case.store, formula, &mut budget) else { continue };
        let parameters = case.system.clauses[0].variables.clone();
        let off = case.store.int(rng.range(-3..=3));
        let missing = case.store.eq(parameters[0], off);
        let fewer = case.store.and2(body, !missing);
        for body in [body, fewer] {
            let definition = Definition { parameters: parameters.clone(), body };
            let model = Model { definitions: vec![definition] };
            let mut budget = Budget { conflicts: 2000, splits: 500, ..Budget::unlimited() };
            match check_model(&mut case.store, &case.system, &model, &mut budget) {
                Validity::Valid => valid += 1,
                Validity::Invalid(Defect::Clause(..)) if body == fewer => refused += 1,
                Validity::Unknown(_) => undecided += 1,
                judgement => panic!("seed {seed}: {constraint} is {judgement}"),
            }
        }
    }
    assert!(valid > 150 && refused > 30 && undecided * 20 < valid, "{valid} {refused} {undecided}");
}

/// Definitions with quantifiers: of a loop that sets the elements of an array, the right one is accepted and those that
/// are changed a little are not.
#[test]
fn definitions_with_quantifiers() {
    let text = "(declare-fun p ((Array Int Int) Int) Bool)
        (assert (forall ((a (Array Int Int))) (p a 0)))
        (assert (forall ((a (Array Int Int)) (i Int)) (=> (p a i) (p (store a i 7) (+ i 1)))))
        (assert (forall ((a (Array Int Int)) (i Int) (j Int))
          (=> (and (p a i) (<= 0 j) (< j i) (distinct (select a j) 7)) false)))";
    let mut store = Store::new();
    let system = Script::read(&mut store, text, &StopToken::new()).expect("a script").system;
    let sorts = system.predicates[0].sorts.clone();
    let mut judge_it = |body: &str| {
        let parameters = [store.variable("a", sorts[0]), store.variable("i", sorts[1])];
        let mut reader = Reader::new();
        reader.name_term("a", parameters[0]);
        reader.name_term("i", parameters[1]);
        let body = reader.read_term(&mut Lexer::new(body).unwrap(), &mut store).expect("a formula");
        let model = Model { definitions: vec![Definition { parameters: parameters.into(), body }] };
        check_model(&mut store, &system, &model, &mut Budget::unlimited())
    };
    let right = "(and (>= i 0) (forall ((k Int)) (=> (and (<= 0 k) (< k i)) (= (select a k) 7))))";
    assert_eq!(judge_it(right), Validity::Valid);
    for (from, to) in [
        ("(< k i)", "(<= k i)"),
        ("(<= 0 k)", "(<= 1 k)"),
        ("(< k i)", "true"),
        ("(= (select a k) 7)", "(= (select a k) 8)"),
        ("(= (select a k) 7)", "(>= (select a k) 7)"),
        ("(= (select a k) 7)", "(= (select a (+ k 1)) 7)"),
        ("(and (<= 0 k) (< k i))", "(< k i)"),
        ("(>= i 0)", "(>= i 1)"),
        ("(forall ((k Int))", "(exists ((k Int))"),
    ] {
        let wrong = right.replace(from, to);
        assert_ne!(wrong, right);
        let judgement = judge_it(&wrong);
        assert_ne!(judgement, Validity::Valid, "{wrong}");
    }
}
