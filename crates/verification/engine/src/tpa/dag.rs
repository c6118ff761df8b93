//! The engines on graphs whose only cycles are loops at a vertex.
//!
//! Every vertex has the sequences of its own loop, which are kept from one query to the next: what is learnt
//! about transitions does not depend on where a query starts or ends. States that are truly reached flow
//! forward: a query at a vertex asks for a path, by its loop, from states at which the vertex is entered to
//! states at which some edge leaves it for states that are not known to be safe there. If there is one, the
//! search goes on at the other end of that edge. If a transition invariant says that there is none, states
//! flow backward as safe: at least the entering ones, and as many more as can be had
//! ([`widen`](super::widen)). Thesis of Blicha (2023), section 5.5.5, which has chains only; on a DAG a vertex has several ways out at once.
//!
//! When no way in is left at any vertex, the graph is safe: the [safe pieces](Piece) of the vertices are the
//! certificate. When a query reaches falsehood, the visits on the way are the counterexample. Searches go
//! forward here, whatever the setting.

use shem_base::{Budget, UnknownReason};
use shem_chc::{Edge, EdgeId, Graph, Shape, TransitionSystem, VertexId};
use shem_smt::project::Projector;
use shem_term::{Store, Term};

use super::certificate::PowerCertificate;
use super::claim::{Claim, Ends, solve};
use super::dag_witness::{DagCertificate, Visit, Way, interpretation};
use super::engine::{End, Tpa, report, report_claim, report_fixpoints, search};
use super::fixpoint::Fixpoints;
use super::idle::Divided;
use super::reach::{Powers, with_constants};
use super::settings::{Direction, TpaSettings};
use super::share::Told;
use super::trace::Reached;
use super::widen::{Widened, widen};
use crate::adaptor::quantified;
use crate::strengthen::Heard;
use crate::{Adaptor, Context, Engine, Evidence, Outcome, Proven, Reason, TransitionEngine, Verdict};

/// `tpa` and `split-tpa` on graphs: directly on DAGs of loops, and by one loop on all other linear graphs.
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
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub vertex: VertexId,
    /// About the loop of the vertex, from these states to the ways out that were not known to be safe then.
    pub certificate: PowerCertificate,
}

/// What is known of a vertex.
struct Station {
    powers: Powers,
    transition: Divided,
    /// States, over the state variables, with which falsehood cannot be derived.
    safe: Vec<Term>,
    /// What was told to others about the loop, and heard.
    told: Told,
}

impl Engine for DagTpa {
    fn name(&self) -> &'static str {
        TransitionEngine::name(&self.engine)
    }

    fn solve(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        if let Some(verdict) = quantified(store, graph, self.name()) {
            return verdict;
        }
        if Shape::of(graph) != Shape::Dag {
            return Adaptor::new(self.engine.clone()).solve(store, graph, context);
        }
        let mut graph = graph.clone();
        match crate::adaptor::take_direct(store, &mut graph, &mut context.budget) {
            Ok(Some(derivation)) => return Outcome::unsafe_by(derivation),
            Ok(None) => {}
            Err(reason) => return Outcome::unknown(reason),
        }
        let mut network = match Network::new(store, &graph, &self.engine, &mut context.budget) {
            Ok(network) => network,
            Err(reason) => return Outcome::unknown(reason),
        };
        let end = network.run(store, context);
        for station in network.stations.iter().flatten() {
            report(&station.powers, context);
        }
        let pieces = network.pieces;
        match end {
            Err(reason) => Outcome::unknown(reason),
            Ok(None) => {
                let certificate = DagCertificate { graph, pieces };
                let basis = certificate.clone();
                let recipe =
                    Box::new(move |store: &mut Store, budget: &mut _| interpretation(&basis, store, budget));
                let certificate = Some(Box::new(certificate) as Box<dyn crate::Certificate>);
                Outcome::Safe(Proven { witness: Evidence::Later(recipe), certificate })
            }
            Ok(Some(way)) => {
                let recipe =
                    Box::new(move |store: &mut Store, budget: &mut _| way.derivation(&graph, store, budget));
                Outcome::Unsafe(Proven { witness: Evidence::Later(recipe), certificate: None })
            }
        }
    }
}

struct Network<'a> {
    graph: &'a Graph,
    split: bool,
    /// By index of vertex.
    stations: Vec<Option<Station>>,
    pieces: Vec<Piece>,
    projector: Projector,
}

/// A vertex that is being visited: where the search came from.
struct Stop {
    vertex: VertexId,
    /// The edge by which it was entered.
    entry: EdgeId,
    /// The states with which it was entered.
    entered: Term,
}

impl<'a> Network<'a> {
    fn new(
        store: &mut Store,
        graph: &'a Graph,
        engine: &Tpa,
        budget: &mut Budget,
    ) -> Result<Network<'a>, UnknownReason> {
        let settings = TpaSettings { direction: Direction::Forward, ..engine.settings.clone() };
        let mut stations: Vec<Option<Station>> = Vec::new();
        stations.resize_with(graph.vertex_bound(), || None);
        for vertex in graph.vertices() {
            let loops: Vec<Term> = graph
                .incoming(vertex)
                .map(|id| graph.edge(id))
                .filter(|edge| edge.is_loop())
                .map(|edge| edge.label)
                .collect();
            let transition = store.or(&loops);
            let (state, next) = (graph.vertex(vertex).state(), graph.vertex(vertex).target());
            let transition = Divided::of(store, state, next, transition, budget)?;
            let powers = Powers::new(store, state, next, transition.moving, &settings);
            stations[vertex.index()] =
                Some(Station { powers, transition, safe: Vec::new(), told: Told::default() });
        }
        let projector = Projector::new();
        Ok(Network { graph, split: engine.is_split(), stations, pieces: Vec::new(), projector })
    }

    fn station(&mut self, vertex: VertexId) -> &mut Station {
        self.stations[vertex.index()].as_mut().expect("a live vertex has a station")
    }

    /// A way to falsehood; `None` if there is none.
    fn run(&mut self, store: &mut Store, context: &mut Context<'_>) -> Result<Option<Way>, Reason> {
        let facts: Vec<EdgeId> = self
            .graph
            .edges()
            .filter(|(_, edge)| edge.sources.is_empty() && edge.target != VertexId::FALSE)
            .map(|(id, _)| id)
            .collect();
        for fact in facts {
            while let Some(entered) = self.enter(store, fact, Term::TRUE, context)? {
                let vertex = self.graph.edge(fact).target;
                let stop = Stop { vertex, entry: fact, entered };
                if let Some(way) = self.visit(store, stop, context)? {
                    return Ok(Some(way));
                }
            }
        }
        Ok(None)
    }

    /// Follows reached states from a stop until falsehood is reached or the stop's states are safe.
    fn visit(
        &mut self,
        store: &mut Store,
        first: Stop,
        context: &mut Context<'_>,
    ) -> Result<Option<Way>, Reason> {
        let mut stops = vec![first];
        let mut visits: Vec<(VertexId, EdgeId, Reached)> = Vec::new();
        while let Some(stop) = stops.last() {
            let (vertex, entry, entered) = (stop.vertex, stop.entry, stop.entered);
            context.budget.check_stop()?;
            let bad = self.ways_out(store, vertex);
            let ends = Ends { initial: entered, bad };
            let split = self.split;
            let mut fixpoints = Fixpoints::default();
            let station = self.station(vertex);
            let Station { powers, told, .. } = station;
            let mut heard = Heard::default();
            let end = search(split, store, ends, powers, &mut fixpoints, &mut heard, told, context);
            context.statistics.add("visits", 1);
            report_fixpoints(&fixpoints, context);
            match end? {
                // Invariants of graphs are not heard here; the visit would begin once more.
                End::Again => {}
                End::Closed(claim) => {
                    self.learn_safe(store, vertex, ends, claim, context);
                    stops.pop();
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
                        return Ok(Some(self.way(visits, id)));
                    }
                    stops.push(Stop { vertex: target, entry: id, entered });
                }
            }
        }
        Ok(None)
    }

    /// The way to falsehood by these visits and this edge.
    fn way(&mut self, visits: Vec<(VertexId, EdgeId, Reached)>, exit: EdgeId) -> Way {
        let visit =
            |(vertex, entry, reached)| Visit::of(vertex, entry, &self.station(vertex).powers, reached);
        Way { visits: visits.into_iter().map(visit).collect(), exit }
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
        let station = self.stations[edge.target.index()].as_ref().expect("a live vertex has a station");
        let safe = store.or(&station.safe);
        let target = self.graph.vertex(edge.target);
        !store.rename(safe, target.state(), target.target())
    }

    /// The states of a vertex from which an edge leads to states that are not known to be safe.
    fn ways_out(&self, store: &mut Store, vertex: VertexId) -> Term {
        let mut ways = Vec::new();
        for id in self.graph.outgoing(vertex) {
            let edge = self.graph.edge(id);
            if !edge.is_loop() {
                let unsafe_entry = self.unsafe_entry(store, edge);
                ways.push(store.and2(edge.label, unsafe_entry));
            }
        }
        store.or(&ways)
    }

    /// Takes note that a vertex is safe for some states: at least for those that it was entered with.
    fn learn_safe(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        ends: Ends,
        claim: Claim,
        context: &mut Context<'_>,
    ) {
        let graph = self.graph;
        let station = self.station(vertex);
        let Widened { claim, full, initial } =
            widen(store, &mut station.powers, claim, ends, &mut context.budget);
        let system = TransitionSystem {
            state: graph.vertex(vertex).state().to_vec(),
            next: graph.vertex(vertex).target().to_vec(),
            initial,
            transition: station.transition.moving,
            bad: ends.bad,
        };
        let certificate = PowerCertificate {
            system,
            idle: station.transition.idle.clone(),
            composition: station.powers.composition,
            sequences: station.powers.sequences.up_to(claim.height()),
            claim,
            full,
        };
        station.safe.push(initial);
        report_claim(claim, full, context);
        self.pieces.push(Piece { vertex, certificate });
    }
}
