//! A transition system unrolled in a solver, by instances of templates: no terms are built.

use shem_chc::TransitionSystem;
use shem_smt::{Solver, Template, Variable};
use shem_term::{Sort, Store, Term, Value};

/// The formulas of a transition system, compiled.
pub(crate) struct Compiled {
    pub(crate) sorts: Vec<Sort>,
    pub(crate) initial: Template,
    pub(crate) transition: Template,
    pub(crate) bad: Template,
}

impl Compiled {
    pub(crate) fn new(store: &mut Store, system: &TransitionSystem) -> Compiled {
        let mut both = system.state.clone();
        both.extend(&system.next);
        Compiled {
            sorts: system.state.iter().map(|&v| store.sort(v)).collect(),
            initial: Template::new(store, system.initial, &system.state),
            transition: Template::new(store, system.transition, &both),
            bad: Template::new(store, system.bad, &system.state),
        }
    }
}

/// A solver with a row of states; transitions lead from one to the next, or the other way round.
pub(crate) struct Unrolling {
    pub(crate) solver: Solver,
    states: Vec<Vec<Variable>>,
}

impl Unrolling {
    /// A row of one state, without constraints.
    pub(crate) fn new(compiled: &Compiled) -> Unrolling {
        let mut unrolling = Unrolling { solver: Solver::new(Default::default()), states: Vec::new() };
        unrolling.add_state(compiled);
        unrolling
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// The variables of a state.
    pub(crate) fn state(&self, at: usize) -> &[Variable] {
        &self.states[at]
    }

    /// A new state at the end, not connected yet.
    fn add_state(&mut self, compiled: &Compiled) {
        let state = compiled.sorts.iter().map(|&sort| self.solver.fresh(sort)).collect();
        self.states.push(state);
    }

    /// A new state at the end, reached from the one before; the number of the assertion.
    pub(crate) fn step(&mut self, store: &mut Store, compiled: &Compiled) -> u32 {
        self.add_state(compiled);
        let last = self.len() - 1;
        self.connect(store, compiled, last - 1, last)
    }

    /// A new state at the end, from which the one before is reached; the number of the assertion.
    pub(crate) fn step_back(&mut self, store: &mut Store, compiled: &Compiled) -> u32 {
        self.add_state(compiled);
        let last = self.len() - 1;
        self.connect(store, compiled, last, last - 1)
    }

    fn connect(&mut self, store: &mut Store, compiled: &Compiled, from: usize, to: usize) -> u32 {
        let mut actuals = self.states[from].clone();
        actuals.extend_from_slice(&self.states[to]);
        self.solver.instantiate(store, &compiled.transition, &actuals)
    }

    /// Asserts a template over the state at this place.
    pub(crate) fn assert(&mut self, store: &mut Store, template: &Template, at: usize) -> u32 {
        self.solver.instantiate(store, template, &self.states[at])
    }

    /// The terms of the variables of a state, as interpolants have them.
    pub(crate) fn terms(&mut self, store: &mut Store, at: usize) -> Vec<Term> {
        self.states[at].iter().map(|&v| self.solver.term(store, v)).collect()
    }

    /// The values of a state in the model of the last check.
    pub(crate) fn values(&mut self, at: usize) -> Vec<Value> {
        self.states[at].iter().map(|&v| self.solver.value(v).expect("a model")).collect()
    }
}
