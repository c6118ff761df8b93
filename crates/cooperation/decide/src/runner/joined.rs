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
use shem_exchange::{Address, Content, FormulaLimits, Link, LinkError, Note, Relay, SentWitness};
use shem_term::Store;

use super::{Event, Runner};
use crate::answer::{Status, Verdict};
use crate::evidence::{Claim, Evidence, Remote};
use crate::judge::{Accepted, Demand, Judge};
use crate::observer::Observer;
use crate::options::SolveOptions;

/// The name in the answer if another process has found the verdict.
pub(crate) const PEER: &str = "peer";

/// How long sending the verdict to others may take: less than the command line waits after a time limit.
const LAST_NOTE_TIME: Duration = Duration::from_millis(300);

/// How long a process whose own engines have given up waits for a verdict of others.
const WAIT_FOR_PEERS: Duration = Duration::from_secs(3);

/// The time for judging a verdict of another process; half of it after each that was wrong.
const JUDGING_TIME: Duration = Duration::from_secs(20);
const SHORTEST_JUDGING_TIME: Duration = Duration::from_millis(50);

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
        mut inner: Box<dyn Runner>,
        (address, link): (&Address, Box<dyn Link>),
        store: &Store,
        system: &Arc<System>,
        options: &SolveOptions,
    ) -> Joined {
        // A random number stands for this process.
        let sender = RandomState::new().build_hasher().finish();
        let stop = StopToken::new();
        let (events, peer_events) = channel();
        let peers = PeerJudge {
            store: store.clone(),
            about: Fingerprint::of_system(store, system),
            system: Arc::clone(system),
            options: options.clone(),
            events: events.clone(),
            stop: stop.clone(),
        };
        let relay = Relay::start(link, inner.local_exchange(), sender).and_then(|(relay, verdicts)| {
            let judge = thread::Builder::new().name("judge of peers".to_owned());
            judge.spawn(move || peers.judge(&verdicts)).map(|_| relay)
        });
        if let Err(error) = &relay {
            let _ = events.send(Event::Warning(format!("{address}: {error}; going on alone")));
        }
        Joined { inner, address: address.clone(), relay: relay.ok(), peer_events, sender, stop, over: None }
    }
}

impl Runner for Joined {
    fn next(&mut self, store: &mut Store, observer: &mut dyn Observer) -> Event {
        if let Ok(event) = self.peer_events.try_recv() {
            return event;
        }
        let Some(since) = self.over else {
            return match self.inner.next(store, observer) {
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

    fn certified(&mut self) -> Option<Claim> {
        self.inner.certified()
    }

    fn opposition(&mut self, status: Status, late: bool) -> Poll<Option<Claim>> {
        self.inner.opposition(status, late)
    }

    fn finish(
        &mut self,
        store: &mut Store,
        system: &System,
        found: Option<&Verdict>,
    ) -> (Statistics, Vec<String>) {
        let witness = found.and_then(|found| found.sent(store, system, FormulaLimits::DEFINITION).ok());
        let note = witness.map(|witness| {
            let about = Fingerprint::of_system(store, system);
            Note { sender: self.sender, about, content: Content::Verdict(witness) }
        });
        let (mut statistics, mut warnings) = self.inner.finish(store, system, found);
        self.stop.stop();
        if let Some(relay) = self.relay.take() {
            let report = relay.finish(note, LAST_NOTE_TIME);
            statistics.merge_prefixed("join", &report.statistics());
            if let Some(reason) = &report.reason {
                warnings.push(format!("{}: {reason}; went on alone", self.address));
            }
        }
        (statistics, warnings)
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// Has the verdicts of other processes judged.
struct PeerJudge {
    store: Store,
    about: Fingerprint,
    system: Arc<System>,
    options: SolveOptions,
    events: Sender<Event>,
    stop: StopToken,
}

impl PeerJudge {
    /// Judges until one is right.
    fn judge(self, verdicts: &Receiver<Note>) {
        let mut time = JUDGING_TIME;
        let mut wrong = 0;
        while !self.stop.is_stopped() {
            let note = match verdicts.recv_timeout(Duration::from_millis(10)) {
                Ok(note) => note,
                Err(RecvTimeoutError::Timeout) => continue,
                // The relay is gone; the engines go on alone.
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let judged = self.judge_one(note, time);
            if self.stop.is_stopped() {
                return;
            }
            match judged {
                // The receiver is gone if there is an answer already.
                Ok(claim) => return drop(self.events.send(Event::Claim(claim))),
                Err(words) => {
                    wrong += 1;
                    let words = format!("a verdict of a peer is not believed: {words}");
                    if wrong <= MAX_WARNINGS && self.events.send(Event::Warning(words)).is_err() {
                        return;
                    }
                }
            }
            time = (time / 2).max(SHORTEST_JUDGING_TIME);
        }
    }

    fn judge_one(&self, note: Note, time: Duration) -> Result<Claim, String> {
        let Content::Verdict(witness) = note.content else { return Err("it is no verdict".to_owned()) };
        if note.about != self.about {
            return Err("it is about another system".to_owned());
        }
        let status = match witness {
            SentWitness::Model(_) => Status::Sat,
            SentWitness::Derivation(_) | SentWitness::Repeating(_) => Status::Unsat,
        };
        let PeerJudge { system, options, stop, .. } = self;
        let judge = Judge { system, options, demand: Demand::Something, stop };
        let mut store = self.store.clone();
        // A certificate that another process says it has accepted counts for nothing.
        let remote = Remote { certified: false, witness: Ok(witness) };
        let accepted =
            judge.remote(&mut store, status, &remote, time, true).map_err(|why| why.to_string())?;
        Ok(Claim {
            member: usize::MAX,
            by: "a peer".to_owned(),
            engine: PEER,
            status,
            evidence: Evidence::Judged(Accepted { store: Some(Box::new(store)), ..accepted }),
            statistics: Statistics::new(),
        })
    }
}
