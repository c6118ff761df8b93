//! Limits of a run: time, memory and signals stop the search.
//!
//! A search sees nothing of this but a stop token. The thread of the clock looks at the limits every few
//! milliseconds; a search that asks its token ends soon after. If something does not ask its token for long, that
//! thread gives the answer `unknown` itself and ends the program: a limit is kept whatever happens. It also shows
//! where a long run is, if standard error is a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shem_base::{Meter, StopToken};
use shem_decide::allocator;
use shem_decide::clock::{self, Scheduled};
use shem_decide::{Cause, MEGABYTE, Running, Stopped};
use shem_engine::Progress;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::horn::json;

/// How often the limits are looked at.
const PERIOD: Duration = Duration::from_millis(10);
/// How long a run takes before its progress is shown, and how often the line is written anew.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);
const PROGRESS_PERIOD: Duration = Duration::from_millis(200);

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerFormat {
    /// As a word.
    Word,
    /// As a word about runs.
    Termination,
    /// As an object of JSON.
    Json,
}

impl AnswerFormat {
    /// The answer `unknown` for a program that has no memory left to write it with. As JSON it has what the form demands;
    /// the answers to earlier checks are lost.
    fn out_of_memory(self) -> &'static [u8] {
        match self {
            AnswerFormat::Word => b"unknown\n",
            AnswerFormat::Termination => b"MAYBE\n",
            AnswerFormat::Json => concat!(
                "{\"version\":2,\"shem\":\"",
                env!("CARGO_PKG_VERSION"),
                "\",\"checks\":[{\"answer\":\"unknown\",\"reason\":\"out of memory\"}],\"exit_code\":0}\n"
            )
            .as_bytes(),
        }
    }
}

/// A part of a run: reading, or a check.
struct Part {
    token: StopToken,
    /// Whether the program owes an answer if it has to be ended now.
    owed: bool,
    /// The limit of this part alone.
    deadline: Option<(Instant, Duration)>,
    stopped: Option<Stopped>,
}

/// What is stopped when a limit is reached.
#[derive(Default)]
struct Watched {
    /// The first cause that concerns the whole run.
    fatal: Option<Cause>,
    part: Option<Part>,
}

/// What the progress line shows of engines.
struct EngineState {
    name: &'static str,
    progress: Progress,
    /// The meter of its queries, and when it began.
    meter: Option<(Meter, Instant)>,
    /// All engines, if there are several.
    team: Vec<Running>,
}

struct Shared {
    started: Instant,
    /// Limits of the whole run: how long it may take, and how many bytes may be in use.
    time: Option<Duration>,
    memory: Option<usize>,
    format: AnswerFormat,
    /// The answers that were found and not written yet, as JSON.
    answers: Mutex<Vec<Value>>,
    watched: Mutex<Watched>,
    engine: Mutex<EngineState>,
    /// Signals that came.
    interrupted: Arc<AtomicBool>,
    terminated: Arc<AtomicBool>,
    /// Whether standard error is a terminal, and whether the progress line stands there now.
    terminal: bool,
    shown: AtomicBool,
}

/// Watches a run.
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    /// What the clock does for the watchdog ends with it.
    _scheduled: Scheduled,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watchdog {
    /// Starts to watch: the run begins now. The format is that of the answer if the program has to be ended.
    pub(crate) fn start(time: Option<Duration>, memory: Option<usize>, format: AnswerFormat) -> Watchdog {
        allocator::set_limit(memory, format.out_of_memory());
        let shared = Arc::new(Shared {
            started: Instant::now(),
            time,
            memory,
            format,
            answers: Mutex::default(),
            watched: Mutex::default(),
            engine: Mutex::new(EngineState {
                name: "reading",
                progress: Progress::default(),
                meter: None,
                team: Vec::new(),
            }),
            interrupted: Arc::default(),
            terminated: Arc::default(),
            terminal: io::stderr().is_terminal(),
            shown: AtomicBool::new(false),
        });
        shared.watch_signals();
        let watching = Arc::clone(&shared);
        let mut refreshed = shared.started;
        let scheduled = clock::repeat(PERIOD, move || {
            watching.keep_limits();
            let now = Instant::now();
            if now - watching.started >= PROGRESS_DELAY && now - refreshed >= PROGRESS_PERIOD {
                refreshed = now;
                watching.show_progress();
            }
        });
        Watchdog { shared, _scheduled: scheduled }
    }

    /// Begins a part of the run, which may have a limit of its own. Its token is stopped at once if the whole
    /// run is over.
    pub(crate) fn begin(&self, time: Option<Duration>) -> StopToken {
        self.begin_part(time, true)
    }

    /// Begins to read. Whether an answer is owed meanwhile depends on what was answered before.
    pub(crate) fn begin_reading(&self, owed: bool) -> StopToken {
        self.begin_part(None, owed)
    }

    fn begin_part(&self, time: Option<Duration>, owed: bool) -> StopToken {
        allocator::set_answer_owed(owed);
        let token = StopToken::new();
        let deadline = time.and_then(|limit| Some((Instant::now().checked_add(limit)?, limit)));
        let mut watched = lock(&self.shared.watched);
        watched.part = Some(Part { token: token.clone(), owed, deadline, stopped: None });
        self.shared.stop_if_over(&mut watched);
        token
    }

    /// Ends the part that was begun last: from now on the caller answers. Gives the cause if the part was
    /// stopped.
    pub(crate) fn end(&self) -> Option<Cause> {
        let ended = lock(&self.shared.watched).part.take();
        allocator::set_answer_owed(false);
        self.clear_progress();
        ended.and_then(|part| part.stopped).map(|stopped| stopped.cause)
    }

    /// Keeps an answer that is written at the end only, in case that the program has to be ended before.
    pub(crate) fn keep(&self, answer: &Value) {
        lock(&self.shared.answers).push(answer.clone());
    }

    /// The cause, if the whole run is over.
    pub(crate) fn fatal(&self) -> Option<Cause> {
        lock(&self.shared.watched).fatal
    }

    /// The time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.shared.started.elapsed()
    }

    /// From now on this engine is the one whose progress is shown.
    pub(crate) fn set_engine(&self, name: &'static str) {
        let mut engine = lock(&self.shared.engine);
        engine.name = name;
        engine.team.clear();
    }

    /// From now on the progress of all of these is shown.
    pub(crate) fn set_team(&self, team: &[Running]) {
        lock(&self.shared.engine).team = team.to_vec();
    }

    /// How far the engine is.
    pub(crate) fn set_progress(&self, progress: Progress) {
        lock(&self.shared.engine).progress = progress;
    }

    /// The engine's queries are counted here.
    pub(crate) fn set_meter(&self, meter: &Meter) {
        lock(&self.shared.engine).meter = Some((meter.clone(), Instant::now()));
    }

    /// Takes the progress line away, to make room for a message on standard error.
    pub(crate) fn clear_progress(&self) {
        if self.shared.shown.swap(false, Ordering::Relaxed) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// From now on signals do not end the program.
pub(crate) fn ignore_signals() {
    for signal in [SIGINT, SIGTERM] {
        let _ = flag::register(signal, Arc::default());
    }
}

/// The exit code of a program that a signal of this name has ended, as shells have it.
pub(crate) fn exit_code_of(signal: &str) -> u8 {
    if signal == "SIGINT" { 130 } else { 143 }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        allocator::set_limit(None, b"");
    }
}

impl Shared {
    /// The reason to end the whole run, if there is one.
    fn cause(&self) -> Option<Cause> {
        let memory = self.memory.filter(|&limit| allocator::used() > limit).map(Cause::Memory);
        let time = self.time.filter(|&limit| self.started.elapsed() >= limit).map(Cause::Time);
        self.signal().map(Cause::Signal).or(memory).or(time)
    }

    /// From now on signals are noticed. Where there can be no handler, the signal ends the program.
    fn watch_signals(&self) {
        for (signal, came) in [(SIGINT, &self.interrupted), (SIGTERM, &self.terminated)] {
            // A signal that comes a second time ends the program at once.
            let _ = flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(came));
            let _ = flag::register(signal, Arc::clone(came));
        }
    }

    /// The signal that came.
    fn signal(&self) -> Option<&'static str> {
        let signals = [("SIGINT", &self.interrupted), ("SIGTERM", &self.terminated)];
        signals.into_iter().find(|(_, came)| came.load(Ordering::Relaxed)).map(|(name, _)| name)
    }

    /// Stops the part that runs if a limit of the run, or its own, is reached.
    fn stop_if_over(&self, watched: &mut Watched) {
        watched.fatal = watched.fatal.or_else(|| self.cause());
        let Some(part) = &mut watched.part else { return };
        let now = Instant::now();
        let own = part.deadline.filter(|&(at, _)| at <= now).map(|(_, limit)| Cause::Time(limit));
        if part.stopped.is_none()
            && let Some(cause) = watched.fatal.or(own)
        {
            part.token.stop();
            part.stopped = Some(Stopped::new(cause));
        }
    }

    /// Stops the part that runs if a limit is reached, and ends the program if the part does not end then.
    fn keep_limits(&self) {
        let mut watched = lock(&self.watched);
        self.stop_if_over(&mut watched);
        if let Some(part) = &watched.part
            && let Some(stopped) = &part.stopped
            && stopped.is_over(watched.fatal.is_some())
        {
            let cause = stopped.cause;
            // The lock is held to the end: the other thread cannot answer any more.
            let answer = match self.format {
                AnswerFormat::Json => json_unknown(&lock(&self.answers), part.owed.then_some(&cause)),
                AnswerFormat::Word => (if part.owed { "unknown\n" } else { "" }).to_owned(),
                AnswerFormat::Termination => (if part.owed { "MAYBE\n" } else { "" }).to_owned(),
            };
            let _ = write!(io::stdout(), "{answer}");
            let _ = io::stdout().flush();
            let _ = match part.owed {
                true => {
                    let progress = self.progress_text();
                    writeln!(io::stderr(), "shem: unknown: {cause} ({progress}; the search did not stop)")
                }
                false => writeln!(io::stderr(), "shem: {cause}"),
            };
            let code = if let Cause::Signal(signal) = cause { exit_code_of(signal) } else { 0 };
            std::process::exit(code.into());
        }
    }

    /// Where the run is.
    fn progress_text(&self) -> String {
        let engine = lock(&self.engine);
        let seconds = self.started.elapsed().as_secs_f64();
        if !engine.team.is_empty() {
            return team_text(&engine.team, seconds, allocator::used());
        }
        format!(
            "{}: depth {}, lemmas {}{}, {} MB, {:.1} s",
            engine.name,
            engine.progress.depth,
            engine.progress.lemmas,
            engine.meter.as_ref().map_or_else(String::new, work_text),
            allocator::used() / MEGABYTE,
            seconds
        )
    }

    /// Shows where the run is.
    fn show_progress(&self) {
        let searching = lock(&self.watched).part.as_ref().is_some_and(|part| part.stopped.is_none());
        if self.terminal && searching {
            self.shown.store(true, Ordering::Relaxed);
            let text: String = self.progress_text().chars().take(columns().saturating_sub(1)).collect();
            let _ = write!(io::stderr(), "\r\x1b[K{text}");
            let _ = io::stderr().flush();
        }
    }
}

/// Where several engines are: the time, the memory of all, and each with its depth, lemmas and memory. A star marks
/// those whose turn it is.
fn team_text(team: &[Running], seconds: f64, own: usize) -> String {
    let all = own + team.iter().filter_map(|member| member.memory).sum::<usize>();
    let mut text = format!("{seconds:.1} s, {} MB", all.div_ceil(MEGABYTE));
    for Running { engine, progress, memory, has_turn, .. } in team {
        let turn = if *has_turn { "*" } else { "" };
        text += &format!(" | {engine}{turn} {}", progress.depth);
        if progress.lemmas > 0 {
            text += &format!(", {} lemmas", progress.lemmas);
        }
        if let Some(memory) = memory {
            text += &format!(", {} MB", memory.div_ceil(MEGABYTE));
        }
    }
    text
}

/// The columns of the terminal; a line that is longer would not be taken away as a whole.
fn columns() -> usize {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stderr())
        && size.ws_col > 0
    {
        return size.ws_col.into();
    }
    std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).unwrap_or(80)
}

/// The object of a run that is ended: its answers, and unknown if one more is owed.
fn json_unknown(answers: &[Value], owed: Option<&Cause>) -> String {
    let unknown = owed.map(|cause| json!({ "answer": "unknown", "reason": cause.to_string() }));
    let checks = answers.iter().cloned().chain(unknown).collect();
    json::run(checks, None, 0).to_string() + "\n"
}

/// How much an engine has asked its solvers since this time.
fn work_text((meter, since): &(Meter, Instant)) -> String {
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

#[cfg(test)]
mod tests {
    use std::thread;

    use shem_base::{CheckDepth, Work};

    use super::*;

    fn watchdog(time: Option<Duration>) -> Watchdog {
        Watchdog::start(time, None, AnswerFormat::Word)
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
        let watchdog = watchdog(Some(limit));
        let first = watchdog.begin(None);
        wait(&first);
        assert_eq!(watchdog.end(), Some(Cause::Time(limit)));
        assert!(watchdog.begin(None).is_stopped());
        assert_eq!(watchdog.end(), Some(Cause::Time(limit)));
        assert_eq!(watchdog.fatal(), Some(Cause::Time(limit)));
    }

    #[test]
    fn the_limit_of_a_part_is_its_own() {
        let watchdog = watchdog(None);
        let limit = Duration::from_millis(5);
        let first = watchdog.begin(Some(limit));
        wait(&first);
        assert_eq!(watchdog.end(), Some(Cause::Time(limit)));
        let second = watchdog.begin(None);
        thread::sleep(Duration::from_millis(30));
        assert!(!second.is_stopped());
        assert_eq!(watchdog.end(), None);
        assert_eq!(watchdog.fatal(), None);
    }

    #[test]
    fn progress_is_shown_in_words() {
        let watchdog = watchdog(None);
        assert!(watchdog.shared.progress_text().starts_with("reading: depth 0, lemmas 0, "));
        watchdog.set_engine("bmc");
        watchdog.set_progress(Progress { depth: 7, lemmas: 3 });
        assert!(watchdog.shared.progress_text().starts_with("bmc: depth 7, lemmas 3, "));
        let meter = Meter::new(|| 0);
        watchdog.set_meter(&meter);
        let since = meter.begin();
        meter.end(since, Work::Query { depth: CheckDepth::Theory, sat: true });
        let text = watchdog.shared.progress_text();
        assert!(text.starts_with("bmc: depth 7, lemmas 3, queries 1 ("), "{text}");
        let member = |engine, depth, lemmas, memory, has_turn| Running {
            member: 0,
            engine,
            progress: Progress { depth, lemmas },
            memory,
            has_turn,
            sent: 0,
            taken: 0,
        };
        let team = [member("spacer", 4, 31, Some(40_000_001), true), member("bmc", 9, 0, Some(7), false)];
        assert_eq!(team_text(&team, 2.04, 0), "2.0 s, 41 MB | spacer* 4, 31 lemmas, 41 MB | bmc 9, 1 MB");
        watchdog.set_team(&team);
        assert!(watchdog.shared.progress_text().ends_with(" | bmc 9, 1 MB"));
        watchdog.set_engine("bmc");
        assert!(watchdog.shared.progress_text().starts_with("bmc: "));
    }
}
