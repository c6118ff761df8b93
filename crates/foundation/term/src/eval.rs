//! Evaluation of terms under an assignment: the judge of models.
//!
//! It follows SMT-LIB's semantics by the definition of each operator and shares nothing with the solver.

use std::fmt;

use shem_base::{Int, Rat};

use crate::poly::Poly;
use crate::store::Store;
use crate::symbol::Symbol;
use crate::term::{Term, View};

/// A truth value or a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A number; integral for `Int` terms.
    Num(Rat),
}

impl Value {
    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            Value::Num(_) => None,
        }
    }

    /// The number, if it is one.
    pub fn as_num(&self) -> Option<&Rat> {
        match self {
            Value::Bool(_) => None,
            Value::Num(n) => Some(n),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => b.fmt(f),
            Value::Num(n) => n.fmt(f),
        }
    }
}

/// Gives variables their values.
pub trait Assignment {
    /// The value of a variable, if it has one.
    fn value(&self, symbol: Symbol) -> Option<Value>;
}

impl<F: Fn(Symbol) -> Option<Value>> Assignment for F {
    fn value(&self, symbol: Symbol) -> Option<Value> {
        self(symbol)
    }
}

/// Evaluates one term again and again: its subterms are listed once, and nothing is allocated for a number
/// that fits a word.
///
/// ```
/// use shem_term::{Evaluator, Sort, Store, Symbol, Value};
///
/// let mut store = Store::new();
/// let x = store.variable("x", Sort::Int);
/// let three = store.int(3);
/// let small = store.le(x, three);
/// let mut evaluator = Evaluator::new(&store, small);
/// let at = |n: i64| move |_: Symbol| Some(Value::Num(n.into()));
/// assert_eq!(evaluator.evaluate(&store, &at(3)), Some(Value::Bool(true)));
/// assert_eq!(evaluator.evaluate(&store, &at(4)), Some(Value::Bool(false)));
/// ```
#[derive(Clone, Debug)]
pub struct Evaluator {
    root: Term,
    /// The subterms of the root, sorted: children first, the root last.
    terms: Vec<Term>,
    /// The values of the first of them.
    values: Vec<Option<Value>>,
}

impl Evaluator {
    /// An evaluator of this term.
    pub fn new(store: &Store, root: Term) -> Evaluator {
        Evaluator { root, terms: store.subterms(&[root]), values: Vec::new() }
    }

    /// The value of the term; see [`Store::evaluate`].
    pub fn evaluate(&mut self, store: &Store, assignment: &impl Assignment) -> Option<Value> {
        self.values.clear();
        self.values.reserve(self.terms.len());
        for at in 0..self.terms.len() {
            let value = store.evaluate_node(self.terms[at], self, assignment);
            self.values.push(value);
        }
        match self.values.pop()?? {
            Value::Bool(b) => Some(Value::Bool(b != self.root.is_negated())),
            number => Some(number),
        }
    }

    fn get(&self, term: Term) -> Option<&Value> {
        let at = self.terms.binary_search(&term.positive()).expect("a subterm");
        self.values[at].as_ref()
    }

    fn bool(&self, term: Term) -> Option<bool> {
        Some(self.get(term)?.as_bool()? != term.is_negated())
    }

    fn num(&self, term: Term) -> Option<&Rat> {
        self.get(term)?.as_num()
    }
}

impl Store {
    /// The value of a term, or `None` if it depends on a variable without a value, on a predicate's
    /// application or on a quantifier.
    pub fn evaluate(&self, term: Term, assignment: &impl Assignment) -> Option<Value> {
        Evaluator::new(self, term).evaluate(self, assignment)
    }

    fn evaluate_node(&self, term: Term, values: &Evaluator, assignment: &impl Assignment) -> Option<Value> {
        let truth = |b| Some(Value::Bool(b));
        match self.view(term) {
            View::True => truth(true),
            View::Var(symbol) => assignment.value(symbol),
            View::App(..) | View::Forall(..) => None,
            View::Equal(a, b) => truth(values.get(a)? == values.get(b)?),
            View::And(args) => {
                // False decides, even where another member has no value.
                let mut all_known = true;
                for &arg in args {
                    match values.bool(arg) {
                        Some(false) => return truth(false),
                        Some(true) => {}
                        None => all_known = false,
                    }
                }
                if all_known { truth(true) } else { None }
            }
            View::Iff(a, b) => truth(values.bool(a)? == values.bool(b)?),
            View::Ite(c, a, b) => {
                let branch = if values.bool(c)? { a } else { b };
                match values.get(branch)? {
                    Value::Bool(b) => truth(*b != branch.is_negated()),
                    number => Some(number.clone()),
                }
            }
            View::Le(p, c) => truth(self.evaluate_poly(p, values)? <= *c),
            View::Lt(p, c) => truth(self.evaluate_poly(p, values)? < *c),
            View::Eq(p, c) => truth(self.evaluate_poly(p, values)? == *c),
            View::Divisible(k, p, c) => {
                let sum = self.evaluate_poly(p, values)? + Rat::from(c.clone());
                truth((sum / Rat::from(k.clone())).is_integer())
            }
            View::Num(n) => Some(Value::Num(n.clone())),
            View::Linear(s, p, c) => Some(Value::Num(s * &self.evaluate_poly(p, values)? + c)),
            View::Div(t, k) => Some(Value::Num(Rat::from(quotient(values.num(t)?, k)))),
            View::Mod(t, k) => {
                let value = values.num(t)?;
                Some(Value::Num(value - &Rat::from(quotient(value, k) * k)))
            }
            View::ToInt(t) => Some(Value::Num(Rat::from(values.num(t)?.floor()))),
        }
    }

    fn evaluate_poly(&self, poly: Poly, values: &Evaluator) -> Option<Rat> {
        let mut sum = Rat::ZERO;
        for t in self.poly_terms(poly) {
            sum.add_mul(&Rat::from(t.coeff.clone()), values.num(t.leaf)?);
        }
        Some(sum)
    }
}

fn quotient(value: &Rat, modulus: &Int) -> Int {
    (value / &Rat::from(modulus.clone())).floor()
}
