//! What can be read off a satisfiable check: the values of its variables.

use shem_proof::{ProofLog, ProofSink};
use shem_term::Value;

use super::core::Binding;
use super::facade::Solver;
use super::instance::Variable;
use super::model::Model;

/// A satisfiable check. Values are computed when they are asked for.
pub struct Solution<'s, P = ProofLog> {
    solver: &'s mut Solver<P>,
}

impl<'s, P> Solution<'s, P> {
    #[inline]
    pub(super) fn new(solver: &'s mut Solver<P>) -> Self {
        Solution { solver }
    }

    /// Gives the solver back: nothing can be asked of this check any more.
    pub fn into_solver(self) -> &'s mut Solver<P> {
        self.solver
    }

    /// The solver as it is now.
    pub fn solver(&self) -> &Solver<P> {
        self.solver
    }
}

impl<P: ProofSink> Solution<'_, P> {
    /// The values of all variables and functions that occur in the assertions.
    pub fn model(&mut self) -> Model {
        let core = &mut self.solver.core;
        core.sat.theory_mut().arith.model();
        let mut model = Model::default();
        for &symbol in core.symbols() {
            let value = match core.binding(symbol) {
                Binding::None => continue,
                Binding::Node(node) => match self.solver.values.get(node) {
                    Some(value) => value.clone(),
                    None => continue,
                },
                Binding::Bool(lit) => Value::Bool(core.sat.model_value(lit)),
                Binding::Number(x) => Value::Num(core.sat.theory().arith.value(x)),
            };
            model.insert(symbol, value);
        }
        for (symbol, table) in self.solver.values.functions() {
            model.insert_function(*symbol, table.clone());
        }
        model
    }

    /// The value of one variable.
    pub fn value(&mut self, variable: Variable) -> Value {
        match variable {
            Variable::Bool(lit) => Value::Bool(self.solver.core.sat.model_value(lit)),
            Variable::Node(node) => {
                self.solver.values.get(node).cloned().expect("a node has a value in each model")
            }
            Variable::Number(x) => {
                let theory = &mut self.solver.core.sat.theory_mut().arith;
                theory.model();
                Value::Num(theory.value(x))
            }
        }
    }
}
