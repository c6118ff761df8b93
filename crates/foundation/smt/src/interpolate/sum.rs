//! Weighted sums of inequalities, and the atoms that they are.

use shem_base::{Lit, Rat};
use shem_term::{Store, Term};

use super::vocabulary::{Mixed, Vocabulary};
use crate::linear::add_up;

/// A sum of inequalities: the sum of the terms is at most, or less than, the bound.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    /// Places of numbers with their coefficients; a place may occur repeatedly.
    terms: Vec<(u32, Rat)>,
    bound: Rat,
    strict: bool,
    /// A buffer.
    named: Vec<(Rat, Term)>,
}

impl Sum {
    /// Starts again from `0 <= 0`.
    pub(super) fn clear(&mut self) {
        self.terms.clear();
        self.bound = Rat::ZERO;
        self.strict = false;
    }

    /// Adds the inequality that a literal states when it is true, times a positive weight.
    pub(super) fn add<const W: usize>(&mut self, vocabulary: &Vocabulary<W>, lit: Lit, weight: &Rat) {
        let row = vocabulary.row(lit.var()).expect("literals of lemmas are atoms");
        let (bound, weight) =
            if lit.is_positive() { (row.upper, weight.clone()) } else { (row.lower, -weight) };
        self.terms.extend(row.terms.iter().map(|(place, coeff)| (*place, weight.mul_int(coeff))));
        self.bound.add_mul(&weight, &bound.real);
        self.strict |= !bound.delta.is_zero();
    }

    /// The atom of the sum, tightened if all its variables are integers.
    pub(super) fn atom<const W: usize>(
        &mut self,
        store: &mut Store,
        vocabulary: &Vocabulary<W>,
    ) -> Result<Term, Mixed> {
        add_up(&mut self.terms);
        self.named.clear();
        for (place, coeff) in self.terms.drain(..) {
            let term = vocabulary.numbers[place as usize].term.ok_or(Mixed)?;
            self.named.push((coeff, term));
        }
        Ok(store.linear_le(&self.named, &self.bound, self.strict))
    }
}
