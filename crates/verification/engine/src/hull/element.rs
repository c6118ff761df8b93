//! The hull of the states of one phase: an affine lattice, an affine subspace, and bounds on forms.

use std::collections::BTreeMap;

use shem_base::{Int, Rat};
use shem_term::{Store, Term};
use shem_transform::domain::{self, Lattice, Subspace};

use super::frame::{Form, Frame, value};

/// The bits that the entries of a lattice may have; beyond, it is given up.
const MAX_BITS: u64 = 96;

/// The numbers at which the bounds of one phase may stop beside those of the frame, for each form; sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct Extremes {
    pub(super) of_form: Vec<Vec<Rat>>,
}

/// The hull of the states of a phase.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// Over the integer coordinates; `None` if its entries became too large.
    lattice: Option<Lattice>,
    /// Over all coordinates, if some are not integers.
    subspace: Option<Subspace>,
    /// For each form of the frame.
    bounds: Vec<(Option<Rat>, Option<Rat>)>,
    /// Equalities that held once.
    lost: Vec<Form>,
}

impl Element {
    /// The hull of a point.
    pub(super) fn new(frame: &Frame, extremes: Option<&Extremes>, point: &[Rat]) -> Element {
        let has_reals = frame.integers.len() < frame.coordinates.len();
        let mut element = Element {
            lattice: integers(frame, point).map(Lattice::of_point),
            subspace: has_reals.then(|| Subspace::of_point(point.to_vec())),
            bounds: Vec::with_capacity(frame.forms.len()),
            lost: Vec::new(),
        };
        for at in 0..frame.forms.len() {
            let value = value(&frame.forms[at], point);
            element.bounds.push((below(frame, extremes, at, &value), above(frame, extremes, at, &value)));
        }
        element
    }

    /// Adds a point. Returns whether the hull has grown.
    pub(super) fn join(&mut self, frame: &Frame, extremes: Option<&Extremes>, point: &[Rat]) -> bool {
        let mut changed = false;
        if let Some(lattice) = &mut self.lattice {
            let before = lattice.clone();
            let grown = integers(frame, point).map(|point| lattice.join_point(&point));
            changed |= grown != Some(false);
            if grown == Some(true) && lattice.rank() > before.rank() {
                lose(&mut self.lost, frame, &before, lattice);
            }
            if grown.is_none() || lattice.bits() > MAX_BITS {
                self.lattice = None;
            }
        }
        if let Some(subspace) = &mut self.subspace {
            changed |= subspace.join_point(point);
            if subspace.bits() > MAX_BITS {
                self.subspace = None;
            }
        }
        for (at, (low, high)) in self.bounds.iter_mut().enumerate() {
            let value = value(&frame.forms[at], point);
            if low.as_ref().is_some_and(|low| value < *low) {
                *low = below(frame, extremes, at, &value);
                changed = true;
            }
            if high.as_ref().is_some_and(|high| value > *high) {
                *high = above(frame, extremes, at, &value);
                changed = true;
            }
        }
        changed
    }

    /// Equalities that were lost when the hull grew: forms that may still have bounds.
    pub(super) fn lost(&self) -> &[Form] {
        &self.lost
    }

    /// The conjuncts that describe the hull, without those of its phase.
    pub(super) fn constraints(&self, store: &mut Store, frame: &Frame) -> Vec<Term> {
        let mut parts = Vec::new();
        if let Some(lattice) = &self.lattice {
            let integers: Vec<Term> = frame.integers.iter().map(|&at| frame.coordinates[at]).collect();
            for constraint in lattice.constraints() {
                parts.push(domain::congruence(store, &constraint, &integers));
            }
        }
        for (coefficients, value) in self.subspace.iter().flat_map(Subspace::equalities) {
            let entries = coefficients.into_iter().zip(frame.coordinates.iter().copied());
            let terms: Vec<(Rat, Term)> = entries.filter(|(c, _)| !c.is_zero()).collect();
            parts.push(domain::equality(store, &terms, &value));
        }
        for (form, (low, high)) in frame.forms.iter().zip(&self.bounds) {
            if !self.fixes(frame, form) {
                let bounds = (low.as_ref(), high.as_ref());
                parts.extend(domain::bounds_of(store, form, &frame.coordinates, bounds));
            }
        }
        parts
    }

    /// Whether the form has one value on the lattice, which an equality says already.
    fn fixes(&self, frame: &Frame, form: &Form) -> bool {
        let within = |form: &Form| -> Option<Form> {
            form.iter()
                .map(|(at, c)| Some((frame.integers.iter().position(|i| i == at)?, c.clone())))
                .collect()
        };
        if let (Some(lattice), Some(form)) = (&self.lattice, within(form)) {
            return lattice.fixes(&form);
        }
        self.subspace.as_ref().is_some_and(|subspace| subspace.fixes(form))
    }
}

/// The integer coordinates of a point.
fn integers(frame: &Frame, point: &[Rat]) -> Option<Vec<Int>> {
    frame.integers.iter().map(|&at| point[at].to_int()).collect()
}

/// Takes note of the equalities of the lattice before that do not hold in the one after.
fn lose(lost: &mut Vec<Form>, frame: &Frame, before: &Lattice, after: &Lattice) {
    const MOST: usize = 12;
    for constraint in before.constraints() {
        if !constraint.modulus.is_zero() || lost.len() >= MOST {
            continue;
        }
        let entries = constraint.coefficients.iter().enumerate().filter(|(_, c)| !c.is_zero());
        let local: Form = entries.map(|(at, c)| (at, c.clone())).collect();
        if local.len() > 1 && local.iter().all(|(_, c)| c.bits() <= 16) && !after.fixes(&local) {
            let form: Form = local.into_iter().map(|(at, c)| (frame.integers[at], c)).collect();
            if !lost.contains(&form) {
                lost.push(form);
            }
        }
    }
}

/// The greatest threshold that is not above the value.
fn below(frame: &Frame, extremes: Option<&Extremes>, form: usize, value: &Rat) -> Option<Rat> {
    let own = extremes.and_then(|extremes| domain::below(&extremes.of_form[form], value));
    own.max(domain::below(&frame.thresholds, value))
}

/// The least threshold that is not below the value.
fn above(frame: &Frame, extremes: Option<&Extremes>, form: usize, value: &Rat) -> Option<Rat> {
    let own = extremes.and_then(|extremes| domain::above(&extremes.of_form[form], value));
    match (own, domain::above(&frame.thresholds, value)) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The extremes of forms in each phase, over observed states.
#[derive(Debug, Default)]
pub(super) struct Seen {
    range: BTreeMap<Vec<bool>, Vec<(Rat, Rat)>>,
}

impl Seen {
    /// Takes note of a point.
    pub(super) fn add(&mut self, frame: &Frame, phase: &[bool], point: &[Rat]) {
        let values = frame.forms.iter().map(|form| value(form, point));
        match self.range.get_mut(phase) {
            Some(range) => {
                for ((low, high), value) in range.iter_mut().zip(values) {
                    if value < *low {
                        *low = value;
                    } else if value > *high {
                        *high = value;
                    }
                }
            }
            None => {
                self.range.insert(phase.to_vec(), values.map(|value| (value.clone(), value)).collect());
            }
        }
    }

    /// The extremes as numbers at which bounds may stop.
    pub(super) fn extremes(self) -> BTreeMap<Vec<bool>, Extremes> {
        let list = |(low, high): (Rat, Rat)| if low == high { vec![low] } else { vec![low, high] };
        let extremes = |range: Vec<(Rat, Rat)>| Extremes { of_form: range.into_iter().map(list).collect() };
        self.range.into_iter().map(|(phase, range)| (phase, extremes(range))).collect()
    }
}
