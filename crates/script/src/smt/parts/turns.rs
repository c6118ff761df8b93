//! Turns of counted work: threads do tasks, and wait whenever they have used the units that they were given.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use shem_base::{Pace, StopToken};

/// What a thread does.
enum State<T, R> {
    /// It has nothing to do.
    Idle,
    /// It is to begin a task.
    Given(T),
    /// It may do so many units of work.
    Granted(u64),
    /// It works.
    Running,
    /// It has used its units.
    Waiting,
    /// It is to give up its task.
    Abandoned,
    /// It has ended its task.
    Ended(R),
    /// It is to end.
    Over,
}

/// What all threads do, by number.
pub(super) struct Board<T, R> {
    states: Mutex<Vec<State<T, R>>>,
    changed: Condvar,
    /// The units that are left; negative if a thread has overdrawn.
    left: Vec<AtomicI64>,
}

impl<T: Send + 'static, R: Send + 'static> Board<T, R> {
    pub(super) fn new(threads: usize) -> Board<T, R> {
        Board {
            states: Mutex::new((0..threads).map(|_| State::Idle).collect()),
            changed: Condvar::new(),
            left: (0..threads).map(|_| AtomicI64::new(0)).collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<State<T, R>>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, states: MutexGuard<'a, Vec<State<T, R>>>) -> MutexGuard<'a, Vec<State<T, R>>> {
        self.changed.wait(states).unwrap_or_else(PoisonError::into_inner)
    }

    /// In the thread: the token of a task. The thread waits in its looks at it.
    pub(super) fn token(self: &Arc<Self>, thread: usize, outer: &StopToken) -> StopToken {
        StopToken::paced(outer, Gate { board: Arc::clone(self), thread })
    }

    /// In the thread: its next task, once it has units for that. Nothing if it is to end.
    pub(super) fn next_task(&self, thread: usize) -> Option<T> {
        let mut states = self.lock();
        loop {
            match std::mem::replace(&mut states[thread], State::Idle) {
                State::Given(task) => {
                    states[thread] = State::Waiting;
                    self.changed.notify_all();
                    return Some(task);
                }
                State::Over => return None,
                other => {
                    states[thread] = other;
                    states = self.wait(states);
                }
            }
        }
    }

    /// In the thread: it has ended its task.
    pub(super) fn end_task(&self, thread: usize, result: R) {
        let mut states = self.lock();
        if !matches!(states[thread], State::Over) {
            states[thread] = State::Ended(result);
        }
        self.changed.notify_all();
    }

    /// Gives a task to a thread that is idle. It waits for units.
    pub(super) fn give(&self, thread: usize, task: T) {
        let mut states = self.lock();
        states[thread] = State::Given(task);
        self.changed.notify_all();
        while matches!(states[thread], State::Given(_)) {
            states = self.wait(states);
        }
    }

    /// Has a thread give up its task, which waits for units: what comes of that.
    pub(super) fn abandon(&self, thread: usize) -> Option<R> {
        let mut states = self.lock();
        if matches!(states[thread], State::Waiting) {
            states[thread] = State::Abandoned;
            self.changed.notify_all();
        }
        while matches!(states[thread], State::Abandoned) {
            states = self.wait(states);
        }
        take_result(&mut states[thread])
    }

    /// Gives all these threads, which wait, so many units, a few of them at a time, and waits until they have used them or
    /// have ended their tasks. Those that have ended: the number of the thread, the units it used, and what came of it.
    pub(super) fn round(&self, threads: &[usize], units: u64, at_a_time: usize) -> Vec<(usize, u64, R)> {
        let mut next = threads.iter();
        let mut states = self.lock();
        loop {
            let is_at_work = |state: &State<T, R>| matches!(state, State::Granted(_) | State::Running);
            let mut running = threads.iter().filter(|&&thread| is_at_work(&states[thread])).count();
            while running < at_a_time.max(1)
                && let Some(&thread) = next.next()
            {
                states[thread] = State::Granted(units);
                self.changed.notify_all();
                running += 1;
            }
            if running == 0 {
                break;
            }
            states = self.wait(states);
        }
        let ended = threads.iter().filter_map(|&thread| {
            let result = take_result(&mut states[thread])?;
            // The next task has nothing left of this one's units, but pays for what it has overdrawn.
            let left = self.left[thread].fetch_min(0, Ordering::Relaxed);
            Some((thread, units.saturating_sub(u64::try_from(left).unwrap_or(0)), result))
        });
        ended.collect()
    }

    /// Ends all threads.
    pub(super) fn end(&self) {
        self.lock().iter_mut().for_each(|state| *state = State::Over);
        self.changed.notify_all();
    }
}

/// What came of a task that has ended. The thread is idle then.
fn take_result<T, R>(state: &mut State<T, R>) -> Option<R> {
    match std::mem::replace(state, State::Idle) {
        State::Ended(result) => Some(result),
        other => {
            *state = other;
            None
        }
    }
}

/// Takes from the units of a thread, and makes it wait for more.
struct Gate<T, R> {
    board: Arc<Board<T, R>>,
    thread: usize,
}

impl<T: Send + 'static, R: Send + 'static> Pace for Gate<T, R> {
    fn go_on_after(&self, work: u64) -> bool {
        let own = &self.board.left[self.thread];
        let left = own.load(Ordering::Relaxed).saturating_sub_unsigned(work);
        own.store(left, Ordering::Relaxed);
        left >= 0 || self.wait_for_units()
    }
}

impl<T: Send + 'static, R: Send + 'static> Gate<T, R> {
    #[cold]
    fn wait_for_units(&self) -> bool {
        let (board, thread) = (&self.board, self.thread);
        let mut states = board.lock();
        if matches!(states[thread], State::Running) {
            states[thread] = State::Waiting;
            board.changed.notify_all();
        }
        loop {
            match states[thread] {
                State::Granted(units) => {
                    let left = board.left[thread].load(Ordering::Relaxed).saturating_add_unsigned(units);
                    board.left[thread].store(left, Ordering::Relaxed);
                    states[thread] = if left >= 0 { State::Running } else { State::Waiting };
                    if left >= 0 {
                        return true;
                    }
                    board.changed.notify_all();
                }
                State::Abandoned | State::Over => return false,
                _ => states = board.wait(states),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use shem_base::add_work;

    use super::*;

    /// Threads work for as many units as they are given, in as many rounds as that takes.
    #[test]
    fn work_is_done_in_rounds() {
        const EACH: u64 = 100_000;
        let board: Arc<Board<u64, u64>> = Arc::new(Board::new(2));
        std::thread::scope(|scope| {
            for thread in 0..2 {
                let board = Arc::clone(&board);
                scope.spawn(move || {
                    while let Some(steps) = board.next_task(thread) {
                        let token = board.token(thread, &StopToken::new());
                        let mut done = 0;
                        while !token.is_stopped() && done < steps {
                            add_work(EACH as usize);
                            done += 1;
                        }
                        board.end_task(thread, done);
                    }
                });
            }
            board.give(0, 2);
            board.give(1, 10);
            let ended = board.round(&[0, 1], 5 * EACH, 1);
            assert_eq!(ended.iter().map(|(thread, _, done)| (*thread, *done)).collect::<Vec<_>>(), [(0, 2)]);
            assert!((2 * EACH..3 * EACH).contains(&ended[0].1), "{}", ended[0].1);
            assert!(board.round(&[1], 2 * EACH, 1).is_empty());
            let done = board.abandon(1).expect("it has ended");
            assert!((7..=8).contains(&done), "{done}");
            board.give(1, 1);
            assert_eq!(board.round(&[1], 5 * EACH, 2)[0].2, 1);
            board.end();
        });
    }
}
