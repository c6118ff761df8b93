//! A graph on its way through passes, and the ways back.
//!
//! Ways back are shared among clones: where several preparations begin with the same passes, these run once, and each
//! preparation goes on with a clone.

use std::sync::Arc;

use shem_base::{Budget, Effort, Statistics, UnknownReason, work_done};
use shem_chc::{Derivation, EdgeId, Graph, Interpretation, VertexId};
use shem_smt::Status;
use shem_term::{Store, Term};

use crate::catalogue::DisabledPasses;
use crate::direct::Direct;
use crate::eliminate_quantifiers::{QUANTIFIED, has_quantifiers};
use crate::pass::{After, Back, PassObserver, Returned, Work};
use crate::pipeline::Pipeline;
use crate::prepare::{PASS_EFFORT, Stage};

/// A graph with more edges is gone through once.
const LARGE: usize = 4_000;

/// After so much work, in units of [`shem_base::add_work`], no other round of a pipeline begins. Where terms are made,
/// it is some seconds.
const MOST_WORK_BEFORE_A_ROUND: u64 = 20_000_000;

/// The outcome of passes: the graph and the ways back.
#[derive(Clone)]
pub struct Preprocessed {
    /// The graph after all passes.
    pub graph: Graph,
    backs: Vec<Arc<dyn Back>>,
    /// Whether a label has quantifiers.
    quantified: bool,
    /// The stages of preparation that the graph has been through.
    stages: Vec<Stage>,
    /// What is left of the effort of preparation.
    effort: Effort,
}

/// What passes have decided, with the witness for the graph after them.
#[derive(Clone, Debug)]
pub enum Decision {
    /// No edge leads to false.
    Safe(Interpretation),
    /// An edge leads from true to false, and its label has a solution.
    Unsafe(Derivation<EdgeId>),
    /// No engine can decide what is left, for this reason.
    Unknown(UnknownReason),
}

/// What changes if a pass changes anything.
fn snapshot(graph: &Graph) -> (Vec<VertexId>, Vec<(EdgeId, Term)>) {
    (graph.vertices().collect(), graph.edges().map(|(id, edge)| (id, edge.label)).collect())
}

impl Preprocessed {
    /// A graph before any pass.
    pub fn new(store: &Store, graph: Graph) -> Preprocessed {
        let quantified = has_quantifiers(store, &graph);
        Preprocessed { graph, backs: Vec::new(), quantified, stages: Vec::new(), effort: PASS_EFFORT }
    }

    /// The outcome of another pipeline after this one.
    pub fn then(
        mut self,
        pipeline: &Pipeline,
        store: &mut Store,
        observer: &mut dyn PassObserver,
        budget: &mut Budget,
    ) -> Preprocessed {
        let start = work_done();
        for round in 0..pipeline.rounds() {
            let before = snapshot(&self.graph);
            for pass in pipeline.passes() {
                let description = pass.description();
                if round > 0 && description.is_for_first_round {
                    continue;
                }
                if budget.check_stop().is_err() {
                    return self;
                }
                if self.quantified && !description.accepts_quantifiers {
                    continue;
                }
                observer.begins(description.name);
                let mut own = Statistics::new();
                let back = pass.apply(Work::new(store, &mut self.graph, &mut own, budget));
                self.backs.extend(back.map(Arc::from));
                observer.ended(description.name, &own);
                if self.quantified {
                    self.quantified = has_quantifiers(store, &self.graph);
                }
            }
            let is_large =
                self.graph.edge_count() > LARGE || work_done().wrapping_sub(start) > MOST_WORK_BEFORE_A_ROUND;
            if is_large || snapshot(&self.graph) == before {
                break;
            }
        }
        self
    }

    /// The outcome of a stage of preparation after this one. It costs at most what is left of the effort of all stages.
    pub fn through(
        mut self,
        stage: Stage,
        disabled: &DisabledPasses,
        store: &mut Store,
        observer: &mut dyn PassObserver,
        budget: &Budget,
    ) -> Preprocessed {
        let mut budget = budget.at_most(self.effort);
        self = self.then(&stage.pipeline().without(disabled), store, observer, &mut budget);
        self.effort = Effort { conflicts: budget.conflicts, pivots: budget.pivots, splits: budget.splits };
        self.stages.push(stage);
        self
    }

    /// The stages of preparation that the graph has been through.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// What the passes have decided, if the graph that is left needs no engine. The witness is one for the
    /// graph after the passes, like that of an engine.
    pub fn decision(&self, store: &mut Store, budget: &Budget) -> Option<Decision> {
        let graph = &self.graph;
        if graph.incoming(VertexId::FALSE).len() == 0 {
            let mut interpretation = Interpretation::new();
            for vertex in graph.vertices() {
                interpretation.insert(vertex, Term::TRUE);
            }
            return Some(Decision::Safe(interpretation));
        }
        if self.quantified {
            return Some(Decision::Unknown(budget.check_stop().err().unwrap_or(QUANTIFIED)));
        }
        // The same effort as the pass that looks at such edges, so that what it found is found again.
        let direct = Direct::default();
        for id in graph.incoming(VertexId::FALSE) {
            let edge = graph.edge(id);
            if edge.sources.is_empty() && direct.ask(store, edge.label, budget) == Status::Sat {
                let mut derivation = Derivation::new();
                derivation.push(id, &[], []);
                return Some(Decision::Unsafe(derivation));
            }
        }
        None
    }

    /// The interpretation of the vertices before the pipeline.
    pub fn interpretation(
        &self,
        store: &mut Store,
        mut interpretation: Interpretation,
        budget: &mut Budget,
    ) -> Returned<Interpretation> {
        for back in self.backs.iter().rev() {
            interpretation = back.interpretation(After::new(store, &self.graph, budget), interpretation)?;
        }
        Ok(interpretation)
    }

    /// Candidates for an invariant of the graph before the pipeline, made of an invariant of the graph after it, with
    /// what the passes have found.
    pub fn candidates_before(
        &self,
        store: &mut Store,
        mut invariant: Interpretation,
        budget: &mut Budget,
    ) -> Returned<Interpretation> {
        for back in self.backs.iter().rev() {
            invariant = back.backward(After::new(store, &self.graph, budget), invariant)?;
        }
        Ok(invariant)
    }

    /// The other direction: candidates for an invariant of the graph after the pipeline.
    pub fn candidates_after(&self, store: &mut Store, mut invariant: Interpretation) -> Interpretation {
        for back in &self.backs {
            invariant = back.forward(store, &self.graph, invariant);
        }
        invariant
    }

    /// The derivation by the edges before the pipeline.
    pub fn derivation(
        &self,
        store: &mut Store,
        mut derivation: Derivation<EdgeId>,
        budget: &mut Budget,
    ) -> Returned<Derivation<EdgeId>> {
        for back in self.backs.iter().rev() {
            derivation = back.derivation(After::new(store, &self.graph, budget), derivation)?;
        }
        Ok(derivation)
    }
}
