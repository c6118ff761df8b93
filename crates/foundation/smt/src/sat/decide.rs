//! Decisions: which variable next, with which value, and which variables need none.
//!
//! In the model that an answer stands for, open variables that are no theory atoms have a *default* value:
//! true if they occur only positively in the input clauses, otherwise false; open atoms have the value that
//! the theory's model gives them. So a clause *stands* if it has a true literal or a default literal, the
//! one of an open variable that its default makes true. If all input clauses stand, there is nothing left to
//! decide (learnt clauses follow from the input clauses and the theory). With gates defined in the manner of
//! Plaisted and Greenbaum, the definition of a gate stands until the gate is needed, so the search goes down
//! only into those parts of a formula that matter, and the theory gets fewer bounds.
//!
//! After propagation, an input clause that does not stand is watched at two open literals. So an open variable
//! all of whose watching input clauses stand need not be decided. It is *skipped* at a level: the highest level
//! of the true literals that were found in its clauses, and goes back to the heap when that level is taken
//! back. If a clause stands by a default literal alone, that literal is made one of its watches: when it
//! becomes false, propagation visits the clause, moves the watch and puts the variable that is watched instead
//! back into the heap. Thus variables whose clauses all stand by facts or default literals are skipped only
//! once, and clauses whose guards are not assumed leave the watch lists of the variables that matter.
//!
//! *Heap invariant.* An input clause that does not stand and has no open dormant literal is watched at a
//! variable that is in the heap, whenever propagation is complete. For a clause is visited when a watch
//! becomes false, and the new watch is put into the heap unless the clause stands by one of its watches.
//! (The default value of a variable changes when it begins to occur negatively; then it is put into the heap
//! itself. When it ceases to, no clause is left that the old value made stand.)
//!
//! To decide only what is needed makes refutations longer at times: atoms in parts that are not needed can
//! split the problem better. Hence variables that took part in a recent conflict are decided unless their
//! clauses have true literals or guards, whatever the default literals. On the unrollings of transition
//! systems over the reals (9 scripts of 21 queries), in comparison with a search that lets only true literals
//! count, decisions fell from 4.1 to 0.3 million, conflicts from 42,000 to 17,000, and the time by a factor of
//! 2.5; without the exception for recent variables one script took four times as long as before.

use super::arena::ClauseRef;
use super::core::Sat;
use super::trail::{OPEN, TRUE};
use super::watch::Watch;
use crate::theory::Theory;
use shem_base::{Lit, Var};
use shem_proof::ProofSink;

/// With a seed, one decision of so many is that of any variable.
const RANDOM_DECISIONS: u64 = 128;
/// With a seed, the first value of so many variables in a hundred is the other one.
const OTHER_PHASES: u64 = 10;

/// Why a clause stands.
enum Support {
    /// It has a true literal, of this level.
    True(u32),
    /// It has a default literal, which it watches.
    Default,
    /// It has a default literal, to which the watch has moved.
    Moved,
    /// It does not stand.
    None,
}

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// The next literal to decide, or `None` if all input clauses stand.
    pub(super) fn choose(&mut self) -> Option<Lit> {
        if self.propositional.is_focused()
            && let Some(var) = self.next_in_queue()
        {
            return Some(self.decision(var));
        }
        while let Some(var) = self.pop_heap() {
            let state = self.vars[var.index()];
            if state.uses == 0 || !self.trail.is_open(var) || self.elimination.is_gone(var) {
                continue;
            }
            if !state.is_wanted && !self.leaves_dormant && !self.needs_decision(var) {
                continue;
            }
            if self.waits(var) {
                continue;
            }
            return Some(self.decision(var));
        }
        self.choose_late()
    }

    /// Takes the next variable from the heap.
    #[inline]
    fn pop_heap(&mut self) -> Option<Var> {
        if let Some(rng) = &mut self.rng
            && rng.below(RANDOM_DECISIONS) == 0
        {
            return self.heap.pop_any(rng);
        }
        self.heap.pop()
    }

    /// The literal to decide of a variable.
    pub(super) fn decision(&mut self, var: Var) -> Lit {
        self.set_active(var, true);
        let state = &self.vars[var.index()];
        let value = match self.propositional.phase(var).or(state.phase) {
            Some(value) => value,
            None => {
                let usual = state.is_theory && self.theory.suggest_phase(var).unwrap_or(false);
                usual != self.rng.as_mut().is_some_and(|rng| rng.chance(OTHER_PHASES))
            }
        };
        var.lit(value)
    }

    /// Whether some clause needs a value of the variable; if not, it is skipped.
    pub(super) fn needs_decision(&mut self, var: Var) -> bool {
        let state = &self.vars[var.index()];
        if !state.is_theory && state.occurrences.contains(&0) {
            // Its default value satisfies all its clauses.
            return false;
        }
        if self.propositional.active {
            return true;
        }
        let only_guards = self.heap.is_recent(var);
        let Some(level) = self.standing_level(var, only_guards) else { return true };
        self.statistics.skips += 1;
        self.skip(var, level);
        false
    }

    /// If all input clauses that watch the variable stand: the highest level among the true literals that
    /// show it. If `only_guards`, the default literals of variables that may be decided do not count.
    fn standing_level(&mut self, var: Var, only_guards: bool) -> Option<u32> {
        let mut highest = 0;
        for lit in [var.positive(), var.negative()] {
            if self.is_support(lit, only_guards) {
                continue;
            }
            // No watch moves to this list meanwhile, since its literal is no support.
            let mut list = std::mem::take(self.watches.list_mut(lit));
            let mut kept = 0;
            let mut next = 0;
            let mut standing = true;
            while next < list.len() {
                let watch = &mut list[next];
                if !watch.is_learnt() {
                    match self.support(lit, watch, only_guards) {
                        Support::True(level) => highest = highest.max(level),
                        Support::Default => {}
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

    /// Why the clause of a watch of the open literal `lit` stands. A true literal becomes the blocker.
    fn support(&mut self, lit: Lit, watch: &mut Watch, only_guards: bool) -> Support {
        if self.trail.value(watch.blocker) == TRUE {
            return Support::True(self.trail.level_of(watch.blocker.var()));
        }
        if watch.is_binary() {
            let stands = self.is_support(watch.blocker, only_guards);
            return if stands { Support::Default } else { Support::None };
        }
        let mut default = None;
        for (index, &code) in self.clauses.codes(watch.clause()).iter().enumerate() {
            let other = Lit::from_code(code);
            if self.trail.value(other) == TRUE {
                *watch = watch.with_blocker(other);
                return Support::True(self.trail.level_of(other.var()));
            }
            if default.is_none() && self.is_support(other, only_guards) {
                default = Some(index);
            }
        }
        let Some(index) = default else { return Support::None };
        if index < 2 {
            return Support::Default;
        }
        let codes = self.clauses.codes_mut(watch.clause());
        let watched = usize::from(codes[1] == lit.code());
        codes.swap(watched, index);
        let (default, other) = (Lit::from_code(codes[watched]), Lit::from_code(codes[1 - watched]));
        self.watches.push(default, watch.with_blocker(other));
        Support::Moved
    }

    /// Whether the literal is a default literal; if `only_guards`, of a dormant variable or one whose
    /// negation occurs in no input clause.
    #[inline]
    fn is_support(&self, lit: Lit, only_guards: bool) -> bool {
        let state = &self.vars[lit.var().index()];
        self.is_default(lit)
            && (!only_guards || state.uses == 0 || state.occurrences[usize::from(lit.is_positive())] == 0)
    }

    /// Whether the literal is true by default: its variable is open and no theory atom.
    #[inline]
    pub(super) fn is_default(&self, lit: Lit) -> bool {
        let state = &self.vars[lit.var().index()];
        self.trail.value(lit) == OPEN && !state.is_theory && state.default() == lit.is_positive()
    }

    /// Counts the literals of an input clause that is added.
    pub(super) fn count_occurrences(&mut self, clause: &[Lit]) {
        for &lit in clause {
            let state = &mut self.vars[lit.var().index()];
            let before = state.default();
            state.occurrences[usize::from(!lit.is_positive())] += 1;
            if before && !state.default() && state.uses > 0 {
                self.heap.insert(lit.var());
            }
        }
    }

    /// Counts the literals of an input clause that is removed.
    pub(super) fn discount_occurrences(&mut self, clause: ClauseRef) {
        for lit in self.clauses.lits(clause) {
            self.vars[lit.var().index()].occurrences[usize::from(!lit.is_positive())] -= 1;
        }
    }

    fn skip(&mut self, var: Var, level: u32) {
        let level = level as usize;
        if level == 0 {
            // Its clauses stand by facts and default literals: its value does not matter.
            self.set_active(var, false);
        }
        if level == 0 && self.scopes.is_empty() {
            // Facts of depth 0 are never taken back.
            return;
        }
        if self.skipped.len() <= level {
            self.skipped.resize_with(level + 1, Vec::new);
        }
        self.skipped[level].push(var);
    }

    /// Puts the variable of a new watch of an input clause back into the heap, unless the clause stands by its
    /// watches.
    pub(super) fn requeue_watched(&mut self, lit: Lit, other: Lit) {
        let may_be_decided = self.trail.value(lit) == OPEN && self.vars[lit.var().index()].uses > 0;
        if may_be_decided && !self.is_default(lit) && !self.is_default(other) {
            self.heap.insert(lit.var());
            self.set_active(lit.var(), true);
        }
    }
}
