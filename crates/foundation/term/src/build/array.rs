//! Arrays: reads, writes, constant arrays.
//!
//! A read looks through writes at indices that differ by their form, down to one at the same index. The walk is
//! limited; beyond the limit the read stays as it is, so that a chain of writes can be built and read in linear
//! time.

use crate::sort::Sort;
use crate::store::{Node, NodeKey, Store};
use crate::symbol::{Role, Symbol};
use crate::term::Term;

/// How many writes a read looks through.
const WALK_LIMIT: usize = 256;

impl Store {
    /// The element of an array at an index.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        let mut at = array;
        for _ in 0..WALK_LIMIT {
            match self.as_app(at) {
                Some((_, Role::Store, &[inner, place, element])) => {
                    if place == index {
                        return element;
                    }
                    if !self.are_apart(place, index) {
                        return self.read(at, index);
                    }
                    at = inner;
                }
                Some((_, Role::ConstantArray, &[element])) => return element,
                _ => return self.read(at, index),
            }
        }
        self.read(array, index)
    }

    fn read(&mut self, array: Term, index: Term) -> Term {
        let [select, ..] = self.symbols_of(array);
        let element = self.signature(select).result;
        self.intern(NodeKey::App(select, &[array, index]), element)
    }

    /// The array with the element at the index replaced.
    pub fn store_at(&mut self, array: Term, index: Term, element: Term) -> Term {
        let [select, store, _] = self.symbols_of(array);
        let sort = self.sort(array);
        // A write at the same place before is of no account.
        let array = match self.as_app(array) {
            Some((_, Role::Store, &[inner, place, _])) if place == index => inner,
            _ => array,
        };
        // Writing what is there already changes nothing.
        if let Node::App(symbol, args) = self.node(element)
            && symbol == select
            && !element.is_negated()
            && self.arg_slice(args) == [array, index]
        {
            return array;
        }
        if let Some((_, Role::ConstantArray, &[constant])) = self.as_app(array)
            && constant == element
        {
            return array;
        }
        self.intern(NodeKey::App(store, &[array, index, element]), sort)
    }

    /// The array of this sort whose elements are all the same.
    pub fn constant_array(&mut self, sort: Sort, element: Term) -> Term {
        let [.., constant] = self.symbols_of_sort(sort);
        self.intern(NodeKey::App(constant, &[element]), sort)
    }

    /// The symbol that makes the constant arrays of this sort.
    ///
    /// # Panics
    /// If the sort is not an array sort.
    pub fn constant_array_symbol(&self, sort: Sort) -> Symbol {
        let [.., constant] = self.symbols_of_sort(sort);
        constant
    }

    fn symbols_of(&self, array: Term) -> [Symbol; 3] {
        self.symbols_of_sort(self.sort(array))
    }

    fn symbols_of_sort(&self, sort: Sort) -> [Symbol; 3] {
        self.array_symbols(sort).expect("an array sort")
    }
}
