//! The path that a search has found, state by state.
//!
//! The trace of a set consists of chains of exact elements, each with its near set: every state that the chain
//! has reached at its far end is connected with a state of that set. So the path is built from any state of the set
//! that was reached last, with the chains in reverse order: a query with the far end fixed gives the states along the
//! chain up to its near end, which is the far end of the next. No query is about more than one chain, and beside the
//! path only as many traces are kept as there are levels.

use std::collections::BTreeMap;

use shem_base::Budget;
use shem_chc::{Path, Trail};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver, Variable};
use shem_term::{Store, Term, Value};

use super::copies::{Copies, FIRST, LAST};
use super::sequence::{Composition, SequenceKind, Sequences};
use super::settings::Direction;
use super::trace::{Leaf, Reached, Trace, Traces};
use super::transition_invariant::solve;
use crate::reason::WitnessError;

/// Values of these variables with which the formulas hold.
pub(super) fn choose_values(
    store: &mut Store,
    formulas: &[Term],
    variables: &[Term],
    budget: &mut Budget,
) -> Result<Vec<Value>, WitnessError> {
    let model = solve(store, formulas, budget)?;
    let model = model.ok_or(WitnessError::broken("the search handed over an empty set"))?;
    let value = |&v: &Term| model.value_or_default(store, store.as_var(v).expect("a variable"));
    Ok(variables.iter().map(value).collect())
}

/// Builds the path of states from the traces of a search.
pub(super) struct PathBuilder {
    pub copies: Copies,
    /// The exact elements.
    pub sequences: Sequences,
    pub composition: Composition,
    pub direction: Direction,
    pub traces: Traces,
    /// The states that were reached last.
    pub reached: Reached,
}

/// The solver for the chains of one decomposition.
struct ChainSolver {
    solver: Solver<NoProof>,
    /// The variables of the copies along the chain, from the far end to the near one, without the far end.
    states: Vec<Vec<Variable>>,
}

impl PathBuilder {
    /// The states from the first to the last.
    pub(super) fn trail(mut self, store: &mut Store, budget: &mut Budget) -> Result<Trail, WitnessError> {
        if let Trace::Run(path) = self.traces.get(self.reached.trace) {
            return Ok(Trail::Rounds((**path).clone()));
        }
        let variables = self.copies.variables(FIRST).to_vec();
        let end = choose_values(store, &[self.reached.states], &variables, budget)?;
        Ok(self.path_to(store, end, budget)?.into())
    }

    /// The states of a path that has this state, one of those reached last, at its far end.
    pub(super) fn path_to(
        &mut self,
        store: &mut Store,
        end: Vec<Value>,
        budget: &mut Budget,
    ) -> Result<Path, WitnessError> {
        let mut path: Path = vec![end];
        let mut chain_solvers: BTreeMap<(SequenceKind, usize), ChainSolver> = BTreeMap::new();
        let (near, far) = match self.direction {
            Direction::Forward => (FIRST, LAST),
            Direction::Backward => (LAST, FIRST),
        };
        let mut stack = vec![self.reached.trace];
        while let Some(trace) = stack.pop() {
            let leaf = match self.traces.get(trace) {
                Trace::Leaf(leaf) => *leaf,
                Trace::Parts(parts) => {
                    stack.extend_from_slice(parts);
                    continue;
                }
                Trace::Run(_) | Trace::Steps(_) => {
                    return Err(WitnessError::broken("a run, or a step with calls, is a part of a path"));
                }
            };
            let key = (leaf.kind, leaf.decomposition);
            let chain_solver = chain_solvers.entry(key).or_insert_with(|| self.chain_solver(store, leaf));
            let end = store.value_cube(self.copies.variables(far), path.last().expect("begun above"));
            let set = self.copies.state(store, leaf.near, near);
            chain_solver.solver.push();
            chain_solver.solver.assert(store, end);
            chain_solver.solver.assert(store, set);
            match chain_solver.solver.check(store, budget) {
                Answer::Sat(mut solution) => {
                    for state in &chain_solver.states {
                        let state: Vec<Value> = state.iter().map(|&v| solution.value(v)).collect();
                        // A step of the identity is none.
                        if path.last() != Some(&state) {
                            path.push(state);
                        }
                    }
                }
                Answer::Unsat(_) => {
                    let what = "the path does not go on: a set was handed over wrongly";
                    return Err(WitnessError::broken(what));
                }
                Answer::Unknown(reason) => return Err(reason.into()),
            }
            chain_solver.solver.pop();
        }
        if self.direction == Direction::Forward {
            path.reverse();
        }
        Ok(path)
    }

    fn chain_solver(&mut self, store: &mut Store, leaf: Leaf) -> ChainSolver {
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        let chain = self.composition.chain(leaf.kind, leaf.decomposition);
        let mut formulas = Vec::new();
        for &link in &chain {
            self.sequences.instance(store, &mut self.copies, 0, link, &mut formulas);
        }
        for formula in formulas {
            solver.assert(store, formula);
        }
        let mut states = Vec::new();
        let mut visit = |copy: usize| {
            let variables = self.copies.variables(copy);
            states.push(variables.iter().map(|&v| solver.variable(store, v)).collect());
        };
        match self.direction {
            Direction::Forward => chain.iter().rev().for_each(|link| visit(link.from)),
            Direction::Backward => chain.iter().for_each(|link| visit(link.to)),
        }
        ChainSolver { solver, states }
    }
}
