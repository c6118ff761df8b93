//! Evaluation of terms under an assignment: the judge of models.
//!
//! It follows SMT-LIB's semantics by the definition of each operator and shares nothing with the solver.

mod bits;

use shem_base::{Int, Rat, add_work};

use crate::poly::Poly;
use crate::store::Store;
use crate::symbol::{Role, Symbol};
use crate::term::{Term, View};
use crate::value::Value;

/// Gives variables and functions their values.
pub trait Assignment {
    /// The value of a variable, if it has one.
    fn value(&self, symbol: Symbol) -> Option<Value>;

    /// The value of a function at these arguments, if it has one. The symbol is a declared function or predicate, a
    /// selector whose argument is made by another constructor, or a quotient or remainder whose divisor is zero.
    /// What is asked twice must be answered alike.
    fn apply(&self, _symbol: Symbol, _args: &[Value]) -> Option<Value> {
        None
    }
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
    /// Writes to arrays, sorted, that serve only as the array of another write: they get no value of their own, since
    /// each would be a copy of the next.
    inner_writes: Vec<Term>,
}

impl Evaluator {
    /// An evaluator of this term.
    pub fn new(store: &Store, root: Term) -> Evaluator {
        let terms = store.subterms(&[root]);
        let inner_writes = if store.has_arrays() { inner_writes(store, root, &terms) } else { Vec::new() };
        Evaluator { root, terms, values: Vec::new(), inner_writes }
    }

    /// The value of the term; see [`Store::evaluate`].
    pub fn evaluate(&mut self, store: &Store, assignment: &impl Assignment) -> Option<Value> {
        self.values.clear();
        self.values.reserve(self.terms.len());
        add_work(self.terms.len());
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

    /// The value of a term with its negation.
    fn value(&self, term: Term) -> Option<Value> {
        match self.get(term)? {
            Value::Bool(b) => Some(Value::Bool(*b != term.is_negated())),
            other => Some(other.clone()),
        }
    }
}

/// See [`Evaluator::inner_writes`].
fn inner_writes(store: &Store, root: Term, terms: &[Term]) -> Vec<Term> {
    let write = |term: Term| match store.as_app(term) {
        Some((_, Role::Store, args)) => Some(args[0]),
        _ => None,
    };
    let mut inner: Vec<Term> =
        terms.iter().filter_map(|&term| write(term)).filter(|&array| write(array).is_some()).collect();
    if inner.is_empty() {
        return inner;
    }
    inner.sort_unstable();
    let mut uses = vec![0u32; inner.len()];
    for &term in terms {
        store.for_each_child(term, |child| {
            if let Ok(at) = inner.binary_search(&child) {
                uses[at] += 1;
            }
        });
    }
    // An array that is written to twice is in the list twice, and its uses are counted at one of the places.
    let mut at = 0;
    let lists = inner.clone();
    inner.retain(|&array| {
        at += 1;
        let alone = lists.get(at) != Some(&array) && (at < 2 || lists[at - 2] != array);
        alone && uses[at - 1] == 1 && array != root
    });
    inner
}

impl Store {
    /// The value of a term, or `None` if it depends on a variable or an application without a value, or on a
    /// quantifier.
    pub fn evaluate(&self, term: Term, assignment: &impl Assignment) -> Option<Value> {
        Evaluator::new(self, term).evaluate(self, assignment)
    }

    fn evaluate_node(&self, term: Term, values: &Evaluator, assignment: &impl Assignment) -> Option<Value> {
        let truth = |b| Some(Value::Bool(b));
        match self.view(term) {
            View::True => truth(true),
            View::Var(symbol) => assignment.value(symbol),
            View::App(symbol, args) => self.evaluate_application(term, symbol, args, values, assignment),
            View::Forall(..) => None,
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
                values.value(branch)
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

    fn evaluate_application(
        &self,
        term: Term,
        symbol: Symbol,
        args: &[Term],
        values: &Evaluator,
        assignment: &impl Assignment,
    ) -> Option<Value> {
        let all = || args.iter().map(|&arg| values.value(arg)).collect::<Option<Vec<Value>>>();
        let number = |value: Rat| Some(Value::Num(value));
        match self.role(symbol) {
            Role::Function if self.sized_by(symbol).is_some() => {
                number(Rat::from(Int::from(self.size_of_value(values.get(args[0])?)?)))
            }
            Role::Function if self.fold_of_symbol(symbol).is_some() => {
                number(Rat::from(Int::from(self.fold_of_value(symbol, values.get(args[0])?)? as u64)))
            }
            Role::Function => assignment.apply(symbol, &all()?),
            Role::Constructor { .. } => Some(Value::data(symbol, all()?)),
            Role::Selector { datatype, constructor, field } => {
                let value = values.get(args[0])?;
                let data = value.as_data()?;
                let constructor = self.datatype(datatype).constructors()[constructor as usize].symbol;
                if data.constructor() == constructor {
                    data.fields().get(field as usize).cloned()
                } else {
                    assignment.apply(symbol, std::slice::from_ref(value))
                }
            }
            Role::Tester { datatype, constructor } => {
                let constructor = self.datatype(datatype).constructors()[constructor as usize].symbol;
                Some(Value::Bool(values.get(args[0])?.as_data()?.constructor() == constructor))
            }
            Role::Select => {
                let index = values.value(args[1])?;
                Some(values.get(args[0])?.as_array()?.get(&index).clone())
            }
            Role::Store if values.inner_writes.binary_search(&term).is_ok() => None,
            Role::Store => self.evaluate_writes(term, values),
            Role::ConstantArray => {
                Some(self.array_value(self.sort(term), values.value(args[0])?, Vec::new()))
            }
            Role::Bits(op) => self.evaluate_bit_op(op, self.sort(term), &all()?),
            Role::Product => {
                let mut product = Rat::ONE;
                for &arg in args {
                    product *= values.num(arg)?;
                }
                number(product)
            }
            Role::RealQuotient | Role::IntQuotient | Role::Remainder => {
                let (dividend, divisor) = (values.num(args[0])?, values.num(args[1])?);
                if divisor.is_zero() {
                    return assignment.apply(symbol, &all()?);
                }
                match self.role(symbol) {
                    Role::RealQuotient => number(dividend / divisor),
                    Role::IntQuotient => number(rounded_quotient(dividend, divisor)),
                    _ => number(dividend - &(&rounded_quotient(dividend, divisor) * divisor)),
                }
            }
        }
    }

    /// The value of a write, together with those inside that have no value of their own.
    fn evaluate_writes(&self, term: Term, values: &Evaluator) -> Option<Value> {
        let mut entries = Vec::new();
        let mut array = term;
        loop {
            let (_, _, args) = self.as_app(array)?;
            entries.push((values.value(args[1])?, values.value(args[2])?));
            array = args[0];
            if values.inner_writes.binary_search(&array).is_err() {
                break;
            }
        }
        let base = values.get(array)?.as_array()?;
        entries.extend(base.entries().iter().rev().cloned());
        entries.reverse();
        Some(self.array_value(base.sort(), base.default().clone(), entries))
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

/// The quotient of SMT-LIB's `div`: the remainder is never negative.
fn rounded_quotient(dividend: &Rat, divisor: &Rat) -> Rat {
    let quotient = dividend / divisor;
    Rat::from(if divisor.is_negative() { quotient.ceil() } else { quotient.floor() })
}
