//! Clauses in one array of words.
//!
//! A clause is a header of five words followed by its literals; a [`ClauseRef`] is the index of the header.
//! Clauses lie in the order of their creation, so that closing a scope gives back the end of the array.
//! Nothing is freed in between: a reduction of the learnt clauses copies those that stay (see `reduce`), in
//! order, so that the lengths noted by open scopes can be adapted.

use shem_base::Lit;
use shem_proof::ClauseId;

/// A clause of an arena: the index of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ClauseRef(pub(super) u32);

/// What the header of a clause says beside its length.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClauseHead {
    /// The clause's identity in the derivation.
    pub id: ClauseId,
    /// The depth below which the clause is not valid any more.
    pub scope: u32,
    /// Whether the clause follows from others, so that a model need not satisfy it.
    pub learnt: bool,
    /// The number of decision levels among its literals when it was learnt.
    pub glue: u32,
}

const ID: usize = 0;
const SCOPE: usize = 1;
/// The activity of a learnt clause as the bits of an `f32`; the new address of a clause that moves.
const ACTIVITY: usize = 2;
const FLAGS: usize = 3;
const LEN: usize = 4;
const HEADER: usize = 5;

const LEARNT: u32 = 1;
const REMOVED: u32 = 2;
const MOVED: u32 = 4;
const USED_SHIFT: u32 = 3;
const USED: u32 = 3 << USED_SHIFT;
const DETACHED: u32 = 1 << 5;
const RESOLVENT: u32 = 1 << 6;
const FLAG_BITS: u32 = 7;

/// A growing array of clauses.
#[derive(Default)]
pub(super) struct ClauseArena {
    words: Vec<u32>,
}

impl ClauseArena {
    /// The largest number of words, so that a watch can keep two flags beside an address.
    const CAPACITY: usize = 1 << 30;

    /// Adds a clause at the end.
    pub fn add(&mut self, lits: &[Lit], head: ClauseHead) -> ClauseRef {
        let at = self.words.len();
        assert!(at + HEADER + lits.len() <= Self::CAPACITY, "the clause arena is full");
        let flags = head.glue << FLAG_BITS | if head.learnt { LEARNT } else { 0 };
        self.words.extend([head.id.0, head.scope, 0, flags, lits.len() as u32]);
        self.words.extend(lits.iter().map(|lit| lit.code()));
        ClauseRef(at as u32)
    }

    /// Adds a clause of another arena at the end, with all that its header says.
    pub fn copy(&mut self, other: &ClauseArena, clause: ClauseRef) -> ClauseRef {
        let at = self.words.len();
        let from = clause.0 as usize;
        self.words.extend_from_slice(&other.words[from..from + other.word_count(clause)]);
        ClauseRef(at as u32)
    }

    /// The number of words in use: the mark to which [`ClauseArena::truncate`] goes back.
    #[inline]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether the arena is close enough to its limit that the search should give up.
    #[inline]
    pub fn is_nearly_full(&self) -> bool {
        self.words.len() > Self::CAPACITY / 8 * 7
    }

    /// Removes everything from `mark` on.
    pub fn truncate(&mut self, mark: usize) {
        self.words.truncate(mark);
    }

    /// The number of literals.
    #[inline]
    pub fn size(&self, clause: ClauseRef) -> usize {
        self.words[clause.0 as usize + LEN] as usize
    }

    /// The codes of the literals.
    #[inline]
    pub fn codes(&self, clause: ClauseRef) -> &[u32] {
        let at = clause.0 as usize;
        let len = self.words[at + LEN] as usize;
        &self.words[at + HEADER..at + HEADER + len]
    }

    /// The codes of the literals, to be permuted.
    #[inline]
    pub fn codes_mut(&mut self, clause: ClauseRef) -> &mut [u32] {
        let at = clause.0 as usize;
        let len = self.words[at + LEN] as usize;
        &mut self.words[at + HEADER..at + HEADER + len]
    }

    /// The literals.
    #[inline]
    pub fn lits(&self, clause: ClauseRef) -> impl Iterator<Item = Lit> + '_ {
        self.codes(clause).iter().map(|&code| Lit::from_code(code))
    }

    /// The literal at `index`.
    #[inline]
    pub fn lit(&self, clause: ClauseRef, index: usize) -> Lit {
        Lit::from_code(self.words[clause.0 as usize + HEADER + index])
    }

    /// The clause's identity in the derivation.
    #[inline]
    pub fn id(&self, clause: ClauseRef) -> ClauseId {
        ClauseId(self.words[clause.0 as usize + ID])
    }

    /// Gives the clause another identity.
    #[inline]
    pub fn set_id(&mut self, clause: ClauseRef, id: ClauseId) {
        self.words[clause.0 as usize + ID] = id.0;
    }

    /// The clause's scope.
    #[inline]
    pub fn scope(&self, clause: ClauseRef) -> u32 {
        self.words[clause.0 as usize + SCOPE]
    }

    /// Whether the clause is learnt.
    #[inline]
    pub fn is_learnt(&self, clause: ClauseRef) -> bool {
        self.words[clause.0 as usize + FLAGS] & LEARNT != 0
    }

    /// The number of decision levels among the literals when the clause was learnt.
    #[inline]
    pub fn glue(&self, clause: ClauseRef) -> u32 {
        self.words[clause.0 as usize + FLAGS] >> FLAG_BITS
    }

    /// Sets the number of decision levels among the literals.
    #[inline]
    pub fn set_glue(&mut self, clause: ClauseRef, glue: u32) {
        let flags = &mut self.words[clause.0 as usize + FLAGS];
        *flags = glue << FLAG_BITS | *flags & ((1 << FLAG_BITS) - 1);
    }

    /// Whether the clause is out of the watch lists for a while.
    #[inline]
    pub fn is_detached(&self, clause: ClauseRef) -> bool {
        self.words[clause.0 as usize + FLAGS] & DETACHED != 0
    }

    /// Says whether the clause is out of the watch lists.
    pub fn set_detached(&mut self, clause: ClauseRef, detached: bool) {
        self.set_flag(clause, DETACHED, detached);
    }

    /// Whether the clause stands for others that are detached.
    #[inline]
    pub fn is_resolvent(&self, clause: ClauseRef) -> bool {
        self.words[clause.0 as usize + FLAGS] & RESOLVENT != 0
    }

    /// Says whether the clause stands for others that are detached.
    pub fn set_resolvent(&mut self, clause: ClauseRef, resolvent: bool) {
        self.set_flag(clause, RESOLVENT, resolvent);
    }

    fn set_flag(&mut self, clause: ClauseRef, flag: u32, on: bool) {
        let flags = &mut self.words[clause.0 as usize + FLAGS];
        *flags = if on { *flags | flag } else { *flags & !flag };
    }

    /// How many reductions the clause survives without being used, at most three.
    #[inline]
    pub fn used(&self, clause: ClauseRef) -> u32 {
        (self.words[clause.0 as usize + FLAGS] & USED) >> USED_SHIFT
    }

    /// Sets how many reductions the clause survives.
    #[inline]
    pub fn set_used(&mut self, clause: ClauseRef, rounds: u32) {
        let flags = &mut self.words[clause.0 as usize + FLAGS];
        *flags = *flags & !USED | rounds << USED_SHIFT;
    }

    /// The activity of a learnt clause.
    #[inline]
    pub fn activity(&self, clause: ClauseRef) -> f32 {
        f32::from_bits(self.words[clause.0 as usize + ACTIVITY])
    }

    /// Sets the activity of a learnt clause.
    #[inline]
    pub fn set_activity(&mut self, clause: ClauseRef, activity: f32) {
        self.words[clause.0 as usize + ACTIVITY] = activity.to_bits();
    }

    /// Marks the clause as removed. Its watches are dropped before its words are reused.
    #[inline]
    pub fn mark_removed(&mut self, clause: ClauseRef) {
        self.words[clause.0 as usize + FLAGS] |= REMOVED;
    }

    /// Whether the clause is marked as removed.
    #[inline]
    pub fn is_removed(&self, clause: ClauseRef) -> bool {
        self.words[clause.0 as usize + FLAGS] & REMOVED != 0
    }

    /// Writes the new address of the clause into its header, in place of the activity, which is returned and
    /// which [`ClauseArena::move_clause`] restores.
    #[inline]
    pub fn set_target(&mut self, clause: ClauseRef, target: ClauseRef) -> f32 {
        let activity = self.activity(clause);
        self.words[clause.0 as usize + FLAGS] |= MOVED;
        self.words[clause.0 as usize + ACTIVITY] = target.0;
        activity
    }

    /// The new address of the clause, if it has one.
    #[inline]
    pub fn target(&self, clause: ClauseRef) -> Option<ClauseRef> {
        let at = clause.0 as usize;
        (self.words[at + FLAGS] & MOVED != 0).then(|| ClauseRef(self.words[at + ACTIVITY]))
    }

    /// Moves a clause to its new address, which is nearer to the start, and returns the first word after it.
    pub fn move_clause(&mut self, clause: ClauseRef, activity: f32) -> usize {
        let target = self.target(clause).expect("the clause has a new address");
        let size = HEADER + self.size(clause);
        let from = clause.0 as usize;
        self.words[from + FLAGS] &= !MOVED;
        self.words[from + ACTIVITY] = activity.to_bits();
        self.words.copy_within(from..from + size, target.0 as usize);
        target.0 as usize + size
    }

    /// The number of words that a clause takes.
    #[inline]
    pub fn word_count(&self, clause: ClauseRef) -> usize {
        HEADER + self.size(clause)
    }
}
