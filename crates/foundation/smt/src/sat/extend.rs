//! Variables and lemmas that the theory adds in the middle of a search.
//!
//! A theory that cannot say yet whether its literals have a model may name what has to be decided first: new
//! atoms, lemmas that tie them to old ones, and a literal to decide (Barrett, Nieuwenhuis, Oliveras and Tinelli,
//! 2006: splitting on demand). The lemmas are attached where the trail is, by the same rules as a clause that
//! is added between two solves; the trail is taken back only if a lemma is unit or false.
//!
//! Differently from learnt clauses, these lemmas are never forgotten before their scope is closed, so that the
//! theory needs to say each of them once. Their variables are dormant by themselves: they are in use until the next
//! solve begins, so that what one query has added does not burden the others. A theory that needs them again has to
//! name them again.

use super::core::Sat;
use super::trail::OPEN;
use crate::theory::{Additions, Theory};
use shem_base::{Lit, Var};
use shem_proof::{Origin, ProofSink};

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// Adds what the theory asks for.
    pub(super) fn extend(&mut self, additions: &Additions) {
        self.statistics.theory_vars += u64::from(additions.vars);
        self.statistics.theory_lemmas += additions.lemmas.len() as u64;
        self.statistics.theory_splits += additions.splits.len() as u64;
        if let Some(definitions) = &additions.definitions {
            for _ in 0..definitions.vars() {
                self.new_var();
            }
            for clause in definitions.clauses() {
                self.add_clause(clause, Origin::Definition);
            }
        }
        for _ in 0..additions.vars {
            self.new_split_var();
        }
        let in_lemmas = additions.lemmas.iter().flat_map(|lemma| lemma.lits.iter().map(|lit| lit.var()));
        let splits = additions.splits.iter().map(|lit| lit.var());
        for var in in_lemmas.chain(additions.awake.iter().copied()).chain(splits) {
            self.wake(var);
        }
        for lemma in &additions.lemmas {
            self.add_lemma(lemma);
        }
        self.splits.clear();
        self.splits.extend(additions.splits.iter().rev());
        // The theory may imply some of the new atoms.
        self.link.unchecked = true;
    }

    /// Brings a dormant variable into use until the next solve begins.
    fn wake(&mut self, var: Var) {
        if self.vars[var.index()].uses == 0 {
            self.retain(var);
            self.awake.push(var);
        }
    }

    /// The variables that additions brought into use are dormant again.
    pub(super) fn end_extensions(&mut self) {
        self.splits.clear();
        while let Some(var) = self.awake.pop() {
            self.release(var);
        }
    }

    /// The next of the literals that the theory wants to be decided and that are open.
    pub(super) fn take_split(&mut self) -> Option<Lit> {
        while let Some(lit) = self.splits.pop() {
            if self.trail.value(lit) == OPEN {
                return Some(lit);
            }
        }
        None
    }
}
