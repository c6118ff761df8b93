//! Messages between those who work on one problem: threads of a process, or the workers that it has started.
//!
//! Everybody has a seat with a box, and what one sends goes into the boxes of all others. Nobody waits for anybody: a
//! box is bounded and drops what is oldest, so that one who is slow or stopped misses what is stale by then. Every
//! sender has a place of its own in each box: one that sends at full speed pushes out what it said itself and nothing
//! else. The boxes are there from the beginning, so one that starts late finds what the others have learnt before.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use shem_engine::Standing;

use crate::note::Note;

/// How many messages of a sender a box holds, unless told otherwise.
pub const CAPACITY: usize = 1_024;

/// What is sent between threads.
pub type Shared = (Arc<Note>, Standing);

/// The boxes.
#[derive(Debug)]
struct Boxes<M> {
    boxes: Vec<Inbox<M>>,
    /// How many messages each seat has sent.
    sent: Vec<AtomicU64>,
    /// What a sender may have in a box: messages and bytes.
    most: (usize, usize),
}

#[derive(Debug)]
struct Inbox<M> {
    content: Mutex<Content<M>>,
    changed: Condvar,
    /// The number of messages, to be looked at without the lock.
    waiting: AtomicUsize,
    dropped: AtomicU64,
}

#[derive(Debug)]
struct Content<M> {
    /// What each sender has sent, the oldest first, with its size, and the size of all that.
    places: Vec<(VecDeque<(M, usize)>, usize)>,
    /// Whose turn it is.
    next: usize,
    closed: bool,
}

/// Where messages are exchanged: [`Shared`] between threads, lines between processes.
#[derive(Clone, Debug)]
pub struct Hub<M = Shared>(Arc<Boxes<M>>);

/// The place of one who takes part.
#[derive(Clone, Debug)]
pub struct Seat<M = Shared> {
    hub: Arc<Boxes<M>>,
    number: usize,
}

impl Hub<Shared> {
    /// A hub with so many seats, whose boxes hold so many messages of each sender.
    pub fn new(seats: usize, capacity: usize) -> Hub {
        Hub::bounded(seats, capacity, usize::MAX)
    }
}

impl<M: Clone> Hub<M> {
    /// A hub with so many seats, whose boxes hold so many messages and bytes of each sender.
    pub fn bounded(seats: usize, messages: usize, bytes: usize) -> Hub<M> {
        let content =
            || Content { places: (0..seats).map(|_| Default::default()).collect(), next: 0, closed: false };
        let inbox = |_| Inbox {
            content: Mutex::new(content()),
            changed: Condvar::new(),
            waiting: AtomicUsize::new(0),
            dropped: AtomicU64::new(0),
        };
        Hub(Arc::new(Boxes {
            boxes: (0..seats).map(inbox).collect(),
            sent: (0..seats).map(|_| AtomicU64::new(0)).collect(),
            most: (messages.max(1), bytes),
        }))
    }

    /// A seat.
    ///
    /// # Panics
    /// If there is none of this number.
    pub fn seat(&self, number: usize) -> Seat<M> {
        assert!(number < self.0.boxes.len(), "a seat of the hub");
        Seat { hub: Arc::clone(&self.0), number }
    }
}

impl Seat<Shared> {
    /// Puts a note into the boxes of all others.
    pub fn send(&self, note: Note, standing: Standing) {
        self.put((Arc::new(note), standing), 0);
    }
}

impl Seat<Arc<str>> {
    /// Puts a line into the boxes of all others.
    pub fn send_line(&self, line: String) {
        let bytes = line.len();
        self.put(line.into(), bytes);
    }
}

impl<M: Clone> Seat<M> {
    fn put(&self, message: M, size: usize) {
        let (messages, bytes) = self.hub.most;
        self.hub.sent[self.number].fetch_add(1, Ordering::Relaxed);
        for (_, inbox) in self.hub.boxes.iter().enumerate().filter(|&(to, _)| to != self.number) {
            let mut content = inbox.lock();
            if content.closed {
                continue;
            }
            let (place, used) = &mut content.places[self.number];
            place.push_back((message.clone(), size));
            *used += size;
            let mut dropped = 0;
            while place.len() > messages || *used > bytes {
                let Some((_, oldest)) = place.pop_front() else { break };
                *used -= oldest;
                dropped += 1;
            }
            inbox.dropped.fetch_add(dropped, Ordering::Relaxed);
            inbox.waiting.fetch_add(1, Ordering::Relaxed);
            inbox.waiting.fetch_sub(dropped as usize, Ordering::Relaxed);
            inbox.changed.notify_one();
        }
    }

    fn inbox(&self) -> &Inbox<M> {
        &self.hub.boxes[self.number]
    }

    /// Takes messages out of the box, at most so many. Senders take turns.
    pub fn receive(&self, most: usize) -> Vec<M> {
        let inbox = self.inbox();
        if inbox.waiting.load(Ordering::Relaxed) == 0 {
            return Vec::new();
        }
        let mut content = inbox.lock();
        std::iter::from_fn(|| inbox.take(&mut content)).take(most).collect()
    }

    /// Waits for a message; `None` once the box is closed.
    pub fn wait(&self) -> Option<M> {
        let inbox = self.inbox();
        let mut content = inbox.lock();
        while !content.closed {
            if let Some(message) = inbox.take(&mut content) {
                return Some(message);
            }
            content = inbox.changed.wait(content).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Nothing more is put into the box, and nothing is kept there.
    pub fn close(&self) {
        let mut content = self.inbox().lock();
        content.closed = true;
        content.places.iter_mut().for_each(|place| *place = Default::default());
        self.inbox().waiting.store(0, Ordering::Relaxed);
        self.inbox().changed.notify_all();
    }

    /// From now on a box that was closed takes messages again.
    pub fn open(&self) {
        self.inbox().lock().closed = false;
    }

    /// How many messages were sent from here.
    pub fn sent(&self) -> u64 {
        self.hub.sent[self.number].load(Ordering::Relaxed)
    }

    /// How many messages were dropped from the box.
    pub fn dropped(&self) -> u64 {
        self.inbox().dropped.load(Ordering::Relaxed)
    }
}

impl<M> Inbox<M> {
    fn lock(&self) -> MutexGuard<'_, Content<M>> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a message of the sender whose turn it is.
    fn take(&self, content: &mut Content<M>) -> Option<M> {
        let count = content.places.len();
        for turn in 0..count {
            let sender = (content.next + turn) % count;
            let (place, used) = &mut content.places[sender];
            if let Some((message, size)) = place.pop_front() {
                *used -= size;
                content.next = sender + 1;
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                return Some(message);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::{Formula, FormulaLimits};
    use crate::note::{self, Bounded, BoundedKind};

    fn note(level: usize) -> Note {
        let formula = Formula::new("(<= x0 5)", FormulaLimits::LEMMA).expect("a formula");
        let bounded = Bounded { level, formula, kind: BoundedKind::Reach };
        let about = "h00000000000000000000000000000000".parse().expect("a fingerprint");
        Note { sender: 0, about, content: note::Content::Bounded(bounded) }
    }

    #[test]
    fn the_oldest_goes_when_a_box_is_full() {
        let hub = Hub::new(3, 4);
        let [a, b, c] = [hub.seat(0), hub.seat(1), hub.seat(2)];
        for level in 0..10 {
            a.send(note(level), Standing::Proven);
        }
        assert!(a.receive(100).is_empty());
        let received = b.receive(3);
        assert_eq!(
            received.iter().map(|(n, _)| (**n).clone()).collect::<Vec<_>>(),
            [note(6), note(7), note(8)]
        );
        assert_eq!((b.receive(3).len(), b.receive(3).len(), b.dropped()), (1, 0, 6));
        // What another one sends pushes out nothing of the first.
        b.send(note(1), Standing::Candidate);
        assert_eq!(c.receive(100).len(), 5);
        assert_eq!(c.dropped(), 6);
    }

    #[test]
    fn a_flood_drowns_only_itself() {
        const LINES: usize = 256;
        let hub: Hub<Arc<str>> = Hub::bounded(3, LINES, 1 << 20);
        hub.seat(1).send_line("one word".to_owned());
        for n in 0..10 * LINES {
            hub.seat(0).send_line(format!("word {n}"));
        }
        let received: Vec<String> =
            (0..=LINES).map(|_| hub.seat(2).wait().expect("it is open").to_string()).collect();
        let first = 10 * LINES - LINES;
        assert_eq!(received[..2], [format!("word {first}"), "one word".to_owned()]);
        assert_eq!(received.last(), Some(&format!("word {}", 10 * LINES - 1)));
        // To the one who sends nothing comes back, to the third what was kept.
        assert_eq!(hub.seat(0).wait().as_deref(), Some("one word"));
        assert_eq!([0, 1, 2].map(|seat| hub.seat(seat).sent()), [10 * LINES as u64, 1, 0]);
        assert_eq!((0..3).map(|seat| hub.seat(seat).dropped()).sum::<u64>(), 2 * 9 * LINES as u64);
    }

    #[test]
    fn boxes_are_bounded_in_bytes_and_can_be_closed() {
        const BYTES: usize = 1 << 20;
        let hub: Hub<Arc<str>> = Hub::bounded(2, 256, BYTES);
        let [one, other] = [hub.seat(0), hub.seat(1)];
        for _ in 0..40 {
            one.send_line("x".repeat(BYTES / 8));
        }
        assert_eq!(other.receive(100).len(), 8);
        // A single line that is larger than the box is none.
        one.send_line("x".repeat(BYTES + 1));
        assert!(other.receive(100).is_empty());
        let waiting = std::thread::spawn({
            let other = other.clone();
            move || other.wait()
        });
        other.close();
        assert_eq!(waiting.join().expect("no panic"), None);
        one.send_line("too late".to_owned());
        assert_eq!(other.wait(), None);
        other.open();
        one.send_line("again".to_owned());
        assert_eq!(other.receive(100).len(), 1);
    }
}
