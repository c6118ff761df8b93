//! Cheap invariants of all vertices, before any engine starts: equalities, congruences and bounds.
//!
//! An abstract interpretation whose steps are asked of the solver ([`crate::domain`]): the elements of the vertices begin
//! empty, a question asks for a step of an edge that leaves them, and the state that the solver finds is joined. So labels
//! may be any formulas, and what is found is the best that the domain can say of them. There are three domains, one after
//! the other, each with what the ones before have shown: affine equalities (Karr 1976, "Affine relationships among
//! variables of a program") of numbers and of truth values (`equalities`), linear congruences (Granger 1991; `congruences`)
//! and bounds of arguments, sums and differences of two and compared forms (`bounds`), the latter two of integers alone. A
//! hull of n arguments grows n times at most, and bounds move a few times, so questions are few; the engine `hull` has
//! richer elements of the same kind, one for each phase.
//!
//! The pass comes twice. Early, before predicates are composed, it looks for equalities alone: many vertices with small
//! labels. Late, when few vertices are left, it has all domains.
//!
//! What is found is put to use in the labels, so that every engine sees it. An argument that others determine is
//! replaced by its definition wherever a label mentions it, and left to [`Slice`](crate::Slice) to take away. Other
//! invariants of its sources become conjuncts of a label. Edges that have no step from there go.
//!
//! *Cost.* All is bounded by work, not by time: a domain that does not end within its share says nothing. Graphs with
//! very large labels are not looked at, nor are single loops without integers. docs/invariants.md has figures.
//!
//! *Back.* The formulas are closed under the edges: each edge ended with a question that has no answer. See
//! `strengthened`.

mod bounds;
mod congruences;
mod equalities;
mod words;

use shem_base::{Budget, Effort, Statistics, StopToken};
use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Sort, Store, Substitution, Term, View};

use crate::domain::{AbstractInterpretation, Domain, Elements, Known};
use crate::pass::{Back, Pass, PassDescription, Work};
use crate::replay::Replay;
use crate::scan::{Scan, source_variables};
use crate::strengthened::Strengthened;
use bounds::Bounds;
use congruences::Congruences;
use equalities::{Definition, Equalities};

pub use words::WordInvariants;

/// The effort of one question.
const EFFORT: Effort = Effort { conflicts: 2_000, pivots: 50_000, splits: 500 };

/// Finds invariants and puts them into labels.
#[derive(Clone, Debug)]
pub struct Invariants {
    /// Whether the pass comes early, in the first round of a pipeline.
    pub early: bool,
    /// Whether congruences are looked for.
    pub congruences: bool,
    /// Whether bounds are looked for.
    pub bounds: bool,
    /// The subterms of all labels, at most, of graphs that are looked at; those of an edge are counted once for each
    /// argument of its target, since there are about as many questions about it.
    pub most_subterms: usize,
    /// The work that each domain may cost, in units of [`shem_base::add_work`], before subterms are counted.
    pub work: u64,
    /// The work that it may cost for each subterm of the labels.
    pub work_of_subterm: u64,
    /// The work that it may cost at most.
    pub most_work: u64,
}

impl Default for Invariants {
    fn default() -> Invariants {
        Invariants {
            early: false,
            congruences: true,
            bounds: true,
            most_subterms: 1_000_000,
            work: 1_000_000,
            work_of_subterm: 250,
            most_work: 10_000_000,
        }
    }
}

impl Invariants {
    /// Equalities alone, while there are many vertices with small labels: what branches have in common is seen where
    /// they join, before they become one label.
    pub fn early() -> Invariants {
        Invariants {
            early: true,
            congruences: false,
            bounds: false,
            work: 2_000_000,
            work_of_subterm: 500,
            most_work: 60_000_000,
            ..Invariants::default()
        }
    }
}

impl Pass for Invariants {
    fn description(&self) -> PassDescription {
        if self.early {
            let summary = "finds equalities between arguments, and replaces those that others determine";
            return PassDescription::new("equalities", summary).in_first_round();
        }
        PassDescription::new(
            "invariants",
            "finds equalities, congruences and bounds, and puts them into labels",
        )
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let size = self.size(store, graph, budget)?;
        let found = self.find(store, graph, size, statistics, budget)?;
        found.apply(store, graph, statistics, budget)
    }
}

/// What was found.
struct Found {
    /// What holds of all facts, by vertex.
    known: Known,
    /// The arguments that others determine, by vertex.
    definitions: Vec<Vec<Definition>>,
    /// Edges that have no step.
    blocked: Vec<EdgeId>,
}

impl Invariants {
    /// The subterms of all labels, if they are not too many and everything is arithmetic. Of a single loop over the reals
    /// and truth values nothing is looked for: such systems are large formulas, where the few equalities that the engines
    /// do not see by themselves were never worth the questions.
    fn size(&self, store: &Store, graph: &Graph, budget: &Budget) -> Option<u64> {
        let mut vertices = graph.vertices();
        if let (Some(only), None) = (vertices.next(), vertices.next())
            && graph.vertex(only).sorts().iter().all(|&sort| matches!(sort, Sort::Bool | Sort::Real))
        {
            return None;
        }
        let is_plain = |sort: Sort| matches!(sort, Sort::Bool | Sort::Int | Sort::Real);
        let mut plain = graph.vertices().all(|v| graph.vertex(v).sorts().iter().all(|&sort| is_plain(sort)));
        let mut scan = Scan::default();
        let (mut size, mut weighted) = (0, 0);
        for (_, edge) in graph.edges() {
            budget.check_stop().ok()?;
            let before = size;
            scan.each(store, &[edge.label], |term| {
                size += 1;
                plain &= !matches!(store.view(term), View::App(..)) && is_plain(store.sort(term));
            });
            weighted += (size - before) * (1 + graph.vertex(edge.target).sorts().len());
            if !plain || weighted > self.most_subterms {
                return None;
            }
        }
        Some(size as u64)
    }

    /// Runs the domains; `None` if not even the first one comes to an end.
    fn find(
        &self,
        store: &mut Store,
        graph: &Graph,
        size: u64,
        statistics: &mut Statistics,
        budget: &Budget,
    ) -> Option<Found> {
        let mut domains = Domains {
            graph,
            interpretation: AbstractInterpretation::new(graph, EFFORT),
            work: (self.work + size * self.work_of_subterm).min(self.most_work),
            budget,
            statistics,
        };
        let equalities = Equalities::new(store, graph);
        let hulls = domains.run(store, equalities, "equalities")?;
        let mut definitions: Vec<Vec<Definition>> = vec![Vec::new(); graph.vertex_bound()];
        for vertex in graph.vertices() {
            budget.check_stop().ok()?;
            if let Some(hull) = hulls.element(vertex) {
                definitions[vertex.index()] = hulls.domain().definitions(store, vertex, hull);
            }
        }
        domains.statistics.add("definitions", definitions.iter().map(|own| own.len() as u64).sum::<u64>());
        // A domain that does not come to an end says nothing.
        if self.congruences {
            let congruences = Congruences::new(store, graph, &definitions);
            let _ = domains.run(store, congruences, "congruences");
        }
        if self.bounds {
            let bounds = Bounds::new(store, graph, &definitions);
            let _ = domains.run(store, bounds, "bounds");
        }
        let blocked = domains.blocked_queries(store);
        Some(Found { known: domains.interpretation.known, definitions, blocked })
    }
}

/// Domains that are run one after the other, each with what those before it have shown.
struct Domains<'a> {
    graph: &'a Graph,
    interpretation: AbstractInterpretation<'a>,
    work: u64,
    budget: &'a Budget,
    statistics: &'a mut Statistics,
}

impl Domains<'_> {
    /// The budget of one domain.
    fn share(&self) -> Budget {
        Budget { stop: StopToken::after_work(&self.budget.stop, self.work), ..self.budget.clone() }
    }

    /// Runs a domain; `None` if it has nothing to speak about, or if its share of the work does not suffice.
    fn run<D: Domain>(&mut self, store: &mut Store, domain: D, name: &'static str) -> Option<Elements<D>> {
        if domain.is_empty() {
            return None;
        }
        let mut share = self.share();
        let mut elements = Elements::new(domain, self.graph);
        let before = self.interpretation.questions;
        let end = self.interpretation.close(store, &mut elements, &mut share);
        self.statistics.add("questions", self.interpretation.questions - before);
        if end.is_err() {
            self.statistics.add("given-up", 1);
            return None;
        }
        let mut count = 0;
        for (at, known) in self.interpretation.known.iter_mut().enumerate() {
            match (known.as_mut(), elements.constraints(store, VertexId::new(at))) {
                (Some(known), Some(more)) => {
                    count += more.len() as u64;
                    known.extend(more);
                }
                _ => *known = None,
            }
        }
        self.statistics.add(name, count);
        Some(elements)
    }

    /// The edges to false that have no step.
    fn blocked_queries(&mut self, store: &mut Store) -> Vec<EdgeId> {
        let mut share = self.share();
        let queries: Vec<EdgeId> = self.graph.incoming(VertexId::FALSE).collect();
        let is_blocked = |id: &EdgeId| self.interpretation.is_blocked(store, *id, &mut share);
        queries.into_iter().filter(is_blocked).collect()
    }
}

impl Found {
    /// Puts what was found into the labels.
    fn apply(
        &self,
        store: &mut Store,
        graph: &mut Graph,
        statistics: &mut Statistics,
        budget: &Budget,
    ) -> Option<Box<dyn Back>> {
        let mut replay = Replay::default();
        let mut removed = false;
        let edges: Vec<EdgeId> = graph.edges().map(|(id, _)| id).collect();
        for id in edges {
            if budget.check_stop().is_err() {
                break;
            }
            let label = self.label(store, graph, id);
            if label == Some(graph.edge(id).label) {
                continue;
            }
            let edge = graph.remove_edge(id);
            match label {
                Some(label) if label != Term::FALSE => {
                    let new = graph.add_edge(store, Edge { label, ..edge.clone() });
                    replay.rename(new, &edge, id);
                    statistics.add("labels", 1);
                }
                _ => {
                    statistics.add("edges", 1);
                    removed = true;
                }
            }
        }
        if !removed && replay.is_empty() {
            return None;
        }
        let mut invariants = Vec::new();
        for vertex in graph.vertices() {
            let formula = match &self.known[vertex.index()] {
                None => Term::FALSE,
                Some(formulas) => store.and(formulas),
            };
            if formula != Term::TRUE {
                invariants.push((vertex, formula));
            }
        }
        Some(Box::new(Strengthened { replay, invariants }))
    }

    /// The label of an edge with what is known of its sources; `None` if it has no step.
    fn label(&self, store: &mut Store, graph: &Graph, id: EdgeId) -> Option<Term> {
        if self.blocked.contains(&id) {
            return None;
        }
        let edge = graph.edge(id);
        let mut substitution = Substitution::new();
        let mut parts = vec![edge.label];
        for (&source, variables) in edge.sources.iter().zip(source_variables(graph, &edge.sources)) {
            let state = graph.vertex(source).state();
            let known = store.and(self.known[source.index()].as_ref()?);
            parts.push(store.rename(known, state, &variables));
            self.define(store, source, state, &variables, &mut substitution);
        }
        let vertex = graph.vertex(edge.target);
        self.define(store, edge.target, vertex.state(), vertex.target(), &mut substitution);
        let label = store.and(&parts);
        let mut parts = vec![store.substitute(label, &substitution)];
        // The target has the arguments as long as nobody takes them away.
        for definition in &self.definitions[edge.target.index()] {
            let term = store.rename(definition.term, vertex.state(), vertex.target());
            parts.push(store.eq(vertex.target()[definition.at], term));
        }
        Some(store.and(&parts))
    }

    /// Replaces the arguments of a vertex, given by these variables, by their definitions.
    fn define(
        &self,
        store: &mut Store,
        vertex: VertexId,
        state: &[Term],
        variables: &[Term],
        substitution: &mut Substitution,
    ) {
        for definition in &self.definitions[vertex.index()] {
            let term = store.rename(definition.term, state, variables);
            substitution.bind(store, &[variables[definition.at]], &[term]);
        }
    }
}
