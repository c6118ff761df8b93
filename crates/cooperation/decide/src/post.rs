//! Between workers: what one of them has learnt goes to all others.
//!
//! The arbiter's process is a post office that opens no letters: a note is a line of a worker's report, and it is put
//! as it is into the boxes of all others, whose own writers carry it to their standard input. Whoever receives a note
//! parses it under limits and checks what it says, so nothing that is sent can do more than cost time.
//!
//! Nobody waits for anybody: a box is bounded and drops what is oldest, so a worker that is stopped or does not read
//! loses what is stale by then. Every sender has a place of its own in each box: one that sends at full speed pushes
//! out what it said itself and nothing else. How fast notes are taken from a worker is limited where they are read
//! ([`PER_SECOND`]). The boxes are there from the beginning, so a worker that starts late finds what the others have
//! learnt before.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What one sender may have in one box.
const NOTES: usize = 256;
const BYTES: usize = 1 << 20;

/// How many notes a second are taken from a worker; honest workers send fewer.
pub(crate) const PER_SECOND: f64 = 800.0;

/// The boxes of all workers.
pub(crate) struct Post {
    boxes: Vec<Mailbox>,
    sent: Vec<AtomicU64>,
    dropped: AtomicU64,
}

#[derive(Default)]
struct Mailbox {
    content: Mutex<Content>,
    changed: Condvar,
}

#[derive(Default)]
struct Content {
    /// What each sender has sent, the oldest first, and how many bytes that is.
    places: Vec<(VecDeque<Arc<str>>, usize)>,
    /// Whose turn it is.
    next: usize,
    closed: bool,
}

impl Post {
    /// A box for each of so many workers.
    pub(crate) fn new(workers: usize) -> Post {
        let content = || Content { places: vec![Default::default(); workers], ..Content::default() };
        let mailbox = |_| Mailbox { content: Mutex::new(content()), ..Mailbox::default() };
        Post {
            boxes: (0..workers).map(mailbox).collect(),
            sent: (0..workers).map(|_| AtomicU64::new(0)).collect(),
            dropped: AtomicU64::new(0),
        }
    }

    /// Puts a note of this worker into the boxes of all others.
    pub(crate) fn send(&self, from: usize, note: String) {
        let note: Arc<str> = note.into();
        self.sent[from].fetch_add(1, Ordering::Relaxed);
        for mailbox in self.boxes.iter().enumerate().filter(|&(to, _)| to != from).map(|(_, mailbox)| mailbox)
        {
            let mut content = mailbox.lock();
            if content.closed {
                continue;
            }
            let (place, bytes) = &mut content.places[from];
            *bytes += note.len();
            place.push_back(Arc::clone(&note));
            while place.len() > NOTES || *bytes > BYTES {
                let Some(oldest) = place.pop_front() else { break };
                *bytes -= oldest.len();
                self.dropped.fetch_add(1, Ordering::Relaxed);
            }
            mailbox.changed.notify_one();
        }
    }

    /// Waits for a note for this worker; `None` once the box is closed. Senders take turns.
    pub(crate) fn receive(&self, worker: usize) -> Option<Arc<str>> {
        let mailbox = &self.boxes[worker];
        let mut content = mailbox.lock();
        loop {
            if content.closed {
                return None;
            }
            let count = content.places.len();
            for turn in 0..count {
                let sender = (content.next + turn) % count;
                let (place, bytes) = &mut content.places[sender];
                if let Some(note) = place.pop_front() {
                    *bytes -= note.len();
                    content.next = sender + 1;
                    return Some(note);
                }
            }
            content = mailbox.changed.wait(content).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing more is delivered to this worker.
    pub(crate) fn close(&self, worker: usize) {
        let mailbox = &self.boxes[worker];
        let mut content = mailbox.lock();
        content.closed = true;
        content.places.iter_mut().for_each(|place| *place = Default::default());
        mailbox.changed.notify_all();
    }

    /// How many notes a worker has sent.
    pub(crate) fn sent(&self, worker: usize) -> u64 {
        self.sent[worker].load(Ordering::Relaxed)
    }

    /// How many notes were dropped from boxes.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_drowns_only_itself() {
        let post = Post::new(3);
        post.send(1, "one word".to_owned());
        for n in 0..10 * NOTES {
            post.send(0, format!("word {n}"));
        }
        let received: Vec<String> =
            (0..=NOTES).map(|_| post.receive(2).expect("it is open").to_string()).collect();
        let first = 10 * NOTES - NOTES;
        assert_eq!(received[..2], [format!("word {first}"), "one word".to_owned()]);
        assert_eq!(received.last(), Some(&format!("word {}", 10 * NOTES - 1)));
        // To the one who sends nothing comes back, to the third what was kept.
        assert_eq!(post.receive(0).as_deref(), Some("one word"));
        assert_eq!((post.sent(0), post.sent(1), post.sent(2)), (10 * NOTES as u64, 1, 0));
        assert_eq!(post.dropped(), 2 * 9 * NOTES as u64);
    }

    #[test]
    fn boxes_are_bounded_in_bytes_and_can_be_closed() {
        let post = Arc::new(Post::new(2));
        for _ in 0..40 {
            post.send(0, "x".repeat(BYTES / 8));
        }
        assert_eq!(post.boxes[1].lock().places[0].0.len(), 8);
        // A single note that is larger than the box is no note.
        post.send(0, "x".repeat(BYTES + 1));
        assert!(post.boxes[1].lock().places[0].0.is_empty());
        let waiting = std::thread::spawn({
            let post = Arc::clone(&post);
            move || post.receive(1)
        });
        post.close(1);
        assert_eq!(waiting.join().expect("no panic"), None);
        post.send(0, "too late".to_owned());
        assert_eq!(post.receive(1), None);
    }
}
