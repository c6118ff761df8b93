//! The search for the least closed element of a domain: ask for a step that leaves it, join, repeat.
//!
//! A solver has the labels of edges that are close to each other, each in a group. A question is about one edge: is there a step from what is
//! known of its sources to a state of its target that the element there does not contain? The state is joined to the
//! element, and the question is asked again. An edge is asked about again when an element of its sources has grown; and
//! once more in the end when that of its target has, since what a domain says of a set need not follow from what it
//! said of a smaller one. So when no question is left, what the domain says is closed under all edges.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::{Budget, Effort, UnknownReason};
use shem_chc::{EdgeId, Graph, VertexId};
use shem_proof::NoProof;
use shem_smt::{Answer, Group, Solver, Status, Variable};
use shem_term::{Store, Term, Value};

/// The effort of one question.
const EFFORT: Effort = Effort { conflicts: 2_000, pivots: 50_000, splits: 500 };

/// The most labels in one solver: a check costs more the more of them there are.
const MOST_GROUPS: usize = 24;

/// Sets of states, one kind for all vertices.
pub(super) trait Domain {
    /// A set of states of one vertex.
    type Element;

    /// Whether the domain has nothing to say, whatever the states are.
    fn is_empty(&self) -> bool;

    /// The least set with this state.
    fn of_state(&self, vertex: VertexId, state: &[Value]) -> Option<Self::Element>;

    /// Adds a state. Returns whether the set has grown.
    fn join(&self, vertex: VertexId, element: &mut Self::Element, state: &[Value]) -> bool;

    /// Formulas over the state of the vertex that hold of all states of the set. A state of which one of them does not
    /// hold makes the set grow.
    fn constraints(&self, store: &mut Store, vertex: VertexId, element: &Self::Element) -> Vec<Term>;
}

/// What is known of the facts of each vertex: formulas over its state, closed under all edges; `None` if there are no
/// facts.
pub(super) type Known = Vec<Option<Vec<Term>>>;

/// What a search ends with.
pub(super) struct Closed<E> {
    /// By vertex; `None` if there are no facts, or if nothing is said of them.
    pub(super) elements: Vec<Option<E>>,
    /// What the domain says of the facts.
    pub(super) constraints: Known,
}

/// Questions about the edges of a graph.
pub(super) struct Search<'g> {
    graph: &'g Graph,
    solver: Solver<NoProof>,
    groups: Vec<(EdgeId, Group)>,
    /// The places of the vertices in an order in which edges lead forwards, but for loops.
    ranks: Vec<usize>,
    /// The target variables of vertices in the solver, once asked for.
    targets: BTreeMap<VertexId, Vec<Variable>>,
    /// The questions that were asked.
    pub(super) questions: u64,
}

impl<'g> Search<'g> {
    /// A search over the edges of a graph.
    pub(super) fn new(graph: &'g Graph) -> Search<'g> {
        Search {
            graph,
            solver: Solver::with_proof(Default::default(), NoProof),
            groups: Vec::new(),
            ranks: ranks(graph),
            targets: BTreeMap::new(),
            questions: 0,
        }
    }

    fn group(&mut self, store: &mut Store, id: EdgeId) -> Group {
        match self.groups.binary_search_by_key(&id, |entry| entry.0) {
            Ok(at) => self.groups[at].1,
            Err(mut at) => {
                if self.groups.len() >= MOST_GROUPS {
                    self.solver = Solver::with_proof(Default::default(), NoProof);
                    self.groups.clear();
                    self.targets.clear();
                    at = 0;
                }
                let group = self.solver.new_group();
                self.solver.assert_in_group(store, group, self.graph.edge(id).label);
                self.groups.insert(at, (id, group));
                group
            }
        }
    }

    /// What is known of the sources of an edge, over its source variables; `None` if one of them has no facts.
    fn sources(&self, store: &mut Store, id: EdgeId, known: &[&Known]) -> Option<Vec<Term>> {
        let edge = self.graph.edge(id);
        let mut formulas = Vec::new();
        for (position, &source) in edge.sources.iter().enumerate() {
            let variables = self.graph.source_variables(edge, position);
            let state = self.graph.vertex(source).state();
            for known in known {
                for &formula in known[source.index()].as_ref()? {
                    formulas.push(if variables == state {
                        formula
                    } else {
                        store.rename(formula, state, variables)
                    });
                }
            }
        }
        Some(formulas)
    }

    /// The elements of the domain that contain all facts, given what is known of them: closed under all edges. Where a
    /// question is too hard, nothing is said of the target.
    pub(super) fn close<D: Domain>(
        &mut self,
        store: &mut Store,
        domain: &D,
        known: &Known,
        budget: &mut Budget,
    ) -> Result<Closed<D::Element>, UnknownReason> {
        let graph = self.graph;
        let ranks = self.ranks.clone();
        let place = |id: EdgeId| (ranks[graph.edge(id).target.index()], id);
        let leads_on = |id: &EdgeId| graph.edge(*id).target != VertexId::FALSE;
        let mut elements: Vec<Option<D::Element>> = (0..graph.vertex_bound()).map(|_| None).collect();
        let mut constraints: Known = vec![None; graph.vertex_bound()];
        let mut open: BTreeSet<(usize, EdgeId)> = facts(graph).filter(leads_on).map(place).collect();
        // Edges whose targets have grown by others.
        let mut stale: BTreeSet<(usize, EdgeId)> = BTreeSet::new();
        while let Some((rank, id)) = open.pop_first().or_else(|| stale.pop_first()) {
            stale.remove(&(rank, id));
            let target = graph.edge(id).target;
            loop {
                let element = &mut elements[target.index()];
                match self.leave(store, id, &[known, &constraints], &constraints, budget) {
                    Ok(None) => break,
                    Ok(Some(state)) => match element {
                        Some(element) => {
                            if !domain.join(target, element, &state) {
                                return Err(UnknownReason::Incomplete(
                                    "a state outside of an element is inside",
                                ));
                            }
                        }
                        None => *element = domain.of_state(target, &state),
                    },
                    Err(reason) => {
                        if budget.check_stop().is_err() {
                            return Err(reason);
                        }
                        *element = None;
                    }
                }
                let said = element.as_ref().map(|element| domain.constraints(store, target, element));
                constraints[target.index()] = Some(said.unwrap_or_default());
                open.extend(graph.outgoing(target).filter(leads_on).map(place));
                stale.extend(graph.incoming(target).filter(|&other| other != id).map(place));
            }
        }
        Ok(Closed { elements, constraints })
    }

    /// A state of the target of an edge, reached from what is known, that does not satisfy its constraints; any state,
    /// if there are no constraints yet.
    fn leave(
        &mut self,
        store: &mut Store,
        id: EdgeId,
        known: &[&Known],
        constraints: &Known,
        budget: &mut Budget,
    ) -> Result<Option<Vec<Value>>, UnknownReason> {
        let target = self.graph.edge(id).target;
        let own = &constraints[target.index()];
        if own.as_ref().is_some_and(Vec::is_empty) {
            return Ok(None);
        }
        let Some(mut assumed) = self.sources(store, id, known) else { return Ok(None) };
        if let Some(own) = own {
            let vertex = self.graph.vertex(target);
            let inside = store.and(own);
            assumed.push(!store.rename(inside, vertex.state(), vertex.target()));
        }
        let group = self.group(store, id);
        budget.check_stop()?;
        self.questions += 1;
        let Search { graph, solver, targets, .. } = self;
        let variables = targets.entry(target).or_insert_with(|| {
            graph.vertex(target).target().iter().map(|&v| solver.variable(store, v)).collect()
        });
        budget.within(EFFORT, |part| match solver.check_with(store, &[group], &assumed, part) {
            Answer::Sat(mut solution) => Ok(Some(variables.iter().map(|&v| solution.value(v)).collect())),
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(reason) => Err(reason),
        })
    }

    /// Whether an edge has no step from what is known of its sources.
    pub(super) fn is_blocked(
        &mut self,
        store: &mut Store,
        id: EdgeId,
        known: &Known,
        budget: &mut Budget,
    ) -> bool {
        let Some(assumed) = self.sources(store, id, &[known]) else { return true };
        if budget.check_stop().is_err() {
            return false;
        }
        let group = self.group(store, id);
        self.questions += 1;
        let solver = &mut self.solver;
        let status =
            budget.within(EFFORT, |part| solver.check_with(store, &[group], &assumed, part).status());
        status == Status::Unsat
    }
}

/// The edges without sources.
fn facts(graph: &Graph) -> impl Iterator<Item = EdgeId> + '_ {
    graph.edges().filter(|(_, edge)| edge.sources.is_empty()).map(|(id, _)| id)
}

/// The places of the vertices in an order in which edges lead forwards, but for loops: the last one that a search in
/// depth leaves comes first.
fn ranks(graph: &Graph) -> Vec<usize> {
    let mut ranks = vec![graph.vertex_bound(); graph.vertex_bound()];
    let mut seen = vec![false; graph.vertex_bound()];
    let mut next = graph.vertex_bound();
    let mut stack: Vec<(VertexId, bool)> = facts(graph).map(|id| (graph.edge(id).target, false)).collect();
    while let Some((vertex, is_done)) = stack.pop() {
        if is_done {
            next -= 1;
            ranks[vertex.index()] = next;
        } else if !std::mem::replace(&mut seen[vertex.index()], true) {
            stack.push((vertex, true));
            stack.extend(graph.outgoing(vertex).map(|id| (graph.edge(id).target, false)));
        }
    }
    ranks
}
