//! A worker: a process that runs one entry.
//!
//! The problem goes in by standard input, followed by what others have learnt, and the report comes out by standard
//! output, each through a thread of its own, so that neither side can block the other or the arbiter. A worker can be stopped, continued and
//! killed; dropping it kills it.

use std::ffi::OsString;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use shem_exchange::Rate;

use crate::post::{PER_SECOND, Post};
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
    /// Where workers exchange what they have learnt, if they do.
    pub(crate) post: Option<&'a Arc<Post>>,
}

/// Where a worker is, as it tells.
#[derive(Default)]
struct Place {
    depth: AtomicU64,
    lemmas: AtomicU64,
    taken: AtomicU64,
}

pub(crate) struct Worker {
    number: usize,
    child: Child,
    post: Option<Arc<Post>>,
    place: Arc<Place>,
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
        let place = Arc::new(Place::default());
        let words = Arc::new(Mutex::new(Vec::new()));
        let post = launch.post.map(Arc::clone);
        let mut worker = Worker { number, child, post, place, words, listener: None };
        if let Some(input) = input {
            let (text, post) = (Arc::clone(launch.text), worker.post.clone());
            // A worker that does not read to the end says why in its own way.
            thread::Builder::new().spawn(move || drop(feed(number, input, &text, post.as_deref())))?;
        }
        if let Some(output) = output {
            let listener = Listener {
                number,
                place: Arc::clone(&worker.place),
                post: worker.post.clone(),
                rate: Rate::new(PER_SECOND),
                events,
            };
            let subject = launch.subject;
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
        (self.place.depth.load(Ordering::Relaxed), self.place.lemmas.load(Ordering::Relaxed))
    }

    /// How much of what others have learnt was of use to it, as it says.
    pub(crate) fn taken(&self) -> u64 {
        self.place.taken.load(Ordering::Relaxed)
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
    pub(crate) fn autopsy(&mut self) -> String {
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
        if let Some(post) = &self.post {
            post.close(self.number);
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
fn feed(number: usize, mut input: impl Write, text: &[u8], post: Option<&Post>) -> std::io::Result<()> {
    input.write_all(text)?;
    let mut line = Vec::new();
    while let Some(note) = post.and_then(|post| post.receive(number)) {
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
    place: Arc<Place>,
    post: Option<Arc<Post>>,
    rate: Rate,
    events: Sender<Event>,
}

impl Listener {
    /// Reads the report to its end.
    fn listen(mut self, output: impl Read, subject: Subject) {
        let number = self.number;
        let mut reports = Reports::new(BufReader::new(output), subject);
        loop {
            let event = match reports.next_signal() {
                Some(Signal::Progress(depth, lemmas)) => {
                    self.place.depth.store(depth, Ordering::Relaxed);
                    self.place.lemmas.store(lemmas, Ordering::Relaxed);
                    continue;
                }
                Some(Signal::Taken(count)) => {
                    self.place.taken.store(count, Ordering::Relaxed);
                    continue;
                }
                Some(Signal::Note(note)) => {
                    // Who sends faster than is allowed has to wait, for the rest of its report, too.
                    thread::sleep(self.rate.wait());
                    if let Some(post) = &self.post {
                        post.send(number, note);
                    }
                    continue;
                }
                Some(Signal::Claim(word)) => Event::Claim(number, word),
                Some(Signal::Certified) => Event::Certified(number),
                Some(Signal::End(report)) => Event::End(number, report),
                None => Event::Gone(number),
            };
            let last = !matches!(event, Event::Claim(..) | Event::Certified(_));
            // The arbiter may have what it wanted.
            if self.events.send(event).is_err() || last {
                return;
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
