//! Lemmas from contradictory bounds, with their Farkas coefficients.
//!
//! A row whose basic variable cannot reach its bound is a contradiction as it stands: its coefficients,
//! taken as positive numbers, are the weights with which the bounds that block it add up to `0 < 0`. Every
//! bound is the literal of an atom on the very variable that it bounds, so no literal occurs twice.

use shem_base::{Lit, Rat};
use shem_proof::{Lemma, LemmaKind};

use super::bounds::Side;
use super::poly::ArithVar;
use super::simplex::Simplex;

/// The lemma that two literals, a lower and an upper bound of one variable, contradict each other.
pub(super) fn opposite_bounds(first: Lit, second: Lit, lemma: &mut Lemma) {
    lemma.start(LemmaKind::Farkas);
    lemma.add(!first, Rat::ONE);
    lemma.add(!second, Rat::ONE);
}

impl Simplex {
    /// The lemma that the basic variable of `row` cannot reach its bound on `side`.
    pub(super) fn explain_row(&self, row: u32, side: Side, lemma: &mut Lemma) {
        lemma.start(LemmaKind::Farkas);
        for entry in self.tableau.row(row).entries() {
            let blocking = side.flip(entry.coeff.is_negative());
            if let Some(bound) = self.bounds.get(entry.var, blocking) {
                lemma.add(!bound.lit, Rat::from(entry.coeff.abs()));
            }
        }
        debug_assert_eq!(lemma.lits.len(), self.tableau.row(row).len());
        let entries = self.tableau.row(row).entries();
        self.add_settled(entries.map(|entry| (entry.var, Rat::from(&entry.coeff))), side, lemma);
    }

    /// Adds to a lemma the bounds of the settled variables of a row that has these other entries.
    pub(super) fn add_settled(
        &self,
        entries: impl Iterator<Item = (ArithVar, Rat)>,
        side: Side,
        lemma: &mut Lemma,
    ) {
        for (x, coeff) in self.settled_entries(entries) {
            if let Some(bound) = self.bounds.get(x, side.flip(coeff.is_negative())) {
                lemma.add(!bound.lit, coeff.abs());
            }
        }
    }
}
