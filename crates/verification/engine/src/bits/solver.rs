//! A SAT solver that knows as much of the circuit as its queries need.
//!
//! Gates are loaded with the first query that needs them, as in ABC's `pdr` (Eén, Mishchenko and Brayton, 2011): the
//! cone of a cube is a small part of a large circuit, and variables that are not there are neither assigned nor decided.
//! Clauses for one query live in a scope, which leaves nothing behind.
//!
//! What other queries have loaded does not burden a query: only the variables that its own literals and the clauses depend
//! on are decided and propagated. The others are outputs of gates, which have a value whatever the inputs are, or inputs of
//! such gates alone. (Su, Yang, Ci and others, 2025, do so in rIC3.)

use std::ops::Range;

use shem_base::{Budget, Lit, UnknownReason, Var};
use shem_proof::{NoProof, Origin};
use shem_smt::Gate;
use shem_smt::sat::{Sat, SatStatistics, SolveResult};
use shem_smt::theory::NoTheory;

use super::Gates;

const ABSENT: u32 = u32::MAX;

/// A variable of a solver.
struct Definition {
    /// The variable of the circuit.
    origin: Var,
    /// Where what it depends on is among the inputs.
    inputs: Range<usize>,
    /// Whether the search decides and propagates it.
    is_awake: bool,
}

/// A solver over variables of a circuit.
pub(crate) struct CircuitSolver {
    sat: Sat<NoTheory, NoProof>,
    /// By variable of the circuit: that of the solver.
    loaded: Vec<u32>,
    /// By variable of the solver: what it is.
    definitions: Vec<Definition>,
    /// Variables of the solver, which definitions refer to.
    inputs: Vec<Var>,
    /// Whether the clause of the last query is still there.
    has_scope: bool,
    /// The clauses that were added for good.
    clauses: usize,
    /// The solver's variables that the last query needs, besides those that clauses need.
    awake: Vec<Var>,
    /// Buffers.
    stack: Vec<Var>,
    lits: Vec<Lit>,
}

impl CircuitSolver {
    /// A solver that knows nothing of the circuit yet, whose search follows the seed.
    pub(crate) fn new(seed: u64) -> CircuitSolver {
        let mut sat = Sat::new(NoTheory, NoProof);
        sat.set_seed(seed);
        sat.leave_dormant_alone();
        CircuitSolver {
            sat,
            loaded: Vec::new(),
            definitions: Vec::new(),
            inputs: Vec::new(),
            has_scope: false,
            clauses: 0,
            awake: Vec::new(),
            stack: Vec::new(),
            lits: Vec::new(),
        }
    }

    /// The counters of the search.
    pub(crate) fn statistics(&self) -> &SatStatistics {
        self.sat.statistics()
    }

    /// The clauses that were added for good, whether or not they still matter.
    pub(crate) fn clauses(&self) -> usize {
        self.clauses
    }

    /// The number of variables that were loaded.
    pub(crate) fn size(&self) -> usize {
        self.definitions.len()
    }

    /// Adds a clause, for good.
    pub(crate) fn add_clause(&mut self, gates: &impl Gates, clause: impl Iterator<Item = Lit>) {
        self.end_query();
        let mut lits = std::mem::take(&mut self.lits);
        lits.clear();
        for lit in clause {
            lits.push(self.load(gates, lit));
        }
        self.wake(&lits);
        self.awake.clear();
        self.sat.add_clause(&lits, Origin::Definition);
        self.lits = lits;
        self.clauses += 1;
    }

    /// Whether the clauses, one more for this query and the assumptions have a model.
    pub(crate) fn solve(
        &mut self,
        gates: &impl Gates,
        clause: Option<&[Lit]>,
        assumptions: &[Lit],
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        budget.check_stop()?;
        self.end_query();
        let mut lits = std::mem::take(&mut self.lits);
        lits.clear();
        for &lit in clause.unwrap_or_default().iter().chain(assumptions) {
            lits.push(self.load(gates, lit));
        }
        self.wake(&lits);
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

    /// After a model was found: the value of a literal that the query depends on. Others are false.
    pub(crate) fn value(&self, gates: &impl Gates, lit: Lit) -> bool {
        if let Some(own) = self.own(lit) {
            return self.sat.model_value(own);
        }
        let Some(Gate::And(inputs)) = gates.gate(lit.var()) else { return !lit.is_positive() };
        // A conjunction that was taken apart.
        let mut open = inputs.to_vec();
        while let Some(input) = open.pop() {
            match (self.own(input), gates.gate(input.var())) {
                (None, Some(Gate::And(inner))) if input.is_positive() => open.extend(inner),
                (own, _) if !own.is_some_and(|own| self.sat.model_value(own)) => return !lit.is_positive(),
                _ => {}
            }
        }
        lit.is_positive()
    }

    /// After none was found: assumptions that cannot hold together.
    pub(crate) fn core(&self) -> impl Iterator<Item = Lit> {
        self.sat.core().iter().map(|lit| self.definitions[lit.var().index()].origin.lit(lit.is_positive()))
    }

    /// Removes the clause of the last query.
    fn end_query(&mut self) {
        if std::mem::take(&mut self.has_scope) {
            self.sat.pop();
        }
        for var in self.awake.drain(..) {
            self.sat.release(var);
            self.definitions[var.index()].is_awake = false;
        }
    }

    /// Has the search decide and propagate what these literals of the solver depend on.
    fn wake(&mut self, lits: &[Lit]) {
        self.stack.extend(lits.iter().map(|lit| lit.var()));
        while let Some(own) = self.stack.pop() {
            let definition = &mut self.definitions[own.index()];
            if !std::mem::replace(&mut definition.is_awake, true) {
                self.sat.retain(own);
                self.awake.push(own);
                self.stack.extend_from_slice(&self.inputs[definition.inputs.clone()]);
            }
        }
    }

    fn own(&self, lit: Lit) -> Option<Lit> {
        let own = *self.loaded.get(lit.var().index())?;
        (own != ABSENT).then(|| Var::new(own).lit(lit.is_positive()))
    }

    /// The solver's literal; what it depends on is loaded.
    fn load(&mut self, gates: &impl Gates, lit: Lit) -> Lit {
        if let Some(own) = self.own(lit) {
            return own;
        }
        let first = self.definitions.len();
        let mut places: Vec<Lit> = Vec::new();
        self.stack.push(lit.var());
        while let Some(var) = self.stack.pop() {
            if self.loaded.len() <= var.index() {
                self.loaded.resize(var.index() + 1, ABSENT);
            }
            if self.loaded[var.index()] != ABSENT {
                continue;
            }
            let gate = gates.gate(var);
            let own = if gate.is_some() { self.sat.new_dormant_output() } else { self.sat.new_dormant_var() };
            self.loaded[var.index()] = own.index() as u32;
            let start = places.len();
            match gate {
                Some(Gate::And(inputs)) => self.add_conjuncts(gates, inputs, &mut places),
                Some(gate) => places.extend_from_slice(gate.inputs()),
                None => {}
            }
            self.stack.extend(places[start..].iter().map(|lit| lit.var()));
            let base = self.inputs.len();
            let inputs = base + start..base + places.len();
            self.definitions.push(Definition { origin: var, inputs, is_awake: false });
        }
        let loaded = &self.loaded;
        let own = |lit: Lit| Var::new(loaded[lit.var().index()]).lit(lit.is_positive());
        let base = self.inputs.len();
        self.inputs.extend(places.iter().map(|&lit| own(lit).var()));
        for at in first..self.definitions.len() {
            let Definition { origin, inputs, .. } = &self.definitions[at];
            let output = Var::new(at as u32).positive();
            let sat = &mut self.sat;
            match gates.gate(*origin) {
                None if *origin == gates.truth().var() => {
                    sat.add_clause(&[own(gates.truth())], Origin::Definition);
                }
                None => {}
                Some(Gate::And(_)) => {
                    let inputs = &places[inputs.start - base..inputs.end - base];
                    let mut clause = vec![output];
                    for &input in inputs {
                        sat.add_clause(&[!output, own(input)], Origin::Definition);
                        clause.push(!own(input));
                    }
                    sat.add_clause(&clause, Origin::Definition);
                }
                Some(gate) => gate.define(origin.positive(), |clause| {
                    let mut lits = [own(clause[0]); 3];
                    for (to, &from) in lits.iter_mut().zip(clause) {
                        *to = own(from);
                    }
                    sat.add_clause(&lits[..clause.len()], Origin::Definition);
                }),
            }
        }
        Var::new(self.loaded[lit.var().index()]).lit(lit.is_positive())
    }

    /// The inputs of a conjunction; those that are conjunctions themselves, and nothing else needs them, are taken apart.
    fn add_conjuncts(&self, gates: &impl Gates, inputs: [Lit; 2], found: &mut Vec<Lit>) {
        let mut open = inputs.to_vec();
        while let Some(lit) = open.pop() {
            match gates.gate(lit.var()) {
                Some(Gate::And(inner))
                    if lit.is_positive() && !gates.is_shared(lit.var()) && self.own(lit).is_none() =>
                {
                    open.extend(inner);
                }
                _ => found.push(lit),
            }
        }
    }
}
