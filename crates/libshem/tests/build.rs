//! Systems built by calls: decided by everybody, and mistakes that are typed.

use std::sync::Arc;
use std::time::Duration;

use libshem::{
    BuildError, Checked, ErrorKind, Options, Problem, Registry, Sort, Term, Theories, Undecided, Verdict,
    Witness,
};

/// `x = 0; while (0 <= x && x < 10) { x = x + 2; }` and a query whether x is this number.
fn evens(target: i64) -> Problem {
    let mut problem = Problem::new();
    let inv = problem.declare("Inv", &[Sort::Int]).expect("a new name");
    let store = problem.store_mut();
    let x = store.variable("x", Sort::Int);
    let [zero, two, ten, target] = [0, 2, 10, target].map(|number| store.int(number));
    let (start, bad, next) = (store.eq(x, zero), store.eq(x, target), store.add(&[x, two]));
    let (least, greatest) = (store.le(zero, x), store.lt(x, ten));
    let here = problem.apply(inv, &[x]).expect("an argument");
    let there = problem.apply(inv, &[next]).expect("an argument");
    problem.clause(&[start], here).expect("a clause");
    problem.clause(&[here, least, greatest], there).expect("a clause");
    problem.query(&[here, bad]).expect("a query");
    problem
}

/// The default strategy, and every engine alone.
fn everybody() -> Vec<(&'static str, Options)> {
    let mut all = vec![("strategy", Options::default())];
    let registry = Registry::standard();
    // The problems here have integers, and no datatypes.
    let others = ["finite-models", "functions"];
    let fits = |name: &str, theories: Theories| theories != Theories::Bits && !others.contains(&name);
    for engine in registry.engines().iter().filter(|engine| fits(engine.name, engine.theories)) {
        all.push((engine.name, Options::by_engine(engine.name).expect("a name of the registry")));
    }
    for (_, options) in &mut all {
        options.limits.time = Some(Duration::from_secs(20));
        // They would leave nothing to the engines.
        for pass in ["equalities", "invariants"] {
            options.disabled_passes.disable(pass).expect("the name of a pass");
        }
    }
    all
}

#[test]
fn everybody_derives_falsehood() {
    for (name, options) in everybody() {
        let mut problem = evens(6);
        let answer = problem.solve(&options).expect("an answer");
        assert_eq!(answer.checked, Checked::Witness, "{name}: {:?}", answer.verdict);
        assert!(answer.engine == name || name == "strategy", "{name}: {}", answer.engine);
        let derivation = answer.derivation().expect("a derivation");
        let steps: Vec<_> =
            derivation.steps().map(|(_, step)| (step.rule.index(), step.values.len())).collect();
        assert_eq!(steps, [(0, 1), (1, 1), (1, 1), (1, 1), (2, 0)], "{name}");
        assert!(problem.derivation_text(derivation).contains("(Inv 6)"), "{name}");
        assert!(answer.model().is_none());
        assert!(answer.statistics.get("time.engine").is_some(), "{name}");
    }
}

#[test]
fn everybody_who_looks_for_models_finds_one() {
    for (name, options) in everybody() {
        if ["bmc", "scout"].contains(&name) {
            // They look for derivations only.
            continue;
        }
        let mut problem = evens(7);
        let answer = problem.solve(&options).expect("an answer");
        assert_eq!(answer.checked, Checked::Witness, "{name}: {:?}", answer.verdict);
        assert!(answer.engine == name || name == "strategy", "{name}: {}", answer.engine);
        let model = answer.model().expect("a model");
        let inv = problem.predicate("Inv").expect("it is declared");
        let value = |number: i64| libshem::Value::Num(number.into());
        let holds = |number| model.holds(problem.store(), inv, &[value(number)]);
        assert_eq!((holds(0), holds(8), holds(7)), (Some(true), Some(true), Some(false)), "{name}");
        assert!(answer.derivation().is_none());
    }
}

/// Bodies with several atoms, truth values and reals; what is printed is read back as the same problem.
#[test]
fn other_sorts_and_bodies() {
    let mut problem = Problem::new();
    let level = problem.declare("Level", &[Sort::Real]).expect("a new name");
    let open = problem.declare("Open", &[Sort::Bool]).expect("a new name");
    let store = problem.store_mut();
    let (l, b) = (store.variable("l", Sort::Real), store.variable("b", Sort::Bool));
    let (half, ten) = (store.real(libshem::Rat::new(1, 2)), store.real(10));
    let (low, more, below) = (store.le(l, half), store.add(&[l, half]), store.lt(l, ten));
    let [at, after] = [l, more].map(|term| problem.apply(level, &[term]).expect("an argument"));
    let valve = problem.apply(open, &[b]).expect("an argument");
    problem.clause(&[low], at).expect("a clause");
    problem.clause(&[b], valve).expect("a clause");
    problem.clause(&[at, valve, b, below], after).expect("a clause with two atoms");
    let without_query = problem;
    for (limit, safe) in [(10, false), (11, true)] {
        let mut problem = without_query.clone();
        let limit = problem.store_mut().real(limit);
        let bad = problem.store_mut().gt(l, limit);
        problem.query(&[at, valve, bad]).expect("a query");
        let mut again = Problem::parse(&problem.text()).expect("what was printed");
        for problem in [&mut problem, &mut again] {
            let answer = problem.solve(&Options::default()).expect("an answer");
            assert_eq!(answer.model().is_some(), safe, "{:?}", answer.verdict);
            assert_eq!(answer.derivation().is_some(), !safe, "{:?}", answer.verdict);
        }
    }
}

/// Clauses are added after an answer, and the answer before is still about what it was about.
#[test]
fn a_problem_is_solved_again() {
    let mut problem = evens(-4);
    let before = Arc::clone(problem.system());
    let first = problem.solve(&Options::default()).expect("an answer");
    let model = first.model().expect("a model");
    let text = problem.model_text(model);
    let inv = problem.predicate("Inv").expect("it is declared");
    let four = problem.store_mut().int(4);
    let at_four = problem.apply(inv, &[four]).expect("an argument");
    problem.query(&[at_four]).expect("a query");
    let second = problem.solve(&Options::default()).expect("an answer");
    assert_eq!(second.derivation().expect("four is reached").len(), 4);
    assert_eq!((before.clauses.len(), problem.system().clauses.len()), (3, 4));
    assert_eq!(problem.model_text(model), text);
}

#[test]
fn mistakes_are_typed_and_change_nothing() {
    let mut problem = evens(6);
    let inv = problem.predicate("Inv").expect("it is declared");
    let one = problem.store_mut().int(1);
    let half = problem.store_mut().real(libshem::Rat::new(1, 2));
    let predicate = || "Inv".to_owned();
    let error = problem.apply(inv, &[one, one]);
    assert_eq!(error, Err(BuildError::ArgumentCount { predicate: predicate(), expected: 1, found: 2 }));
    let error = problem.apply(inv, &[half]);
    let [expected, found] = ["Int", "Real"].map(str::to_owned);
    assert_eq!(error, Err(BuildError::ArgumentSort { predicate: predicate(), position: 1, expected, found }));
    // A predicate of another problem.
    let mut other = evens(6);
    let foreign = other.declare("Other", &[]).expect("a new name");
    assert!(matches!(problem.apply(foreign, &[]), Err(BuildError::UnknownPredicate(_))));
    assert_eq!(problem.declare("Inv", &[]), Err(BuildError::Redeclared(predicate())));
    assert_eq!(problem.clause(&[one], Term::FALSE), Err(BuildError::NotAFormula("Int".to_owned())));
    let done = problem.declare("done", &[]).expect("a new name");
    let (at_one, end) = (problem.apply(inv, &[one]), problem.apply(done, &[]));
    let either = problem.store_mut().or2(at_one.expect("an atom"), end.expect("an atom"));
    assert!(matches!(problem.clause(&[], either), Err(BuildError::NotHorn(_))));
    assert_eq!(problem.system().clauses.len(), 3);
    assert!(Options::by_engine("nobody").is_err());
}

#[test]
fn mistakes_in_a_text_have_a_place() {
    let check = |text: &str, line, column, kind| {
        let error = Problem::parse(text).expect_err("a mistake");
        assert_eq!((error.line, error.column, error.kind), (line, column, kind), "{error}");
        assert!(error.to_string().starts_with(&format!("line {line} column {column}: ")), "{error}");
    };
    check("(declare-fun p (Int) Bool)\n (assert (p 1)", 2, 15, ErrorKind::Syntax);
    check("(declare-fun p (Int) Bool)\n(assert (p true))", 2, 12, ErrorKind::IllSorted);
    check("(declare-fun |ç| () Bool)(assert (or |ç| q))", 1, 42, ErrorKind::Unknown);
}

/// An engine for linear systems says why it does not take another one, and a witness that nobody wants is not built.
#[test]
fn what_is_missing_has_a_reason() {
    let mut problem = Problem::parse(
        "(declare-fun p (Int) Bool)
         (assert (p 2))
         (assert (forall ((x Int) (y Int)) (=> (and (p x) (p y)) (p (+ x y)))))
         (assert (forall ((x Int)) (=> (p x) (not (= x 7)))))",
    )
    .expect("a problem");
    let mut options = Options::by_engine("imc").expect("an engine");
    for pass in ["equalities", "invariants"] {
        options.disabled_passes.disable(pass).expect("a pass");
    }
    let answer = problem.solve(&options).expect("an answer");
    let Verdict::Unknown(Undecided::Engine(libshem::Reason::Unsupported(_))) = answer.verdict else {
        panic!("the system is not linear: {:?}", answer.verdict);
    };
    let options = Options { witness: false, ..Options::default() };
    let answer = evens(7).solve(&options).expect("an answer");
    assert!(matches!(answer.verdict, Verdict::Sat(Witness::Unwanted)), "{:?}", answer.verdict);
}

/// Problems and answers go from one thread to another.
#[test]
fn problems_are_sent() {
    fn sent<T: Send>(_: &T) {}
    let mut problem = evens(6);
    sent(&problem);
    let answer = std::thread::spawn(move || problem.solve(&Options::default())).join().expect("no panic");
    sent(&answer);
    assert!(answer.expect("an answer").derivation().is_some());
}
