//! Where runs begin: states of the edges without source.
//!
//! A case without free variables has one state. For the others guesses and the solver's models take turns; the solver
//! is also asked for models on one side of a random bound, so that it does not give the same model again.

use shem_base::{Effort, Rng};
use shem_chc::{Graph, VertexId};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Sort, Store, Term, Value};

use crate::context::Context;
use crate::running::{CompiledGraph, Number, Registers, Stepped, number};

/// The effort for one state.
const EFFORT: Effort = Effort { conflicts: 500, pivots: 5_000, splits: 100 };

/// Chooses the states in which runs begin.
pub(super) struct Starts {
    /// By position in the list of starting cases: a solver that holds the label.
    solvers: Vec<Option<Solver<NoProof>>>,
    /// The number of states asked for.
    asked: usize,
}

impl Starts {
    pub(super) fn new(graph: &CompiledGraph) -> Starts {
        Starts { solvers: graph.starts.iter().map(|_| None).collect(), asked: 0 }
    }

    /// Whether the states are all those that the cases have.
    pub(super) fn are_all(graph: &CompiledGraph) -> bool {
        graph.starts.iter().all(|&case| graph.cases[case].free.is_empty())
    }

    /// The next state to begin in, with its case; `None` if none was found.
    pub(super) fn next<N: Number>(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        compiled: &CompiledGraph,
        rng: &mut Rng,
        context: &mut Context<'_>,
    ) -> Option<(usize, Vec<N>)> {
        let count = compiled.starts.len();
        if count == 0 {
            return None;
        }
        let (at, round) = (self.asked % count, self.asked / count);
        self.asked += 1;
        let case = compiled.starts[at];
        let mut state = Vec::new();
        if round % 2 == 1 || compiled.cases[case].free.is_empty() {
            let stepped = compiled.step(&[case], &[], &mut state, &mut Registers::default(), rng);
            if stepped == Stepped::By(case) {
                return Some((case, state));
            }
            if compiled.cases[case].free.is_empty() {
                return None;
            }
        }
        let vertex = compiled.cases[case].target;
        let edge = graph.edge(compiled.cases[case].edge);
        let solver = self.solvers[at].get_or_insert_with(|| {
            let mut solver = Solver::with_proof(Default::default(), NoProof);
            solver.set_seed(context.seed);
            solver.assert(store, edge.label);
            solver
        });
        let bounds = if round == 0 { Vec::new() } else { bounds(store, graph, vertex, rng) };
        let values = solve(store, graph, solver, vertex, &bounds, context)
            .or_else(|| solve(store, graph, solver, vertex, &[], context))?;
        let state: Option<Vec<N>> = values.iter().map(|value| N::of_rat(&number(value))).collect();
        Some((case, state?))
    }
}

/// A random bound on some of a vertex' arguments.
fn bounds(store: &mut Store, graph: &Graph, vertex: VertexId, rng: &mut Rng) -> Vec<Term> {
    let mut bounds = Vec::new();
    for &argument in graph.vertex(vertex).target() {
        if rng.chance(50) {
            continue;
        }
        let flip = rng.chance(50);
        let literal = match store.sort(argument) {
            Sort::Bool => argument,
            sort => {
                let size = 1i64 << rng.index(16);
                let bound = store.numeral(&rng.range(-size..=size).into(), sort);
                store.le(argument, bound)
            }
        };
        bounds.push(literal.xor(flip));
    }
    bounds
}

/// A model of the label under some bounds: the arguments of the target.
fn solve(
    store: &mut Store,
    graph: &Graph,
    solver: &mut Solver<NoProof>,
    vertex: VertexId,
    bounds: &[Term],
    context: &mut Context<'_>,
) -> Option<Vec<Value>> {
    let target = graph.vertex(vertex).target();
    let variables: Vec<_> = target.iter().map(|&v| solver.variable(store, v)).collect();
    solver.push();
    for &bound in bounds {
        solver.assert(store, bound);
    }
    let found = match solver.check(store, &mut context.budget.at_most(EFFORT)) {
        Answer::Sat(mut solution) => Some(variables.iter().map(|&v| solution.value(v)).collect()),
        Answer::Unsat(_) | Answer::Unknown(_) => None,
    };
    solver.pop();
    found
}
