//! The search for the least closed sets of states: ask for a step that leaves them, join, repeat.
//!
//! Reps, Sagiv and Yorsh (2004, "Symbolic implementation of the best transformer"). A solver has the label of an edge. A
//! question is about one edge, and one part of the set of its source if sets have parts: is there a step from there,
//! given what is known of the sources, to a state of the target outside of its set? The state is joined to the set, and
//! the question is asked again. When no question is left, the sets are closed under all edges.

use shem_base::{Budget, Effort, UnknownReason};
use shem_chc::{EdgeId, Graph, VertexId};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver, Status, Variable};
use shem_term::{Store, Term, Value};

use super::fixpoint::{Grown, fixpoint, ranks};

/// The edges that have a solver at the same time, at most.
const MOST_SOLVERS: usize = 100;

/// Sets of states of all vertices of a graph, which may consist of parts.
pub trait Abstraction {
    /// What tells the parts of a set apart.
    type Part: Clone + Ord;

    /// Why a search may end without a result.
    type Failure: From<UnknownReason>;

    /// Whether the formula of a part follows from what it was when the part was smaller.
    const IS_MONOTONE: bool;

    /// The parts of the set of a vertex; none if the set is empty.
    fn parts(&self, vertex: VertexId) -> Vec<Self::Part>;

    /// The formula of a part, over the state of the vertex.
    fn formula(&mut self, store: &mut Store, vertex: VertexId, part: &Self::Part) -> Term;

    /// Adds a state that is outside, and others if that is of use. Returns what has grown; without a part where sets are
    /// asked about as a whole.
    fn join(
        &mut self,
        store: &Store,
        vertex: VertexId,
        state: Vec<Value>,
    ) -> Result<Vec<Grown<Self::Part>>, Self::Failure>;

    /// Makes the set of a vertex contain all states, since a question about it was too hard; or fails.
    fn give_up(&mut self, vertex: VertexId, reason: UnknownReason) -> Result<(), Self::Failure>;

    /// A solver for the label of an edge.
    fn new_solver(&mut self) -> Solver<NoProof> {
        Solver::with_proof(Default::default(), NoProof)
    }

    /// Takes note that this many questions have been asked.
    fn progress(&mut self, _questions: u64) {}
}

/// What is known of the facts of each vertex: formulas over its state, closed under all edges; `None` if there are no
/// facts.
pub type Known = Vec<Option<Vec<Term>>>;

/// The solver for the label of an edge, with the variables of its target.
struct EdgeSolver {
    id: EdgeId,
    solver: Solver<NoProof>,
    target: Vec<Variable>,
}

/// Abstract interpretations over a graph, one after the other.
pub struct AbstractInterpretation<'g> {
    graph: &'g Graph,
    ranks: Vec<usize>,
    /// Sorted by edge.
    solvers: Vec<EdgeSolver>,
    effort: Effort,
    /// What is known of facts, for questions to make use of.
    pub known: Known,
    /// The questions that were asked.
    pub questions: u64,
    /// The questions that may be asked.
    pub most_questions: u64,
}

impl<'g> AbstractInterpretation<'g> {
    /// An interpretation of a graph whose questions may cost this effort each.
    pub fn new(graph: &'g Graph, effort: Effort) -> AbstractInterpretation<'g> {
        AbstractInterpretation {
            graph,
            ranks: ranks(graph),
            solvers: Vec::new(),
            effort,
            known: vec![Some(Vec::new()); graph.vertex_bound()],
            questions: 0,
            most_questions: u64::MAX,
        }
    }

    /// Has questions asked of new solvers, with this effort each.
    pub fn ask_anew(&mut self, effort: Effort) {
        self.solvers.clear();
        self.effort = effort;
    }

    /// Lets sets grow until they are closed under all edges, but for those to false.
    pub fn close<A: Abstraction>(
        &mut self,
        store: &mut Store,
        sets: &mut A,
        budget: &mut Budget,
    ) -> Result<(), A::Failure> {
        let graph = self.graph;
        let ranks = std::mem::take(&mut self.ranks);
        let parts = |vertex| sets.parts(vertex).into_iter().map(move |part| (vertex, Some(part)));
        let start: Vec<Grown<A::Part>> = graph.vertices().flat_map(parts).collect();
        let result = fixpoint(graph, &ranks, start, !A::IS_MONOTONE, |id, part| {
            let grown = self.close_edge(store, sets, id, part.as_ref(), budget)?;
            sets.progress(self.questions);
            Ok(grown)
        });
        self.ranks = ranks;
        result
    }

    /// Whether an edge has a step from these sets, from a part of that of its source if one is given.
    pub fn has_step<A: Abstraction>(
        &mut self,
        store: &mut Store,
        sets: &mut A,
        id: EdgeId,
        part: Option<&A::Part>,
        budget: &mut Budget,
    ) -> Result<bool, A::Failure> {
        let Some(assumed) = self.sources(store, sets, id, part) else { return Ok(false) };
        let status = self.status(store, id, &assumed, budget, || sets.new_solver())?;
        match status {
            Status::Sat => Ok(true),
            Status::Unsat => Ok(false),
            Status::Unknown(reason) => Err(reason.into()),
        }
    }

    /// Whether it was shown that an edge has no step from what is known of its sources.
    pub fn is_blocked(&mut self, store: &mut Store, id: EdgeId, budget: &mut Budget) -> bool {
        let Some(assumed) = self.known_of_sources(store, id) else { return true };
        let new_solver = || Solver::with_proof(Default::default(), NoProof);
        self.status(store, id, &assumed, budget, new_solver) == Ok(Status::Unsat)
    }

    fn status(
        &mut self,
        store: &mut Store,
        id: EdgeId,
        assumed: &[Term],
        budget: &mut Budget,
        new_solver: impl FnOnce() -> Solver<NoProof>,
    ) -> Result<Status, UnknownReason> {
        budget.check_stop()?;
        self.questions += 1;
        let at = self.solver(store, id, new_solver);
        let solver = &mut self.solvers[at].solver;
        solver.push();
        for &formula in assumed {
            solver.assert(store, formula);
        }
        let status = budget.within(self.effort, |part| solver.check(store, part).status());
        solver.pop();
        Ok(status)
    }

    /// The place of the solver of an edge.
    fn solver(
        &mut self,
        store: &mut Store,
        id: EdgeId,
        new_solver: impl FnOnce() -> Solver<NoProof>,
    ) -> usize {
        match self.solvers.binary_search_by_key(&id, |entry| entry.id) {
            Ok(at) => at,
            Err(mut at) => {
                if self.solvers.len() >= MOST_SOLVERS {
                    self.solvers.clear();
                    at = 0;
                }
                let edge = self.graph.edge(id);
                let mut solver = new_solver();
                solver.assert(store, edge.label);
                let variables = self.graph.vertex(edge.target).target();
                let target = variables.iter().map(|&variable| solver.variable(store, variable)).collect();
                self.solvers.insert(at, EdgeSolver { id, solver, target });
                at
            }
        }
    }

    /// What is known of the sources of an edge, over its source variables; `None` if one of them has no facts.
    fn known_of_sources(&self, store: &mut Store, id: EdgeId) -> Option<Vec<Term>> {
        let edge = self.graph.edge(id);
        let mut formulas = Vec::new();
        for (position, &source) in edge.sources.iter().enumerate() {
            for &formula in self.known[source.index()].as_ref()? {
                formulas.push(self.of_source(store, id, position, formula));
            }
        }
        Some(formulas)
    }

    /// What holds of the sources of an edge, over its source variables; `None` if one of them has no states.
    fn sources<A: Abstraction>(
        &self,
        store: &mut Store,
        sets: &mut A,
        id: EdgeId,
        part: Option<&A::Part>,
    ) -> Option<Vec<Term>> {
        let mut formulas = self.known_of_sources(store, id)?;
        for (position, &source) in self.graph.edge(id).sources.iter().enumerate() {
            let parts = part.map_or_else(|| sets.parts(source), |part| vec![part.clone()]);
            if parts.is_empty() {
                return None;
            }
            let parts: Vec<Term> = parts.iter().map(|part| sets.formula(store, source, part)).collect();
            let formula = store.or(&parts);
            formulas.push(self.of_source(store, id, position, formula));
        }
        Some(formulas)
    }

    /// A formula over the state of a source of an edge, over the variables that it has there.
    fn of_source(&self, store: &mut Store, id: EdgeId, position: usize, formula: Term) -> Term {
        let edge = self.graph.edge(id);
        let variables = self.graph.source_variables(edge, position);
        let state = self.graph.vertex(edge.sources[position]).state();
        if variables == state { formula } else { store.rename(formula, state, variables) }
    }

    /// Lets sets grow until no step by this edge leaves them, from this part or, without it, the whole set of each source.
    /// Returns what has grown.
    fn close_edge<A: Abstraction>(
        &mut self,
        store: &mut Store,
        sets: &mut A,
        id: EdgeId,
        part: Option<&A::Part>,
        budget: &mut Budget,
    ) -> Result<Vec<Grown<A::Part>>, A::Failure> {
        let target = self.graph.edge(id).target;
        let parts = sets.parts(target);
        let outside = self.outside(store, sets, target, parts);
        if outside.contains(&Term::FALSE) {
            return Ok(Vec::new());
        }
        let Some(sources) = self.sources(store, sets, id, part) else { return Ok(Vec::new()) };
        let at = self.solver(store, id, || sets.new_solver());
        let solver = &mut self.solvers[at].solver;
        solver.push();
        for formula in sources {
            solver.assert(store, formula);
        }
        let result = self.leave(store, sets, at, outside, budget);
        self.solvers[at].solver.pop();
        result
    }

    /// What it means for a state of a vertex, over its target variables, to be outside of these parts.
    fn outside<A: Abstraction>(
        &self,
        store: &mut Store,
        sets: &mut A,
        vertex: VertexId,
        parts: Vec<A::Part>,
    ) -> Vec<Term> {
        let (state, target) = (self.graph.vertex(vertex).state(), self.graph.vertex(vertex).target());
        let mut outside = Vec::with_capacity(parts.len());
        for part in parts {
            let formula = sets.formula(store, vertex, &part);
            outside.push(!store.rename(formula, state, target));
        }
        outside
    }

    /// Asks the solver at this place, which has the sources, for states outside, and joins them, until there are none. Where
    /// the question is made anew each time, it ends early when a source has grown, since the edge is visited again.
    fn leave<A: Abstraction>(
        &mut self,
        store: &mut Store,
        sets: &mut A,
        at: usize,
        mut outside: Vec<Term>,
        budget: &mut Budget,
    ) -> Result<Vec<Grown<A::Part>>, A::Failure> {
        let edge = self.graph.edge(self.solvers[at].id);
        let mut all: Vec<Grown<A::Part>> = Vec::new();
        while !outside.contains(&Term::FALSE) {
            budget.check_stop()?;
            if self.questions >= self.most_questions {
                return Err(
                    UnknownReason::Incomplete("an abstract interpretation has asked too often").into()
                );
            }
            self.questions += 1;
            let EdgeSolver { solver, target, .. } = &mut self.solvers[at];
            // What a part was before is in it, so excluding it once more excludes the part as it is now; unless its
            // formula says something new.
            let mut assumed = Vec::new();
            if A::IS_MONOTONE {
                for formula in outside.drain(..) {
                    solver.assert(store, formula);
                }
            } else {
                assumed = outside;
            }
            let answer =
                budget.within(self.effort, |share| match solver.check_assuming(store, &assumed, share) {
                    Answer::Sat(mut solution) => {
                        Ok(Some(target.iter().map(|&variable| solution.value(variable)).collect()))
                    }
                    Answer::Unsat(_) => Ok(None),
                    Answer::Unknown(reason) => Err(reason),
                });
            let mut grown = match answer {
                Ok(None) => break,
                Ok(Some(state)) => sets.join(store, edge.target, state)?,
                Err(reason) => {
                    budget.check_stop().map_err(|_| reason)?;
                    sets.give_up(edge.target, reason)?;
                    vec![(edge.target, None)]
                }
            };
            if grown.is_empty() {
                return Err(UnknownReason::Incomplete("a state outside of a set is inside").into());
            }
            grown.sort();
            grown.dedup();
            let is_done = !A::IS_MONOTONE && grown.iter().any(|(vertex, _)| edge.sources.contains(vertex));
            let of_target = grown.iter().filter(|(vertex, _)| *vertex == edge.target);
            let parts = of_target.flat_map(|(_, part)| match part {
                Some(part) => vec![part.clone()],
                None => sets.parts(edge.target),
            });
            let parts = parts.collect();
            all.extend(grown);
            if is_done {
                break;
            }
            outside = self.outside(store, sets, edge.target, parts);
        }
        Ok(all)
    }
}
