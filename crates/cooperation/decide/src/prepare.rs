//! Preparation: from a system as read to a graph for engines, or to a verdict.
//!
//! The system as read is kept, and witnesses are judged on it, so whatever goes wrong in the passes cannot give a
//! wrong witness.

use std::sync::Arc;
use std::time::Instant;

use shem_base::{Budget, Statistic, Statistics, StopToken};
use shem_chc::{Graph, Shape, System, normalise};
use shem_engine::{Outcome, Verdict as GraphVerdict};
use shem_term::Store;
pub use shem_transform::Passes;
use shem_transform::{Decision, PassObserver, Preprocessed};

/// Who is named where the passes have left nothing for an engine.
pub const PREPROCESSING: &str = "preprocessing";

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

/// Collects what passes count, and how long they take.
struct PassTimes {
    statistics: Statistics,
    since: Instant,
}

impl PassObserver for PassTimes {
    fn begins(&mut self, _: &'static str) {
        self.since = Instant::now();
    }

    fn ended(&mut self, pass: &'static str, counts: &Statistics) {
        let mut all = counts.clone();
        all.set("seconds", self.since.elapsed().as_secs_f64());
        self.statistics.merge_prefixed(pass, &all);
    }
}

/// Runs the passes.
pub fn preprocess(
    store: &mut Store,
    graph: Graph,
    passes: &Passes,
    stop: &StopToken,
    statistics: &mut Statistics,
) -> Preprocessed {
    let since = Instant::now();
    let mut times = PassTimes { statistics: Statistics::new(), since };
    let preprocessed = Preprocessed::new(store, graph);
    let preprocessed = passes.prepare(store, preprocessed, &mut times, &Budget::until(stop.clone()));
    let own = times.statistics;
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
