//! Scopes without activation literals.
//!
//! Every variable, clause and fact has a scope: the depth below which it is not valid any more. A variable
//! and an input clause belong to the depth at which they were made, a theory lemma to the maximum of its
//! variables, a derived clause or fact to the maximum of its antecedents. Closing a scope removes what
//! belongs to it and nothing else: clauses learnt inside from older ones alone stay, with all that is known
//! of the older variables. (MathSAT removes variables in this way; most solvers add an activation literal to
//! every clause instead, which makes learnt clauses longer and stays behind when the scope is closed.)
//!
//! Closing costs no more than what happened since the scope was opened. Variables, clauses and facts of the
//! scope lie at the ends of their arrays, mixed only with the few survivors; the watches of its clauses lie
//! at the ends of their lists (see `watch`).
//!
//! A fact that survives may have been propagated while others that go now were true: a clause may have kept
//! a false watch because of a true literal that is open again. Facts that were propagated before the scope
//! was opened cannot have met any of its facts, so the propagation of facts goes back to that point and no
//! further. Opening a scope propagates what is there, so that this point is as late as can be.

use super::arena::ClauseRef;
use super::core::Sat;
use crate::theory::Theory;
use shem_base::Var;
use shem_proof::{ClauseId, ProofSink};

/// The state when a scope was opened: lengths of arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    pub vars: usize,
    /// How many facts had been propagated.
    pub head: usize,
    pub inputs: usize,
    pub learnts: usize,
    pub words: usize,
    /// How many variables were skipped for good.
    pub skipped: usize,
}

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// Opens a scope.
    pub fn push(&mut self) {
        self.backtrack(0);
        self.propagate_facts();
        self.remove_satisfied();
        self.scopes.push(Scope {
            vars: self.vars.len(),
            head: self.head,
            inputs: self.inputs.len(),
            learnts: self.learnts.len(),
            words: self.clauses.len(),
            skipped: self.skipped[0].len(),
        });
        self.theory.push();
        self.proof.push();
    }

    /// Closes the innermost scope: its variables and clauses are removed.
    ///
    /// # Panics
    /// If no scope is open.
    pub fn pop(&mut self) {
        let scope = self.scopes.pop().expect("a scope is open");
        let depth = self.depth();
        self.backtrack(0);
        self.explanations.truncate(0);
        self.failure.core.clear();
        self.failure.refutation = None;
        let mut kept = std::mem::take(&mut self.analysis.chain);
        kept.clear();
        self.retract(scope.head);
        self.remove_facts(&scope, depth, &mut kept);
        self.remove_clauses(&scope, depth);
        self.remove_vars(&scope);
        self.contradiction = self.contradiction.filter(|empty| empty.scope <= depth);
        self.close_derivations(&scope, &mut kept);
        self.analysis.chain = kept;
        self.theory.pop(Var::new(scope.vars as u32));
    }

    /// Takes back the facts that do not outlive the scope.
    fn remove_facts(&mut self, scope: &Scope, depth: u32, kept: &mut Vec<ClauseId>) {
        let (vars, heap) = (&self.vars, &mut self.heap);
        self.trail.filter_facts(scope.head, |lit| {
            let state = &vars[lit.var().index()];
            if state.fact.scope <= depth {
                kept.push(state.fact.id);
                return true;
            }
            if state.uses > 0 {
                heap.insert(lit.var());
            }
            false
        });
        self.head = self.head.min(scope.head);
        for var in self.skipped[0].drain(scope.skipped..) {
            if self.vars[var.index()].uses > 0 {
                self.heap.insert(var);
            }
        }
    }

    /// Removes the clauses that do not outlive the scope and closes the gaps between the others.
    fn remove_clauses(&mut self, scope: &Scope, depth: u32) {
        for index in scope.vars..self.vars.len() {
            let var = Var::new(index as u32);
            self.watches.clear(var.positive());
            self.watches.clear(var.negative());
        }
        for index in scope.inputs..self.inputs.len() {
            self.discount_occurrences(self.inputs[index]);
            self.remove_clause(self.inputs[index], scope.vars);
        }
        self.inputs.truncate(scope.inputs);
        // Survivors move down to the mark in two steps: in between, watches get the new addresses that the
        // headers at the old addresses hold.
        let mut survivors = scope.learnts;
        let mut moves = std::mem::take(&mut self.moves);
        let mut end = scope.words;
        for index in scope.learnts..self.learnts.len() {
            let clause = self.learnts[index];
            if self.clauses.scope(clause) > depth {
                self.remove_clause(clause, scope.vars);
                continue;
            }
            let target = ClauseRef(end as u32);
            end += self.clauses.word_count(clause);
            self.learnts[survivors] = target;
            survivors += 1;
            if target != clause {
                moves.push((clause, self.clauses.set_target(clause, target)));
                self.watches.add_stale(self.clauses.lit(clause, 0));
                self.watches.add_stale(self.clauses.lit(clause, 1));
            }
        }
        self.statistics.promoted_clauses += (survivors - scope.learnts) as u64;
        self.learnts.truncate(survivors);
        self.watches.refresh(&self.clauses);
        for (clause, activity) in moves.drain(..) {
            self.clauses.move_clause(clause, activity);
        }
        self.moves = moves;
        self.clauses.truncate(end);
    }

    /// Marks a clause as removed and its watches of surviving variables as stale.
    fn remove_clause(&mut self, clause: ClauseRef, vars: usize) {
        self.clauses.mark_removed(clause);
        for index in 0..2 {
            let lit = self.clauses.lit(clause, index);
            if lit.var().index() < vars {
                self.watches.add_stale(lit);
            }
        }
    }

    fn remove_vars(&mut self, scope: &Scope) {
        for _ in scope.vars..self.vars.len() {
            self.heap.remove_last_var();
        }
        self.vars.truncate(scope.vars);
        self.awake.retain(|var| var.index() < scope.vars);
        self.splits.clear();
        self.later.retain(|var| var.index() < scope.vars);
        self.trail.truncate_vars(scope.vars);
        self.analysis.truncate_vars(scope.vars);
    }

    /// Tells the record of derivations which clauses made inside the scope are still in use. `kept` holds
    /// the identities of the facts already.
    fn close_derivations(&mut self, scope: &Scope, kept: &mut Vec<ClauseId>) {
        let facts = kept.len();
        for &clause in &self.learnts[scope.learnts..] {
            kept.push(self.clauses.id(clause));
        }
        kept.extend(self.contradiction.map(|empty| empty.id));
        self.proof.pop(kept);
        let mut ids = kept.iter();
        for (lit, &id) in self.trail.lits()[scope.head..].iter().zip(ids.by_ref().take(facts)) {
            self.vars[lit.var().index()].fact.id = id;
        }
        for (&clause, &id) in self.learnts[scope.learnts..].iter().zip(ids.by_ref()) {
            self.clauses.set_id(clause, id);
        }
        if let Some(empty) = &mut self.contradiction {
            empty.id = kept[kept.len() - 1];
        }
    }
}
