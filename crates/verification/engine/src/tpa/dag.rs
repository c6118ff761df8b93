//! The engines on graphs whose only cycles are loops at a vertex.
//!
//! Every vertex has the sequences of its own loop, which are kept from one query to the next: they do not depend on
//! where a query starts or ends. Reached states are propagated forward: a query at a vertex asks for a path, by its
//! loop, from states at which the vertex is entered to states at which some edge leaves it for states that are not
//! known to be safe. If there is one, the search goes on at the target of that edge. If a transition invariant shows
//! that there is none, safe states are propagated backward: the entering ones, and as many more as can be shown
//! safe ([`widen`](super::widen)).
//!
//! Thesis of Blicha (2023), section 5.5.5, which has chains of loops only; on a DAG a vertex has several exits at
//! once. The graph is safe when every fact enters safe states: the [safe sets](SafeSet) of the vertices are the
//! certificate. When a query reaches falsehood, the visits so far give the counterexample. Searches go forward here,
//! whatever the setting.

use shem_base::UnknownReason;
use shem_chc::{Edge, EdgeId, Graph, Shape, TransitionSystem, VertexId};
use shem_smt::project::Projector;
use shem_term::{Store, Term};

use super::dag_witness::{PathToFalse, Visit, certificate, interpretation};
use super::engine::{End, Tpa, report, report_fixpoints, report_transition_invariant, search};
use super::fixpoint::Fixpoints;
use super::invariant::ClosedPowers;
use super::reach::{Powers, with_constants};
use super::settings::{Direction, TpaSettings};
use super::share::ElementExchange;
use super::stuttering::DividedTransition;
use super::summaries;
use super::trace::Reached;
use super::transition_invariant::{Endpoints, TransitionInvariant, solve};
use super::widen::{Widened, widen};
use crate::scope::Scope;
use crate::strengthen::PendingInvariants;
use crate::{Adaptor, Context, Engine, Outcome, Proven, Reason, TransitionEngine, Verdict, WitnessSource};

/// `tpa` and `split-tpa` on graphs: directly on DAGs of loops, by summaries on nonlinear graphs, and by one loop on all
/// other linear graphs.
#[derive(Clone, Debug)]
pub struct DagTpa {
    engine: Tpa,
}

impl DagTpa {
    /// The engine on graphs.
    pub fn new(engine: Tpa) -> DagTpa {
        DagTpa { engine }
    }
}

/// States of a vertex that are safe to enter it with, and why.
pub(super) struct KnownSafe {
    pub vertex: VertexId,
    /// About the loop of the vertex, from these states to the exits that were not known to be safe then.
    pub powers: ClosedPowers,
    pub without_stuttering: bool,
}

/// The sequences of a vertex's loop, and the states known to be safe.
struct VertexRecord {
    powers: Powers,
    transition: DividedTransition,
    /// States, over the state variables, with which falsehood cannot be derived.
    safe: Vec<Term>,
    /// The exchange of elements about the loop.
    exchange: ElementExchange,
}

impl Engine for DagTpa {
    fn scope(&self) -> Scope {
        self.engine.scope()
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        let shape = Shape::of(graph);
        if shape == Shape::Nonlinear {
            return summaries::decide(store, graph, &self.engine, context);
        }
        if shape != Shape::Dag || self.engine.settings.force_ts {
            return Adaptor::new(self.engine.clone()).search(store, graph, context);
        }
        let graph = graph.clone();
        let mut dag_search = match DagSearch::new(store, &graph, &self.engine, context) {
            Ok(dag_search) => dag_search,
            Err(reason) => return Outcome::unknown(reason),
        };
        let end = dag_search.run(store, context);
        for record in dag_search.records.iter().flatten() {
            report(&record.powers, context);
        }
        let safe_sets = dag_search.safe_sets;
        match end {
            Err(reason) => Outcome::unknown(reason),
            Ok(None) => {
                let certificate = Some(certificate(&safe_sets));
                let recipe = Box::new(move |store: &mut Store, budget: &mut _| {
                    interpretation(&graph, &safe_sets, store, budget)
                });
                Outcome::Safe(Proven { witness: WitnessSource::Deferred(recipe), certificate })
            }
            Ok(Some(path)) => {
                let recipe =
                    Box::new(move |store: &mut Store, budget: &mut _| path.derivation(&graph, store, budget));
                Outcome::Unsafe(WitnessSource::Deferred(recipe))
            }
        }
    }
}

/// The state of a search on a DAG of loops.
struct DagSearch<'a> {
    graph: &'a Graph,
    split: bool,
    /// By index of vertex.
    records: Vec<Option<VertexRecord>>,
    safe_sets: Vec<KnownSafe>,
    projector: Projector,
}

/// A vertex that is being visited: where the search came from.
struct OpenVisit {
    vertex: VertexId,
    /// The edge by which it was entered.
    entry: EdgeId,
    /// The states with which it was entered.
    entered: Term,
}

impl<'a> DagSearch<'a> {
    fn new(
        store: &mut Store,
        graph: &'a Graph,
        engine: &Tpa,
        context: &mut Context<'_>,
    ) -> Result<DagSearch<'a>, UnknownReason> {
        let settings = TpaSettings { direction: Direction::Forward, ..engine.settings.clone() };
        let mut records: Vec<Option<VertexRecord>> = Vec::new();
        records.resize_with(graph.vertex_bound(), || None);
        for vertex in graph.vertices() {
            let loops: Vec<Term> = graph
                .incoming(vertex)
                .map(|id| graph.edge(id))
                .filter(|edge| edge.is_loop())
                .map(|edge| edge.label)
                .collect();
            let transition = store.or(&loops);
            let (state, next) = (graph.vertex(vertex).state(), graph.vertex(vertex).target());
            let keep = settings.stuttering;
            let transition =
                DividedTransition::of(store, state, next, transition, keep, &mut context.budget)?;
            let powers = Powers::new(store, state, next, transition.moving, &settings, context.seed);
            records[vertex.index()] = Some(VertexRecord {
                powers,
                transition,
                safe: Vec::new(),
                exchange: ElementExchange::default(),
            });
        }
        let projector = Projector::new();
        Ok(DagSearch { graph, split: engine.is_split(), records, safe_sets: Vec::new(), projector })
    }

    fn record(&mut self, vertex: VertexId) -> &mut VertexRecord {
        self.records[vertex.index()].as_mut().expect("a live vertex has a record")
    }

    /// A path to falsehood; `None` if there is none.
    fn run(&mut self, store: &mut Store, context: &mut Context<'_>) -> Result<Option<PathToFalse>, Reason> {
        let facts: Vec<EdgeId> = self
            .graph
            .edges()
            .filter(|(_, edge)| edge.sources.is_empty() && edge.target != VertexId::FALSE)
            .map(|(id, _)| id)
            .collect();
        for fact in facts {
            while let Some(entered) = self.enter(store, fact, Term::TRUE, context)? {
                let vertex = self.graph.edge(fact).target;
                let visit = OpenVisit { vertex, entry: fact, entered };
                if let Some(path) = self.visit(store, visit, context)? {
                    return Ok(Some(path));
                }
            }
        }
        Ok(None)
    }

    /// Follows reached states from a visit until falsehood is reached or the states of the visit are safe.
    fn visit(
        &mut self,
        store: &mut Store,
        first: OpenVisit,
        context: &mut Context<'_>,
    ) -> Result<Option<PathToFalse>, Reason> {
        let mut open_visits = vec![first];
        let mut visits: Vec<(VertexId, EdgeId, Reached)> = Vec::new();
        while let Some(visit) = open_visits.last() {
            let (vertex, entry, entered) = (visit.vertex, visit.entry, visit.entered);
            context.budget.check_stop()?;
            let bad = self.unsafe_exits(store, vertex);
            let ends = Endpoints { initial: entered, bad };
            let split = self.split;
            let mut fixpoints = Fixpoints::default();
            let record = self.record(vertex);
            let VertexRecord { powers, exchange, .. } = record;
            let mut pending = PendingInvariants::default();
            let end = search(split, store, ends, powers, &mut fixpoints, &mut pending, exchange, context);
            context.statistics.add("visits", 1);
            report_fixpoints(&fixpoints, context);
            match end? {
                // Invariants of graphs are not received here; otherwise the visit would be repeated.
                End::Restart => {}
                End::Closed(transition_invariant) => {
                    self.learn_safe(store, vertex, ends, transition_invariant, context);
                    open_visits.pop();
                    visits.pop();
                }
                End::Reached(reached) => {
                    let out: Vec<EdgeId> =
                        self.graph.outgoing(vertex).filter(|&id| !self.graph.edge(id).is_loop()).collect();
                    let mut next = None;
                    for id in out {
                        if let Some(entered) = self.enter(store, id, reached.states, context)? {
                            next = Some((id, entered));
                            break;
                        }
                    }
                    let lost = "states were reached from which no edge goes on";
                    let (id, entered) = next.ok_or(Reason::broken(lost))?;
                    visits.push((vertex, entry, reached));
                    let target = self.graph.edge(id).target;
                    if target == VertexId::FALSE {
                        return Ok(Some(self.path_to_false(visits, id)));
                    }
                    open_visits.push(OpenVisit { vertex: target, entry: id, entered });
                }
            }
        }
        Ok(None)
    }

    /// The path to falsehood by these visits and this edge.
    fn path_to_false(&mut self, visits: Vec<(VertexId, EdgeId, Reached)>, exit: EdgeId) -> PathToFalse {
        let visit = |(vertex, entry, reached)| Visit::of(vertex, entry, &self.record(vertex).powers, reached);
        PathToFalse { visits: visits.into_iter().map(visit).collect(), exit }
    }

    /// States, not known to be safe, with which an edge enters its target from these states; for falsehood,
    /// truth if the edge can be taken.
    fn enter(
        &mut self,
        store: &mut Store,
        id: EdgeId,
        from: Term,
        context: &mut Context<'_>,
    ) -> Result<Option<Term>, UnknownReason> {
        let edge = self.graph.edge(id);
        let unsafe_target = self.unsafe_entry(store, edge);
        let formulas = [from, edge.label, unsafe_target];
        let Some(model) = solve(store, &formulas, &mut context.budget)? else { return Ok(None) };
        if edge.target == VertexId::FALSE {
            return Ok(Some(Term::TRUE));
        }
        let target = self.graph.vertex(edge.target);
        // All that a fact allows is taken at once if nothing has to be projected away.
        let cube = if edge.sources.is_empty() && self.graph.auxiliaries(store, edge).is_empty() {
            vec![edge.label]
        } else {
            self.projector.project_onto(store, &formulas, &model, target.target())?
        };
        let states = with_constants(store, cube);
        Ok(Some(store.rename(states, target.target(), target.state())))
    }

    /// The states over an edge's target variables that are not known to be safe.
    fn unsafe_entry(&self, store: &mut Store, edge: &Edge) -> Term {
        if edge.target == VertexId::FALSE {
            return Term::TRUE;
        }
        let record = self.records[edge.target.index()].as_ref().expect("a live vertex has a record");
        let safe = store.or(&record.safe);
        let target = self.graph.vertex(edge.target);
        !store.rename(safe, target.state(), target.target())
    }

    /// The states of a vertex from which an edge leads to states that are not known to be safe.
    fn unsafe_exits(&self, store: &mut Store, vertex: VertexId) -> Term {
        let mut exits = Vec::new();
        for id in self.graph.outgoing(vertex) {
            let edge = self.graph.edge(id);
            if !edge.is_loop() {
                let unsafe_entry = self.unsafe_entry(store, edge);
                exits.push(store.and2(edge.label, unsafe_entry));
            }
        }
        store.or(&exits)
    }

    /// Records a safe set of a vertex, which has at least the states that it was entered with.
    fn learn_safe(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        ends: Endpoints,
        transition_invariant: TransitionInvariant,
        context: &mut Context<'_>,
    ) {
        let graph = self.graph;
        let record = self.record(vertex);
        let Widened { transition_invariant, full, initial } =
            widen(store, &mut record.powers, transition_invariant, ends, &mut context.budget);
        let system = TransitionSystem {
            state: graph.vertex(vertex).state().to_vec(),
            next: graph.vertex(vertex).target().to_vec(),
            initial,
            transition: record.transition.moving,
            bad: ends.bad,
        };
        let powers = ClosedPowers {
            system,
            composition: record.powers.composition,
            sequences: record.powers.sequences.up_to(transition_invariant.height()),
            transition_invariant,
        };
        let without_stuttering = !record.transition.stuttering.is_empty();
        record.safe.push(initial);
        report_transition_invariant(transition_invariant, full, context);
        self.safe_sets.push(KnownSafe { vertex, powers, without_stuttering });
    }
}
