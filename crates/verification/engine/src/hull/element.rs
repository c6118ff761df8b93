//! The hull of the states of one phase: an affine lattice, an affine subspace, and bounds on forms.

use std::collections::BTreeMap;

use shem_base::{Int, Rat};
use shem_term::{Store, Term};
use shem_transform::domain::{
    Form, Interval, Lattice, Subspace, Thresholds, bounds_of, congruence, equality, terms_of,
};

use super::features::{Features, value};

/// The bits that the entries of a lattice may have; beyond, it is given up.
const MAX_BITS: u64 = 96;

/// The numbers at which the bounds of one phase may stop beside those of the program, for each form.
pub(super) type Extremes = Vec<Thresholds>;

/// The hull of the states of a phase.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// Over the integer coordinates; `None` if its entries became too large.
    lattice: Option<Lattice>,
    /// Over all coordinates, if some are not integers.
    subspace: Option<Subspace>,
    /// For each form.
    bounds: Vec<Interval>,
    /// Equalities that held once.
    lost: Vec<Form>,
}

impl Element {
    /// The hull of a point.
    pub(super) fn new(features: &Features, extremes: Option<&Extremes>, point: &[Rat]) -> Element {
        let has_reals = features.integers.len() < features.coordinates.len();
        let mut element = Element {
            lattice: integers(features, point).map(Lattice::of_point),
            subspace: has_reals.then(|| Subspace::of_point(point.to_vec())),
            bounds: Vec::with_capacity(features.forms.len()),
            lost: Vec::new(),
        };
        for at in 0..features.forms.len() {
            let value = value(&features.forms[at], point);
            let (low, high) = (below(features, extremes, at, &value), above(features, extremes, at, &value));
            element.bounds.push(Interval { low, high });
        }
        element
    }

    /// Adds a point. Returns whether the hull has grown.
    pub(super) fn join(&mut self, features: &Features, extremes: Option<&Extremes>, point: &[Rat]) -> bool {
        let mut changed = false;
        if let Some(lattice) = &mut self.lattice {
            let before = lattice.clone();
            let grown = integers(features, point).map(|point| lattice.join_point(&point));
            changed |= grown != Some(false);
            if grown == Some(true) && lattice.rank() > before.rank() {
                lose(&mut self.lost, features, &before, lattice);
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
        for (at, bounds) in self.bounds.iter_mut().enumerate() {
            let moved = bounds.join_value(
                &value(&features.forms[at], point),
                |value| below(features, extremes, at, value),
                |value| above(features, extremes, at, value),
            );
            changed |= moved.0 || moved.1;
        }
        changed
    }

    /// Equalities that were lost when the hull grew: forms that may still have bounds.
    pub(super) fn lost(&self) -> &[Form] {
        &self.lost
    }

    /// The conjuncts that describe the hull, without those of its phase.
    pub(super) fn constraints(&self, store: &mut Store, features: &Features) -> Vec<Term> {
        let mut parts = Vec::new();
        if let Some(lattice) = &self.lattice {
            let integers: Vec<Term> = features.integers.iter().map(|&at| features.coordinates[at]).collect();
            for constraint in lattice.constraints() {
                parts.push(congruence(store, &constraint, &integers));
            }
        }
        for (form, value) in self.subspace.iter().flat_map(Subspace::equalities) {
            let terms = terms_of(&form, &features.coordinates);
            parts.push(equality(store, &terms, &value));
        }
        for (form, bounds) in features.forms.iter().zip(&self.bounds) {
            if !self.fixes(features, form) {
                parts.extend(bounds_of(store, form, &features.coordinates, bounds));
            }
        }
        parts
    }

    /// Whether the form has one value on the lattice, which an equality says already.
    fn fixes(&self, features: &Features, form: &Form) -> bool {
        let within = |form: &Form| -> Option<Form> {
            form.iter()
                .map(|(at, c)| Some((features.integers.iter().position(|i| i == at)?, c.clone())))
                .collect()
        };
        if let (Some(lattice), Some(form)) = (&self.lattice, within(form)) {
            return lattice.fixes(&form);
        }
        self.subspace.as_ref().is_some_and(|subspace| subspace.fixes(form))
    }
}

/// The integer coordinates of a point.
fn integers(features: &Features, point: &[Rat]) -> Option<Vec<Int>> {
    features.integers.iter().map(|&at| point[at].to_int()).collect()
}

/// Takes note of the equalities of the lattice before that do not hold in the one after.
fn lose(lost: &mut Vec<Form>, features: &Features, before: &Lattice, after: &Lattice) {
    const MOST: usize = 12;
    for constraint in before.constraints() {
        if !constraint.modulus.is_zero() || lost.len() >= MOST {
            continue;
        }
        let entries = constraint.coefficients.iter().enumerate().filter(|(_, c)| !c.is_zero());
        let local: Form = entries.map(|(at, c)| (at, c.clone())).collect();
        if local.len() > 1 && local.iter().all(|(_, c)| c.bits() <= 16) && !after.fixes(&local) {
            let form: Form = local.into_iter().map(|(at, c)| (features.integers[at], c)).collect();
            if !lost.contains(&form) {
                lost.push(form);
            }
        }
    }
}

/// The greatest threshold that is not above the value.
fn below(features: &Features, extremes: Option<&Extremes>, form: usize, value: &Rat) -> Option<Rat> {
    let own = extremes.and_then(|extremes| extremes[form].below(value));
    own.max(features.thresholds.below(value))
}

/// The least threshold that is not below the value.
fn above(features: &Features, extremes: Option<&Extremes>, form: usize, value: &Rat) -> Option<Rat> {
    let own = extremes.and_then(|extremes| extremes[form].above(value));
    match (own, features.thresholds.above(value)) {
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
    pub(super) fn add(&mut self, features: &Features, phase: &[bool], point: &[Rat]) {
        let values = features.forms.iter().map(|form| value(form, point));
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
        let extremes = |range: Vec<(Rat, Rat)>| -> Extremes {
            range.into_iter().map(|(low, high)| Thresholds::exactly([low, high])).collect()
        };
        self.range.into_iter().map(|(phase, range)| (phase, extremes(range))).collect()
    }
}
