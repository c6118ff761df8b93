//! Generalisation of cubes by queries.

use shem_base::{Budget, Effort, UnknownReason};
use shem_proof::ProofSink;
use shem_term::{Store, Term};

use crate::{Answer, Group, Solver};

/// The effort of a query that is not needed for the answer.
pub(super) const OPTIONAL_EFFORT: Effort = Effort { conflicts: 2_000, pivots: 20_000, splits: 200 };

/// A part of the cube that is unsatisfiable together with the solver's assertions and these groups, from
/// which no single literal can be dropped; `None` if the whole cube is satisfiable. Literals at the end are
/// tried first. If a query ends in unknown, its literal stays; only the first query fails the call.
pub fn drop_literals<P: ProofSink>(
    solver: &mut Solver<P>,
    store: &mut Store,
    groups: &[Group],
    cube: &[Term],
    budget: &mut Budget,
) -> Result<Option<Vec<Term>>, UnknownReason> {
    let mut kept = match solver.check_with(store, groups, cube, budget) {
        Answer::Sat(_) => return Ok(None),
        Answer::Unknown(reason) => return Err(reason),
        Answer::Unsat(refutation) => refutation.failed_assumptions(),
    };
    let mut attempt = Vec::with_capacity(kept.len());
    // The literals from `next` on are needed.
    let mut next = kept.len();
    while next > 0 {
        next -= 1;
        attempt.clear();
        attempt.extend(kept.iter().enumerate().filter(|(i, _)| *i != next).map(|(_, &t)| t));
        if let Answer::Unsat(refutation) = solver.check_with(store, groups, &attempt, budget) {
            let core = refutation.failed_assumptions();
            let needed_before = kept[..next].iter().filter(|t| core.contains(t)).count();
            // What was needed before is needed now, so the core has all of the tail.
            kept.remove(next);
            kept.retain(|t| core.contains(t));
            next = needed_before;
        }
    }
    Ok(Some(kept))
}
