//! Final analysis: which assumptions a contradiction needs.
//!
//! When the assumptions cannot all hold, the false clause (or the reason of the assumption that is false) is
//! resolved with the reasons of all its literals, latest first, until only assumptions are left. What
//! remains is a clause over negated assumptions: the core and its derivation.

use super::analyze::Mark;
use super::core::{Fact, Sat};
use super::trail::Antecedent;
use crate::theory::Theory;
use shem_base::Lit;
use shem_proof::{ClauseId, ProofSink};

/// Why the last solve was unsatisfiable.
#[derive(Default)]
pub(super) struct Failure {
    /// Assumptions that cannot hold together.
    pub core: Vec<Lit>,
    /// The clause of their negations, unless it is a tautology.
    pub refutation: Option<ClauseId>,
}

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// After "unsat": assumptions that cannot hold together; none if the clauses are contradictory by
    /// themselves.
    pub fn core(&self) -> &[Lit] {
        &self.failure.core
    }

    /// After "unsat" and until the next change: the clause of the negations of [`Sat::core`]. `None` if
    /// the core is a literal and its negation, both assumed.
    pub fn refutation(&self) -> Option<ClauseId> {
        self.failure.refutation
    }

    /// The clauses are contradictory.
    pub(super) fn fail_without_assumptions(&mut self, empty: Fact) {
        self.contradiction = Some(empty);
        self.failure.core.clear();
        self.failure.refutation = Some(empty.id);
    }

    /// A clause is false although nothing but assumptions has been decided.
    pub(super) fn fail_by_conflict(&mut self, conflict: Antecedent) {
        self.failure.core.clear();
        self.analysis.start();
        self.use_antecedent(conflict);
        self.resolve_to_assumptions();
    }

    /// An assumption is false already.
    pub(super) fn fail_by_assumption(&mut self, assumption: Lit) {
        let var = assumption.var();
        self.failure.core.clear();
        self.failure.core.push(assumption);
        if self.trail.level_of(var) == 0 {
            self.failure.refutation = Some(self.vars[var.index()].fact.id);
            return;
        }
        self.analysis.start();
        match self.antecedent(!assumption) {
            None => {
                self.failure.core.push(!assumption);
                self.failure.refutation = None;
            }
            Some(antecedent) => {
                self.use_antecedent(antecedent);
                // The literal itself stays in the clause.
                self.analysis.set_mark(var, Mark::Needed);
                self.resolve_to_assumptions();
            }
        }
    }

    /// Adds an antecedent to the derivation and marks its literals.
    fn use_antecedent(&mut self, antecedent: Antecedent) {
        let (arena, clause) = match antecedent {
            Antecedent::Clause(clause) => (&self.clauses, clause),
            Antecedent::Lemma(clause) => (&self.explanations, clause),
        };
        self.analysis.add_antecedent(arena.id(clause), arena.scope(clause));
        for lit in arena.lits(clause) {
            if self.trail.level_of(lit.var()) == 0 {
                self.analysis.need_fact(lit.var());
            } else if self.analysis.mark(lit.var()) == Mark::None {
                self.analysis.set_mark(lit.var(), Mark::Seen);
            }
        }
    }

    /// Resolves away all marked literals but assumptions and derives the clause.
    fn resolve_to_assumptions(&mut self) {
        let first_core = self.failure.core.len();
        for position in (self.trail.len_below(1)..self.trail.len()).rev() {
            let lit = self.trail.lit(position);
            if self.analysis.mark(lit.var()) == Mark::Seen {
                match self.antecedent(lit) {
                    Some(antecedent) => self.use_antecedent(antecedent),
                    None => self.failure.core.push(lit),
                }
            }
        }
        self.failure.core[first_core..].reverse();
        self.failure.refutation = Some(self.finish_derivation());
    }
}
