//! Bounded reachability by unrolling: a simple engine, to test others against.
//!
//! Nothing is learnt: a blocked target is answered with its negation, which is a bounded invariant if the
//! target is not reached within the bound.

use shem_base::{Budget, Statistics, UnknownReason};
use shem_chc::{Steps, TransitionSystem};
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use super::reachability::{Reach, Reachability};
use super::trace::{Trace, values};

/// Answers questions of bounded reachability by unrolling the transition relation.
pub struct Unroller {
    steps: Steps,
    /// One solver for each number of steps.
    solvers: Vec<Solver>,
    queries: u64,
}

impl Unroller {
    /// An unroller that has not unrolled anything yet.
    pub fn new(store: &Store, system: &TransitionSystem) -> Unroller {
        Unroller { steps: Steps::new(store, system), solvers: Vec::new(), queries: 0 }
    }
}

impl Reachability for Unroller {
    fn reach(
        &mut self,
        store: &mut Store,
        target: Term,
        bound: usize,
        budget: &mut Budget,
    ) -> Result<Reach, UnknownReason> {
        for length in 0..=bound {
            budget.check_stop()?;
            if self.solvers.len() <= length {
                let mut solver = Solver::new(Default::default());
                solver.assert(store, self.steps.system().initial);
                for step in 0..length {
                    let transition = self.steps.transition(store, step);
                    solver.assert(store, transition);
                }
                self.solvers.push(solver);
            }
            self.queries += 1;
            let goal = self.steps.at(store, target, length);
            match self.solvers[length].check_assuming(store, &[goal], budget) {
                Answer::Unsat(_) => {}
                Answer::Unknown(reason) => return Err(reason),
                Answer::Sat(mut solution) => {
                    let model = solution.model();
                    let state = self.steps.state(store, 0).to_vec();
                    let start = values(store, &model, &state);
                    return Ok(Reach::Path(Trace { start, segments: vec![(length, target)] }));
                }
            }
        }
        Ok(Reach::Blocked(!target))
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::new();
        statistics.add("queries", self.queries);
        statistics
    }
}
