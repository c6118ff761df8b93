//! Equality and order of values, without recursion.
//!
//! Two values are walked side by side; the first difference decides. Shared parts are equal at once. Beyond a
//! number of steps the pairs that were walked are remembered, since two values with much sharing inside may have
//! exponentially many parts.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;

use super::representation::{ArrayValue, DataValue, Value};

/// After how many steps pairs are remembered.
const FREE_STEPS: usize = 256;

impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Num(a), Value::Num(b)) => a.cmp(b),
            _ => Walk::default().compare(self, other),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Whether two values of datatypes that are not shared are equal.
pub(super) fn data_are_equal(a: &DataValue, b: &DataValue) -> bool {
    let mut walk = Walk { by_hash: true, ..Walk::default() };
    walk.open_data(a, b) == Ordering::Equal && walk.run() == Ordering::Equal
}

/// Whether two arrays that are not shared are equal.
pub(super) fn arrays_are_equal(a: &ArrayValue, b: &ArrayValue) -> bool {
    let mut walk = Walk { by_hash: true, ..Walk::default() };
    walk.open_array(a, b) == Ordering::Equal && walk.run() == Ordering::Equal
}

#[derive(Default)]
struct Walk<'a> {
    /// The pairs still to be compared, the next one last.
    pairs: Vec<(&'a Value, &'a Value)>,
    steps: usize,
    /// Pairs that are equal, or are being compared.
    seen: FxHashSet<(usize, usize)>,
    /// Whether only equality counts, so that different hashes decide.
    by_hash: bool,
}

impl<'a> Walk<'a> {
    fn compare(&mut self, a: &'a Value, b: &'a Value) -> Ordering {
        self.pairs.push((a, b));
        self.run()
    }

    fn run(&mut self) -> Ordering {
        while let Some((a, b)) = self.pairs.pop() {
            let order = match (a, b) {
                (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
                (Value::Num(a), Value::Num(b)) => a.cmp(b),
                (Value::Bits(a), Value::Bits(b)) => a.cmp(b),
                (Value::Element(s, a), Value::Element(t, b)) => (s, a).cmp(&(t, b)),
                (Value::Data(a), Value::Data(b)) => self.open_data(a, b),
                (Value::Array(a), Value::Array(b)) => self.open_array(a, b),
                _ => rank(a).cmp(&rank(b)),
            };
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }

    /// Whether a pair of shared values was met before, and so is equal.
    fn is_known(&mut self, a: usize, b: usize) -> bool {
        self.steps += 1;
        a == b || self.steps > FREE_STEPS && !self.seen.insert((a, b))
    }

    fn open_data(&mut self, a: &'a DataValue, b: &'a DataValue) -> Ordering {
        if self.is_known(a.address(), b.address()) {
            return Ordering::Equal;
        }
        if self.by_hash && a.0.hash != b.0.hash {
            return a.0.hash.cmp(&b.0.hash);
        }
        let order = (a.0.constructor, a.0.fields.len()).cmp(&(b.0.constructor, b.0.fields.len()));
        self.pairs.extend(a.0.fields.iter().zip(&b.0.fields).rev());
        order
    }

    fn open_array(&mut self, a: &'a ArrayValue, b: &'a ArrayValue) -> Ordering {
        if self.is_known(a.address(), b.address()) {
            return Ordering::Equal;
        }
        if self.by_hash && a.0.hash != b.0.hash {
            return a.0.hash.cmp(&b.0.hash);
        }
        let order = (a.0.sort, a.0.entries.len()).cmp(&(b.0.sort, b.0.entries.len()));
        for ((i, x), (j, y)) in a.0.entries.iter().zip(&b.0.entries).rev() {
            self.pairs.push((x, y));
            self.pairs.push((i, j));
        }
        self.pairs.push((&a.0.default, &b.0.default));
        order
    }
}

/// The place of a kind of values in the order of kinds.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Bool(_) => 0,
        Value::Num(_) => 1,
        Value::Bits(_) => 2,
        Value::Element(..) => 3,
        Value::Data(_) => 4,
        Value::Array(_) => 5,
    }
}
