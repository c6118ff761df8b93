//! Bit-vectors, by layers; what no layer removes becomes a value (see `functions`).
//!
//! An equation in which the variable has an odd coefficient defines it, since odd numbers have inverses modulo 2^n. A
//! variable that is only extracted from is put together from a new variable for each piece. Both are exact.
//!
//! A comparison in which a multiple `y` of the variable is a summand of one side says that `y` lies in an interval
//! modulo 2^n, with signs as well: `a + y <= b` is `y` from `-a` up to `b - a`. If the variable occurs in such
//! comparisons and in disequalities alone, all with the same odd multiple, it is made smaller, from its value in the
//! model, until one of them forbids the next step. There `y` is where an interval begins, or the successor of what it
//! must differ from: a term, which is put in the place of the variable, so that no case of an overflow has to be told
//! apart.

use shem_base::{BitVec, Int};
use shem_term::{BitOp, Store, Term, Value, View};

use super::rewrite::Rewriting;
use super::unsupported::Unsupported;

/// A sum of multiples of leaves and a number.
struct Sum {
    terms: Vec<(Term, BitVec)>,
    constant: BitVec,
}

impl Sum {
    fn of(store: &Store, term: Term) -> Sum {
        let width = store.width(term);
        let mut sum = Sum { terms: Vec::new(), constant: BitVec::zero(width) };
        let summands = match store.as_bit_op(term) {
            Some((BitOp::Add, args)) => args.to_vec(),
            _ => vec![term],
        };
        for summand in summands {
            match (store.as_bit_vector(summand), store.as_bit_op(summand)) {
                (Some(value), _) => sum.constant = sum.constant.add(value),
                (None, Some((BitOp::Multiply, &[factor, leaf]))) if store.as_bit_vector(factor).is_some() => {
                    let factor = store.as_bit_vector(factor).expect("a number");
                    sum.terms.push((leaf, factor.clone()));
                }
                _ => sum.terms.push((summand, BitVec::new(width, 1))),
            }
        }
        sum
    }

    /// Takes the multiple of the variable out; zero if the variable is in none. None if it is inside of a leaf.
    fn take(&mut self, store: &Store, var: Term) -> Option<BitVec> {
        let mut coefficient = BitVec::zero(self.constant.width());
        if let Some(at) = self.terms.iter().position(|&(leaf, _)| leaf == var) {
            coefficient = self.terms.remove(at).1;
        }
        let leaves: Vec<Term> = self.terms.iter().map(|&(leaf, _)| leaf).collect();
        store.subterms(&leaves).binary_search(&var).is_err().then_some(coefficient)
    }

    /// The sum, multiplied by the number.
    fn scaled(&self, store: &mut Store, factor: &BitVec) -> Term {
        let mut summands = vec![store.bit_vector(&self.constant.mul(factor))];
        for (leaf, coefficient) in &self.terms {
            let coefficient = store.bit_vector(&coefficient.mul(factor));
            summands.push(store.bv_mul(&[coefficient, *leaf]));
        }
        store.bv_add(&summands)
    }
}

/// What the variable is if the two bit-vectors are equal; none if it does not have an odd coefficient.
pub(super) fn solve(store: &mut Store, a: Term, b: Term, var: Term) -> Option<Term> {
    if store.width(a) != store.sort(var).bit_width()? {
        return None;
    }
    let difference = store.bv_sub(a, b);
    let mut sum = Sum::of(store, difference);
    let coefficient = sum.take(store, var)?;
    coefficient.bit(0).then(|| sum.scaled(store, &coefficient.inverse().neg()))
}

/// Removes a variable that is a bit-vector, unless no layer fits.
pub(super) fn rewrite(rewriting: &mut Rewriting<'_>) -> Result<bool, Unsupported> {
    let mut vars = rewriting.open_terms();
    vars.retain(|&term| {
        rewriting.valuation.is_eliminated(term) && rewriting.store.sort(term).bit_width().is_some()
    });
    for &var in &vars {
        if substitute(rewriting, var) {
            return Ok(true);
        }
    }
    for &var in &vars {
        if split(rewriting, var)? || move_to_bound(rewriting, var)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Replaces the variable by what an equation says it is. A single bit that differs is equal to the next number.
fn substitute(rewriting: &mut Rewriting<'_>, var: Term) -> bool {
    for literal in rewriting.literals().to_vec() {
        let Some((a, mut b)) = rewriting.as_equality(literal) else { continue };
        if rewriting.store.sort(a).bit_width().is_none() || !rewriting.occurs(var, literal) {
            continue;
        }
        if literal.is_negated() {
            if rewriting.store.width(b) > 1 {
                continue;
            }
            b = rewriting.store.bv_not(b);
        }
        if let Some(definition) = solve(rewriting.store, a, b, var) {
            rewriting.remove(literal);
            rewriting.replace(&[(var, definition)]);
            return true;
        }
    }
    false
}

/// Puts a variable together from its pieces if it occurs in extracts only.
fn split(rewriting: &mut Rewriting<'_>, var: Term) -> Result<bool, Unsupported> {
    let mut cuts = vec![0, rewriting.store.width(var)];
    for term in rewriting.open_terms() {
        let mut is_child = false;
        rewriting.store.for_each_child(term, |child| is_child |= child == var);
        if is_child {
            let Some((BitOp::Extract { high, low }, _)) = rewriting.store.as_bit_op(term) else {
                return Ok(false);
            };
            cuts.extend([low, high + 1]);
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    if cuts.len() < 3 {
        return Ok(false);
    }
    let Value::Bits(value) = rewriting.value(var)? else { return Err(Unsupported::NotAModel) };
    let mut whole: Option<Term> = None;
    for pair in cuts.windows(2) {
        let part = value.extract(pair[1] - 1, pair[0]);
        let sort = shem_term::Sort::bit_vec(part.width()).ok_or(Unsupported::NotAModel)?;
        let piece = rewriting.introduce(sort, Value::Bits(part));
        whole = Some(match whole {
            Some(low) => rewriting.store.bv_concat(piece, low),
            None => piece,
        });
    }
    let whole = whole.ok_or(Unsupported::NotAModel)?;
    rewriting.value_term(whole);
    rewriting.replace(&[(var, whole)]);
    Ok(true)
}

/// A literal about an odd multiple of the variable.
struct Constraint {
    literal: Term,
    /// The multiple.
    factor: BitVec,
    /// Where the multiple may be if one less is forbidden.
    least: Term,
    /// Whether it says that the multiple differs from one less than that.
    disequality: bool,
}

/// Replaces the variable by the term at which one of its literals forbids a smaller value.
fn move_to_bound(rewriting: &mut Rewriting<'_>, var: Term) -> Result<bool, Unsupported> {
    let mut constraints: Vec<Constraint> = Vec::new();
    for literal in rewriting.literals().to_vec() {
        if !rewriting.occurs(var, literal) {
            continue;
        }
        let factor = constraints.first().map(|first| first.factor.clone());
        let Some(constraint) = constraint(rewriting.store, literal, var, factor) else { return Ok(false) };
        constraints.push(constraint);
    }
    let Some(first) = constraints.first() else { return Ok(false) };
    let factor = first.factor.clone();
    let width = factor.width();
    if constraints.iter().all(|constraint| constraint.disequality) {
        // As many values as there are may be forbidden, not all.
        if width < usize::BITS && constraints.len() >= 1 << width {
            return Ok(false);
        }
        constraints.iter().for_each(|constraint| rewriting.remove(constraint.literal));
        return Ok(true);
    }
    let Value::Bits(value) = rewriting.value(var)? else { return Err(Unsupported::NotAModel) };
    let value = value.mul(&factor);
    let mut nearest: Option<(Int, Term)> = None;
    for constraint in &constraints {
        rewriting.value_term(constraint.least);
        let Value::Bits(least) = rewriting.value(constraint.least)? else {
            return Err(Unsupported::NotAModel);
        };
        let distance = value.add(&least.neg()).to_int();
        if nearest.as_ref().is_none_or(|(smallest, _)| distance < *smallest) {
            nearest = Some((distance, constraint.least));
        }
    }
    let Some((_, least)) = nearest else { return Ok(false) };
    if constraints.len() > 1 {
        rewriting.choose();
    }
    let inverse = rewriting.store.bit_vector(&factor.inverse());
    let definition = rewriting.store.bv_mul(&[inverse, least]);
    rewriting.replace(&[(var, definition)]);
    Ok(true)
}

/// What a literal says of an odd multiple of the variable, of the given one if there is one.
fn constraint(store: &mut Store, literal: Term, var: Term, given: Option<BitVec>) -> Option<Constraint> {
    let width = store.sort(var).bit_width()?;
    let one = BitVec::new(width, 1);
    if let View::Equal(a, b) = store.view(literal) {
        if !literal.is_negated() {
            return None;
        }
        let forbidden = solve(store, a, b, var)?;
        let factor = given.unwrap_or_else(|| one.clone());
        let (scale, next) = (store.bit_vector(&factor), store.bit_vector(&one));
        let multiple = store.bv_mul(&[scale, forbidden]);
        let least = store.bv_add(&[multiple, next]);
        return Some(Constraint { literal, factor, least, disequality: true });
    }
    let (signed, left, right) = match store.as_bit_op(literal)? {
        (BitOp::LessEqual, &[left, right]) => (false, left, right),
        (BitOp::SignedLessEqual, &[left, right]) => (true, left, right),
        _ => return None,
    };
    if store.width(left) != width {
        return None;
    }
    let mut sums = [left, right].map(|side| Sum::of(store, side));
    if signed {
        // Signs are told by the order without them, half the numbers further on.
        for sum in &mut sums {
            sum.constant = sum.constant.add(&BitVec::least(width));
        }
    }
    let [mut left, mut right] = sums;
    let (in_left, in_right) = (left.take(store, var)?, right.take(store, var)?);
    let (coefficient, is_left) = match (in_left.is_zero(), in_right.is_zero()) {
        (false, true) => (in_left, true),
        (true, false) => (in_right, false),
        _ => return None,
    };
    if !coefficient.bit(0) {
        return None;
    }
    let factor = given.unwrap_or_else(|| coefficient.clone());
    let negative = match () {
        () if coefficient == factor => false,
        () if coefficient == factor.neg() => true,
        () => return None,
    };
    // The side of the variable is y + a or a - y, and the other one is b.
    let [a, b] = if is_left { [left, right] } else { [right, left] };
    let minus = one.neg();
    let [plus_a, minus_a] = [&one, &minus].map(|factor| a.scaled(store, factor));
    let [plus_b, minus_b] = [&one, &minus].map(|factor| b.scaled(store, factor));
    let one = store.bit_vector(&one);
    // Whether the side of the variable is bounded from above: it then runs from 0 to b, or to b - 1 if the literal is
    // strict; otherwise from b, or b + 1, to the last number.
    let strict = literal.is_negated();
    let bounded_above = is_left != strict;
    let least = match (bounded_above, negative) {
        (true, false) => minus_a,
        (true, true) if strict => store.bv_add(&[plus_a, minus_b, one]),
        (true, true) => store.bv_add(&[plus_a, minus_b]),
        (false, false) if strict => store.bv_add(&[plus_b, one, minus_a]),
        (false, false) => store.bv_add(&[plus_b, minus_a]),
        (false, true) => store.bv_add(&[plus_a, one]),
    };
    Some(Constraint { literal, factor, least, disequality: false })
}
