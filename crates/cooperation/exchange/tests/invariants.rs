//! Inductive invariants between engines of different kinds, on graphs that were prepared in different ways.

use std::sync::Arc;

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{Definition, Fingerprint, Model, Script, System, clauses_of, normalise};
use shem_check::{Validity, check_model};
use shem_engine::pdkind::PdKind;
use shem_engine::spacer::Spacer;
use shem_engine::tpa::{DagTpa, Tpa, TpaSettings};
use shem_engine::{
    Adaptor, Context, Engine, Events, Imc, Kind, Outcome, Port, Progress, Standing, Unavailable, Verdict,
    WitnessError,
};
use shem_exchange::{
    Bounded, Content, Definitions, Formula, FormulaLimits, Hub, HubPort, Note, Share, Translator,
};
use shem_term::{Store, Term};
use shem_transform::{Pipeline, Preprocessed};

/// Two counters that go together, handed from one predicate to another, with an argument of no use. That they are equal
/// is neither k-inductive for any k nor an interval.
const SAFE: &str = "(declare-fun p (Int Int Int) Bool) (declare-fun q (Int Int) Bool)
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (= x 0) (= y 0)) (p x z y))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (p x z y) (p (+ x 1) z (+ y 1)))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (p x z y) (> x 5)) (q x y))))
(assert (forall ((x Int) (y Int)) (=> (q x y) (q (+ x 2) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (q x y) (> x 10) (not (= x y))) false)))";

struct Member(HubPort);

impl Events for Member {
    fn progress(&mut self, _: Progress) {}

    fn port(&mut self) -> Option<&mut dyn Port> {
        Some(&mut self.0)
    }
}

struct Problem {
    store: Store,
    system: System,
    preprocessed: Arc<Preprocessed>,
    translator: Arc<Translator>,
}

/// The problem after the standard passes, and for engines on transition systems after theirs.
fn problem(text: &str, transition: bool) -> Problem {
    let mut store = Store::new();
    let script = Script::read(&mut store, text, &StopToken::new()).expect("a script");
    let system = (*script.system).clone();
    let graph = normalise(&mut store, &system);
    let (mut statistics, mut budget) = (Statistics::new(), Budget::unlimited());
    let mut preprocessed = Pipeline::standard().run(&mut store, graph, &mut statistics, &mut budget);
    let clauses = clauses_of(&mut store, &preprocessed.graph);
    let about = Fingerprint::of_system(&store, &clauses);
    if transition {
        let pipeline = Pipeline::for_transition_systems();
        preprocessed = preprocessed.then(&pipeline, &mut store, &mut statistics, &mut budget);
    }
    let preprocessed = Arc::new(preprocessed);
    let translator = Arc::new(Translator::new(&mut store, &preprocessed.graph, about));
    Problem { store, system, preprocessed, translator }
}

/// Runs an engine that hears these definitions of predicates, with limited effort.
fn run(
    problem: &mut Problem,
    engine: &mut dyn Engine,
    heard: &[&[(&str, &str)]],
) -> (Verdict, Statistics, Vec<Definitions>) {
    let hub = Hub::new(2, 1_000);
    let other = hub.endpoint(1);
    for definitions in heard {
        let formula = |text: &str| Formula::new(text, FormulaLimits::LEMMA).expect("a formula");
        let definitions = definitions.iter().map(|&(name, text)| (name.into(), formula(text))).collect();
        let (about, content) = (problem.translator.about(), Content::Invariant(definitions));
        other.send(Note { sender: 1, about, content }, Standing::Candidate);
    }
    let port = HubPort::new(hub.endpoint(0), 0, Share::ALL).with_translator(Arc::clone(&problem.translator));
    let mut member = Member(port);
    let mut context = Context {
        budget: Budget { conflicts: 4_000, pivots: 100_000, ..Budget::unlimited() },
        seed: 0,
        witness: true,
        events: &mut member,
        statistics: Statistics::new(),
    };
    let verdict = engine.solve(&mut problem.store, &problem.preprocessed.graph, &mut context);
    let statistics = context.statistics;
    let mut told = Vec::new();
    for (note, _) in other.receive(1_000) {
        if let Content::Invariant(definitions) = &note.content {
            told.push(definitions.clone());
        }
    }
    (verdict, statistics, told)
}

/// The model of the system as read is valid.
fn check_safe(problem: &mut Problem, name: &str, verdict: Verdict) {
    let Outcome::Safe(proven) = verdict else { panic!("{name}: {verdict:?}") };
    let Problem { store, system, preprocessed, .. } = problem;
    let budget = &mut Budget::unlimited();
    let certified = proven.certificate.is_some();
    if let Some(certificate) = proven.certificate {
        assert_eq!(certificate.check(store, &preprocessed.graph, budget), Ok(()), "{name}");
    }
    let witness = match proven.witness.get(store, budget) {
        Ok(witness) => witness,
        Err(WitnessError::Unavailable(Unavailable::Invariant(_))) if certified => return,
        Err(reason) => panic!("{name}: {reason}"),
    };
    let interpretation = preprocessed.interpretation(store, witness, budget).expect("the way back");
    let model = Model::of(&preprocessed.graph, &interpretation, system.predicates.len());
    assert_eq!(check_model(store, system, &model, budget), Validity::Valid, "{name}");
}

fn engines() -> Vec<(Box<dyn Engine>, bool)> {
    vec![
        (Box::new(Adaptor::new(Kind::default())), true),
        (Box::new(Adaptor::new(Imc::default())), true),
        (Box::new(Adaptor::new(PdKind::default())), true),
        (Box::new(Adaptor::new(Tpa::new(Default::default()))), true),
        (Box::new(Spacer::default()), false),
    ]
}

#[test]
fn an_invariant_of_others_helps_all_engines() {
    // The argument in between is of no use, and the passes leave it out.
    let equal: &[(&str, &str)] = &[("p", "(= x0 x1)"), ("q", "(= x0 x1)")];
    for (mut engine, transition) in engines() {
        let mut problem = problem(SAFE, transition);
        let (verdict, statistics, _) = run(&mut problem, &mut *engine, &[equal]);
        let name = engine.name();
        assert!(statistics.count("shared.invariants") > 0, "{name} has heard nothing: {statistics}");
        check_safe(&mut problem, name, verdict);
    }
    // Without it k-induction does not come to an end.
    let mut problem = problem(SAFE, true);
    let (verdict, _, _) = run(&mut problem, &mut Adaptor::new(Kind::default()), &[]);
    assert!(matches!(verdict, Outcome::Unknown(_)), "{verdict:?}");
}

#[test]
fn a_forged_invariant_changes_no_answer() {
    let forged: &[&[(&str, &str)]] = &[
        &[("p", "false"), ("q", "false")],
        &[("p", "(= x0 0)")],
        &[("q", "(= x0 (+ x1 1))"), ("p", "(<= x0 7)")],
        &[("nobody", "true")],
        &[("p", "(= x0 x5)")],
        &[("p", "(and x0 x1)")],
    ];
    // Falsehood follows after a few steps.
    let wrong = SAFE.replace("(> x 5)", "(> x 3)").replace("(> x 10) (not (= x y))", "(> x 9) (= x y)");
    for (mut engine, transition) in engines() {
        let mut problem = problem(&wrong, transition);
        let (verdict, _, _) = run(&mut problem, &mut *engine, forged);
        assert!(matches!(verdict, Outcome::Unsafe(_)), "{}: {verdict:?}", engine.name());
    }
}

#[test]
fn what_engines_tell_is_closed_under_the_clauses() {
    let mut problem = problem(SAFE, false);
    let (verdict, _, told) = run(&mut problem, &mut Spacer::default(), &[]);
    check_safe(&mut problem, "spacer", verdict);
    assert!(!told.is_empty(), "Spacer has found an invariant on its way");
    let Problem { store, preprocessed, translator, .. } = &mut problem;
    let graph = &preprocessed.graph;
    let mut clauses = clauses_of(store, graph);
    clauses.clauses.retain(|clause| clause.head.is_some());
    for definitions in &told {
        let found = translator.read(store, graph, definitions).expect("formulas");
        let definition = |vertex| Definition {
            parameters: graph.vertex(vertex).state().into(),
            body: found.get(vertex).unwrap_or(Term::TRUE),
        };
        let model = Model { definitions: graph.vertices().map(definition).collect() };
        assert_eq!(check_model(store, &clauses, &model, &mut Budget::unlimited()), Validity::Valid);
    }
}

/// A loop with two phases, whose bad states need several levels to be excluded.
const PHASES: &str = "(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 8)) (p x y))))
(assert (forall ((x Int) (y Int))
  (=> (and (p x y) (< x 16)) (p (+ x 1) (ite (>= x 8) (+ y 1) y)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (>= x 16) (not (= y 16))) false)))";

/// Transition power abstraction that hears these notes: how many conjuncts it took, and what it tells. Its certificate,
/// which says that every element contains what its own sequences compose to, is checked.
fn run_powers(kind: fn(TpaSettings) -> Tpa, heard: &[Note]) -> (u64, Vec<Note>) {
    let mut problem = problem(PHASES, false);
    let hub = Hub::new(2, 10_000);
    let other = hub.endpoint(1);
    for note in heard {
        other.send(note.clone(), Standing::Candidate);
    }
    let mut member = Member(HubPort::new(hub.endpoint(0), 0, Share::ALL));
    let mut context = Context {
        budget: Budget::unlimited(),
        seed: 0,
        witness: true,
        events: &mut member,
        statistics: Statistics::new(),
    };
    let mut engine = DagTpa::new(kind(Default::default()));
    let verdict = engine.solve(&mut problem.store, &problem.preprocessed.graph, &mut context);
    let taken = context.statistics.count("shared.elements");
    assert_eq!(member.0.counters().taken, taken);
    check_safe(&mut problem, engine.name(), verdict);
    (taken, other.receive(10_000).into_iter().map(|(note, _)| (*note).clone()).collect())
}

#[test]
fn elements_of_others_are_taken_after_a_check() {
    let (taken, told) = run_powers(Tpa::new, &[]);
    assert_eq!(taken, 0);
    // What holds of paths of at most so many steps holds of those of fewer and of exactly so many.
    for kind in [Tpa::new, Tpa::split] {
        let (taken, _) = run_powers(kind, &told);
        assert!(taken > 0, "{} of {} elements", taken, told.len());
    }
    let (_, split) = run_powers(Tpa::split, &[]);
    let (taken, _) = run_powers(Tpa::split, &split);
    assert!(taken > 0, "{} of {} elements", taken, split.len());
    // Elements that do not contain what the sequences compose to are not taken.
    let [Note { about, content: Content::Bounded(one), .. }, ..] = &told[..] else { panic!("an element") };
    let mut forged = Vec::new();
    for level in 1..6 {
        for text in ["false", "(= x0 y0)", "(<= y0 x0)", "(and (= x1 y1) (<= x0 y0))", "(<= y0 (+ x0 1))"] {
            let formula = Formula::new(text, FormulaLimits::LEMMA).expect("a formula");
            let content = Content::Bounded(Bounded { level, formula, ..one.clone() });
            forged.push(Note { sender: 1, about: *about, content });
        }
    }
    for kind in [Tpa::new, Tpa::split] {
        let (taken, _) = run_powers(kind, &forged);
        // Of fewer than two steps this is right; and then it is all that is.
        let right = if kind(Default::default()).is_split() { 1 } else { 0 };
        assert!(taken <= right, "{taken} forged elements were taken");
    }
}
