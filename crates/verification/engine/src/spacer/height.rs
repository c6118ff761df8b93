//! Lemmas in a solver, by height.
//!
//! A query of some height wants the lemmas of that height and of all above. There is a group of formulas for each
//! height, and a query names the groups from its height on. When a lemma rises it is asserted once more, in the
//! group of its new height. What it leaves behind below says nothing new but is watched and propagated like
//! everything else, so a group that holds more such remains than lemmas is dropped and made again from its lemmas.
//! The cost of that is shared by the lemmas that have risen.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_smt::{Group, Solver};
use shem_term::{Store, Term};

use super::summary::FOREVER;

/// So many remains are left alone in every group.
const FEW: usize = 4;

/// What the group of a height holds.
#[derive(Debug, Default)]
struct Height {
    formulas: Vec<Term>,
    /// How many of them have risen or were dropped.
    remains: usize,
}

/// The groups of a solver.
#[derive(Debug, Default)]
pub(super) struct Heights {
    /// The groups, the one of the greatest height first, so that queries of different heights begin alike.
    groups: Vec<Group>,
    /// By height.
    heights: Vec<Height>,
    /// The height of each formula.
    places: HashMap<Term, usize, FxBuildHasher>,
}

impl Heights {
    /// The groups of a height and all above.
    pub(super) fn from(&self, height: usize) -> &[Group] {
        &self.groups[..self.groups.len().saturating_sub(height)]
    }

    /// Adds a formula, or raises its height. The solver has no open scope.
    pub(super) fn add(&mut self, store: &mut Store, solver: &mut Solver, formula: Term, height: usize) {
        let old = self.places.get(&formula).copied();
        if old.is_some_and(|old| old >= height) {
            return;
        }
        self.places.insert(formula, height);
        if height == FOREVER {
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
            self.leave(store, solver, old);
        }
    }

    /// Drops a formula that is implied by others. One that holds at all heights stays.
    pub(super) fn drop(&mut self, store: &mut Store, solver: &mut Solver, formula: Term) {
        if let Some(&height) = self.places.get(&formula)
            && height != FOREVER
        {
            self.places.remove(&formula);
            self.leave(store, solver, height);
        }
    }

    fn group(&self, height: usize) -> Group {
        self.groups[self.groups.len() - 1 - height]
    }

    /// Takes note that a formula of this height is of no use any more.
    fn leave(&mut self, store: &mut Store, solver: &mut Solver, height: usize) {
        let state = &mut self.heights[height];
        state.remains += 1;
        if state.remains <= FEW || 2 * state.remains < state.formulas.len() {
            return;
        }
        state.remains = 0;
        state.formulas.retain(|formula| self.places.get(formula) == Some(&height));
        let group = solver.new_group();
        for &formula in &state.formulas {
            solver.assert_in_group(store, group, formula);
        }
        let at = self.groups.len() - 1 - height;
        solver.drop_group(std::mem::replace(&mut self.groups[at], group));
    }
}
