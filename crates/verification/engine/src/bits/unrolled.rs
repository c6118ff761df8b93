//! The circuit of several steps from the initial states.
//!
//! The gates of each step are made when they are needed, and folded: bits that the initial states fix are constants, and
//! what they determine is constant in later steps, too.

use shem_base::{Budget, Lit, UnknownReason, Var};
use shem_chc::Path;
use shem_smt::{BitCircuit, Gate};

use super::{BitSystem, Gates};

/// The circuit of a system's first steps.
pub(crate) struct Unrolled<'a> {
    system: &'a BitSystem,
    circuit: BitCircuit,
    /// By step and by variable of the system's circuit: the literal in this one.
    copies: Vec<Vec<Option<Lit>>>,
    /// By variable of the system's circuit: the value that it has in all initial states, if that is obvious.
    fixed: Vec<Option<bool>>,
    /// Variables to be copied, with their step.
    stack: Vec<(usize, Var)>,
}

impl<'a> Unrolled<'a> {
    /// Nothing yet; there may be so many gates.
    pub(crate) fn new(system: &'a BitSystem, limit: usize) -> Unrolled<'a> {
        let (fixed, _) = system.obvious_initial_bits();
        let circuit = BitCircuit::new(limit);
        Unrolled { system, circuit, copies: Vec::new(), fixed, stack: Vec::new() }
    }

    /// The gates.
    pub(crate) fn circuit(&self) -> &BitCircuit {
        &self.circuit
    }

    /// A literal of the system's circuit after so many steps.
    pub(crate) fn literal(&mut self, step: usize, lit: Lit, budget: &Budget) -> Result<Lit, UnknownReason> {
        while self.copies.len() <= step {
            self.copies.push(vec![None; self.system.num_vars()]);
        }
        self.stack.push((step, lit.var()));
        while let Some(&(step, var)) = self.stack.last() {
            if self.copies[step][var.index()].is_none() {
                let waiting = self.stack.len();
                let copy = self.copy(step, var, budget)?;
                if self.stack.len() > waiting {
                    continue;
                }
                self.copies[step][var.index()] = copy;
            }
            self.stack.pop();
        }
        Ok(self.copies[step][lit.var().index()].expect("it was copied").xor(!lit.is_positive()))
    }

    /// The copy of a variable; if what it depends on has none, that is put on the stack.
    fn copy(&mut self, step: usize, var: Var, budget: &Budget) -> Result<Option<Lit>, UnknownReason> {
        let system = self.system;
        if var == system.truth().var() {
            return Ok(Some(self.circuit.truth().xor(!system.truth().is_positive())));
        }
        let known = |copies: &[Vec<Option<Lit>>], stack: &mut Vec<(usize, Var)>, step: usize, lit: Lit| {
            let copy = copies[step][lit.var().index()];
            if copy.is_none() {
                stack.push((step, lit.var()));
            }
            copy.map(|copy| copy.xor(!lit.is_positive()))
        };
        if let Some(gate) = system.gate(var) {
            let waiting = self.stack.len();
            let mut input = |lit: Lit| {
                known(&self.copies, &mut self.stack, step, lit).unwrap_or_else(|| self.circuit.truth())
            };
            let copy = match gate {
                Gate::And(inputs) => Gate::And(inputs.map(&mut input)),
                Gate::Xor(inputs) => Gate::Xor(inputs.map(&mut input)),
                Gate::Choose(inputs) => Gate::Choose(inputs.map(&mut input)),
                Gate::Majority(inputs) => Gate::Majority(inputs.map(&mut input)),
            };
            return if self.stack.len() > waiting {
                Ok(None)
            } else {
                self.circuit.output(copy, budget).map(Some)
            };
        }
        Ok(Some(match system.place(var) {
            Some(place) if step > 0 => {
                return Ok(known(&self.copies, &mut self.stack, step - 1, system.next[place]));
            }
            Some(_) => match self.fixed[var.index()] {
                Some(value) => self.circuit.truth().xor(!value),
                None => self.circuit.fresh(),
            },
            None => self.circuit.fresh(),
        }))
    }

    /// The states of so many steps, given values of the circuit's variables.
    pub(crate) fn path(&self, steps: usize, value: impl Fn(Lit) -> bool) -> Path {
        let system = self.system;
        let of_copy = |step: usize, var: Var| self.copies[step][var.index()].is_some_and(&value);
        let start = |var: &Var| self.fixed[var.index()].unwrap_or_else(|| of_copy(0, *var));
        let mut state: Vec<bool> = system.state.iter().map(start).collect();
        let mut path = vec![system.state_values(&state)];
        for step in 0..steps {
            let bits = system.state.iter().zip(&state).map(|(var, &bit)| var.lit(bit));
            let inputs = system.inputs().map(|var| var.lit(of_copy(step, var)));
            let truths: Vec<Lit> = bits.chain(inputs).collect();
            let values = system.simulate(&truths);
            let value = |lit: &Lit| values[lit.var().index()] == lit.is_positive();
            debug_assert!(value(&system.constraint), "the step is possible");
            state = system.next.iter().map(value).collect();
            path.push(system.state_values(&state));
        }
        path
    }
}
