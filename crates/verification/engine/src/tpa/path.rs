//! The path that a search has found, state by state.
//!
//! The trace of a set consists of chains of exact elements, each with its near set: every state that the chain
//! hands over at its far end is connected with a state of that set. So the walk begins with any state of the set
//! that was handed over last and takes the chains in reverse: a query with the far end fixed gives the states
//! along the chain up to its near end, which is the far end of the next. No query is about more than one chain,
//! and beside the path the walk keeps only as many traces as there are levels.

use std::collections::BTreeMap;

use shem_base::Budget;
use shem_chc::Path;
use shem_proof::NoProof;
use shem_smt::{Answer, Solver, Variable};
use shem_term::{Store, Term, Value};

use super::claim::solve;
use super::copies::{Copies, FIRST, LAST};
use super::sequence::{Composition, Kind, Sequences};
use super::settings::Direction;
use super::trace::{Leaf, Reached, Trace, Traces};
use crate::reason::WitnessError;

/// Values of these variables with which the formulas hold.
pub(super) fn pick(
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

/// What is needed to walk a path.
pub(super) struct Trail {
    pub copies: Copies,
    /// The exact elements.
    pub sequences: Sequences,
    pub composition: Composition,
    pub direction: Direction,
    pub traces: Traces,
    /// The states that were handed over last.
    pub reached: Reached,
}

/// The solver for the chains of one decomposition.
struct Walker {
    solver: Solver<NoProof>,
    /// The variables of the copies along the chain, from the far end to the near one, without the far end.
    states: Vec<Vec<Variable>>,
}

impl Trail {
    /// The states from the first to the last.
    pub(super) fn walk(mut self, store: &mut Store, budget: &mut Budget) -> Result<Path, WitnessError> {
        let variables = self.copies.variables(FIRST).to_vec();
        let end = pick(store, &[self.reached.states], &variables, budget)?;
        self.walk_to(store, end, budget)
    }

    /// The states of a path that has this state, one of those handed over last, at its far end.
    pub(super) fn walk_to(
        &mut self,
        store: &mut Store,
        end: Vec<Value>,
        budget: &mut Budget,
    ) -> Result<Path, WitnessError> {
        let mut path: Path = vec![end];
        let mut walkers: BTreeMap<(Kind, usize), Walker> = BTreeMap::new();
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
            };
            let key = (leaf.kind, leaf.decomposition);
            let walker = walkers.entry(key).or_insert_with(|| self.walker(store, leaf));
            let end = store.value_cube(self.copies.variables(far), path.last().expect("begun above"));
            let set = self.copies.state(store, leaf.near, near);
            walker.solver.push();
            walker.solver.assert(store, end);
            walker.solver.assert(store, set);
            match walker.solver.check(store, budget) {
                Answer::Sat(mut solution) => {
                    for state in &walker.states {
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
            walker.solver.pop();
        }
        if self.direction == Direction::Forward {
            path.reverse();
        }
        Ok(path)
    }

    fn walker(&mut self, store: &mut Store, leaf: Leaf) -> Walker {
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
        Walker { solver, states }
    }
}
