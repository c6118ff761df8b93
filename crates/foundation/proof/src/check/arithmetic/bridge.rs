//! What an equation of two arithmetic nodes has to do with bounds of their difference.
//!
//! The difference is a sum `v` of variables and a constant `c`; the equation says `v = -c`. The other literals, all
//! negated, confine `v` to an interval. The clause is valid if the interval is empty, after `v = -c` was added if
//! the equation is assumed, or if it is assumed to be false and nothing but `-c` is left in the interval.

use super::inequality::{add_terms, inequality};
use crate::check::error::CheckError;
use crate::check::meaning::{AtomMeaning, LinearForm, NodeShape};
use crate::proof::StepId;
use shem_base::{Lit, Rat};
use std::collections::BTreeMap;

/// The numbers between two bounds; a bound that is strict is excluded.
#[derive(Default)]
struct Interval {
    lower: Option<(Rat, bool)>,
    upper: Option<(Rat, bool)>,
}

impl Interval {
    fn at_most(&mut self, value: Rat, strict: bool) {
        let is_weaker = |(old, old_strict): &(Rat, bool)| value < *old || (value == *old && !old_strict);
        if self.upper.as_ref().is_none_or(is_weaker) {
            self.upper = Some((value, strict));
        }
    }

    fn at_least(&mut self, value: Rat, strict: bool) {
        let is_weaker = |(old, old_strict): &(Rat, bool)| value > *old || (value == *old && !old_strict);
        if self.lower.as_ref().is_none_or(is_weaker) {
            self.lower = Some((value, strict));
        }
    }

    fn contain_only(&mut self, value: &Rat) {
        self.at_most(value.clone(), false);
        self.at_least(value.clone(), false);
    }

    fn is_empty(&self) -> bool {
        match (&self.lower, &self.upper) {
            (Some((lower, strict)), Some((upper, also))) => {
                lower > upper || (lower == upper && (*strict || *also))
            }
            _ => false,
        }
    }

    /// Whether no other number than this one is in the interval.
    fn is_within(&self, value: &Rat) -> bool {
        let is_value = |bound: &Option<(Rat, bool)>| bound.as_ref().is_some_and(|(bound, _)| bound == value);
        self.is_empty() || (is_value(&self.lower) && is_value(&self.upper))
    }
}

pub(crate) fn check_bridge(step: StepId, lits: &[Lit], meaning: &impl AtomMeaning) -> Result<(), CheckError> {
    let mut equations = lits.iter().filter_map(|&lit| Some((lit, meaning.equation(lit.var())?)));
    let (Some((equation, (a, b))), None) = (equations.next(), equations.next()) else {
        return Err(CheckError::Equations(step));
    };
    let a = value(meaning, a).ok_or(CheckError::Node(step, a))?;
    let b = value(meaning, b).ok_or(CheckError::Node(step, b))?;
    let difference = combine(&[(&a.terms, Rat::ONE), (&b.terms, -Rat::ONE)]);
    let equal = &b.constant - &a.constant;

    let mut interval = Interval::default();
    if difference.is_empty() {
        interval.contain_only(&Rat::ZERO);
    }
    for &lit in lits.iter().filter(|&&lit| lit != equation) {
        let atom = inequality(step, !lit, meaning)?;
        let sum = combine(&[(&atom.terms, Rat::ONE)]);
        let factor = quotient(&sum, &difference).ok_or(CheckError::Equations(step))?;
        let bound = &atom.bound / &factor;
        if factor.is_positive() {
            interval.at_most(bound, atom.strict);
        } else {
            interval.at_least(bound, atom.strict);
        }
    }
    let valid = if equation.is_positive() {
        interval.is_within(&equal)
    } else {
        interval.contain_only(&equal);
        interval.is_empty()
    };
    if valid { Ok(()) } else { Err(CheckError::Equations(step)) }
}

/// The value of an arithmetic node.
fn value(meaning: &impl AtomMeaning, node: u32) -> Option<LinearForm> {
    match meaning.node(node)? {
        NodeShape::Numeral(value) => Some(LinearForm { terms: Vec::new(), constant: value }),
        _ => meaning.linear_form(node),
    }
}

/// The sum of multiples of terms, without coefficients that are 0.
fn combine(parts: &[(&[(u32, Rat)], Rat)]) -> BTreeMap<u32, Rat> {
    let mut sum = BTreeMap::new();
    for (terms, factor) in parts {
        add_terms(&mut sum, terms, factor);
    }
    sum.retain(|_, coeff| !coeff.is_zero());
    sum
}

/// The number that the second sum, which is not 0, is multiplied with to give the first.
fn quotient(product: &BTreeMap<u32, Rat>, sum: &BTreeMap<u32, Rat>) -> Option<Rat> {
    let (var, coeff) = sum.first_key_value()?;
    let factor = product.get(var)? / coeff;
    let multiple: BTreeMap<u32, Rat> = sum.iter().map(|(&var, coeff)| (var, coeff * &factor)).collect();
    (multiple == *product).then_some(factor)
}
