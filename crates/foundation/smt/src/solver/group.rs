//! Groups: formulas that are switched on for some queries and cost nothing in the others.
//!
//! Horn engines keep thousands of lemmas of which a query needs a few. The formulas of a group are guarded
//! by a literal; the variables that only they use are dormant, neither decided nor propagated to, until a
//! query names the group. From one query to the next only the difference of the active groups is touched.

use shem_base::{Lit, Var};

/// A handle of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Group(pub(super) u32);

/// A group's guard, its variables and whether the last query had it on.
#[derive(Clone, Debug)]
pub(super) struct GroupState {
    pub(super) guard: Lit,
    /// SORTED, without repetition.
    pub(super) vars: Vec<Var>,
    pub(super) active: bool,
    /// Whether the query at hand has it on; set only while groups are switched.
    pub(super) wanted: bool,
    /// The number of scopes that were open when it was made.
    pub(super) depth: usize,
}

/// All groups of a solver.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    pub(super) states: Vec<GroupState>,
    /// The active ones.
    pub(super) active: Vec<Group>,
    marks: Vec<usize>,
}

impl Groups {
    pub(super) fn push(&mut self) {
        self.marks.push(self.states.len());
    }

    /// The number of groups that are older than the innermost scope.
    pub(super) fn mark(&self) -> usize {
        *self.marks.last().expect("a scope is open")
    }

    /// Forgets the groups made in the innermost scope; they have been switched off before.
    pub(super) fn pop(&mut self) {
        let mark = self.marks.pop().expect("a scope is open");
        self.states.truncate(mark);
    }
}
