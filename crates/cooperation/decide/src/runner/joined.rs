//! Any runner, joined with other processes through a broker.
//!
//! A relay stands between the runner's own exchange and the link: lemmas go out, and what others have learnt comes in
//! as candidates. Verdicts of others come with their witnesses; a thread has each of them judged on the system as
//! read, in a store of its own, and hands on those that are right. It has a thread, so that a wrong verdict which is hard
//! to judge delays nothing. The witness of a verdict that was found here is sent to the others at the end.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use shem_base::{Statistics, StopToken};
use shem_chc::{Fingerprint, System};
use shem_exchange::{
    Address, Content, FormulaLimits, Link, LinkError, LocalExchange, Note, PartQueue, Relay, SentWitness,
    decode, encode,
};
use shem_term::Store;
use thiserror::Error;

use super::{Ending, Event, Runner};
use crate::answer::Status;
use crate::certificate::CertificateChecker;
use crate::evidence::{Claim, Evidence};
use crate::judge::{Accepted, Judge, Refusal};
use crate::observer::Observer;
use crate::options::SolveOptions;
use crate::prepare::Prepared;

/// The name in the answer if another process has found the verdict.
pub(crate) const PEER: &str = "peer";

/// How long sending the verdict to others may take; after a time limit, less than the command line waits.
const LAST_NOTE_TIME: Duration = Duration::from_secs(3);
const LAST_NOTE_TIME_WHEN_LATE: Duration = Duration::from_millis(300);

/// How long a process whose own engines have given up waits for a verdict of others.
const WAIT_FOR_PEERS: Duration = Duration::from_secs(3);

/// The time for judging a verdict of another process; half of it after each that was wrong.
const JUDGING_TIME: Duration = Duration::from_secs(20);
const SHORTEST_JUDGING_TIME: Duration = Duration::from_millis(50);

/// One that could not be judged in its time is judged again, in twice the time, up to this.
const LONGEST_JUDGING_TIME: Duration = Duration::from_secs(80);

/// How many wrong verdicts of others are reported as warnings.
const MAX_WARNINGS: usize = 3;

/// How long the broker may take to number this process.
const NUMBER_TIME: Duration = Duration::from_millis(500);

/// How long an event is waited for.
const PERIOD: Duration = Duration::from_millis(5);

/// A runner that works together with other processes.
pub struct Joined {
    inner: Box<dyn Runner>,
    address: Address,
    relay: Option<Relay>,
    /// The events of the judge of peers.
    peer_events: Receiver<Event>,
    /// The number that stands for this process.
    sender: u64,
    /// Ends the judge of peers.
    stop: StopToken,
    /// Ends the whole run.
    all: StopToken,
    /// Stopped when another process has shown a verdict.
    shown: StopToken,
    /// Since when no engine of this process runs any more.
    over: Option<Instant>,
}

/// The link to the broker of an address.
pub(crate) fn connect(address: &Address, about: Fingerprint) -> Result<Box<dyn Link>, LinkError> {
    #[cfg(feature = "redis")]
    {
        Ok(Box::new(shem_exchange::RedisLink::new(address, about)?))
    }
    #[cfg(not(feature = "redis"))]
    Err(LinkError(format!("{address}, {about}: this program was built without the feature redis")))
}

/// The queue of the parts of a problem at the broker of an address, for the process of this number.
pub(crate) fn connect_queue(
    address: &Address,
    about: Fingerprint,
    parts: Fingerprint,
    sender: u64,
) -> Result<Box<dyn PartQueue>, LinkError> {
    #[cfg(feature = "redis")]
    {
        Ok(Box::new(shem_exchange::RedisQueue::new(address, about, parts, sender)?))
    }
    #[cfg(not(feature = "redis"))]
    Err(LinkError(format!(
        "{address}, {about}, {parts}, {sender}: this program was built without the feature redis"
    )))
}

/// A number that other processes do not have.
pub(crate) fn random_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The number of this process among those that have joined, from zero. If the broker does not answer soon, one is as good
/// as another.
pub(crate) fn number(address: &Address, about: Fingerprint) -> u64 {
    let (sender, receiver) = channel();
    let address = address.clone();
    thread::spawn(move || {
        let number = connect(&address, about).ok().and_then(|mut link| link.number().ok());
        // The receiver is gone if this took too long.
        let _ = sender.send(number);
    });
    receiver.recv_timeout(NUMBER_TIME).ok().flatten().unwrap_or_else(|| u64::from(std::process::id()))
}

impl Joined {
    /// Joins a runner with others through this link.
    pub fn start(
        (inner, exchange): (Box<dyn Runner>, Box<dyn LocalExchange>),
        (address, link): (&Address, Box<dyn Link>),
        store: &Store,
        system: &Arc<System>,
        options: &SolveOptions,
        all: &StopToken,
    ) -> Joined {
        let sender = random_number();
        let (stop, shown) = (StopToken::new(), StopToken::new());
        let (events, peer_events) = channel();
        let peers = PeerJudge {
            store: store.clone(),
            about: Fingerprint::of_system(store, system),
            system: Arc::clone(system),
            options: options.clone(),
            events: events.clone(),
            stop: stop.clone(),
            shown: shown.clone(),
        };
        let relay = Relay::start(link, exchange, sender).and_then(|(relay, verdicts)| {
            let judge = thread::Builder::new().name("judge of peers".to_owned());
            judge.spawn(move || peers.judge(&verdicts)).map(|_| relay)
        });
        if let Err(error) = &relay {
            let _ = events.send(Event::Warning(format!("{address}: {error}; going on alone")));
        }
        let (address, all) = (address.clone(), all.clone());
        Joined { inner, address, relay: relay.ok(), peer_events, sender, stop, all, shown, over: None }
    }
}

impl Joined {
    /// Stopped when another process has shown a verdict.
    pub fn shown_elsewhere(&self) -> StopToken {
        self.shown.clone()
    }

    /// The message for others: the witness, or if there is none or it is too long, the certificate.
    fn note(&self, store: &mut Store, system: &System, found: &Accepted) -> Option<Note> {
        let about = Fingerprint::of_system(store, system);
        let witness = found.verdict.sent(store, system, FormulaLimits::DEFINITION).ok();
        let notes = [witness, found.certificate.clone()].into_iter().flatten();
        notes
            .map(|witness| Note { sender: self.sender, about, content: Content::Verdict(witness) })
            .find(|note| encode(note).is_some_and(|text| decode(text.as_bytes()).is_ok()))
    }
}

impl Runner for Joined {
    fn next(&mut self, store: &mut Store, prepared: &mut Prepared, observer: &mut dyn Observer) -> Event {
        if let Ok(event) = self.peer_events.try_recv() {
            return event;
        }
        let Some(since) = self.over else {
            return match self.inner.next(store, prepared, observer) {
                Event::Over => {
                    self.over = Some(Instant::now());
                    Event::Nothing
                }
                event => event,
            };
        };
        // The verdict of another process may be on its way.
        if since.elapsed() >= WAIT_FOR_PEERS {
            return Event::Over;
        }
        match self.peer_events.recv_timeout(PERIOD) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => Event::Nothing,
            Err(RecvTimeoutError::Disconnected) => Event::Over,
        }
    }

    fn size(&self) -> usize {
        self.inner.size() + 1
    }

    fn reject(&mut self, member: usize) {
        self.inner.reject(member);
    }

    fn release(&mut self, member: usize) {
        self.inner.release(member);
    }

    fn opposition(&mut self, status: Status, late: bool) -> Poll<Option<Claim>> {
        self.inner.opposition(status, late)
    }

    fn finish(&mut self, store: &mut Store, system: &System, found: Option<&Accepted>) -> Ending {
        let note = found.and_then(|found| self.note(store, system, found));
        if found.is_some() && note.is_none() {
            log::debug!("there is nothing that could show the verdict to others");
        }
        let mut ending = self.inner.finish(store, system, found);
        self.stop.stop();
        if let Some(relay) = self.relay.take() {
            let late = self.all.is_stopped();
            let report = relay.finish(note, if late { LAST_NOTE_TIME_WHEN_LATE } else { LAST_NOTE_TIME });
            ending.statistics.merge_prefixed("join", &report.statistics());
            if let Some(reason) = &report.reason {
                ending.warnings.push(format!("{}: {reason}; went on alone", self.address));
            }
        }
        ending
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// Why a verdict of another process is not believed.
#[derive(Debug, Error)]
enum Disbelief {
    #[error("it is no verdict")]
    NoVerdict,
    #[error("it is about another system")]
    OtherSystem,
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Has the verdicts of other processes judged.
struct PeerJudge {
    store: Store,
    about: Fingerprint,
    system: Arc<System>,
    options: SolveOptions,
    events: Sender<Event>,
    stop: StopToken,
    /// Stopped when a verdict was right.
    shown: StopToken,
}

impl PeerJudge {
    /// Judges until one is right.
    fn judge(self, verdicts: &Receiver<Note>) {
        let mut time = JUDGING_TIME;
        let mut wrong = 0;
        // One that could not be judged in its time, and the next time.
        let mut again: Option<(Note, Duration)> = None;
        while !self.stop.is_stopped() {
            let (note, time_here) = match verdicts.recv_timeout(Duration::from_millis(10)) {
                Ok(note) => (note, time),
                Err(RecvTimeoutError::Timeout) => match again.take() {
                    Some(waiting) => waiting,
                    None => continue,
                },
                // The relay is gone; the engines go on alone.
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let judged = self.judge_one(note.clone(), time_here);
            if self.stop.is_stopped() {
                return;
            }
            match judged {
                // The receiver is gone if there is an answer already.
                Ok(claim) => {
                    let _ = self.events.send(Event::Claim(claim));
                    return self.shown.stop();
                }
                Err(why) => {
                    if let Disbelief::Refused(Refusal::Undecided(_)) = why
                        && time_here < LONGEST_JUDGING_TIME
                    {
                        again = Some((note, time_here * 2));
                    }
                    wrong += 1;
                    let words = format!("a verdict of a peer is not believed: {why}");
                    if wrong <= MAX_WARNINGS && self.events.send(Event::Warning(words)).is_err() {
                        return;
                    }
                }
            }
            time = (time / 2).max(SHORTEST_JUDGING_TIME);
        }
    }

    fn judge_one(&self, note: Note, time: Duration) -> Result<Claim, Disbelief> {
        let Content::Verdict(witness) = note.content else { return Err(Disbelief::NoVerdict) };
        if note.about != self.about {
            return Err(Disbelief::OtherSystem);
        }
        let status = match witness {
            SentWitness::Model(_) | SentWitness::Inductive(..) => Status::Sat,
            SentWitness::Derivation(_) | SentWitness::Repeating(_) => Status::Unsat,
        };
        let PeerJudge { system, options, stop, .. } = self;
        let checker = CertificateChecker::SINGLE;
        let judge = Judge { system, options, checker, stop, shown_elsewhere: None };
        let mut store = self.store.clone();
        let accepted = judge.sent(&mut store, &witness, time)?;
        Ok(Claim {
            member: usize::MAX,
            by: "a peer".to_owned(),
            engine: PEER,
            status,
            evidence: Evidence::Judged(Box::new(Accepted { store: Some(Box::new(store)), ..accepted })),
            statistics: Statistics::new(),
        })
    }
}
