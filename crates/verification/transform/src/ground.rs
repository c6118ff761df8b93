//! Ground steps: whether an edge allows one, given the values of its sources and of its target.
//!
//! A path of a million steps needs a million of these questions about a few edges. Most labels are decided
//! by evaluation; where the auxiliary variables matter, a solver that holds the label is asked in a scope of
//! its own, so that nothing accumulates from one step to the next.

use shem_base::{Budget, UnknownReason};
use shem_chc::{Edge, Graph};
use shem_smt::{Solver, Status};
use shem_term::{Store, Symbol, Term, Value};

/// An edge about which ground steps are asked.
pub(crate) struct GroundEdge {
    label: Term,
    /// The canonical variables of the sources and of the target, with their positions in the list of values;
    /// sorted.
    positions: Vec<(Symbol, usize)>,
    variables: Vec<Term>,
    /// Holds the label; made when evaluation does not decide for the first time.
    solver: Option<Box<Solver>>,
    values: Vec<Value>,
}

impl GroundEdge {
    /// Prepares for questions about an edge, in or no longer in the graph.
    pub(crate) fn new(store: &Store, graph: &Graph, edge: &Edge) -> GroundEdge {
        let mut variables = Vec::new();
        for position in 0..edge.sources.len() {
            variables.extend_from_slice(graph.source_variables(edge, position));
        }
        variables.extend_from_slice(graph.vertex(edge.target).target());
        let symbol = |&v: &Term| store.as_var(v).expect("a variable");
        let mut positions: Vec<_> = variables.iter().map(symbol).zip(0..).collect();
        positions.sort_unstable();
        GroundEdge { label: edge.label, positions, variables, solver: None, values: Vec::new() }
    }

    /// Whether the edge leads from these arguments of its sources to these of its target.
    ///
    /// # Panics
    /// If there is not one value for each canonical variable.
    pub(crate) fn allows(
        &mut self,
        store: &mut Store,
        sources: &[&[Value]],
        target: &[Value],
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        budget.check_stop()?;
        self.values.clear();
        for values in sources {
            self.values.extend_from_slice(values);
        }
        self.values.extend_from_slice(target);
        assert_eq!(self.values.len(), self.variables.len(), "one value for each variable");
        let (positions, values) = (&self.positions, &self.values);
        let assignment = |symbol: Symbol| {
            let at = positions.binary_search_by_key(&symbol, |entry| entry.0).ok()?;
            Some(values[positions[at].1].clone())
        };
        if let Some(Value::Bool(truth)) = store.evaluate(self.label, &assignment) {
            return Ok(truth);
        }
        let solver = self.solver.get_or_insert_with(|| {
            let mut solver = Box::new(Solver::new(Default::default()));
            solver.assert(store, self.label);
            solver
        });
        solver.push();
        for (&variable, value) in self.variables.iter().zip(&self.values) {
            let literal = store.value_literal(variable, value);
            solver.assert(store, literal);
        }
        let status = solver.check(store, budget).status();
        solver.pop();
        match status {
            Status::Sat => Ok(true),
            Status::Unsat => Ok(false),
            Status::Unknown(reason) => Err(reason),
        }
    }
}
