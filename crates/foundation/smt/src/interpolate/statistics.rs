//! What is counted.

use shem_base::Statistics;

/// Counters of interpolation queries.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ItpCounters {
    /// Interpolants, one a cut.
    pub(super) interpolants: u64,
    /// Refutations that are on one side of each cut.
    pub(super) one_sided: u64,
    /// Steps of the proofs.
    pub(super) steps: u64,
    /// Lemmas of arithmetic.
    pub(super) lemmas: u64,
    /// Lemmas that gave divisibilities.
    pub(super) divisions: u64,
    /// Vectors of weights that were decomposed.
    pub(super) decompositions: u64,
    /// Those with more than one element.
    pub(super) nontrivial: u64,
    /// Their elements.
    pub(super) elements: u64,
    /// Distinct subterms of interpolants as the proof gave them.
    pub(super) raw_size: u64,
    /// Distinct subterms of interpolants.
    pub(super) size: u64,
    /// Members of conjunctions and disjunctions that were asked about.
    pub(super) prunings: u64,
    /// Those that were redundant.
    pub(super) pruned: u64,
    /// Proofs that could not be coloured.
    pub(super) mixed: u64,
    /// Problems that were solved again without mixed cuts.
    pub(super) solved_again: u64,
    /// Problems that were left to projection.
    pub(super) projected: u64,
}

impl ItpCounters {
    /// Whether nothing was interpolated.
    pub(crate) fn is_zero(&self) -> bool {
        self.interpolants == 0
    }

    /// The counters under their names.
    pub(crate) fn report(&self) -> Statistics {
        let mut statistics = Statistics::default();
        for (name, count) in [
            ("interpolants", self.interpolants),
            ("one-sided", self.one_sided),
            ("steps", self.steps),
            ("lemmas", self.lemmas),
            ("divisibility-leaves", self.divisions),
            ("decompositions.tried", self.decompositions),
            ("decompositions.nontrivial", self.nontrivial),
            ("decompositions.elements", self.elements),
            ("size.raw", self.raw_size),
            ("size", self.size),
            ("conjuncts.tried", self.prunings),
            ("conjuncts.dropped", self.pruned),
            ("mixed", self.mixed),
            ("solved-again", self.solved_again),
            ("projected", self.projected),
        ] {
            statistics.add(name, count);
        }
        statistics
    }
}
