//! Divisibility interpolants of equations without integer solutions.
//!
//! A lemma of this kind is a set of equations over integer variables with multipliers under which their sum
//! has integer coefficients and a constant that is no integer. The sum of the A part alone has fractional
//! coefficients only at variables that the B part has, too; its own variables contribute an integer. So A
//! implies that the fractional rest of its sum is an integer, which B refutes: a divisibility (compare
//! Griggio, Le and Sebastiani, "Efficient interpolant generation in satisfiability modulo linear integer
//! arithmetic", 2011). Sums of parts add up, so the interpolants of a path or a tree fit together.
//!
//! If the two bounds of an equation are on different sides, the equation counts to B, and the A side states
//! its bound as well; dually for the dual.

use shem_base::{Int, Rat};
use shem_term::{Sort, Store, Term};

use super::error::Mixed;
use super::leaf::Member;
use super::sum::Sum;
use super::vocabulary::Vocabulary;
use crate::linear::add_up;

/// The interpolant of a lemma whose members come in pairs, the two bounds of an equation. `in_a` tells the A
/// part.
pub(super) fn divide<const W: usize>(
    store: &mut Store,
    vocabulary: &Vocabulary<W>,
    members: &[Member],
    in_a: &[bool],
    dual: bool,
) -> Result<Term, Mixed> {
    let mut conjuncts = Vec::new();
    let mut terms: Vec<(u32, Rat)> = Vec::new();
    let mut constant = Rat::ZERO;
    for (pair, sides) in members.chunks_exact(2).zip(in_a.chunks_exact(2)) {
        match (sides[0] != dual, sides[1] != dual) {
            (false, false) => {}
            (true, true) => {
                let multiplier = &pair[0].weight;
                let row = vocabulary.row(pair[0].lit.var()).expect("literals of lemmas are atoms");
                let bound = if pair[0].lit.is_positive() { row.upper } else { row.lower };
                terms.extend(row.terms.iter().map(|(index, coeff)| (*index, multiplier.mul_int(coeff))));
                constant.add_mul(multiplier, &bound.real);
            }
            (first, _) => {
                let mut sum = Sum::default();
                sum.add(vocabulary, pair[usize::from(!first)].lit, &Rat::ONE);
                conjuncts.push(sum.atom(store, vocabulary)?);
            }
        }
    }
    add_up(&mut terms);
    terms.retain(|(_, coeff)| !coeff.is_integer());
    let mut modulus = constant.denom();
    for (_, coeff) in &terms {
        modulus = modulus.lcm(&coeff.denom());
    }
    let scale = |value: &Rat| -> Int { value.mul_int(&modulus).numer() };
    let mut scaled = Vec::with_capacity(terms.len());
    for (index, coeff) in &terms {
        let term = vocabulary.numbers[*index as usize].term.ok_or(Mixed::Clause)?;
        scaled.push((Rat::from(scale(coeff)), term));
    }
    let rest = store.linear(&scaled, &-Rat::from(scale(&constant)), Sort::Int);
    conjuncts.push(store.divisible(&modulus, rest));
    Ok(store.and(&conjuncts).xor(dual))
}
