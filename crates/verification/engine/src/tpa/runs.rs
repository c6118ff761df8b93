//! Deep paths are run, not searched.
//!
//! An abstract path of 2^n steps is replaced by a real one link by link, down to single steps: a query for each of
//! them. Where the system is a program, the real path from an initial state is the run of that program, which costs
//! next to nothing (see [`running`](crate::running)). So if the levels of whole abstract paths are high, the initial state
//! of each is run first; if the run ends in a bad state, it is the path.

use shem_base::{Budget, UnknownReason};
use shem_chc::{StepId, TransitionSystem};
use shem_smt::Model;
use shem_term::{Store, Term, Value};

use super::settings::Direction;
use super::trace::{Reached, Trace, Traces};
use crate::running::Runner;

/// The level from which on paths are run.
const LOWEST_LEVEL: usize = 7;

/// Runs of the system from the initial states of abstract paths.
pub(super) struct Runs {
    system: TransitionSystem,
    seed: u64,
    /// Made when it is needed first; `None` inside if the steps are no functions.
    runner: Option<Option<Runner>>,
    /// How many runs there were.
    pub count: u64,
}

impl Runs {
    pub(super) fn new(system: TransitionSystem, seed: u64) -> Runs {
        Runs { system, seed, runner: None, count: 0 }
    }

    /// Runs from the initial state of a model, if this is a whole path of a high level. `state` are its variables.
    #[expect(clippy::too_many_arguments, reason = "the parts of a query and where its result goes")]
    pub(super) fn reach(
        &mut self,
        store: &mut Store,
        level: usize,
        [source, target]: [Term; 2],
        state: &[Term],
        model: &Model,
        direction: Direction,
        traces: &mut Traces,
        budget: &Budget,
    ) -> Result<Option<Reached>, UnknownReason> {
        if level < LOWEST_LEVEL || (source, target) != (self.system.initial, self.system.bad) {
            return Ok(None);
        }
        let (system, seed) = (&self.system, self.seed);
        let runner = self
            .runner
            .get_or_insert_with(|| Runner::new(store, system, seed).filter(|runner| runner.is_functional()));
        let Some(runner) = runner else { return Ok(None) };
        let value = |&v: &Term| model.value_or_default(store, store.as_var(v).expect("a variable"));
        let start: Vec<Value> = state.iter().map(value).collect();
        self.count += 1;
        let Some(path) = runner.run(&start, budget)? else { return Ok(None) };
        let far = match direction {
            Direction::Forward => StepId::new(path.len() - 1),
            Direction::Backward => StepId::new(0),
        };
        let states = store.value_cube(state, path.step(far).values);
        let trace = traces.add(Trace::Run(Box::new(path)));
        Ok(Some(Reached { states, trace }))
    }
}
