//! The table of sorts of a store.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use shem_base::BitVec;

use super::analysis::{Analysis, array_cardinality};
use super::datatype::Datatype;
use super::fold::Fold;
use super::handle::{ArrayId, DatatypeId, DeclaredId, Sort};
use super::size::RecursiveDefinition;
use crate::bits::BitOp;
use crate::store::Store;
use crate::symbol::{Role, Symbol};
use crate::term::Term;

/// The greatest number of sorts of each kind.
pub const SORT_LIMIT: usize = 1 << 24;

/// An array sort with the symbols of its operations.
#[derive(Clone, Debug)]
pub(crate) struct ArraySort {
    pub(crate) index: Sort,
    pub(crate) element: Sort,
    pub(crate) cardinality: Option<u64>,
    pub(crate) select: Symbol,
    pub(crate) store: Symbol,
    pub(crate) constant: Symbol,
}

#[derive(Clone, Debug)]
struct DeclaredSort {
    name: Box<str>,
    arguments: Box<[Sort]>,
}

/// The sorts that are not basic, and the symbols that belong to sorts.
#[derive(Clone, Debug, Default)]
pub(crate) struct SortTable {
    arrays: Vec<ArraySort>,
    array_index: FxHashMap<(Sort, Sort), ArrayId>,
    datatypes: Vec<Datatype>,
    /// The variables that stand for elements of declared sorts.
    pub(crate) elements: FxHashMap<(Sort, u32), Term>,
    declared: Vec<DeclaredSort>,
    /// The symbols of products, quotients and remainders, by role and sort, as far as they are in use.
    arithmetic: [Option<Symbol>; 5],
    /// The symbols of operations on bit-vectors, by the sort of the first argument and that of the result.
    pub(crate) bit_symbols: FxHashMap<(BitOp, Sort, Sort), Symbol>,
    /// The constants of bit-vectors by their numbers, and their symbols.
    pub(crate) bit_values: Vec<BitVec>,
    pub(crate) bit_constants: FxHashMap<BitVec, Symbol>,
    /// The sizes of recursive datatypes that were asked for, and the datatypes of their symbols.
    pub(super) sizes: BTreeMap<DatatypeId, RecursiveDefinition>,
    pub(super) sized: BTreeMap<Symbol, DatatypeId>,
    /// The folds that were defined.
    pub(super) folds: Vec<Fold>,
}

impl SortTable {
    pub(crate) fn array(&self, id: ArrayId) -> &ArraySort {
        &self.arrays[id.index()]
    }

    pub(super) fn array_count(&self) -> usize {
        self.arrays.len()
    }

    pub(super) fn datatype(&self, id: DatatypeId) -> &Datatype {
        &self.datatypes[id.index()]
    }

    pub(super) fn datatype_mut(&mut self, id: DatatypeId) -> &mut Datatype {
        &mut self.datatypes[id.index()]
    }

    pub(super) fn announce_datatype(&mut self, name: &str, arguments: &[Sort]) -> Sort {
        let index = self.datatypes.len();
        assert!(index < SORT_LIMIT, "the table of sorts is full");
        self.datatypes.push(SortTable::announced(name, arguments, self.arrays.len()));
        Sort::Datatype(DatatypeId::new(index))
    }

    /// Takes over what was found out about datatypes and the arrays made since they were announced.
    pub(super) fn record(&mut self, ids: &[DatatypeId], analysis: Analysis) {
        for (&id, facts) in ids.iter().zip(analysis.datatypes) {
            let datatype = self.datatype_mut(id);
            datatype.recursive = facts.recursive;
            datatype.cardinality = facts.cardinality;
            datatype.base = facts.base;
        }
        let first = self.arrays.len() - analysis.arrays.len();
        for (array, cardinality) in self.arrays[first..].iter_mut().zip(analysis.arrays) {
            array.cardinality = cardinality;
        }
    }

    /// The number of values of a sort if it is finite.
    pub(crate) fn cardinality(&self, sort: Sort) -> Option<u64> {
        match sort {
            Sort::Bool => Some(2),
            Sort::Int | Sort::Real | Sort::Declared(_) => None,
            Sort::Array(id) => self.array(id).cardinality,
            Sort::Datatype(id) => self.datatype(id).cardinality,
            Sort::BitVec(_) => {
                let width = sort.bit_width()?;
                Some(1_u64.checked_shl(width).unwrap_or(u64::MAX))
            }
        }
    }
}

/// Sorts.
impl Store {
    /// The sort of arrays with these indices and elements.
    pub fn array_sort(&mut self, index: Sort, element: Sort) -> Sort {
        if let Some(&id) = self.sort_table.array_index.get(&(index, element)) {
            return Sort::Array(id);
        }
        let position = self.sort_table.arrays.len();
        assert!(position < SORT_LIMIT, "the table of sorts is full");
        let id = ArrayId::new(position);
        let sort = Sort::Array(id);
        let array = ArraySort {
            index,
            element,
            cardinality: array_cardinality(
                self.sort_table.cardinality(index),
                self.sort_table.cardinality(element),
            ),
            select: self.declare_with_role("select", &[sort, index], element, Role::Select),
            store: self.declare_with_role("store", &[sort, index, element], sort, Role::Store),
            constant: self.declare_with_role("const", &[element], sort, Role::ConstantArray),
        };
        self.sort_table.arrays.push(array);
        self.sort_table.array_index.insert((index, element), id);
        sort
    }

    /// The index sort and the element sort of an array sort.
    pub fn array_parts(&self, sort: Sort) -> Option<(Sort, Sort)> {
        match sort {
            Sort::Array(id) => {
                let array = self.sort_table.array(id);
                Some((array.index, array.element))
            }
            _ => None,
        }
    }

    /// Whether a datatype exists.
    pub fn has_datatypes(&self) -> bool {
        !self.sort_table.datatypes.is_empty()
    }

    /// Whether an array sort exists.
    pub fn has_arrays(&self) -> bool {
        !self.sort_table.arrays.is_empty()
    }

    /// The symbols `select`, `store` and `const` of an array sort.
    pub fn array_symbols(&self, sort: Sort) -> Option<[Symbol; 3]> {
        match sort {
            Sort::Array(id) => {
                let array = self.sort_table.array(id);
                Some([array.select, array.store, array.constant])
            }
            _ => None,
        }
    }

    /// The datatype that a sort is.
    pub fn datatype_of(&self, sort: Sort) -> Option<&Datatype> {
        sort.as_datatype().map(|id| self.datatype(id))
    }

    /// Whether the sort is a recursive datatype.
    pub fn is_recursive(&self, sort: Sort) -> bool {
        self.datatype_of(sort).is_some_and(Datatype::is_recursive)
    }

    /// A new sort of which nothing is known. Each call makes a new one, even if the name is in use.
    pub fn declare_sort(&mut self, name: &str) -> Sort {
        self.declare_sort_instance(name, &[])
    }

    /// A new sort that is written as a name applied to sorts.
    pub fn declare_sort_instance(&mut self, name: &str, arguments: &[Sort]) -> Sort {
        let declared = &mut self.sort_table.declared;
        assert!(declared.len() < SORT_LIMIT, "the table of sorts is full");
        declared.push(DeclaredSort { name: name.into(), arguments: arguments.into() });
        Sort::Declared(DeclaredId::new(declared.len() - 1))
    }

    /// The name of a declared sort or a datatype, and the sorts that it is applied to.
    pub fn sort_name(&self, sort: Sort) -> Option<(&str, &[Sort])> {
        match sort {
            Sort::Bool | Sort::Int | Sort::Real | Sort::Array(_) | Sort::BitVec(_) => None,
            Sort::Datatype(id) => {
                let datatype = self.datatype(id);
                Some((datatype.name(), datatype.arguments()))
            }
            Sort::Declared(id) => {
                let declared = &self.sort_table.declared[id.index()];
                Some((&declared.name, &declared.arguments))
            }
        }
    }

    /// The number of values of a sort if it is finite; `u64::MAX` means that many or more. A declared sort counts
    /// as infinite.
    pub fn cardinality(&self, sort: Sort) -> Option<u64> {
        self.sort_table.cardinality(sort)
    }

    /// The number of sorts of the kind that has most of them.
    pub fn sort_count(&self) -> usize {
        let table = &self.sort_table;
        table.arrays.len().max(table.datatypes.len()).max(table.declared.len())
    }

    /// The symbol of a product, quotient or remainder with a result of this sort.
    pub(crate) fn arithmetic_symbol(&mut self, role: Role, sort: Sort) -> Symbol {
        let (position, name) = match (role, sort) {
            (Role::Product, Sort::Int) => (0, "*"),
            (Role::Product, _) => (1, "*"),
            (Role::RealQuotient, _) => (2, "/"),
            (Role::IntQuotient, _) => (3, "div"),
            (Role::Remainder, _) => (4, "mod"),
            _ => panic!("a product, quotient or remainder"),
        };
        if let Some(symbol) = self.sort_table.arithmetic[position] {
            return symbol;
        }
        let symbol = self.declare_with_role(name, &[sort, sort], sort, role);
        self.sort_table.arithmetic[position] = Some(symbol);
        symbol
    }
}
