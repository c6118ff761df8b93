//! Clauses that solvers of the same formulas share.
//!
//! A learnt clause follows from the clauses of its solver alone: assumptions are decisions, and what depends on one has
//! its negation among the literals. So a solver that has the same formulas, and works on another part of the search
//! space, may use it as it is (Hyvärinen, Junttila and Niemelä, 2011). Variables have to mean the same on both sides.
//! Solvers that were given the same formulas in the same order number them alike; those that the search adds, for case
//! splits and for equations between theories, are younger, and clauses with one of them are not sent.
//!
//! A clause that is received counts as an assertion of its own in derivations. The identities of clauses that were sent are
//! kept, so that somebody who has all records can find what a received clause was derived from.

use std::hash::Hasher;

use super::arena::ClauseHead;
use super::core::{Fact, Sat};
use super::propositional::Propositional;
use super::trail::{Antecedent, FALSE, OPEN};
use crate::theory::Theory;
use rustc_hash::FxHasher;
use shem_base::{Lit, add_work};
use shem_proof::{ClauseId, Origin, ProofSink};

/// The way of clauses to other solvers and from them.
pub trait ClausePort: Send {
    /// Whether a learnt clause with so many literals and this glue is to be sent.
    fn wants(&self, size: usize, glue: u32) -> bool;

    /// Sends a clause. The n-th clause that a solver sends is its n-th one for good.
    fn send(&mut self, lits: &[Lit]);

    /// The next clause that others have sent, with the number of the assertion that it counts as.
    fn receive(&mut self, lits: &mut Vec<Lit>) -> Option<u32>;
}

/// What a solver has to do with others.
pub(super) struct Sharing {
    port: Box<dyn ClausePort>,
    /// The variables below this index mean the same to all.
    common: usize,
    /// The clauses that were sent.
    pub sent: Vec<ClauseId>,
    received: u64,
}

impl<T: Theory, P: ProofSink> Sat<T, P> {
    /// Shares clauses from now on, over the variables that there are. Returns a fingerprint of variables, facts and
    /// clauses, which is the same for all that may share.
    pub fn share_clauses(&mut self, port: Box<dyn ClausePort>) -> u64 {
        let common = self.vars.len();
        self.sharing = Some(Box::new(Sharing { port, common, sent: Vec::new(), received: 0 }));
        let mut hasher = FxHasher::default();
        for state in &self.vars {
            hasher.write_u8(u8::from(state.is_theory));
        }
        for &fact in &self.trail.lits()[..self.trail.len_below(1)] {
            hasher.write_u32(fact.code());
        }
        for &clause in &self.inputs {
            self.clauses.codes(clause).iter().for_each(|&code| hasher.write_u32(code));
            hasher.write_u32(u32::MAX);
        }
        hasher.finish()
    }

    /// The identities of the clauses that were sent, and the number of those that were received.
    pub fn shared_clauses(&self) -> (&[ClauseId], u64) {
        self.sharing.as_ref().map_or((&[], 0), |sharing| (&sharing.sent, sharing.received))
    }

    /// Sends a learnt clause to others if they may use it.
    #[inline]
    pub(super) fn send_learnt(&mut self, lits: &[Lit], glue: u32, id: ClauseId) {
        if let Some(sharing) = &mut self.sharing
            && sharing.port.wants(lits.len(), glue)
            && lits.iter().all(|lit| lit.var().index() < sharing.common)
        {
            sharing.port.send(lits);
            sharing.sent.push(id);
        }
    }

    /// Adds what others have sent. There may be a contradiction afterwards.
    pub(super) fn receive_clauses(&mut self) {
        let Some(mut sharing) = self.sharing.take() else { return };
        let mut clause = std::mem::take(&mut self.buffer);
        while self.contradiction.is_none() {
            clause.clear();
            let Some(number) = sharing.port.receive(&mut clause) else { break };
            sharing.received += 1;
            add_work(10 + clause.len());
            // Clauses of eliminated variables are not watched, those of dormant ones need not be.
            let has_all =
                |lit: &Lit| self.vars[lit.var().index()].uses > 0 && !self.elimination.is_gone(lit.var());
            if clause.iter().all(has_all) {
                self.add_received(&mut clause, number);
            }
        }
        self.buffer = clause;
        self.sharing = Some(sharing);
    }

    fn add_received(&mut self, clause: &mut Vec<Lit>, number: u32) {
        clause.sort_unstable();
        clause.dedup();
        if self.is_redundant(clause) {
            return;
        }
        let id = self.proof.input(clause, Origin::Assertion(number));
        let Fact { id, scope } = self.drop_refuted(clause, Fact { id, scope: self.depth() });
        match clause[..] {
            [] => self.contradiction = Some(Fact { id, scope }),
            [lit] => {
                self.backtrack(0);
                self.assign_fact(lit, Fact { id, scope });
            }
            _ => {
                self.prepare_watches(clause);
                let glue = clause.len() as u32 - 1;
                let added = self.clauses.add(clause, ClauseHead { id, scope, learnt: true, glue });
                self.clauses.set_used(added, Propositional::rounds_of_use(glue));
                self.learnts.push(added);
                self.attach(added, true);
                self.bump_clause(added);
                if self.trail.value(clause[0]) == OPEN && self.trail.value(clause[1]) == FALSE {
                    self.imply(clause[0], Antecedent::Clause(added));
                }
            }
        }
    }
}
