//! Parts of a problem as a queue that many processes work off.
//!
//! A [`PartQueue`] hands out numbers of parts: one that nobody works on, or one whose process has been silent for too long.
//! Results go to all. A process may die at any time, and so may the broker with all that it had: nobody needs the queue
//! to be right. Who has lost the connection publishes the parts anew when there is one, and the results that it knows,
//! its own and those of others, so that a broker which has forgotten everything learns it again. A result that arrives
//! twice is that of a part which is solved already, and counts for nothing.
//!
//! A [`QueueKeeper`] does this in a thread of its own, so that a process is heard of while it works.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use shem_base::Statistics;

use crate::link::LinkError;
use crate::note::{Content, Note};
use crate::wire::{decode, encode};

/// A part that was taken out of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its number.
    pub part: usize,
    /// Whether another process had taken it before and was silent for too long.
    pub inherited: bool,
}

/// A queue of the parts of a problem. After an error it may be tried again: it connects anew.
pub trait PartQueue: Send {
    /// Sees to it that the parts with the numbers below this one are in the queue, and have to be taken once. What is known
    /// of results is forgotten: they come again.
    fn publish(&mut self, parts: usize) -> Result<(), LinkError>;

    /// Takes a part that nobody has taken, or whose process has been silent for so long.
    fn take(&mut self, silent: Duration) -> Result<Option<Taken>, LinkError>;

    /// Says that this process works on a part, unless another one has taken it since.
    fn keep(&mut self, part: usize) -> Result<(), LinkError>;

    /// Takes a part that is solved out of the queue, and sends its result, if others do not have it.
    fn give(&mut self, part: usize, result: Option<&[u8]>) -> Result<(), LinkError>;

    /// The results that have come, some of them at most.
    fn results(&mut self) -> Result<Vec<Vec<u8>>, LinkError>;
}

/// Between two looks at the queue.
const PERIOD: Duration = Duration::from_millis(30);

/// The pauses between attempts to mend a broken connection.
const FIRST_RETRY: Duration = Duration::from_millis(100);
const LAST_RETRY: Duration = Duration::from_secs(2);

/// How often a process is heard of in the time after which it would count as silent.
const BEATS: u32 = 4;

/// What the keeper is asked for.
enum Command {
    /// A part.
    Want,
    /// A part is solved, with the result if it can be sent.
    Give(usize, Option<String>),
    /// The result of a part that came was right.
    Know(usize, String),
}

/// What comes of a queue.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueEvent {
    /// A part that this process should work on.
    Taken(Taken),
    /// A result of another process, which nobody has judged.
    Result(Note),
}

/// Stands between a process and the queue, in a thread of its own.
pub struct QueueKeeper {
    commands: Sender<Command>,
    events: Receiver<QueueEvent>,
    done: Receiver<()>,
    counters: Arc<Mutex<QueueCounters>>,
}

/// What a keeper has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueCounters {
    /// Parts taken.
    pub taken: u64,
    /// Those of them that another process had taken before.
    pub inherited: u64,
    /// Results sent.
    pub given: u64,
    /// Results received.
    pub received: u64,
    /// Results that cannot be read.
    pub malformed: u64,
    /// How often the connection broke.
    pub breaks: u64,
    /// Why it broke the first time.
    pub reason: Option<String>,
}

impl QueueCounters {
    /// The figures.
    pub fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::new();
        statistics.add("taken", self.taken);
        statistics.add("inherited", self.inherited);
        statistics.add("given", self.given);
        statistics.add("received", self.received);
        statistics.add("malformed", self.malformed);
        statistics.add("breaks", self.breaks);
        statistics
    }
}

impl QueueKeeper {
    /// Starts a keeper of so many parts for the process of this number. A process counts as silent after this time.
    pub fn start(
        queue: Box<dyn PartQueue>,
        parts: usize,
        sender: u64,
        silent: Duration,
    ) -> std::io::Result<QueueKeeper> {
        let (commands, asked) = channel();
        let (events, taken) = channel();
        let (finished, done) = channel();
        let counters = Arc::new(Mutex::new(QueueCounters::default()));
        let mut thread = KeeperThread {
            queue,
            parts,
            sender,
            silent,
            events,
            counters: Arc::clone(&counters),
            wants: false,
            own: BTreeSet::new(),
            known: BTreeMap::new(),
            solved: Vec::new(),
            is_connected: false,
            last_beat: Instant::now(),
        };
        thread::Builder::new().name("queue".to_owned()).spawn(move || {
            thread.run(&asked);
            // Nobody waits for this if the run is over.
            let _ = finished.send(());
        })?;
        Ok(QueueKeeper { commands, events: taken, done, counters })
    }

    fn ask(&self, command: Command) {
        // The thread goes on until there is nobody to ask it.
        let _ = self.commands.send(command);
    }

    /// Asks for a part.
    pub fn want(&self) {
        self.ask(Command::Want);
    }

    /// Says that a part is solved, with what shows it to others. Without a result they do not learn it from the queue.
    pub fn give(&self, part: usize, result: Option<&Note>) {
        self.ask(Command::Give(part, result.and_then(encode)));
    }

    /// Says that a result which came was judged to be right.
    pub fn know(&self, part: usize, result: &Note) {
        if let Some(text) = encode(result) {
            self.ask(Command::Know(part, text));
        }
    }

    /// What has come; waits for it at most so long.
    pub fn next(&self, wait: Duration) -> Option<QueueEvent> {
        // Without a thread there is nothing to come.
        self.events.recv_timeout(wait).ok()
    }

    /// Sends what is to be sent, and ends; waits for that at most so long.
    pub fn finish(self, wait: Duration) -> QueueCounters {
        drop(self.commands);
        let _ = self.done.recv_timeout(wait);
        self.counters.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

struct KeeperThread {
    queue: Box<dyn PartQueue>,
    parts: usize,
    sender: u64,
    silent: Duration,
    events: Sender<QueueEvent>,
    counters: Arc<Mutex<QueueCounters>>,
    /// Whether a part is wanted.
    wants: bool,
    /// The parts that this process has taken and not solved.
    own: BTreeSet<usize>,
    /// The results that are right, by parts.
    known: BTreeMap<usize, String>,
    /// What is to be told of parts that are solved: in order, until it is told.
    solved: Vec<(usize, bool)>,
    is_connected: bool,
    last_beat: Instant,
}

impl KeeperThread {
    fn run(&mut self, asked: &Receiver<Command>) {
        let mut retry = FIRST_RETRY;
        let mut next_attempt = Instant::now();
        loop {
            let over = loop {
                match asked.try_recv() {
                    Ok(command) => self.obey(command),
                    Err(error) => break error == TryRecvError::Disconnected,
                }
            };
            if Instant::now() >= next_attempt {
                match self.step(over) {
                    Ok(()) => retry = FIRST_RETRY,
                    Err(LinkError(reason)) => {
                        log::debug!("the queue is lost: {reason}");
                        self.is_connected = false;
                        self.count(|counters| {
                            counters.breaks += 1;
                            counters.reason.get_or_insert(reason);
                        });
                        next_attempt = Instant::now() + retry;
                        retry = (retry * 2).min(LAST_RETRY);
                    }
                }
                if over {
                    return;
                }
            } else if over {
                return;
            }
            // A command ends the wait.
            match asked.recv_timeout(PERIOD) {
                Ok(command) => self.obey(command),
                Err(RecvTimeoutError::Timeout) => {}
                // The next round tells what is left.
                Err(RecvTimeoutError::Disconnected) => thread::yield_now(),
            }
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Want => self.wants = true,
            Command::Give(part, result) => {
                self.own.remove(&part);
                let is_new = result.is_some();
                self.known.extend(result.map(|text| (part, text)));
                self.solved.push((part, is_new));
            }
            Command::Know(part, text) => {
                self.known.entry(part).or_insert(text);
            }
        }
    }

    /// Tells what is to be told and takes what has come; nothing more is taken when the run is over.
    fn step(&mut self, over: bool) -> Result<(), LinkError> {
        if !self.is_connected {
            self.queue.publish(self.parts)?;
            // What the broker knows of these is not known; who gets them twice has them already.
            for (&part, text) in &self.known {
                self.queue.give(part, Some(text.as_bytes()))?;
            }
            self.is_connected = true;
        }
        while let Some(&(part, is_new)) = self.solved.first() {
            let text = self.known.get(&part).filter(|_| is_new);
            self.queue.give(part, text.map(|text| text.as_bytes()))?;
            self.count(|counters| counters.given += u64::from(is_new));
            self.solved.remove(0);
        }
        if over {
            return Ok(());
        }
        if self.last_beat.elapsed() >= self.silent / BEATS {
            for &part in &self.own {
                self.queue.keep(part)?;
            }
            self.last_beat = Instant::now();
        }
        if self.wants
            && let Some(taken) = self.queue.take(self.silent)?
            && taken.part < self.parts
        {
            self.wants = false;
            self.own.insert(taken.part);
            self.count(|counters| {
                counters.taken += 1;
                counters.inherited += u64::from(taken.inherited);
            });
            let _ = self.events.send(QueueEvent::Taken(taken));
        }
        for message in self.queue.results()? {
            match decode(&message) {
                Ok(note) if note.sender == self.sender => {}
                Ok(note) if matches!(note.content, Content::Part(..)) => {
                    self.count(|counters| counters.received += 1);
                    let _ = self.events.send(QueueEvent::Result(note));
                }
                _ => self.count(|counters| counters.malformed += 1),
            }
        }
        Ok(())
    }

    fn count(&self, change: impl FnOnce(&mut QueueCounters)) {
        change(&mut self.counters.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue in memory whose time is made up: who keeps its parts is heard of, and it forgets everything when told to.
    #[derive(Default)]
    struct Shared {
        waiting: Vec<usize>,
        /// Who has taken a part, and whether it was heard of since it was looked at last.
        taken: BTreeMap<usize, (u64, bool)>,
        results: Vec<Vec<u8>>,
        is_there: bool,
        kept: u64,
    }

    struct Memory {
        shared: Arc<Mutex<Shared>>,
        own: u64,
        read: usize,
    }

    impl Memory {
        fn reach(&self) -> Result<std::sync::MutexGuard<'_, Shared>, LinkError> {
            let shared = self.shared.lock().unwrap();
            if shared.is_there { Ok(shared) } else { Err(LinkError("gone".to_owned())) }
        }
    }

    impl PartQueue for Memory {
        fn publish(&mut self, parts: usize) -> Result<(), LinkError> {
            let mut shared = self.reach()?;
            if shared.waiting.is_empty() && shared.taken.is_empty() {
                shared.waiting = (0..parts).rev().collect();
            }
            drop(shared);
            self.read = 0;
            Ok(())
        }

        fn take(&mut self, _: Duration) -> Result<Option<Taken>, LinkError> {
            let mut shared = self.reach()?;
            if let Some(part) = shared.waiting.pop() {
                shared.taken.insert(part, (self.own, true));
                return Ok(Some(Taken { part, inherited: false }));
            }
            let silent = shared.taken.iter().find(|(_, (owner, heard))| *owner != self.own && !heard);
            let Some((&part, _)) = silent else {
                shared.taken.values_mut().for_each(|(_, heard)| *heard = false);
                return Ok(None);
            };
            shared.taken.insert(part, (self.own, true));
            Ok(Some(Taken { part, inherited: true }))
        }

        fn keep(&mut self, part: usize) -> Result<(), LinkError> {
            let own = self.own;
            let mut shared = self.reach()?;
            shared.kept += 1;
            if let Some((_, heard)) = shared.taken.get_mut(&part).filter(|(owner, _)| *owner == own) {
                *heard = true;
            }
            Ok(())
        }

        fn give(&mut self, part: usize, result: Option<&[u8]>) -> Result<(), LinkError> {
            let mut shared = self.reach()?;
            shared.taken.remove(&part);
            shared.results.extend(result.map(<[u8]>::to_vec));
            Ok(())
        }

        fn results(&mut self) -> Result<Vec<Vec<u8>>, LinkError> {
            let shared = self.reach()?;
            let new = shared.results[self.read.min(shared.results.len())..].to_vec();
            let all = shared.results.len();
            drop(shared);
            self.read = all;
            Ok(new)
        }
    }

    fn note(sender: u64, part: usize) -> Note {
        let about = "h00000000000000000000000000000000".parse().expect("a fingerprint");
        Note { sender, about, content: Content::Part(part, Vec::new()) }
    }

    const WAIT: Duration = Duration::from_secs(30);

    #[test]
    fn a_forgetful_broker_learns_what_was_known() {
        let shared = Arc::new(Mutex::new(Shared { is_there: true, ..Shared::default() }));
        let start = |own| {
            let queue = Memory { shared: Arc::clone(&shared), own, read: 0 };
            QueueKeeper::start(Box::new(queue), 2, own, Duration::from_millis(40)).expect("a thread")
        };
        let (one, other) = (start(1), start(2));
        one.want();
        assert_eq!(one.next(WAIT), Some(QueueEvent::Taken(Taken { part: 0, inherited: false })));
        one.give(0, Some(&note(1, 0)));
        assert_eq!(other.next(WAIT), Some(QueueEvent::Result(note(1, 0))));
        other.know(0, &note(1, 0));
        // The broker is gone with all that it had, and comes back.
        *shared.lock().unwrap() = Shared::default();
        while one.counters.lock().unwrap().breaks == 0 || other.counters.lock().unwrap().breaks == 0 {
            thread::sleep(Duration::from_millis(5));
        }
        shared.lock().unwrap().is_there = true;
        // Both know the result and tell it.
        assert_eq!(other.next(WAIT), Some(QueueEvent::Result(note(1, 0))));
        other.want();
        let Some(QueueEvent::Taken(taken)) = other.next(WAIT) else { panic!("a part") };
        other.give(taken.part, None);
        let counters = other.finish(WAIT);
        assert!(counters.breaks > 0 && counters.reason.as_deref() == Some("gone"));
        drop(one);
    }

    #[test]
    fn a_silent_process_loses_its_part() {
        let shared = Arc::new(Mutex::new(Shared { is_there: true, ..Shared::default() }));
        let mut dead = Memory { shared: Arc::clone(&shared), own: 1, read: 0 };
        dead.publish(1).expect("a queue");
        assert_eq!(dead.take(WAIT), Ok(Some(Taken { part: 0, inherited: false })));
        let queue = Memory { shared: Arc::clone(&shared), own: 2, read: 0 };
        let heir = QueueKeeper::start(Box::new(queue), 1, 2, Duration::from_millis(40)).expect("a thread");
        heir.want();
        assert_eq!(heir.next(WAIT), Some(QueueEvent::Taken(Taken { part: 0, inherited: true })));
        while shared.lock().unwrap().kept == 0 {
            thread::sleep(Duration::from_millis(5));
        }
        heir.give(0, Some(&note(2, 0)));
        let counters = heir.finish(WAIT);
        assert_eq!((counters.taken, counters.inherited, counters.given), (1, 1, 1));
        assert_eq!(shared.lock().unwrap().results.len(), 1);
    }
}
