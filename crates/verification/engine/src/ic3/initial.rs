//! The initial states: which cubes are outside of them.

use shem_base::{Budget, Lit, UnknownReason};
use shem_smt::Gate;

use super::solver::CircuitSolver;
use super::system::{BitSystem, Cube};

/// The initial states, as a solver and, as far as they are one, as a cube.
pub(super) struct Initial {
    solver: CircuitSolver,
    /// By variable of the circuit: the value that it has in all initial states, if that is obvious.
    fixed: Vec<Option<bool>>,
    /// Whether a state is initial if only these values are right.
    is_cube: bool,
}

impl Initial {
    /// The initial states of a system.
    pub(super) fn new(system: &BitSystem) -> Initial {
        let mut solver = CircuitSolver::new(system);
        solver.add_clause(system, [system.initial].into_iter());
        let mut fixed = vec![None; system.num_vars()];
        let mut is_cube = true;
        let mut stack = vec![system.initial];
        while let Some(lit) = stack.pop() {
            match system.gate(lit.var()) {
                Some(Gate::And(inputs)) if lit.is_positive() => stack.extend(inputs),
                None if system.is_state(lit.var()) => {
                    let value = fixed[lit.var().index()].get_or_insert(lit.is_positive());
                    is_cube &= *value == lit.is_positive();
                }
                None if lit == system.truth() => {}
                _ => is_cube = false,
            }
        }
        Initial { solver, fixed, is_cube }
    }

    /// Literals of the cube that exclude all initial states; `None` if some are in the cube.
    pub(super) fn conflict(
        &mut self,
        system: &BitSystem,
        cube: &[Lit],
        budget: &mut Budget,
    ) -> Result<Option<Cube>, UnknownReason> {
        let differs = |lit: &&Lit| self.fixed[lit.var().index()] == Some(!lit.is_positive());
        if let Some(&lit) = cube.iter().find(differs) {
            return Ok(Some(vec![lit]));
        }
        if self.is_cube {
            return Ok(None);
        }
        if self.solver.solve(system, None, cube, budget)? {
            return Ok(None);
        }
        Ok(Some(self.solver.core().collect()))
    }

    /// An initial state that satisfies the literals, bit by bit.
    pub(super) fn state(
        &mut self,
        system: &BitSystem,
        lits: &[Lit],
        budget: &mut Budget,
    ) -> Result<Option<Vec<bool>>, UnknownReason> {
        if !self.solver.solve(system, None, lits, budget)? {
            return Ok(None);
        }
        let value = |var: &shem_base::Var| self.solver.value(var.positive()).unwrap_or(false);
        Ok(Some(system.state.iter().map(value).collect()))
    }
}
