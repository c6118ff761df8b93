//! From engines for transition systems to engines for graphs.
//!
//! A graph with one vertex is a transition system; a linear graph with several becomes one by the
//! single-loop transformation. Witnesses go the way back only when somebody asks for them. What no engine is
//! needed for is decided here: edges from true to false, and graphs without vertices.

use shem_base::{Budget, Statistics, UnknownReason};
use shem_chc::{Derivation, EdgeId, Graph, Interpretation, Shape, TransitionSystem, VertexId};
use shem_smt::{Answer, Solver};
use shem_term::Store;
use shem_transform::{Pass, SingleLoop};

use crate::context::Context;
use crate::verdict::{Outcome, Proven, Verdict};
use crate::{Engine, TransitionEngine};

/// An engine for linear graphs made of one for transition systems.
#[derive(Clone, Debug, Default)]
pub struct Adaptor<E> {
    engine: E,
}

impl<E> Adaptor<E> {
    /// Adapts an engine.
    pub fn new(engine: E) -> Adaptor<E> {
        Adaptor { engine }
    }
}

impl<E: TransitionEngine> Engine for Adaptor<E> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn solve(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        let shape = Shape::of(graph);
        if shape == Shape::Nonlinear {
            return nonlinear(self.engine.name());
        }
        let mut graph = graph.clone();
        match take_direct(store, &mut graph, &mut context.budget) {
            Ok(Some(derivation)) => return Outcome::unsafe_by(derivation),
            Ok(None) => {}
            Err(reason) => return Outcome::unknown(reason),
        }
        let mut own = Statistics::new();
        let back = SingleLoop.apply(store, &mut graph, &mut own, &mut context.budget);
        context.statistics.merge_prefixed(SingleLoop.name(), &own);
        let Some((vertex, system)) = TransitionSystem::of(store, &mut graph) else {
            debug_assert_eq!(shape, Shape::Trivial);
            return Outcome::safe(Interpretation::new());
        };
        match self.engine.solve(store, &system, context) {
            Outcome::Unknown(reason) => Outcome::Unknown(reason),
            Outcome::Safe(Proven { witness, certificate }) => {
                let witness = witness.then(move |store, budget, invariant| {
                    let mut interpretation = Interpretation::new();
                    interpretation.insert(vertex, invariant);
                    match back {
                        None => Ok(interpretation),
                        Some(back) => back
                            .interpretation(store, &graph, interpretation, budget)
                            .map_err(|error| error.to_string()),
                    }
                });
                Outcome::Safe(Proven { witness, certificate })
            }
            Outcome::Unsafe(Proven { witness, certificate }) => {
                let witness = witness.then(move |store, budget, path| {
                    let derivation = TransitionSystem::derivation(store, &graph, vertex, &path, budget)
                        .map_err(|error| error.to_string())?;
                    match back {
                        None => Ok(derivation),
                        Some(back) => back
                            .derivation(store, &graph, derivation, budget)
                            .map_err(|error| error.to_string()),
                    }
                });
                Outcome::Unsafe(Proven { witness, certificate })
            }
        }
    }
}

/// The answer of an engine to a graph that is not linear.
pub(crate) fn nonlinear(engine: &str) -> Verdict {
    Outcome::Unknown(format!("the engine {engine} is for linear systems; some body has several predicates"))
}

/// Decides the edges from true to false and removes them: the derivation of falsehood by one of them, if
/// there is one.
pub(crate) fn take_direct(
    store: &mut Store,
    graph: &mut Graph,
    budget: &mut Budget,
) -> Result<Option<Derivation<EdgeId>>, UnknownReason> {
    let direct: Vec<EdgeId> =
        graph.incoming(VertexId::FALSE).filter(|&id| graph.edge(id).sources.is_empty()).collect();
    for id in direct {
        let edge = graph.remove_edge(id);
        let mut solver = Solver::new(Default::default());
        solver.assert(store, edge.label);
        match solver.check(store, budget) {
            Answer::Sat => {
                let mut derivation = Derivation::new();
                derivation.push(id, &[], []);
                return Ok(Some(derivation));
            }
            Answer::Unsat => {}
            Answer::Unknown(reason) => return Err(reason),
        }
    }
    Ok(None)
}
