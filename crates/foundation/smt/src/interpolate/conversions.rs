//! Formulas without conversions between integers and bit-vectors.
//!
//! Lemmas about conversions tie bits to arithmetic, and belong to no side of a cut. So each conversion becomes a variable
//! of its own, and every formula that mentions it says what it means by the bits alone: that an integer is the sum of
//! the powers of two of the bits that are set. Bits and arithmetic share nothing but these bits then, and a proof has
//! lemmas of the one and of the other. A conversion that several formulas have becomes the same variable in all of them,
//! so an interpolant may mention it; there it is the conversion again.

use shem_base::Int;
use shem_term::{BitOp, Store, Term};

/// Conversions and the variables in their place, the inner ones first.
pub(super) struct Conversions {
    pairs: Vec<Pair>,
}

struct Pair {
    conversion: Term,
    variable: Term,
    /// What the variable means, over the variables of inner conversions.
    definition: Term,
}

impl Conversions {
    /// Those of the formulas.
    pub(super) fn of(store: &mut Store, formulas: &[Term]) -> Conversions {
        let mut conversions = Conversions { pairs: Vec::new() };
        for term in store.subterms(formulas) {
            let Some((op @ (BitOp::ToInt | BitOp::FromInt), &[argument])) = store.as_bit_op(term) else {
                continue;
            };
            let argument = conversions.replaced(store, argument);
            let name = format!("aux.{}", store.symbol_count());
            let variable = store.variable(&name, store.sort(term));
            let definition = if op == BitOp::ToInt {
                let number = sum(store, argument);
                store.eq(variable, number)
            } else {
                let modulus = Int::from(2).pow(store.width(term));
                let remainder = store.int_mod(argument, &modulus);
                let number = sum(store, variable);
                store.eq(remainder, number)
            };
            conversions.pairs.push(Pair { conversion: term, variable, definition });
        }
        conversions
    }

    fn replaced(&self, store: &mut Store, term: Term) -> Term {
        let pairs: Vec<(Term, Term)> =
            self.pairs.iter().map(|pair| (pair.conversion, pair.variable)).collect();
        store.replace(term, &pairs)
    }

    /// A formula with variables in the place of its conversions, and what these mean.
    pub(super) fn remove(&self, store: &mut Store, formula: Term) -> Term {
        let own = store.subterms(&[formula]);
        let mut parts = vec![self.replaced(store, formula)];
        let mentioned = self.pairs.iter().filter(|pair| own.contains(&pair.conversion));
        parts.extend(mentioned.map(|pair| pair.definition));
        store.and(&parts)
    }

    /// A formula with the conversions again.
    pub(super) fn restore(&self, store: &mut Store, formula: Term) -> Term {
        let pairs: Vec<(Term, Term)> =
            self.pairs.iter().map(|pair| (pair.variable, pair.conversion)).collect();
        store.replace(formula, &pairs)
    }
}

/// The number that bits stand for without a sign, as a sum of cases.
fn sum(store: &mut Store, bits: Term) -> Term {
    let zero = store.int(0);
    let mut parts = Vec::new();
    for at in 0..store.width(bits) {
        let bit = store.bv_extract(at, at, bits);
        let one = store.bit_vector(&shem_base::BitVec::from_bits(1, |_| true));
        let is_set = store.eq(bit, one);
        let power = store.int(Int::from(2).pow(at));
        parts.push(store.ite(is_set, power, zero));
    }
    store.add(&parts)
}
