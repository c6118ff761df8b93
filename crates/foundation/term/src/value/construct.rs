//! Values that need the store: arrays in their unique form, the default of a sort, all values of a finite sort.

use rustc_hash::{FxHashMap, FxHashSet};
use shem_base::{BitVec, Rat};

use super::representation::{ArrayValue, Value};
use crate::sort::{Datatype, Sort};
use crate::store::Store;

impl Store {
    /// The array with this default and these exceptions, of which later ones count more.
    ///
    /// If the index sort is finite, the default is the element that occurs most often, the smallest of those if
    /// there are several: so that arrays with the same elements are the same value.
    ///
    /// # Panics
    /// If the sort is not an array sort.
    pub fn array_value(&self, sort: Sort, default: Value, entries: Vec<(Value, Value)>) -> Value {
        let (index, _) = self.array_parts(sort).expect("an array sort");
        let cardinality = self.cardinality(index);
        let indices = || self.finite_values(index);
        Value::Array(normalised(sort, default, entries, cardinality, indices))
    }

    /// The array with the element at one index replaced.
    pub fn array_with(&self, array: &ArrayValue, index: Value, element: Value) -> Value {
        let mut entries = array.entries().to_vec();
        entries.push((index, element));
        self.array_value(array.sort(), array.default().clone(), entries)
    }

    /// A value of the sort, always the same: false, zero, no bit set, the first element, the array of defaults, the
    /// [base constructor](crate::Datatype::base_constructor) with defaults.
    pub fn default_value(&self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => return Value::Bool(false),
            Sort::Int | Sort::Real => return Value::Num(Rat::ZERO),
            Sort::Declared(_) => return Value::Element(sort, 0),
            Sort::BitVec(_) => return Value::Bits(BitVec::zero(sort.bit_width().expect("a width"))),
            Sort::Array(_) | Sort::Datatype(_) => {}
        }
        let mut known: FxHashMap<Sort, Value> = FxHashMap::default();
        let mut stack = vec![sort];
        while let Some(&sort) = stack.last() {
            let (parts, constructor) = match sort {
                _ if known.contains_key(&sort) => {
                    stack.pop();
                    continue;
                }
                Sort::Datatype(id) => {
                    let constructor = self.datatype(id).base_constructor().symbol;
                    (self.signature(constructor).args.to_vec(), Some(constructor))
                }
                Sort::Array(_) => (self.array_parts(sort).map(|parts| parts.1).into_iter().collect(), None),
                _ => {
                    known.insert(sort, self.default_value(sort));
                    continue;
                }
            };
            let before = stack.len();
            stack.extend(parts.iter().filter(|part| !known.contains_key(part)));
            if stack.len() > before {
                continue;
            }
            let mut values: Vec<Value> = parts.iter().map(|part| known[part].clone()).collect();
            let value = match (constructor, values.pop()) {
                (None, Some(element)) => Value::Array(ArrayValue::new(sort, element, Vec::new())),
                (Some(constructor), last) => {
                    values.extend(last);
                    Value::data(constructor, values)
                }
                (None, None) => unreachable!("an array sort has an element sort"),
            };
            known.insert(sort, value);
        }
        known.remove(&sort).expect("the last sort to be left")
    }

    /// Whether the value is one of the sort, in all its parts.
    pub fn is_value(&self, value: &Value, sort: Sort) -> bool {
        let mut stack = vec![(value, sort)];
        // Shared parts are looked at once.
        let mut seen: FxHashSet<(usize, Sort)> = FxHashSet::default();
        while let Some((value, sort)) = stack.pop() {
            match (value, sort) {
                (Value::Bool(_), Sort::Bool) | (Value::Num(_), Sort::Real) => {}
                (Value::Num(number), Sort::Int) if number.is_integer() => {}
                (Value::Element(own, _), Sort::Declared(_)) if *own == sort => {}
                (Value::Bits(bits), Sort::BitVec(_)) if sort.bit_width() == Some(bits.width()) => {}
                (Value::Array(array), Sort::Array(_)) if array.sort() == sort => {
                    if seen.insert((array.address(), sort)) {
                        let (index, element) = self.array_parts(sort).expect("an array sort");
                        stack.push((array.default(), element));
                        for entry in array.entries() {
                            stack.push((&entry.0, index));
                            stack.push((&entry.1, element));
                        }
                    }
                }
                (Value::Data(data), Sort::Datatype(id)) => {
                    let constructors = self.datatype(id).constructors();
                    let Some(constructor) = constructors.iter().find(|c| c.symbol == data.constructor())
                    else {
                        return false;
                    };
                    let sorts = &self.signature(constructor.symbol).args;
                    if sorts.len() != data.fields().len() {
                        return false;
                    }
                    if seen.insert((data.address(), sort)) {
                        stack.extend(data.fields().iter().zip(sorts.iter().copied()));
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// Whether values of the sort may contain elements of declared sorts.
    pub fn has_elements(&self, sort: Sort) -> bool {
        self.parts_of_sorts(&[sort]).iter().any(|part| part.is_declared())
    }

    /// Whether values of the sort may contain arrays whose indices contain elements of declared sorts.
    pub fn has_element_indices(&self, sort: Sort) -> bool {
        let indexed =
            |part: &Sort| self.array_parts(*part).is_some_and(|(index, _)| self.has_elements(index));
        self.parts_of_sorts(&[sort]).iter().any(indexed)
    }

    /// The sorts and those of all parts that their values may have, each once, in an order that depends on the
    /// sorts alone.
    pub fn parts_of_sorts(&self, sorts: &[Sort]) -> Vec<Sort> {
        let mut found = Vec::new();
        let mut seen: FxHashSet<Sort> = FxHashSet::default();
        let mut stack: Vec<Sort> = sorts.iter().rev().copied().collect();
        while let Some(sort) = stack.pop() {
            if !seen.insert(sort) {
                continue;
            }
            found.push(sort);
            stack.extend(self.direct_parts(sort));
        }
        found
    }

    /// The sorts of what values of the sort are made of: index and element of an array, the fields of constructors.
    /// They come as often as they occur.
    pub fn direct_parts(&self, sort: Sort) -> impl Iterator<Item = Sort> {
        let of_array = self.array_parts(sort).into_iter().flat_map(|(index, element)| [index, element]);
        let constructors = self.datatype_of(sort).into_iter().flat_map(Datatype::constructors);
        of_array.chain(constructors.flat_map(|c| self.signature(c.symbol).args.iter().copied()))
    }

    /// A number of values that a sort has at least in every model: the greatest number if there are infinitely many. A
    /// declared sort may have one.
    pub fn least_cardinality(&self, sort: Sort) -> u64 {
        if self.is_infinite(sort) { u64::MAX } else { self.cardinality(sort).unwrap_or(1) }
    }

    /// Whether a sort has infinitely many values in every model: numbers, recursive datatypes, and what contains one
    /// of these. A declared sort may be finite.
    pub fn is_infinite(&self, sort: Sort) -> bool {
        let mut seen: FxHashSet<Sort> = FxHashSet::default();
        let mut stack = vec![sort];
        while let Some(sort) = stack.pop() {
            if !seen.insert(sort) {
                continue;
            }
            if sort.is_arithmetic() || self.is_recursive(sort) {
                return true;
            }
            match self.array_parts(sort) {
                // Two elements suffice if there are infinitely many indices.
                Some((_, element)) if self.cardinality(element).is_none_or(|count| count < 2) => {
                    stack.push(element);
                }
                _ => stack.extend(self.direct_parts(sort)),
            }
        }
        false
    }

    /// All values of a sort that is known to be finite, each once.
    fn finite_values(&self, sort: Sort) -> Vec<Value> {
        let mut known: FxHashMap<Sort, Vec<Value>> = FxHashMap::default();
        let mut stack = vec![sort];
        while let Some(&sort) = stack.last() {
            if known.contains_key(&sort) {
                stack.pop();
                continue;
            }
            let parts: Vec<Sort> = match self.array_parts(sort) {
                // With one element only, there is one array, whatever the indices.
                Some((_, element)) if self.cardinality(element) == Some(1) => vec![element],
                _ => self.direct_parts(sort).collect(),
            };
            let before = stack.len();
            stack.extend(parts.iter().filter(|part| !known.contains_key(part)));
            if stack.len() > before {
                continue;
            }
            let values = match (sort, &parts[..]) {
                (Sort::Bool, _) => vec![Value::Bool(false), Value::Bool(true)],
                (Sort::BitVec(_), _) => {
                    let width = sort.bit_width().expect("a width");
                    let count = 1_u64.checked_shl(width).expect("few values");
                    (0..count).map(|number| Value::Bits(BitVec::new(width, number))).collect()
                }
                (Sort::Datatype(id), _) => {
                    let constructors = self.datatype(id).constructors().iter();
                    let values = constructors.flat_map(|c| {
                        let fields = self.signature(c.symbol).args.iter().map(|field| &known[field][..]);
                        combinations(fields).into_iter().map(|fields| Value::data(c.symbol, fields))
                    });
                    values.collect()
                }
                (_, [element]) => {
                    vec![Value::Array(ArrayValue::new(sort, known[element][0].clone(), Vec::new()))]
                }
                (_, [index, element]) => {
                    let indices = &known[index];
                    let elements = combinations(indices.iter().map(|_| &known[element][..]));
                    let arrays = elements.into_iter().map(|elements| {
                        let default = elements[0].clone();
                        let entries = indices.iter().cloned().zip(elements).collect();
                        let cardinality = Some(indices.len() as u64);
                        Value::Array(normalised(sort, default, entries, cardinality, || indices.clone()))
                    });
                    arrays.collect()
                }
                _ => unreachable!("the sort is finite"),
            };
            known.insert(sort, values);
        }
        known.remove(&sort).unwrap_or_default()
    }
}

/// All ways to choose one value of each list.
fn combinations<'a>(lists: impl Iterator<Item = &'a [Value]>) -> Vec<Vec<Value>> {
    let mut found = vec![Vec::new()];
    for list in lists {
        let longer = found.iter().flat_map(|start| {
            list.iter().map(move |value| start.iter().chain([value]).cloned().collect::<Vec<Value>>())
        });
        found = longer.collect();
    }
    found
}

/// The array in its unique form. `indices` gives all values of the index sort, which has so many if it is finite.
fn normalised(
    sort: Sort,
    mut default: Value,
    mut entries: Vec<(Value, Value)>,
    cardinality: Option<u64>,
    indices: impl FnOnce() -> Vec<Value>,
) -> ArrayValue {
    // The sort is stable: of equal indices the last one counts.
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            std::mem::swap(&mut later.1, &mut kept.1);
        }
        same
    });
    entries.retain(|entry| entry.1 != default);
    // Another element can only occur as often as the default if at least half of the indices are listed.
    if let Some(count) = cardinality
        && count <= 2 * entries.len() as u64
    {
        let element = |index: &Value| match entries.binary_search_by(|entry| entry.0.cmp(index)) {
            Ok(at) => entries[at].1.clone(),
            Err(_) => default.clone(),
        };
        let mut listed: Vec<(Value, Value)> =
            indices().into_iter().map(|index| (index.clone(), element(&index))).collect();
        listed.sort_by(|a, b| a.0.cmp(&b.0));
        let mut elements: Vec<Value> = listed.iter().map(|entry| entry.1.clone()).collect();
        elements.sort();
        let most_frequent = elements
            .chunk_by(|a, b| a == b)
            .reduce(|best, next| if next.len() > best.len() { next } else { best })
            .map(|chunk| chunk[0].clone());
        default = most_frequent.expect("a sort has a value");
        entries = listed;
        entries.retain(|entry| entry.1 != default);
    }
    ArrayValue::new(sort, default, entries)
}
