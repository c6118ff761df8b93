//! Lists of passes.
//!
//! Quantifiers are eliminated before anything else looks at a label; if some are left, no other pass is applied. The
//! standard order then flattens records, begins with what is cheap and makes graphs small, and ends with what changes
//! labels most. What takes arguments away by what all labels say of them comes together: slicing, collapsing, free
//! arguments, arrays at few places. It needs equations as conjuncts, so it comes before edges are merged.
//! Chains go before anything else is looked at twice; constants and intervals are propagated, and arguments
//! sliced, while labels are still conjunctions; parallel edges are merged last, which lets further vertices be
//! contracted in the next round. The rounds end when nothing changes; of large graphs there is only one.

use std::sync::Arc;

use shem_base::{Budget, Statistics, UnknownReason};
use shem_chc::{Derivation, EdgeId, Graph, Interpretation, VertexId};
use shem_smt::Status;
use shem_term::{Store, Term};

use crate::abstract_products::AbstractProducts;
use crate::catalogue::DisabledPasses;
use crate::collapse::Collapse;
use crate::contract::Contract;
use crate::direct::Direct;
use crate::eliminate_quantifiers::{EliminateQuantifiers, QUANTIFIED, has_quantifiers};
use crate::few_values::FewValues;
use crate::flatten::Flatten;
use crate::free::Free;
use crate::infeasible::Infeasible;
use crate::inline::Inline;
use crate::interval::Propagate;
use crate::invariant::Invariants;
use crate::locations::Locations;
use crate::nested_loop::NestedLoop;
use crate::parallel::MergeParallel;
use crate::pass::{Back, BackError, Pass};
use crate::reachable::Reachable;
use crate::scalars::Scalars;
use crate::simplify::Simplify;
use crate::slice::Slice;
use crate::subsume::Subsume;

/// A graph with more edges is gone through once.
const LARGE: usize = 4_000;

/// A list of passes, applied in order, perhaps several times.
#[derive(Default)]
pub struct Pipeline {
    passes: Vec<Box<dyn Pass>>,
    /// How often the list is applied, at most; it ends when nothing has changed.
    rounds: usize,
}

/// The outcome of a pipeline: the graph and the ways back. A copy shares the ways back, so that one outcome can be
/// continued by several pipelines.
#[derive(Clone)]
pub struct Preprocessed {
    /// The graph after all passes.
    pub graph: Graph,
    backs: Vec<Arc<dyn Back>>,
    /// Whether a label has quantifiers.
    quantified: bool,
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

impl Pipeline {
    /// A pipeline of these passes, applied once.
    pub fn new(passes: Vec<Box<dyn Pass>>) -> Pipeline {
        Pipeline::repeated(passes, 1)
    }

    /// A pipeline of these passes, applied until nothing changes, at most so many times.
    pub fn repeated(passes: Vec<Box<dyn Pass>>, rounds: usize) -> Pipeline {
        Pipeline { passes, rounds }
    }

    /// The passes that suit every engine.
    pub fn standard() -> Pipeline {
        let passes: Vec<Box<dyn Pass>> = vec![
            Box::new(EliminateQuantifiers::default()),
            Box::new(Flatten),
            Box::new(AbstractProducts),
            Box::new(FewValues),
            Box::new(Simplify::default()),
            Box::new(Reachable),
            Box::new(Propagate::default()),
            Box::new(Locations::default()),
            Box::new(Slice),
            Box::new(Collapse),
            Box::new(Free),
            Box::new(Scalars),
            Box::new(Contract::chains()),
            Box::new(Infeasible::default()),
            Box::new(Reachable),
            Box::new(Subsume::default()),
            Box::new(Contract::default()),
            Box::new(Inline::default()),
            Box::new(Reachable),
            Box::new(MergeParallel),
            Box::new(Direct::default()),
            Box::new(Reachable),
        ];
        Pipeline::repeated(passes, 4)
    }

    /// The standard passes, with equalities in the first round: before arguments are sliced and predicates composed.
    pub fn with_equalities() -> Pipeline {
        let mut pipeline = Pipeline::standard();
        let slice = pipeline.passes.iter().position(|pass| pass.name() == Slice.name());
        pipeline.passes.insert(slice.unwrap_or(0), Box::new(Invariants::early()));
        pipeline
    }

    /// The passes whose way back takes interpretations with quantifiers or sizes: no predicate is composed away.
    pub fn without_composition() -> Pipeline {
        let passes: Vec<Box<dyn Pass>> = vec![
            Box::new(EliminateQuantifiers::default()),
            Box::new(Flatten),
            Box::new(Simplify::default()),
            Box::new(Reachable),
            Box::new(Propagate::default()),
            Box::new(Slice),
            Box::new(Infeasible::default()),
            Box::new(Reachable),
            Box::new(Subsume::default()),
        ];
        Pipeline::repeated(passes, 4)
    }

    /// What comes after the standard passes, once: invariants of few vertices with large labels, and what they make
    /// superfluous.
    pub fn with_invariants() -> Pipeline {
        let passes: Vec<Box<dyn Pass>> =
            vec![Box::new(Invariants::default()), Box::new(Slice), Box::new(Reachable)];
        Pipeline::new(passes)
    }

    /// What comes after the standard passes for engines that see transition systems: fewer vertices, at the
    /// price of larger labels.
    pub fn for_transition_systems() -> Pipeline {
        let passes: Vec<Box<dyn Pass>> = vec![
            Box::new(Contract { hyperedges: false, ..Contract::eager() }),
            Box::new(Infeasible::default()),
            Box::new(Reachable),
            Box::new(MergeParallel),
            Box::new(Simplify::default()),
            Box::new(Direct::default()),
            Box::new(Reachable),
        ];
        Pipeline::repeated(passes, 3)
    }

    /// What removes nested loops, for engines that are asked to do without them.
    pub fn without_nested_loops() -> Pipeline {
        Pipeline::new(vec![Box::new(NestedLoop)])
    }

    /// The same pipeline without the passes that are switched off.
    pub fn without(mut self, disabled: &DisabledPasses) -> Pipeline {
        self.passes.retain(|pass| !disabled.contains(pass.name()));
        self
    }

    /// The passes, in order.
    pub fn passes(&self) -> impl Iterator<Item = &dyn Pass> {
        self.passes.iter().map(|pass| &**pass)
    }

    /// Runs the passes; each counts under its name.
    pub fn run(
        &self,
        store: &mut Store,
        graph: Graph,
        statistics: &mut Statistics,
        budget: &mut Budget,
    ) -> Preprocessed {
        let quantified = has_quantifiers(store, &graph);
        Preprocessed { graph, backs: Vec::new(), quantified }.then(self, store, statistics, budget)
    }
}

/// What changes if a pass changes anything.
fn snapshot(graph: &Graph) -> (Vec<VertexId>, Vec<(EdgeId, Term)>) {
    (graph.vertices().collect(), graph.edges().map(|(id, edge)| (id, edge.label)).collect())
}

impl Preprocessed {
    /// The outcome of another pipeline after this one.
    pub fn then(
        mut self,
        pipeline: &Pipeline,
        store: &mut Store,
        statistics: &mut Statistics,
        budget: &mut Budget,
    ) -> Preprocessed {
        for round in 0..pipeline.rounds {
            let before = snapshot(&self.graph);
            for pass in &pipeline.passes {
                if round > 0 && pass.is_for_first_round() {
                    continue;
                }
                if budget.check_stop().is_err() {
                    return self;
                }
                if self.quantified && !pass.accepts_quantifiers() {
                    continue;
                }
                let mut own = Statistics::new();
                self.backs.extend(pass.apply(store, &mut self.graph, &mut own, budget).map(Arc::from));
                statistics.merge_prefixed(pass.name(), &own);
                if self.quantified {
                    self.quantified = has_quantifiers(store, &self.graph);
                }
            }
            if self.graph.edge_count() > LARGE || snapshot(&self.graph) == before {
                break;
            }
        }
        self
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
    ) -> Result<Interpretation, BackError> {
        for back in self.backs.iter().rev() {
            interpretation = back.interpretation(store, &self.graph, interpretation, budget)?;
        }
        Ok(interpretation)
    }

    /// The other direction: what holds of all facts before the pipeline, as candidates for the vertices after it.
    pub fn forward(&self, store: &mut Store, mut interpretation: Interpretation) -> Interpretation {
        for back in &self.backs {
            interpretation = back.forward(store, &self.graph, interpretation);
        }
        interpretation
    }

    /// The derivation by the edges before the pipeline.
    pub fn derivation(
        &self,
        store: &mut Store,
        mut derivation: Derivation<EdgeId>,
        budget: &mut Budget,
    ) -> Result<Derivation<EdgeId>, BackError> {
        for back in self.backs.iter().rev() {
            derivation = back.derivation(store, &self.graph, derivation, budget)?;
        }
        Ok(derivation)
    }
}
