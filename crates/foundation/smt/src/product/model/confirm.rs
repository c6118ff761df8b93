//! Confirmation: every application has the value that its function gives to its arguments, and every decided equation
//! is as decided.
//!
//! Constructors, selectors, testers, reads, writes, products and quotients are evaluated by their definitions. What is
//! left open there, and all declared functions, becomes a table; if a table would need two values at one place, there
//! is no such function.

use shem_base::Rat;
use shem_term::{Role, Store, Symbol, Value};

use super::table::FunctionTable;
use super::values::{Failure, Map};
use crate::equality::{Node, NodeShape};
use crate::product::combination::Combination;

/// The functions of a model with these values of nodes.
pub(super) fn confirm(
    combination: &Combination,
    store: &Store,
    values: &[Option<Value>],
) -> Result<Vec<(Symbol, FunctionTable)>, Failure> {
    let closure = combination.closure();
    let mut functions: Vec<(Symbol, FunctionTable)> = Vec::new();
    let mut places: Map<Symbol, usize> = Map::default();
    let value = |node: Node| values[node.index()].as_ref().ok_or("a term has no value");
    for index in 0..closure.len() {
        let node = Node::new(index as u32);
        match closure.shape(node) {
            NodeShape::Equation(a, b) => {
                if let Some(truth) = closure.truth_value(node)
                    && (value(a)? == value(b)?) != truth
                {
                    return Err("the model does not satisfy an equation");
                }
            }
            // A difference is no more than a name.
            NodeShape::Application(function, _) if combination.sorts.is_difference(function) => {}
            NodeShape::Application(function, args) => {
                let (symbol, role) = combination.sorts.symbol(function);
                let args = args.iter().map(|&arg| value(arg).cloned()).collect::<Result<Vec<Value>, _>>()?;
                let result = value(node)?;
                match definition(store, symbol, role, &args, result) {
                    Some(expected) if expected != *result => return Err(mismatch(role)),
                    Some(_) => {}
                    None => {
                        let place = *places.entry(symbol).or_insert_with(|| {
                            let default = store.default_value(store.signature(symbol).result);
                            functions.push((symbol, FunctionTable::new(default)));
                            functions.len() - 1
                        });
                        if functions[place].1.set(args, result.clone()).is_some() {
                            return Err("a function would have two values at one place");
                        }
                    }
                }
            }
            _ => {}
        }
    }
    Ok(functions)
}

fn mismatch(role: Role) -> Failure {
    match role {
        Role::Product | Role::RealQuotient | Role::IntQuotient | Role::Remainder => {
            "nonlinear arithmetic: no model was found that evaluates as it should"
        }
        Role::Bits(_) => "an operation on bit-vectors does not have the value that it should",
        Role::Select | Role::Store | Role::ConstantArray => "the model does not satisfy the axioms of arrays",
        _ => "the model does not satisfy the axioms of datatypes",
    }
}

/// The value that a function has by definition at these arguments; `None` if that is up to the model.
fn definition(store: &Store, symbol: Symbol, role: Role, args: &[Value], result: &Value) -> Option<Value> {
    let number = |index: usize| args[index].as_num();
    match role {
        Role::Function => None,
        Role::Constructor { .. } => Some(Value::data(symbol, args.to_vec())),
        Role::Selector { datatype, constructor, field } => {
            let data = args[0].as_data()?;
            let made_by = store.datatype(datatype).constructors()[constructor as usize].symbol;
            (data.constructor() == made_by).then(|| data.fields()[field as usize].clone())
        }
        Role::Tester { datatype, constructor } => {
            let made_by = store.datatype(datatype).constructors()[constructor as usize].symbol;
            Some(Value::Bool(args[0].as_data()?.constructor() == made_by))
        }
        Role::Select => Some(args[0].as_array()?.get(&args[1]).clone()),
        Role::Store => Some(store.array_with(args[0].as_array()?, args[1].clone(), args[2].clone())),
        Role::ConstantArray => {
            let sort = result.as_array()?.sort();
            Some(store.array_value(sort, args[0].clone(), Vec::new()))
        }
        Role::Bits(op) => {
            let sort = store.signature(symbol).result;
            Some(store.evaluate_bit_op(op, sort, args).expect("bit-vectors have such values"))
        }
        Role::Product => {
            let mut product = Rat::ONE;
            for index in 0..args.len() {
                product = &product * number(index)?;
            }
            Some(Value::Num(product))
        }
        Role::RealQuotient => {
            let divisor = number(1)?;
            (!divisor.is_zero()).then(|| number(0).map(|dividend| Value::Num(dividend / divisor)))?
        }
        Role::IntQuotient | Role::Remainder => {
            let (dividend, divisor) = (number(0)?, number(1)?);
            if divisor.is_zero() {
                return None;
            }
            // The remainder is not negative: the quotient is rounded towards the sign of the divisor.
            let quotient = dividend / &divisor.abs();
            let quotient = Rat::from(quotient.floor());
            let quotient = if divisor.is_negative() { -quotient } else { quotient };
            Some(Value::Num(match role {
                Role::IntQuotient => quotient,
                _ => dividend - &(&quotient * divisor),
            }))
        }
    }
}
