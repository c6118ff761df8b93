//! What a value is.
//!
//! A value is compared by what it stands for: the forms are unique. An array is a default with finitely many
//! exceptions, sorted by index, none of them equal to the default; how the default is chosen where the index sort
//! is finite says [`Store::array_value`](crate::Store::array_value). Values of arrays and datatypes are shared; a
//! list of a million elements is a million values deep, so nothing here recurses.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;
use shem_base::{BitVec, Rat};

use crate::sort::Sort;
use crate::symbol::Symbol;

/// A value of some sort.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A number; integral for `Int` terms.
    Num(Rat),
    /// A bit-vector.
    Bits(BitVec),
    /// An array.
    Array(ArrayValue),
    /// A constructor applied to values.
    Data(DataValue),
    /// An element of a declared sort: those with different numbers are different.
    Element(Sort, u32),
}

impl Value {
    /// The value of a constructor.
    pub fn data(constructor: Symbol, fields: Vec<Value>) -> Value {
        Value::Data(DataValue::new(constructor, fields))
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_num(&self) -> Option<&Rat> {
        match self {
            Value::Num(n) => Some(n),
            _ => None,
        }
    }

    /// The values that this one is directly made of: fields, or the default, indices and elements.
    pub fn parts(&self) -> impl Iterator<Item = &Value> {
        let (fields, default, entries) = match self {
            Value::Data(data) => (data.fields(), None, &[][..]),
            Value::Array(array) => (&[][..], Some(array.default()), array.entries()),
            _ => (&[][..], None, &[][..]),
        };
        let entries = entries.iter().flat_map(|(index, element)| [index, element]);
        fields.iter().chain(default).chain(entries)
    }

    /// The bit-vector, if it is one.
    pub fn as_bits(&self) -> Option<&BitVec> {
        match self {
            Value::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    /// The array, if it is one.
    pub fn as_array(&self) -> Option<&ArrayValue> {
        match self {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The value of a datatype, if it is one.
    pub fn as_data(&self) -> Option<&DataValue> {
        match self {
            Value::Data(data) => Some(data),
            _ => None,
        }
    }
}

/// A constructor applied to values.
#[derive(Clone)]
pub struct DataValue(pub(super) Arc<DataNode>);

pub(super) struct DataNode {
    pub(super) constructor: Symbol,
    pub(super) fields: Vec<Value>,
    pub(super) hash: u64,
}

impl DataValue {
    fn new(constructor: Symbol, fields: Vec<Value>) -> DataValue {
        let mut hasher = FxHasher::default();
        (constructor, &fields).hash(&mut hasher);
        DataValue(Arc::new(DataNode { constructor, fields, hash: hasher.finish() }))
    }

    /// The symbol of the constructor.
    pub fn constructor(&self) -> Symbol {
        self.0.constructor
    }

    /// The values of the fields.
    pub fn fields(&self) -> &[Value] {
        &self.0.fields
    }

    /// Where the value is: the same for copies.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

impl PartialEq for DataValue {
    fn eq(&self, other: &DataValue) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.0.hash == other.0.hash && super::order::data_are_equal(self, other)
    }
}

impl Eq for DataValue {}

impl Hash for DataValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash.hash(state);
    }
}

/// An array: a default with finitely many exceptions. Made by [`Store::array_value`](crate::Store::array_value).
#[derive(Clone)]
pub struct ArrayValue(pub(super) Arc<ArrayNode>);

pub(super) struct ArrayNode {
    pub(super) sort: Sort,
    pub(super) default: Value,
    /// Sorted by index, no element equal to the default.
    pub(super) entries: Vec<(Value, Value)>,
    pub(super) hash: u64,
}

impl ArrayValue {
    /// The entries are sorted by index, and no element is the default.
    pub(super) fn new(sort: Sort, default: Value, entries: Vec<(Value, Value)>) -> ArrayValue {
        debug_assert!(entries.windows(2).all(|pair| pair[0].0 < pair[1].0));
        debug_assert!(entries.iter().all(|entry| entry.1 != default));
        let mut hasher = FxHasher::default();
        (sort, &default, &entries).hash(&mut hasher);
        ArrayValue(Arc::new(ArrayNode { sort, default, entries, hash: hasher.finish() }))
    }

    /// The array sort.
    pub fn sort(&self) -> Sort {
        self.0.sort
    }

    /// The element at all indices but those of the entries.
    pub fn default(&self) -> &Value {
        &self.0.default
    }

    /// The indices with other elements, sorted, with these.
    pub fn entries(&self) -> &[(Value, Value)] {
        &self.0.entries
    }

    /// The element at an index.
    pub fn get(&self, index: &Value) -> &Value {
        match self.0.entries.binary_search_by(|entry| entry.0.cmp(index)) {
            Ok(at) => &self.0.entries[at].1,
            Err(_) => &self.0.default,
        }
    }

    /// Where the value is: the same for copies.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

impl PartialEq for ArrayValue {
    fn eq(&self, other: &ArrayValue) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.0.hash == other.0.hash && super::order::arrays_are_equal(self, other)
    }
}

impl Eq for ArrayValue {}

impl Hash for ArrayValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash.hash(state);
    }
}

impl Drop for DataNode {
    fn drop(&mut self) {
        release(std::mem::take(&mut self.fields));
    }
}

impl Drop for ArrayNode {
    fn drop(&mut self) {
        let mut parts = vec![std::mem::replace(&mut self.default, Value::Bool(false))];
        parts.extend(
            std::mem::take(&mut self.entries).into_iter().flat_map(|(index, element)| [index, element]),
        );
        release(parts);
    }
}

/// Drops values and what they alone hold, without recursion.
fn release(mut values: Vec<Value>) {
    while let Some(value) = values.pop() {
        match value {
            Value::Data(data) => {
                if let Some(mut node) = Arc::into_inner(data.0) {
                    values.append(&mut node.fields);
                }
            }
            Value::Array(array) => {
                if let Some(mut node) = Arc::into_inner(array.0) {
                    values.push(std::mem::replace(&mut node.default, Value::Bool(false)));
                    let entries = std::mem::take(&mut node.entries);
                    values.extend(entries.into_iter().flat_map(|(index, element)| [index, element]));
                }
            }
            Value::Bool(_) | Value::Num(_) | Value::Bits(_) | Value::Element(..) => {}
        }
    }
}

/// The value without names: for tests and traces. [`Store::display_value`](crate::Store::display_value) is SMT-LIB.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Job<'a> {
            Value(&'a Value),
            Text(&'static str),
        }
        let mut jobs = vec![Job::Value(self)];
        while let Some(job) = jobs.pop() {
            let value = match job {
                Job::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Job::Value(value) => value,
            };
            match value {
                Value::Bool(b) => write!(f, "{b}")?,
                Value::Num(n) => write!(f, "{n}")?,
                Value::Bits(bits) => write!(f, "{bits}")?,
                Value::Element(sort, number) => write!(f, "{sort:?}!{number}")?,
                Value::Data(data) => {
                    write!(f, "{:?}(", data.constructor())?;
                    jobs.push(Job::Text(")"));
                    for (at, field) in data.fields().iter().enumerate().rev() {
                        jobs.push(Job::Value(field));
                        jobs.push(Job::Text(if at == 0 { "" } else { ", " }));
                    }
                }
                Value::Array(array) => {
                    f.write_str("[")?;
                    jobs.push(Job::Text("]"));
                    jobs.push(Job::Value(array.default()));
                    jobs.push(Job::Text("else "));
                    for (index, element) in array.entries().iter().rev() {
                        jobs.push(Job::Text(", "));
                        jobs.push(Job::Value(element));
                        jobs.push(Job::Text(": "));
                        jobs.push(Job::Value(index));
                    }
                }
            }
        }
        Ok(())
    }
}
