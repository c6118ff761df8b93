//! Notes between the threads of one process.
//!
//! Every seat has a box for what others send. A box holds so many notes; when it is full, the oldest goes: a slow
//! reader misses what is stale by now, and a fast writer costs it no memory.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use shem_engine::Standing;

use crate::note::Note;

/// What a box holds, unless told otherwise.
pub const CAPACITY: usize = 1_024;

/// A box of a seat.
#[derive(Debug, Default)]
struct Inbox {
    notes: Mutex<VecDeque<(Arc<Note>, Standing)>>,
    /// The number of notes, to be looked at without the lock.
    waiting: AtomicUsize,
    dropped: AtomicU64,
}

/// Where the instances of a process meet.
#[derive(Clone, Debug)]
pub struct Hub {
    inboxes: Arc<[Inbox]>,
    capacity: usize,
}

/// The place of one instance at the hub.
#[derive(Clone, Debug)]
pub struct Seat {
    hub: Hub,
    number: usize,
}

impl Hub {
    /// A hub with so many seats, whose boxes hold so many notes each.
    pub fn new(seats: usize, capacity: usize) -> Hub {
        Hub { inboxes: (0..seats).map(|_| Inbox::default()).collect(), capacity: capacity.max(1) }
    }

    /// A seat.
    ///
    /// # Panics
    /// If there is none of this number.
    pub fn seat(&self, number: usize) -> Seat {
        assert!(number < self.inboxes.len(), "a seat of the hub");
        Seat { hub: self.clone(), number }
    }
}

impl Seat {
    /// Puts a note into the boxes of all others.
    pub fn send(&self, note: Note, standing: Standing) {
        let note = Arc::new(note);
        for (number, inbox) in self.hub.inboxes.iter().enumerate() {
            if number == self.number {
                continue;
            }
            let mut notes = inbox.notes.lock().unwrap_or_else(PoisonError::into_inner);
            if notes.len() >= self.hub.capacity {
                notes.pop_front();
                inbox.dropped.fetch_add(1, Ordering::Relaxed);
            }
            notes.push_back((Arc::clone(&note), standing));
            inbox.waiting.store(notes.len(), Ordering::Relaxed);
        }
    }

    /// Empties the box, at most so many notes.
    pub fn receive(&self, most: usize) -> Vec<(Arc<Note>, Standing)> {
        let inbox = &self.hub.inboxes[self.number];
        if inbox.waiting.load(Ordering::Relaxed) == 0 {
            return Vec::new();
        }
        let mut notes = inbox.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let count = notes.len().min(most);
        let taken = notes.drain(..count).collect();
        inbox.waiting.store(notes.len(), Ordering::Relaxed);
        taken
    }

    /// How many notes were dropped from the box.
    pub fn dropped(&self) -> u64 {
        self.hub.inboxes[self.number].dropped.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::decode;

    fn note(level: usize) -> Note {
        let text =
            format!("(shem-exchange 1 0 (reach h00000000000000000000000000000000 state {level} (<= x0 5)))");
        decode(text.as_bytes()).expect("a message")
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
        b.send(note(1), Standing::Candidate);
        assert_eq!(c.receive(100).len(), 4);
        assert_eq!(c.dropped(), 7);
    }
}
