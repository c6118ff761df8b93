//! Arithmetic terms as linear forms.
//!
//! The leaves of a form are symbols, conditionals, applications, and integer parts of forms. Quotients and remainders are
//! written with integer parts: `t div k` is the integer part of `t / k`, and `t mod k` is `t - k (t div k)`. A
//! leaf exists once, so that forms are equal if they are made of the same leaves in the same way.

use std::rc::Rc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Int, Rat};
use shem_term::{Poly, Sort, Store, Symbol, Term, View};

use crate::intern::Interner;
use crate::literal::Literal;

/// A linear form: multiples of leaves and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Linear {
    /// SORTED by leaf, each once, no coefficient 0, after [`Linear::add_up`].
    pub(crate) terms: Vec<(u32, Rat)>,
    pub(crate) constant: Rat,
}

impl Linear {
    /// Adds a multiple of another form; [`Linear::add_up`] has to follow.
    pub(crate) fn add(&mut self, other: &Linear, factor: &Rat) {
        self.terms.extend(other.terms.iter().map(|(leaf, coeff)| (*leaf, coeff * factor)));
        self.constant.add_mul(&other.constant, factor);
    }

    /// Brings the terms into order.
    pub(crate) fn add_up(&mut self) {
        self.terms.sort_by_key(|term| term.0);
        self.terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = &kept.1 + &next.1;
            }
            same
        });
        self.terms.retain(|term| !term.1.is_zero());
    }

    pub(crate) fn leaf(leaf: u32) -> Linear {
        Linear { terms: vec![(leaf, Rat::ONE)], constant: Rat::ZERO }
    }

    fn scaled(&self, factor: &Rat) -> Linear {
        let mut result = Linear::default();
        result.add(self, factor);
        result
    }
}

/// What a leaf of a linear form is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Leaf {
    Symbol(Symbol),
    /// An if-then-else.
    Conditional(Term),
    /// A symbol applied to values, of which arithmetic knows nothing.
    Application(Symbol, Box<[u32]>),
    /// The greatest integer that is not greater than the form.
    Floor(Linear),
    /// 1 if the literal holds, and 0 otherwise.
    Digit(Literal),
    /// A variable of the proof that means nothing in particular.
    Free(u32),
}

/// The leaves and forms of a judgement.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    leaves: Interner<Leaf>,
    /// By leaf: whether it is an integer.
    integral: Vec<bool>,
    /// The forms of terms that are neither symbols nor conditionals. Those of applications are told.
    known: HashMap<Term, Rc<Linear>, FxBuildHasher>,
}

impl Forms {
    /// The number of a leaf.
    pub(crate) fn intern(&mut self, leaf: Leaf, integral: bool) -> u32 {
        let number = self.leaves.intern(leaf);
        if self.integral.len() < self.leaves.len() {
            self.integral.push(integral);
        }
        number
    }

    pub(crate) fn leaf(&self, number: u32) -> &Rc<Leaf> {
        self.leaves.get(number)
    }

    pub(crate) fn is_integral(&self, number: u32) -> bool {
        self.integral[number as usize]
    }

    /// Tells the form of an application.
    pub(crate) fn add_application(&mut self, term: Term, form: Linear) {
        self.known.insert(term, Rc::new(form));
    }

    /// The form of a term whose applications have forms, or `None` if the term is not arithmetic.
    pub(crate) fn of_term(&mut self, store: &Store, root: Term) -> Option<Rc<Linear>> {
        if !store.sort(root).is_arithmetic() {
            return None;
        }
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.ready(store, term).is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            store.for_each_child(term, |child| {
                if self.lookup(store, child).is_none() {
                    stack.push(child);
                }
            });
            if stack.len() > before {
                continue;
            }
            let form = self.combine(store, term);
            self.known.insert(term, Rc::new(form));
            stack.pop();
        }
        self.ready(store, root)
    }

    /// The form of a term that has been seen, or that needs no other; makes leaves.
    fn ready(&mut self, store: &Store, term: Term) -> Option<Rc<Linear>> {
        match store.view(term) {
            View::Var(_) | View::Ite(..) => {
                let leaf = self.simple(store, term);
                Some(Rc::new(Linear::leaf(leaf)))
            }
            View::Num(value) => Some(Rc::new(Linear { terms: Vec::new(), constant: value.clone() })),
            _ => self.known.get(&term).cloned(),
        }
    }

    /// Whether the form of a term is there to be used.
    fn lookup(&self, store: &Store, term: Term) -> Option<()> {
        match store.view(term) {
            View::Var(_) | View::Ite(..) | View::Num(_) => Some(()),
            _ => self.known.get(&term).map(|_| ()),
        }
    }

    fn simple(&mut self, store: &Store, term: Term) -> u32 {
        let leaf = match store.view(term) {
            View::Var(symbol) => Leaf::Symbol(symbol),
            _ => Leaf::Conditional(term),
        };
        self.intern(leaf, store.sort(term) == Sort::Int)
    }

    /// The form of a term whose parts have been seen.
    fn combine(&mut self, store: &Store, term: Term) -> Linear {
        let mut form = Linear::default();
        match store.view(term) {
            View::Linear(scale, poly, offset) => {
                self.add_poly(store, &mut form, poly, scale);
                form.constant = &form.constant + offset;
            }
            View::Div(inner, modulus) => {
                let inner = self.ready(store, inner).expect("seen before");
                form = Linear::leaf(self.quotient(&inner, modulus));
            }
            View::Mod(inner, modulus) => {
                let inner = self.ready(store, inner).expect("seen before");
                let quotient = self.quotient(&inner, modulus);
                form.add(&inner, &Rat::ONE);
                form.terms.push((quotient, -Rat::from(modulus.clone())));
            }
            View::ToInt(inner) => {
                let inner = self.ready(store, inner).expect("seen before");
                form = Linear::leaf(self.quotient(&inner, &Int::ONE));
            }
            _ => unreachable!("an arithmetic term"),
        }
        form.add_up();
        form
    }

    /// Adds a multiple of a polynomial whose leaves have been seen; [`Linear::add_up`] has to follow.
    fn add_poly(&mut self, store: &Store, form: &mut Linear, poly: Poly, scale: &Rat) {
        for summand in store.poly_terms(poly) {
            let factor = scale.mul_int(&summand.coeff);
            match store.view(summand.leaf) {
                View::Var(_) | View::Ite(..) => {
                    form.terms.push((self.simple(store, summand.leaf), factor));
                }
                _ => {
                    let inner = self.known.get(&summand.leaf).expect("seen before").clone();
                    form.add(&inner, &factor);
                }
            }
        }
    }

    /// The form of a polynomial.
    pub(crate) fn of_poly(&mut self, store: &Store, poly: Poly) -> Linear {
        for summand in store.poly_terms(poly) {
            if self.lookup(store, summand.leaf).is_none() {
                self.of_term(store, summand.leaf);
            }
        }
        let mut form = Linear::default();
        self.add_poly(store, &mut form, poly, &Rat::ONE);
        form.add_up();
        form
    }

    /// The leaf of a form divided by a positive number, rounded down.
    pub(crate) fn quotient(&mut self, form: &Linear, modulus: &Int) -> u32 {
        debug_assert!(modulus.is_positive());
        let divided = form.scaled(&Rat::new(Int::ONE, modulus.clone()));
        self.intern(Leaf::Floor(divided), true)
    }
}
