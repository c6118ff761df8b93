//! Several engines in rounds that are counted in work: what comes out depends on neither load nor machine.
//!
//! Work is what the engines' loops count ([`shem_base::add_work`]); it depends on the problem and the seed alone. In a
//! round each engine is given units of work, by its weight. It pays at each look at its stop token ([`Pace`]), and where
//! it has overdrawn, it waits until the units of later rounds have made up for that. Engines of a round run side by
//! side, as many as there are cores, but what they have found is taken in their order: that of the second counts only
//! when the first has used its units. So the number of cores changes how long a run takes, and nothing else. Rounds grow
//! with what has been done, as the turns of processes do.
//!
//! Engines exchange nothing here: when a lemma arrives would depend on time. A second is about [`UNITS_A_SECOND`] units, by
//! engine and problem between a quarter and four times as many, so engines get their share of the time only roughly.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use shem_base::{Pace, StopToken};
use shem_chc::System;
use shem_engine::Progress;
use shem_term::Store;

use super::threads::{Member, Team, message_of, run_member};
use super::{Ending, Event, Runner};
use crate::answer::Status;
use crate::evidence::Claim;
use crate::judge::Accepted;
use crate::observer::{Observer, Running};
use crate::prepare::{Prepared, Variant};

/// The units of work that stand for a second, where something is said in seconds.
const UNITS_A_SECOND: u64 = 60_000_000;

/// The units of an engine of weight 1 in a round are no fewer and no more than this.
const FEWEST: u64 = UNITS_A_SECOND / 50;
const MOST: u64 = UNITS_A_SECOND;
/// How many rounds fit into the work so far, between these limits.
const ROUNDS: u64 = 20;

/// Between two looks at the outer stop token.
const PERIOD: Duration = Duration::from_millis(10);

/// How long threads that were stopped are waited for.
const THREAD_END_TIME: Duration = Duration::from_millis(200);

/// The units of work that stand for a time.
pub(crate) fn work_for(time: Duration) -> u64 {
    let units = time.as_secs_f64() * UNITS_A_SECOND as f64;
    // What is too large becomes the greatest number.
    units as u64
}

/// What a member does.
enum State {
    /// It was not started.
    New,
    /// It may do so many units of work.
    Granted(u64),
    /// It works.
    Running,
    /// It has done its work.
    Waiting,
    /// It has ended, with this; nothing if that was taken.
    Ended(Option<Box<Event>>),
    /// It is to end.
    Over,
}

/// What all members do.
#[derive(Default)]
struct Board {
    states: Mutex<Vec<State>>,
    changed: Condvar,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, Vec<State>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, number: usize, state: State) {
        self.lock()[number] = state;
        self.changed.notify_all();
    }
}

/// Takes from the units of a member, and makes it wait for the next round.
struct Gate {
    number: usize,
    /// The units left; negative if it has overdrawn. Only the member's thread changes this.
    left: AtomicI64,
    board: Arc<Board>,
}

impl Pace for Gate {
    fn go_on_after(&self, work: u64) -> bool {
        let left = self.left.load(Ordering::Relaxed).saturating_sub_unsigned(work);
        self.left.store(left, Ordering::Relaxed);
        left >= 0 || self.wait()
    }
}

impl Gate {
    /// Waits for units. `false` if there will be none.
    #[cold]
    fn wait(&self) -> bool {
        let mut states = self.board.lock();
        if matches!(states[self.number], State::Running) {
            states[self.number] = State::Waiting;
            self.board.changed.notify_all();
        }
        loop {
            match states[self.number] {
                State::Granted(units) => {
                    let left = self.left.load(Ordering::Relaxed).saturating_add_unsigned(units);
                    self.left.store(left, Ordering::Relaxed);
                    if left >= 0 {
                        states[self.number] = State::Running;
                        return true;
                    }
                    states[self.number] = State::Waiting;
                    self.board.changed.notify_all();
                }
                // Whoever builds the witness may look at the engine's token, too, and has limits of its own.
                State::Ended(_) => {
                    self.left.store(i64::MAX, Ordering::Relaxed);
                    return true;
                }
                State::Over => return false,
                State::New | State::Running | State::Waiting => {
                    states = self.board.changed.wait(states).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

/// A member with its place in the rounds.
struct Place {
    /// Until it is started.
    member: Option<Member>,
    variant: Arc<Variant>,
    engine: &'static str,
    name: String,
    weight: u64,
    /// From when on it takes part, while others do.
    delay: u64,
    ended: bool,
    progress: Arc<Mutex<Progress>>,
}

/// Runs engines in rounds.
pub struct Rounds {
    places: Vec<Place>,
    team: Team,
    board: Arc<Board>,
    stop: StopToken,
    threads: Vec<JoinHandle<()>>,
    /// How many run at a time.
    jobs: usize,
    /// The members of this round, and the one that is waited for.
    round: Vec<usize>,
    at: usize,
    /// How many members of this round have been let go.
    granted: usize,
    quantum: u64,
    /// The units that were given to all so far.
    elapsed: u64,
}

impl Rounds {
    /// The members with their weights and delays, of which so many run at a time. All graphs are prepared now: terms must
    /// not depend on who is started when.
    pub fn new(
        store: &mut Store,
        prepared: &mut Prepared,
        team: Team,
        members: Vec<(Member, u32, Duration)>,
        jobs: usize,
        stop: &StopToken,
    ) -> Rounds {
        let board = Board::default();
        board.lock().extend(members.iter().map(|_| State::New));
        let place = |(member, weight, delay): (Member, u32, Duration)| Place {
            variant: prepared.variant(store, member.engine.preparation(), stop),
            engine: member.engine.name(),
            name: member.name.clone(),
            weight: u64::from(weight.max(1)),
            delay: work_for(delay),
            ended: false,
            progress: Arc::default(),
            member: Some(member),
        };
        Rounds {
            places: members.into_iter().map(place).collect(),
            team,
            board: Arc::new(board),
            stop: stop.clone(),
            threads: Vec::new(),
            jobs: jobs.max(1),
            round: Vec::new(),
            at: 0,
            granted: 0,
            quantum: 0,
            elapsed: 0,
        }
    }

    /// Begins a round with those that may take part. `false` if all have ended.
    fn begin_round(&mut self) -> bool {
        let rest = || self.places.iter().enumerate().filter(|(_, place)| !place.ended);
        let first = rest().map(|(_, place)| place.delay).min();
        let Some(first) = first else { return false };
        let from = self.elapsed.max(first);
        self.round = rest().filter(|(_, place)| place.delay <= from).map(|(i, _)| i).collect();
        self.quantum = (self.elapsed / ROUNDS).clamp(FEWEST, MOST);
        (self.at, self.granted) = (0, 0);
        log::trace!(
            "a round of {} engines, {} units of work for each weight",
            self.round.len(),
            self.quantum
        );
        true
    }

    /// Lets members of the round go as long as there are cores.
    fn grant(&mut self, store: &Store) {
        loop {
            let running = {
                let states = self.board.lock();
                let round = self.round[..self.granted].iter();
                round.filter(|&&i| matches!(states[i], State::Granted(_) | State::Running)).count()
            };
            let Some(&i) = self.round.get(self.granted).filter(|_| running < self.jobs) else { return };
            self.granted += 1;
            let place = &mut self.places[i];
            let units = self.quantum * place.weight;
            self.elapsed += units;
            self.board.set(i, State::Granted(units));
            if place.member.is_some() {
                self.start(i, store);
            }
        }
    }

    fn start(&mut self, number: usize, store: &Store) {
        let place = &mut self.places[number];
        let Some(member) = place.member.take() else { return };
        log::debug!("running {} in rounds", place.name);
        let gate = Gate { number, left: AtomicI64::new(0), board: Arc::clone(&self.board) };
        let stop = StopToken::paced(&self.stop, gate);
        let (board, progress) = (Arc::clone(&self.board), Arc::clone(&place.progress));
        let (store, team, by) = (Box::new(store.clone()), self.team.clone(), place.name.clone());
        let variant = Arc::clone(&place.variant);
        let name = by.clone();
        let body = move || {
            // The first look, which nothing has been given for, waits for the first round.
            stop.is_stopped();
            let run = || run_member((number, member), progress, None, store, (variant, &team), &stop);
            let event = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Event::Failed {
                by,
                what: format!("it panicked: {}", message_of(&*panic)),
            });
            board.set(number, State::Ended(Some(Box::new(event))));
        };
        match thread::Builder::new().name(name).spawn(body) {
            Ok(thread) => self.threads.push(thread),
            Err(error) => {
                let what = format!("it cannot be started: {error}");
                let event = Event::Failed { by: self.places[number].name.clone(), what };
                self.board.set(number, State::Ended(Some(Box::new(event))));
            }
        }
    }

    /// Waits a little for the work of a member: what it has come to if it has ended, nothing if it has used its units.
    fn wait_for(&mut self, i: usize) -> Poll<Option<Event>> {
        let ready = |state: &mut State| match state {
            State::Ended(event) => Some(event.take()),
            State::Waiting => Some(None),
            _ => None,
        };
        let mut states = self.board.lock();
        if ready_yet(&states[i]) {
            return Poll::Ready(ready(&mut states[i]).flatten().map(|event| *event));
        }
        let waited = self.board.changed.wait_timeout(states, PERIOD);
        let (mut states, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match ready(&mut states[i]) {
            Some(event) => Poll::Ready(event.map(|event| *event)),
            None => Poll::Pending,
        }
    }

    /// Shows who is there.
    fn show(&self, observer: &mut dyn Observer) {
        let states = self.board.lock();
        let team = self.places.iter().enumerate().filter(|(_, place)| place.member.is_none() && !place.ended);
        let team = team.map(|(i, place)| Running {
            member: i,
            engine: place.engine,
            progress: *place.progress.lock().unwrap_or_else(PoisonError::into_inner),
            memory: None,
            has_turn: matches!(states[i], State::Granted(_) | State::Running),
            sent: 0,
            taken: 0,
        });
        observer.team(&team.collect::<Vec<_>>());
    }

    /// Asks all to end.
    fn end(&self) {
        for state in self.board.lock().iter_mut() {
            if !matches!(state, State::Ended(_)) {
                *state = State::Over;
            }
        }
        self.board.changed.notify_all();
    }
}

fn ready_yet(state: &State) -> bool {
    matches!(state, State::Ended(_) | State::Waiting)
}

impl Runner for Rounds {
    fn next(&mut self, store: &mut Store, _: &mut Prepared, observer: &mut dyn Observer) -> Event {
        loop {
            if self.at == self.round.len() && !self.begin_round() {
                return Event::Over;
            }
            self.grant(store);
            let i = self.round[self.at];
            match self.wait_for(i) {
                Poll::Pending => {
                    self.show(observer);
                    return Event::Nothing;
                }
                Poll::Ready(None) => self.at += 1,
                Poll::Ready(Some(event)) => {
                    self.at += 1;
                    self.places[i].ended = true;
                    return event;
                }
            }
        }
    }

    fn size(&self) -> usize {
        // As among processes, nothing counts that was not checked, even if there is only one.
        self.places.len().max(2)
    }

    fn opposition(&mut self, status: Status, _: bool) -> Poll<Option<Claim>> {
        self.end();
        // Who contradicts what was accepted is heard if it has ended, whether it was its turn or not.
        let found = self.board.lock().iter_mut().find_map(|state| match state {
            State::Ended(event) => match event.as_deref() {
                Some(Event::Claim(claim)) if claim.status != status => event.take(),
                _ => None,
            },
            _ => None,
        });
        Poll::Ready(match found.map(|event| *event) {
            Some(Event::Claim(claim)) => Some(claim),
            _ => None,
        })
    }

    fn reject(&mut self, _: usize) {}

    fn finish(&mut self, _: &mut Store, _: &System, _: Option<&Accepted>) -> Ending {
        self.end();
        let since = Instant::now();
        while self.threads.iter().any(|thread| !thread.is_finished()) && since.elapsed() < THREAD_END_TIME {
            thread::sleep(Duration::from_millis(1));
        }
        Ending::default()
    }
}

impl Drop for Rounds {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use shem_base::add_work;

    use super::*;

    #[test]
    fn times_become_work() {
        assert_eq!(work_for(Duration::from_millis(100)), UNITS_A_SECOND / 10);
        assert_eq!(work_for(Duration::ZERO), 0);
        assert_eq!(work_for(Duration::MAX), u64::MAX);
    }

    /// A gate makes its thread wait when its units are used up, and longer when it has overdrawn.
    #[test]
    fn a_gate_counts() {
        const EACH: u64 = 1_000_000;
        let board = Arc::new(Board::default());
        board.lock().push(State::Granted(3 * EACH));
        let gate = Gate { number: 0, left: AtomicI64::new(0), board: Arc::clone(&board) };
        let token = StopToken::paced(&StopToken::new(), gate);
        let looks = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&looks);
        let thread = thread::spawn(move || {
            while !token.is_stopped() {
                counted.fetch_add(1, Ordering::Relaxed);
                add_work(EACH as usize);
            }
        });
        // A look counts a little itself, so what was given never suffices to the last unit. After the fourth look the
        // thread has overdrawn by half of EACH, for which the next units do not make up.
        for (expected, next) in [(3, EACH / 2), (4, EACH / 4), (4, 5 * EACH), (9, EACH)] {
            while !ready_yet(&board.lock()[0]) {
                thread::yield_now();
            }
            assert_eq!(looks.load(Ordering::Relaxed), expected);
            board.set(0, State::Granted(next));
        }
        while !ready_yet(&board.lock()[0]) {
            thread::yield_now();
        }
        board.set(0, State::Over);
        thread.join().expect("it ends");
        assert_eq!(looks.load(Ordering::Relaxed), 10);
    }
}
