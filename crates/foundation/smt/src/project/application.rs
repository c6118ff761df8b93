//! The values of applications in a model, by the role of the symbol.

use shem_base::Rat;
use shem_term::{Assignment, Role, Store, Symbol, Term, Value};

use super::valuation::Valuation;
use crate::Model;

impl Valuation {
    /// The value of an application whose arguments have been valued. A declared function that the model does not
    /// know has none; a selector of another constructor's value and a division by zero have the default of the sort
    /// if the model says nothing.
    pub(super) fn value_of_application(
        &self,
        store: &Store,
        model: &Model,
        symbol: Symbol,
        args: &[Term],
    ) -> Option<Value> {
        let all = || args.iter().map(|&arg| self.value(arg)).collect::<Option<Vec<Value>>>();
        let unspecified = |args: &[Value]| {
            let default = || store.default_value(store.signature(symbol).result);
            Some(model.apply(symbol, args).unwrap_or_else(default))
        };
        let role = store.role(symbol);
        match role {
            Role::Function => model.apply(symbol, &all()?),
            Role::Constructor { .. } => Some(Value::data(symbol, all()?)),
            Role::Selector { datatype, constructor, field } => {
                let whole = self.value_ref(args[0])?;
                let data = whole.as_data()?;
                if data.constructor() == store.datatype(datatype).constructors()[constructor as usize].symbol
                {
                    data.fields().get(field as usize).cloned()
                } else {
                    unspecified(std::slice::from_ref(whole))
                }
            }
            Role::Tester { datatype, constructor } => {
                let constructor = store.datatype(datatype).constructors()[constructor as usize].symbol;
                Some(Value::Bool(self.value_ref(args[0])?.as_data()?.constructor() == constructor))
            }
            Role::Select => {
                let index = self.value(args[1])?;
                Some(self.value_ref(args[0])?.as_array()?.get(&index).clone())
            }
            Role::Store => {
                let array = self.value_ref(args[0])?.as_array()?;
                Some(store.array_with(array, self.value(args[1])?, self.value(args[2])?))
            }
            Role::ConstantArray => {
                let sort = store.signature(symbol).result;
                Some(store.array_value(sort, self.value(args[0])?, Vec::new()))
            }
            Role::Bits(op) => store.evaluate_bit_op(op, store.signature(symbol).result, &all()?),
            Role::Product => {
                let mut product = Rat::ONE;
                for &arg in args {
                    product *= self.number(arg)?;
                }
                Some(Value::Num(product))
            }
            Role::RealQuotient | Role::IntQuotient | Role::Remainder => {
                let (dividend, divisor) = (self.number(args[0])?, self.number(args[1])?);
                if divisor.is_zero() {
                    return unspecified(&all()?);
                }
                let quotient = dividend / divisor;
                // SMT-LIB's remainder is never negative.
                let rounded =
                    || Rat::from(if divisor.is_negative() { quotient.ceil() } else { quotient.floor() });
                Some(Value::Num(match role {
                    Role::RealQuotient => quotient,
                    Role::IntQuotient => rounded(),
                    _ => dividend - &(&rounded() * divisor),
                }))
            }
        }
    }
}
