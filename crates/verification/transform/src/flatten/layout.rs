//! How the values of a datatype are written as a list of leaves.
//!
//! A record is the list of its fields. A sum is a tag, followed by the fields of all constructors: an enumeration is a
//! tag alone. Fields that are records or sums themselves are written in the same way. The fields of constructors
//! other than the one that the tag names have a default, so that a value has exactly one list. With two constructors
//! the tag is a truth value, which needs no range; otherwise it is an integer from zero on.

use std::collections::BTreeMap;
use std::sync::Arc;

use shem_term::{Sort, Store, Symbol, Term};

/// A sort that needs more leaves, or consists of more records, stays as it is.
const WIDTH: usize = 256;

/// How deep records may be nested in one another: the depth of recursions over layouts.
const DEPTH: usize = 32;

/// How the values of a sort are written.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    constructors: Vec<ConstructorLayout>,
    /// The sorts of the leaves; if there are several constructors, that of the tag comes first.
    leaves: Vec<Sort>,
    /// For each leaf of a sum the value that it has if its field does not exist.
    defaults: Vec<Term>,
    /// How deep records are nested, this one included.
    depth: usize,
    /// How many records and sums there are, this one included.
    size: usize,
    /// Whether this or a nested one has several constructors.
    has_tags: bool,
}

#[derive(Clone, Debug)]
struct ConstructorLayout {
    symbol: Symbol,
    selectors: Box<[Symbol]>,
    tester: Symbol,
    fields: Vec<Field>,
}

/// Where the leaves of a field are.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) start: usize,
    pub(super) end: usize,
    inner: Option<Arc<Layout>>,
}

impl Field {
    /// How the field is written, unless it is one leaf as it is.
    pub(super) fn inner(&self) -> Option<&Layout> {
        self.inner.as_deref()
    }
}

/// The layouts of sorts, each made once.
#[derive(Clone, Debug, Default)]
pub(super) struct Layouts {
    known: BTreeMap<Sort, Option<Arc<Layout>>>,
}

impl Layouts {
    /// The layout of a sort; `None` if its values stay as they are.
    pub(super) fn of(&mut self, store: &mut Store, sort: Sort) -> Option<Arc<Layout>> {
        if !sort.is_datatype() {
            return None;
        }
        if let Some(known) = self.known.get(&sort) {
            return known.clone();
        }
        let mut stack = vec![sort];
        while let Some(&sort) = stack.last() {
            let Some(datatype) = store.datatype_of(sort).filter(|_| !self.known.contains_key(&sort)) else {
                stack.pop();
                continue;
            };
            if datatype.is_recursive() {
                self.known.insert(sort, None);
                continue;
            }
            let symbols: Vec<Symbol> = datatype.constructors().iter().map(|c| c.symbol).collect();
            let before = stack.len();
            for symbol in symbols {
                let fields = store.signature(symbol).args.iter().copied();
                let is_open = |sort: &Sort| sort.is_datatype() && !self.known.contains_key(sort);
                stack.extend(fields.filter(is_open));
            }
            if stack.len() == before {
                let layout = self.make(store, sort);
                self.known.insert(sort, layout.map(Arc::new));
            }
        }
        self.known[&sort].clone()
    }

    /// The layout of a datatype that is not recursive, when those of its fields are known.
    fn make(&self, store: &mut Store, sort: Sort) -> Option<Layout> {
        let constructors = store.datatype_of(sort)?.constructors().to_vec();
        let mut layout = Layout {
            constructors: Vec::with_capacity(constructors.len()),
            leaves: Vec::new(),
            defaults: Vec::new(),
            depth: 1,
            size: 1,
            has_tags: constructors.len() > 1,
        };
        match constructors.len() {
            1 => {}
            2 => layout.leaves.push(Sort::Bool),
            _ => layout.leaves.push(Sort::Int),
        }
        for constructor in constructors {
            let mut fields = Vec::with_capacity(constructor.selectors.len());
            for &field in &store.signature(constructor.symbol).args {
                let start = layout.leaves.len();
                let inner = self.known.get(&field).cloned().flatten();
                match &inner {
                    Some(inner) => {
                        layout.leaves.extend_from_slice(&inner.leaves);
                        layout.depth = layout.depth.max(inner.depth + 1);
                        layout.size += inner.size;
                        layout.has_tags |= inner.has_tags;
                    }
                    None => layout.leaves.push(field),
                }
                fields.push(Field { start, end: layout.leaves.len(), inner });
            }
            if layout.leaves.len().max(layout.size) > WIDTH || layout.depth > DEPTH {
                return None;
            }
            let (symbol, selectors, tester) = (constructor.symbol, constructor.selectors, constructor.tester);
            layout.constructors.push(ConstructorLayout { symbol, selectors, tester, fields });
        }
        if layout.constructors.len() > 1 {
            for &leaf in &layout.leaves {
                let value = store.default_value(leaf);
                let term = store.value_term(&value, leaf);
                // The elements of a declared sort have no names that labels could share.
                if !store.free_variables(&[term]).is_empty() {
                    return None;
                }
                layout.defaults.push(term);
            }
        }
        Some(layout)
    }
}

impl Layout {
    /// The sorts of the leaves.
    pub(super) fn leaves(&self) -> &[Sort] {
        &self.leaves
    }

    /// Whether not every list of leaves is a value.
    pub(super) fn has_tags(&self) -> bool {
        self.has_tags
    }

    /// Whether there is only one constructor.
    pub(super) fn is_record(&self) -> bool {
        self.constructors.len() == 1
    }

    /// A field of the constructor with this number.
    pub(super) fn field(&self, constructor: u32, field: u32) -> &Field {
        &self.constructors[constructor as usize].fields[field as usize]
    }

    /// The literal that says that the value with these leaves is made by the constructor with this number.
    pub(super) fn is_made_by(&self, store: &mut Store, leaves: &[Term], constructor: usize) -> Term {
        match self.constructors.len() {
            1 => Term::TRUE,
            2 => leaves[0].xor(constructor == 0),
            _ => {
                let number = store.int(constructor as i64);
                store.eq(leaves[0], number)
            }
        }
    }

    /// The leaves of a constructor applied to fields, which are given by their leaves.
    pub(super) fn construct(&self, store: &mut Store, constructor: u32, fields: &[Vec<Term>]) -> Vec<Term> {
        if self.is_record() {
            return fields.concat();
        }
        let mut leaves = self.defaults.clone();
        leaves[0] = self.tag(store, constructor as usize);
        for (field, values) in self.constructors[constructor as usize].fields.iter().zip(fields) {
            leaves[field.start..field.end].copy_from_slice(values);
        }
        leaves
    }

    fn tag(&self, store: &mut Store, constructor: usize) -> Term {
        match self.constructors.len() {
            2 => Term::from_bool(constructor == 1),
            _ => store.int(constructor as i64),
        }
    }

    /// The term with these leaves.
    pub(super) fn whole(&self, store: &mut Store, leaves: &[Term]) -> Term {
        let mut result = None;
        for (index, constructor) in self.constructors.iter().enumerate().rev() {
            let mut args = Vec::with_capacity(constructor.fields.len());
            for field in &constructor.fields {
                args.push(match &field.inner {
                    Some(inner) => inner.whole(store, &leaves[field.start..field.end]),
                    None => leaves[field.start],
                });
            }
            let term = store.construct(constructor.symbol, &args);
            result = Some(match result {
                None => term,
                Some(other) => {
                    let here = self.is_made_by(store, leaves, index);
                    store.ite(here, term, other)
                }
            });
        }
        result.expect("a datatype has a constructor")
    }

    /// The leaves of a term, by testers and selectors.
    pub(super) fn project(&self, store: &mut Store, whole: Term) -> Vec<Term> {
        let mut leaves = Vec::with_capacity(self.leaves.len());
        let mut tests = Vec::with_capacity(self.constructors.len());
        for constructor in &self.constructors {
            tests.push(store.test(constructor.tester, whole));
        }
        match tests[..] {
            [_] => {}
            [_, second] => leaves.push(second),
            _ => {
                let mut tag = store.int(tests.len() as i64 - 1);
                for (number, &test) in tests.iter().enumerate().rev().skip(1) {
                    let number = store.int(number as i64);
                    tag = store.ite(test, number, tag);
                }
                leaves.push(tag);
            }
        }
        for (constructor, &test) in self.constructors.iter().zip(&tests) {
            for (field, &selector) in constructor.fields.iter().zip(&constructor.selectors) {
                let term = store.select_field(selector, whole);
                match &field.inner {
                    Some(inner) => leaves.extend(inner.project(store, term)),
                    None => leaves.push(term),
                }
            }
            if let [first, ..] = &constructor.fields[..]
                && !self.is_record()
            {
                let start = first.start;
                for (leaf, &default) in leaves[start..].iter_mut().zip(&self.defaults[start..]) {
                    *leaf = store.ite(test, *leaf, default);
                }
            }
        }
        leaves
    }

    /// Says that the leaves are those of a value: tags are in their range, and what does not exist has its default.
    pub(super) fn is_value(&self, store: &mut Store, leaves: &[Term], parts: &mut Vec<Term>) {
        if self.constructors.len() > 2 {
            let (low, high) = (store.int(0), store.int(self.constructors.len() as i64 - 1));
            parts.push(store.ge(leaves[0], low));
            parts.push(store.le(leaves[0], high));
        }
        for (index, constructor) in self.constructors.iter().enumerate() {
            for field in &constructor.fields {
                if !self.is_record() {
                    let here = self.is_made_by(store, leaves, index);
                    let places = field.start..field.end;
                    for (&leaf, &default) in leaves[places.clone()].iter().zip(&self.defaults[places]) {
                        let same = store.eq(leaf, default);
                        parts.push(store.or2(here, same));
                    }
                }
                if let Some(inner) = &field.inner {
                    inner.is_value(store, &leaves[field.start..field.end], parts);
                }
            }
        }
    }
}
