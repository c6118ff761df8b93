//! Values: what arguments of functions and sides of equations are.
//!
//! A value is known by a number. Two values are the same if they are made in the same way: numbers are compared as
//! linear forms, truth values as literals, everything else by its symbol and the values that it is applied to. A
//! conditional that is neither a number nor a truth value is known by its term.

use shem_term::{Role, Sort, Symbol, Term, View};

use crate::linear::{Leaf, Linear};
use crate::literal::{Literal, Statement, Statements};
use crate::translation::Translation;

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// A constant.
    Symbol(Symbol),
    /// An if-then-else.
    Conditional(Term),
    /// A symbol applied to values.
    Application(Symbol, Box<[u32]>),
    /// A number.
    Number(Linear),
    /// A truth value.
    Truth(Literal),
    /// A node of the proof that means nothing in particular.
    Free(u32),
}

impl<T: Translation> Statements<'_, T> {
    /// The value of a term.
    pub(crate) fn value_of_term(&mut self, term: Term) -> u32 {
        self.prepare(term);
        self.prepared_value(term)
    }

    /// Finds the values of the applications in a term, innermost first. What is below connectives and conditionals
    /// does not matter, because these are known by their terms.
    pub(crate) fn prepare(&mut self, root: Term) {
        if self.is_prepared(root) {
            return;
        }
        let mut stack = vec![root.positive()];
        while let Some(&term) = stack.last() {
            if self.is_prepared(term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.store.for_each_child(term, |child| {
                if !self.is_prepared(child) {
                    stack.push(child.positive());
                }
            });
            if stack.len() > before {
                continue;
            }
            stack.pop();
            self.prepared.insert(term);
            if let View::App(symbol, args) = self.store.view(term) {
                let args = args.to_vec();
                let args = args.into_iter().map(|arg| self.prepared_value(arg)).collect();
                let value = self.application(symbol, args);
                self.applications.insert(term, value);
                if let Value::Number(form) = &**self.values.get(value) {
                    self.forms.add_application(term, form.clone());
                }
            }
        }
    }

    /// Whether the applications in a term have values.
    pub(crate) fn is_prepared(&self, term: Term) -> bool {
        match self.store.view(term) {
            View::True | View::Var(_) | View::Num(_) => true,
            View::And(_) | View::Iff(..) | View::Ite(..) | View::Forall(..) => true,
            _ => self.prepared.contains(&term.positive()),
        }
    }

    /// The value of a term all of whose applications have values.
    pub(crate) fn prepared_value(&mut self, term: Term) -> u32 {
        let value = match self.store.sort(term) {
            Sort::Bool => Value::Truth(self.of_formula(term)),
            Sort::Int | Sort::Real => {
                let form = self.forms.of_term(self.store, term).expect("an arithmetic term");
                Value::Number((*form).clone())
            }
            _ => match self.store.view(term) {
                View::Var(symbol) => Value::Symbol(symbol),
                View::App(..) => return self.applications[&term],
                _ => Value::Conditional(term),
            },
        };
        self.values.intern(value)
    }

    /// The value of a symbol applied to values of its argument sorts.
    pub(crate) fn application(&mut self, symbol: Symbol, args: Box<[u32]>) -> u32 {
        let value = match self.store.signature(symbol).result {
            Sort::Bool => Value::Truth(self.state(Statement::Application(symbol, args))),
            sort @ (Sort::Int | Sort::Real) => {
                let leaf = self.forms.intern(Leaf::Application(symbol, args), sort == Sort::Int);
                Value::Number(Linear::leaf(leaf))
            }
            _ => Value::Application(symbol, args),
        };
        self.values.intern(value)
    }

    /// Two values of one sort are equal.
    pub(crate) fn equation(&mut self, a: u32, b: u32) -> Literal {
        if a == b {
            return Literal::TRUE;
        }
        if let (Value::Truth(a), Value::Truth(b)) = (&**self.values.get(a), &**self.values.get(b)) {
            for (constant, other) in [(*a, *b), (*b, *a)] {
                if constant == Literal::TRUE || constant == Literal::FALSE {
                    return other.xor(constant == Literal::FALSE);
                }
            }
        }
        self.state(Statement::Equal(a.min(b), a.max(b)))
    }

    /// Whether a symbol is a constant that a model gives a value to.
    pub(crate) fn is_constant(&self, symbol: Symbol) -> bool {
        let signature = self.store.signature(symbol);
        signature.args.is_empty() && signature.role == Role::Function
    }
}
