//! The invariants of the core, checked in tests.

use super::arena::ClauseRef;
use super::core::Sat;
use super::trail::{Antecedent, FALSE, OPEN, Reason, TRUE};
use crate::theory::Theory;
use shem_base::{Lit, Var};
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
            assert!(!self.clauses.is_dead(clause));
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
        let words: usize = self.all_clauses().map(|clause| self.clauses.footprint(clause)).sum();
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
                assert!((0..2).any(|place| self.clauses.lit(clause, place) == lit));
                assert!(self.clauses.lits(clause).any(|other| other == watch.blocker && other != lit));
                assert_eq!(watch.is_learnt(), self.clauses.is_learnt(clause));
                assert_eq!(watch.is_binary(), self.clauses.size(clause) == 2);
            }
        }
        assert_eq!(count, 2 * (self.inputs.len() + self.learnts.len()));
    }

    /// An open variable with uses is in the heap or skipped at a level that stands; at level 0 of depth 0
    /// skipped variables are not listed, but then their clauses must be satisfied.
    fn check_heap(&self) {
        for index in 0..self.vars.len() {
            let var = Var::new(index as u32);
            if self.vars[index].uses == 0 || !self.trail.is_open(var) || self.heap.contains(var) {
                continue;
            }
            let level = self.trail.level() as usize;
            let listed = self.skipped.iter().take(level + 1).any(|list| list.contains(&var));
            assert!(listed || self.is_satisfied_by_facts(var), "{var:?} is lost");
        }
        let level = self.trail.level() as usize;
        assert!(self.skipped.iter().skip(level + 1).all(|list| list.is_empty()));
    }

    fn is_satisfied_by_facts(&self, var: Var) -> bool {
        [var.positive(), var.negative()].iter().all(|&lit| {
            self.watches.list(lit).iter().all(|watch| {
                watch.is_learnt()
                    || self.clauses.lits(watch.clause()).any(|other| {
                        self.trail.value(other) == TRUE && self.trail.level_of(other.var()) == 0
                    })
            })
        })
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

    /// The watch invariant, with propagation at rest.
    fn check_rest(&self) {
        for clause in self.all_clauses() {
            let satisfied = self
                .clauses
                .lits(clause)
                .filter(|&lit| self.trail.value(lit) == TRUE)
                .map(|lit| self.trail.level_of(lit.var()))
                .min();
            for place in 0..2 {
                let lit = self.clauses.lit(clause, place);
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
