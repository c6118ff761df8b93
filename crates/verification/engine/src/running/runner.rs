//! Runs of a transition system for other engines: what they have found may be a path of millions of steps, of which they
//! know an initial state and, perhaps, which steps come in turn.

use std::collections::BTreeSet;

use shem_base::{Budget, Rat, Rng, UnknownReason};
use shem_chc::{Derivation, Edge, EdgeId, Graph, TransitionSystem, VertexId};
use shem_term::{Sort, Store, Term, Value};

use super::code::Number;
use super::run::{CompiledGraph, number};
use super::search::{End, Limits, Search};
use super::trace::Trace;
use super::words::{Plan, follow};

/// The states from which runs are made.
const MOST_RUNS: usize = 16;

/// The plans that are tried.
const MOST_PLANS: usize = 4;

/// What a run may cost: others have to be served, too.
const LIMITS: Limits = Limits { steps: 100_000, stream: 0, jumps: 2_000 };

/// Runs a transition system whose steps are functions, or may be guessed.
pub(crate) struct Runner {
    compiled: CompiledGraph,
    /// The variables of the state after a step.
    targets: Vec<Term>,
    seed: u64,
    /// The states from which runs have begun.
    tried: BTreeSet<Vec<Value>>,
    /// How many plans were tried.
    plans: usize,
}

impl Runner {
    /// Compiles a system; `None` if it has other sorts than numbers and truth values or is too large.
    pub(crate) fn new(store: &mut Store, system: &TransitionSystem, seed: u64) -> Option<Runner> {
        let TransitionSystem { state, next, initial, transition, bad } = system;
        let mut graph = Graph::new();
        let sorts: Vec<Sort> = state.iter().map(|&v| store.sort(v)).collect();
        let vertex = graph.add_vertex(store, "run", &sorts);
        let own = [graph.vertex(vertex).state(), graph.vertex(vertex).target()].concat();
        let targets = graph.vertex(vertex).target().to_vec();
        let (here, after) = own.split_at(sorts.len());
        let both = [&state[..], &next[..]].concat();
        let label = store.rename(*initial, state, after);
        graph.add_edge(store, Edge { sources: vec![], target: vertex, label });
        let label = store.rename(*transition, &both, &own);
        graph.add_edge(store, Edge { sources: vec![vertex], target: vertex, label });
        let label = store.rename(*bad, state, here);
        graph.add_edge(store, Edge { sources: vec![vertex], target: VertexId::FALSE, label });
        let compiled = CompiledGraph::new(store, &graph).ok()?;
        (!compiled.starts.is_empty()).then_some(Runner {
            compiled,
            targets,
            seed,
            tried: BTreeSet::new(),
            plans: 0,
        })
    }

    /// Whether every step is determined by the state and the case that is chosen.
    pub(crate) fn is_functional(&self) -> bool {
        self.compiled.moves.iter().flatten().all(|&case| self.compiled.cases[case].free.is_empty())
    }

    /// Whether there are several cases, or free variables, in some step.
    fn has_choice(&self) -> bool {
        !self.is_functional() || self.compiled.moves.iter().any(|moves| moves.len() > 1)
    }

    /// Runs a plan from an initial state, and then on, in the same way.
    pub(crate) fn follow(
        &mut self,
        start: &[Value],
        plan: &Plan,
        budget: &Budget,
    ) -> Result<Option<Derivation<()>>, UnknownReason> {
        // Where nothing is chosen, a plan adds nothing to the state that it begins with.
        if !self.has_choice() {
            return self.run(start, budget);
        }
        if self.plans >= MOST_PLANS {
            return Ok(None);
        }
        self.plans += 1;
        let found = follow(&self.compiled, start, plan, &self.targets, LIMITS, self.seed, budget)?;
        Ok(found.map(path))
    }

    /// Runs from an initial state; the states to a bad one, if the run has reached one. A state is tried once only, and
    /// not too many of them.
    pub(crate) fn run(
        &mut self,
        start: &[Value],
        budget: &Budget,
    ) -> Result<Option<Derivation<()>>, UnknownReason> {
        if self.tried.len() >= MOST_RUNS || !self.tried.insert(start.to_vec()) {
            return Ok(None);
        }
        match self.compiled.integral {
            true => self.run_with::<i64>(start, budget),
            false => self.run_with::<Rat>(start, budget),
        }
    }

    fn run_with<N: Number>(
        &self,
        start: &[Value],
        budget: &Budget,
    ) -> Result<Option<Derivation<()>>, UnknownReason> {
        let exact: Vec<Rat> = start.iter().map(number).collect();
        let case = self.compiled.starts[0];
        let mut search = Search::new(&self.compiled, LIMITS, Rng::new(self.seed));
        let state: Option<Vec<N>> = exact.iter().map(N::of_rat).collect();
        let end = match state {
            Some(state) => {
                let mut trace = Trace::new();
                trace.push(case, &state);
                match search.run(trace, None, budget)? {
                    End::Overflow(trace) => search.run(trace.exact(), None, budget)?.reached(),
                    end => end.reached(),
                }
            }
            None => {
                let mut trace = Trace::new();
                trace.push(case, &exact);
                search.run(trace, None, budget)?.reached()
            }
        };
        Ok(end.map(path))
    }
}

/// The states of a derivation of falsehood.
fn path(mut derivation: Derivation<EdgeId>) -> Derivation<()> {
    derivation.pop();
    derivation.map_rules(|_| ())
}
