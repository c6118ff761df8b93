//! Partial interpolants of the steps of a proof, for all cuts at once.
//!
//! Far from a cut, a step has leaves on one side only and its partial interpolant is a constant. So each step
//! has two sets of cuts, where it is true and where it is anything but a constant, and formulas for the latter
//! alone. A resolution joins the sets by a few operations on words, and formula by formula only at the cuts
//! that are left: the cost of many cuts is that of the places where something happens.

use super::cutset::CutSet;
use super::sketch::Formula;

/// The partial interpolant of a step.
#[derive(Clone, Copy, Debug)]
struct Partial<const W: usize> {
    /// The cuts at which it is true.
    holds: CutSet<W>,
    /// The cuts at which it is not a constant.
    varies: CutSet<W>,
    /// Where its formulas start.
    start: u32,
}

/// The partial interpolants of all steps so far.
#[derive(Debug)]
pub(super) struct Partials<const W: usize> {
    /// All cuts.
    cuts: CutSet<W>,
    steps: Vec<Partial<W>>,
    formulas: Vec<Formula>,
}

impl<const W: usize> Default for Partials<W> {
    fn default() -> Self {
        Partials { cuts: CutSet::EMPTY, steps: Vec::new(), formulas: Vec::new() }
    }
}

impl<const W: usize> Partials<W> {
    /// Starts again with these cuts.
    pub(super) fn start(&mut self, cuts: CutSet<W>) {
        self.cuts = cuts;
        self.steps.clear();
        self.formulas.clear();
    }

    /// All cuts.
    pub(super) fn cuts(&self) -> CutSet<W> {
        self.cuts
    }

    /// The number of steps so far.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The cuts at which a step's interpolant is true, and those at which it is false.
    #[inline]
    pub(super) fn constants(&self, step: usize) -> (CutSet<W>, CutSet<W>) {
        let Partial { holds, varies, .. } = self.steps[step];
        (holds, self.cuts & !(holds | varies))
    }

    /// The interpolant of a step at a cut.
    #[inline]
    pub(super) fn get(&self, step: usize, cut: usize) -> Formula {
        let Partial { holds, varies, start } = &self.steps[step];
        if varies.contains(cut) {
            self.formulas[*start as usize + varies.rank(cut)]
        } else if holds.contains(cut) {
            Formula::TRUE
        } else {
            Formula::FALSE
        }
    }

    /// Begins the next step, which is true at some cuts and varies at others; its formulas follow by
    /// [`Partials::push`], one for each of these cuts in their order.
    pub(super) fn begin(&mut self, holds: CutSet<W>, varies: CutSet<W>) {
        self.steps.push(Partial { holds, varies, start: self.formulas.len() as u32 });
    }

    /// The formula of the step just begun at the next cut where it varies.
    pub(super) fn push(&mut self, formula: Formula) {
        self.formulas.push(formula);
    }
}
