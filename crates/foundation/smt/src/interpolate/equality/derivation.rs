//! A derivation of a lemma from valid clauses.
//!
//! Each step derives one literal from literals that were assumed or derived before, by a clause that is valid in the
//! theories. The clause resolved with what derived its premises is a clause over the assumptions and the literal.

use std::collections::BTreeMap;

use super::vertex::{Claim, Literal};

/// A step of a derivation.
#[derive(Clone, Debug)]
pub(in crate::interpolate) struct Step {
    /// The valid clause: what is derived and the negated premises.
    pub(in crate::interpolate) clause: Vec<Literal>,
    /// The premises that are derived, with the steps that derive them. The others are assumed.
    pub(in crate::interpolate) premises: Vec<(Literal, usize)>,
}

/// A derivation; the last step is what was asked for.
#[derive(Clone, Debug, Default)]
pub(in crate::interpolate) struct Derivation {
    pub(in crate::interpolate) steps: Vec<Step>,
}

/// How a literal is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Assumed,
    Derived(usize),
}

/// A derivation in the making.
#[derive(Debug, Default)]
pub(super) struct Facts {
    steps: Vec<Step>,
    known: BTreeMap<Literal, Source>,
    /// The step that derives falsehood.
    falsehood: Option<usize>,
}

impl Facts {
    pub(super) fn assume(&mut self, literal: Literal) {
        self.known.insert(literal, Source::Assumed);
    }

    /// Whether a claim is assumed, has been derived, or needs no derivation.
    pub(super) fn is_known(&self, claim: Claim) -> bool {
        match claim {
            Claim::Constant(value) => value || self.falsehood.is_some(),
            Claim::Literal(literal) => self.known.contains_key(&literal),
        }
    }

    /// Derives a claim from known ones, by a clause that is valid. Says whether all premises are known.
    pub(super) fn add(&mut self, claim: Claim, premises: &[Claim]) -> bool {
        if self.is_known(claim) {
            return true;
        }
        let mut step = Step { clause: Vec::new(), premises: Vec::new() };
        for &premise in premises {
            let Claim::Literal(literal) = premise else {
                if premise == Claim::Constant(true) {
                    continue;
                }
                return false;
            };
            if step.clause.contains(&literal.negated()) {
                continue;
            }
            match self.known.get(&literal) {
                None => return false,
                Some(Source::Assumed) => {}
                Some(&Source::Derived(from)) => step.premises.push((literal, from)),
            }
            step.clause.push(literal.negated());
        }
        match claim {
            Claim::Literal(literal) => {
                step.clause.push(literal);
                self.known.insert(literal, Source::Derived(self.steps.len()));
            }
            Claim::Constant(_) => self.falsehood = Some(self.steps.len()),
        }
        self.steps.push(step);
        true
    }

    /// The derivation of a claim, if it was derived.
    pub(super) fn derivation_of(mut self, claim: Claim) -> Option<Derivation> {
        let last = match claim {
            Claim::Constant(true) => None,
            Claim::Constant(false) => self.falsehood,
            Claim::Literal(literal) => match self.known.get(&literal) {
                Some(&Source::Derived(step)) => Some(step),
                _ => None,
            },
        };
        self.steps.truncate(last? + 1);
        // What the last step does not need is left out.
        let mut places = vec![None; self.steps.len()];
        places[last?] = Some(0);
        for index in (0..self.steps.len()).rev() {
            if places[index].is_some() {
                self.steps[index].premises.iter().for_each(|premise| places[premise.1] = Some(0));
            }
        }
        let mut steps = Vec::new();
        for (index, mut step) in self.steps.into_iter().enumerate() {
            if places[index].is_some() {
                step.premises.iter_mut().for_each(|premise| premise.1 = places[premise.1].unwrap_or(0));
                places[index] = Some(steps.len());
                steps.push(step);
            }
        }
        Some(Derivation { steps })
    }
}
