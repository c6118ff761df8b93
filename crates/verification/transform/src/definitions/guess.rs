//! Formulas that a predicate with few arguments may stand for.

use shem_term::{Sort, Store, Term};

/// The formulas that the predicate with these arguments may stand for, over the arguments: equality and inequality; of
/// natural numbers orders, sums, differences, minima and maxima; the relations also as a truth value that is an argument.
pub(super) fn guesses(store: &mut Store, arguments: &[Term]) -> Vec<Term> {
    let numbers: Vec<Term> =
        arguments.iter().copied().filter(|&argument| store.sort(argument) == Sort::Int).collect();
    let zero = store.int(0);
    let natural: Vec<Term> = numbers.iter().map(|&number| store.ge(number, zero)).collect();
    let mut found = match *arguments {
        [a, b] => relations(store, a, b),
        [a, b, c] => {
            let mut found = Vec::new();
            for (result, x, y) in [(a, b, c), (b, a, c), (c, a, b)] {
                if store.sort(result) == Sort::Bool {
                    for relation in relations(store, x, y) {
                        found.push(store.iff(result, relation));
                    }
                } else if numbers.len() == 3 {
                    for value in operations(store, x, y) {
                        found.push(store.eq(result, value));
                    }
                }
            }
            found
        }
        _ => Vec::new(),
    };
    if !natural.is_empty() {
        for formula in &mut found {
            let mut parts = natural.clone();
            parts.push(*formula);
            *formula = store.and(&parts);
        }
    }
    found
}

/// Relations between two terms of one sort.
fn relations(store: &mut Store, a: Term, b: Term) -> Vec<Term> {
    if store.sort(a) != store.sort(b) || store.sort(a) == Sort::Bool {
        return Vec::new();
    }
    let equal = store.eq(a, b);
    let mut found = vec![!equal, equal];
    if store.sort(a) == Sort::Int {
        let (at_most, less) = (store.le(a, b), store.lt(a, b));
        found.extend([at_most, less, !at_most, !less]);
    }
    found
}

/// Results of operations on two natural numbers.
fn operations(store: &mut Store, x: Term, y: Term) -> Vec<Term> {
    let zero = store.int(0);
    let at_most = store.le(x, y);
    let (forth, back) = (store.sub(x, y), store.sub(y, x));
    vec![
        store.add(&[x, y]),
        store.ite(at_most, zero, forth),
        store.ite(at_most, back, zero),
        store.ite(at_most, y, x),
        store.ite(at_most, x, y),
    ]
}
