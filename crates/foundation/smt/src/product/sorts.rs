//! The sorts and functions of nodes: what the theories have to know of them, taken from the store when a term of
//! the sort or with the function is first compiled.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use shem_term::{DatatypeId, Role, Sort, Store, Symbol};

use crate::equality::{Function, NodeSort};

/// The greatest number of a function.
const LAST_FUNCTION: u32 = i32::MAX as u32;

/// A field of a constructor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) selector: Symbol,
    pub(crate) sort: NodeSort,
}

/// A constructor of a datatype.
#[derive(Clone, Debug)]
pub(crate) struct ConstructorShape {
    pub(crate) symbol: Symbol,
    pub(crate) fields: Box<[Field]>,
    pub(crate) tester: Symbol,
}

/// What a sort is.
#[derive(Clone, Debug)]
pub(crate) enum SortKind {
    Bool,
    Int,
    Real,
    Declared,
    Bits,
    Array {
        index: NodeSort,
        element: NodeSort,
        select: Symbol,
    },
    /// The constructors, the place of the one whose values contain no other value of the datatype, and whether
    /// others may.
    Datatype {
        id: DatatypeId,
        constructors: Box<[ConstructorShape]>,
        base: usize,
        recursive: bool,
    },
}

/// A sort of nodes.
#[derive(Clone, Debug)]
pub(crate) struct SortEntry {
    pub(crate) sort: Sort,
    pub(crate) kind: SortKind,
    /// The number of values, if it is finite.
    pub(crate) cardinality: Option<u64>,
}

/// The sorts that nodes have. They are never removed.
#[derive(Debug)]
pub(crate) struct Sorts {
    entries: Vec<SortEntry>,
    index: HashMap<Sort, NodeSort, FxBuildHasher>,
    /// The symbols of functions and their roles.
    symbols: HashMap<Function, (Symbol, Role), FxBuildHasher>,
    /// Whether there are arrays with finitely many indices.
    finite_arrays: bool,
    /// Whether there are bit-vectors.
    bits: bool,
}

impl Default for Sorts {
    fn default() -> Self {
        let mut sorts = Sorts {
            entries: Vec::new(),
            index: HashMap::default(),
            symbols: HashMap::default(),
            finite_arrays: false,
            bits: false,
        };
        for (sort, kind) in
            [(Sort::Bool, SortKind::Bool), (Sort::Int, SortKind::Int), (Sort::Real, SortKind::Real)]
        {
            let cardinality = (sort == Sort::Bool).then_some(2);
            sorts.add(SortEntry { sort, kind, cardinality });
        }
        sorts
    }
}

impl Sorts {
    /// Truth values.
    pub(crate) const BOOL: NodeSort = NodeSort::new(0);
    /// Integers.
    pub(crate) const INT: NodeSort = NodeSort::new(1);
    /// Reals.
    pub(crate) const REAL: NodeSort = NodeSort::new(2);

    fn add(&mut self, entry: SortEntry) -> NodeSort {
        let id = NodeSort::new(self.entries.len() as u32);
        self.index.insert(entry.sort, id);
        self.entries.push(entry);
        id
    }

    /// The number of sorts.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// What is known of a sort.
    pub(crate) fn get(&self, sort: NodeSort) -> &SortEntry {
        &self.entries[sort.index()]
    }

    /// Whether the sort is arithmetic.
    pub(crate) fn is_arithmetic(sort: NodeSort) -> bool {
        sort == Sorts::INT || sort == Sorts::REAL
    }

    /// Whether there are arrays with finitely many indices.
    pub(crate) fn has_finite_arrays(&self) -> bool {
        self.finite_arrays
    }

    /// Whether there are bit-vectors.
    pub(crate) fn has_bits(&self) -> bool {
        self.bits
    }

    /// Whether a sort is one of arrays with finitely many indices.
    pub(crate) fn is_finite_array(&self, sort: NodeSort) -> bool {
        match self.get(sort).kind {
            SortKind::Array { index, .. } => self.get(index).cardinality.is_some(),
            _ => false,
        }
    }

    /// How many indices the arrays of a sort have at least in every model; the greatest number if they are infinitely
    /// many.
    pub(crate) fn least_indices(&self, sort: NodeSort) -> u64 {
        match self.get(sort).kind {
            SortKind::Array { index, .. } if self.is_infinite(index) => u64::MAX,
            SortKind::Array { index, .. } => self.get(index).cardinality.unwrap_or(1),
            _ => 1,
        }
    }

    /// Whether a sort has infinitely many values in every model: numbers, recursive datatypes, and what contains one
    /// of these. A declared sort may have any number of elements.
    fn is_infinite(&self, sort: NodeSort) -> bool {
        let mut seen: HashSet<NodeSort, FxBuildHasher> = HashSet::default();
        let mut stack = vec![sort];
        while let Some(sort) = stack.pop() {
            if !seen.insert(sort) {
                continue;
            }
            match &self.get(sort).kind {
                SortKind::Int | SortKind::Real => return true,
                SortKind::Bool | SortKind::Declared | SortKind::Bits => {}
                SortKind::Array { element, .. } => stack.push(*element),
                SortKind::Datatype { recursive: true, .. } => return true,
                SortKind::Datatype { constructors, .. } => {
                    let fields = constructors.iter().flat_map(|constructor| constructor.fields.iter());
                    stack.extend(fields.map(|field| field.sort));
                }
            }
        }
        false
    }

    /// The function that gives an index at which two arrays of a sort differ, if they do. It has no symbol.
    pub(crate) fn difference(sort: NodeSort) -> Function {
        Function::new(LAST_FUNCTION - sort.index() as u32)
    }

    /// Whether a function gives indices at which arrays differ.
    pub(crate) fn is_difference(&self, function: Function) -> bool {
        function.index() + self.entries.len() > LAST_FUNCTION as usize
    }

    /// The symbol of a function, which gives no differences, and its role.
    pub(crate) fn symbol(&self, function: Function) -> (Symbol, Role) {
        self.symbols[&function]
    }

    /// The function of a symbol that is known.
    pub(crate) fn function_of(&self, symbol: Symbol) -> Function {
        Function::new(symbol.index() as u32)
    }

    /// The function of a symbol; whether it is new.
    pub(crate) fn function(&mut self, symbol: Symbol, role: Role) -> (Function, bool) {
        let function = Function::new(symbol.index() as u32);
        let new = self.symbols.insert(function, (symbol, role)).is_none();
        (function, new)
    }

    /// The number of a sort, of which all sorts that it is made of are taken over, too.
    pub(crate) fn intern(&mut self, store: &Store, sort: Sort) -> NodeSort {
        if let Some(&id) = self.index.get(&sort) {
            return id;
        }
        // Numbers first, contents afterwards: sorts may contain each other.
        let first = self.entries.len();
        self.announce(store, sort);
        let mut next = first;
        while next < self.entries.len() {
            let kind = self.describe(store, self.entries[next].sort);
            self.entries[next].kind = kind;
            next += 1;
        }
        self.bits |= self.entries[first..].iter().any(|entry| matches!(entry.kind, SortKind::Bits));
        let mut added = (first..self.entries.len()).map(|index| NodeSort::new(index as u32));
        self.finite_arrays |= added.any(|sort| self.is_finite_array(sort));
        self.index[&sort]
    }

    fn announce(&mut self, store: &Store, sort: Sort) -> NodeSort {
        if let Some(&id) = self.index.get(&sort) {
            return id;
        }
        self.add(SortEntry { sort, kind: SortKind::Declared, cardinality: store.cardinality(sort) })
    }

    fn describe(&mut self, store: &Store, sort: Sort) -> SortKind {
        if let (Some((index, element)), Some([select, ..])) =
            (store.array_parts(sort), store.array_symbols(sort))
        {
            let (index, element) = (self.announce(store, index), self.announce(store, element));
            return SortKind::Array { index, element, select };
        }
        match (sort, sort.as_datatype()) {
            (Sort::Bool, _) => SortKind::Bool,
            (Sort::Int, _) => SortKind::Int,
            (Sort::Real, _) => SortKind::Real,
            (_, None) if sort.is_declared() => SortKind::Declared,
            (_, None) => SortKind::Bits,
            (_, Some(id)) => {
                let datatype = store.datatype(id);
                let base = datatype.base_constructor().symbol;
                let shape = |constructor: &shem_term::Constructor| ConstructorShape {
                    symbol: constructor.symbol,
                    tester: constructor.tester,
                    fields: constructor
                        .selectors
                        .iter()
                        .map(|&selector| Field {
                            selector,
                            sort: self.announce(store, store.signature(selector).result),
                        })
                        .collect(),
                };
                let constructors: Box<[ConstructorShape]> =
                    datatype.constructors().iter().map(shape).collect();
                let base = constructors.iter().position(|it| it.symbol == base).unwrap_or(0);
                SortKind::Datatype { id, constructors, base, recursive: datatype.is_recursive() }
            }
        }
    }
}
