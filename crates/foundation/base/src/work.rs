//! A clock that counts work instead of time.
//!
//! Each thread has a count of units of work. The loops in which solvers spend their time add to it: a unit is roughly
//! what the visit of a clause, of an entry of the tableau or of a subterm costs, a dozen nanoseconds. What is counted
//! depends on the search alone, so the same search has the same count on every machine and under every load. Whoever
//! has to divide effort without looking at time ([`Pace`](crate::Pace)) reads the clock. Adding costs an addition to a
//! variable of the thread; loops add once for many units.

use std::cell::Cell;

thread_local! {
    static DONE: Cell<u64> = const { Cell::new(0) };
}

/// Adds to the count of this thread.
#[inline]
pub fn add_work(units: usize) {
    DONE.with(|done| done.set(done.get().wrapping_add(units as u64)));
}

/// The count of this thread.
#[inline]
pub fn work_done() -> u64 {
    DONE.with(Cell::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_count_for_themselves() {
        let before = work_done();
        add_work(5);
        std::thread::spawn(|| add_work(100)).join().unwrap();
        assert_eq!(work_done(), before + 5);
    }
}
