//! Terms of values, and literals that give variables their values.

use crate::eval::Value;
use crate::sort::Sort;
use crate::store::Store;
use crate::term::Term;

impl Store {
    /// The constant of this sort with this value.
    pub fn value_term(&mut self, value: &Value, sort: Sort) -> Term {
        match value {
            Value::Bool(truth) => Term::from_bool(*truth),
            Value::Num(number) => self.numeral(number, sort),
        }
    }

    /// The literal that gives a variable this value.
    pub fn value_literal(&mut self, variable: Term, value: &Value) -> Term {
        let sort = self.sort(variable);
        let constant = self.value_term(value, sort);
        self.eq(variable, constant)
    }

    /// The literals that give the variables these values, in their order.
    pub fn value_literals(&mut self, variables: &[Term], values: &[Value]) -> Vec<Term> {
        let pairs = variables.iter().zip(values);
        pairs.map(|(&variable, value)| self.value_literal(variable, value)).collect()
    }

    /// The conjunction of [`Store::value_literals`].
    pub fn value_cube(&mut self, variables: &[Term], values: &[Value]) -> Term {
        let literals = self.value_literals(variables, values);
        self.and(&literals)
    }
}
