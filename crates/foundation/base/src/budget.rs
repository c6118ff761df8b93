//! Limits of effort, counted in steps of the search and not in seconds, and the reasons for giving up.
//!
//! A budget is what is left. A step takes one from it; if nothing is left, the step is not made, and the caller
//! answers *unknown* with the reason. No clock is read here: the thread that reads it stops the search through a
//! [`StopToken`]. Where nothing is to depend on the clock, work is counted instead ([`Pace`]).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::{Meter, work_done};

/// Decides at each look at a token whether its search goes on.
///
/// A search looks at its token again and again. When it does, and how much work its thread has counted since the last
/// look ([`add_work`](crate::add_work)), depends on nothing but the search. What keeps the pace may also make the search
/// wait for its turn.
pub trait Pace: Send + Sync {
    /// So many units of work were done since the last look. Whether the search goes on.
    fn go_on_after(&self, work: u64) -> bool;
}

/// What a look at a token counts itself, so that a search whose work is not counted comes to an end, too.
pub(crate) const WORK_OF_LOOK: u64 = 50;

/// A request to stop that can be sent from another thread; clones share it.
#[derive(Clone, Default)]
pub struct StopToken {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    stopped: AtomicBool,
    paced: Option<Paced>,
}

/// What a token has whose search is paced.
struct Paced {
    /// The token above this one.
    outer: StopToken,
    pace: Box<dyn Pace>,
    /// The work that the thread had done at the last look, and [`UNSEEN`] before the first.
    last: AtomicU64,
}

const UNSEEN: u64 = u64::MAX;

impl Paced {
    /// Whether the search is to stop. Threads do not look at one token at the same time.
    #[cold]
    fn is_over(&self) -> bool {
        let now = work_done();
        let last = self.last.swap(now, Ordering::Relaxed);
        // Where another thread goes on with the search, its count has nothing to do with that of the first.
        let work = if last == UNSEEN { 0 } else { now.saturating_sub(last) };
        self.outer.is_stopped() || !self.pace.go_on_after(work + WORK_OF_LOOK)
    }
}

impl StopToken {
    /// A token that is not stopped.
    pub fn new() -> StopToken {
        StopToken::default()
    }

    /// A token that is stopped when the outer one is, or when the pace says so. It should be looked at by one search
    /// only, whose work is counted.
    pub fn paced(outer: &StopToken, pace: impl Pace + 'static) -> StopToken {
        let paced = Paced { outer: outer.clone(), pace: Box::new(pace), last: AtomicU64::new(UNSEEN) };
        StopToken { shared: Arc::new(Shared { stopped: AtomicBool::new(false), paced: Some(paced) }) }
    }

    /// A token that is stopped when the outer one is, or after so many units of work.
    pub fn after_work(outer: &StopToken, units: u64) -> StopToken {
        StopToken::paced(outer, AtomicU64::new(units))
    }

    /// Asks everyone who holds a clone to stop. This cannot be taken back.
    pub fn stop(&self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.shared.stopped.load(Ordering::Relaxed)
            || self.shared.paced.as_ref().is_some_and(|paced| self.is_over(paced))
    }

    /// Whether the search is over by its pace. It stays so.
    fn is_over(&self, paced: &Paced) -> bool {
        let over = paced.is_over();
        if over {
            self.stop();
        }
        over
    }
}

impl fmt::Debug for StopToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopToken").field("stopped", &self.shared.stopped).finish_non_exhaustive()
    }
}

/// The work that is left.
impl Pace for AtomicU64 {
    fn go_on_after(&self, work: u64) -> bool {
        let left = self.load(Ordering::Relaxed);
        self.store(left.saturating_sub(work), Ordering::Relaxed);
        left >= work
    }
}

/// Why a search ended without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnknownReason {
    /// The conflicts of the budget were used up.
    Conflicts,
    /// The pivots of the budget were used up.
    Pivots,
    /// The case splits of the budget were used up.
    Splits,
    /// A stop was requested.
    Stopped,
    /// The memory limit was reached.
    Memory,
    /// The method does not decide this problem; the words say what is missing.
    Incomplete(&'static str),
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownReason::Conflicts => f.write_str("conflict budget exhausted"),
            UnknownReason::Pivots => f.write_str("pivot budget exhausted"),
            UnknownReason::Splits => f.write_str("split budget exhausted"),
            UnknownReason::Stopped => f.write_str("stopped"),
            UnknownReason::Memory => f.write_str("memory limit reached"),
            UnknownReason::Incomplete(what) => write!(f, "incomplete: {what}"),
        }
    }
}

impl std::error::Error for UnknownReason {}

/// Effort for one piece of work; `u64::MAX` of something means that it is not limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Conflicts of the propositional search.
    pub conflicts: u64,
    /// Pivots of the simplex.
    pub pivots: u64,
    /// Case splits that a theory asks for.
    pub splits: u64,
}

impl Effort {
    /// The effort times a factor.
    pub fn times(self, factor: u64) -> Effort {
        Effort {
            conflicts: self.conflicts.saturating_mul(factor),
            pivots: self.pivots.saturating_mul(factor),
            splits: self.splits.saturating_mul(factor),
        }
    }
}

/// The effort that is left; `u64::MAX` of something means that it is not limited.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Conflicts of the propositional search.
    pub conflicts: u64,
    /// Pivots of the simplex.
    pub pivots: u64,
    /// Case splits that a theory asks for.
    pub splits: u64,
    /// Ends the search from outside.
    pub stop: StopToken,
    /// Counts the queries that are made with this budget. It limits nothing.
    pub meter: Meter,
}

impl Budget {
    /// A budget without limits, under a stop token of its own.
    pub fn unlimited() -> Budget {
        Budget::until(StopToken::new())
    }

    /// A budget without limits other than this stop token; nothing is counted.
    pub fn until(stop: StopToken) -> Budget {
        Budget { conflicts: u64::MAX, pivots: u64::MAX, splits: u64::MAX, stop, meter: Meter::default() }
    }

    /// A budget of this effort, or of what is left here if that is less. What is used of it is not paid from this
    /// budget; see [`Budget::within`].
    pub fn at_most(&self, effort: Effort) -> Budget {
        Budget {
            conflicts: self.conflicts.min(effort.conflicts),
            pivots: self.pivots.min(effort.pivots),
            splits: self.splits.min(effort.splits),
            ..self.clone()
        }
    }

    /// Does work with a budget of [`Budget::at_most`] this effort. What it uses is paid from this budget.
    pub fn within<T>(&mut self, effort: Effort, work: impl FnOnce(&mut Budget) -> T) -> T {
        let mut part = self.at_most(effort);
        let given = [part.conflicts, part.pivots, part.splits];
        let result = work(&mut part);
        let left = [part.conflicts, part.pivots, part.splits];
        for (kind, own) in [&mut self.conflicts, &mut self.pivots, &mut self.splits].into_iter().enumerate() {
            if *own != u64::MAX {
                *own -= given[kind] - left[kind];
            }
        }
        result
    }

    /// Pays for a conflict.
    #[inline]
    pub fn use_conflict(&mut self) -> Result<(), UnknownReason> {
        spend(&mut self.conflicts, UnknownReason::Conflicts)
    }

    /// Pays for a pivot.
    #[inline]
    pub fn use_pivot(&mut self) -> Result<(), UnknownReason> {
        spend(&mut self.pivots, UnknownReason::Pivots)
    }

    /// Pays for a case split.
    #[inline]
    pub fn use_split(&mut self) -> Result<(), UnknownReason> {
        spend(&mut self.splits, UnknownReason::Splits)
    }

    /// Whether something is left of everything, and no stop was requested.
    pub fn can_go_on(&self) -> bool {
        self.conflicts > 0 && self.pivots > 0 && self.splits > 0 && !self.stop.is_stopped()
    }

    /// Fails if a stop was requested.
    #[inline]
    pub fn check_stop(&self) -> Result<(), UnknownReason> {
        if self.stop.is_stopped() { Err(UnknownReason::Stopped) } else { Ok(()) }
    }
}

impl Default for Budget {
    /// The budget without limits.
    fn default() -> Budget {
        Budget::unlimited()
    }
}

/// Takes one from what is left, unless that is unlimited.
#[inline]
fn spend(left: &mut u64, reason: UnknownReason) -> Result<(), UnknownReason> {
    match *left {
        0 => Err(reason),
        u64::MAX => Ok(()),
        _ => {
            *left -= 1;
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::add_work;

    #[test]
    fn spending_ends_at_zero() {
        let mut budget = Budget { conflicts: 2, splits: 0, ..Budget::unlimited() };
        assert_eq!(budget.use_conflict(), Ok(()));
        assert_eq!(budget.use_conflict(), Ok(()));
        assert_eq!(budget.use_conflict(), Err(UnknownReason::Conflicts));
        assert_eq!(budget.use_split(), Err(UnknownReason::Splits));
        assert_eq!(budget.use_pivot(), Ok(()));
        assert_eq!((budget.conflicts, budget.splits, budget.pivots), (0, 0, u64::MAX));
    }

    #[test]
    fn a_part_is_paid_from_the_whole() {
        let mut budget = Budget { conflicts: 3, ..Budget::unlimited() };
        let effort = Effort { conflicts: 1, pivots: 1, splits: 1 }.times(2);
        let spent = budget.within(effort, |part| {
            let conflicts = [part.use_conflict(), part.use_conflict(), part.use_conflict()];
            assert_eq!(part.use_pivot(), Ok(()));
            conflicts
        });
        assert_eq!(spent, [Ok(()), Ok(()), Err(UnknownReason::Conflicts)]);
        assert_eq!((budget.conflicts, budget.pivots), (1, u64::MAX));
        assert_eq!(budget.within(effort, |part| part.conflicts), 1);
        assert_eq!((budget.at_most(effort).conflicts, budget.at_most(effort).pivots), (1, 2));
    }

    #[test]
    fn clones_share_the_stop() {
        let budget = Budget::unlimited();
        let token = budget.stop.clone();
        assert_eq!(budget.check_stop(), Ok(()));
        token.stop();
        assert_eq!(budget.check_stop(), Err(UnknownReason::Stopped));
        assert!(budget.clone().stop.is_stopped());
    }

    #[test]
    fn a_token_can_count_work() {
        let outer = StopToken::new();
        let token = StopToken::after_work(&outer, 2 * WORK_OF_LOOK + 7);
        let clone = token.clone();
        // What was done before the first look does not count.
        add_work(1_000);
        assert!(!token.is_stopped());
        add_work(7);
        assert!(!clone.is_stopped());
        assert!(token.is_stopped() && clone.is_stopped());
        assert!(!outer.is_stopped());
        let token = StopToken::after_work(&outer, 1_000_000);
        assert!(!token.is_stopped());
        add_work(1_000_000);
        assert!(token.is_stopped());
        let token = StopToken::after_work(&outer, u64::MAX);
        assert!(!token.is_stopped());
        outer.stop();
        assert!(token.is_stopped());
    }

    #[test]
    fn reasons_are_words() {
        assert_eq!(UnknownReason::Conflicts.to_string(), "conflict budget exhausted");
        assert_eq!(UnknownReason::Incomplete("quantifiers").to_string(), "incomplete: quantifiers");
    }
}
