//! Terms as they are written: nothing is sorted, flattened or evaluated.
//!
//! A term exists once and is known by its number; the parts of a term have smaller numbers. What a checker of proofs does
//! while it reads is done here, too, and nothing else: bindings and definitions are expanded, annotations are dropped, and
//! a quotient of numerals is a number. Every quantifier has variables of its own, whatever their names are.

use std::collections::HashMap;

use rustc_hash::{FxHashMap, FxHashSet};
use shem_base::{Rat, dense_id};
use shem_term::quote_symbol;

dense_id! {
    /// A term as it is written.
    pub(crate) struct TermId("@");
}

dense_id! {
    /// A variable that a quantifier or the definition of a function binds.
    pub(crate) struct VariableId("@x");
}

dense_id! {
    /// The name at the head of a term.
    pub(crate) struct Head("f");
}

/// The sort of a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Bool,
    Int,
    Real,
    /// A declared sort.
    Declared(String),
    /// Bit-vectors of a width.
    BitVec(u32),
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
            Sort::BitVec(width) => format!("(_ BitVec {width})"),
            Sort::Declared(name) => quote_symbol(name).into_owned(),
            Sort::Array(index, element) => format!("(Array {} {})", index.text(), element.text()),
        }
    }
}

/// What a term is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    /// A number, not negative, of sort Real or Int.
    Number(Rat, bool),
    /// A symbol of the language or of the problem, applied to terms.
    Apply(Head, Box<[TermId]>),
    Variable(VariableId),
    /// A quantifier, by its position.
    Quantifier(u32),
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// The name without bars.
    pub(crate) name: String,
    pub(crate) sort: Sort,
    /// The term that is the variable.
    pub(crate) term: TermId,
}

/// A quantified formula.
#[derive(Clone, Debug)]
pub(crate) struct Quantifier {
    pub(crate) universal: bool,
    pub(crate) variables: Vec<VariableId>,
    /// The body, alone.
    body: [TermId; 1],
}

impl Quantifier {
    pub(crate) fn body(&self) -> TermId {
        self.body[0]
    }
}

/// All terms of a problem.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    shapes: Vec<Shape>,
    sorts: Vec<Sort>,
    index: FxHashMap<(Shape, Sort), TermId>,
    heads: Vec<String>,
    head_index: HashMap<String, Head>,
    variables: Vec<Variable>,
    quantifiers: Vec<Quantifier>,
}

impl Terms {
    /// The number of terms.
    pub(crate) fn len(&self) -> usize {
        self.shapes.len()
    }

    pub(crate) fn intern(&mut self, shape: Shape, sort: Sort) -> TermId {
        let key = (shape, sort);
        if let Some(&known) = self.index.get(&key) {
            return known;
        }
        let id = self.push(key.0.clone(), key.1.clone());
        self.index.insert(key, id);
        id
    }

    fn push(&mut self, shape: Shape, sort: Sort) -> TermId {
        let id = TermId::new(self.shapes.len());
        self.shapes.push(shape);
        self.sorts.push(sort);
        id
    }

    pub(crate) fn head(&mut self, name: &str) -> Head {
        if let Some(known) = self.known_head(name) {
            return known;
        }
        let head = Head::new(self.heads.len());
        self.heads.push(name.to_owned());
        self.head_index.insert(name.to_owned(), head);
        head
    }

    /// The head of this name, if some term has it.
    pub(crate) fn known_head(&self, name: &str) -> Option<Head> {
        self.head_index.get(name).copied()
    }

    pub(crate) fn head_name(&self, head: Head) -> &str {
        &self.heads[head.index()]
    }

    pub(crate) fn shape(&self, id: TermId) -> &Shape {
        &self.shapes[id.index()]
    }

    pub(crate) fn sort(&self, id: TermId) -> &Sort {
        &self.sorts[id.index()]
    }

    pub(crate) fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.index()]
    }

    /// The number of variables.
    pub(crate) fn variable_count(&self) -> usize {
        self.variables.len()
    }

    /// The number of quantifiers.
    pub(crate) fn quantifier_count(&self) -> usize {
        self.quantifiers.len()
    }

    /// The quantifier that a term is.
    pub(crate) fn quantifier(&self, id: TermId) -> Option<&Quantifier> {
        match self.shape(id) {
            Shape::Quantifier(index) => Some(&self.quantifiers[*index as usize]),
            _ => None,
        }
    }

    /// The terms that a term is made of.
    pub(crate) fn children(&self, id: TermId) -> &[TermId] {
        match self.shape(id) {
            Shape::Apply(_, args) => args,
            Shape::Quantifier(index) => &self.quantifiers[*index as usize].body,
            Shape::Number(..) | Shape::Variable(_) => &[],
        }
    }

    /// The name at the head and the arguments; what is no application has neither.
    pub(crate) fn parts(&self, id: TermId) -> (&str, &[TermId]) {
        match self.shape(id) {
            Shape::Apply(head, args) => (self.head_name(*head), args),
            Shape::Number(..) | Shape::Variable(_) | Shape::Quantifier(_) => ("", &[]),
        }
    }

    pub(crate) fn apply(&mut self, name: &str, args: &[TermId], sort: Sort) -> TermId {
        let head = self.head(name);
        self.intern(Shape::Apply(head, args.into()), sort)
    }

    /// A formula made of terms.
    pub(crate) fn formula(&mut self, name: &str, args: &[TermId]) -> TermId {
        self.apply(name, args, Sort::Bool)
    }

    /// A formula that is another term than those that are written alike.
    pub(crate) fn separate_formula(&mut self, name: &str, args: &[TermId]) -> TermId {
        let head = self.head(name);
        self.push(Shape::Apply(head, args.into()), Sort::Bool)
    }

    pub(crate) fn not(&mut self, id: TermId) -> TermId {
        self.formula("not", &[id])
    }

    pub(crate) fn truth(&mut self, value: bool) -> TermId {
        self.formula(if value { "true" } else { "false" }, &[])
    }

    pub(crate) fn equation(&mut self, a: TermId, b: TermId) -> TermId {
        self.formula("=", &[a, b])
    }

    /// A number of either sign.
    pub(crate) fn number(&mut self, value: &Rat, real: bool) -> TermId {
        let sort = if real { Sort::Real } else { Sort::Int };
        let size = self.intern(Shape::Number(value.abs(), real), sort.clone());
        if value.is_negative() { self.apply("-", &[size], sort) } else { size }
    }

    /// A new variable, and the term that it is.
    pub(crate) fn new_variable(&mut self, name: &str, sort: Sort) -> (VariableId, TermId) {
        let variable = VariableId::new(self.variables.len());
        let term = self.push(Shape::Variable(variable), sort.clone());
        self.variables.push(Variable { name: name.to_owned(), sort, term });
        (variable, term)
    }

    /// A formula that binds variables of its own.
    pub(crate) fn quantify(&mut self, universal: bool, variables: Vec<VariableId>, body: TermId) -> TermId {
        let index = self.quantifiers.len() as u32;
        self.quantifiers.push(Quantifier { universal, variables, body: [body] });
        self.push(Shape::Quantifier(index), Sort::Bool)
    }

    /// The value of a number or of its negation.
    pub(crate) fn signed_literal(&self, id: TermId) -> Option<Rat> {
        match (self.shape(id), self.parts(id)) {
            (Shape::Number(value, _), _) => Some(value.clone()),
            (_, ("-", &[inner])) => match self.shape(inner) {
                Shape::Number(value, _) => Some(-value.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of an exact quotient of two numerals.
    pub(crate) fn exact_quotient(&self, id: TermId) -> Option<Rat> {
        let ("div", &[a, b]) = self.parts(id) else { return None };
        let (a, b) = (self.signed_literal(a)?, self.signed_literal(b)?);
        (!b.is_zero()).then(|| &a / &b).filter(Rat::is_integer)
    }

    /// The formula without the negations in front of it, and whether their number is even.
    pub(crate) fn literal(&self, mut id: TermId) -> (TermId, bool) {
        let mut positive = true;
        while let ("not", &[inner]) = self.parts(id) {
            id = inner;
            positive = !positive;
        }
        (id, positive)
    }

    /// The terms that some terms consist of, these included, in the order of their numbers: parts come first.
    pub(crate) fn within(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut terms = Vec::new();
        self.visit(roots, |id| terms.push(id));
        terms.sort_unstable();
        terms
    }

    /// Visits the terms that some terms consist of, these included, each once: from the outside to the inside, and what is
    /// written first comes first.
    fn visit(&self, roots: &[TermId], mut visit: impl FnMut(TermId)) {
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut stack: Vec<TermId> = roots.iter().rev().copied().collect();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                visit(id);
                stack.extend(self.children(id).iter().rev());
            }
        }
    }

    /// The term with terms in place of variables. Quantifiers get new variables.
    pub(crate) fn instantiate(
        &mut self,
        root: TermId,
        parameters: &[VariableId],
        actuals: &[TermId],
    ) -> TermId {
        let terms = parameters.iter().map(|&parameter| self.variable(parameter).term);
        let mut known: FxHashMap<TermId, TermId> = terms.zip(actuals.iter().copied()).collect();
        let mut bound = Vec::new();
        self.visit(&[root], |id| bound.extend(self.quantifier(id).map(|q| q.variables.clone())));
        for variable in bound.concat() {
            let Variable { name, sort, term } = self.variable(variable).clone();
            known.insert(term, self.new_variable(&name, sort).1);
        }
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if known.contains_key(&id) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(self.children(id).iter().filter(|child| !known.contains_key(child)));
            if stack.len() > before {
                continue;
            }
            let result = match self.shape(id) {
                Shape::Number(..) | Shape::Variable(_) => id,
                Shape::Apply(head, args) => {
                    let (head, args) = (*head, args.iter().map(|arg| known[arg]).collect());
                    let sort = self.sort(id).clone();
                    self.intern(Shape::Apply(head, args), sort)
                }
                Shape::Quantifier(index) => {
                    let Quantifier { universal, variables, body } = &self.quantifiers[*index as usize];
                    let renamed =
                        variables.iter().map(|&old| match self.shape(known[&self.variable(old).term]) {
                            Shape::Variable(new) => *new,
                            _ => unreachable!("a bound variable has a new one"),
                        });
                    let (universal, renamed, body) = (*universal, renamed.collect(), known[&body[0]]);
                    self.quantify(universal, renamed, body)
                }
            };
            known.insert(id, result);
            stack.pop();
        }
        known[&root]
    }
}
