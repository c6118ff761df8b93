//! Several engines on virtual cores, in rounds that are counted in work: what comes out depends on neither load nor
//! machine.
//!
//! Work is what the engines' loops count ([`shem_base::add_work`]); it depends on the problem and the seed alone. In a
//! round each engine is given the same number of units of work or, where there are more engines than virtual cores, units
//! by its weight. It pays at each look at its stop token ([`Pace`]), and where it has overdrawn, it waits until the units
//! of later rounds have made up for that. The first that it pays for is what was prepared before. Engines of a round run side
//! by side, as many as there are real cores, but what they have found is taken in their order: that of the second counts
//! only when the first has used its units. What one tells the others in a round arrives in the next
//! ([`Hub::in_rounds`]). So the number of real cores changes how long a run takes, and nothing else. Rounds grow with the
//! virtual time that has passed, as the turns of processes do.
//!
//! A round takes as much virtual time as its virtual cores need for it. A second is [`UNITS_A_SECOND`] units; by engine and
//! problem it is between a quarter and four times as many, so virtual seconds are roughly real ones.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use shem_base::{Pace, Statistics, StopToken, work_done};
use shem_chc::{Fingerprint, System};
use shem_engine::{Preparation, Progress};
use shem_exchange::{Hub, HubPort, QUEUE_CAPACITY};
use shem_term::Store;

use super::threads::{Member, Team, message_of, run_member};
use super::{Ending, Event, Runner};
use crate::answer::Status;
use crate::evidence::Claim;
use crate::judge::Accepted;
use crate::observer::{Observer, Running};
use crate::prepare::{Prepared, Variant};
use crate::reason::Undecided;
use crate::translation::Translation;

/// The units of work that stand for a second, where something is said in seconds.
const UNITS_A_SECOND: u64 = 60_000_000;

/// The units of an engine of weight 1 in a round are no fewer and no more than this.
const FEWEST: u64 = UNITS_A_SECOND / 50;
const MOST: u64 = UNITS_A_SECOND / 5;
/// How many rounds fit into the time so far, between these limits.
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

/// The figures of a run that took so many units of virtual time, and of work.
pub fn virtual_figures(cores: usize, time: u64, work: u64) -> Statistics {
    let mut statistics = Statistics::new();
    statistics.set("virtual.cores", cores as u64);
    statistics.set("virtual.seconds", time as f64 / UNITS_A_SECOND as f64);
    statistics.set("virtual.work", work);
    statistics
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
    left: Arc<AtomicI64>,
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
    /// The fingerprint of the graph that its messages are about.
    about: Fingerprint,
    engine: &'static str,
    name: String,
    weight: u64,
    /// From when on it takes part, while others do.
    delay: u64,
    /// The units that it has left; negative if it has overdrawn.
    left: Arc<AtomicI64>,
    ended: bool,
    progress: Arc<Mutex<Progress>>,
}

/// How much there is to run on.
#[derive(Clone, Copy, Debug)]
pub struct Cores {
    /// The cores that virtual time is counted for.
    pub virtual_cores: usize,
    /// How many engines run at a time.
    pub real_cores: usize,
}

/// Virtual time, and the work of all engines in it, in units.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    time: u64,
    work: u64,
}

impl Cost {
    fn add(&mut self, more: Cost) {
        self.time += more.time;
        self.work += more.work;
    }

    /// A part of it: so many of so many.
    fn part(self, (some, all): (u64, u64)) -> Cost {
        let part = |number: u64| (u128::from(number) * u128::from(some) / u128::from(all.max(1))) as u64;
        Cost { time: part(self.time), work: part(self.work) }
    }
}

/// Runs engines in rounds.
pub struct Rounds {
    places: Vec<Place>,
    team: Team,
    /// Between members that see integers and those that see bits.
    translation: Option<Translation>,
    hub: Hub,
    board: Arc<Board>,
    stop: StopToken,
    threads: Vec<JoinHandle<()>>,
    cores: Cores,
    /// The members of this round with their units, and the one that is waited for.
    round: Vec<(usize, u64)>,
    at: usize,
    /// How many members of this round have been let go.
    granted: usize,
    /// The rounds so far, without this one.
    elapsed: Cost,
    /// When the last event happened, and the work of this thread at that time: from then on an answer is judged.
    last: (Cost, u64),
    /// The work of this thread before the rounds began.
    before: u64,
    /// The virtual time for a verdict.
    limit: Option<Duration>,
}

impl Rounds {
    /// The members with their weights and delays. All graphs are prepared now: terms must not depend on who is started
    /// when. What was prepared for all has taken so much work; there may be a limit of virtual time for a verdict.
    pub fn new(
        store: &mut Store,
        prepared: &mut Prepared,
        team: Team,
        members: Vec<(Member, u32, Duration)>,
        cores: Cores,
        (before, limit): (u64, Option<Duration>),
        stop: &StopToken,
    ) -> Rounds {
        let board = Board::default();
        board.lock().extend(members.iter().map(|_| State::New));
        let seen: Vec<Preparation> = members.iter().map(|(member, ..)| member.engine.preparation()).collect();
        let hub = Hub::in_rounds(members.len() + 1, QUEUE_CAPACITY);
        let own = hub.endpoint(members.len());
        let mut translation = if team.share.invariants && Preparation::differ_in_bits(seen) {
            Some(Translation::new(Box::new(own), prepared, stop.clone()))
        } else {
            own.close();
            None
        };
        let since = work_done();
        let place = |(member, weight, delay): (Member, u32, Duration)| {
            let (variant, common) = member.graphs(store, prepared, stop);
            if let Some(translation) = &mut translation {
                translation.add(store, &common);
            }
            // As among processes, graphs are prepared one after the other, each before its engines start.
            let cost = work_done().saturating_sub(since) as i64;
            Place {
                about: common.fingerprint(store),
                variant,
                engine: member.engine.name(),
                name: member.name.clone(),
                weight: u64::from(weight.max(1)),
                delay: work_for(delay),
                left: Arc::new(AtomicI64::new(-cost)),
                ended: false,
                progress: Arc::default(),
                member: Some(member),
            }
        };
        let places = members.into_iter().map(place).collect();
        Rounds {
            places,
            team,
            translation,
            hub,
            board: Arc::new(board),
            stop: stop.clone(),
            threads: Vec::new(),
            cores,
            round: Vec::new(),
            at: 0,
            granted: 0,
            elapsed: Cost::default(),
            last: (Cost::default(), work_done()),
            before,
            limit,
        }
    }

    /// What this round costs.
    fn cost(&self) -> Cost {
        let work: u64 = self.round.iter().map(|(_, units)| units).sum();
        let longest = self.round.iter().map(|&(_, units)| units).max().unwrap_or(0);
        Cost { time: longest.max(work / self.cores.virtual_cores.max(1) as u64), work }
    }

    /// Ends a round and begins the next with those that may take part. `false` if all have ended.
    fn begin_round(&mut self, store: &mut Store) -> bool {
        self.elapsed.add(self.cost());
        self.last = (self.elapsed, work_done());
        self.hub.deliver();
        if let Some(translation) = &mut self.translation {
            translation.translate(store);
        }
        let rest = || self.places.iter().enumerate().filter(|(_, place)| !place.ended);
        let mut delays: Vec<u64> = rest().map(|(_, place)| place.delay).collect();
        delays.sort_unstable();
        delays.truncate(self.cores.virtual_cores.max(1));
        let Some(&last) = delays.last() else { return false };
        // Delays hold only where others keep the cores busy.
        let from = self.elapsed.time.max(last);
        let members: Vec<usize> = rest().filter(|(_, place)| place.delay <= from).map(|(i, _)| i).collect();
        let quantum = (self.elapsed.time / ROUNDS).clamp(FEWEST, MOST);
        let by_weight = members.len() > self.cores.virtual_cores;
        let units = |i: usize| if by_weight { quantum * self.places[i].weight } else { quantum };
        self.round = members.into_iter().map(|i| (i, units(i))).collect();
        (self.at, self.granted) = (0, 0);
        log::trace!("a round of {} engines, {quantum} units of work for each", self.round.len());
        true
    }

    /// When a member of this round has ended: it has used a part of its units, and the others the same part of theirs.
    fn moment(&self, (i, units): (usize, u64)) -> Cost {
        let left = u64::try_from(self.places[i].left.load(Ordering::Relaxed)).unwrap_or(0);
        let mut moment = self.elapsed;
        moment.add(self.cost().part((units.saturating_sub(left), units)));
        moment
    }

    /// Lets members of the round go as long as there are cores.
    fn grant(&mut self, store: &Store) {
        loop {
            let running = {
                let states = self.board.lock();
                let round = self.round[..self.granted].iter();
                round.filter(|(i, _)| matches!(states[*i], State::Granted(_) | State::Running)).count()
            };
            let is_free = running < self.cores.real_cores.max(1);
            let Some(&(i, units)) = self.round.get(self.granted).filter(|_| is_free) else { return };
            self.granted += 1;
            self.board.set(i, State::Granted(units));
            self.start(i, store);
        }
    }

    /// Starts a member, unless it has been.
    fn start(&mut self, number: usize, store: &Store) {
        let place = &mut self.places[number];
        let Some(member) = place.member.take() else { return };
        log::debug!("running {} in rounds", place.name);
        let gate = Gate { number, left: Arc::clone(&place.left), board: Arc::clone(&self.board) };
        let stop = StopToken::paced(&self.stop, gate);
        let port = HubPort::new(self.hub.endpoint(number), number as u64, self.team.share);
        let port = (!self.team.share.is_none()).then_some(port);
        let (board, progress) = (Arc::clone(&self.board), Arc::clone(&place.progress));
        let (store, team, by) = (Box::new(store.clone()), self.team.clone(), place.name.clone());
        let (variant, about) = (Arc::clone(&place.variant), place.about);
        let name = by.clone();
        let body = move || {
            // The first look, which nothing has been given for, waits for the first round.
            stop.is_stopped();
            let run = || run_member((number, member), progress, port, store, (variant, about, &team), &stop);
            let event = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Event::Failed {
                by,
                what: format!("it panicked: {}", message_of(&*panic)),
            });
            // It ends when all that it has done is paid for.
            stop.is_stopped();
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
            sent: self.hub.endpoint(i).sent(),
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
            if self.at == self.round.len() {
                if !self.begin_round(store) {
                    return Event::Over;
                }
                if let Some(time) = self.limit.filter(|&limit| self.elapsed.time >= work_for(limit)) {
                    self.places.iter_mut().for_each(|place| place.ended = true);
                    self.round.clear();
                    let (reason, statistics) = (Undecided::VerdictTime(time), Statistics::new());
                    return Event::GaveUp { by: String::new(), reason, statistics };
                }
            }
            self.grant(store);
            let (i, units) = self.round[self.at];
            match self.wait_for(i) {
                Poll::Pending => {
                    self.show(observer);
                    return Event::Nothing;
                }
                Poll::Ready(event) if event.is_none() || self.places[i].ended => self.at += 1,
                Poll::Ready(event) => {
                    self.at += 1;
                    self.places[i].ended = true;
                    self.last = (self.moment((i, units)), work_done());
                    return event.unwrap_or(Event::Nothing);
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

    fn release(&mut self, member: usize) {
        // Its thread waits from the end of this round on: what it tells others before must not depend on when it ends.
        self.places[member].ended = true;
    }

    fn finish(&mut self, _: &mut Store, _: &System, _: Option<&Accepted>) -> Ending {
        self.end();
        let since = Instant::now();
        while self.threads.iter().any(|thread| !thread.is_finished()) && since.elapsed() < THREAD_END_TIME {
            thread::sleep(Duration::from_millis(1));
        }
        let (Cost { time, work }, since) = self.last;
        let own = work_done().saturating_sub(since) + self.before;
        let mut statistics = virtual_figures(self.cores.virtual_cores, time + own, work + own);
        if let Some(translation) = &self.translation {
            statistics.merge_prefixed("portfolio", &translation.statistics());
        }
        Ending { statistics, ..Ending::default() }
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
        let gate = Gate { number: 0, left: Arc::default(), board: Arc::clone(&board) };
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
