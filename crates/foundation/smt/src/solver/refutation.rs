//! What can be read off an unsatisfiable check: cores, the derivation and, in `interpolate`, interpolants.

use shem_base::Lit;
use shem_proof::{ClauseId, Proof, ProofError, ProofLog, ProofSink};
use shem_term::Term;

use super::facade::Solver;

/// An unsatisfiable check. Whatever is asked of it is computed then; a partition and algorithms of
/// interpolation are chosen after the check.
pub struct Refutation<'s, P = ProofLog> {
    pub(crate) solver: &'s mut Solver<P>,
}

impl<'s, P> Refutation<'s, P> {
    #[inline]
    pub(super) fn new(solver: &'s mut Solver<P>) -> Self {
        Refutation { solver }
    }

    /// Gives the solver back: nothing can be asked of this check any more.
    pub fn into_solver(self) -> &'s mut Solver<P> {
        self.solver
    }

    /// The solver as it is now.
    pub fn solver(&self) -> &Solver<P> {
        self.solver
    }
}

impl<P: ProofSink> Refutation<'_, P> {
    /// All assumptions of the check, in the order in which they were given.
    pub fn assumptions(&self) -> impl ExactSizeIterator<Item = Term> {
        self.solver.assumed.iter().map(|&(_, term)| term)
    }

    /// Assumptions that suffice for the contradiction.
    pub fn failed_assumptions(&self) -> Vec<Term> {
        let core = self.failed_literals();
        self.solver.assumed.iter().filter(|(lit, _)| core.contains(lit)).map(|&(_, term)| term).collect()
    }

    /// The assumed literals and the guards of groups that cannot hold together.
    pub(crate) fn failed_literals(&self) -> &[Lit] {
        self.solver.core.sat.core()
    }

    /// The assumption that has this literal; none if it is the guard of a group.
    pub(crate) fn assumption(&self, lit: Lit) -> Option<Term> {
        self.solver.assumed.iter().find(|entry| entry.0 == lit).map(|entry| entry.1)
    }

    /// The clause at the end of the derivation, over negated assumptions. There is none if an assumption is the
    /// negation of another one.
    pub fn conclusion(&self) -> Option<ClauseId> {
        self.solver.core.sat.refutation()
    }
}

impl Refutation<'_, ProofLog> {
    /// The numbers of the assertions that the derivation uses, sorted: with the failed assumptions, a core.
    pub fn used_assertions(&self) -> Vec<u32> {
        let Some(root) = self.conclusion() else { return Vec::new() };
        self.solver.assertions_behind(vec![root])
    }

    /// The derivation of the clause over negated assumptions. There is none if an assumption is the negation of
    /// another one.
    pub fn proof(&self) -> Option<Result<Proof, ProofError>> {
        Some(Proof::extract(self.log(), self.conclusion()?))
    }

    /// The record of derivations.
    pub(crate) fn log(&self) -> &ProofLog {
        self.solver.core.sat.proof()
    }
}
