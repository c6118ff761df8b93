//! Printing of values, without recursion.

use std::fmt;

use super::symbol::{quote_symbol, write_rational};
use crate::sort::Sort;
use crate::store::Store;
use crate::value::Value;

/// Prints a value; made by [`Store::display_value`].
#[derive(Clone, Copy)]
pub struct DisplayValue<'a> {
    store: &'a Store,
    value: &'a Value,
    sort: Sort,
}

impl Store {
    /// A value of this sort in SMT-LIB syntax. An element of a declared sort is `(as @name!k sort)`.
    pub fn display_value<'a>(&'a self, value: &'a Value, sort: Sort) -> DisplayValue<'a> {
        DisplayValue { store: self, value, sort }
    }
}

/// What is left to write.
enum Job<'a> {
    Value(&'a Value, Sort),
    Spaced(&'a Value, Sort),
    Close,
}

impl fmt::Display for DisplayValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let store = self.store;
        let mut jobs = vec![Job::Value(self.value, self.sort)];
        while let Some(job) = jobs.pop() {
            let (value, sort) = match job {
                Job::Close => {
                    f.write_str(")")?;
                    continue;
                }
                Job::Spaced(value, sort) => {
                    f.write_str(" ")?;
                    (value, sort)
                }
                Job::Value(value, sort) => (value, sort),
            };
            match value {
                Value::Bool(b) => write!(f, "{b}")?,
                Value::Num(n) => write_rational(f, n, sort == Sort::Real)?,
                Value::Bits(bits) => write!(f, "{bits}")?,
                Value::Element(sort, number) => {
                    let name = store.element_name(*sort, *number);
                    write!(f, "(as {} {})", quote_symbol(&name), store.display_sort(*sort))?;
                }
                Value::Data(data) => {
                    let signature = store.signature(data.constructor());
                    let mut head = quote_symbol(&signature.name);
                    if store.constructor(data.constructor()).qualified {
                        head = format!("(as {head} {})", store.display_sort(signature.result)).into();
                    }
                    if data.fields().is_empty() {
                        f.write_str(&head)?;
                    } else {
                        write!(f, "({head}")?;
                        jobs.push(Job::Close);
                        let fields = data.fields().iter().zip(&signature.args).rev();
                        jobs.extend(fields.map(|(field, &sort)| Job::Spaced(field, sort)));
                    }
                }
                Value::Array(array) => {
                    let Some((index_sort, element_sort)) = store.array_parts(array.sort()) else { continue };
                    for _ in array.entries() {
                        f.write_str("(store ")?;
                    }
                    write!(f, "((as const {})", store.display_sort(array.sort()))?;
                    for (index, element) in array.entries().iter().rev() {
                        jobs.push(Job::Close);
                        jobs.push(Job::Spaced(element, element_sort));
                        jobs.push(Job::Spaced(index, index_sort));
                    }
                    jobs.push(Job::Close);
                    jobs.push(Job::Spaced(array.default(), element_sort));
                }
            }
        }
        Ok(())
    }
}
