//! Splits on forms that lie between two bounds.
//!
//! Equalities modulo different numbers leave residues such as `1 <= x - 12 q <= 11`: the form is bounded, its
//! variables are not. If the residues contradict each other, branches on variables follow a ray of the
//! relaxation for ever, since every one of them cuts off a piece of an unbounded polyhedron without an integer
//! point and leaves another. Splits on the bounded forms end: each takes finitely many values, and where all of
//! them are fixed, they are equations, which elimination refutes or solves (`dioph`).
//!
//! That is enough for termination: a constraint that no direction of the polyhedron's rays leaves is
//! bounded on both sides; once those are fixed, there is a ray into the inside of all the others, and far along
//! it an integer point of the lattice. We look at the bounds in force and not at those that are implied.
//!
//! Forms with few values come first, and those with very many come late. A form is split at its value, not in
//! the middle, so that the candidate model survives the next check. Forms that can be met whatever the others
//! are, as quotients see to (see `patch`), need no split.

use shem_base::{Int, Rat, StampMap};

use crate::arith::bounds::Side;
use crate::arith::poly::ArithVar;
use crate::arith::solver::Arith;

impl Arith {
    /// The integer form with two bounds that has the smallest domain of at most `width`, and the greatest
    /// value of the part to the left of the split; with it, whether that part is the one to try first.
    pub(super) fn residue_split(&self, width: u64) -> Option<(ArithVar, Int, bool)> {
        let bounds = &self.simplex.bounds;
        let width = Rat::from(i128::from(width));
        let mut best: Option<(Rat, ArithVar)> = None;
        for x in self.binding_forms() {
            if !self.simplex.is_int(x)
                || self.simplex.definition(x).is_some_and(|terms| !self.allows_split(terms))
            {
                continue;
            }
            let Some(domain) = self.domain(x) else { continue };
            let key = (domain, x);
            if key.0.is_positive() && key.0 <= width && best.as_ref().is_none_or(|least| key < *least) {
                best = Some(key);
            }
        }
        let (_, x) = best?;
        let value = self.simplex.value(x);
        let floor = value.floor();
        let at_end = bounds.get(x, Side::Upper).is_some_and(|bound| bound.value == value);
        Some(if at_end { (x, &floor - &Int::ONE, false) } else { (x, floor, true) })
    }

    /// The variables with bounds, without those whose bounds can be met whatever the others are: forms with a
    /// variable that no other bound concerns and a domain that is as wide as the coefficient of that variable.
    pub(super) fn binding_forms(&self) -> Vec<ArithVar> {
        let bounds = &self.simplex.bounds;
        let in_force = bounds.trail().iter().enumerate();
        let in_force = in_force.filter(|(i, bound)| bounds.index(bound.var, bound.side) == Some(*i as u32));
        // A variable with two bounds is met twice and taken once.
        let mut forms: Vec<ArithVar> = in_force
            .filter(|(_, bound)| bound.side == Side::Upper || bounds.get(bound.var, Side::Upper).is_none())
            .map(|(_, bound)| bound.var)
            .collect();
        let mut occurrences: StampMap<u32> = StampMap::new();
        for &form in &forms {
            match self.simplex.definition(form) {
                None => *occurrences.entry(form.index()) += 1,
                Some(terms) => terms.iter().for_each(|(y, _)| *occurrences.entry(y.index()) += 1),
            }
        }
        loop {
            let before = forms.len();
            forms.retain(|&form| {
                let Some(terms) = self.simplex.definition(form) else { return true };
                let domain = self.domain(form);
                let is_met = terms.iter().any(|(y, coeff)| {
                    occurrences.get(y.index()) == Some(&1)
                        && (!self.simplex.is_int(*y)
                            || domain
                                .as_ref()
                                .is_none_or(|width| *width >= Rat::from(&coeff.abs() - &Int::ONE)))
                });
                if is_met {
                    terms.iter().for_each(|(y, _)| *occurrences.entry(y.index()) -= 1);
                }
                !is_met
            });
            if forms.len() == before {
                return forms;
            }
        }
    }
}
