//! The initial states: which cubes are outside of them.

use shem_base::{Budget, Lit, UnknownReason};

use crate::bits::{BitSystem, CircuitSolver, Cube};

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
    pub(super) fn new(system: &BitSystem, seed: u64) -> Initial {
        let mut solver = CircuitSolver::new(seed);
        solver.add_clause(system, [system.initial].into_iter());
        let (fixed, is_cube) = system.obvious_initial_bits();
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
        let value = |var: &shem_base::Var| self.solver.value(system, var.positive());
        Ok(Some(system.state.iter().map(value).collect()))
    }
}
