//! Preparation: from a system as read to the graphs that engines see, or to a verdict.
//!
//! Engines want graphs prepared in different ways, which have their first passes in common. [`Prepared`] has the graph
//! after these, and makes the others out of it when they are asked for first; no pass runs twice on the same graph.
//! The system as read is kept, and witnesses are judged on it, so whatever goes wrong in the passes cannot give a wrong
//! witness.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use shem_base::{Budget, Statistic, Statistics, StopToken};
use shem_chc::{
    ClauseId, Derivation, EdgeId, Fingerprint, Graph, GraphText, Interpretation, Model, Shape, System,
    VertexId, clauses_of, normalise,
};
use shem_engine::{EngineChoice, Outcome, Verdict as GraphVerdict};
use shem_term::Store;
use shem_transform::{Decision, DisabledPasses, PassTimes, Passes, Preparation, Preprocessed};

use crate::options::{Engines, SolveOptions};

/// Who is named where the passes have left nothing for an engine.
pub const PREPROCESSING: &str = "preprocessing";

/// A system on its way to engines.
pub struct Prepared {
    /// The system as read.
    pub system: Arc<System>,
    disabled: DisabledPasses,
    as_read: Arc<Variant>,
    /// The graphs that were made so far; the first one is what the others that suit the problem are made of.
    variants: Vec<Arc<Variant>>,
    /// The shape of the graph as read.
    pub shape_read: Shape,
    /// Figures of the passes.
    pub statistics: Statistics,
}

/// The graph that some engines see.
pub struct Variant {
    /// How it was prepared.
    pub preparation: Preparation,
    /// The graph after the passes, and the way back.
    pub preprocessed: Arc<Preprocessed>,
    sent: OnceLock<Result<SentGraph, String>>,
    fingerprint: OnceLock<Fingerprint>,
}

/// A graph as it is sent to other processes.
pub struct SentGraph {
    /// The text.
    pub text: Arc<Vec<u8>>,
    /// The graph as clauses, of which messages speak.
    pub system: System,
    vertices: Vec<VertexId>,
    edges: Vec<EdgeId>,
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

impl Prepared {
    /// A system as it was read.
    pub fn read(store: &mut Store, system: &Arc<System>, disabled: &DisabledPasses) -> Prepared {
        log::debug!("preparing {} predicates, {} clauses", system.predicates.len(), system.clauses.len());
        let mut statistics = Statistics::new();
        let graph = read_graph(store, system, &mut statistics);
        let shape_read = Shape::of(&graph);
        let as_read = Variant::of(Preparation::default(), Preprocessed::new(store, graph));
        Prepared {
            system: Arc::clone(system),
            disabled: disabled.clone(),
            as_read: Arc::new(as_read),
            variants: Vec::new(),
            shape_read,
            statistics,
        }
    }

    /// The graph before any pass.
    pub fn as_read(&self) -> Arc<Variant> {
        Arc::clone(&self.as_read)
    }

    /// The graph prepared in this way.
    pub fn variant(&mut self, store: &mut Store, preparation: Preparation, stop: &StopToken) -> Arc<Variant> {
        if let Some(found) = self.variants.iter().find(|variant| variant.preparation == preparation) {
            return Arc::clone(found);
        }
        // What all engines with the same first stages have in common is made for itself.
        let first = first_of(preparation);
        if preparation != first {
            self.variant(store, first, stop);
        }
        let stages = preparation.stages();
        let is_beginning = |variant: &&Arc<Variant>| stages.starts_with(variant.preprocessed.stages());
        let made = self.variants.iter().chain([&self.as_read]).filter(is_beginning);
        let start = made.max_by_key(|variant| variant.preprocessed.stages().len());
        let start = (*start.unwrap_or(&self.as_read).preprocessed).clone();
        self.add(store, preparation, start, stop)
    }

    /// Runs the passes that are left, and keeps what comes out.
    fn add(
        &mut self,
        store: &mut Store,
        preparation: Preparation,
        start: Preprocessed,
        stop: &StopToken,
    ) -> Arc<Variant> {
        let since = Instant::now();
        let mut times = PassTimes::default();
        let passes = Passes { preparation, disabled: self.disabled.clone() };
        let preprocessed = passes.prepare(store, start, &mut times, &Budget::until(stop.clone()));
        let own = times.into_statistics();
        for (name, figure) in own.iter().filter(|(_, figure)| !matches!(figure, Statistic::Count(0))) {
            log::debug!("pass {name}: {figure}");
        }
        let graph = &preprocessed.graph;
        let (vertices, edges) = (graph.vertices().count(), graph.edge_count());
        log::debug!("prepared: {}, {vertices} vertices, {edges} edges", Shape::of(graph));
        let statistics = &mut self.statistics;
        statistics.merge_prefixed("preprocess", &own);
        statistics.set("preprocess.vertices", vertices as u64);
        statistics.set("preprocess.edges", edges as u64);
        let before = match statistics.get("time.preprocess") {
            Some(Statistic::Measure(seconds)) => seconds,
            _ => 0.0,
        };
        statistics.set("time.preprocess", before + since.elapsed().as_secs_f64());
        let variant = Arc::new(Variant::of(preparation, preprocessed));
        self.variants.push(Arc::clone(&variant));
        variant
    }

    /// The graph after the passes that all others have in common.
    pub fn base(&self) -> &Arc<Variant> {
        self.variants.first().unwrap_or(&self.as_read)
    }

    /// Whether an engine that is prepared for in this way sees graphs that are made of that one.
    pub(crate) fn is_made_of_base(&self, preparation: Preparation) -> bool {
        first_of(preparation) == self.base().preparation
    }

    /// The graph that messages of engines are about which see this one: that of bit-vectors, that of pure engines, or the
    /// one that all others are made of.
    pub fn common(&self, variant: &Variant) -> &Arc<Variant> {
        let first = first_of(variant.preparation);
        let is_apart = first.with_bits || first.pure;
        let apart = self.variants.iter().find(|other| is_apart && other.preparation == first);
        apart.unwrap_or_else(|| self.base())
    }
}

/// The preparation that has only those stages which a preparation has in common with others.
fn first_of(preparation: Preparation) -> Preparation {
    let Preparation { without_composition, with_bits, as_read, pure, .. } = preparation;
    Preparation { without_composition, with_bits, as_read, pure, ..Preparation::default() }
}

impl SolveOptions {
    /// An engine that does without the passes that are switched off where it prepares an abstraction itself.
    pub(crate) fn configured(&self, engine: &EngineChoice) -> EngineChoice {
        engine.clone().without_passes(&self.disabled_passes)
    }

    /// A system prepared for the engine, or for the strategy if there is none.
    pub fn prepared(&self, store: &mut Store, system: &Arc<System>, stop: &StopToken) -> Arc<Variant> {
        Prepared::read(store, system, &self.disabled_passes).variant(store, self.preparation(), stop)
    }

    /// How the graph is prepared: for the engine, if it is one alone. What is said of all engines holds of one that nobody
    /// has named, too.
    pub fn preparation(&self) -> Preparation {
        match self.engines {
            Engines::One => self.engine.preparation(),
            Engines::Strategy | Engines::Mix(_) => {
                Preparation { pure: self.engine.preparation().pure, ..Preparation::default() }
            }
        }
    }
}

impl Variant {
    /// A graph prepared in this way, from the beginning.
    pub(crate) fn prepared(
        store: &mut Store,
        graph: Graph,
        preparation: Preparation,
        disabled: &DisabledPasses,
        stop: &StopToken,
    ) -> Variant {
        let passes = Passes { preparation, disabled: disabled.clone() };
        let start = Preprocessed::new(store, graph);
        let budget = Budget::until(stop.clone());
        let preprocessed = passes.prepare(store, start, &mut PassTimes::default(), &budget);
        Variant::of(preparation, preprocessed)
    }

    fn of(preparation: Preparation, preprocessed: Preprocessed) -> Variant {
        let preprocessed = Arc::new(preprocessed);
        Variant { preparation, preprocessed, sent: OnceLock::new(), fingerprint: OnceLock::new() }
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.preprocessed.graph
    }

    /// What the passes have come to, if they have left nothing for an engine.
    pub fn decision(&self, store: &mut Store, stop: &StopToken) -> Option<GraphVerdict> {
        match self.preprocessed.decision(store, &Budget::until(stop.clone()))? {
            Decision::Safe(interpretation) => Some(Outcome::safe(interpretation)),
            Decision::Unsafe(derivation) => Some(Outcome::unsafe_by(derivation)),
            Decision::Unknown(reason) => Some(Outcome::unknown(reason)),
        }
    }

    /// The fingerprint of the graph.
    pub fn fingerprint(&self, store: &mut Store) -> Fingerprint {
        let make = || {
            let system = clauses_of(store, self.graph());
            Fingerprint::of_system(store, &system)
        };
        *self.fingerprint.get_or_init(make)
    }

    /// The graph as it is sent; the error says why it cannot be.
    pub fn sent(&self, store: &mut Store) -> Result<&SentGraph, String> {
        let write = || {
            let graph = self.graph();
            let GraphText { text, vertices, edges } =
                GraphText::new(store, graph).map_err(|error| error.to_string())?;
            let text = Arc::new(text.into_bytes());
            Ok(SentGraph { text, system: clauses_of(store, graph), vertices, edges })
        };
        self.sent.get_or_init(write).as_ref().map_err(Clone::clone)
    }

    /// The graph as it was sent, if it was.
    pub fn sent_before(&self) -> Option<&SentGraph> {
        self.sent.get()?.as_ref().ok()
    }
}

impl SentGraph {
    /// What a model of the clauses says of the vertices.
    pub fn interpretation(&self, store: &mut Store, graph: &Graph, model: &Model) -> Interpretation {
        let mut interpretation = Interpretation::new();
        for (&vertex, definition) in self.vertices.iter().zip(&model.definitions) {
            let state = graph.vertex(vertex).state();
            interpretation.insert(vertex, store.rename(definition.body, &definition.parameters, state));
        }
        interpretation
    }

    /// A derivation by the clauses as one by the edges.
    pub fn derivation(&self, derivation: Derivation<ClauseId>) -> Derivation<EdgeId> {
        derivation.map_rules(|clause| self.edges[clause.index()])
    }
}
