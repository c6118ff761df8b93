//! Decisions: which variable next, with which value, and which variables need none.
//!
//! At rest, an input clause that is not satisfied is watched at two open literals. So an open variable all of
//! whose watching input clauses are satisfied need not be decided: if that holds for all open variables, all
//! input clauses are satisfied and any completion of the assignment is a model (learnt clauses follow from
//! the input clauses and the theory). The fewer atoms are decided, the fewer bounds the theory has to bear.
//!
//! A variable that is passed over is *skipped* at a level: the highest level of the true literals that were
//! found to satisfy its clauses. It goes back to the heap when that level is taken back, or as soon as an
//! input clause that is not satisfied begins to watch it. Variables whose clauses are all satisfied by facts
//! are thus skipped once and for all.
//!
//! *Heap invariant.* An open variable with uses is in the heap or skipped at a level that stands.

use super::core::Sat;
use super::trail::{OPEN, TRUE};
use crate::theory::Theory;
use shem_base::{Lit, Var};
use shem_proof::ProofSink;

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// The next literal to decide, or `None` if all input clauses are satisfied.
    pub(super) fn choose(&mut self) -> Option<Lit> {
        while let Some(var) = self.heap.pop() {
            let state = self.vars[var.index()];
            if state.uses == 0 || !self.trail.is_open(var) {
                continue;
            }
            if let Some(level) = self.satisfaction_level(var) {
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

    /// If all input clauses that watch the variable are satisfied: the highest level among the true
    /// literals that show it.
    fn satisfaction_level(&mut self, var: Var) -> Option<u32> {
        let mut highest = 0;
        for lit in [var.positive(), var.negative()] {
            for watch in self.watches.list_mut(lit) {
                if watch.is_learnt() {
                    continue;
                }
                if self.trail.value(watch.blocker) != TRUE {
                    if watch.is_binary() {
                        return None;
                    }
                    let mut lits = self.clauses.lits(watch.clause());
                    let witness = lits.find(|&other| self.trail.value(other) == TRUE)?;
                    *watch = watch.with_blocker(witness);
                }
                highest = highest.max(self.trail.level_of(watch.blocker.var()));
            }
        }
        Some(highest)
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

    /// Puts the variable of a literal back into the heap if it may need a decision.
    pub(super) fn wake(&mut self, lit: Lit) {
        if self.trail.value(lit) == OPEN && self.vars[lit.var().index()].uses > 0 {
            self.heap.insert(lit.var());
        }
    }
}
