//! A worker: a process that runs one entry.
//!
//! The problem goes in by standard input, followed by what others have learnt, and the report comes out by standard
//! output, each through a thread of its own, so that neither side can block the other or who waits for news. A worker
//! can be stopped, continued and killed; dropping it kills it.

use std::io::{BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use shem_exchange::{Rate, Seat};

use super::Job;
use crate::report::{ReportReader, Signal, Subject};

/// How many messages a second are taken from a worker; honest workers send fewer.
const PER_SECOND: f64 = 800.0;

/// How much of what a worker says on standard error is kept, of the beginning and of the end.
const MOST_WORDS: usize = 4000;

/// The number of a worker, and what it reports; nothing if it ended without finishing its report.
pub(crate) type News = (usize, Option<Signal>);

/// How far a worker is, as it tells.
#[derive(Default)]
struct Told {
    depth: AtomicU64,
    lemmas: AtomicU64,
    taken: AtomicU64,
}

pub(crate) struct Worker {
    child: Child,
    seat: Option<Seat<Arc<str>>>,
    told: Arc<Told>,
    words: Arc<Mutex<Vec<u8>>>,
    listener: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts the worker for the entry of this number, which its events carry. It exchanges what it has learnt with
    /// others, if it has a seat among them.
    pub(crate) fn start(
        number: usize,
        job: &Job,
        subject: Subject,
        seat: Option<Seat<Arc<str>>>,
        events: Sender<News>,
    ) -> Result<Worker, std::io::Error> {
        let mut child = Command::new(&job.program)
            .args(&job.words)
            .args(job.entries[number].words())
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let told = Arc::new(Told::default());
        let words = Arc::new(Mutex::new(Vec::new()));
        let mut worker = Worker { child, seat, told, words, listener: None };
        if let Some(input) = input {
            let (text, seat) = (Arc::clone(&job.text), worker.seat.clone());
            // A worker that does not read to the end says why in its own way.
            thread::Builder::new().spawn(move || drop(feed(input, &text, seat.as_ref())))?;
        }
        if let Some(output) = output {
            let listener = Listener {
                number,
                told: Arc::clone(&worker.told),
                seat: worker.seat.clone(),
                rate: Rate::new(PER_SECOND),
                events,
            };
            thread::Builder::new().spawn(move || listener.listen(output, subject))?;
        }
        if let Some(errors) = errors {
            let words = Arc::clone(&worker.words);
            worker.listener = Some(thread::Builder::new().spawn(move || keep_words(errors, &words))?);
        }
        Ok(worker)
    }

    /// Where its engine is: depth and lemmas.
    pub(crate) fn progress(&self) -> (u64, u64) {
        (self.told.depth.load(Ordering::Relaxed), self.told.lemmas.load(Ordering::Relaxed))
    }

    /// How much of what others have learnt was of use to it, as it says.
    pub(crate) fn taken(&self) -> u64 {
        self.told.taken.load(Ordering::Relaxed)
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
        // It may have ended, but its number is not used again before somebody waits for it.
        let _ = rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), signal);
    }

    /// Ends it, and does not wait for that.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Waits for the end of a worker whose pipes are closed, and says in words how it came.
    pub(crate) fn exit_reason(&mut self) -> String {
        // A worker that has closed its output but lives on has nothing to say any more.
        self.kill();
        let status = self.child.wait();
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let words = String::from_utf8_lossy(&words);
        let said: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        // The message of a panic is two lines, which a backtrace may follow; otherwise the last line counts.
        let said = match said.iter().position(|line| line.contains(" panicked at ")) {
            Some(at) => said[at..said.len().min(at + 2)].join(" "),
            None => said.last().copied().unwrap_or_default().to_owned(),
        };
        let how = status.map_or_else(|error| error.to_string(), |status| in_words(&status));
        if said.is_empty() { how } else { format!("{how}: {said}") }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
        if let Some(seat) = &self.seat {
            seat.close();
        }
    }
}

fn in_words(status: &ExitStatus) -> String {
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
fn feed(mut input: impl Write, text: &[u8], seat: Option<&Seat<Arc<str>>>) -> std::io::Result<()> {
    input.write_all(text)?;
    let mut line = Vec::new();
    while let Some(note) = seat.and_then(Seat::wait) {
        line.clear();
        line.extend_from_slice(note.as_bytes());
        line.push(b'\n');
        input.write_all(&line)?;
    }
    Ok(())
}

/// Reads the report of a worker.
struct Listener {
    number: usize,
    told: Arc<Told>,
    seat: Option<Seat<Arc<str>>>,
    rate: Rate,
    events: Sender<News>,
}

impl Listener {
    /// Reads the report to its end.
    fn listen(mut self, output: impl Read, subject: Subject) {
        let mut report = ReportReader::new(BufReader::new(output), subject);
        loop {
            let signal = report.next_signal();
            match signal {
                Some(Signal::Progress(depth, lemmas)) => {
                    self.told.depth.store(depth, Ordering::Relaxed);
                    self.told.lemmas.store(lemmas, Ordering::Relaxed);
                }
                Some(Signal::Taken(count)) => self.told.taken.store(count, Ordering::Relaxed),
                Some(Signal::Note(note)) => {
                    // Who sends faster than is allowed has to wait, for the rest of its report, too.
                    thread::sleep(self.rate.wait());
                    if let Some(seat) = &self.seat {
                        seat.send_line(note);
                    }
                }
                signal => {
                    let last = matches!(signal, None | Some(Signal::End(_)));
                    // There may be an answer already.
                    if self.events.send((self.number, signal)).is_err() || last {
                        return;
                    }
                }
            }
        }
    }
}

/// Reads to the end and keeps the first and the last words.
fn keep_words(mut input: impl Read, words: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1000];
    while let Ok(count @ 1..) = input.read(&mut buffer) {
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend_from_slice(&buffer[..count]);
        let surplus = words.len().saturating_sub(2 * MOST_WORDS);
        if surplus > 0 {
            words.drain(MOST_WORDS..MOST_WORDS + surplus);
        }
    }
}
