//! The values of subterms in a model, and which of them mention a variable to eliminate.
//!
//! Both are found in one pass, children first, and kept in a dense memo that is emptied by a counter, so
//! that implicants and the loading of atoms look them up in constant time. Variables that a projection introduces
//! get their values here; the model stays as it is.

use shem_base::{Int, Rat, StampMap, StampSet, add_work};
use shem_term::{Poly, Store, Term, Value, View};

use crate::Model;

/// The value of a term without its negation.
#[derive(Clone, Debug, Default)]
struct TermValue {
    /// `None` where the value depends on a function without a value or on a quantifier.
    value: Option<Value>,
    mentions: bool,
}

/// A memo of values under one model.
#[derive(Clone, Debug, Default)]
pub(super) struct Valuation {
    values: StampMap<TermValue>,
    eliminated: StampSet,
    stack: Vec<Term>,
    /// Whether there is an application, or an equality that is neither Boolean nor arithmetic.
    has_applications: bool,
    /// Whether a variable to eliminate occurs in one.
    beyond_arithmetic: bool,
}

impl Valuation {
    /// Starts again with these variables to eliminate.
    pub(super) fn begin(&mut self, eliminate: &[Term]) {
        self.values.clear();
        self.eliminated.clear();
        self.has_applications = false;
        self.beyond_arithmetic = false;
        for var in eliminate {
            self.eliminated.insert(var.index());
        }
    }

    /// Adds a variable to eliminate that the model does not know.
    pub(super) fn introduce(&mut self, var: Term, value: Value) {
        self.eliminated.insert(var.index());
        self.values.insert(var.index(), TermValue { value: Some(value), mentions: true });
    }

    /// Whether some term valued so far needs more than arithmetic to be rid of the variables to eliminate.
    #[inline]
    pub(super) fn is_beyond_arithmetic(&self) -> bool {
        self.beyond_arithmetic
    }

    /// Whether some term valued so far is an application, or an equality that is neither Boolean nor arithmetic.
    #[inline]
    pub(super) fn has_applications(&self) -> bool {
        self.has_applications
    }

    /// Values the term and all its subterms. Variables that the model does not mention take the default of
    /// their sort.
    pub(super) fn evaluate(&mut self, store: &Store, model: &Model, root: Term) {
        self.stack.push(root.positive());
        while let Some(&term) = self.stack.last() {
            if self.values.contains(term.index()) {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            let Valuation { values, stack, .. } = self;
            store.for_each_child(term, |child| {
                if !values.contains(child.index()) {
                    stack.push(child.positive());
                }
            });
            if self.stack.len() > before {
                continue;
            }
            self.stack.pop();
            add_work(2);
            let mut mentions = self.eliminated.contains(term.index());
            store.for_each_child(term, |child| mentions |= self.mentions(child));
            if matches!(store.view(term), View::App(..) | View::Equal(..)) {
                self.has_applications = true;
                self.beyond_arithmetic |= mentions;
            }
            let value = self.value_of(store, model, term);
            self.values.insert(term.index(), TermValue { value, mentions });
        }
    }

    fn entry(&self, term: Term) -> &TermValue {
        self.values.get(term.index()).expect("terms are learned before they are asked for")
    }

    /// Whether a variable to eliminate occurs in the term.
    #[inline]
    pub(super) fn mentions(&self, term: Term) -> bool {
        self.entry(term).mentions
    }

    /// Whether the term is itself a variable to eliminate.
    #[inline]
    pub(super) fn is_eliminated(&self, term: Term) -> bool {
        self.eliminated.contains(term.index())
    }

    /// The truth value of a formula.
    #[inline]
    pub(super) fn truth(&self, term: Term) -> Option<bool> {
        Some(self.entry(term).value.as_ref()?.as_bool()? != term.is_negated())
    }

    /// The value of an arithmetic term.
    #[inline]
    pub(super) fn number(&self, term: Term) -> Option<&Rat> {
        self.entry(term).value.as_ref()?.as_num()
    }

    /// The value of a term, with its negation.
    pub(super) fn value(&self, term: Term) -> Option<Value> {
        match self.entry(term).value.as_ref()? {
            Value::Bool(b) => Some(Value::Bool(*b != term.is_negated())),
            other => Some(other.clone()),
        }
    }

    /// The value of a term that is not Boolean.
    #[inline]
    pub(super) fn value_ref(&self, term: Term) -> Option<&Value> {
        self.entry(term).value.as_ref()
    }

    fn value_of(&self, store: &Store, model: &Model, term: Term) -> Option<Value> {
        let truth = |b| Some(Value::Bool(b));
        match store.view(term) {
            View::True => truth(true),
            View::Var(symbol) => Some(model.value_or_default(store, symbol)),
            View::App(symbol, args) => self.value_of_application(store, model, symbol, args),
            View::Equal(a, b) => truth(self.value_ref(a)? == self.value_ref(b)?),
            View::Forall(..) => None,
            View::And(args) => {
                // False decides, even where another member has no value.
                let mut all_known = true;
                for &arg in args {
                    match self.truth(arg) {
                        Some(false) => return truth(false),
                        Some(true) => {}
                        None => all_known = false,
                    }
                }
                if all_known { truth(true) } else { None }
            }
            View::Iff(a, b) => truth(self.truth(a)? == self.truth(b)?),
            View::Ite(c, a, b) => {
                let branch = if self.truth(c)? { a } else { b };
                self.value(branch)
            }
            View::Le(p, c) => truth(self.sum(store, p)? <= *c),
            View::Lt(p, c) => truth(self.sum(store, p)? < *c),
            View::Eq(p, c) => truth(self.sum(store, p)? == *c),
            View::Divisible(k, p, c) => {
                let sum = self.sum(store, p)? + Rat::from(c);
                truth(sum.div_int(k).is_integer())
            }
            View::Num(n) => Some(Value::Num(n.clone())),
            View::Linear(s, p, c) => Some(Value::Num(s * &self.sum(store, p)? + c)),
            View::Div(t, k) => Some(Value::Num(Rat::from(quotient(self.number(t)?, k)))),
            View::Mod(t, k) => {
                let value = self.number(t)?;
                Some(Value::Num(value - &Rat::from(quotient(value, k) * k)))
            }
            View::ToInt(t) => Some(Value::Num(Rat::from(self.number(t)?.floor()))),
        }
    }

    fn sum(&self, store: &Store, poly: Poly) -> Option<Rat> {
        let mut sum = Rat::ZERO;
        for t in store.poly_terms(poly) {
            sum.add_mul_int(&t.coeff, self.number(t.leaf)?);
        }
        Some(sum)
    }
}

fn quotient(value: &Rat, modulus: &Int) -> Int {
    value.div_int(modulus).floor()
}
