//! A transition system unrolled as terms.
//!
//! Every step has its own copy of the variables; copy 0 is the state of the system. Deep unrollings of engines use
//! templates instead, which build no terms.

use shem_term::{Store, Term};

use crate::transition::TransitionSystem;

/// A transition system with copies of its state, made on demand.
#[derive(Clone, Debug)]
pub struct Steps {
    system: TransitionSystem,
    states: Vec<Vec<Term>>,
    transitions: Vec<Term>,
    auxiliaries: Vec<Term>,
}

impl Steps {
    /// No steps yet.
    pub fn new(store: &Store, system: &TransitionSystem) -> Steps {
        let mut auxiliaries = store.free_variables(&[system.transition]);
        auxiliaries.retain(|v| !system.state.contains(v) && !system.next.contains(v));
        Steps {
            system: system.clone(),
            states: vec![system.state.clone()],
            transitions: Vec::new(),
            auxiliaries,
        }
    }

    /// The system.
    pub fn system(&self) -> &TransitionSystem {
        &self.system
    }

    /// The variables of the state after `step` steps.
    pub fn state(&mut self, store: &mut Store, step: usize) -> &[Term] {
        while self.states.len() <= step {
            let copy = copies(store, &self.system.state, self.states.len());
            self.states.push(copy);
        }
        &self.states[step]
    }

    /// The transition from the state `step` to the next one, with auxiliary variables of its own.
    pub fn transition(&mut self, store: &mut Store, step: usize) -> Term {
        while self.transitions.len() <= step {
            let at = self.transitions.len();
            self.state(store, at + 1);
            let mut from = self.system.state.clone();
            from.extend(&self.system.next);
            from.extend(&self.auxiliaries);
            let mut to = self.states[at].clone();
            to.extend(&self.states[at + 1]);
            if at == 0 {
                to.extend(&self.auxiliaries);
            } else {
                to.extend(copies(store, &self.auxiliaries, at));
            }
            let copy = store.rename(self.system.transition, &from, &to);
            self.transitions.push(copy);
        }
        self.transitions[step]
    }

    /// A formula over the state, about the state after `step` steps.
    pub fn at(&mut self, store: &mut Store, formula: Term, step: usize) -> Term {
        if step == 0 {
            return formula;
        }
        self.state(store, step);
        store.rename(formula, &self.system.state, &self.states[step])
    }
}

/// New variables named after these.
fn copies(store: &mut Store, variables: &[Term], step: usize) -> Vec<Term> {
    let mut result = Vec::with_capacity(variables.len());
    for &variable in variables {
        let symbol = store.as_var(variable).expect("a variable");
        let name = format!("{}@{step}", store.name(symbol));
        let sort = store.sort(variable);
        result.push(store.variable(&name, sort));
    }
    result
}
