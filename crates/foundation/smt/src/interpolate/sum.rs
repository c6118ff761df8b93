//! Weighted sums of inequalities, and the atoms that they are.

use shem_base::{Lit, Rat, StampMap};
use shem_term::{Store, Term};

use super::error::Mixed;
use super::vocabulary::Vocabulary;

/// A sum of inequalities: the sum of the terms is at most, or less than, the bound. More can be added to it after
/// its atom was made.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    /// By index of a number: its index among the terms.
    slots: StampMap<u32>,
    /// Indices of numbers, each once, with their coefficients, which may have become zero.
    terms: Vec<(u32, Rat)>,
    bound: Rat,
    strict: bool,
    /// A buffer.
    named: Vec<(Rat, Term)>,
}

impl Sum {
    /// Starts again from `0 <= 0`.
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.terms.clear();
        self.bound = Rat::ZERO;
        self.strict = false;
    }

    /// Adds the inequality that a literal states when it is true, times a positive weight.
    pub(super) fn add<const W: usize>(&mut self, vocabulary: &Vocabulary<W>, lit: Lit, weight: &Rat) {
        let row = vocabulary.row(lit.var()).expect("literals of lemmas are atoms");
        let (bound, weight) =
            if lit.is_positive() { (row.upper, weight.clone()) } else { (row.lower, -weight) };
        for (index, coeff) in row.terms {
            let product = weight.mul_int(coeff);
            match self.slots.get(*index as usize) {
                Some(&slot) => self.terms[slot as usize].1 += &product,
                None => {
                    self.slots.insert(*index as usize, self.terms.len() as u32);
                    self.terms.push((*index, product));
                }
            }
        }
        self.bound.add_mul(&weight, &bound.real);
        self.strict |= !bound.delta.is_zero();
    }

    /// The atom of the sum, tightened if all its variables are integers.
    pub(super) fn atom<const W: usize>(
        &mut self,
        store: &mut Store,
        vocabulary: &Vocabulary<W>,
    ) -> Result<Term, Mixed> {
        self.named.clear();
        for (index, coeff) in &self.terms {
            if !coeff.is_zero() {
                let term = vocabulary.numbers[*index as usize].term.ok_or(Mixed::Clause)?;
                self.named.push((coeff.clone(), term));
            }
        }
        // Along a path most variables come and go: drop those with coefficient zero when they are many.
        if self.terms.len() > 2 * self.named.len() + 8 {
            self.terms.retain(|term| !term.1.is_zero());
            self.slots.clear();
            for (slot, term) in self.terms.iter().enumerate() {
                self.slots.insert(term.0 as usize, slot as u32);
            }
        }
        Ok(store.linear_le(&self.named, &self.bound, self.strict))
    }
}
