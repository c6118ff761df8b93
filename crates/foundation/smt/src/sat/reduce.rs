//! Removal of learnt clauses of little use, of clauses that a fact satisfies, and of derivations that no clause
//! depends on.
//!
//! When learnt clauses become too many, half of those with more than two literals and a glue above two go,
//! the least active first (MiniSat's rule with Glucose's exception). Clauses satisfied by a fact that lives
//! at least as long as they do are removed when there are enough new facts. Both compact the arena in one
//! pass that keeps the order of the clauses, so that the marks of open scopes can be carried over.

use super::arena::{ClauseArena, ClauseRef};
use super::core::Sat;
use super::search::SMALL_LEARNTS;
use super::trail::{Antecedent, Reason, TRUE};
use crate::theory::Theory;
use shem_proof::ProofSink;

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// Removes what is not needed any more, before a search.
    pub(super) fn clean_up(&mut self) {
        if self.proof.is_bloated() {
            self.collect_derivations();
        }
        if self.trail.level() > 0 {
            return;
        }
        self.explanations.truncate(0);
        self.remove_satisfied();
    }

    /// Removes the clauses that facts satisfy, if many are likely.
    pub(super) fn remove_satisfied(&mut self) {
        if self.scopes.is_empty() {
            let fresh = self.trail.len().saturating_sub(self.limits.simplified);
            if self.limits.stale || fresh > self.limits.many_facts && fresh * 5 > self.vars.len() {
                self.simplify();
            }
        }
    }

    /// Removes half of the learnt clauses that may be removed.
    pub(super) fn reduce(&mut self) {
        self.statistics.reductions += 1;
        let mut candidates: Vec<ClauseRef> = Vec::with_capacity(self.learnts.len());
        for &clause in &self.learnts {
            if self.clauses.size(clause) > 2 && self.clauses.glue(clause) > 2 && !self.is_locked(clause) {
                candidates.push(clause);
            }
        }
        candidates.sort_by(|&left, &right| {
            let (left_activity, right_activity) = (self.clauses.activity(left), self.clauses.activity(right));
            left_activity.total_cmp(&right_activity).then(left.cmp(&right))
        });
        let removed = candidates.len() / 2;
        for &clause in &candidates[..removed] {
            self.clauses.mark_removed(clause);
        }
        self.statistics.forgotten_clauses += removed as u64;
        let kept = self.learnts.len() - removed;
        if self.learnts.len() > self.limits.learnts {
            self.limits.learnts = self.limits.learnts.max(kept) + self.limits.learnts_step;
        }
        // Many clauses may never be removed: the next reduction waits until there are enough others.
        self.limits.learnts_floor = kept + kept / 4 + SMALL_LEARNTS;
        self.compact();
    }

    /// Whether the clause is the reason of a literal. (For clauses of more than two literals the implied
    /// one is the first.)
    pub(super) fn is_locked(&self, clause: ClauseRef) -> bool {
        let first = self.clauses.lit(clause, 0);
        self.trail.value(first) == TRUE
            && self.trail.reason(first.var()) == Reason::Implied(Antecedent::Clause(clause))
    }

    /// At level 0, removes the clauses that are satisfied by a fact which outlives them.
    fn simplify(&mut self) {
        debug_assert_eq!(self.trail.level(), 0);
        self.limits.simplified = self.trail.len();
        self.limits.stale = false;
        for index in 0..self.inputs.len() + self.learnts.len() {
            let (clause, learnt) = match self.inputs.get(index) {
                Some(&clause) => (clause, false),
                None => (self.learnts[index - self.inputs.len()], true),
            };
            let scope = self.clauses.scope(clause);
            let satisfied = self
                .clauses
                .lits(clause)
                .any(|lit| self.trail.value(lit) == TRUE && self.vars[lit.var().index()].fact.scope <= scope);
            if satisfied {
                if !learnt {
                    self.discount_occurrences(clause);
                }
                self.clauses.mark_removed(clause);
            }
        }
        self.compact();
    }

    /// Takes all clauses that are marked as removed out of the arena, the lists and the watches.
    pub(super) fn compact(&mut self) {
        let mut compacted = ClauseArena::default();
        let old = &mut self.clauses;
        let mut marks = self.scopes.iter_mut().peekable();
        let (mut inputs, mut learnts) = (0, 0);
        let (mut kept_inputs, mut kept_learnts) = (0, 0);
        // The two lists are merged: clauses are visited in the order of the arena.
        loop {
            let next = match (self.inputs.get(inputs), self.learnts.get(learnts)) {
                (Some(&input), Some(&learnt)) => Some(input.min(learnt)),
                (Some(&input), None) => Some(input),
                (None, Some(&learnt)) => Some(learnt),
                (None, None) => None,
            };
            while let Some(scope) =
                marks.next_if(|scope| next.is_none_or(|clause| clause.0 as usize >= scope.words))
            {
                scope.words = compacted.len();
                scope.inputs = kept_inputs;
                scope.learnts = kept_learnts;
            }
            let Some(clause) = next else { break };
            let is_learnt = old.is_learnt(clause);
            *if is_learnt { &mut learnts } else { &mut inputs } += 1;
            if old.is_removed(clause) {
                continue;
            }
            let target = compacted.copy(old, clause);
            old.set_target(clause, target);
            if is_learnt {
                self.learnts[kept_learnts] = target;
                kept_learnts += 1;
            } else {
                self.inputs[kept_inputs] = target;
                kept_inputs += 1;
            }
        }
        self.inputs.truncate(kept_inputs);
        self.learnts.truncate(kept_learnts);
        self.watches.rewrite(|clause| old.target(clause).filter(|_| !old.is_detached(clause)));
        for position in self.trail.len_below(1)..self.trail.len() {
            let var = self.trail.lit(position).var();
            if let Reason::Implied(Antecedent::Clause(clause)) = self.trail.reason(var) {
                let target = old.target(clause).expect("reasons are not removed");
                self.trail.set_reason(var, Reason::Implied(Antecedent::Clause(target)));
            }
        }
        self.clauses = compacted;
    }

    /// Removes from the record of derivations what no clause in use was derived from.
    pub(super) fn collect_derivations(&mut self) {
        self.backtrack(0);
        self.explanations.truncate(0);
        let mut kept = std::mem::take(&mut self.analysis.chain);
        kept.clear();
        for &clause in self.inputs.iter().chain(&self.learnts) {
            kept.push(self.clauses.id(clause));
        }
        kept.extend(self.trail.lits().iter().map(|lit| self.vars[lit.var().index()].fact.id));
        if let Some(sharing) = &self.sharing {
            kept.extend_from_slice(&sharing.sent);
        }
        self.proof.collect(&mut kept);
        let mut ids = kept.iter();
        for (&clause, &id) in self.inputs.iter().chain(&self.learnts).zip(ids.by_ref()) {
            self.clauses.set_id(clause, id);
        }
        for (lit, &id) in self.trail.lits().iter().zip(ids.by_ref()) {
            self.vars[lit.var().index()].fact.id = id;
        }
        if let Some(sharing) = &mut self.sharing {
            sharing.sent.iter_mut().zip(ids).for_each(|(sent, &id)| *sent = id);
        }
        self.analysis.chain = kept;
    }
}
