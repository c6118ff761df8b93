//! A worker: a process that runs one entry.
//!
//! The problem goes in by standard input, followed by what others have learnt, and the report comes out by standard
//! output, each through a thread of its own, so that neither side can block the other or the runner. A worker
//! can be stopped, continued and killed; dropping it kills it.

use std::io::{BufReader, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use shem_base::StopToken;
use shem_chc::Fingerprint;
use shem_engine::Progress;
use shem_exchange::{Endpoint, RateLimiter};

use super::Job;
use crate::assignment::Assignment;
use crate::report::{ReportReader, Signal, Subject};
use crate::resources::resident_of;

/// How many messages a second are taken from a worker; honest workers send fewer.
const NOTES_PER_SECOND: f64 = 800.0;

/// How many messages of a worker are kept, for those who want to see what was told, and how long they may be.
const KEPT_NOTES: usize = 40;
const KEPT_NOTE_BYTES: usize = 4000;

/// How many bytes of standard error are kept, of the beginning and of the end.
const KEPT_BYTES: usize = 4000;

/// The number of a worker, and what it reports; nothing if it ended without finishing its report.
pub(crate) type News = (usize, Option<Signal>);

/// How far a worker is, as it reports.
#[derive(Clone, Default)]
pub(crate) struct Reported {
    pub(crate) progress: Progress,
    /// How much of what others have learnt was of use to it, by the process that has sent it, if that is known.
    pub(crate) taken: Vec<(Option<u64>, u64)>,
    /// The first messages to the others, unread, and when they came.
    pub(crate) told: Vec<(Instant, String)>,
}

impl Reported {
    /// How much of what others have learnt was of use to it.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.iter().map(|&(_, count)| count).sum()
    }
}

pub(crate) struct Worker {
    child: Child,
    endpoint: Option<Endpoint<Arc<str>>>,
    reported: Arc<Mutex<Reported>>,
    /// Stopped when its report has ended.
    ended: StopToken,
    words: Arc<Mutex<Vec<u8>>>,
    error_reader: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts the worker for the entry of this number, which its events carry, on a graph. It exchanges what it has
    /// learnt with others, if it has an endpoint among them; its messages are about the graph with this fingerprint.
    pub(crate) fn start(
        number: usize,
        job: &Job,
        text: &Arc<Vec<u8>>,
        exchange: Option<(Endpoint<Arc<str>>, Fingerprint)>,
        events: Sender<News>,
    ) -> Result<Worker, std::io::Error> {
        let entry = job.entry(number);
        let own_folder = |folder: &PathBuf| folder.join(format!("{number}-{}", entry.engine()));
        let (endpoint, about) = exchange.unzip();
        let assignment = Assignment {
            exchange: job.common.exchange.map(|(share, common)| (share, about.unwrap_or(common))),
            graph_bytes: text.len() as u64,
            queries: job.common.queries.as_ref().map(own_folder),
            time_limit: job.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
            entry,
            ..job.common.clone()
        };
        let (program, words) = job.program.split_first().ok_or(ErrorKind::NotFound)?;
        let mut child = Command::new(program)
            .args(words)
            .args(assignment.words())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let reported = Arc::new(Mutex::default());
        let words = Arc::new(Mutex::new(Vec::new()));
        let ended = StopToken::new();
        let mut worker = Worker { child, endpoint, reported, ended, words, error_reader: None };
        if let Some(input) = input {
            let (text, endpoint) = (Arc::clone(text), worker.endpoint.clone());
            // A worker that does not read to the end reports why.
            thread::Builder::new().spawn(move || drop(feed(input, &text, endpoint.as_ref())))?;
        }
        if let Some(output) = output {
            let (reported, endpoint) = (Arc::clone(&worker.reported), worker.endpoint.clone());
            let events = move |news: News| events.send(news).is_ok();
            let subject = Subject::new(text, 1);
            let ended = worker.ended.clone();
            let listen = move || {
                listen(output, number, subject, &reported, endpoint.as_ref(), (&events, &ended));
            };
            thread::Builder::new().spawn(listen)?;
        }
        if let Some(errors) = errors {
            let words = Arc::clone(&worker.words);
            worker.error_reader = Some(thread::Builder::new().spawn(move || keep_errors(errors, &words))?);
        }
        Ok(worker)
    }

    /// Stopped when its report has ended.
    pub(crate) fn ended(&self) -> StopToken {
        self.ended.clone()
    }

    /// How far it is.
    pub(crate) fn reported(&self) -> Reported {
        lock(&self.reported).clone()
    }

    /// The bytes of memory that it occupies, where that is known.
    pub(crate) fn resident(&self) -> Option<usize> {
        resident_of(self.child.id())
    }

    /// The number of its process, which its messages carry.
    pub(crate) fn process(&self) -> u64 {
        u64::from(self.child.id())
    }

    /// How much of what others have learnt was of use to it.
    pub(crate) fn taken(&self) -> u64 {
        lock(&self.reported).taken()
    }

    /// How far it is.
    pub(crate) fn progress(&self) -> Progress {
        lock(&self.reported).progress
    }

    /// Makes it wait.
    pub(crate) fn suspend(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::STOP);
    }

    /// Lets it go on.
    pub(crate) fn resume(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::CONT);
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        // It may have ended, but its number is not used again before it is waited for.
        let _ = rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), signal);
    }

    /// Ends it, and does not wait for that.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Waits for the end of a worker whose pipes are closed, and describes how it came.
    pub(crate) fn exit_reason(&mut self) -> String {
        // A worker that has closed its output but still runs has nothing more to report.
        self.kill();
        let status = self.child.wait();
        if let Some(reader) = self.error_reader.take() {
            let _ = reader.join();
        }
        let words = lock(&self.words);
        let words = String::from_utf8_lossy(&words);
        let said: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        // The message of a panic is two lines, which a backtrace may follow; otherwise the last line counts.
        let said = match said.iter().position(|line| line.contains(" panicked at ")) {
            Some(at) => said[at..said.len().min(at + 2)].join(" "),
            None => said.last().copied().unwrap_or_default().to_owned(),
        };
        let how = status.map_or_else(|error| error.to_string(), |status| describe(&status));
        if said.is_empty() { how } else { format!("{how}: {said}") }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
        if let Some(endpoint) = &self.endpoint {
            endpoint.close();
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn describe(status: &ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(status) {
        return format!("it was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("it ended with exit code {code} and without a report"),
        None => "it ended without a report".to_owned(),
    }
}

/// Writes the problem, and then what others have learnt until the worker is gone.
fn feed(mut input: impl Write, text: &[u8], endpoint: Option<&Endpoint<Arc<str>>>) -> std::io::Result<()> {
    input.write_all(text)?;
    let mut line = Vec::new();
    while let Some(note) = endpoint.and_then(Endpoint::wait) {
        line.clear();
        line.extend_from_slice(note.as_bytes());
        line.push(b'\n');
        input.write_all(&line)?;
    }
    Ok(())
}

/// Reads the report of a worker to its end.
fn listen(
    output: impl Read,
    number: usize,
    subject: Subject,
    reported: &Mutex<Reported>,
    endpoint: Option<&Endpoint<Arc<str>>>,
    (events, ended): (&dyn Fn(News) -> bool, &StopToken),
) {
    let mut limiter = RateLimiter::new(NOTES_PER_SECOND);
    let mut report = ReportReader::new(BufReader::new(output), subject);
    loop {
        match report.next_signal() {
            Some(Signal::Progress(progress)) => lock(reported).progress = progress,
            Some(Signal::Taken(counts)) => lock(reported).taken = counts,
            Some(Signal::Note(note)) => {
                // A worker that sends too fast has to wait, for the rest of its report, too.
                thread::sleep(limiter.delay());
                let told = &mut lock(reported).told;
                if told.len() < KEPT_NOTES && note.len() <= KEPT_NOTE_BYTES {
                    told.push((Instant::now(), note.clone()));
                }
                if let Some(endpoint) = endpoint {
                    endpoint.send_line(note);
                }
            }
            signal => {
                let last = !matches!(signal, Some(Signal::Claim(_) | Signal::Certificate(_)));
                if last {
                    ended.stop();
                }
                // There may be an answer already.
                if !events((number, signal)) || last {
                    return;
                }
            }
        }
    }
}

/// Reads standard error to the end and keeps the beginning and the end.
fn keep_errors(mut input: impl Read, words: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1000];
    while let Ok(count @ 1..) = input.read(&mut buffer) {
        let mut words = lock(words);
        words.extend_from_slice(&buffer[..count]);
        let surplus = words.len().saturating_sub(2 * KEPT_BYTES);
        if surplus > 0 {
            words.drain(KEPT_BYTES..KEPT_BYTES + surplus);
        }
    }
}
