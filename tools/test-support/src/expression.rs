//! Expressions as somebody writes them down, with their own evaluation by machine integers, and strategies for
//! random ones that shrink. The judge of canonical forms and of the solver: it shares nothing with the term store.

use proptest::prelude::{BoxedStrategy, Strategy, any, prop_oneof};
use shem_base::{Int, Rat};
use shem_term::{Sort, Store, Term};

/// The number of integer variables.
pub const NUMBERS: usize = 3;
/// The number of Boolean variables.
pub const TRUTHS: usize = 2;

/// An expression of sort Int.
#[derive(Clone, Debug)]
pub enum Number {
    /// A variable.
    Variable(usize),
    /// A constant.
    Constant(i64),
    /// A sum.
    Add(Box<Number>, Box<Number>),
    /// A multiple.
    Scale(i64, Box<Number>),
    /// A quotient by a positive number.
    Div(Box<Number>, i64),
    /// A remainder by a positive number.
    Mod(Box<Number>, i64),
    /// A conditional.
    Ite(Box<Formula>, Box<Number>, Box<Number>),
}

/// A formula.
#[derive(Clone, Debug)]
pub enum Formula {
    /// A variable.
    Variable(usize),
    /// Not greater.
    Le(Number, Number),
    /// Smaller.
    Lt(Number, Number),
    /// Equal.
    Eq(Number, Number),
    /// Divisible by a positive number.
    Divisible(i64, Number),
    /// A negation.
    Not(Box<Formula>),
    /// A conjunction.
    And(Vec<Formula>),
    /// A disjunction.
    Or(Vec<Formula>),
    /// An equivalence.
    Iff(Box<Formula>, Box<Formula>),
    /// A conditional.
    Ite(Box<Formula>, Box<Formula>, Box<Formula>),
}

/// Values of all variables.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Of the integer variables.
    pub numbers: [i64; NUMBERS],
    /// Of the Boolean variables.
    pub truths: [bool; TRUTHS],
}

/// The variables as terms.
#[derive(Clone, Debug)]
pub struct Variables {
    /// The integer variables.
    pub numbers: [Term; NUMBERS],
    /// The Boolean variables.
    pub truths: [Term; TRUTHS],
}

impl Variables {
    /// New variables.
    pub fn new(store: &mut Store) -> Variables {
        let numbers = std::array::from_fn(|i| store.variable(&format!("x{i}"), Sort::Int));
        let truths = std::array::from_fn(|i| store.variable(&format!("p{i}"), Sort::Bool));
        Variables { numbers, truths }
    }
}

impl Number {
    /// The value.
    pub fn value(&self, at: &Point) -> i64 {
        match self {
            Number::Variable(i) => at.numbers[*i],
            Number::Constant(value) => *value,
            Number::Add(a, b) => a.value(at) + b.value(at),
            Number::Scale(factor, a) => factor * a.value(at),
            Number::Div(a, by) => a.value(at).div_euclid(*by),
            Number::Mod(a, by) => a.value(at).rem_euclid(*by),
            Number::Ite(condition, a, b) => if condition.holds(at) { a } else { b }.value(at),
        }
    }

    /// The term.
    pub fn term(&self, store: &mut Store, variables: &Variables) -> Term {
        match self {
            Number::Variable(i) => variables.numbers[*i],
            Number::Constant(value) => store.int(*value),
            Number::Add(a, b) => {
                let parts = [a.term(store, variables), b.term(store, variables)];
                store.add(&parts)
            }
            Number::Scale(factor, a) => {
                let a = a.term(store, variables);
                store.scale(&Rat::from(*factor), a)
            }
            Number::Div(a, by) => {
                let a = a.term(store, variables);
                store.int_div(a, &Int::from(*by))
            }
            Number::Mod(a, by) => {
                let a = a.term(store, variables);
                store.int_mod(a, &Int::from(*by))
            }
            Number::Ite(condition, a, b) => {
                let condition = condition.term(store, variables);
                let (a, b) = (a.term(store, variables), b.term(store, variables));
                store.ite(condition, a, b)
            }
        }
    }
}

impl Formula {
    /// Whether it is true.
    pub fn holds(&self, at: &Point) -> bool {
        match self {
            Formula::Variable(i) => at.truths[*i],
            Formula::Le(a, b) => a.value(at) <= b.value(at),
            Formula::Lt(a, b) => a.value(at) < b.value(at),
            Formula::Eq(a, b) => a.value(at) == b.value(at),
            Formula::Divisible(by, a) => a.value(at).rem_euclid(*by) == 0,
            Formula::Not(a) => !a.holds(at),
            Formula::And(members) => members.iter().all(|member| member.holds(at)),
            Formula::Or(members) => members.iter().any(|member| member.holds(at)),
            Formula::Iff(a, b) => a.holds(at) == b.holds(at),
            Formula::Ite(condition, a, b) => if condition.holds(at) { a } else { b }.holds(at),
        }
    }

    /// The term.
    pub fn term(&self, store: &mut Store, variables: &Variables) -> Term {
        let pair =
            |store: &mut Store, a: &Number, b: &Number| (a.term(store, variables), b.term(store, variables));
        match self {
            Formula::Variable(i) => variables.truths[*i],
            Formula::Le(a, b) => {
                let (a, b) = pair(store, a, b);
                store.le(a, b)
            }
            Formula::Lt(a, b) => {
                let (a, b) = pair(store, a, b);
                store.lt(a, b)
            }
            Formula::Eq(a, b) => {
                let (a, b) = pair(store, a, b);
                store.eq(a, b)
            }
            Formula::Divisible(by, a) => {
                let a = a.term(store, variables);
                store.divisible(&Int::from(*by), a)
            }
            Formula::Not(a) => !a.term(store, variables),
            Formula::And(members) => {
                let members: Vec<Term> = members.iter().map(|m| m.term(store, variables)).collect();
                store.and(&members)
            }
            Formula::Or(members) => {
                let members: Vec<Term> = members.iter().map(|m| m.term(store, variables)).collect();
                store.or(&members)
            }
            Formula::Iff(a, b) => {
                let (a, b) = (a.term(store, variables), b.term(store, variables));
                store.iff(a, b)
            }
            Formula::Ite(condition, a, b) => {
                let condition = condition.term(store, variables);
                let (a, b) = (a.term(store, variables), b.term(store, variables));
                store.ite(condition, a, b)
            }
        }
    }
}

/// A random number, nested at most so deep. What comes first is what others shrink to.
pub fn number(depth: u32) -> BoxedStrategy<Number> {
    let leaf = prop_oneof![(-5i64..=5).prop_map(Number::Constant), (0..NUMBERS).prop_map(Number::Variable),];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = number(depth - 1);
    let boxed = || inner.clone().prop_map(Box::new);
    prop_oneof![
        4 => leaf,
        4 => (boxed(), boxed()).prop_map(|(a, b)| Number::Add(a, b)),
        2 => (-4i64..=4, boxed()).prop_map(|(factor, a)| Number::Scale(factor, a)),
        1 => (boxed(), 1i64..=4).prop_map(|(a, by)| Number::Div(a, by)),
        1 => (boxed(), 1i64..=4).prop_map(|(a, by)| Number::Mod(a, by)),
        1 => (formula(depth - 1), boxed(), boxed()).prop_map(|(c, a, b)| Number::Ite(Box::new(c), a, b)),
    ]
    .boxed()
}

/// A random formula, nested at most so deep.
pub fn formula(depth: u32) -> BoxedStrategy<Formula> {
    let (a, b) = (number(depth.min(2)), number(depth.min(1)));
    let atom = prop_oneof![
        1 => (0..TRUTHS).prop_map(Formula::Variable),
        2 => (a.clone(), b.clone()).prop_map(|(a, b)| Formula::Le(a, b)),
        1 => (a.clone(), b.clone()).prop_map(|(a, b)| Formula::Lt(a, b)),
        2 => (a.clone(), b).prop_map(|(a, b)| Formula::Eq(a, b)),
        1 => (1i64..=5, a).prop_map(|(by, a)| Formula::Divisible(by, a)),
    ];
    if depth == 0 {
        return atom.boxed();
    }
    let inner = formula(depth - 1);
    let boxed = || inner.clone().prop_map(Box::new);
    prop_oneof![
        3 => atom,
        2 => boxed().prop_map(Formula::Not),
        2 => proptest::collection::vec(inner.clone(), 0..4).prop_map(Formula::And),
        2 => proptest::collection::vec(inner.clone(), 0..4).prop_map(Formula::Or),
        1 => (boxed(), boxed()).prop_map(|(a, b)| Formula::Iff(a, b)),
        1 => (boxed(), boxed(), boxed()).prop_map(|(c, a, b)| Formula::Ite(c, a, b)),
    ]
    .boxed()
}

/// Random values, small ones mostly.
pub fn point() -> impl Strategy<Value = Point> {
    let number = prop_oneof![3 => -6i64..=6, 1 => -1000i64..=1000];
    (proptest::array::uniform3(number), proptest::array::uniform2(any::<bool>()))
        .prop_map(|(numbers, truths)| Point { numbers, truths })
}
