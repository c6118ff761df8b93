//! Adding clauses, at any time.
//!
//! A clause may come while assumptions and decisions of the last solve are still on the trail. It is
//! attached where it is if two of its literals are not false; otherwise the trail is taken back just as far
//! as needed for the clause to be watched soundly: to the level at which it becomes unit, or to below the
//! level at which it becomes false.
//!
//! *Watch invariant.* Once propagation is complete, a watched literal that is false has a true literal in its
//! clause whose level is not higher. So backtracking never uncovers an unnoticed unit clause, and every
//! clause that is not satisfied has two open watches.

use super::arena::{ClauseHead, ClauseRef};
use super::core::{Fact, Sat};
use super::trail::{Antecedent, FALSE, OPEN, Reason, TRUE};
use super::watch::Watch;
use crate::theory::Theory;
use shem_base::Lit;
use shem_proof::{Lemma, Origin, ProofSink};

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// Adds a clause to the current scope.
    pub fn add_clause(&mut self, lits: &[Lit], origin: Origin) {
        if self.contradiction.is_some() {
            // The clause would be removed no later than the contradiction.
            return;
        }
        let mut clause = std::mem::take(&mut self.buffer);
        clause.clear();
        clause.extend_from_slice(lits);
        clause.sort_unstable();
        clause.dedup();
        if !self.is_redundant(&clause) {
            let id = self.proof.input(&clause, origin);
            self.add_normal_clause(&mut clause, Fact { id, scope: self.depth() });
        }
        self.buffer = clause;
    }

    /// Adds a lemma of the theory as a clause that goes with the current scope. What is derived from it belongs to
    /// the scope of its variables.
    pub(super) fn add_lemma(&mut self, lemma: &Lemma) {
        if self.contradiction.is_some() {
            return;
        }
        let mut clause = std::mem::take(&mut self.buffer);
        clause.clear();
        clause.extend_from_slice(&lemma.lits);
        clause.sort_unstable();
        clause.dedup();
        if !self.is_redundant(&clause) {
            let id = self.proof.lemma(lemma);
            let scope = self.scope_of_lemma(lemma);
            self.add_normal_clause(&mut clause, Fact { id, scope });
        }
        self.buffer = clause;
    }

    /// The scope of a lemma of the theory: the greatest of its variables, and that of its certificate.
    pub(super) fn scope_of_lemma(&self, lemma: &Lemma) -> u32 {
        let scopes = lemma.lits.iter().map(|lit| self.vars[lit.var().index()].scope);
        scopes.max().unwrap_or(0).max(self.theory.lemma_scope(lemma))
    }

    /// Whether the sorted clause is a tautology or satisfied by a fact, which lives as long as the clause
    /// since the clause belongs to the innermost scope.
    pub(super) fn is_redundant(&self, clause: &[Lit]) -> bool {
        clause.windows(2).any(|pair| pair[0] == !pair[1])
            || clause.iter().any(|&lit| self.trail.value(lit) == TRUE && self.trail.level_of(lit.var()) == 0)
    }

    /// Adds a sorted clause, which has this identity and scope, without the literals that facts refute.
    fn add_normal_clause(&mut self, clause: &mut Vec<Lit>, fact: Fact) {
        let Fact { id, scope } = self.drop_refuted(clause, fact);
        match clause[..] {
            [] => self.contradiction = Some(Fact { id, scope }),
            [lit] => {
                self.backtrack(0);
                self.assign_fact(lit, Fact { id, scope });
            }
            _ => {
                self.prepare_watches(clause);
                self.count_occurrences(clause);
                let head = ClauseHead { id, scope, learnt: false, glue: 0 };
                let clause_ref = self.clauses.add(clause, head);
                self.inputs.push(clause_ref);
                self.attach(clause_ref, false);
                if self.trail.value(clause[0]) == OPEN && self.trail.value(clause[1]) == FALSE {
                    self.imply(clause[0], Antecedent::Clause(clause_ref));
                }
            }
        }
    }

    /// Takes the literals that facts refute out of a clause, which has this identity and scope, and derives the rest.
    pub(super) fn drop_refuted(&mut self, clause: &mut Vec<Lit>, Fact { mut id, mut scope }: Fact) -> Fact {
        let chain = &mut self.analysis.chain;
        chain.clear();
        chain.push(id);
        let (trail, vars) = (&self.trail, &self.vars);
        clause.retain(|&lit| {
            let refuted = trail.value(lit) == FALSE && trail.level_of(lit.var()) == 0;
            if refuted {
                let fact = vars[lit.var().index()].fact;
                chain.push(fact.id);
                scope = scope.max(fact.scope);
            }
            !refuted
        });
        if chain.len() > 1 {
            id = self.proof.derive(chain);
        }
        Fact { id, scope }
    }

    /// Backtracks until the clause, which has no literal of level 0, can be watched at its first two
    /// literals, and permutes it accordingly. Afterwards either neither of them is false, or the first is
    /// true at no higher level than the second, or the first is open and all others are false at no higher
    /// level than the current one, which is the level of the second.
    pub(super) fn prepare_watches(&mut self, clause: &mut [Lit]) {
        loop {
            // The best literals to watch come first: a default literal, those that are not false, then by falling
            // level.
            for position in 0..2 {
                for other in position + 1..clause.len() {
                    if self.watch_rank(clause[other]) > self.watch_rank(clause[position]) {
                        clause.swap(position, other);
                    }
                }
            }
            if self.trail.value(clause[1]) != FALSE {
                return;
            }
            let second = self.trail.level_of(clause[1].var());
            let first = self.trail.level_of(clause[0].var());
            match self.trail.value(clause[0]) {
                TRUE if first <= second => return,
                FALSE => self.backtrack(first - 1),
                OPEN if second == self.trail.level() => return,
                _ => self.backtrack(second),
            }
        }
    }

    /// How good a literal is as a watch: the greater the better.
    fn watch_rank(&self, lit: Lit) -> u32 {
        match self.trail.value(lit) {
            FALSE => self.trail.level_of(lit.var()),
            _ if self.is_default(lit) => u32::MAX,
            _ => u32::MAX - 1,
        }
    }

    /// Watches the first two literals of a clause.
    pub(super) fn attach(&mut self, clause: ClauseRef, learnt: bool) {
        let (first, second) = (self.clauses.lit(clause, 0), self.clauses.lit(clause, 1));
        let binary = self.clauses.size(clause) == 2;
        self.watches.push(first, Watch::new(clause, second, binary, learnt));
        self.watches.push(second, Watch::new(clause, first, binary, learnt));
        if !learnt {
            self.requeue_watched(first, second);
            self.requeue_watched(second, first);
        }
    }

    /// Makes a literal true at level 0 by a unit clause.
    pub(super) fn assign_fact(&mut self, lit: Lit, fact: Fact) {
        debug_assert_eq!(self.trail.level(), 0);
        self.vars[lit.var().index()].fact = fact;
        self.trail.assign(lit, Reason::None);
    }

    /// Makes a literal true that is implied by a clause or lemma whose other literals are false.
    #[inline]
    pub(super) fn imply(&mut self, lit: Lit, antecedent: Antecedent) {
        if self.trail.level() == 0 {
            self.imply_fact(lit, antecedent);
        } else {
            self.trail.assign(lit, Reason::Implied(antecedent));
        }
    }

    /// Derives the unit clause at once: at level 0 reasons are not kept.
    fn imply_fact(&mut self, lit: Lit, antecedent: Antecedent) {
        let fact = self.resolve_with_facts(antecedent, Some(lit));
        self.assign_fact(lit, fact);
    }

    /// Resolves a clause with the facts that refute its literals, all but `kept_lit`.
    pub(super) fn resolve_with_facts(&mut self, antecedent: Antecedent, kept_lit: Option<Lit>) -> Fact {
        let (arena, clause) = match antecedent {
            Antecedent::Clause(clause) => (&self.clauses, clause),
            Antecedent::Lemma(clause) => (&self.explanations, clause),
        };
        let analysis = &mut self.analysis;
        analysis.start();
        analysis.add_antecedent(arena.id(clause), arena.scope(clause));
        for other in arena.lits(clause) {
            if Some(other) != kept_lit {
                debug_assert_eq!(self.trail.value(other), FALSE);
                debug_assert_eq!(self.trail.level_of(other.var()), 0);
                analysis.need_fact(other.var());
            }
        }
        let id = self.finish_derivation();
        Fact { id, scope: self.analysis.scope }
    }
}
