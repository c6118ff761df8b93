//! Watches: for every literal, the clauses that watch it.
//!
//! Two literals of every clause are watched. When one becomes false, propagation visits its list and finds
//! another literal to watch, or that the clause is satisfied, unit or false. A watch carries some other
//! literal of the clause, the blocker; if that is true the clause need not be looked at. For a binary
//! clause the blocker is the whole rest, so the arena is never touched.
//!
//! Lists are *stable*: entries only leave them or join at the end, and the rest keeps its order. Hence the
//! watches of the clauses of a scope lie at the ends of the lists, behind everything that was there when the
//! scope was opened, and closing a scope costs no more than what happened inside it.

use super::arena::{ClauseArena, ClauseRef};
use shem_base::Lit;

/// The entry of a clause in a watch list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    /// Some other literal of the clause.
    pub blocker: Lit,
    /// The address of the clause with two flags in the highest bits.
    tagged: u32,
}

const BINARY: u32 = 1 << 31;
const LEARNT: u32 = 1 << 30;

impl Watch {
    /// The watch of `clause` with this blocker.
    #[inline]
    pub fn new(clause: ClauseRef, blocker: Lit, binary: bool, learnt: bool) -> Watch {
        let tagged = clause.0 | if binary { BINARY } else { 0 } | if learnt { LEARNT } else { 0 };
        Watch { blocker, tagged }
    }

    /// The clause that watches.
    #[inline]
    pub fn clause(self) -> ClauseRef {
        ClauseRef(self.tagged & !(BINARY | LEARNT))
    }

    /// Whether the clause has two literals.
    #[inline]
    pub fn is_binary(self) -> bool {
        self.tagged & BINARY != 0
    }

    /// Whether the clause is learnt.
    #[inline]
    pub fn is_learnt(self) -> bool {
        self.tagged & LEARNT != 0
    }

    /// The same watch with another blocker.
    #[inline]
    pub fn with_blocker(self, blocker: Lit) -> Watch {
        Watch { blocker, tagged: self.tagged }
    }

    /// The same watch after the clause has moved.
    #[inline]
    pub fn with_clause(self, clause: ClauseRef) -> Watch {
        Watch { blocker: self.blocker, tagged: self.tagged & (BINARY | LEARNT) | clause.0 }
    }
}

/// The watch lists of all literals.
#[derive(Default)]
pub(super) struct WatchLists {
    /// By literal. Lists beyond the last variable are empty; they keep their memory for later variables.
    lists: Vec<Vec<Watch>>,
    /// By literal: how many entries of its list belong to clauses that are removed or moved. Zero between calls.
    stale: Vec<u32>,
    /// The literals whose `stale` is positive. Empty between calls.
    dirty: Vec<Lit>,
}

impl WatchLists {
    /// Makes room for the literals of `vars` variables.
    pub fn resize(&mut self, vars: usize) {
        if self.lists.len() < 2 * vars {
            self.lists.resize_with(2 * vars, Vec::new);
            self.stale.resize(2 * vars, 0);
        }
    }

    /// The list of a literal.
    pub fn list(&self, lit: Lit) -> &[Watch] {
        &self.lists[lit.index()]
    }

    /// The list of a literal, to be changed in place.
    #[inline]
    pub fn list_mut(&mut self, lit: Lit) -> &mut Vec<Watch> {
        &mut self.lists[lit.index()]
    }

    /// Appends a watch to the list of `lit`.
    #[inline]
    pub fn push(&mut self, lit: Lit, watch: Watch) {
        self.lists[lit.index()].push(watch);
    }

    /// Empties the list of `lit`, whose variable is removed.
    #[inline]
    pub fn clear(&mut self, lit: Lit) {
        self.lists[lit.index()].clear();
    }

    /// Notes that a clause in the list of `lit` is marked as removed or moved.
    pub fn add_stale(&mut self, lit: Lit) {
        let count = &mut self.stale[lit.index()];
        if *count == 0 {
            self.dirty.push(lit);
        }
        *count += 1;
    }

    /// Drops the entries of removed clauses and changes the addresses of moved ones, for all stale entries.
    ///
    /// Goes through the lists from their ends: lists are stable, so the youngest entries are there.
    pub fn refresh(&mut self, arena: &ClauseArena) {
        while let Some(lit) = self.dirty.pop() {
            let mut missing = std::mem::take(&mut self.stale[lit.index()]);
            let list = &mut self.lists[lit.index()];
            let mut start = list.len();
            while missing > 0 {
                start -= 1;
                let clause = list[start].clause();
                if arena.is_removed(clause) || arena.target(clause).is_some() {
                    missing -= 1;
                }
            }
            let mut kept = start;
            for index in start..list.len() {
                let watch = list[index];
                let clause = watch.clause();
                if arena.is_removed(clause) {
                    continue;
                }
                list[kept] = match arena.target(clause) {
                    Some(target) => watch.with_clause(target),
                    None => watch,
                };
                kept += 1;
            }
            list.truncate(kept);
        }
    }

    /// Gives each clause of each entry its address by `forward`; entries of clauses without one are dropped.
    pub fn rewrite(&mut self, forward: impl Fn(ClauseRef) -> Option<ClauseRef>) {
        for list in &mut self.lists {
            list.retain_mut(|watch| match forward(watch.clause()) {
                Some(clause) => {
                    *watch = watch.with_clause(clause);
                    true
                }
                None => false,
            });
        }
    }
}
