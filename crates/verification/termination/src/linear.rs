//! Rows: linear constraints over columns, which are variables and terms that stand for numbers of their own.

use shem_base::{Int, Rat};
use shem_smt::Model;
use shem_term::{Sort, Store, Term, Value, View};

/// A sum of multiples of columns and a number, which is zero or at least zero. A Boolean column counts one if it is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) terms: Vec<(Term, Rat)>,
    pub(crate) constant: Rat,
    pub(crate) is_equation: bool,
}

impl Row {
    /// A row whose terms are sorted, each once, none with factor zero.
    pub(crate) fn new(terms: Vec<(Term, Rat)>, constant: Rat, is_equation: bool) -> Row {
        Row { terms: collect(terms), constant, is_equation }
    }

    /// The factor of a column.
    pub(crate) fn factor(&self, column: Term) -> Option<&Rat> {
        let at = self.terms.binary_search_by_key(&column, |(other, _)| *other).ok()?;
        Some(&self.terms[at].1)
    }
}

/// The terms sorted, each column once, without zeros.
pub(crate) fn collect(mut terms: Vec<(Term, Rat)>) -> Vec<(Term, Rat)> {
    terms.sort_by_key(|(column, _)| *column);
    let mut result: Vec<(Term, Rat)> = Vec::with_capacity(terms.len());
    for (column, factor) in terms {
        match result.last_mut() {
            Some((last, sum)) if *last == column => *sum = &*sum + &factor,
            _ => result.push((column, factor)),
        }
    }
    result.retain(|(_, factor)| !factor.is_zero());
    result
}

/// A numeric term as multiples of columns and a number.
pub(crate) fn sum_of(store: &Store, term: Term) -> (Vec<(Term, Rat)>, Rat) {
    match store.view(term) {
        View::Num(number) => (Vec::new(), number.clone()),
        View::Linear(scale, poly, offset) => {
            let summand = |term: &shem_term::PolyTerm| (term.leaf, scale * &Rat::from(&term.coeff));
            (store.poly_terms(poly).iter().map(summand).collect(), offset.clone())
        }
        _ => (vec![(term, Rat::from(1))], Rat::from(0)),
    }
}

/// The term that a sum is, of this sort; Boolean columns count one if they are true.
pub(crate) fn term_of(store: &mut Store, terms: &[(Term, Rat)], constant: &Rat, sort: Sort) -> Term {
    let (one, zero) = (store.numeral(&Rat::from(1), sort), store.numeral(&Rat::from(0), sort));
    let mut summands = Vec::with_capacity(terms.len());
    for (column, factor) in terms {
        let leaf = match (store.sort(*column), sort) {
            (Sort::Bool, _) => store.ite(*column, one, zero),
            (Sort::Int, Sort::Real) => store.to_real(*column),
            _ => *column,
        };
        summands.push((factor.clone(), leaf));
    }
    store.linear(&summands, constant, sort)
}

/// The rows of literals, with those that say what quotients and remainders in them are. What is not linear is left out.
pub(crate) fn rows_of(store: &mut Store, literals: &[Term]) -> Vec<Row> {
    let mut rows = Vec::new();
    for &literal in literals {
        load(store, literal, &mut rows);
    }
    let mut known: Vec<Term> = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let columns: Vec<Term> = rows[at].terms.iter().map(|(column, _)| *column).collect();
        at += 1;
        for column in columns {
            if !known.contains(&column) {
                known.push(column);
                define(store, column, &mut rows);
            }
        }
    }
    rows
}

fn load(store: &mut Store, literal: Term, rows: &mut Vec<Row>) {
    let one = || Rat::from(1);
    let poly_sum = |store: &Store, poly, factor: Rat| -> Vec<(Term, Rat)> {
        store.poly_terms(poly).iter().map(|term| (term.leaf, &factor * &Rat::from(&term.coeff))).collect()
    };
    match (store.view(literal), literal.is_negated()) {
        (View::Var(_), negated) => {
            let value = if negated { Rat::from(0) } else { one() };
            rows.push(Row::new(vec![(literal.positive(), one())], -&value, true));
        }
        (View::Le(poly, bound), false) | (View::Lt(poly, bound), false) => {
            let bound = bound.clone();
            rows.push(Row::new(poly_sum(store, poly, Rat::from(-1)), bound, false));
        }
        (View::Le(poly, bound), true) => {
            // Above the bound; of integers, by one at least.
            let step = if store.poly_is_integral(poly) { one() } else { Rat::from(0) };
            let constant = -&(bound + &step);
            rows.push(Row::new(poly_sum(store, poly, one()), constant, false));
        }
        (View::Lt(poly, bound), true) => {
            let constant = -bound;
            rows.push(Row::new(poly_sum(store, poly, one()), constant, false));
        }
        (View::Eq(poly, value), false) => {
            let constant = -value;
            rows.push(Row::new(poly_sum(store, poly, one()), constant, true));
        }
        (View::Divisible(modulus, poly, offset), negated) => {
            let (modulus, offset) = (Rat::from(modulus), Rat::from(offset));
            let mut terms = poly_sum(store, poly, one());
            terms.push((store.variable("quotient", Sort::Int), -&modulus));
            if negated {
                let rest = store.variable("rest", Sort::Int);
                terms.push((rest, Rat::from(-1)));
                rows.push(Row::new(vec![(rest, one())], Rat::from(-1), false));
                rows.push(Row::new(vec![(rest, Rat::from(-1))], &modulus - &one(), false));
            }
            rows.push(Row::new(terms, offset, true));
        }
        (View::Iff(a, b), negated)
            if store.as_var(a).is_some()
                && store.as_var(b).is_some()
                && !a.is_negated()
                && !b.is_negated() =>
        {
            let (factor, constant) =
                if negated { (one(), Rat::from(-1)) } else { (Rat::from(-1), Rat::from(0)) };
            rows.push(Row::new(vec![(a, one()), (b, factor)], constant, true));
        }
        _ => {}
    }
}

/// What holds of a column whatever the others are.
fn define(store: &mut Store, column: Term, rows: &mut Vec<Row>) {
    let one = || Rat::from(1);
    let below = |terms: &[(Term, Rat)], constant: &Rat, bound: Rat| {
        let negated = terms.iter().map(|(column, factor)| (*column, -factor)).collect();
        Row::new(negated, &bound - constant, false)
    };
    match store.view(column) {
        View::Var(_) if store.sort(column) == Sort::Bool => {
            rows.push(Row::new(vec![(column, one())], Rat::from(0), false));
            rows.push(Row::new(vec![(column, Rat::from(-1))], one(), false));
        }
        View::Mod(of, modulus) => {
            let modulus: Int = modulus.clone();
            let quotient = store.int_div(of, &modulus);
            let (mut terms, constant) = sum_of(store, of);
            let (quotient, offset) = sum_of(store, quotient);
            let modulus = Rat::from(&modulus);
            terms.extend(quotient.iter().map(|(column, factor)| (*column, -&(factor * &modulus))));
            terms.push((column, Rat::from(-1)));
            rows.push(Row::new(terms, &constant - &(&offset * &modulus), true));
            rows.push(Row::new(vec![(column, one())], Rat::from(0), false));
            rows.push(Row::new(vec![(column, Rat::from(-1))], &modulus - &one(), false));
        }
        View::Div(of, modulus) => {
            let modulus = Rat::from(modulus);
            let (mut terms, constant) = sum_of(store, of);
            terms.push((column, -&modulus));
            let most = &modulus - &one();
            rows.push(below(&terms, &constant, most));
            rows.push(Row::new(terms, constant, false));
        }
        View::ToInt(of) => {
            let (mut terms, constant) = sum_of(store, of);
            terms.push((column, Rat::from(-1)));
            rows.push(below(&terms, &constant, one()));
            rows.push(Row::new(terms, constant, false));
        }
        _ => {}
    }
}

/// Literals without inequations: each is replaced by the side on which the model is.
pub(crate) fn without_inequations(store: &mut Store, literals: &mut [Term], model: &Model) {
    for literal in literals {
        if !literal.is_negated() {
            continue;
        }
        if let View::Eq(poly, value) = store.view(*literal) {
            let value = value.clone();
            let below = store.poly_lt(poly, &value);
            let is_below = store.evaluate(below, &model.completed(store)) == Some(Value::Bool(true));
            let at_most = store.poly_le(poly, &value);
            *literal = if is_below { below } else { !at_most };
        }
    }
}
