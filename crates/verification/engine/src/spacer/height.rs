//! Lemmas in a solver, by height.
//!
//! A query at a height uses the lemmas of that height and of all greater ones. There is a group of formulas for
//! each height, and a query names the groups from its height on. A lemma that is pushed is asserted once more, in
//! the group of its new height. The old copy is obsolete but still costs propagation, so a group that is half
//! obsolete is dropped and built again from its lemmas: an amortised constant cost for each lemma pushed.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_smt::{Group, Solver};
use shem_term::{Store, Term};

use super::summary::INFINITE_HEIGHT;

/// Up to this number of obsolete formulas a group is not built again.
const MIN_OBSOLETE: usize = 4;

/// What the group of a height holds.
#[derive(Debug, Default)]
struct Height {
    formulas: Vec<Term>,
    /// How many of them were pushed to a greater height or removed.
    obsolete: usize,
}

/// The groups of a solver.
#[derive(Debug, Default)]
pub(super) struct Heights {
    /// The groups, the one of the greatest height first, so that queries of different heights begin alike.
    groups: Vec<Group>,
    /// By height.
    heights: Vec<Height>,
    /// The height of each formula.
    height_of: HashMap<Term, usize, FxBuildHasher>,
}

impl Heights {
    /// The groups of a height and all above.
    pub(super) fn groups_from(&self, height: usize) -> &[Group] {
        &self.groups[..self.groups.len().saturating_sub(height)]
    }

    /// Adds a formula, or raises its height. The solver has no open scope.
    pub(super) fn add(&mut self, store: &mut Store, solver: &mut Solver, formula: Term, height: usize) {
        let old = self.height_of.get(&formula).copied();
        if old.is_some_and(|old| old >= height) {
            return;
        }
        self.height_of.insert(formula, height);
        if height == INFINITE_HEIGHT {
            solver.assert(store, formula);
        } else {
            while self.groups.len() <= height {
                self.groups.insert(0, solver.new_group());
                self.heights.push(Height::default());
            }
            solver.assert_in_group(store, self.group(height), formula);
            self.heights[height].formulas.push(formula);
        }
        if let Some(old) = old {
            self.mark_obsolete(store, solver, old);
        }
    }

    /// Drops a formula that is implied by others. One that holds at all heights stays.
    pub(super) fn remove(&mut self, store: &mut Store, solver: &mut Solver, formula: Term) {
        if let Some(&height) = self.height_of.get(&formula)
            && height != INFINITE_HEIGHT
        {
            self.height_of.remove(&formula);
            self.mark_obsolete(store, solver, height);
        }
    }

    fn group(&self, height: usize) -> Group {
        self.groups[self.groups.len() - 1 - height]
    }

    /// Records that a formula of this height is obsolete; builds the group again if too many are.
    fn mark_obsolete(&mut self, store: &mut Store, solver: &mut Solver, height: usize) {
        let state = &mut self.heights[height];
        state.obsolete += 1;
        if state.obsolete <= MIN_OBSOLETE || 2 * state.obsolete < state.formulas.len() {
            return;
        }
        state.obsolete = 0;
        state.formulas.retain(|formula| self.height_of.get(formula) == Some(&height));
        let group = solver.new_group();
        for &formula in &state.formulas {
            solver.assert_in_group(store, group, formula);
        }
        let at = self.groups.len() - 1 - height;
        solver.drop_group(std::mem::replace(&mut self.groups[at], group));
    }
}
