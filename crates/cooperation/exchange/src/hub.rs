//! Messages between those who work on one problem: threads of a process, or the workers that it has started.
//!
//! Each participant has an endpoint with an inbox, and what one sends goes into the inboxes of all others. Nobody waits
//! for anybody: an inbox has a bounded queue for each sender and drops the oldest message of a full queue, so a slow or
//! stopped participant misses what is out of date by then, and a sender at full speed pushes out its own messages only.
//! Inboxes exist from the beginning, so one that starts late finds what the others have learnt before.
//!
//! Among participants that work in rounds, messages wait until the next round begins ([`Hub::deliver`]): what one finds in
//! its inbox then depends on neither load nor machine.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use shem_engine::Standing;

use crate::note::Note;

/// How many messages of a sender an inbox holds, where nothing else is asked for.
pub const QUEUE_CAPACITY: usize = 1_024;

/// What is sent between threads.
pub type SharedNote = (Arc<Note>, Standing);

#[derive(Debug)]
struct Inboxes<M> {
    inboxes: Vec<Inbox<M>>,
    /// How many messages a queue holds, and how many bytes.
    capacity: (usize, usize),
    /// By sender: the messages of this round with their sizes, if there are rounds.
    held: Option<Vec<Held<M>>>,
}

type Held<M> = Mutex<Vec<(M, usize)>>;

#[derive(Debug)]
struct Inbox<M> {
    queues: Mutex<Queues<M>>,
    changed: Condvar,
    /// How many messages its owner has sent.
    sent: AtomicU64,
}

#[derive(Debug)]
struct Queues<M> {
    /// The messages of each sender with their sizes, the oldest first, and the size of all of them.
    by_sender: Vec<(VecDeque<(M, usize)>, usize)>,
    /// Whose turn it is.
    next: usize,
    /// How many messages were dropped.
    dropped: u64,
    closed: bool,
}

/// Where messages are exchanged: [`SharedNote`] between threads, lines between processes.
#[derive(Clone, Debug)]
pub struct Hub<M = SharedNote>(Arc<Inboxes<M>>);

/// Where one participant sends and receives.
#[derive(Clone, Debug)]
pub struct Endpoint<M = SharedNote> {
    hub: Arc<Inboxes<M>>,
    number: usize,
}

impl Hub<SharedNote> {
    /// A hub with this many endpoints, whose inboxes hold this many messages of each sender.
    pub fn new(endpoints: usize, capacity: usize) -> Hub {
        Hub::bounded(endpoints, capacity, usize::MAX)
    }

    /// The same for participants that work in rounds.
    pub fn in_rounds(endpoints: usize, capacity: usize) -> Hub {
        let inboxes = (0..endpoints).map(|_| Inbox::new(endpoints)).collect();
        let held = (0..endpoints).map(|_| Mutex::default()).collect();
        Hub(Arc::new(Inboxes { inboxes, capacity: (capacity.max(1), usize::MAX), held: Some(held) }))
    }
}

impl<M: Clone> Hub<M> {
    /// A hub with this many endpoints, whose inboxes hold this many messages and bytes of each sender.
    pub fn bounded(endpoints: usize, messages: usize, bytes: usize) -> Hub<M> {
        let inboxes = (0..endpoints).map(|_| Inbox::new(endpoints)).collect();
        Hub(Arc::new(Inboxes { inboxes, capacity: (messages.max(1), bytes), held: None }))
    }

    /// Puts the messages of the last round into the inboxes. Nobody may work meanwhile.
    pub fn deliver(&self) {
        for (sender, held) in self.0.held.iter().flatten().enumerate() {
            let messages = std::mem::take(&mut *held.lock().unwrap_or_else(PoisonError::into_inner));
            messages.into_iter().for_each(|(message, size)| self.0.put(sender, &message, size));
        }
    }

    /// The endpoint of a participant.
    ///
    /// # Panics
    /// If there is none of this number.
    pub fn endpoint(&self, number: usize) -> Endpoint<M> {
        assert!(number < self.0.inboxes.len(), "an endpoint of the hub");
        Endpoint { hub: Arc::clone(&self.0), number }
    }
}

impl Endpoint<SharedNote> {
    /// Puts a note into the inboxes of all others.
    pub fn send(&self, note: Note, standing: Standing) {
        self.put((Arc::new(note), standing), 0);
    }
}

impl Endpoint<Arc<str>> {
    /// Puts a line into the inboxes of all others.
    pub fn send_line(&self, line: String) {
        let bytes = line.len();
        self.put(line.into(), bytes);
    }
}

impl<M: Clone> Endpoint<M> {
    fn put(&self, message: M, size: usize) {
        self.inbox().sent.fetch_add(1, Ordering::Relaxed);
        match &self.hub.held {
            Some(held) => {
                held[self.number].lock().unwrap_or_else(PoisonError::into_inner).push((message, size));
            }
            None => self.hub.put(self.number, &message, size),
        }
    }

    fn inbox(&self) -> &Inbox<M> {
        &self.hub.inboxes[self.number]
    }

    /// Takes at most this many messages out of the inbox. Senders take turns.
    pub fn receive(&self, most: usize) -> Vec<M> {
        let mut queues = self.inbox().lock();
        std::iter::from_fn(|| queues.take()).take(most).collect()
    }

    /// Waits for a message; `None` once the inbox is closed.
    pub fn wait(&self) -> Option<M> {
        let inbox = self.inbox();
        let mut queues = inbox.lock();
        while !queues.closed {
            if let Some(message) = queues.take() {
                return Some(message);
            }
            queues = inbox.changed.wait(queues).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Closes the inbox: its messages are dropped, and it takes no more.
    pub fn close(&self) {
        let mut queues = self.inbox().lock();
        queues.closed = true;
        queues.by_sender.iter_mut().for_each(|queue| *queue = Default::default());
        self.inbox().changed.notify_all();
    }

    /// Opens an inbox that was closed.
    pub fn open(&self) {
        self.inbox().lock().closed = false;
    }

    /// How many messages were sent from here.
    pub fn sent(&self) -> u64 {
        self.inbox().sent.load(Ordering::Relaxed)
    }

    /// How many messages were dropped from the inbox.
    pub fn dropped(&self) -> u64 {
        self.inbox().lock().dropped
    }
}

impl<M: Clone> Inboxes<M> {
    /// Puts a message into the inboxes of all but its sender.
    fn put(&self, sender: usize, message: &M, size: usize) {
        for (_, inbox) in self.inboxes.iter().enumerate().filter(|&(to, _)| to != sender) {
            inbox.put(sender, message.clone(), size, self.capacity);
        }
    }
}

impl<M> Inbox<M> {
    fn new(senders: usize) -> Inbox<M> {
        let by_sender = (0..senders).map(|_| Default::default()).collect();
        let queues = Mutex::new(Queues { by_sender, next: 0, dropped: 0, closed: false });
        Inbox { queues, changed: Condvar::new(), sent: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Queues<M>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message of a sender, and drops the oldest ones that are too many.
    fn put(&self, sender: usize, message: M, size: usize, (messages, bytes): (usize, usize)) {
        let queues = &mut *self.lock();
        if queues.closed {
            return;
        }
        let (queue, used) = &mut queues.by_sender[sender];
        queue.push_back((message, size));
        *used += size;
        while queue.len() > messages || *used > bytes {
            let Some((_, oldest)) = queue.pop_front() else { break };
            *used -= oldest;
            queues.dropped += 1;
        }
        self.changed.notify_one();
    }
}

impl<M> Queues<M> {
    /// Takes a message of the sender whose turn it is.
    fn take(&mut self) -> Option<M> {
        let count = self.by_sender.len();
        for turn in 0..count {
            let sender = (self.next + turn) % count;
            let (queue, used) = &mut self.by_sender[sender];
            if let Some((message, size)) = queue.pop_front() {
                *used -= size;
                self.next = sender + 1;
                return Some(message);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::{Bounded, BoundedKind, Content};
    use shem_term::pack::{Formula, FormulaLimits};

    fn note(level: usize) -> Note {
        let formula = Formula::new("(<= x0 5)", FormulaLimits::LEMMA).expect("a formula");
        let bounded = Bounded { level, formula, kind: BoundedKind::Reach };
        let about = "h00000000000000000000000000000000".parse().expect("a fingerprint");
        Note { sender: 0, about, content: Content::Bounded(bounded) }
    }

    #[test]
    fn the_oldest_goes_when_an_inbox_is_full() {
        let hub = Hub::new(3, 4);
        let [a, b, c] = [hub.endpoint(0), hub.endpoint(1), hub.endpoint(2)];
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
    fn messages_of_a_round_arrive_in_the_next_one() {
        let hub = Hub::in_rounds(3, 4);
        let [a, b, c] = [hub.endpoint(0), hub.endpoint(1), hub.endpoint(2)];
        b.send(note(2), Standing::Proven);
        a.send(note(1), Standing::Proven);
        assert!(c.receive(100).is_empty());
        hub.deliver();
        let levels = |end: &Endpoint| end.receive(100).iter().map(|(n, _)| (**n).clone()).collect::<Vec<_>>();
        // In the order of their senders, whoever was first.
        assert_eq!(levels(&c), [note(1), note(2)]);
        assert_eq!((levels(&a), levels(&b)), (vec![note(2)], vec![note(1)]));
        hub.deliver();
        assert!(levels(&c).is_empty());
        assert_eq!([a.sent(), b.sent(), c.sent()], [1, 1, 0]);
    }

    #[test]
    fn a_flood_drops_only_its_own_messages() {
        const LINES: usize = 256;
        let hub: Hub<Arc<str>> = Hub::bounded(3, LINES, 1 << 20);
        hub.endpoint(1).send_line("one word".to_owned());
        for n in 0..10 * LINES {
            hub.endpoint(0).send_line(format!("word {n}"));
        }
        let received: Vec<String> =
            (0..=LINES).map(|_| hub.endpoint(2).wait().expect("it is open").to_string()).collect();
        let first = 10 * LINES - LINES;
        assert_eq!(received[..2], [format!("word {first}"), "one word".to_owned()]);
        assert_eq!(received.last(), Some(&format!("word {}", 10 * LINES - 1)));
        // To the one who sends nothing comes back, to the third what was kept.
        assert_eq!(hub.endpoint(0).wait().as_deref(), Some("one word"));
        assert_eq!([0, 1, 2].map(|number| hub.endpoint(number).sent()), [10 * LINES as u64, 1, 0]);
        assert_eq!((0..3).map(|number| hub.endpoint(number).dropped()).sum::<u64>(), 2 * 9 * LINES as u64);
    }

    #[test]
    fn inboxes_are_bounded_in_bytes_and_can_be_closed() {
        const BYTES: usize = 1 << 20;
        let hub: Hub<Arc<str>> = Hub::bounded(2, 256, BYTES);
        let [one, other] = [hub.endpoint(0), hub.endpoint(1)];
        for _ in 0..40 {
            one.send_line("x".repeat(BYTES / 8));
        }
        assert_eq!(other.receive(100).len(), 8);
        // A single line that is larger than the inbox is dropped.
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
