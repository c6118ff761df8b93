//! Who runs when there are more entries than cores.
//!
//! A worker that has to wait is stopped and later continued, so nothing that it has learnt is lost. Turns are given by
//! weighted fairness: the next to run are those that have had the least time for their weight, ties going to the earlier
//! entry. One that begins late does not make up for the time before. A worker that has decided and prepares its evidence
//! goes before all others, since it is about to end the run. A turn grows with the time that has passed, since early on the question is which engine decides the problem quickly, and later switching is
//! only overhead.
//!
//! This file knows neither processes nor the clock: it is told what has passed and says who should run.

use std::time::Duration;

/// Turns are no shorter and no longer than this.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_millis(500);
/// How many turns fit into the time that has passed, between these limits.
const TURNS: u32 = 20;

/// An entry in the schedule.
#[derive(Clone, Copy, Debug, Default)]
struct Task {
    weight: u32,
    delay: Duration,
    used: Duration,
    /// What counts as its time for its weight when it begins.
    start: Option<Duration>,
    running: bool,
    done: bool,
    urgent: bool,
}

impl Task {
    /// The time that it has had for its weight.
    fn time(&self) -> Duration {
        // Times the product of all weights would be exact; a microsecond more or less does not matter.
        self.start.unwrap_or_default() + self.used / self.weight
    }
}

/// Who runs, and who has had how much time.
///
/// Invariant *slots*: no more tasks run than there are slots.
#[derive(Clone, Debug)]
pub struct Schedule {
    slots: usize,
    tasks: Vec<Task>,
    elapsed: Duration,
}

impl Schedule {
    /// A schedule for tasks with these weights and delays on this many cores; none runs yet.
    pub fn new(slots: usize, tasks: impl IntoIterator<Item = (u32, Duration)>) -> Schedule {
        let task = |(weight, delay): (u32, _)| Task { weight: weight.max(1), delay, ..Task::default() };
        let tasks = tasks.into_iter().map(task).collect();
        Schedule { slots: slots.max(1), tasks, elapsed: Duration::ZERO }
    }

    /// Time has passed in which those ran who were to run.
    pub fn pass(&mut self, time: Duration) {
        self.elapsed += time;
        for task in self.tasks.iter_mut().filter(|task| task.running) {
            task.used += time;
        }
    }

    /// A task is over.
    pub fn finish(&mut self, task: usize) {
        self.tasks[task].done = true;
        self.tasks[task].running = false;
    }

    /// A task is about to give an answer: it goes first.
    pub fn prioritise(&mut self, task: usize) {
        self.tasks[task].urgent = true;
    }

    /// How many cores are in use.
    fn load(&self) -> usize {
        self.tasks.iter().filter(|task| task.running).count()
    }

    /// Whether a task runs.
    pub fn is_running(&self, task: usize) -> bool {
        self.tasks[task].running
    }

    /// Whether all tasks are over.
    pub fn is_over(&self) -> bool {
        self.tasks.iter().all(|task| task.done)
    }

    /// How much time a task has had.
    pub fn used(&self, task: usize) -> Duration {
        self.tasks[task].used
    }

    /// How long a turn is now.
    pub fn turn(&self) -> Duration {
        (self.elapsed / TURNS).clamp(SHORTEST, LONGEST)
    }

    /// Whether a core is free that a task could use, or a task waits that has to go first.
    pub fn needs_turn(&self) -> bool {
        let is_full = self.load() >= self.slots;
        self.tasks.iter().any(|task| !task.running && !task.done && (task.urgent || !is_full))
    }

    /// Chooses who runs in the next turn; gives the tasks that have to be stopped and those that have to be
    /// started or continued.
    pub fn next_turn(&mut self) -> (Vec<usize>, Vec<usize>) {
        self.admit();
        let mut order: Vec<usize> = (0..self.tasks.len()).filter(|&i| !self.tasks[i].done).collect();
        order.sort_by(|&a, &b| self.rank(a).cmp(&self.rank(b)).then(a.cmp(&b)));
        let (mut stop, mut start) = (Vec::new(), Vec::new());
        let mut free = self.slots;
        for &i in &order {
            let runs = free > 0;
            free -= usize::from(runs);
            let task = &mut self.tasks[i];
            match (task.running, runs) {
                (true, false) => stop.push(i),
                (false, true) => start.push(i),
                _ => {}
            }
            task.running = runs;
        }
        self.check_invariants();
        (stop, start)
    }

    /// Lets those take part from now on whose delay is over, as if they had had as much time as who had the least.
    fn admit(&mut self) {
        let least = self.tasks.iter().filter(|task| !task.done && task.start.is_some());
        let least = least.map(Task::time).min().unwrap_or_default();
        for task in self.tasks.iter_mut().filter(|task| task.start.is_none()) {
            if self.elapsed >= task.delay || task.running {
                task.start = Some(least);
            }
        }
    }

    /// The less the sooner: who goes first, then who may run already, then by time and weight.
    fn rank(&self, i: usize) -> (bool, bool, Duration) {
        let task = &self.tasks[i];
        (!task.urgent, self.elapsed < task.delay, task.time())
    }

    fn check_invariants(&self) {
        let mut running = self.tasks.iter().filter(|task| task.running);
        debug_assert!(self.load() <= self.slots);
        debug_assert!(running.all(|task| !task.done));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// Runs turns until the time is over; gives the time of each task.
    fn run(schedule: &mut Schedule, count: usize, time: Duration) -> Vec<Duration> {
        while schedule.elapsed < time {
            schedule.next_turn();
            schedule.pass(schedule.turn());
        }
        (0..count).map(|i| schedule.used(i)).collect()
    }

    #[test]
    fn time_is_shared_by_weight() {
        let mut schedule = Schedule::new(1, [(2, ms(0)), (1, ms(0)), (1, ms(0))]);
        let used = run(&mut schedule, 3, ms(40_000));
        assert!(used[0] > ms(19_000) && used[0] < ms(21_000), "{used:?}");
        assert!(used[1] > ms(9_000) && used[2] > ms(9_000), "{used:?}");
        assert_eq!(used.iter().sum::<Duration>(), schedule.elapsed);
    }

    #[test]
    fn no_more_run_than_there_are_cores() {
        let mut schedule = Schedule::new(2, [(1, ms(0)); 5]);
        let used = run(&mut schedule, 5, ms(10_000));
        assert_eq!(used.iter().sum::<Duration>(), 2 * schedule.elapsed);
    }

    #[test]
    fn delays_hold_only_where_others_are_there() {
        let mut schedule = Schedule::new(1, [(1, ms(300)), (1, ms(0))]);
        assert_eq!(schedule.next_turn(), (vec![], vec![1]));
        schedule.pass(ms(100));
        assert_eq!(schedule.next_turn(), (vec![], vec![]));
        schedule.finish(1);
        assert!(schedule.needs_turn());
        assert_eq!(schedule.next_turn(), (vec![], vec![0]));
        assert!(!schedule.needs_turn());
        let mut both = Schedule::new(2, [(1, ms(300)), (1, ms(0))]);
        assert_eq!(both.next_turn(), (vec![], vec![1, 0]));
    }

    #[test]
    fn who_begins_late_does_not_make_up_for_the_time_before() {
        let mut schedule = Schedule::new(1, [(3, ms(0)), (1, ms(4_000))]);
        let used = run(&mut schedule, 2, ms(4_000));
        assert_eq!(used[1], ms(0));
        let then = run(&mut schedule, 2, ms(8_000));
        let later = [then[0] - used[0], then[1]];
        assert!(later[0] > ms(2_500) && later[1] > ms(600), "{later:?}");
    }

    #[test]
    fn who_is_prioritised_goes_first() {
        let mut schedule = Schedule::new(1, [(1, ms(0)), (1, ms(0))]);
        schedule.next_turn();
        schedule.pass(ms(50));
        assert_eq!(schedule.next_turn(), (vec![0], vec![1]));
        schedule.prioritise(0);
        assert!(schedule.needs_turn());
        assert_eq!(schedule.next_turn(), (vec![1], vec![0]));
        schedule.pass(ms(5_000));
        assert_eq!(schedule.next_turn(), (vec![], vec![]));
        schedule.finish(0);
        assert_eq!(schedule.next_turn(), (vec![], vec![1]));
        schedule.finish(1);
        assert!(schedule.is_over());
    }
}
