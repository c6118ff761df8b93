//! Values of functions, by evaluation of their cases.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use shem_base::{Rng, add_work};
use shem_term::{Assignment, Sort, Store, Symbol, Term, Value};

use super::reading::Function;

/// The calls that may be open at the same time.
const DEEPEST: usize = 120;

/// The calls for one value.
const MOST_CALLS: usize = 3_000;

/// Evaluates functions. What was evaluated is remembered.
pub(super) struct Machine<'a> {
    store: &'a Store,
    functions: &'a [Function],
    index: BTreeMap<Symbol, usize>,
    known: RefCell<FxHashMap<(usize, Vec<Value>), Value>>,
    depth: Cell<usize>,
    calls: Cell<usize>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(store: &'a Store, functions: &'a [Function]) -> Machine<'a> {
        let index = functions.iter().enumerate().map(|(at, function)| (function.symbol, at)).collect();
        Machine {
            store,
            functions,
            index,
            known: RefCell::default(),
            depth: Cell::new(0),
            calls: Cell::new(0),
        }
    }

    /// The value of a function; `None` if that takes too long.
    pub(super) fn value(&self, function: usize, args: &[Value]) -> Option<Value> {
        self.depth.set(0);
        self.calls.set(0);
        self.call(function, args)
    }

    /// The values of all cases that apply.
    pub(super) fn cases(&self, function: usize, args: &[Value]) -> Option<Vec<Value>> {
        self.depth.set(0);
        self.calls.set(0);
        let own = &self.functions[function];
        let frame = Frame { machine: self, parameters: &own.parameters, args };
        let mut values = Vec::new();
        for case in &own.cases {
            if frame.holds(&case.guards)? {
                values.push(self.store.evaluate(case.output, &frame)?);
            }
        }
        Some(values)
    }

    fn call(&self, function: usize, args: &[Value]) -> Option<Value> {
        let key = (function, args.to_vec());
        if let Some(value) = self.known.borrow().get(&key) {
            return Some(value.clone());
        }
        let (depth, calls) = (self.depth.get(), self.calls.get());
        if depth >= DEEPEST || calls >= MOST_CALLS {
            return None;
        }
        self.depth.set(depth + 1);
        self.calls.set(calls + 1);
        add_work(10);
        let value = self.evaluate(function, args);
        self.depth.set(depth);
        self.known.borrow_mut().insert(key, value.clone()?);
        value
    }

    fn evaluate(&self, function: usize, args: &[Value]) -> Option<Value> {
        let own = &self.functions[function];
        let frame = Frame { machine: self, parameters: &own.parameters, args };
        for case in &own.cases {
            if frame.holds(&case.guards)? {
                return self.store.evaluate(case.output, &frame);
            }
        }
        self.store.evaluate(own.default, &frame)
    }
}

/// A call.
struct Frame<'m, 'a> {
    machine: &'m Machine<'a>,
    parameters: &'m [Term],
    args: &'m [Value],
}

impl Frame<'_, '_> {
    /// Whether all guards hold; those behind one that does not are not looked at.
    fn holds(&self, guards: &[Term]) -> Option<bool> {
        for &guard in guards {
            if !self.machine.store.evaluate(guard, self)?.as_bool()? {
                return Some(false);
            }
        }
        Some(true)
    }
}

impl Assignment for Frame<'_, '_> {
    fn value(&self, symbol: Symbol) -> Option<Value> {
        let at = self.parameters.iter().position(|&p| self.machine.store.as_var(p) == Some(symbol));
        at.map(|at| self.args[at].clone())
    }

    fn apply(&self, symbol: Symbol, args: &[Value]) -> Option<Value> {
        self.machine.call(*self.machine.index.get(&symbol)?, args)
    }
}

/// A value of a sort, of about this depth.
pub(super) fn random_value(store: &Store, rng: &mut Rng, sort: Sort, depth: usize) -> Value {
    if sort == Sort::Bool {
        return Value::Bool(rng.bool());
    }
    if sort == Sort::Int {
        return Value::Num(rng.range(-2..=4).into());
    }
    let Some(datatype) = store.datatype_of(sort) else { return store.default_value(sort) };
    let constructors = datatype.constructors();
    let is_flat = |at: usize| {
        let args = &store.signature(constructors[at].symbol).args;
        args.iter().all(|&field| !store.parts_of_sorts(&[field]).contains(&sort))
    };
    let flat: Vec<usize> = (0..constructors.len()).filter(|&at| is_flat(at)).collect();
    let deep: Vec<usize> = (0..constructors.len()).filter(|at| !flat.contains(at)).collect();
    let mut choice = if !deep.is_empty() && depth > 0 && !rng.chance(15) { &deep } else { &flat };
    if choice.is_empty() {
        if depth == 0 {
            return store.default_value(sort);
        }
        choice = &deep;
    }
    let constructor = &constructors[*rng.pick(choice)];
    let args = store.signature(constructor.symbol).args.to_vec();
    let depth = depth.saturating_sub(1);
    let field = |rng: &mut Rng, field: Sort| {
        // Elements are small, whatever the length of the whole.
        let is_part = store.parts_of_sorts(&[field]).contains(&sort);
        let depth = if is_part { depth } else { depth.min(2) };
        random_value(store, rng, field, depth)
    };
    let fields = args.into_iter().map(|sort| field(rng, sort)).collect();
    Value::data(constructor.symbol, fields)
}
