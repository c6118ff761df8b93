//! Models: the values of the variables and functions after a satisfiable query.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_term::{Assignment, Store, Symbol, Value};

use crate::product::FunctionTable;

/// The values of variables and functions. Those that the query did not mention may have any value; the model takes
/// the default of their sort for them where a total assignment is asked for.
///
/// Beside declared functions there are tables for selectors, of values that another constructor made, and for
/// quotients and remainders, by zero: there, too, a function may have any value, but the same each time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: HashMap<Symbol, Value, FxBuildHasher>,
    functions: BTreeMap<Symbol, FunctionTable>,
}

impl Model {
    /// Sets the value of a variable.
    pub fn insert(&mut self, symbol: Symbol, value: Value) {
        self.values.insert(symbol, value);
    }

    /// The value of a variable that the query mentioned.
    pub fn get(&self, symbol: Symbol) -> Option<&Value> {
        self.values.get(&symbol)
    }

    /// The value of a variable, or the default of its sort.
    pub fn value_or_default(&self, store: &Store, symbol: Symbol) -> Value {
        self.get(symbol).cloned().unwrap_or_else(|| store.default_value(store.signature(symbol).result))
    }

    /// Sets a function.
    pub fn insert_function(&mut self, symbol: Symbol, table: FunctionTable) {
        self.functions.insert(symbol, table);
    }

    /// A function that the query mentioned.
    pub fn function(&self, symbol: Symbol) -> Option<&FunctionTable> {
        self.functions.get(&symbol)
    }

    /// The functions that the query mentioned, sorted by symbol.
    pub fn functions(&self) -> impl Iterator<Item = (Symbol, &FunctionTable)> {
        self.functions.iter().map(|(&symbol, table)| (symbol, table))
    }

    /// The model as a total assignment.
    pub fn completed<'a>(&'a self, store: &'a Store) -> impl Assignment + 'a {
        Completed { model: self, store }
    }
}

impl Assignment for Model {
    fn value(&self, symbol: Symbol) -> Option<Value> {
        self.get(symbol).cloned()
    }

    fn apply(&self, symbol: Symbol, args: &[Value]) -> Option<Value> {
        self.functions.get(&symbol).map(|table| table.get(args).clone())
    }
}

/// A model with defaults for what it does not mention.
struct Completed<'a> {
    model: &'a Model,
    store: &'a Store,
}

impl Assignment for Completed<'_> {
    fn value(&self, symbol: Symbol) -> Option<Value> {
        Some(self.model.value_or_default(self.store, symbol))
    }

    fn apply(&self, symbol: Symbol, args: &[Value]) -> Option<Value> {
        let default = || self.store.default_value(self.store.signature(symbol).result);
        Some(self.model.apply(symbol, args).unwrap_or_else(default))
    }
}
