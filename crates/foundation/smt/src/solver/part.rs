//! Parts of a query: the assertions, the assumptions and a cube, as one of several solvers of the same query has them.
//!
//! The literals of a cube are those of a solver's variables. Solvers that were given the same formulas and the same
//! assumptions in the same order have the same ones ([`Solver::share_clauses`]), so a cube that one of them has chosen
//! ([`Solver::split_variable`]) is solved by any other.

use std::collections::BTreeSet;

use shem_base::{Budget, Lit, UnknownReason, Var};
use shem_proof::{ClauseId, Origin, ProofLog, ProofSink, Record};
use shem_term::{Store, Term};

use super::answer::Answer;
use super::facade::Solver;
use super::refutation::Refutation;
use crate::sat::ClausePort;

impl<P: ProofSink> Solver<P> {
    /// Makes all variables of the query with these assumptions, which are all that other solvers of it have in common
    /// with this one, and shares clauses over them from now on. The number of these variables, and a fingerprint of the
    /// clauses, which is the same for all solvers that may share.
    pub fn share_clauses(
        &mut self,
        store: &mut Store,
        assumptions: &[Term],
        port: Box<dyn ClausePort>,
        budget: &Budget,
    ) -> Result<(usize, u64), UnknownReason> {
        for &term in assumptions {
            self.compile_assumption(store, term);
        }
        self.core.make_words(budget)?;
        Ok((self.core.sat.num_vars(), self.core.sat.share_clauses(port)))
    }

    /// The formulas that are asserted, by number. Instances of templates are not among them.
    pub fn asserted_formulas(&self) -> Vec<Term> {
        self.ledger.formulas().collect()
    }

    /// Decides a part of the query.
    pub fn check_part(
        &mut self,
        store: &mut Store,
        assumptions: &[Term],
        cube: &[Lit],
        budget: &mut Budget,
    ) -> Answer<'_, P> {
        self.check_literals(store, (&[], assumptions, cube), budget)
    }

    /// A common variable to split a part of the query on, looked for with about so many units of work.
    pub fn split_variable(
        &mut self,
        store: &mut Store,
        (assumptions, cube): (&[Term], &[Lit]),
        common: usize,
        work: u64,
        budget: &mut Budget,
    ) -> Option<Var> {
        let mut lits: Vec<Lit> =
            assumptions.iter().map(|&term| self.compile_assumption(store, term)).collect();
        lits.extend_from_slice(cube);
        self.core.sat.look_ahead(&lits, common, work, budget)
    }

    /// How many clauses were sent to other solvers, and how many came from them.
    pub fn shared_clause_counts(&self) -> [u64; 2] {
        let (sent, received) = self.core.sat.shared_clauses();
        [sent.len() as u64, received]
    }
}

impl<P: ProofSink> Refutation<'_, P> {
    /// The literals of the cube that were needed.
    pub fn failed_cube(&self, cube: &[Lit]) -> Vec<Lit> {
        let failed = self.failed_literals();
        cube.iter().copied().filter(|lit| failed.contains(lit)).collect()
    }
}

impl Solver<ProofLog> {
    /// The numbers of the assertions that clauses with these identities were derived from, sorted.
    pub(super) fn assertions_behind(&self, clauses: Vec<ClauseId>) -> Vec<u32> {
        let log = self.core.sat.proof();
        let mut used = BTreeSet::new();
        let mut seen = hashbrown::HashSet::<_, rustc_hash::FxBuildHasher>::default();
        let mut stack = clauses;
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match log.record(id) {
                Some(Record::Input { origin: Origin::Assertion(number), .. }) => {
                    used.insert(number);
                }
                Some(Record::Derived { antecedents }) => stack.extend_from_slice(antecedents),
                _ => {}
            }
        }
        used.into_iter().collect()
    }

    /// The numbers of the assertions that clauses which were sent were derived from, sorted. The clauses are named by how
    /// many were sent before.
    pub fn assertions_behind_sent(&self, clauses: &[usize]) -> Vec<u32> {
        let (sent, _) = self.core.sat.shared_clauses();
        self.assertions_behind(clauses.iter().map(|&clause| sent[clause]).collect())
    }
}
