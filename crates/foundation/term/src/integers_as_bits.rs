//! Integers written as bit-vectors: the way back from [`Store::bits_as_integers`].
//!
//! The variables of a formula are integers that stand for bit-vectors, without or with a sign. Every term then has a
//! finite range, and is written exactly, as a number with a sign, by as many bits as its range needs. Sums are taken
//! modulo the power of two that holds their result, so what is in between may be cut. An inequality is one of numbers with
//! signs. Quotients by powers of two are the upper bits, remainders the lower ones.

use rustc_hash::FxHashMap;
use shem_base::{BitVec, Int};

use crate::bits::MAX_WIDTH;
use crate::poly::{Poly, PolyTerm};
use crate::sort::Sort;
use crate::store::Store;
use crate::term::{Term, View};

/// The bit-vector behind a variable that is an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerBits {
    /// The bit-vector.
    pub bits: Term,
    /// Whether its highest bit is the sign of the integer.
    pub has_sign: bool,
}

/// An integer as a number with a sign.
#[derive(Clone)]
struct Signed {
    bits: Term,
    least: Int,
    greatest: Int,
}

impl Store {
    /// The formula about the bit-vectors behind its integer variables; `None` if there is no such formula, or it is too
    /// wide: it has other integer variables, products of terms, or quantifiers over integers.
    pub fn integers_as_bits(
        &mut self,
        formula: Term,
        variables: &FxHashMap<Term, IntegerBits>,
    ) -> Option<Term> {
        let mut memo = std::mem::take(&mut self.rewriting);
        memo.clear();
        let mut numbers: FxHashMap<Term, Signed> = FxHashMap::default();
        for term in self.subterms(&[formula]) {
            if self.sort(term) == Sort::Int {
                let number = self.bits_of_integer(term, variables, &numbers, |store, condition| {
                    store.rewrite(condition, &mut memo)
                })?;
                numbers.insert(term, number);
            } else if let Some(atom) = self.bits_of_atom(term, &numbers)? {
                memo.insert(term.index(), atom);
            }
        }
        let result = self.rewrite(formula, &mut memo);
        self.rewriting = memo;
        Some(result)
    }

    /// An atom about integers; nothing if the term is none, and `None` if it cannot be written.
    fn bits_of_atom(&mut self, term: Term, numbers: &FxHashMap<Term, Signed>) -> Option<Option<Term>> {
        let (poly, bound, is_equation) = match self.view(term) {
            View::Le(poly, bound) => (poly, bound.clone(), false),
            View::Eq(poly, bound) => (poly, bound.clone(), true),
            View::Divisible(modulus, poly, offset) => {
                let (modulus, offset) = (modulus.clone(), offset.clone());
                return self.bits_of_divisible(&modulus, poly, &offset, numbers).map(Some);
            }
            View::Lt(..) | View::ToInt(_) => return None,
            View::Forall(bound, _) if bound.iter().any(|&v| self.sort(v) == Sort::Int) => return None,
            View::App(_, args) if args.iter().any(|&arg| self.sort(arg) == Sort::Int) => return None,
            _ => return Some(None),
        };
        if !self.poly_is_integral(poly) || !bound.is_integer() {
            return None;
        }
        let bound = bound.numer();
        let sum = self.linear_bits(poly, &Int::ONE, &Int::ZERO, (&bound, &bound), numbers)?;
        // What the ranges decide is not written.
        if sum.least > bound || (is_equation && sum.greatest < bound) {
            return Some(Some(Term::FALSE));
        }
        if sum.greatest <= bound && (!is_equation || sum.least == bound) {
            return Some(Some(Term::TRUE));
        }
        let width = self.width(sum.bits);
        let bound = self.bit_vector(&BitVec::from_int(width, &bound));
        Some(Some(if is_equation { self.eq(sum.bits, bound) } else { self.bv_sle(sum.bits, bound) }))
    }

    fn bits_of_divisible(
        &mut self,
        modulus: &Int,
        poly: Poly,
        offset: &Int,
        numbers: &FxHashMap<Term, Signed>,
    ) -> Option<Term> {
        let sum = self.linear_bits(poly, &Int::ONE, offset, (modulus, modulus), numbers)?;
        let width = self.width(sum.bits);
        let divisor = self.bit_vector(&BitVec::from_int(width, modulus));
        let remainder = match exponent(modulus) {
            Some(low) => self.bv_extract(low - 1, 0, sum.bits),
            None => self.bv_srem(sum.bits, divisor),
        };
        let zero = self.bit_vector(&BitVec::zero(self.width(remainder)));
        Some(self.eq(remainder, zero))
    }

    fn bits_of_integer(
        &mut self,
        term: Term,
        variables: &FxHashMap<Term, IntegerBits>,
        numbers: &FxHashMap<Term, Signed>,
        mut condition: impl FnMut(&mut Store, Term) -> Term,
    ) -> Option<Signed> {
        Some(match self.view(term) {
            View::Var(_) => {
                let IntegerBits { bits, has_sign } = *variables.get(&term)?;
                let width = self.width(bits);
                let half = Int::from(2).pow(width - 1);
                match has_sign {
                    true => Signed { bits, least: -&half, greatest: &half - &Int::ONE },
                    false => {
                        let bits = (width < MAX_WIDTH).then(|| self.bv_zero_extend(1, bits))?;
                        Signed { bits, least: Int::ZERO, greatest: &Int::from(2).pow(width) - &Int::ONE }
                    }
                }
            }
            View::Num(number) => {
                let number = number.numer();
                let width = needed(&number, &number)?;
                let bits = self.bit_vector(&BitVec::from_int(width, &number));
                Signed { bits, least: number.clone(), greatest: number }
            }
            View::Linear(scale, poly, offset) => {
                let (scale, offset) = (scale.clone(), offset.clone());
                if !scale.is_integer() || !offset.is_integer() {
                    return None;
                }
                let (scale, offset) = (scale.numer(), offset.numer());
                self.linear_bits(poly, &scale, &offset, (&Int::ZERO, &Int::ZERO), numbers)?
            }
            View::Ite(test, then, otherwise) => {
                let (then, otherwise) = (numbers[&then].clone(), numbers[&otherwise].clone());
                let test = condition(self, test);
                let least = then.least.min(otherwise.least);
                let greatest = then.greatest.max(otherwise.greatest);
                let width = needed(&least, &greatest)?;
                let [then, otherwise] = [then.bits, otherwise.bits].map(|bits| self.resized(bits, width));
                Signed { bits: self.ite(test, then, otherwise), least, greatest }
            }
            View::Div(dividend, divisor) => {
                let divisor = divisor.clone();
                let Signed { bits, least, greatest } = numbers[&dividend].clone();
                let (least, greatest) = (least.div_floor(&divisor), greatest.div_floor(&divisor));
                let width = needed(&least, &greatest)?;
                let bits = self.floor_of_bits(bits, &divisor)?;
                Signed { bits: self.resized(bits, width), least, greatest }
            }
            View::Mod(dividend, divisor) => {
                let divisor = divisor.clone();
                let (least, greatest) = (Int::ZERO, &divisor - &Int::ONE);
                let width = needed(&least, &greatest)?;
                let whole = numbers[&dividend].bits;
                let bits = match exponent(&divisor) {
                    Some(low) => {
                        let whole = self.resized(whole, low.max(self.width(whole)));
                        let part = self.bv_extract(low - 1, 0, whole);
                        self.bv_zero_extend(width - low, part)
                    }
                    None => {
                        let quotient = self.floor_of_bits(whole, &divisor)?;
                        // The remainder is small, so it is right modulo its own power of two.
                        let [whole, quotient] = [whole, quotient].map(|bits| self.resized(bits, width));
                        let divisor = self.bit_vector(&BitVec::from_int(width, &divisor));
                        let product = self.bv_mul(&[divisor, quotient]);
                        self.bv_sub(whole, product)
                    }
                };
                Signed { bits, least, greatest }
            }
            _ => return None,
        })
    }

    /// A number with a sign divided by a positive number, rounded down.
    fn floor_of_bits(&mut self, bits: Term, divisor: &Int) -> Option<Term> {
        let width = self.width(bits).max(needed(divisor, divisor)?);
        let bits = self.resized(bits, width);
        if let Some(low) = exponent(divisor) {
            return Some(self.bv_extract(width - 1, low, bits));
        }
        // Below zero, all bits are turned over before and after.
        let zero = self.bit_vector(&BitVec::zero(width));
        let divisor = self.bit_vector(&BitVec::from_int(width, divisor));
        let is_negative = self.bv_slt(bits, zero);
        let turned = self.bv_not(bits);
        let below = self.bv_udiv(turned, divisor);
        let below = self.bv_not(below);
        let above = self.bv_udiv(bits, divisor);
        Some(self.ite(is_negative, below, above))
    }

    /// `scale * poly + offset`, by enough bits for the numbers of another range as well.
    fn linear_bits(
        &mut self,
        poly: Poly,
        scale: &Int,
        offset: &Int,
        (also_least, also_greatest): (&Int, &Int),
        numbers: &FxHashMap<Term, Signed>,
    ) -> Option<Signed> {
        let terms: Vec<PolyTerm> = self.poly_terms(poly).to_vec();
        let (mut least, mut greatest) = (offset.clone(), offset.clone());
        for PolyTerm { leaf, coeff } in &terms {
            let (factor, leaf) = (coeff * scale, numbers.get(leaf)?);
            let ends = [&factor * &leaf.least, &factor * &leaf.greatest];
            least = &least + ends.iter().min().expect("two");
            greatest = &greatest + ends.iter().max().expect("two");
        }
        let width = needed((&least).min(also_least), (&greatest).max(also_greatest))?;
        let mut parts = Vec::with_capacity(terms.len() + 1);
        for PolyTerm { leaf, coeff } in &terms {
            let bits = self.resized(numbers[leaf].bits, width);
            let factor = self.bit_vector(&BitVec::from_int(width, &(coeff * scale)));
            parts.push(self.bv_mul(&[factor, bits]));
        }
        parts.push(self.bit_vector(&BitVec::from_int(width, offset)));
        Some(Signed { bits: self.bv_add(&parts), least, greatest })
    }

    /// A number with a sign by so many bits: copies of the sign come in, or high bits go.
    fn resized(&mut self, bits: Term, width: u32) -> Term {
        let own = self.width(bits);
        match width > own {
            true => self.bv_sign_extend(width - own, bits),
            false => self.bv_extract(width - 1, 0, bits),
        }
    }
}

/// How many bits a number with a sign from this range needs, if that is within the limit.
fn needed(least: &Int, greatest: &Int) -> Option<u32> {
    let bits =
        |number: &Int| if number.is_negative() { (&-number - &Int::ONE).bits() } else { number.bits() };
    u32::try_from(bits(least).max(bits(greatest)) + 1).ok().filter(|&width| width <= MAX_WIDTH)
}

/// The exponent of a power of two that is at least 2.
fn exponent(number: &Int) -> Option<u32> {
    let exponent = u32::try_from(number.bits()).ok()?.checked_sub(1)?;
    (exponent > 0 && Int::from(2).pow(exponent) == *number).then_some(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_range_decides_is_not_written() {
        let mut store = Store::new();
        let (n, bits) =
            (store.variable("n", Sort::Int), store.variable("x", Sort::bit_vec(8).expect("a width")));
        let mut check =
            |has_sign: bool, formula: &dyn Fn(&mut Store, Term) -> Term, expected: Option<bool>| {
                let variables = FxHashMap::from_iter([(n, IntegerBits { bits, has_sign })]);
                let formula = formula(&mut store, n);
                let found = store.integers_as_bits(formula, &variables).expect("bits can say it");
                let constant = [Term::TRUE, Term::FALSE].contains(&found).then_some(found == Term::TRUE);
                assert_eq!(constant, expected, "{}", store.display(formula));
            };
        let at_most = |bound: i64| {
            move |store: &mut Store, n| {
                let bound = store.int(bound);
                store.le(n, bound)
            }
        };
        let at_least = |bound: i64| {
            move |store: &mut Store, n| {
                let bound = store.int(bound);
                store.le(bound, n)
            }
        };
        let is = |number: i64| {
            move |store: &mut Store, n| {
                let number = store.int(number);
                store.eq(n, number)
            }
        };
        check(true, &at_least(-128), Some(true));
        check(true, &at_least(-127), None);
        check(true, &at_most(127), Some(true));
        check(true, &at_most(126), None);
        check(true, &at_least(128), Some(false));
        check(true, &is(200), Some(false));
        check(true, &is(-129), Some(false));
        check(false, &at_least(0), Some(true));
        check(false, &at_most(255), Some(true));
        check(false, &at_most(-1), Some(false));
        check(false, &is(200), None);
    }
}
