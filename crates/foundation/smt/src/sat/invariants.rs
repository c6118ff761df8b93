//! The invariants of the core, checked in tests.

use super::arena::ClauseRef;
use super::core::Sat;
use super::trail::{Antecedent, FALSE, OPEN, Reason, TRUE};
use crate::theory::Theory;
use shem_base::Lit;
use shem_proof::ProofSink;

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// Panics if an invariant is broken.
    pub(super) fn check_invariants(&self) {
        assert!(self.analysis.is_idle());
        self.heap.check_invariants();
        self.trail.check_invariants();
        assert_eq!(self.trail.vars(), self.vars.len());
        self.check_clauses();
        self.check_watches();
        self.check_heap();
        self.check_reasons();
        if self.contradiction.is_none() && self.head == self.trail.len() {
            self.check_rest();
        }
    }

    fn all_clauses(&self) -> impl Iterator<Item = ClauseRef> + '_ {
        self.inputs.iter().chain(&self.learnts).copied()
    }

    /// Scopes cover those of the variables; lists are ordered and respect the marks.
    fn check_clauses(&self) {
        for clause in self.all_clauses() {
            assert!(!self.clauses.is_removed(clause));
            assert!(self.clauses.target(clause).is_none());
            assert!(self.clauses.scope(clause) <= self.depth());
            for lit in self.clauses.lits(clause) {
                assert!(self.vars[lit.var().index()].scope <= self.clauses.scope(clause));
            }
        }
        assert!(self.inputs.is_sorted());
        assert!(self.learnts.is_sorted());
        for (index, scope) in self.scopes.iter().enumerate() {
            let depth = index as u32 + 1;
            for (list, mark) in [(&self.inputs, scope.inputs), (&self.learnts, scope.learnts)] {
                assert!(list[..mark].iter().all(|clause| (clause.0 as usize) < scope.words));
                assert!(list[mark..].iter().all(|clause| clause.0 as usize >= scope.words));
                assert!(list[..mark].iter().all(|&clause| self.clauses.scope(clause) < depth));
            }
        }
        let words: usize = self.all_clauses().map(|clause| self.clauses.word_count(clause)).sum();
        assert_eq!(words, self.clauses.len());
    }

    /// Every clause is watched exactly at its first two literals.
    fn check_watches(&self) {
        let mut count = 0;
        for index in 0..2 * self.vars.len() {
            let lit = Lit::from_code(index as u32);
            for watch in self.watches.list(lit) {
                count += 1;
                let clause = watch.clause();
                assert!((0..2).any(|watch| self.clauses.lit(clause, watch) == lit));
                assert!(self.clauses.lits(clause).any(|other| other == watch.blocker && other != lit));
                assert_eq!(watch.is_learnt(), self.clauses.is_learnt(clause));
                assert_eq!(watch.is_binary(), self.clauses.size(clause) == 2);
            }
        }
        assert_eq!(count, 2 * (self.inputs.len() + self.learnts.len()));
    }

    /// An input clause that does not stand and has no open dormant literal is watched at a variable in the
    /// heap or in `later`. Levels that do not stand have no skipped variables.
    fn check_heap(&self) {
        let level = self.trail.level() as usize;
        assert!(self.skipped.iter().skip(level + 1).all(|list| list.is_empty()));
        assert!(self.later.iter().all(|var| self.vars[var.index()].is_later));
        if self.contradiction.is_some() || self.head < self.trail.len() {
            return;
        }
        for &clause in &self.inputs {
            let stands =
                self.clauses.lits(clause).any(|lit| self.trail.value(lit) == TRUE || self.is_default(lit));
            let is_dormant =
                |lit: Lit| self.trail.value(lit) == OPEN && self.vars[lit.var().index()].uses == 0;
            if stands || self.clauses.lits(clause).any(is_dormant) {
                continue;
            }
            let queued = (0..2).any(|watch| {
                let var = self.clauses.lit(clause, watch).var();
                self.heap.contains(var) || self.vars[var.index()].is_later
            });
            assert!(queued, "no watched variable of a clause is in the heap or waits");
        }
    }

    /// Reasons contain their literal and otherwise only earlier, false ones.
    fn check_reasons(&self) {
        for (position, &lit) in self.trail.lits().iter().enumerate() {
            let Reason::Implied(antecedent) = self.trail.reason(lit.var()) else { continue };
            let (arena, clause) = match antecedent {
                Antecedent::Clause(clause) => (&self.clauses, clause),
                Antecedent::Lemma(clause) => (&self.explanations, clause),
            };
            assert!(arena.lits(clause).any(|other| other == lit));
            for other in arena.lits(clause).filter(|&other| other != lit) {
                assert_eq!(self.trail.value(other), FALSE);
                assert!((self.trail.position(other.var()) as usize) < position);
            }
        }
    }

    /// The watch invariant, with propagation complete.
    fn check_rest(&self) {
        for clause in self.all_clauses() {
            let satisfied = self
                .clauses
                .lits(clause)
                .filter(|&lit| self.trail.value(lit) == TRUE)
                .map(|lit| self.trail.level_of(lit.var()))
                .min();
            for watch in 0..2 {
                let lit = self.clauses.lit(clause, watch);
                match satisfied {
                    None => assert_eq!(self.trail.value(lit), OPEN, "{lit:?} of an open clause"),
                    Some(level) => assert!(
                        self.trail.value(lit) != FALSE || level <= self.trail.level_of(lit.var()),
                        "{lit:?} is false before its clause is true"
                    ),
                }
            }
        }
    }
}
