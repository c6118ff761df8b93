//! What all engines have to show: right answers and witnesses on random systems, progress, and an end when they
//! are stopped.

use shem_base::{Budget, Rng, Statistics, StopToken};
use shem_chc::{
    ClauseId, Derivation, Edge, EdgeId, Graph, Model, Shape, TransitionSystem, VertexId, normalise,
};
use shem_check::{Validity, check_derivation, check_model};
use shem_engine::{
    Context, Engine, Events, NoEvents, Outcome, Progress, Reason, TransitionEngine, Unsupported, Verdict,
    WitnessError,
};
use shem_term::{Store, Term};

use crate::encode::encoded;
use crate::oracle::Facts;
use crate::{system, transition, witness};

/// What an engine says, with its witness judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Safe, by an interpretation that holds.
    Safe,
    /// Unsafe, by a derivation that is one.
    Unsafe,
    /// Not decided.
    Unknown,
}

/// Runs an engine and judges its witness.
pub fn run(
    store: &mut Store,
    graph: &Graph,
    engine: &mut dyn Engine,
    budget: Budget,
) -> (Judged, Statistics) {
    let mut events = NoEvents;
    let statistics = Statistics::new();
    let mut context = Context { budget, seed: 0, witness: true, events: &mut events, statistics };
    let verdict = engine.solve(store, graph, &mut context);
    (judged(store, graph, verdict), context.statistics)
}

/// Judges the witness of a verdict.
pub fn judged(store: &mut Store, graph: &Graph, verdict: Verdict) -> Judged {
    let mut budget = Budget::unlimited();
    match verdict {
        Outcome::Safe(proven) => {
            if let Some(certificate) = &proven.certificate {
                certificate.check(store, graph, &mut budget).expect("a right certificate");
            }
            let interpretation = proven.witness.get(store, &mut budget).expect("a model");
            witness::interpretation(store, graph, &interpretation).expect("a model");
            Judged::Safe
        }
        Outcome::Unsafe(witness) => {
            let derivation = witness.get(store, &mut budget).expect("a derivation");
            witness::derivation(store, graph, &derivation).expect("a derivation");
            Judged::Unsafe
        }
        Outcome::Unknown(_) => Judged::Unknown,
    }
}

/// Engines with the names of their settings.
pub type Variants = Vec<(String, Box<dyn Engine>)>;

/// Lets engines decide random systems. The answer has to be that of listing all facts, and the witness is judged
/// on the graph and, as part of the system, by the checker of witnesses.
pub fn decide_random_systems(rounds: u64, takes: impl Fn(Shape) -> bool, variants: impl Fn() -> Variants) {
    decide_random(rounds, takes, variants, None);
}

/// The same with systems whose numbers are hidden in arrays and datatypes. An engine may leave some of them open, and
/// is stopped when it is deeper than this; returns for each variant how many it has decided with a witness, and how
/// many systems there were.
pub fn decide_encoded_systems(
    rounds: u64,
    takes: impl Fn(Shape) -> bool,
    variants: impl Fn() -> Variants,
    depth: u64,
) -> (Vec<u64>, u64) {
    decide_random(rounds, takes, variants, Some(depth))
}

/// Stops an engine that is deeper than it should be.
struct DepthLimit {
    limit: Option<u64>,
    stop: StopToken,
}

impl Events for DepthLimit {
    fn progress(&mut self, progress: Progress) {
        if self.limit.is_some_and(|limit| progress.depth > limit) {
            self.stop.stop();
        }
    }
}

/// Decides random systems; with a limit on the depth, encoded ones.
fn decide_random(
    rounds: u64,
    takes: impl Fn(Shape) -> bool,
    variants: impl Fn() -> Variants,
    limit: Option<u64>,
) -> (Vec<u64>, u64) {
    let mut answers = [0; 2];
    let mut decided = vec![0; variants().len()];
    // Without a witness there is nothing to judge but the answer.
    let is_gap = |error: &WitnessError| {
        limit.is_some() && matches!(error, WitnessError::Unknown(_) | WitnessError::Unavailable(_))
    };
    for seed in 0..crate::rounds(rounds) {
        let mut store = Store::new();
        let rng = &mut Rng::new(seed);
        let mut system = system::system(&mut store, rng);
        let mut graph = normalise(&mut store, &system);
        let is_unsafe = Facts::of(&mut store, &graph).is_unsafe();
        if limit.is_some() {
            system = encoded(&mut store, rng, &system);
            graph = normalise(&mut store, &system);
        }
        if !takes(Shape::of(&graph)) {
            continue;
        }
        answers[usize::from(is_unsafe)] += 1;
        for (variant, (name, mut engine)) in variants().into_iter().enumerate() {
            let at = format!("seed {seed}, {name}");
            let budget = Budget { conflicts: 200_000, ..Budget::unlimited() };
            let mut events = DepthLimit { limit, stop: budget.stop.clone() };
            let statistics = Statistics::new();
            let mut context = Context { budget, seed: 0, witness: true, events: &mut events, statistics };
            let budget = &mut Budget::unlimited();
            match engine.solve(&mut store, &graph, &mut context) {
                Outcome::Safe(proven) => {
                    assert!(!is_unsafe, "{at}: wrongly safe");
                    if let Some(certificate) = &proven.certificate {
                        let checked = certificate.check(&mut store, &graph, budget);
                        checked.unwrap_or_else(|e| panic!("{at}: {e}"));
                    }
                    let found = match proven.witness.get(&mut store, budget) {
                        Err(error) if is_gap(&error) => continue,
                        found => found.expect("an interpretation"),
                    };
                    witness::interpretation(&mut store, &graph, &found)
                        .unwrap_or_else(|e| panic!("{at}: {e}"));
                    let model = Model::of(&graph, &found, system.predicates.len());
                    let validity = check_model(&mut store, &system, &model, budget);
                    assert!(matches!(validity, Validity::Valid), "{at}: {validity:?}");
                }
                Outcome::Unsafe(witness) => {
                    assert!(is_unsafe, "{at}: wrongly unsafe");
                    let found: Derivation<EdgeId> = match witness.get(&mut store, budget) {
                        Err(error) if is_gap(&error) => continue,
                        found => found.expect("a derivation"),
                    };
                    witness::derivation(&mut store, &graph, &found).unwrap_or_else(|e| panic!("{at}: {e}"));
                    let derivation: Derivation<ClauseId> = found.map_rules(EdgeId::clause);
                    let validity = check_derivation(&mut store, &system, &derivation, budget);
                    assert!(matches!(validity, Validity::Valid), "{at}: {validity:?}");
                }
                Outcome::Unknown(Reason::Incomplete(_) | Reason::Limit(_)) if limit.is_some() => continue,
                Outcome::Unknown(reason) => panic!("{at}: {reason}"),
            }
            decided[variant] += 1;
        }
    }
    assert!(answers.iter().all(|&count| count > 8), "both answers occur: {answers:?}");
    (decided, answers.iter().sum())
}

/// Takes note of the depths that an engine reports.
#[derive(Debug, Default)]
pub struct Depths(pub Vec<u64>);

impl Events for Depths {
    fn progress(&mut self, progress: Progress) {
        self.0.push(progress.depth);
    }
}

/// What an engine says, and the depths and figures that it reports.
pub fn watch(store: &mut Store, graph: &Graph, engine: &mut dyn Engine) -> (Verdict, Vec<u64>, Statistics) {
    let mut events = Depths::default();
    let (budget, statistics) = (Budget::unlimited(), Statistics::new());
    let mut context = Context { budget, seed: 0, witness: true, events: &mut events, statistics };
    let verdict = engine.solve(store, graph, &mut context);
    let statistics = context.statistics;
    (verdict, events.0, statistics)
}

/// An engine that is stopped, or that may do almost nothing, gives up on a graph.
pub fn ends_when_stopped<E: Engine + Default>(store: &mut Store, graph: &Graph) {
    let stopped = Budget::unlimited();
    stopped.stop.stop();
    for budget in [stopped, Budget { pivots: 3, ..Budget::unlimited() }] {
        let (judged, _) = run(store, graph, &mut E::default(), budget);
        assert_eq!(judged, Judged::Unknown);
    }
}

/// An engine for linear graphs says at once that it is not for others.
pub fn refuses_nonlinear_graphs(engine: &mut dyn Engine) {
    let mut store = Store::new();
    let mut graph = Graph::new();
    let p = graph.add_vertex(&mut store, "p", &[]);
    graph.add_edge(&mut store, Edge { sources: vec![], target: p, label: Term::TRUE });
    graph.add_edge(&mut store, Edge { sources: vec![p, p], target: VertexId::FALSE, label: Term::TRUE });
    match watch(&mut store, &graph, engine).0 {
        Outcome::Unknown(reason) => {
            assert_eq!(reason, Unsupported::Nonlinear { engine: engine.name() }.into());
        }
        other => panic!("{other:?}"),
    }
}

/// What an engine on transition systems has found out.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Safe, with a certificate that was accepted or an invariant that was, if one could be built.
    Safe {
        /// Whether there is an invariant.
        invariant: bool,
    },
    /// Unsafe, by a path that was accepted.
    Unsafe {
        /// Its length.
        steps: usize,
    },
    /// Unknown, and why.
    Unknown(Reason),
}

/// Runs an engine on a transition system and judges what it says. Building the invariant has a limit.
pub fn run_transition(
    store: &mut Store,
    system: &TransitionSystem,
    engine: &mut dyn TransitionEngine,
    budget: Budget,
) -> (Found, Statistics) {
    let name = engine.scope().name;
    let mut context =
        Context { budget, seed: 1, witness: true, events: &mut NoEvents, statistics: Statistics::new() };
    let found = match engine.solve(store, system, &mut context) {
        Outcome::Unknown(reason) => Found::Unknown(reason),
        Outcome::Unsafe(witness) => {
            let path = witness.get(store, &mut Budget::unlimited()).expect("a path").into_states(store);
            transition::judge_path(store, system, &path);
            Found::Unsafe { steps: path.len() - 1 }
        }
        Outcome::Safe(proven) => {
            let certified = proven.certificate.is_some();
            if let Some(certificate) = proven.certificate {
                certificate
                    .check(store, system, &mut Budget::unlimited())
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
            }
            let mut budget = Budget { conflicts: 2_000, pivots: 20_000, ..Budget::unlimited() };
            let invariant = proven.witness.get(store, &mut budget);
            match &invariant {
                Ok(invariant) => transition::judge_invariant(store, system, *invariant),
                Err(error) => assert!(certified, "{name}: {error}"),
            }
            Found::Safe { invariant: invariant.is_ok() }
        }
    };
    (found, context.statistics)
}
