//! Generalisation: a cube that a frame excludes becomes one of few literals.
//!
//! Literals are dropped one by one, as long as no state of the frame before leads into the larger cube from outside of it
//! (Bradley, 2011). A state that does is a *counterexample to generalisation*; if no state of the frame before that one
//! leads to it, it is excluded, too, and the literal is tried again (Hassan, Bradley and Somenzi, 2013). If it cannot be
//! excluded, the cube is enlarged until the state is in it, or the literal stays.

use std::collections::BTreeSet;

use shem_base::{Lit, UnknownReason};

use super::search::{Before, Search};
use crate::bits::Cube;

impl Search<'_> {
    /// A larger cube than this one that the frame excludes by induction, as this one.
    pub(super) fn generalise(
        &mut self,
        cube: Cube,
        frame: usize,
        depth: usize,
    ) -> Result<Cube, UnknownReason> {
        let mut order = cube.clone();
        order.sort_by(|a, b| {
            let [x, y] = [a, b].map(|lit| self.activities[lit.var().index()]);
            x.total_cmp(&y).then(self.ties.rank(a.index()).cmp(&self.ties.rank(b.index())))
        });
        let mut cube = cube;
        let mut kept: BTreeSet<Lit> = BTreeSet::new();
        for lit in order {
            if cube.len() < 2 {
                break;
            }
            if cube.binary_search(&lit).is_err() {
                continue;
            }
            let candidate: Cube = cube.iter().copied().filter(|&other| other != lit).collect();
            match self.enlarge(candidate, frame, depth, &kept)? {
                Some(larger) => cube = larger,
                None => {
                    kept.insert(lit);
                }
            }
        }
        Ok(cube)
    }

    /// The cube or a larger one, if the frame excludes it by induction. Literals that are kept may not be dropped.
    fn enlarge(
        &mut self,
        mut cube: Cube,
        frame: usize,
        depth: usize,
        kept: &BTreeSet<Lit>,
    ) -> Result<Option<Cube>, UnknownReason> {
        let mut counterexamples = 0;
        loop {
            if self.initial.conflict(self.system, &cube, self.budget)?.is_none() {
                return Ok(None);
            }
            self.counters.generalisations += 1;
            if let Before::None(core) = self.before(&cube, frame, true)? {
                return Ok(Some(self.outside_initial(core, &cube)?));
            }
            if depth >= self.settings.ctg_depth {
                return Ok(None);
            }
            // The literals of the cube that the state before has; it is outside, so that some are missing.
            let shared: Cube = cube.iter().copied().filter(|&lit| self.is_true_before(lit, frame)).collect();
            if counterexamples < self.settings.ctgs && frame > 1 {
                let (before, _) = self.predecessor(&cube, frame);
                if self.exclude_counterexample(before, frame - 1, depth)? {
                    counterexamples += 1;
                    continue;
                }
            }
            counterexamples = 0;
            let is_dropped = |lit: &Lit| shared.binary_search(lit).is_err();
            if shared.is_empty() || kept.iter().any(is_dropped) {
                return Ok(None);
            }
            cube = shared;
        }
    }

    /// Tries to exclude a cube by induction in a frame and in later ones, without looking further back.
    fn exclude_counterexample(
        &mut self,
        cube: Cube,
        frame: usize,
        depth: usize,
    ) -> Result<bool, UnknownReason> {
        if self.initial.conflict(self.system, &cube, self.budget)?.is_none() {
            return Ok(false);
        }
        let Before::None(core) = self.before(&cube, frame, true)? else { return Ok(false) };
        let cube = self.outside_initial(core, &cube)?;
        let level = self.push_cube(&cube, frame)?;
        let cube = self.generalise(cube, level, depth + 1)?;
        self.counters.ctgs += 1;
        self.add_lemma(cube, level);
        Ok(true)
    }
}
