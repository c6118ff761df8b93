//! Decisions: which variable next, with which value, and which variables need none.
//!
//! A clause *stands* if it has a true literal or an open guard (whose literal will be true in the model). At
//! rest, an input clause that does not stand is watched at two open literals. So an open variable all of
//! whose watching input clauses stand need not be decided: if that holds for all open variables, all input
//! clauses stand and any completion of the assignment that makes the open guards false is a model (learnt
//! clauses follow from the input clauses and the theory). The fewer atoms are decided, the fewer bounds the
//! theory has to bear.
//!
//! A variable that is passed over is *skipped* at a level: the highest level of the true literals that were
//! found in its clauses. It goes back to the heap when that level is taken back. If a clause stands by a
//! guard alone, the guard is made one of its watches: when it is assumed, propagation visits the clause,
//! moves the watch and wakes the variable that is watched instead. Thus variables whose clauses all stand by
//! facts or open guards are skipped once and for all, and clauses that are switched off leave the watch lists
//! of the variables that matter.
//!
//! *Heap invariant.* An input clause that does not stand and has no dormant literals is watched at a variable
//! that is in the heap, whenever propagation is at rest. For a clause is visited when a watch becomes false,
//! and the new watch is put into the heap unless the other one is an open guard.

use super::core::Sat;
use super::trail::{OPEN, TRUE};
use super::watch::Watch;
use crate::theory::Theory;
use shem_base::{Lit, Var};
use shem_proof::ProofSink;

/// Why a clause stands.
enum Support {
    /// It has a true literal, of this level.
    True(u32),
    /// It has an open guard, which it watches.
    Guard,
    /// It has an open guard, to which the watch has moved.
    Moved,
    /// It does not stand.
    None,
}

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// The next literal to decide, or `None` if all input clauses stand.
    pub(super) fn choose(&mut self) -> Option<Lit> {
        while let Some(var) = self.heap.pop() {
            let state = self.vars[var.index()];
            if state.uses == 0 || !self.trail.is_open(var) {
                continue;
            }
            if let Some(level) = self.standing_level(var) {
                self.statistics.skips += 1;
                self.skip(var, level);
                continue;
            }
            let value = match state.phase {
                Some(value) => value,
                None if state.is_theory => self.theory.suggest_phase(var).unwrap_or(false),
                None => false,
            };
            return Some(var.lit(value));
        }
        None
    }

    /// If all input clauses that watch the variable stand: the highest level among the true literals that
    /// show it.
    fn standing_level(&mut self, var: Var) -> Option<u32> {
        let mut highest = 0;
        for lit in [var.positive(), var.negative()] {
            // No watch moves to this list meanwhile, since its variable is no guard.
            let mut list = std::mem::take(self.watches.list_mut(lit));
            let mut kept = 0;
            let mut next = 0;
            let mut standing = true;
            while next < list.len() {
                let watch = &mut list[next];
                if !watch.is_learnt() {
                    match self.support(lit, watch) {
                        Support::True(level) => highest = highest.max(level),
                        Support::Guard => {}
                        Support::Moved => {
                            next += 1;
                            continue;
                        }
                        Support::None => {
                            standing = false;
                            break;
                        }
                    }
                }
                list[kept] = list[next];
                kept += 1;
                next += 1;
            }
            if kept < next {
                let left = list.len() - next;
                list.copy_within(next.., kept);
                list.truncate(kept + left);
            }
            *self.watches.list_mut(lit) = list;
            if !standing {
                return None;
            }
        }
        Some(highest)
    }

    /// Why the clause of a watch of the open literal `lit` stands. The supporting literal becomes the
    /// blocker.
    fn support(&mut self, lit: Lit, watch: &mut Watch) -> Support {
        if self.trail.value(watch.blocker) == TRUE {
            return Support::True(self.trail.level_of(watch.blocker.var()));
        }
        if self.is_open_guard(watch.blocker) && watch.is_binary() {
            return Support::Guard;
        }
        if watch.is_binary() {
            return Support::None;
        }
        let mut guard = None;
        for (index, &code) in self.clauses.codes(watch.clause()).iter().enumerate() {
            let other = Lit::from_code(code);
            if self.trail.value(other) == TRUE {
                *watch = watch.with_blocker(other);
                return Support::True(self.trail.level_of(other.var()));
            }
            if guard.is_none() && self.is_open_guard(other) {
                guard = Some(index);
            }
        }
        let Some(index) = guard else { return Support::None };
        let codes = self.clauses.codes_mut(watch.clause());
        let place = usize::from(codes[1] == lit.code());
        let guard = Lit::from_code(codes[index]);
        if index < 2 {
            *watch = watch.with_blocker(guard);
            return Support::Guard;
        }
        codes.swap(place, index);
        let other = Lit::from_code(codes[1 - place]);
        self.watches.push(guard, watch.with_blocker(other));
        Support::Moved
    }

    /// Whether the literal is the negation of a guard without a value.
    #[inline]
    pub(super) fn is_open_guard(&self, lit: Lit) -> bool {
        !lit.is_positive() && self.vars[lit.var().index()].is_guard && self.trail.value(lit) == OPEN
    }

    fn skip(&mut self, var: Var, level: u32) {
        let level = level as usize;
        if level == 0 && self.scopes.is_empty() {
            // Facts of depth 0 are never taken back.
            return;
        }
        if self.skipped.len() <= level {
            self.skipped.resize_with(level + 1, Vec::new);
        }
        self.skipped[level].push(var);
    }

    /// Wakes the variable of a new watch, unless the clause stands by a guard that is its other watch.
    pub(super) fn wake_unless_guarded(&mut self, lit: Lit, other: Lit) {
        if !self.is_open_guard(other) {
            self.wake(lit);
        }
    }

    /// Puts the variable of a literal back into the heap if it may need a decision.
    pub(super) fn wake(&mut self, lit: Lit) {
        if self.trail.value(lit) == OPEN && self.vars[lit.var().index()].uses > 0 {
            self.heap.insert(lit.var());
        }
    }
}
