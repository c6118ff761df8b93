//! Transition systems over truth values and bit-vectors, bit by bit.
//!
//! - `functional`: the transition as functions of state and inputs, with a constraint;
//! - `system`: the circuit of a system, its values, and reasons for values (in place of ternary simulation);
//! - `solver`: a SAT solver that loads as much of a circuit as is needed;
//! - `unrolled`: the circuit of several steps.

mod functional;
mod solver;
mod system;
mod unrolled;

pub(crate) use solver::CircuitSolver;
pub(crate) use system::{BitSystem, Cube};
pub(crate) use unrolled::Unrolled;

use shem_base::{Lit, Var};
use shem_smt::{BitCircuit, Gate};

/// Gates by their outputs.
pub(crate) trait Gates {
    /// The literal that is always true.
    fn truth(&self) -> Lit;

    /// The gate whose output a variable is.
    fn gate(&self, var: Var) -> Option<Gate>;

    /// Whether several gates may need a variable.
    fn is_shared(&self, var: Var) -> bool;
}

impl Gates for BitCircuit {
    fn truth(&self) -> Lit {
        BitCircuit::truth(self)
    }

    fn gate(&self, var: Var) -> Option<Gate> {
        self.gate_of(var)
    }

    fn is_shared(&self, _: Var) -> bool {
        true
    }
}
