//! From a chain of sets of states to a path of states.

use shem_base::{Budget, UnknownReason};
use shem_chc::{Path, Steps, TransitionSystem};
use shem_smt::{Answer, Model, Solver};
use shem_term::{Store, Term, Value};

/// A first state, and sets of states (formulas over the state) to go through, each reached from every state of
/// the one before in a number of steps.
#[derive(Clone, Debug)]
pub struct Trace {
    /// An initial state.
    pub start: Vec<Value>,
    /// The sets after the first state, with the number of steps to each.
    pub segments: Vec<(usize, Term)>,
}

impl Trace {
    /// The number of steps.
    pub fn len(&self) -> usize {
        self.segments.iter().map(|(steps, _)| steps).sum()
    }

    /// Whether the trace is a single state.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The states of the trace, found one segment at a time; `None` if some segment has no path.
    pub(super) fn path(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        budget: &mut Budget,
    ) -> Result<Option<Path>, UnknownReason> {
        let mut steps = Steps::new(store, system);
        let mut path = vec![self.start.clone()];
        let mut solvers: Vec<Option<Solver>> = Vec::new();
        for &(length, target) in &self.segments {
            if length == 0 {
                continue;
            }
            if solvers.len() <= length {
                solvers.resize_with(length + 1, || None);
            }
            let solver = solvers[length].get_or_insert_with(|| {
                let mut solver = Solver::new(Default::default());
                for step in 0..length {
                    let transition = steps.transition(store, step);
                    solver.assert(store, transition);
                }
                solver
            });
            solver.push();
            let here = path.last().expect("the first state");
            let fixed = store.value_cube(&system.state, here);
            solver.assert(store, fixed);
            let target = steps.at(store, target, length);
            solver.assert(store, target);
            let model = match solver.check(store, budget) {
                Answer::Sat(mut solution) => solution.model(),
                Answer::Unsat(_) => return Ok(None),
                Answer::Unknown(reason) => return Err(reason),
            };
            for step in 1..=length {
                let state = steps.state(store, step).to_vec();
                path.push(values(store, &model, &state));
            }
            solver.pop();
        }
        Ok(Some(path))
    }
}

/// The values of variables in a model.
pub(super) fn values(store: &Store, model: &Model, variables: &[Term]) -> Vec<Value> {
    let value = |&v: &Term| model.value_or_default(store, store.as_var(v).expect("a variable"));
    variables.iter().map(value).collect()
}
