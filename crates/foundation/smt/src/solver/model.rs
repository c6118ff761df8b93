//! Models: the values of the variables after a satisfiable query.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_term::{Assignment, Store, Symbol, Value};

/// The values of variables. Those that the query did not mention may have any value; the model takes zero
/// and false for them where a total assignment is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: HashMap<Symbol, Value, FxBuildHasher>,
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

    /// The model as a total assignment.
    pub fn completed<'a>(&'a self, store: &'a Store) -> impl Assignment + 'a {
        move |symbol: Symbol| Some(self.value_or_default(store, symbol))
    }
}

impl Assignment for Model {
    fn value(&self, symbol: Symbol) -> Option<Value> {
        self.get(symbol).cloned()
    }
}
