//! The relay: between the hub of a process and the link to others.
//!
//! A thread of its own takes what the instances of this process send from a seat at the hub, and puts there what comes
//! from outside, as candidates. Verdicts from outside go to whoever judges them. Everything that comes is parsed under
//! limits, and only so many messages a second are parsed at all: a peer at full speed costs a fixed share of one core
//! and fills no memory, since boxes are bounded. When the link breaks, the relay tries again, less and less often; the
//! instances go on alone meanwhile and do not notice.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use shem_base::{Statistics, StopToken};
use shem_engine::Standing;

use crate::hub::Seat;
use crate::link::{Channel, Link, LinkError};
use crate::note::{Content, Note};
use crate::rate::Rate;
use crate::wire::{decode, encode};

/// How many messages of a channel are taken at once, and the pause after a full load of them: nobody is listened to
/// faster than that, and what has not been asked for waits where it is.
const LOAD: usize = 32;
const PAUSE: Duration = Duration::from_millis(80);

/// How long the relay waits for a message before it looks at what is to be sent.
const WAIT: Duration = Duration::from_millis(10);

/// How many lemmas a second leave the process, and enter it.
const RATE: f64 = 400.0;

/// How many verdicts a second enter it.
const VERDICT_RATE: f64 = 20.0;

/// The pauses between attempts to mend a broken link.
const FIRST_RETRY: Duration = Duration::from_millis(200);
const LAST_RETRY: Duration = Duration::from_secs(5);

/// Verdicts of others that wait to be judged.
const VERDICTS: usize = 4;

/// What stands on this side of a relay: where it takes what is to be sent, and puts what has come.
pub trait Station: Send {
    /// Takes at most so many messages for others.
    fn take(&mut self, most: usize) -> Vec<Arc<Note>>;

    /// Hands on a lemma or an invariant of others, which is a candidate.
    fn put(&mut self, note: Note);
}

impl Station for Seat {
    fn take(&mut self, most: usize) -> Vec<Arc<Note>> {
        self.receive(most).into_iter().map(|(note, _)| note).collect()
    }

    fn put(&mut self, note: Note) {
        self.send(note, Standing::Candidate);
    }
}

/// Runs a relay in a thread of its own.
pub struct Relay {
    farewell: SyncSender<Note>,
    done: Receiver<()>,
    report: Arc<Mutex<Report>>,
}

/// What a relay has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Messages sent.
    pub sent: u64,
    /// Messages received from others.
    pub received: u64,
    /// Messages that could not be parsed.
    pub malformed: u64,
    /// Messages dropped because too many came.
    pub flooded: u64,
    /// How often the link broke, and what was said the first time.
    pub breaks: u64,
    /// The first reason.
    pub reason: Option<String>,
}

impl Report {
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
    /// Starts a relay between this station and this link for the sender of this number. Verdicts of others come out of
    /// the receiver.
    pub fn start(
        mut link: Box<dyn Link>,
        station: Box<dyn Station>,
        sender: u64,
        stop: StopToken,
    ) -> std::io::Result<(Relay, Receiver<Note>)> {
        let (farewell, last) = sync_channel(1);
        let (finished, done) = sync_channel(1);
        let (verdicts, found) = sync_channel(VERDICTS);
        let report = Arc::new(Mutex::new(Report::default()));
        let shared = Arc::clone(&report);
        thread::Builder::new().name("relay".to_owned()).spawn(move || {
            let mut worker = Worker {
                station,
                sender,
                verdicts,
                report: shared,
                inwards: Rate::new(RATE),
                verdicts_inwards: Rate::new(VERDICT_RATE),
                outwards: Rate::new(RATE),
            };
            worker.run(&mut *link, &last, &stop);
            let _ = finished.send(());
        })?;
        Ok((Relay { farewell, done, report }, found))
    }

    /// Sends a last message, if there is one, and what was learnt last, and ends the relay; waits for that at most so
    /// long.
    pub fn finish(self, verdict: Option<Note>, stop: &StopToken, wait: Duration) -> Report {
        if let Some(note) = verdict {
            let _ = self.farewell.try_send(note);
        }
        // Without a sender the relay knows that no verdict will come.
        drop(self.farewell);
        let _ = self.done.recv_timeout(wait);
        stop.stop();
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

struct Worker {
    station: Box<dyn Station>,
    sender: u64,
    verdicts: SyncSender<Note>,
    report: Arc<Mutex<Report>>,
    inwards: Rate,
    /// Of its own, so that a flood of lemmas drowns no verdict.
    verdicts_inwards: Rate,
    outwards: Rate,
}

impl Worker {
    fn run(&mut self, link: &mut dyn Link, last: &Receiver<Note>, stop: &StopToken) {
        use std::sync::mpsc::TryRecvError;
        let mut retry = FIRST_RETRY;
        let mut rest_until = Instant::now();
        loop {
            if stop.is_stopped() {
                return;
            }
            match last.try_recv() {
                Err(TryRecvError::Empty) => {}
                last => return self.part(link, last.ok().as_ref()),
            }
            if Instant::now() < rest_until {
                // What is sent meanwhile is lost, and stale soon.
                let _ = self.station.take(usize::MAX);
                thread::sleep(WAIT);
                continue;
            }
            match self.round(link) {
                Ok(()) => retry = FIRST_RETRY,
                Err(error) => {
                    self.broken(error);
                    rest_until = Instant::now() + retry;
                    retry = (retry * 2).min(LAST_RETRY);
                }
            }
        }
    }

    /// Sends a verdict, if there is one, and what was learnt last: it may be of use to whoever comes later.
    fn part(&mut self, link: &mut dyn Link, verdict: Option<&Note>) {
        let message = verdict.and_then(encode);
        let told = message.map_or(Ok(()), |message| {
            link.send(Channel::Verdicts, message.as_bytes())?;
            self.count(|report| report.sent += 1);
            Ok(())
        });
        if let Err(error) = told.and_then(|()| self.send(link)) {
            self.broken(error);
        }
    }

    /// The link is broken.
    fn broken(&self, LinkError(reason): LinkError) {
        self.count(|report| {
            report.breaks += 1;
            report.reason.get_or_insert(reason);
        });
    }

    /// Sends what is to be sent.
    fn send(&mut self, link: &mut dyn Link) -> Result<(), LinkError> {
        for note in self.station.take(LOAD) {
            if matches!(note.content, Content::Verdict(_)) {
                continue;
            }
            if !self.outwards.take() {
                self.count(|report| report.flooded += 1);
                continue;
            }
            let note = Note { sender: self.sender, ..(*note).clone() };
            if let Some(message) = encode(&note) {
                log::trace!("sent: {message}");
                link.send(Channel::Lemmas, message.as_bytes())?;
                self.count(|report| report.sent += 1);
            }
        }
        Ok(())
    }

    /// Sends what is to be sent and takes what has come.
    fn round(&mut self, link: &mut dyn Link) -> Result<(), LinkError> {
        self.send(link)?;
        let messages = link.receive(LOAD, WAIT)?;
        let full = messages.len() >= LOAD;
        for (channel, message) in messages {
            self.take(channel, &message);
        }
        if full {
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn take(&mut self, channel: Channel, message: &[u8]) {
        let rate = match channel {
            Channel::Lemmas => &mut self.inwards,
            Channel::Verdicts => &mut self.verdicts_inwards,
        };
        if !rate.take() {
            self.count(|report| report.flooded += 1);
            return;
        }
        let note = match decode(message) {
            Ok(note) => note,
            Err(_) => return self.count(|report| report.malformed += 1),
        };
        if note.sender == self.sender {
            return;
        }
        self.count(|report| report.received += 1);
        log::trace!("received from {}: {} bytes", note.sender, message.len());
        match note.content {
            Content::Verdict(_) => {
                if self.verdicts.try_send(note).is_err() {
                    self.count(|report| report.flooded += 1);
                }
            }
            Content::Bounded(_) | Content::Invariant(_) => self.station.put(note),
        }
    }

    fn count(&self, change: impl FnOnce(&mut Report)) {
        change(&mut self.report.lock().unwrap_or_else(PoisonError::into_inner));
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
        let stop = StopToken::new();
        let (relay, verdicts) = Relay::start(link, Box::new(hub.seat(1)), 5, stop.clone()).unwrap();
        let verdict = verdicts.recv_timeout(Duration::from_secs(30)).expect("a verdict after the break");
        assert_eq!(verdict, decode(MODEL.as_bytes()).unwrap());
        let received = hub.seat(0).receive(10);
        assert_eq!(received.len(), 1, "neither nonsense nor our own words");
        assert_eq!(received[0].1, Standing::Candidate);
        hub.seat(0).send(decode(LEMMA.as_bytes()).unwrap(), Standing::Proven);
        wait_for(|| !sent.lock().unwrap().is_empty());
        let report = relay.finish(Some(decode(MODEL.as_bytes()).unwrap()), &stop, Duration::from_secs(30));
        assert_eq!((report.sent, report.received, report.malformed, report.breaks), (2, 2, 1, 1));
        assert_eq!(report.reason.as_deref(), Some("broken"));
        let sent = sent.lock().unwrap();
        assert_eq!(*sent, [LEMMA.replace(":9,", ":5,"), MODEL.to_owned()]);
    }

    #[test]
    fn a_flood_is_dammed() {
        let hub = Hub::new(2, 16);
        // Whoever does not keep to the size of a load is slowed down by the rate.
        let load: Vec<_> = (0..4 * LOAD).map(|_| (Channel::Lemmas, LEMMA.as_bytes().to_vec())).collect();
        let mut script: Vec<_> = (0..10).map(|_| Ok(load.clone())).collect();
        script.push(Ok(vec![(Channel::Verdicts, MODEL.as_bytes().to_vec())]));
        let link = Box::new(Scripted { calls: 0, sent: Arc::default(), script });
        let stop = StopToken::new();
        let (relay, verdicts) = Relay::start(link, Box::new(hub.seat(1)), 5, stop.clone()).unwrap();
        let report = Arc::clone(&relay.report);
        // No lemma gets in the way of a verdict.
        verdicts.recv_timeout(Duration::from_secs(30)).expect("a verdict after the flood");
        wait_for(|| {
            let report = report.lock().unwrap();
            report.received + report.flooded == 40 * LOAD as u64 + 1
        });
        let report = relay.finish(None, &stop, Duration::from_secs(30));
        assert!(report.flooded > 0 && report.received >= RATE as u64, "{report:?}");
        assert_eq!(hub.seat(0).receive(1_000).len(), 16);
    }
}
