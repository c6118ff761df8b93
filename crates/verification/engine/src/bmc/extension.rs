//! Whether paths can be extended.
//!
//! The question is asked at every depth. It is usually easy, and useful even where the answer is yes: the check
//! for a bad state starts from the model of the path. (Asked at each sixteenth of the depth only, deep searches took
//! a quarter more time.) The effort is limited: a hard question is postponed until the unrolling has doubled. That
//! is sound: where there is no path there is no longer one, and the checks for bad states are short.

use shem_base::Budget;
use shem_proof::NoProof;
use shem_smt::{Solver, Status};
use shem_term::Store;

/// The conflicts and case splits that may be spent to find out that a path cannot be extended.
const EXTENSION_EFFORT: u64 = 200;

/// Asks whether there is a path of the current length, unless that was hard lately.
#[derive(Debug, Default)]
pub(super) struct Extension {
    /// The depth from which on the question is worth asking.
    next: usize,
}

impl Extension {
    /// False if the assertions of the solver, a path of `depth` steps, have no model; true if they have, or
    /// if it would take long to find out.
    pub(super) fn is_possible(
        &mut self,
        store: &mut Store,
        solver: &mut Solver<NoProof>,
        depth: usize,
        budget: &mut Budget,
    ) -> bool {
        if depth < self.next {
            return true;
        }
        let mut limited = budget.clone();
        limited.conflicts = limited.conflicts.min(EXTENSION_EFFORT);
        limited.splits = limited.splits.min(EXTENSION_EFFORT);
        let (conflicts, splits) = (limited.conflicts, limited.splits);
        let status = solver.check(store, &mut limited).status();
        deduct(&mut budget.conflicts, conflicts - limited.conflicts);
        deduct(&mut budget.splits, splits - limited.splits);
        budget.pivots = limited.pivots;
        if let Status::Unknown(_) = status {
            self.next = 2 * depth + 1;
        }
        status != Status::Unsat
    }
}

/// Takes what was used from what is left, unless that is unlimited.
fn deduct(left: &mut u64, used: u64) {
    if *left != u64::MAX {
        *left = left.saturating_sub(used);
    }
}
