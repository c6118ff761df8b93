//! From engines for transition systems to engines for graphs.
//!
//! A graph with one vertex is a transition system; a linear graph with several becomes one by the
//! single-loop transformation. Witnesses are translated back on demand only. Graphs without vertices are decided here,
//! without an engine.

use std::collections::BTreeSet;

use shem_base::{Budget, Effort, Meter, Statistics};
use shem_chc::{Graph, Interpretation, Shape, TransitionSystem, VertexId};
use shem_check::Certificate;
use shem_check::certificate::{Encoding, LoopCertificate};
use shem_smt::Recorder;
use shem_term::{Store, Term};
use shem_transform::{After, Back, Pass, SingleLoop, Work, derivation_of, share_arguments};

use crate::closed::{closed_part, merge_candidates};
use crate::context::{Context, Events, Progress};
use crate::port::{Lemma, Port, Received};
use crate::reason::Unsupported;
use crate::scope::Scope;
use crate::theories::Theories;
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
    fn scope(&self) -> Scope {
        self.engine.scope()
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        let (given, shape) = (graph, Shape::of(graph));
        let mut graph = graph.clone();
        let mut own = Statistics::new();
        let back = SingleLoop.apply(Work::new(store, &mut graph, &mut own, &mut context.budget));
        context.statistics.merge_prefixed(SingleLoop.name(), &own);
        let Some((vertex, system)) = TransitionSystem::of(store, &mut graph) else {
            if shape != Shape::Trivial {
                // Vertices with arguments of declared sorts are not merged.
                return Outcome::unknown(Unsupported::Theory {
                    engine: self.name(),
                    theories: Theories::Arithmetic,
                });
            }
            return Outcome::safe(Interpretation::new());
        };
        let exchanges_invariants = context.events.port().is_some_and(|port| port.wants_invariants());
        let verdict = {
            let mut adaptor_events = AdaptorEvents {
                outer: &mut *context.events,
                given,
                graph: &graph,
                vertex,
                back: back.as_deref(),
                effort: context.budget.at_most(INVARIANT_EFFORT),
                published: Term::TRUE,
                known: BTreeSet::new(),
                exchanges_invariants,
            };
            let mut inner = Context {
                budget: context.budget.clone(),
                seed: context.seed,
                witness: context.witness,
                events: &mut adaptor_events,
                statistics: std::mem::take(&mut context.statistics),
            };
            let verdict = self.engine.solve(store, &system, &mut inner);
            let Context { budget, statistics, .. } = inner;
            context.budget = budget;
            context.statistics = statistics;
            verdict
        };
        match verdict {
            Outcome::Unknown(reason) => Outcome::Unknown(reason),
            Outcome::Safe(Proven { witness, certificate }) => {
                let certificate = certificate.map(|certificate| {
                    let encoding = back.is_some().then(|| encoding(given, &graph, vertex));
                    Certificate::Loop(Box::new(LoopCertificate { encoding, certificate }))
                });
                let witness = witness.then(move |store, budget, invariant| {
                    let mut interpretation = Interpretation::new();
                    interpretation.insert(vertex, invariant);
                    match back {
                        None => Ok(interpretation),
                        Some(back) => {
                            Ok(back.interpretation(After::new(store, &graph, budget), interpretation)?)
                        }
                    }
                });
                Outcome::Safe(Proven { witness, certificate })
            }
            Outcome::Unsafe(witness) => Outcome::Unsafe(witness.then(move |store, budget, path| {
                let derivation = derivation_of(After::new(store, &graph, budget), path)?;
                match back {
                    None => Ok(derivation),
                    Some(back) => Ok(back.derivation(After::new(store, &graph, budget), derivation)?),
                }
            })),
        }
    }
}

/// How the single-loop transformation has made the vertex of the transition system of all vertices of the graph.
pub(crate) fn encoding(given: &Graph, graph: &Graph, vertex: VertexId) -> Encoding {
    let vertices: Vec<VertexId> = given.vertices().collect();
    let (_, positions) = share_arguments(given, &vertices);
    let locations = vertices.len();
    let shifted = |own: Vec<usize>| own.into_iter().map(|position| locations + position).collect();
    Encoding {
        state: graph.vertex(vertex).state().to_vec(),
        next: graph.vertex(vertex).target().to_vec(),
        positions: vertices.into_iter().zip(positions.into_iter().map(shifted)).collect(),
    }
}

/// The effort of looking for the part of a formula that is an invariant.
const INVARIANT_EFFORT: Effort = Effort { conflicts: 5_000, pivots: 100_000, splits: 500 };

/// The events and the port of the adapted engine. Lemmas that count steps are passed on as they are; inductive
/// invariants are translated between the transition system and the given graph, and those received are checked.
struct AdaptorEvents<'a> {
    outer: &'a mut dyn Events,
    /// The graph as the adaptor got it, and as the engine sees it.
    given: &'a Graph,
    graph: &'a Graph,
    vertex: VertexId,
    back: Option<&'a dyn Back>,
    effort: Budget,
    /// The invariant that was published last.
    published: Term,
    /// The conjuncts of invariants that were received.
    known: BTreeSet<Term>,
    /// Whether invariants are exchanged.
    exchanges_invariants: bool,
}

impl AdaptorEvents<'_> {
    /// The part of a formula over the state that is inductive.
    fn inductive(&self, store: &mut Store, formula: Term) -> Option<Term> {
        let mut candidates = Interpretation::new();
        candidates.insert(self.vertex, formula);
        closed_part(store, self.graph, &candidates, &mut self.effort.clone()).ok()?.get(self.vertex)
    }
}

impl Events for AdaptorEvents<'_> {
    fn progress(&mut self, progress: Progress) {
        self.outer.progress(progress);
    }

    fn recorder(&mut self) -> Option<Recorder> {
        self.outer.recorder()
    }

    fn metered(&mut self, meter: &Meter) {
        self.outer.metered(meter);
    }

    fn port(&mut self) -> Option<&mut dyn Port> {
        self.outer.port()?;
        Some(self)
    }
}

impl Port for AdaptorEvents<'_> {
    fn enter(&mut self, store: &mut Store, system: &TransitionSystem) {
        if let Some(port) = self.outer.port() {
            port.enter(store, system);
        }
    }

    fn publish(&mut self, store: &Store, lemma: &Lemma) {
        if let Some(port) = self.outer.port() {
            port.publish(store, lemma);
        }
    }

    fn poll(&mut self, store: &mut Store) -> Vec<Received> {
        self.outer.port().map_or_else(Vec::new, |port| port.poll(store))
    }

    fn invariants(&mut self, store: &mut Store) -> Vec<Term> {
        let Some(port) = self.outer.port() else { return Vec::new() };
        let candidates = port.poll_invariants(store, self.given);
        let Some(candidates) = merge_candidates(store, self.given, candidates) else { return Vec::new() };
        let candidates = match self.back {
            Some(back) => back.forward(store, self.graph, candidates),
            None => candidates,
        };
        let formula = candidates.get(self.vertex).unwrap_or(Term::TRUE);
        let Some(formula) = self.inductive(store, formula) else { return Vec::new() };
        // Only new conjuncts are handed on; they are inductive together with the known ones.
        let mut new = store.conjuncts(formula);
        new.retain(|&part| self.known.insert(part));
        new
    }

    fn wants_invariants(&self) -> bool {
        self.exchanges_invariants
    }

    fn taken(&mut self, formulas: &[Term]) {
        if let Some(port) = self.outer.port() {
            port.taken(formulas);
        }
    }

    fn suggest(&mut self, store: &mut Store, formula: Term, _: &Budget) {
        let Some(formula) = self.inductive(store, formula) else { return };
        if self.published == formula {
            return;
        }
        let mut interpretation = Interpretation::new().without_queries();
        interpretation.insert(self.vertex, formula);
        let mut effort = self.effort.clone();
        if let Some(back) = self.back {
            match back.interpretation(After::new(store, self.graph, &mut effort), interpretation) {
                Ok(found) => interpretation = found,
                Err(_) => return,
            }
        }
        if let Some(port) = self.outer.port()
            && port.publish_invariant(store, self.given, interpretation, &mut effort)
        {
            self.published = formula;
        }
    }
}
