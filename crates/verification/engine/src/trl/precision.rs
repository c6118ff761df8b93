//! How finely the steps of a trace are told apart.
//!
//! The literals of a step are an implicant of its rule. A disequality, a number that is not divisible, a remainder or
//! a quotient leaves cases open that a loop may go through one after the other; a relation learnt from all of them
//! together forgets their order. Under the model, each can be replaced by one of its cases: the side, the remainder,
//! the quotient. That makes more relations of smaller loops, and of unboundedly many loops where a quotient grows
//! without end: quotients are taken only near zero, which is where a counter is reset.

use shem_base::{Int, Rat};
use shem_smt::Model;
use shem_term::{Sort, Store, Term, Value, View};

use crate::choice;

/// How finely the steps of a trace are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// As the implicants are.
    Coarse,
    /// By the side of a disequality and by small remainders.
    Sides,
    /// By small quotients, too.
    Quotients,
    /// Coarse at first, then finer.
    Rising,
}

choice!(Precision {
    "coarse" => Precision::Coarse,
    "sides" => Precision::Sides,
    "quotients" => Precision::Quotients,
    "rising" => Precision::Rising,
});

impl Precision {
    /// The precisions of the searches, one after the other.
    pub(super) fn levels(self) -> Vec<Precision> {
        match self {
            Precision::Rising => vec![Precision::Coarse, Precision::Sides, Precision::Quotients],
            level => vec![level],
        }
    }
}

/// The greatest modulus by whose remainders steps are told apart.
const GREATEST_MODULUS: i64 = 16;

/// The greatest quotient, up to the sign, by which steps are told apart.
const GREATEST_QUOTIENT: i64 = 1;

/// Literals that imply the given ones and are true in the model, too.
pub(super) fn refine(
    store: &mut Store,
    literals: Vec<Term>,
    model: &Model,
    precision: Precision,
) -> Vec<Term> {
    if precision == Precision::Coarse {
        return literals;
    }
    let mut refined = Vec::with_capacity(literals.len());
    let mut open = literals;
    while let Some(literal) = open.pop() {
        if take_quotient(store, literal, model, precision, &mut open) {
            continue;
        }
        refined.push(take_side(store, literal, model));
    }
    refined.sort_unstable();
    refined.dedup();
    refined
}

fn number(store: &Store, term: Term, model: &Model) -> Option<Rat> {
    match store.evaluate(term, &model.completed(store)) {
        Some(Value::Num(number)) => Some(number),
        _ => None,
    }
}

/// The side of a disequality, or the remainder of what is not divisible.
fn take_side(store: &mut Store, literal: Term, model: &Model) -> Term {
    if !literal.is_negated() {
        return literal;
    }
    match store.view(literal) {
        View::Eq(poly, value) => {
            let value = value.clone();
            let sort = if store.poly_is_integral(poly) { Sort::Int } else { Sort::Real };
            let difference = store.poly_sum(poly, &-value, sort);
            let zero = store.numeral(&Rat::ZERO, sort);
            match number(store, difference, model) {
                Some(at) if at.is_negative() => store.lt(difference, zero),
                Some(_) => store.gt(difference, zero),
                None => literal,
            }
        }
        View::Divisible(modulus, poly, offset) if *modulus <= Int::from(GREATEST_MODULUS) => {
            let (modulus, offset) = (modulus.clone(), Rat::from(offset));
            let sum = store.poly_sum(poly, &offset, Sort::Int);
            let Some(at) = number(store, sum, model) else { return literal };
            let rest = Rat::from(at.numer().rem_floor(&modulus));
            let shifted = store.linear(&[(Rat::ONE, sum)], &-rest, Sort::Int);
            store.divisible(&modulus, shifted)
        }
        _ => literal,
    }
}

/// Replaces a quotient or a remainder in a literal by what it is in the model, if that is small; what this takes for
/// granted becomes further literals.
fn take_quotient(
    store: &mut Store,
    literal: Term,
    model: &Model,
    precision: Precision,
    open: &mut Vec<Term>,
) -> bool {
    let (View::Le(poly, _) | View::Lt(poly, _) | View::Eq(poly, _)) = store.view(literal) else {
        return false;
    };
    let leaves: Vec<Term> = store.poly_terms(poly).iter().map(|term| term.leaf).collect();
    for leaf in leaves {
        let (dividend, modulus, is_remainder) = match store.view(leaf) {
            View::Div(dividend, modulus) => (dividend, modulus.clone(), false),
            View::Mod(dividend, modulus) => (dividend, modulus.clone(), true),
            _ => continue,
        };
        let Some(at) = number(store, dividend, model) else { continue };
        let quotient = at.numer().div_floor(&modulus);
        let limit = Int::from(GREATEST_QUOTIENT);
        let by = if precision >= Precision::Quotients && quotient <= limit && quotient >= -limit {
            let start = Rat::from(&quotient * &modulus);
            let rest = store.linear(&[(Rat::ONE, dividend)], &-start, Sort::Int);
            let (zero, end) = (store.int(0), store.int(modulus));
            open.push(store.ge(rest, zero));
            open.push(store.lt(rest, end));
            if is_remainder { rest } else { store.int(quotient) }
        } else if is_remainder && modulus <= Int::from(GREATEST_MODULUS) {
            let remainder = at.numer().rem_floor(&modulus);
            let shifted = store.linear(&[(Rat::ONE, dividend)], &-Rat::from(&remainder), Sort::Int);
            open.push(store.divisible(&modulus, shifted));
            store.int(remainder)
        } else {
            continue;
        };
        open.push(store.replace_leaf(literal, leaf, by));
        return true;
    }
    false
}
