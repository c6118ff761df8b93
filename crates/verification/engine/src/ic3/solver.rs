//! A SAT solver that knows as much of the circuit as its queries need.
//!
//! Gates are loaded with the first query that needs them, as in ABC's `pdr` (Eén, Mishchenko and Brayton, 2011): the
//! cone of a cube is a small part of a large circuit, and variables that are not there are neither assigned nor decided.
//! Clauses for one query live in a scope, which leaves nothing behind.

use shem_base::{Budget, Lit, UnknownReason, Var};
use shem_proof::{NoProof, Origin};
use shem_smt::sat::{Sat, SatStatistics, SolveResult};
use shem_smt::theory::NoTheory;

use super::system::BitSystem;

const ABSENT: u32 = u32::MAX;

/// A solver over variables of a circuit.
pub(super) struct CircuitSolver {
    sat: Sat<NoTheory, NoProof>,
    /// By variable of the circuit: that of the solver.
    loaded: Vec<u32>,
    /// By variable of the solver: that of the circuit.
    origins: Vec<Var>,
    /// Whether the clause of the last query is still there.
    has_scope: bool,
    /// The clauses that were added for good.
    clauses: usize,
    /// Buffers.
    stack: Vec<Var>,
    lits: Vec<Lit>,
}

impl CircuitSolver {
    /// A solver that knows nothing of the circuit yet.
    pub(super) fn new(system: &BitSystem) -> CircuitSolver {
        CircuitSolver {
            sat: Sat::new(NoTheory, NoProof),
            loaded: vec![ABSENT; system.num_vars()],
            origins: Vec::new(),
            has_scope: false,
            clauses: 0,
            stack: Vec::new(),
            lits: Vec::new(),
        }
    }

    /// The counters of the search.
    pub(super) fn statistics(&self) -> &SatStatistics {
        self.sat.statistics()
    }

    /// The clauses that were added for good, whether or not they still matter.
    pub(super) fn clauses(&self) -> usize {
        self.clauses
    }

    /// The number of variables that were loaded.
    pub(super) fn size(&self) -> usize {
        self.origins.len()
    }

    /// Adds a clause, for good.
    pub(super) fn add_clause(&mut self, system: &BitSystem, clause: impl Iterator<Item = Lit>) {
        self.end_query();
        let mut lits = std::mem::take(&mut self.lits);
        lits.clear();
        for lit in clause {
            lits.push(self.load(system, lit));
        }
        self.sat.add_clause(&lits, Origin::Definition);
        self.lits = lits;
        self.clauses += 1;
    }

    /// Whether the clauses, one more for this query and the assumptions have a model.
    pub(super) fn solve(
        &mut self,
        system: &BitSystem,
        clause: Option<&[Lit]>,
        assumptions: &[Lit],
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        budget.check_stop()?;
        self.end_query();
        let mut lits = std::mem::take(&mut self.lits);
        lits.clear();
        for &lit in clause.unwrap_or_default().iter().chain(assumptions) {
            lits.push(self.load(system, lit));
        }
        let own = lits.split_off(clause.map_or(0, <[Lit]>::len));
        if clause.is_some() {
            self.sat.push();
            self.has_scope = true;
            self.sat.add_clause(&lits, Origin::Definition);
        }
        self.lits = lits;
        match self.sat.solve(&own, budget) {
            SolveResult::Sat => Ok(true),
            SolveResult::Unsat => Ok(false),
            SolveResult::Unknown(reason) => Err(reason),
        }
    }

    /// After a model was found: the value of a literal, if its variable is known here.
    pub(super) fn value(&self, lit: Lit) -> Option<bool> {
        let own = self.own(lit)?;
        Some(self.sat.model_value(own))
    }

    /// After none was found: assumptions that cannot hold together.
    pub(super) fn core(&self) -> impl Iterator<Item = Lit> {
        self.sat.core().iter().map(|lit| self.origins[lit.var().index()].lit(lit.is_positive()))
    }

    /// Removes the clause of the last query.
    fn end_query(&mut self) {
        if std::mem::take(&mut self.has_scope) {
            self.sat.pop();
        }
    }

    fn own(&self, lit: Lit) -> Option<Lit> {
        let own = self.loaded[lit.var().index()];
        (own != ABSENT).then(|| Var::new(own).lit(lit.is_positive()))
    }

    /// The solver's literal; what it depends on is loaded.
    fn load(&mut self, system: &BitSystem, lit: Lit) -> Lit {
        if let Some(own) = self.own(lit) {
            return own;
        }
        let first = self.origins.len();
        self.stack.push(lit.var());
        while let Some(var) = self.stack.pop() {
            if self.loaded[var.index()] == ABSENT {
                self.loaded[var.index()] = self.sat.new_var().index() as u32;
                self.origins.push(var);
                let inputs = system.gate(var).map_or(&[][..], |gate| gate.inputs());
                self.stack.extend(inputs.iter().map(|lit| lit.var()));
            }
        }
        for at in first..self.origins.len() {
            let var = self.origins[at];
            let (loaded, sat) = (&self.loaded, &mut self.sat);
            let own = |lit: Lit| Var::new(loaded[lit.var().index()]).lit(lit.is_positive());
            if var == system.truth().var() {
                sat.add_clause(&[own(system.truth())], Origin::Definition);
            }
            if let Some(gate) = system.gate(var) {
                gate.define(var.positive(), |clause| {
                    let mut lits = [own(clause[0]); 3];
                    for (to, &from) in lits.iter_mut().zip(clause) {
                        *to = own(from);
                    }
                    sat.add_clause(&lits[..clause.len()], Origin::Definition);
                });
            }
        }
        Var::new(self.loaded[lit.var().index()]).lit(lit.is_positive())
    }
}
