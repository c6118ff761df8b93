//! Circuits: words are lists of formulas, the lowest bit first.

use shem_term::{Store, Term};

/// The sum of two words of one width and a carry, without what leaves at the top.
pub(super) fn add(store: &mut Store, a: &[Term], b: &[Term], mut carry: Term) -> Vec<Term> {
    let mut sum = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let differ = store.xor(x, y);
        sum.push(store.xor(differ, carry));
        // Where the bits differ the carry goes on, else either bit is the next one.
        carry = store.ite(differ, carry, x);
    }
    sum
}

pub(super) fn negation(word: &[Term]) -> Vec<Term> {
    word.iter().map(|&bit| !bit).collect()
}

/// The product of two words of one width, without what leaves at the top.
pub(super) fn multiply(store: &mut Store, a: &[Term], b: &[Term]) -> Vec<Term> {
    let width = a.len();
    let mut product: Vec<Term> = vec![Term::FALSE; width];
    for (at, &factor) in b.iter().enumerate() {
        if factor == Term::FALSE {
            continue;
        }
        let summand: Vec<Term> = a[..width - at].iter().map(|&bit| store.and(&[bit, factor])).collect();
        let upper = add(store, &product[at..], &summand, Term::FALSE);
        product.splice(at.., upper);
    }
    product
}

/// Quotient and remainder without signs, by subtracting the divisor wherever it fits, from the top. By zero, it fits
/// always: the quotient has all bits, and the remainder is the dividend.
pub(super) fn divide(store: &mut Store, a: &[Term], b: &[Term]) -> (Vec<Term>, Vec<Term>) {
    let width = a.len();
    let mut quotient = vec![Term::FALSE; width];
    // One bit more: twice a remainder and a bit may not fit the width.
    let mut divisor = b.to_vec();
    divisor.push(Term::FALSE);
    let complement = negation(&divisor);
    let mut rest: Vec<Term> = vec![Term::FALSE; width];
    for at in (0..width).rev() {
        rest.insert(0, a[at]);
        let fits = less_equal(store, &divisor, &rest);
        let difference = add(store, &rest, &complement, Term::TRUE);
        quotient[at] = fits;
        rest = choose(store, fits, &difference, &rest);
        rest.truncate(width);
    }
    (quotient, rest)
}

/// One word or the other, bit by bit.
pub(super) fn choose(store: &mut Store, condition: Term, then: &[Term], otherwise: &[Term]) -> Vec<Term> {
    then.iter().zip(otherwise).map(|(&a, &b)| store.ite(condition, a, b)).collect()
}

/// Whether one word is at most another one, without signs.
pub(super) fn less_equal(store: &mut Store, a: &[Term], b: &[Term]) -> Term {
    let mut result = Term::TRUE;
    for (&x, &y) in a.iter().zip(b) {
        let differ = store.xor(x, y);
        result = store.ite(differ, y, result);
    }
    result
}

/// Whether two words are equal.
pub(super) fn equal(store: &mut Store, a: &[Term], b: &[Term]) -> Term {
    let bits: Vec<Term> = a.iter().zip(b).map(|(&x, &y)| store.iff(x, y)).collect();
    store.and(&bits)
}

/// A word moved by a distance, upwards or downwards, `fill` coming in: stage by stage of the bits of the distance.
pub(super) fn shift(store: &mut Store, word: &[Term], distance: &[Term], up: bool, fill: Term) -> Vec<Term> {
    let width = word.len();
    let mut result = word.to_vec();
    let mut too_far = Term::FALSE;
    for (stage, &bit) in distance.iter().enumerate() {
        let by = u32::try_from(stage).ok().and_then(|stage| 1_usize.checked_shl(stage)).unwrap_or(width);
        if by >= width {
            too_far = store.or(&[too_far, bit]);
            continue;
        }
        let moved: Vec<Term> = (0..width)
            .map(|at| match up {
                true => at.checked_sub(by).map_or(fill, |from| result[from]),
                false => result.get(at + by).copied().unwrap_or(fill),
            })
            .collect();
        result = choose(store, bit, &moved, &result);
    }
    let filled = vec![fill; width];
    choose(store, too_far, &filled, &result)
}
