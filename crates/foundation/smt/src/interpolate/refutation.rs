//! A refutation with a partition: its leaves, and the sides of its assertions.

use shem_base::Lit;
use shem_proof::{LemmaKind, Origin, Proof, Rule, StepId};

use super::cutset::CutSet;
use super::partition::Partition;

/// A refutation: a proof of a clause over negated assumptions, and the assumptions, each with the cuts on
/// whose A side it is. Without a proof, the assumptions are a literal and its negation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refutation<'a, const W: usize> {
    pub(super) proof: Option<&'a Proof>,
    pub(super) assumptions: &'a [(Lit, CutSet<W>)],
    pub(super) partition: &'a Partition,
    /// By group: the cuts on whose A side it is.
    pub(super) groups: &'a [CutSet<W>],
}

impl<'a, const W: usize> Refutation<'a, W> {
    /// The input clauses and lemmas of the proof.
    pub(super) fn leaves(self) -> impl Iterator<Item = (StepId, Option<Origin>, &'a [Lit])> {
        let steps = self.proof.into_iter().flat_map(|proof| proof.steps().map(move |step| (proof, step)));
        steps.filter_map(|(proof, step)| match proof.rule(step) {
            Rule::Input(origin) => Some((step, Some(origin), proof.clause(step))),
            Rule::Lemma { .. } => Some((step, None, proof.clause(step))),
            Rule::Resolution { .. } => None,
        })
    }

    /// The lemmas about equations: their steps, kinds, clauses and nodes.
    pub(super) fn equality_lemmas(self) -> impl Iterator<Item = (StepId, LemmaKind, &'a [Lit], &'a [u32])> {
        let steps = self.proof.into_iter().flat_map(|proof| proof.steps().map(move |step| (proof, step)));
        steps.filter_map(|(proof, step)| match proof.rule(step) {
            Rule::Lemma { kind: kind @ (LemmaKind::Equality | LemmaKind::Bridge), nodes, .. } => {
                Some((step, kind, proof.clause(step), nodes))
            }
            _ => None,
        })
    }

    /// The cuts on whose A side an assertion is.
    pub(super) fn assertion(self, number: u32) -> CutSet<W> {
        self.groups[self.partition.group(number)]
    }
}
