//! Predicates as recursive functions: certificates are accepted, also from text, changed ones are refused, and what is
//! unsafe is not called safe.

use std::fmt::Write as _;

use shem_base::StopToken;
use shem_base::{Budget, Rng, Statistics};
use shem_chc::{Graph, Script, normalise};
use shem_check::Certificate;
use shem_check::certificate::{Fact, FunctionModel};
use shem_engine::{Bmc, Context, Engine, Functions, NoEvents, Outcome, Verdict};
use shem_term::{Store, Term};

const LISTS: &str = "(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
    (declare-fun append (List List List) Bool)
    (assert (forall ((y List)) (append nil y y)))
    (assert (forall ((a Int) (x List) (y List) (z List)) (=> (append x y z) (append (cons a x) y (cons a z)))))
    (declare-fun reverse (List List) Bool)
    (assert (reverse nil nil))
    (assert (forall ((a Int) (x List) (y List) (z List))
        (=> (and (reverse x y) (append y (cons a nil) z)) (reverse (cons a x) z))))
    (declare-fun length (List Int) Bool)
    (assert (length nil 0))
    (assert (forall ((a Int) (x List) (n Int)) (=> (length x n) (length (cons a x) (+ n 1)))))";

fn graph(store: &mut Store, text: &str) -> Graph {
    let script = Script::read(store, text, &StopToken::new()).expect("a script");
    normalise(store, &script.system)
}

fn run(engine: &mut dyn Engine, store: &mut Store, graph: &Graph, budget: Budget) -> Verdict {
    let statistics = Statistics::new();
    let mut context = Context { budget, seed: 0, witness: false, events: &mut NoEvents, statistics };
    engine.solve(store, graph, &mut context)
}

/// The certificate for a query about lists, checked.
fn prove(store: &mut Store, query: &str) -> (Graph, FunctionModel) {
    let graph = graph(store, &format!("{LISTS}\n{query}"));
    let verdict = run(&mut Functions::default(), store, &graph, Budget::unlimited());
    let Outcome::Safe(proven) = verdict else { panic!("{query}: {verdict:?}") };
    let Some(Certificate::Functions(model)) = proven.certificate else { panic!("a certificate") };
    let certificate = Certificate::Functions(model.clone());
    assert_eq!(certificate.check(store, &graph, &mut Budget::unlimited()), Ok(()), "{query}");
    let text = certificate.pack(store, &graph).expect("all can be sent");
    let read = Certificate::unpack(store, &graph, &text, &Budget::unlimited()).expect("what was written");
    assert_eq!(read.check(store, &graph, &mut Budget::unlimited()), Ok(()), "{query}");
    (graph, *model)
}

const ASSOCIATIVE: &str = "(assert (forall ((x List) (y List) (z List) (xy List) (yz List) (l List) (r List))
    (=> (and (append x y xy) (append xy z l) (append y z yz) (append x yz r) (not (= l r))) false)))";

#[test]
fn theorems_about_lists() {
    for query in [
        ASSOCIATIVE,
        "(assert (forall ((x List) (z List)) (=> (and (append x nil z) (not (= x z))) false)))",
        "(assert (forall ((x List) (y List) (z List) (k Int) (m Int) (n Int)) (=> (and (append x y z)
            (length x k) (length y m) (length z n) (not (= n (+ k m)))) false)))",
        "(assert (forall ((x List) (y List) (k Int) (n Int))
            (=> (and (reverse x y) (length x k) (length y n) (not (= n k))) false)))",
    ] {
        prove(&mut Store::new(), query);
    }
}

/// Every fact of the certificate is needed, or its lemma or edge holds without it: a certificate that lacks one is
/// accepted only if all is still shown. What says too much is refused.
#[test]
fn changed_certificates_are_refused() {
    let mut store = Store::new();
    let (graph, model) = prove(&mut store, ASSOCIATIVE);
    let mut is_accepted = |model: FunctionModel| {
        let certificate = Certificate::Functions(Box::new(model));
        certificate.check(&mut store, &graph, &mut Budget::unlimited()).is_ok()
    };
    assert!(is_accepted(model.clone()));
    let mut changed = model.clone();
    changed.edges.clear();
    assert!(!is_accepted(changed), "edges follow from facts");
    for at in 0..model.lemmas.len() {
        let mut changed = model.clone();
        changed.lemmas[at].facts.clear();
        assert!(!is_accepted(changed), "a lemma follows from facts");
        let mut changed = model.clone();
        changed.lemmas[at].formula = Term::FALSE;
        assert!(!is_accepted(changed), "falsehood is no lemma");
        let mut changed = model.clone();
        changed.lemmas[at].measure.clear();
        assert!(!is_accepted(changed), "without a measure there is no hypothesis");
        // A lemma does not follow from itself.
        let mut changed = model.clone();
        let variables = changed.lemmas[at].variables.clone();
        changed.lemmas[at].facts = vec![Fact::Lemma(at, variables)];
        assert!(!is_accepted(changed), "a lemma is no fact in its own proof");
        let mut changed = model.clone();
        let variables = changed.lemmas[at].variables.clone();
        changed.lemmas[at].facts = vec![Fact::Hypothesis(variables)];
        assert!(!is_accepted(changed), "the hypothesis is about smaller values");
    }
    for at in 0..model.functions.len() {
        let mut changed = model.clone();
        changed.functions[at].measure.clear();
        assert!(!is_accepted(changed), "calls are for smaller arguments");
        let mut changed = model.clone();
        changed.functions[at].measure = vec![7];
        assert!(!is_accepted(changed), "there is no such parameter");
        // f(x) = cons(0, f(x)) has no solution.
        let mut changed = model.clone();
        let function = &mut changed.functions[at];
        let parameter = function.parameters[0];
        function.body = parameter;
        assert!(!is_accepted(changed), "another function is not the relation");
    }
}

/// An equation without a solution is no definition, whatever else the certificate has.
#[test]
fn functions_are_defined_by_recursion() {
    let mut store = Store::new();
    let (graph, model) = prove(&mut store, ASSOCIATIVE);
    let function = &model.functions[0];
    let call = store.apply(function.symbol, &function.parameters);
    let (nil, cons) = {
        let datatype = store.datatype_of(store.sort(call)).expect("a list");
        (datatype.constructors()[0].symbol, datatype.constructors()[1].symbol)
    };
    let (zero, _) = (store.int(0), nil);
    let longer = store.construct(cons, &[zero, call]);
    let mut changed = model.clone();
    changed.functions[0].body = longer;
    // Whatever is wrong could be shown by unfolding this once.
    changed.edges.values_mut().for_each(|facts| *facts = vec![Fact::Unfold(call)]);
    let certificate = Certificate::Functions(Box::new(changed));
    let judged = certificate.check(&mut store, &graph, &mut Budget::unlimited());
    let error = judged.expect_err("the equation has no solution").to_string();
    assert_eq!(error, "a call of a function is not for smaller arguments");
}

/// Random relations between what functions on lists give, against bounded search.
#[test]
fn nothing_unsafe_is_called_safe() {
    let rng = &mut Rng::new(20_261_119);
    let (mut safe, mut refuted) = (0, 0);
    for _ in 0..60 {
        // Three lists and what is made of them, each by a function of earlier ones.
        let mut body = String::new();
        let mut lists = 2;
        for _ in 0..1 + rng.index(3) {
            let (a, b) = (rng.index(lists), rng.index(lists));
            match rng.index(3) {
                0 => write!(body, "(reverse x{a} x{lists}) "),
                _ => write!(body, "(append x{a} x{b} x{lists}) "),
            }
            .expect("a string");
            lists += 1;
        }
        let (a, b) = (lists - 1, rng.index(lists));
        let claim = match rng.index(3) {
            0 => format!("(not (= x{a} x{b}))"),
            1 => format!("(length x{a} m) (length x{b} n) (< m n)"),
            _ => format!("(length x{a} m) (length x{b} n) (> n m)"),
        };
        let names: String = (0..lists).map(|at| format!("(x{at} List) ")).collect();
        let query = format!("(assert (forall ({names}(m Int) (n Int)) (=> (and true {body}{claim}) false)))");
        let mut store = Store::new();
        let graph = graph(&mut store, &format!("{LISTS}\n{query}"));
        let budget = Budget::until(StopToken::after_work(&StopToken::new(), 3_000_000));
        let Outcome::Safe(proven) = run(&mut Functions::default(), &mut store, &graph, budget) else {
            refuted += 1;
            continue;
        };
        safe += 1;
        let certificate = proven.certificate.expect("a certificate");
        assert_eq!(certificate.check(&mut store, &graph, &mut Budget::unlimited()), Ok(()), "{query}");
        let budget = Budget::until(StopToken::after_work(&StopToken::new(), 3_000_000));
        let verdict = run(&mut Bmc::default(), &mut store, &graph, budget);
        assert!(!matches!(verdict, Outcome::Unsafe(_)), "{query}");
    }
    assert!(safe >= 5 && refuted >= 5, "{safe} and {refuted}");
}
