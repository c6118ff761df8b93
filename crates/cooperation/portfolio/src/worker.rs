//! A worker: a process that runs one entry.
//!
//! The problem goes in by standard input and the report comes out by standard output, each through a thread of
//! its own, so that neither side can block the other or the arbiter. A worker can be stopped, continued and
//! killed; dropping it kills it.

use std::ffi::OsString;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::report::{Report, Reports, Signal, Subject, Word};

/// How much of what a worker says on standard error is kept, of the beginning and of the end.
const MOST_WORDS: usize = 4000;

/// What the threads of a worker tell the arbiter; the first part is the number of the worker.
pub(crate) enum Event {
    /// It has decided.
    Claim(usize, Word),
    /// It has checked a certificate for what it claims.
    Certified(usize),
    /// Its report is finished.
    End(usize, Report),
    /// It ended without a report.
    Gone(usize),
}

/// How to start a worker.
pub(crate) struct Launch<'a> {
    pub(crate) program: &'a Path,
    pub(crate) words: Vec<OsString>,
    pub(crate) text: &'a Arc<Vec<u8>>,
    pub(crate) subject: Subject,
}

pub(crate) struct Worker {
    child: Child,
    progress: Arc<(AtomicU64, AtomicU64)>,
    words: Arc<Mutex<Vec<u8>>>,
    listener: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts a worker; its events carry this number.
    pub(crate) fn start(
        number: usize,
        launch: &Launch<'_>,
        events: Sender<Event>,
    ) -> Result<Worker, std::io::Error> {
        let mut child = Command::new(launch.program)
            .args(&launch.words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let progress = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
        let words = Arc::new(Mutex::new(Vec::new()));
        let mut worker = Worker { child, progress, words, listener: None };
        if let Some(mut input) = input {
            let text = Arc::clone(launch.text);
            // A worker that does not read to the end says why in its own way.
            thread::Builder::new().spawn(move || drop(input.write_all(&text)))?;
        }
        if let Some(output) = output {
            let progress = Arc::clone(&worker.progress);
            let subject = launch.subject;
            thread::Builder::new().spawn(move || listen(number, output, subject, &progress, &events))?;
        }
        if let Some(errors) = errors {
            let words = Arc::clone(&worker.words);
            worker.listener = Some(thread::Builder::new().spawn(move || keep_words(errors, &words))?);
        }
        Ok(worker)
    }

    /// Where its engine is: depth and lemmas.
    pub(crate) fn progress(&self) -> (u64, u64) {
        (self.progress.0.load(Ordering::Relaxed), self.progress.1.load(Ordering::Relaxed))
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

    /// Waits for the end of a worker whose pipes are closed, and says in words how it came.
    pub(crate) fn autopsy(&mut self) -> String {
        // A worker that has closed its output but lives on has nothing to say any more.
        let _ = self.child.kill();
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
        let _ = self.child.kill();
        let _ = self.child.wait();
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

/// Reads the report to its end.
fn listen(
    number: usize,
    output: impl Read,
    subject: Subject,
    progress: &(AtomicU64, AtomicU64),
    events: &Sender<Event>,
) {
    let mut reports = Reports::new(BufReader::new(output), subject);
    loop {
        let event = match reports.next_signal() {
            Some(Signal::Progress(depth, lemmas)) => {
                progress.0.store(depth, Ordering::Relaxed);
                progress.1.store(lemmas, Ordering::Relaxed);
                continue;
            }
            Some(Signal::Claim(word)) => Event::Claim(number, word),
            Some(Signal::Certified) => Event::Certified(number),
            Some(Signal::End(report)) => Event::End(number, report),
            None => Event::Gone(number),
        };
        let last = !matches!(event, Event::Claim(..) | Event::Certified(_));
        // The arbiter may have what it wanted.
        if events.send(event).is_err() || last {
            return;
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
