//! The partial assignment: the true literals, with their levels and reasons.
//!
//! The trail lists the true literals in the order in which they became true, cut into decision levels. The
//! level of a literal is never below that of the literals that imply it, since a decision is made only after
//! propagation is complete. Literals of level 0 are facts; why they hold is kept elsewhere (a unit clause with
//! its scope, see `Fact`), so their reason here is [`Reason::None`].

use super::arena::ClauseRef;
use shem_base::{Lit, Var};

/// Why a literal is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// It was decided or assumed, or it is a fact.
    None,
    /// The theory propagated it and has not been asked why.
    Theory,
    /// It is implied by a clause or an explanation.
    Implied(Antecedent),
}

/// A clause that takes part in a derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Antecedent {
    /// A clause of the problem or a learnt one.
    Clause(ClauseRef),
    /// A lemma of the theory, in the arena of explanations.
    Lemma(ClauseRef),
}

/// Where on the trail a variable got its value, and why.
#[derive(Clone, Copy, Debug)]
struct TrailPosition {
    level: u32,
    /// The index in the trail.
    index: u32,
    reason: Reason,
}

/// The value of a literal: true.
pub(super) const TRUE: i8 = 1;
/// The value of a literal: false.
pub(super) const FALSE: i8 = -1;
/// The value of a literal: none yet.
pub(super) const OPEN: i8 = 0;

/// The current partial assignment.
#[derive(Default)]
pub(super) struct Trail {
    /// By literal.
    values: Vec<i8>,
    /// By variable; meaningful if the variable has a value.
    positions: Vec<TrailPosition>,
    lits: Vec<Lit>,
    /// The length of the trail before each decision.
    limits: Vec<u32>,
}

impl Trail {
    /// Adds the next variable, without a value.
    pub fn add_var(&mut self) {
        self.values.extend([OPEN, OPEN]);
        self.positions.push(TrailPosition { level: 0, index: 0, reason: Reason::None });
    }

    /// Removes the variables from `count` on, which have no value.
    pub fn truncate_vars(&mut self, count: usize) {
        self.values.truncate(2 * count);
        self.positions.truncate(count);
    }

    /// The number of variables.
    #[cfg(test)]
    pub fn vars(&self) -> usize {
        self.positions.len()
    }

    /// The value of a literal: `TRUE`, `FALSE` or `OPEN`.
    #[inline]
    pub fn value(&self, lit: Lit) -> i8 {
        self.values[lit.index()]
    }

    /// Whether the variable has no value.
    #[inline]
    pub fn is_open(&self, var: Var) -> bool {
        self.values[var.positive().index()] == OPEN
    }

    /// The level at which the variable got its value.
    #[inline]
    pub fn level_of(&self, var: Var) -> u32 {
        self.positions[var.index()].level
    }

    /// The index of the variable's literal in the trail.
    #[inline]
    pub fn position(&self, var: Var) -> u32 {
        self.positions[var.index()].index
    }

    /// Why the variable has its value.
    #[inline]
    pub fn reason(&self, var: Var) -> Reason {
        self.positions[var.index()].reason
    }

    /// Replaces the reason of a variable by a more definite one.
    #[inline]
    pub fn set_reason(&mut self, var: Var, reason: Reason) {
        self.positions[var.index()].reason = reason;
    }

    /// The current decision level.
    #[inline]
    pub fn level(&self) -> u32 {
        self.limits.len() as u32
    }

    /// The number of true literals.
    #[inline]
    pub fn len(&self) -> usize {
        self.lits.len()
    }

    /// The true literal at this position.
    #[inline]
    pub fn lit(&self, position: usize) -> Lit {
        self.lits[position]
    }

    /// All true literals in their order.
    #[inline]
    pub fn lits(&self) -> &[Lit] {
        &self.lits
    }

    /// The number of true literals below the given level.
    #[inline]
    pub fn len_below(&self, level: u32) -> usize {
        if level == 0 {
            0
        } else if level <= self.level() {
            self.limits[level as usize - 1] as usize
        } else {
            self.lits.len()
        }
    }

    /// Opens a decision level.
    #[inline]
    pub fn open_level(&mut self) {
        self.limits.push(self.lits.len() as u32);
    }

    /// Makes an open literal true at the current level.
    #[inline]
    pub fn assign(&mut self, lit: Lit, reason: Reason) {
        debug_assert!(self.is_open(lit.var()));
        self.values[lit.index()] = TRUE;
        self.values[(!lit).index()] = FALSE;
        self.positions[lit.var().index()] =
            TrailPosition { level: self.limits.len() as u32, index: self.lits.len() as u32, reason };
        self.lits.push(lit);
    }

    /// Takes back the last true literal of the current level.
    #[inline]
    pub fn unassign_last(&mut self) -> Lit {
        let lit = self.lits.pop().expect("the trail is not empty");
        self.values[lit.index()] = OPEN;
        self.values[(!lit).index()] = OPEN;
        lit
    }

    /// Closes all levels above `level`, whose literals have been taken back.
    #[inline]
    pub fn close_levels(&mut self, level: u32) {
        self.limits.truncate(level as usize);
        debug_assert!(self.limits.last().is_none_or(|&limit| limit as usize <= self.lits.len()));
    }

    /// At level 0, takes back the facts from position `start` on for which `survives` is false and closes
    /// the gaps. `survives` is asked once for each, in order.
    pub fn filter_facts(&mut self, start: usize, mut survives: impl FnMut(Lit) -> bool) {
        debug_assert_eq!(self.level(), 0);
        let mut kept = start;
        for index in start..self.lits.len() {
            let lit = self.lits[index];
            if survives(lit) {
                self.lits[kept] = lit;
                self.positions[lit.var().index()].index = kept as u32;
                kept += 1;
            } else {
                self.values[lit.index()] = OPEN;
                self.values[(!lit).index()] = OPEN;
            }
        }
        self.lits.truncate(kept);
    }

    /// Panics unless values, positions and levels agree with the trail.
    #[cfg(test)]
    pub fn check_invariants(&self) {
        let assigned = self.values.iter().filter(|&&value| value == TRUE).count();
        assert_eq!(assigned, self.lits.len());
        let mut level = 0;
        for (position, &lit) in self.lits.iter().enumerate() {
            while level < self.limits.len() && self.limits[level] as usize <= position {
                level += 1;
            }
            assert_eq!(self.value(lit), TRUE);
            assert_eq!(self.value(!lit), FALSE);
            assert_eq!(self.position(lit.var()) as usize, position);
            assert_eq!(self.level_of(lit.var()) as usize, level);
        }
    }
}
