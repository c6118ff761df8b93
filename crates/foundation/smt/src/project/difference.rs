//! An index at which two arrays of the model differ.

use shem_base::Rat;
use shem_term::{ArrayValue, Sort, Store, Value};

use super::rewrite::Rewriting;

/// An index at which the arrays differ, if one is found: among those that are listed, those that terms of the
/// projected formulas have, and a few others.
pub(super) fn index_of_difference(
    rewriting: &Rewriting<'_>,
    left: &ArrayValue,
    right: &ArrayValue,
) -> Option<Value> {
    let differs = |index: &Value| left.get(index) != right.get(index);
    let listed = || left.entries().iter().chain(right.entries()).map(|entry| &entry.0);
    if let Some(index) = listed().find(|index| differs(index)) {
        return Some(index.clone());
    }
    let store = &*rewriting.store;
    let (sort, _) = store.array_parts(left.sort())?;
    let terms = store.subterms(rewriting.formulas).into_iter().filter(|&term| store.sort(term) == sort);
    if let Some(index) = terms.filter_map(|term| rewriting.valuation.value(term)).find(|index| differs(index))
    {
        return Some(index);
    }
    let greatest = listed().filter_map(Value::as_num).max().map_or(Rat::ZERO, |number| number + &Rat::ONE);
    some_values(store, sort, Rat::from(greatest.ceil()), listed().count() + 1).into_iter().find(differs)
}

/// Some values of a sort: all of them if there are few, and more than `count` if it is easy to find so many. The
/// number is greater than all those in use.
fn some_values(store: &Store, sort: Sort, number: Rat, count: usize) -> Vec<Value> {
    let numbers = || (0..=count).map(|n| Value::Num(Rat::from(n as i64)));
    if sort == Sort::Bool {
        return vec![Value::Bool(false), Value::Bool(true)];
    }
    if sort.is_arithmetic() {
        return vec![Value::Num(number)];
    }
    let Some(datatype) = store.datatype_of(sort) else {
        return match store.array_parts(sort) {
            Some((_, element)) if element.is_arithmetic() => {
                numbers().map(|value| store.array_value(sort, value, Vec::new())).collect()
            }
            _ => vec![store.default_value(sort)],
        };
    };
    let mut values = Vec::new();
    for constructor in datatype.constructors() {
        let sorts = &store.signature(constructor.symbol).args;
        let fields: Vec<Value> = sorts.iter().map(|&field| store.default_value(field)).collect();
        let with_field = |at: usize, value: Value| {
            let mut fields = fields.clone();
            fields[at] = value;
            Value::data(constructor.symbol, fields)
        };
        values.push(Value::data(constructor.symbol, fields.clone()));
        for (at, &field) in sorts.iter().enumerate() {
            if field.is_arithmetic() {
                values.extend(numbers().map(|value| with_field(at, value)));
            } else if field == sort {
                let mut value = store.default_value(sort);
                for _ in 0..=count {
                    value = with_field(at, value);
                    values.push(value.clone());
                }
            }
        }
    }
    values
}
