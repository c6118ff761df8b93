//! Limits of a run: time, memory and signals stop the search.
//!
//! What runs below sees nothing of this but a stop token. The thread of the clock looks at the limits every few
//! milliseconds; a search that asks its token ends soon after. If something does not ask its token for long, that
//! thread gives the answer `unknown` itself and ends the program: a limit is kept whatever happens. It also shows
//! where a long run is, if standard error is a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use libshem::Limits;
use shem_base::{Meter, StopToken};
use shem_decide::clock::{self, Scheduled};
use shem_decide::{Cause, MEGABYTE};
use shem_engine::{Events, Progress};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::memory;

/// Between two looks.
const PERIOD: Duration = Duration::from_millis(10);
/// How long a search may go on after it was asked to stop.
const GRACE: Duration = Duration::from_millis(500);
/// How long a run takes before its progress is shown, and how often then.
const PATIENCE: Duration = Duration::from_secs(1);
const REFRESH: Duration = Duration::from_millis(200);

/// What the thread watches at the moment.
struct Watched {
    token: StopToken,
    /// The limit of this search alone.
    deadline: Option<(Instant, Duration)>,
    stopped: Option<(Instant, Cause)>,
}

struct Shared {
    started: Instant,
    limits: Limits,
    watched: Mutex<Option<Watched>>,
    /// The first cause that concerns the whole run.
    fatal: Mutex<Option<Cause>>,
    interrupt: Arc<AtomicBool>,
    terminate: Arc<AtomicBool>,
    depth: AtomicU64,
    lemmas: AtomicU64,
    engine: Mutex<&'static str>,
    /// Counts the queries of the engine, and when it began.
    meter: Mutex<Option<(Meter, Instant)>>,
    /// Whether standard error is a terminal, and whether a line stands there now.
    terminal: bool,
    shown: AtomicBool,
    /// What to print if the program has to be ended from here.
    last_words: fn(&Cause) -> String,
}

/// Watches a run.
pub(crate) struct Guard {
    shared: Arc<Shared>,
    /// The looks of the clock end with the guard.
    _looks: Scheduled,
}

/// Tells the guard where an engine is.
pub(crate) struct Board {
    shared: Arc<Shared>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Guard {
    /// Starts to watch: the run begins now. `last_words` makes the answer in case the program has to be ended.
    /// Signals count unless they are to be ignored, since somebody else deals with them.
    pub(crate) fn start(limits: Limits, ignore_signals: bool, last_words: fn(&Cause) -> String) -> Guard {
        let shared = Arc::new(Shared {
            started: Instant::now(),
            limits,
            watched: Mutex::new(None),
            fatal: Mutex::new(None),
            interrupt: Arc::default(),
            terminate: Arc::default(),
            depth: AtomicU64::new(0),
            lemmas: AtomicU64::new(0),
            engine: Mutex::new(""),
            meter: Mutex::new(None),
            terminal: io::stderr().is_terminal(),
            shown: AtomicBool::new(false),
            last_words,
        });
        let ignored = Arc::default();
        for (signal, flag) in [(SIGINT, &shared.interrupt), (SIGTERM, &shared.terminate)] {
            if ignore_signals {
                let _ = signal_hook::flag::register(signal, Arc::clone(&ignored));
                continue;
            }
            // Without a handler the signal does what it always does: the program is ended. So it does when the
            // signal comes a second time.
            let _ = signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(flag));
            let _ = signal_hook::flag::register(signal, Arc::clone(flag));
        }
        let watching = Arc::clone(&shared);
        let mut refreshed = shared.started;
        let looks = clock::repeat(PERIOD, move || {
            watching.look();
            let now = Instant::now();
            if now - watching.started >= PATIENCE && now - refreshed >= REFRESH {
                refreshed = now;
                watching.show();
            }
        });
        Guard { shared, _looks: looks }
    }

    /// Begins a part of the run, which may have a limit of its own. Its token is stopped at once if the whole
    /// run is over.
    pub(crate) fn begin(&self, time: Option<Duration>) -> StopToken {
        let token = StopToken::new();
        let fatal = {
            let mut fatal = lock(&self.shared.fatal);
            *fatal = fatal.or_else(|| self.shared.cause());
            *fatal
        };
        if fatal.is_some() {
            token.stop();
        }
        let now = Instant::now();
        *lock(&self.shared.watched) = Some(Watched {
            token: token.clone(),
            deadline: time.and_then(|limit| Some((now.checked_add(limit)?, limit))),
            stopped: fatal.map(|cause| (now, cause)),
        });
        token
    }

    /// Ends the part that was begun last: from now on the caller speaks. Gives the cause if the part was
    /// stopped.
    pub(crate) fn end(&self) -> Option<Cause> {
        let ended = lock(&self.shared.watched).take();
        self.clear();
        ended.and_then(|watched| watched.stopped).map(|(_, cause)| cause)
    }

    /// The cause, if the whole run is over.
    pub(crate) fn fatal(&self) -> Option<Cause> {
        *lock(&self.shared.fatal)
    }

    /// The time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.shared.started.elapsed()
    }

    /// Where engines tell of their progress.
    pub(crate) fn board(&self, engine: &'static str) -> Board {
        *lock(&self.shared.engine) = engine;
        Board { shared: Arc::clone(&self.shared) }
    }

    /// Takes the progress line away.
    fn clear(&self) {
        self.shared.clear();
    }
}

impl Board {
    /// From now on this engine is the one whose progress is told.
    pub(crate) fn name(&self, engine: &'static str) {
        *lock(&self.shared.engine) = engine;
    }

    /// Makes room for a message on standard error.
    pub(crate) fn clear(&self) {
        self.shared.clear();
    }
}

impl Shared {
    fn clear(&self) {
        if self.shown.swap(false, Ordering::Relaxed) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    /// The reason to end the whole run, if there is one.
    fn cause(&self) -> Option<Cause> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(Cause::Signal("SIGINT"));
        }
        if self.terminate.load(Ordering::Relaxed) {
            return Some(Cause::Signal("SIGTERM"));
        }
        if let Some(limit) = self.limits.memory
            && memory::used() > limit
        {
            return Some(Cause::Memory(limit));
        }
        self.limits.time.filter(|&limit| self.started.elapsed() >= limit).map(Cause::Time)
    }

    fn look(&self) {
        let mut fatal = lock(&self.fatal);
        if fatal.is_none() {
            *fatal = self.cause();
        }
        let fatal = *fatal;
        let mut watched = lock(&self.watched);
        let Some(part) = &mut *watched else { return };
        let now = Instant::now();
        if part.stopped.is_none() {
            let own = part.deadline.filter(|&(at, _)| at <= now).map(|(_, limit)| Cause::Time(limit));
            if let Some(cause) = fatal.or(own) {
                part.token.stop();
                part.stopped = Some((now, cause));
            }
        }
        if let Some((since, cause)) = part.stopped
            && now - since > GRACE
        {
            // The lock is held to the end: the other thread cannot answer any more.
            let _ = write!(io::stdout(), "{}", (self.last_words)(&cause));
            let _ = io::stdout().flush();
            let progress = self.progress_text();
            let _ = writeln!(io::stderr(), "shem: unknown: {cause} ({progress}; the search did not stop)");
            std::process::exit(0);
        }
    }

    /// Where the run is.
    fn progress_text(&self) -> String {
        let engine = *lock(&self.engine);
        format!(
            "{}: depth {}, lemmas {}{}, {} MB, {:.1} s",
            if engine.is_empty() { "reading" } else { engine },
            self.depth.load(Ordering::Relaxed),
            self.lemmas.load(Ordering::Relaxed),
            self.work_text(),
            memory::used() / MEGABYTE,
            self.started.elapsed().as_secs_f64()
        )
    }

    /// How much the engine has asked its solvers.
    fn work_text(&self) -> String {
        let meter = lock(&self.meter);
        let Some((meter, since)) = &*meter else { return String::new() };
        let reading = meter.read();
        let seconds = since.elapsed().as_secs_f64().max(1e-9);
        let share = |nanoseconds: u64| nanoseconds as f64 / 1e7 / seconds;
        format!(
            ", queries {} ({:.0}/s, {:.0} % of the time), interpolants {} ({:.0} %)",
            reading.queries,
            reading.queries as f64 / seconds,
            share(reading.query_time),
            reading.interpolations,
            share(reading.interpolation_time)
        )
    }

    /// Shows where the run is.
    fn show(&self) {
        let searching = lock(&self.watched).as_ref().is_some_and(|part| part.stopped.is_none());
        if !self.terminal || !searching {
            return;
        }
        let line = self.progress_text();
        self.shown.store(true, Ordering::Relaxed);
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
        let _ = io::stderr().flush();
    }
}

impl Events for Board {
    fn progress(&mut self, progress: Progress) {
        self.shared.depth.store(progress.depth, Ordering::Relaxed);
        self.shared.lemmas.store(progress.lemmas, Ordering::Relaxed);
    }

    fn metered(&mut self, meter: &Meter) {
        *lock(&self.shared.meter) = Some((meter.clone(), Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use shem_base::{CheckDepth, Work};

    use super::*;

    fn guard(limits: Limits) -> Guard {
        Guard::start(limits, false, |_| "unknown\n".to_owned())
    }

    /// Waits for the token, and says how long that took.
    fn wait(token: &StopToken) -> Duration {
        let start = Instant::now();
        while !token.is_stopped() {
            assert!(start.elapsed() < Duration::from_secs(20), "the token is never stopped");
            thread::sleep(Duration::from_millis(1));
        }
        start.elapsed()
    }

    #[test]
    fn the_limit_of_the_run_holds_for_all_parts() {
        let limit = Duration::from_millis(30);
        let guard = guard(Limits { time: Some(limit), memory: None });
        let first = guard.begin(None);
        wait(&first);
        assert_eq!(guard.end(), Some(Cause::Time(limit)));
        assert!(guard.begin(None).is_stopped());
        assert_eq!(guard.end(), Some(Cause::Time(limit)));
        assert_eq!(guard.fatal(), Some(Cause::Time(limit)));
    }

    #[test]
    fn the_limit_of_a_part_is_its_own() {
        let guard = guard(Limits::default());
        let limit = Duration::from_millis(5);
        let first = guard.begin(Some(limit));
        wait(&first);
        assert_eq!(guard.end(), Some(Cause::Time(limit)));
        let second = guard.begin(None);
        thread::sleep(Duration::from_millis(30));
        assert!(!second.is_stopped());
        assert_eq!(guard.end(), None);
        assert_eq!(guard.fatal(), None);
    }

    #[test]
    fn progress_is_shown_in_words() {
        let guard = guard(Limits::default());
        assert!(guard.shared.progress_text().starts_with("reading: depth 0, lemmas 0, "));
        let mut board = guard.board("bmc");
        board.progress(Progress { depth: 7, lemmas: 3 });
        assert!(guard.shared.progress_text().starts_with("bmc: depth 7, lemmas 3, "));
        let meter = Meter::new(|| 0);
        board.metered(&meter);
        let since = meter.begin();
        meter.end(since, Work::Query { depth: CheckDepth::Theory, sat: true });
        let text = guard.shared.progress_text();
        assert!(text.starts_with("bmc: depth 7, lemmas 3, queries 1 ("), "{text}");
    }
}
