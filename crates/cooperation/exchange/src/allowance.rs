//! What an engine may spend on checking what others say.
//!
//! A lemma of another engine costs queries before it is used, and most never help. So checking has a part of the
//! engine's work, counted in steps of the solvers' loops ([`shem_base::work_done`]): a first allowance, and then a share
//! of all work, which is halved whenever something was checked and nothing of it was of use, and whole again when
//! something was. What is not asked for waits; the oldest is dropped where much waits.

use shem_base::work_done;

/// What may be spent at once, about a tenth of a second, and the part of all work then.
const FIRST: u64 = 6_000_000;
const SHARE: u64 = 10;

/// How often the share is halved at most.
const MOST_HALVINGS: u32 = 6;

/// Counts the work of checks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allowance {
    /// The work when it was first asked: a port may have been made in another thread, which counts for itself.
    start: Option<u64>,
    /// The work when the present check began.
    since: Option<u64>,
    spent: u64,
    /// How often nothing was of use, since something was.
    fruitless: u32,
}

impl Allowance {
    /// Whether there may be a check now.
    pub(crate) fn allows(&mut self) -> bool {
        self.allows_at(work_done())
    }

    /// A check begins, unless one is under way.
    pub(crate) fn begin(&mut self) {
        self.since.get_or_insert_with(work_done);
    }

    /// The check is over, if there was one.
    pub(crate) fn end(&mut self, useful: bool) {
        self.end_at(useful, work_done());
    }

    fn allows_at(&mut self, now: u64) -> bool {
        let all = now.saturating_sub(*self.start.get_or_insert(now));
        self.spent <= FIRST.saturating_add((all / SHARE) >> self.fruitless.min(MOST_HALVINGS))
    }

    fn end_at(&mut self, useful: bool, now: u64) {
        let Some(since) = self.since.take() else { return };
        self.spent += now.saturating_sub(since);
        self.fruitless = if useful { 0 } else { self.fruitless + 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(allowance: &mut Allowance, from: u64, to: u64, useful: bool) {
        allowance.since = Some(from);
        allowance.end_at(useful, to);
    }

    #[test]
    fn what_never_helps_is_checked_less() {
        let mut allowance = Allowance::default();
        assert!(allowance.allows_at(0));
        check(&mut allowance, 0, 2 * FIRST, true);
        assert!(!allowance.allows_at(2 * FIRST));
        assert!(allowance.allows_at(10 * FIRST));
        // Nothing of it was of use: now twice the work has to pass, and then four times.
        check(&mut allowance, 10 * FIRST, 11 * FIRST, false);
        assert!(!allowance.allows_at(39 * FIRST));
        assert!(allowance.allows_at(40 * FIRST));
        check(&mut allowance, 40 * FIRST, 41 * FIRST, false);
        assert!(!allowance.allows_at(119 * FIRST));
        assert!(allowance.allows_at(120 * FIRST));
        // What helps is welcome again.
        check(&mut allowance, 120 * FIRST, 121 * FIRST, true);
        assert!(allowance.allows_at(121 * FIRST));
    }

    #[test]
    fn what_was_not_begun_is_not_counted() {
        let mut allowance = Allowance::default();
        allowance.end(false);
        assert_eq!((allowance.spent, allowance.fruitless), (0, 0));
    }
}
