//! Terms as they are written: nothing is sorted, flattened or evaluated.
//!
//! A term exists once and is known by its number. What a checker of proofs does while it reads is done here, too, and
//! nothing else: bindings and definitions are expanded, annotations are dropped, and a quotient of numerals is a number.

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use shem_base::Rat;
use shem_term::quote_symbol;

/// A term as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Id(u32);

impl Id {
    /// A number that no other term has.
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// The sort of a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Bool,
    Int,
    Real,
    /// A declared sort.
    Declared(String),
    /// Arrays from the one to the other.
    Array(Box<Sort>, Box<Sort>),
}

impl Sort {
    pub(crate) fn is_arithmetic(&self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }

    /// The sort in SMT-LIB.
    pub(crate) fn text(&self) -> String {
        match self {
            Sort::Bool => "Bool".to_owned(),
            Sort::Int => "Int".to_owned(),
            Sort::Real => "Real".to_owned(),
            Sort::Declared(name) => quote_symbol(name).into_owned(),
            Sort::Array(index, element) => format!("(Array {} {})", index.text(), element.text()),
        }
    }
}

/// The name at the head of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Head(u32);

/// What a term is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    /// A number, not negative, of sort Real or Int.
    Number(Rat, bool),
    /// A symbol of the language or of the problem, applied to terms.
    Apply(Head, Box<[Id]>),
    /// The parameter of a definition, which no finished term has.
    Parameter(u32),
}

/// All terms of a problem.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    shapes: Vec<Shape>,
    sorts: Vec<Sort>,
    index: FxHashMap<(Shape, Sort), Id>,
    heads: Vec<String>,
    head_index: HashMap<String, Head>,
}

impl Terms {
    pub(crate) fn intern(&mut self, shape: Shape, sort: Sort) -> Id {
        let key = (shape, sort);
        if let Some(&known) = self.index.get(&key) {
            return known;
        }
        let id = Id(self.shapes.len() as u32);
        self.shapes.push(key.0.clone());
        self.sorts.push(key.1.clone());
        self.index.insert(key, id);
        id
    }

    pub(crate) fn head(&mut self, name: &str) -> Head {
        if let Some(&known) = self.head_index.get(name) {
            return known;
        }
        let head = Head(self.heads.len() as u32);
        self.heads.push(name.to_owned());
        self.head_index.insert(name.to_owned(), head);
        head
    }

    pub(crate) fn head_name(&self, head: Head) -> &str {
        &self.heads[head.0 as usize]
    }

    pub(crate) fn shape(&self, id: Id) -> &Shape {
        &self.shapes[id.0 as usize]
    }

    pub(crate) fn sort(&self, id: Id) -> &Sort {
        &self.sorts[id.0 as usize]
    }

    /// The name at the head and the arguments; a number has neither.
    pub(crate) fn parts(&self, id: Id) -> (&str, &[Id]) {
        match self.shape(id) {
            Shape::Apply(head, args) => (self.head_name(*head), args),
            Shape::Number(..) | Shape::Parameter(_) => ("", &[]),
        }
    }

    pub(crate) fn apply(&mut self, name: &str, args: &[Id], sort: Sort) -> Id {
        let head = self.head(name);
        self.intern(Shape::Apply(head, args.into()), sort)
    }

    /// A formula made of terms.
    pub(crate) fn formula(&mut self, name: &str, args: &[Id]) -> Id {
        self.apply(name, args, Sort::Bool)
    }

    pub(crate) fn not(&mut self, id: Id) -> Id {
        self.formula("not", &[id])
    }

    pub(crate) fn truth(&mut self, value: bool) -> Id {
        self.formula(if value { "true" } else { "false" }, &[])
    }

    pub(crate) fn equation(&mut self, a: Id, b: Id) -> Id {
        self.formula("=", &[a, b])
    }

    /// A number of either sign.
    pub(crate) fn number(&mut self, value: &Rat, real: bool) -> Id {
        let sort = if real { Sort::Real } else { Sort::Int };
        let size = self.intern(Shape::Number(value.abs(), real), sort.clone());
        if value.is_negative() { self.apply("-", &[size], sort) } else { size }
    }

    /// The formula without the negations in front of it, and whether their number is even.
    pub(crate) fn literal(&self, mut id: Id) -> (Id, bool) {
        let mut positive = true;
        while let ("not", &[inner]) = self.parts(id) {
            id = inner;
            positive = !positive;
        }
        (id, positive)
    }

    /// The term with terms in place of the parameters.
    pub(crate) fn instantiate(&mut self, root: Id, actuals: &[Id]) -> Id {
        let mut known: FxHashMap<Id, Id> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if known.contains_key(&id) {
                stack.pop();
                continue;
            }
            let result = match self.shape(id) {
                Shape::Number(..) => id,
                Shape::Parameter(index) => actuals[*index as usize],
                Shape::Apply(head, args) => {
                    let before = stack.len();
                    stack.extend(args.iter().filter(|arg| !known.contains_key(arg)));
                    if stack.len() > before {
                        continue;
                    }
                    let (head, args) = (*head, args.iter().map(|arg| known[arg]).collect());
                    let sort = self.sort(id).clone();
                    self.intern(Shape::Apply(head, args), sort)
                }
            };
            known.insert(id, result);
            stack.pop();
        }
        known[&root]
    }
}
