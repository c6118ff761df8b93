//! Preparation: from a system as read to a graph for engines, or to a verdict.
//!
//! The system as read is kept, and witnesses are judged on it, so whatever goes wrong in the passes cannot give a
//! wrong witness.

use std::sync::Arc;
use std::time::Instant;

use shem_base::{Budget, Effort, Statistic, Statistics, StopToken};
use shem_chc::{Graph, Shape, System, normalise};
use shem_engine::{Outcome, Preparation, Verdict as GraphVerdict};
use shem_term::Store;
use shem_transform::{Decision, DisabledPasses, Pipeline, Preprocessed};

/// The effort of preprocessing; it must not keep the engine from starting.
const PASS_EFFORT: Effort = Effort { conflicts: 100_000, pivots: 1_000_000, splits: 10_000 };

/// Who is named where the passes have left nothing for an engine.
pub const PREPROCESSING: &str = "preprocessing";

/// Which passes run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    /// What an engine needs beyond the passes that suit all.
    pub preparation: Preparation,
    /// Those that are switched off.
    pub disabled: DisabledPasses,
}

/// A system on its way to an engine.
pub struct Prepared {
    /// The graph after the passes, and the way back.
    pub preprocessed: Arc<Preprocessed>,
    /// The shape of the graph as read.
    pub shape_read: Shape,
    /// The shape of the graph after the passes.
    pub shape: Shape,
    /// Figures of the passes.
    pub statistics: Statistics,
}

/// The graph of a system, with its figures.
pub fn read_graph(store: &mut Store, system: &System, statistics: &mut Statistics) -> Graph {
    let since = Instant::now();
    let graph = normalise(store, system);
    statistics.set("time.normalise", since.elapsed().as_secs_f64());
    statistics.set("read.predicates", system.predicates.len() as u64);
    statistics.set("read.clauses", system.clauses.len() as u64);
    graph
}

/// Runs the passes.
pub fn preprocess(
    store: &mut Store,
    graph: Graph,
    Passes { preparation, disabled }: &Passes,
    stop: &StopToken,
    statistics: &mut Statistics,
) -> Preprocessed {
    let since = Instant::now();
    let mut budget = Budget::until(stop.clone()).at_most(PASS_EFFORT);
    let mut own = Statistics::new();
    let first = if preparation.without_composition {
        Pipeline::without_composition()
    } else {
        Pipeline::with_equalities()
    };
    let mut preprocessed = first.without(disabled).run(store, graph, &mut own, &mut budget);
    let more = [
        (!preparation.without_composition).then(Pipeline::with_invariants),
        preparation.for_transition_systems.then(Pipeline::for_transition_systems),
        preparation.without_nested_loops.then(Pipeline::without_nested_loops),
    ];
    for pipeline in more.into_iter().flatten() {
        preprocessed = preprocessed.then(&pipeline.without(disabled), store, &mut own, &mut budget);
    }
    for (name, figure) in own.iter().filter(|(_, figure)| !matches!(figure, Statistic::Count(0))) {
        log::debug!("pass {name}: {figure}");
    }
    statistics.merge_prefixed("preprocess", &own);
    statistics.set("preprocess.vertices", preprocessed.graph.vertices().count() as u64);
    statistics.set("preprocess.edges", preprocessed.graph.edge_count() as u64);
    statistics.set("time.preprocess", since.elapsed().as_secs_f64());
    preprocessed
}

/// Runs the passes on a system.
pub fn prepare(store: &mut Store, system: &System, passes: &Passes, stop: &StopToken) -> Prepared {
    log::debug!("preparing {} predicates, {} clauses", system.predicates.len(), system.clauses.len());
    let mut statistics = Statistics::new();
    let graph = read_graph(store, system, &mut statistics);
    let shape_read = Shape::of(&graph);
    let preprocessed = preprocess(store, graph, passes, stop, &mut statistics);
    let shape = Shape::of(&preprocessed.graph);
    let graph = &preprocessed.graph;
    log::debug!("prepared: {shape}, {} vertices, {} edges", graph.vertices().count(), graph.edge_count());
    Prepared { preprocessed: Arc::new(preprocessed), shape_read, shape, statistics }
}

impl Prepared {
    /// What the passes have come to, if they have left nothing for an engine.
    pub fn decision(&self, store: &mut Store, stop: &StopToken) -> Option<GraphVerdict> {
        match self.preprocessed.decision(store, &Budget::until(stop.clone()))? {
            Decision::Safe(interpretation) => Some(Outcome::safe(interpretation)),
            Decision::Unsafe(derivation) => Some(Outcome::unsafe_by(derivation)),
            Decision::Unknown(reason) => Some(Outcome::unknown(reason)),
        }
    }
}
