//! Terms of values, and literals that give variables their values.

use rustc_hash::FxHashMap;

use crate::sort::Sort;
use crate::store::Store;
use crate::symbol::Symbol;
use crate::term::Term;
use crate::value::{ArrayValue, Value};

/// What is left to build; the results are on a stack.
enum Job<'a> {
    Visit(&'a Value, Sort),
    /// The fields are the last results.
    Data(Symbol, usize, usize),
    /// Default, then index and element of each entry, are the last results.
    Array(&'a ArrayValue),
}

impl Store {
    /// The constant of this sort with this value. An element of a declared sort is a variable of its own.
    pub fn value_term(&mut self, value: &Value, sort: Sort) -> Term {
        match value {
            Value::Bool(truth) => Term::from_bool(*truth),
            Value::Num(number) => self.numeral(number, sort),
            Value::Bits(bits) => self.bit_vector(bits),
            Value::Element(sort, number) => self.element(*sort, *number),
            Value::Array(_) | Value::Data(_) => self.compound_value_term(value, sort),
        }
    }

    fn compound_value_term(&mut self, value: &Value, sort: Sort) -> Term {
        // Shared values, by where they are.
        let mut known: FxHashMap<usize, Term> = FxHashMap::default();
        let mut results: Vec<Term> = Vec::new();
        let mut jobs = vec![Job::Visit(value, sort)];
        while let Some(job) = jobs.pop() {
            match job {
                Job::Visit(Value::Data(data), _) => {
                    if let Some(&term) = known.get(&data.address()) {
                        results.push(term);
                        continue;
                    }
                    let sorts = self.signature(data.constructor()).args.clone();
                    jobs.push(Job::Data(data.constructor(), sorts.len(), data.address()));
                    let fields = data.fields().iter().zip(sorts).rev();
                    jobs.extend(fields.map(|(field, sort)| Job::Visit(field, sort)));
                }
                Job::Visit(Value::Array(array), _) => {
                    if let Some(&term) = known.get(&array.address()) {
                        results.push(term);
                        continue;
                    }
                    let (index_sort, element_sort) = self.array_parts(array.sort()).expect("an array sort");
                    jobs.push(Job::Array(array));
                    for (index, element) in array.entries().iter().rev() {
                        jobs.push(Job::Visit(element, element_sort));
                        jobs.push(Job::Visit(index, index_sort));
                    }
                    jobs.push(Job::Visit(array.default(), element_sort));
                }
                Job::Visit(value, sort) => {
                    let term = self.value_term(value, sort);
                    results.push(term);
                }
                Job::Data(constructor, count, address) => {
                    let fields = results.split_off(results.len() - count);
                    let term = self.construct(constructor, &fields);
                    known.insert(address, term);
                    results.push(term);
                }
                Job::Array(array) => {
                    let parts = results.split_off(results.len() - 2 * array.entries().len() - 1);
                    let mut term = self.constant_array(array.sort(), parts[0]);
                    for entry in parts[1..].chunks(2) {
                        term = self.store_at(term, entry[0], entry[1]);
                    }
                    known.insert(array.address(), term);
                    results.push(term);
                }
            }
        }
        results[0]
    }

    /// The variable that stands for an element of a declared sort.
    fn element(&mut self, sort: Sort, number: u32) -> Term {
        if let Some(&term) = self.sort_table.elements.get(&(sort, number)) {
            return term;
        }
        let name = self.element_name(sort, number);
        let term = self.variable(&name, sort);
        self.sort_table.elements.insert((sort, number), term);
        term
    }

    /// The name of an element of a declared sort.
    pub(crate) fn element_name(&self, sort: Sort, number: u32) -> String {
        let name = self.sort_name(sort).map_or("", |(name, _)| name);
        format!("@{name}!{number}")
    }

    /// The literal that gives a variable this value.
    pub fn value_literal(&mut self, variable: Term, value: &Value) -> Term {
        let sort = self.sort(variable);
        let constant = self.value_term(value, sort);
        self.eq(variable, constant)
    }

    /// The literals that give the variables these values, in their order.
    pub fn value_literals(&mut self, variables: &[Term], values: &[Value]) -> Vec<Term> {
        let pairs = variables.iter().zip(values);
        pairs.map(|(&variable, value)| self.value_literal(variable, value)).collect()
    }

    /// The conjunction of [`Store::value_literals`].
    pub fn value_cube(&mut self, variables: &[Term], values: &[Value]) -> Term {
        let literals = self.value_literals(variables, values);
        self.and(&literals)
    }
}
