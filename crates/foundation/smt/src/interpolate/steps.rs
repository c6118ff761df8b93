//! The steps of a walk: those of a proof, those that derive its lemmas, and the assumptions.

use shem_base::Lit;
use shem_proof::{LemmaKind, Origin, Resolution, Rule};

use super::cutset::CutSet;
use super::equations::{LocalProof, LocalStep};
use super::leaf::TheoryLemma;
use super::refutation::Refutation;

/// How a step comes about. The steps are the local ones, those of the proof, then a unit clause for each assumption
/// and what is left after resolving with it.
pub(super) enum Derivation<'a, const W: usize> {
    Input(&'a [Lit], Origin),
    /// A clause that is valid.
    Valid(&'a [Lit]),
    Lemma(TheoryLemma<'a>),
    /// A resolution of steps of the proof.
    Chain(usize, &'a [Resolution]),
    /// A resolution of local steps.
    Local(usize, &'a [(Lit, usize)]),
    /// An assumption with the cuts on whose A side it is.
    Unit(&'a Lit, CutSet<W>),
    /// What is left of a step after resolving with the next one, which is the unit of this assumption.
    Assumed(usize, Lit),
}

/// All steps: those of a refutation and the local ones of its lemmas.
#[derive(Clone, Copy)]
pub(super) struct Derivations<'a, const W: usize> {
    pub(super) refutation: Refutation<'a, W>,
    pub(super) local: &'a LocalProof,
}

impl<'a, const W: usize> Derivations<'a, W> {
    /// The number of steps.
    pub(super) fn len(self) -> usize {
        let assumptions = self.refutation.assumptions.len();
        self.local.steps.len()
            + match self.refutation.proof {
                Some(proof) => proof.len() + 2 * assumptions,
                None => 2 * assumptions - 1,
            }
    }

    /// The derivation of a step.
    pub(super) fn get(self, step: usize) -> Derivation<'a, W> {
        let first = self.local.steps.len();
        if let Some(local) = self.local.steps.get(step) {
            return match local {
                LocalStep::Clause(clause) => Derivation::Valid(clause),
                LocalStep::Chain(first, rest) => Derivation::Local(*first, rest),
            };
        }
        let assumptions = self.refutation.assumptions;
        let (proof, length) = match self.refutation.proof {
            Some(proof) => (proof, first + proof.len()),
            // The assumptions contradict one another: the first is where the clause so far would be.
            None if step == 0 => {
                let (lit, a) = &assumptions[0];
                return Derivation::Unit(lit, *a);
            }
            None => {
                let (lit, a) = &assumptions[step.div_ceil(2)];
                return if step % 2 == 1 {
                    Derivation::Unit(lit, *a)
                } else {
                    Derivation::Assumed(step - 2, *lit)
                };
            }
        };
        if step >= length {
            let (lit, a) = &assumptions[(step - length) / 2];
            let is_unit = (step - length).is_multiple_of(2);
            return if is_unit { Derivation::Unit(lit, *a) } else { Derivation::Assumed(step - 2, *lit) };
        }
        let id = proof.step(step - first);
        match proof.rule(id) {
            Rule::Input(origin) => Derivation::Input(proof.clause(id), origin),
            Rule::Lemma { kind: LemmaKind::Equality | LemmaKind::Bridge, .. } => {
                match self.local.end(id.index()) {
                    Some(end) => Derivation::Local(end, &[]),
                    None => Derivation::Valid(proof.clause(id)),
                }
            }
            Rule::Lemma { kind, coeffs, .. } => Derivation::Lemma((kind, proof.clause(id), coeffs)),
            Rule::Resolution { first: premise, rest } => Derivation::Chain(first + premise.index(), rest),
        }
    }

    /// The pivots and premises of a resolution of steps of the proof.
    pub(super) fn chain(self, rest: &[Resolution]) -> impl Iterator<Item = (Lit, usize)> + Clone {
        let first = self.local.steps.len();
        rest.iter().map(move |&Resolution { pivot, premise }| (pivot, first + premise.index()))
    }
}
