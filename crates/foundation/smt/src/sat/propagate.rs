//! Propagation: unit propagation to a fixpoint, then the theory, until neither adds a literal.
//!
//! Clauses are visited by the two-watched-literal scheme (Moskewicz et al., 2001) with blockers and inline
//! binary clauses. After that the theory is told of the theory literals that became true, asked whether they
//! are consistent, and asked for what they imply: once for all assumptions together. Its propagations are not
//! explained until analysis needs it, except at level 0, where every literal gets its unit clause at once.

use super::arena::ClauseHead;
use super::core::Sat;
use super::trail::{Antecedent, FALSE, OPEN, Reason, TRUE};
use super::watch::Watch;
use crate::theory::{Consistency, Theory};
use shem_base::{Budget, Lit, UnknownReason, add_work};
use shem_proof::ProofSink;

/// How propagation ended.
pub(super) enum PropagationResult {
    /// Nothing more follows.
    Fixpoint,
    /// All literals of this clause are false.
    Conflict(Antecedent),
    /// The theory gave up.
    Unknown(UnknownReason),
}

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// Propagates clauses and theory until nothing more follows.
    pub(super) fn propagate(&mut self, budget: &mut Budget) -> PropagationResult {
        loop {
            if let Some(conflict) = self.propagate_clauses() {
                return PropagationResult::Conflict(conflict);
            }
            if let Some(conflict) = self.tell_theory() {
                return PropagationResult::Conflict(conflict);
            }
            if !self.link.unchecked || self.is_between_assumptions() {
                return PropagationResult::Fixpoint;
            }
            self.statistics.theory_checks += 1;
            match self.theory.check(&mut self.lemma, budget) {
                Consistency::Consistent => {
                    self.link.unchecked = false;
                    if self.trail.level() == 0 {
                        // What was a fact when the first scope was opened stays for good, as do all facts without one.
                        let end = self.scopes.first().map_or(self.trail.len(), |scope| scope.head) as u32;
                        self.theory.settle(self.link.told.partition_point(|&position| position < end));
                    }
                }
                Consistency::Conflict => {
                    self.statistics.theory_conflicts += 1;
                    return PropagationResult::Conflict(self.record_lemma());
                }
                Consistency::Unknown(reason) => return PropagationResult::Unknown(reason),
            }
            if let Some(conflict) = self.ask_theory() {
                return PropagationResult::Conflict(conflict);
            }
        }
    }

    /// Whether only some of the assumptions have been made. The theory is checked when all have been, since a check
    /// in between mostly computes values that the next assumption changes again. At level 0 it is checked: what
    /// follows from facts stays.
    #[inline]
    fn is_between_assumptions(&self) -> bool {
        let level = self.trail.level() as usize;
        level > 0 && level < self.assumptions.len()
    }

    /// At level 0, propagates clauses only.
    pub(super) fn propagate_facts(&mut self) {
        if self.contradiction.is_none()
            && let Some(conflict) = self.propagate_clauses()
        {
            self.contradiction = Some(self.resolve_with_facts(conflict, None));
        }
    }

    /// Unit propagation over the clauses.
    fn propagate_clauses(&mut self) -> Option<Antecedent> {
        while self.head < self.trail.len() {
            let falsified = !self.trail.lit(self.head);
            // No watch moves to this list meanwhile, since its literal is false.
            let mut list = std::mem::take(self.watches.list_mut(falsified));
            add_work(list.len() + 1);
            let conflict = if self.leaves_dormant && self.trail.level() > 0 {
                self.visit::<true>(falsified, &mut list)
            } else {
                self.visit::<false>(falsified, &mut list)
            };
            *self.watches.list_mut(falsified) = list;
            if conflict.is_some() {
                return conflict;
            }
            self.head += 1;
            self.statistics.propagations += 1;
        }
        None
    }

    /// Visits the clauses that watch a literal that has become false; if `AWAKE`, only those without dormant variables
    /// are sure to be visited.
    #[inline]
    fn visit<const AWAKE: bool>(&mut self, falsified: Lit, list: &mut Vec<Watch>) -> Option<Antecedent> {
        let mut conflict = None;
        if AWAKE && self.vars[falsified.var().index()].uses == 0 {
            return None;
        }
        let mut kept = 0;
        let mut next = 0;
        'watches: while next < list.len() {
            let watch = list[next];
            next += 1;
            let blocker_value = self.trail.value(watch.blocker);
            if blocker_value == TRUE || AWAKE && self.vars[watch.blocker.var().index()].uses == 0 {
                list[kept] = watch;
                kept += 1;
                continue;
            }
            let clause = watch.clause();
            if watch.is_binary() {
                list[kept] = watch;
                kept += 1;
                if blocker_value == FALSE {
                    conflict = Some(Antecedent::Clause(clause));
                    break;
                }
                self.imply(watch.blocker, Antecedent::Clause(clause));
                continue;
            }
            let codes = self.clauses.codes_mut(clause);
            if codes[0] == falsified.code() {
                codes.swap(0, 1);
            }
            let first = Lit::from_code(codes[0]);
            let watch = watch.with_blocker(first);
            let first_value = self.trail.value(first);
            if first_value == TRUE {
                list[kept] = watch;
                kept += 1;
                continue;
            }
            for index in 2..codes.len() {
                let candidate = Lit::from_code(codes[index]);
                if self.trail.value(candidate) != FALSE {
                    codes.swap(1, index);
                    self.watches.push(candidate, watch);
                    if !watch.is_learnt() && !self.heap.contains(candidate.var()) {
                        self.requeue_watched(candidate, first);
                    }
                    continue 'watches;
                }
            }
            list[kept] = watch;
            kept += 1;
            if first_value == FALSE {
                conflict = Some(Antecedent::Clause(clause));
                break;
            }
            self.imply(first, Antecedent::Clause(clause));
        }
        if kept < next {
            let left = list.len() - next;
            list.copy_within(next.., kept);
            list.truncate(kept + left);
        }
        conflict
    }

    /// Tells the theory of the theory literals that became true.
    fn tell_theory(&mut self) -> Option<Antecedent> {
        while self.link.head < self.trail.len() {
            let position = self.link.head;
            let lit = self.trail.lit(position);
            if self.vars[lit.var().index()].is_theory {
                self.statistics.theory_literals += 1;
                if !self.theory.assert_lit(lit, &mut self.lemma) {
                    self.statistics.theory_conflicts += 1;
                    return Some(self.record_lemma());
                }
                self.link.told.push(position as u32);
                self.link.unchecked = true;
            }
            self.link.head += 1;
        }
        None
    }

    /// Assigns the literals that the theory propagates.
    fn ask_theory(&mut self) -> Option<Antecedent> {
        while let Some(lit) = self.theory.next_propagation() {
            match self.trail.value(lit) {
                TRUE => {}
                // A dormant atom matters to no clause that is switched on.
                OPEN if self.vars[lit.var().index()].uses == 0 => {}
                OPEN if self.trail.level() > 0 => {
                    self.statistics.theory_propagations += 1;
                    self.trail.assign(lit, Reason::Theory);
                }
                OPEN => {
                    self.statistics.theory_propagations += 1;
                    let antecedent = self.explain(lit);
                    self.imply(lit, antecedent);
                }
                _ => {
                    self.statistics.theory_conflicts += 1;
                    return Some(self.explain(lit));
                }
            }
        }
        None
    }

    /// Asks the theory why it propagated a literal.
    pub(super) fn explain(&mut self, lit: Lit) -> Antecedent {
        self.statistics.theory_explanations += 1;
        self.theory.explain(lit, &mut self.lemma);
        debug_assert!(self.lemma.lits.contains(&lit));
        self.record_lemma()
    }

    /// Makes the lemma in the buffer a clause of the derivation, until the explanations are dropped.
    pub(super) fn record_lemma(&mut self) -> Antecedent {
        let id = self.proof.lemma(&self.lemma);
        let head = ClauseHead { id, scope: self.scope_of_lemma(&self.lemma), learnt: true, glue: 0 };
        Antecedent::Lemma(self.explanations.add(&self.lemma.lits, head))
    }
}
