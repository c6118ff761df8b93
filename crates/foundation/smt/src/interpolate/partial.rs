//! Partial interpolants of the steps of a proof, for all cuts at once.
//!
//! Far from a cut, a step has leaves on one side only and its partial interpolant is a constant. So each step
//! has two sets of cuts, where it is true and where it is anything but a constant. A resolution joins the sets by
//! a few operations on words. When all sets are known, those cuts of each step are marked at which the result
//! needs its formula, from the last step to the first, and formulas are made only there: steps whose interpolant
//! is constant cost next to nothing.

use super::cutset::CutSet;
use super::lazy_formula::Formula;

/// The partial interpolant of a step.
#[derive(Clone, Copy, Debug)]
struct Partial<const W: usize> {
    /// The cuts at which it is true.
    holds: CutSet<W>,
    /// The cuts at which it is not a constant.
    varies: CutSet<W>,
    /// Those of them at which its formula is wanted.
    wanted: CutSet<W>,
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

    /// The cuts at which a step's interpolant is true, and those at which it is false.
    #[inline]
    pub(super) fn constants(&self, step: usize) -> (CutSet<W>, CutSet<W>) {
        let Partial { holds, varies, .. } = self.steps[step];
        (holds, self.cuts & !(holds | varies))
    }

    /// The interpolant of a step at a cut; its formula is wanted there, unless it is a constant.
    #[inline]
    pub(super) fn get(&self, step: usize, cut: usize) -> Formula {
        let Partial { holds, varies, wanted, start } = &self.steps[step];
        if varies.contains(cut) {
            debug_assert!(wanted.contains(cut));
            self.formulas[*start as usize + wanted.rank(cut)]
        } else if holds.contains(cut) {
            Formula::TRUE
        } else {
            Formula::FALSE
        }
    }

    /// Adds a step, which is true at some cuts and varies at others.
    pub(super) fn add(&mut self, holds: CutSet<W>, varies: CutSet<W>) {
        self.steps.push(Partial { holds, varies, wanted: CutSet::EMPTY, start: 0 });
    }

    /// Marks that a step's formulas are wanted at these cuts, as far as it varies there.
    #[inline]
    pub(super) fn want(&mut self, step: usize, cuts: CutSet<W>) {
        let partial = &mut self.steps[step];
        partial.wanted = partial.wanted | (cuts & partial.varies);
    }

    /// The cuts at which a step's formulas are wanted.
    pub(super) fn wanted(&self, step: usize) -> CutSet<W> {
        self.steps[step].wanted
    }

    /// Begins with the formulas of a step; they follow by [`Partials::push`], one for each cut where they are
    /// wanted in the order of cuts.
    pub(super) fn begin(&mut self, step: usize) {
        self.steps[step].start = self.formulas.len() as u32;
    }

    /// The formula of the step at hand at the next cut where it is wanted.
    pub(super) fn push(&mut self, formula: Formula) {
        self.formulas.push(formula);
    }
}
