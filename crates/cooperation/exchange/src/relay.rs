//! The relay: between the hub of a process and the link to others.
//!
//! A thread of its own takes what the instances of this process send from an endpoint of the hub, and puts there what
//! comes from outside, as candidates. Verdicts from outside go to a receiver, to be judged. Everything that comes is
//! parsed under limits, and only so many messages a second are parsed at all: a peer at full speed costs a fixed share
//! of one core and fills no memory, since inboxes are bounded. When the link breaks, the relay tries again, less and
//! less often; the instances go on alone meanwhile and do not notice.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use shem_base::{Statistics, StopToken};
use shem_engine::Standing;

use crate::hub::Endpoint;
use crate::link::{Channel, Link, LinkError, MAX_LINE_BYTES};
use crate::note::{Content, Note};
use crate::rate::RateLimiter;
use crate::wire::{decode, encode};

/// How many messages of a channel are taken at once, and the pause after a full batch: messages are read no faster
/// than that, and the rest waits in the link.
const BATCH: usize = 32;
const PAUSE: Duration = Duration::from_millis(80);

/// How long the relay waits for a message before it looks at what is to be sent.
const WAIT: Duration = Duration::from_millis(10);

/// How many lemmas a second leave the process, and enter it.
const LEMMAS_PER_SECOND: f64 = 400.0;

/// How many verdicts a second enter it.
const VERDICTS_PER_SECOND: f64 = 20.0;

/// The pauses between attempts to mend a broken link.
const FIRST_RETRY: Duration = Duration::from_millis(200);
const LAST_RETRY: Duration = Duration::from_secs(5);

/// How many verdicts of others wait to be judged.
const WAITING_VERDICTS: usize = 4;

/// The exchange inside a process, as its relay sees it.
pub trait LocalExchange: Send {
    /// Takes at most this many messages for other processes.
    fn take(&mut self, _most: usize) -> Vec<Arc<Note>> {
        Vec::new()
    }

    /// Hands on a lemma or an invariant of another process, which is a candidate.
    fn put(&mut self, _note: Note) {}
}

impl LocalExchange for Endpoint {
    fn take(&mut self, most: usize) -> Vec<Arc<Note>> {
        self.receive(most).into_iter().map(|(note, _)| note).collect()
    }

    fn put(&mut self, note: Note) {
        self.send(note, Standing::Candidate);
    }
}

/// Among workers, whose messages are lines.
impl LocalExchange for Endpoint<Arc<str>> {
    fn take(&mut self, most: usize) -> Vec<Arc<Note>> {
        let lines = self.receive(most);
        lines.iter().filter_map(|line| decode(line.as_bytes()).ok()).map(Arc::new).collect()
    }

    fn put(&mut self, note: Note) {
        if let Some(line) = encode(&note).filter(|line| line.len() <= MAX_LINE_BYTES) {
            self.send_line(line);
        }
    }
}

/// No engine of this process sends or takes lemmas.
impl LocalExchange for () {}

/// Runs a relay in a thread of its own.
pub struct Relay {
    last_note: SyncSender<Note>,
    done: Receiver<()>,
    counters: Arc<Mutex<RelayCounters>>,
    stop: StopToken,
}

/// What a relay has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelayCounters {
    /// Messages sent.
    pub sent: u64,
    /// Messages received from others.
    pub received: u64,
    /// Messages that could not be parsed.
    pub malformed: u64,
    /// Messages dropped because too many came.
    pub flooded: u64,
    /// How often the link broke.
    pub breaks: u64,
    /// Why it broke the first time.
    pub reason: Option<String>,
}

impl RelayCounters {
    /// The figures.
    pub fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::new();
        statistics.add("sent", self.sent);
        statistics.add("received", self.received);
        statistics.add("malformed", self.malformed);
        statistics.add("flooded", self.flooded);
        statistics.add("breaks", self.breaks);
        statistics
    }
}

impl Relay {
    /// Starts a relay between the exchange of this process and a link; messages that leave carry this number as their
    /// sender. Verdicts of others come out of the receiver.
    pub fn start(
        mut link: Box<dyn Link>,
        local: Box<dyn LocalExchange>,
        sender: u64,
    ) -> std::io::Result<(Relay, Receiver<Note>)> {
        let stop = StopToken::new();
        let stopped = stop.clone();
        let (last_note, last) = sync_channel(1);
        let (finished, done) = sync_channel(1);
        let (verdicts, found) = sync_channel(WAITING_VERDICTS);
        let counters = Arc::new(Mutex::new(RelayCounters::default()));
        let mut thread = RelayThread {
            local,
            sender,
            verdicts,
            counters: Arc::clone(&counters),
            lemmas_in: RateLimiter::new(LEMMAS_PER_SECOND),
            verdicts_in: RateLimiter::new(VERDICTS_PER_SECOND),
            lemmas_out: RateLimiter::new(LEMMAS_PER_SECOND),
        };
        thread::Builder::new().name("relay".to_owned()).spawn(move || {
            thread.run(&mut *link, &last, &stopped);
            let _ = finished.send(());
        })?;
        Ok((Relay { last_note, done, counters, stop }, found))
    }

    /// Sends a last message, if there is one, and the lemmas that wait, and ends the relay; waits for that at most so
    /// long.
    pub fn finish(self, verdict: Option<Note>, wait: Duration) -> RelayCounters {
        if let Some(note) = verdict {
            let _ = self.last_note.try_send(note);
        }
        // Without a sender the relay knows that no verdict will come.
        drop(self.last_note);
        let _ = self.done.recv_timeout(wait);
        self.stop.stop();
        self.counters.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

struct RelayThread {
    local: Box<dyn LocalExchange>,
    sender: u64,
    verdicts: SyncSender<Note>,
    counters: Arc<Mutex<RelayCounters>>,
    lemmas_in: RateLimiter,
    /// Verdicts have a limit of their own, so that many lemmas keep no verdict out.
    verdicts_in: RateLimiter,
    lemmas_out: RateLimiter,
}

impl RelayThread {
    fn run(&mut self, link: &mut dyn Link, last: &Receiver<Note>, stop: &StopToken) {
        let mut retry = FIRST_RETRY;
        let mut next_attempt = Instant::now();
        while !stop.is_stopped() {
            match last.try_recv() {
                Err(TryRecvError::Empty) => {}
                last => return self.send_last(link, last.ok().as_ref()),
            }
            if Instant::now() < next_attempt {
                // What is sent while the link is broken is lost; it would soon be out of date.
                let _ = self.local.take(usize::MAX);
                thread::sleep(WAIT);
            } else if let Err(error) = self.exchange(link) {
                self.count_break(error);
                next_attempt = Instant::now() + retry;
                retry = (retry * 2).min(LAST_RETRY);
            } else {
                retry = FIRST_RETRY;
            }
        }
    }

    /// Sends a verdict, if there is one, and the lemmas that wait: processes that come later may use them.
    fn send_last(&mut self, link: &mut dyn Link, verdict: Option<&Note>) {
        let sent = match verdict.and_then(encode) {
            Some(message) => self.send(link, Channel::Verdicts, &message),
            None => Ok(()),
        };
        if let Err(error) = sent.and_then(|()| self.send_lemmas(link)) {
            self.count_break(error);
        }
    }

    fn count_break(&self, LinkError(reason): LinkError) {
        self.count(|counters| {
            counters.breaks += 1;
            counters.reason.get_or_insert(reason);
        });
    }

    fn send(&self, link: &mut dyn Link, channel: Channel, message: &str) -> Result<(), LinkError> {
        log::trace!("sent: {message}");
        link.send(channel, message.as_bytes())?;
        self.count(|counters| counters.sent += 1);
        Ok(())
    }

    fn send_lemmas(&mut self, link: &mut dyn Link) -> Result<(), LinkError> {
        for note in self.local.take(BATCH) {
            if matches!(note.content, Content::Verdict(_)) {
                continue;
            }
            if !self.lemmas_out.admit() {
                self.count(|counters| counters.flooded += 1);
                continue;
            }
            if let Some(message) = encode(&Note { sender: self.sender, ..(*note).clone() }) {
                self.send(link, Channel::Lemmas, &message)?;
            }
        }
        Ok(())
    }

    /// Sends what is to be sent and takes what has come.
    fn exchange(&mut self, link: &mut dyn Link) -> Result<(), LinkError> {
        self.send_lemmas(link)?;
        let messages = link.receive(BATCH, WAIT)?;
        let full = messages.len() >= BATCH;
        for (channel, message) in messages {
            self.take(channel, &message);
        }
        if full {
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn take(&mut self, channel: Channel, message: &[u8]) {
        let limiter = match channel {
            Channel::Lemmas => &mut self.lemmas_in,
            Channel::Verdicts => &mut self.verdicts_in,
        };
        if !limiter.admit() {
            return self.count(|counters| counters.flooded += 1);
        }
        let Ok(note) = decode(message) else { return self.count(|counters| counters.malformed += 1) };
        if note.sender == self.sender {
            return;
        }
        self.count(|counters| counters.received += 1);
        log::trace!("received from {}: {} bytes", note.sender, message.len());
        match note.content {
            Content::Verdict(_) => {
                if self.verdicts.try_send(note).is_err() {
                    self.count(|counters| counters.flooded += 1);
                }
            }
            Content::Bounded(_) | Content::Invariant(_) => self.local.put(note),
            // Parts have a queue of their own.
            Content::Part(..) => self.count(|counters| counters.malformed += 1),
        }
    }

    fn count(&self, change: impl FnOnce(&mut RelayCounters)) {
        change(&mut self.counters.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::Hub;
    use crate::link::Message;

    const LEMMA: &str = r#"{"shem-exchange":2,"sender":9,"about":"h00000000000000000000000000000000","content":{"reach":{"level":1,"formula":"(<= x0 5)"}}}"#;
    const MODEL: &str = r#"{"shem-exchange":2,"sender":9,"about":"h00000000000000000000000000000000","content":{"verdict":{"model":[["p","true"]]}}}"#;

    /// A link whose messages are made up, and which breaks now and then.
    struct Scripted {
        calls: u64,
        sent: Arc<Mutex<Vec<String>>>,
        script: Vec<Result<Vec<Message>, LinkError>>,
    }

    impl Link for Scripted {
        fn send(&mut self, _: Channel, message: &[u8]) -> Result<(), LinkError> {
            self.sent.lock().unwrap().push(String::from_utf8_lossy(message).into_owned());
            Ok(())
        }

        fn receive(&mut self, _: usize, wait: Duration) -> Result<Vec<Message>, LinkError> {
            self.calls += 1;
            if self.script.is_empty() {
                thread::sleep(wait);
                return Ok(Vec::new());
            }
            self.script.remove(0)
        }
    }

    fn wait_for(condition: impl Fn() -> bool) {
        let since = Instant::now();
        while !condition() {
            assert!(since.elapsed() < Duration::from_secs(30), "it never happens");
            thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn notes_are_sorted_and_a_broken_link_is_mended() {
        let hub = Hub::new(2, 16);
        let sent = Arc::new(Mutex::new(Vec::new()));
        let bytes = |text: &str| (Channel::Lemmas, text.as_bytes().to_vec());
        let script = vec![
            Ok(vec![bytes(LEMMA), bytes("nonsense"), bytes(&LEMMA.replace(":9,", ":5,"))]),
            Err(LinkError("broken".to_owned())),
            Ok(vec![(Channel::Verdicts, MODEL.as_bytes().to_vec())]),
        ];
        let link = Box::new(Scripted { calls: 0, sent: Arc::clone(&sent), script });
        let (relay, verdicts) = Relay::start(link, Box::new(hub.endpoint(1)), 5).unwrap();
        let verdict = verdicts.recv_timeout(Duration::from_secs(30)).expect("a verdict after the break");
        assert_eq!(verdict, decode(MODEL.as_bytes()).unwrap());
        let received = hub.endpoint(0).receive(10);
        assert_eq!(received.len(), 1, "neither nonsense nor our own words");
        assert_eq!(received[0].1, Standing::Candidate);
        hub.endpoint(0).send(decode(LEMMA.as_bytes()).unwrap(), Standing::Proven);
        wait_for(|| !sent.lock().unwrap().is_empty());
        let report = relay.finish(Some(decode(MODEL.as_bytes()).unwrap()), Duration::from_secs(30));
        assert_eq!((report.sent, report.received, report.malformed, report.breaks), (2, 2, 1, 1));
        assert_eq!(report.reason.as_deref(), Some("broken"));
        let sent = sent.lock().unwrap();
        assert_eq!(*sent, [LEMMA.replace(":9,", ":5,"), MODEL.to_owned()]);
    }

    #[test]
    fn a_flood_is_limited() {
        let hub = Hub::new(2, 16);
        // A link that gives more than a batch is slowed down by the rate limiter.
        let batch: Vec<_> = (0..4 * BATCH).map(|_| (Channel::Lemmas, LEMMA.as_bytes().to_vec())).collect();
        let mut script: Vec<_> = (0..10).map(|_| Ok(batch.clone())).collect();
        script.push(Ok(vec![(Channel::Verdicts, MODEL.as_bytes().to_vec())]));
        let link = Box::new(Scripted { calls: 0, sent: Arc::default(), script });
        let (relay, verdicts) = Relay::start(link, Box::new(hub.endpoint(1)), 5).unwrap();
        let report = Arc::clone(&relay.counters);
        // No lemma gets in the way of a verdict.
        verdicts.recv_timeout(Duration::from_secs(30)).expect("a verdict after the flood");
        wait_for(|| {
            let report = report.lock().unwrap();
            report.received + report.flooded == 40 * BATCH as u64 + 1
        });
        let report = relay.finish(None, Duration::from_secs(30));
        assert!(report.flooded > 0 && report.received >= LEMMAS_PER_SECOND as u64, "{report:?}");
        assert_eq!(hub.endpoint(0).receive(1_000).len(), 16);
    }
}
