//! Functions as tables.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_term::Value;

/// A function: its values at finitely many places, and a value everywhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionTable {
    entries: Vec<(Box<[Value]>, Value)>,
    index: HashMap<Box<[Value]>, u32, FxBuildHasher>,
    default: Value,
}

impl FunctionTable {
    /// The function with this value everywhere.
    pub fn new(default: Value) -> FunctionTable {
        FunctionTable { entries: Vec::new(), index: HashMap::default(), default }
    }

    /// Sets the value at these arguments. Returns the value that was set before, if it is another one, and leaves it.
    pub fn set(&mut self, args: Vec<Value>, value: Value) -> Option<&Value> {
        let args: Box<[Value]> = args.into();
        if let Some(&at) = self.index.get(&args) {
            let before = &self.entries[at as usize].1;
            return (*before != value).then_some(before);
        }
        self.index.insert(args.clone(), self.entries.len() as u32);
        self.entries.push((args, value));
        None
    }

    /// The value at these arguments.
    pub fn get(&self, args: &[Value]) -> &Value {
        match self.index.get(args) {
            Some(&at) => &self.entries[at as usize].1,
            None => &self.default,
        }
    }

    /// The places with their values, in the order in which they were set.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&[Value], &Value)> {
        self.entries.iter().map(|(args, value)| (&**args, value))
    }

    /// The value at all other places.
    pub fn default(&self) -> &Value {
        &self.default
    }
}
