//! Several instances of an engine that work together, in one process or in many.
//!
//! The passes run once. Every instance gets a copy of the store and sees the same graph, so that lemmas which count
//! steps are about the same steps; it has settings of its own and a seat at the hub. A verdict is validated while the
//! others go on, and only then wins: a witness that is rejected, a panic or a shortage of time costs an instance, not
//! the answer. The winner's store takes the place of the first one, of which it is a continuation, so its witness
//! needs no translation.
//!
//! With an address to join, one more seat belongs to the relay, and one more runner listens to verdicts of others: each
//! is judged here, in a store of its own, before it wins. What is found here is told to the others at the end.

use std::cell::Cell;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use shem_base::{Budget, Statistics, StopToken, UnknownReason};
use shem_chc::System;
use shem_decide::clock::with_deadline;
use shem_engine::{
    CertificateError, Context, Events, NoEvents, Outcome, Port, Progress, Proven, Reason,
    Verdict as GraphVerdict,
};
use shem_exchange::{
    Address, CAPACITY, Finish, Found, Hub, HubPort, Link, Note, Rejection, Relay, Runner, Translator,
    judge as judge_note, model_note, race, refutation_note,
};
use shem_smt::Recorder;
use shem_term::Store;
use shem_transform::Preprocessed;
use thiserror::Error;

use super::answer::{Checked, Verdict, Witness};
use super::decide::{Later, Listener, Purpose};
use super::dump::Folder;
use super::options::SolveOptions;
use super::reason::{Fault, NoWitness, Undecided};

/// Who is named where somebody elsewhere has found the verdict.
const PEER: &str = "peer";

/// How long telling the others of the verdict may take: less than the guard waits after a time limit.
const FAREWELL: Duration = Duration::from_millis(300);

/// How long building a witness for the others may take where a certificate is enough here.
const COURTESY: Duration = Duration::from_secs(5);

/// How long one whose own instances have given up listens for a verdict of others.
const LINGER: Duration = Duration::from_secs(3);

/// The time for judging a verdict of somebody else; half of it after each that was wrong.
const JUDGEMENT: Duration = Duration::from_secs(20);
const SHORTEST_JUDGEMENT: Duration = Duration::from_millis(50);

/// So many wrong verdicts of others are told of.
const COMPLAINTS: usize = 3;

/// What all instances work on.
pub(super) struct Shared<'a> {
    pub(super) system: &'a Arc<System>,
    pub(super) preprocessed: Arc<Preprocessed>,
}

/// What the instances have found.
pub(super) struct Decided {
    pub(super) verdict: Verdict,
    pub(super) checked: Checked,
    pub(super) engine: &'static str,
}

/// What a runner comes back with.
enum Event {
    /// An instance has ended.
    Own { store: Store, outcome: GraphVerdict, statistics: Statistics },
    /// Somebody elsewhere has found this, and it was judged to be right.
    Peer { store: Store, found: Found },
    /// Somebody elsewhere has sent a verdict that is not believed.
    Nonsense(Rejection),
}

/// Where an instance is, for whoever looks on.
#[derive(Default)]
struct Place {
    depth: AtomicU64,
    lemmas: AtomicU64,
}

/// An instance says where it is, and tells others what it has learnt.
struct Member {
    place: Arc<Place>,
    folder: Option<Folder>,
    port: Option<HubPort>,
}

impl Events for Member {
    fn progress(&mut self, progress: Progress) {
        self.place.depth.store(progress.depth, Ordering::Relaxed);
        self.place.lemmas.store(progress.lemmas, Ordering::Relaxed);
    }

    fn recorder(&mut self) -> Option<Recorder> {
        self.folder.as_mut()?.recorder()
    }

    fn port(&mut self) -> Option<&mut dyn Port> {
        self.port.as_mut().map(|port| port as &mut dyn Port)
    }
}

/// The connection to others.
struct Connection {
    relay: Relay,
    verdicts: Receiver<Note>,
    sender: u64,
    stop: StopToken,
}

/// Decides what the passes have left.
pub(super) fn decide(
    store: &mut Store,
    problem: &Shared<'_>,
    options: &SolveOptions,
    stop: &StopToken,
    listener: &mut dyn Listener,
    statistics: &mut Statistics,
    warnings: &mut Vec<String>,
) -> Decided {
    let hub = Hub::new(options.instances + 1, CAPACITY);
    let mut translator = None;
    let mut connection = None;
    if let Some(address) = &options.join {
        let shared = Translator::new(store, problem.system, Arc::clone(&problem.preprocessed));
        let shared = Arc::new(shared);
        match connect(address, &shared, &hub, options.instances) {
            Ok(found) => connection = Some(found),
            Err(reason) => warnings.push(format!("{address}: {reason}; going on alone")),
        }
        translator = Some(shared);
    }
    let places: Vec<Arc<Place>> = (0..options.instances).map(|_| Arc::default()).collect();
    let mut runners: Vec<Runner<Event>> = Vec::with_capacity(options.instances + 1);
    for (number, place) in places.iter().enumerate() {
        let port = port(options, &hub, translator.as_ref(), number);
        let folder = listener.part(&format!("{number}-{}", options.engine.name()));
        let member = Member { place: Arc::clone(place), folder, port };
        runners.push(instance(store, problem, options, member, number));
    }
    let mut connection = connection.map(|Connection { relay, verdicts, sender, stop }| {
        runners.push(judge_of_peers(store.clone(), Arc::clone(problem.system), verdicts));
        (relay, sender, stop)
    });
    let mut reasons = Vec::new();
    let mut running = options.instances;
    let mut complaints = 0;
    // The verdict of somebody else may be on its way.
    let alone_since = Cell::new(None);
    let joined = connection.is_some();
    let given_up = |running: usize| match running {
        0 if !joined => ControlFlow::Break(None),
        0 => {
            alone_since.set(alone_since.get().or(Some(Instant::now())));
            ControlFlow::Continue(())
        }
        _ => ControlFlow::Continue(()),
    };
    let judge = |number: usize, finish: Finish<Event>| {
        let event = match finish {
            Finish::Result(event) => event,
            Finish::Panic(words) => {
                warnings.push(format!("instance {number} of {} panicked: {words}", options.engine.name()));
                if number < options.instances {
                    running -= 1;
                }
                return given_up(running);
            }
        };
        match event {
            Event::Nonsense(rejection) => {
                complaints += 1;
                if complaints <= COMPLAINTS {
                    warnings.push(format!("a verdict of a peer is not believed: {rejection}"));
                }
                return ControlFlow::Continue(());
            }
            Event::Peer { store, found } => {
                let verdict = match found {
                    Found::Model(model) => Verdict::Sat(Witness::Found(model)),
                    Found::Derivation(derivation) => Verdict::Unsat(Witness::Found(derivation)),
                };
                return ControlFlow::Break(Some((store, verdict, Checked::Witness, None)));
            }
            Event::Own { outcome: Outcome::Unknown(reason), .. } => reasons.push(reason),
            Event::Own { store: mut own, outcome, statistics } => {
                match judge_own(&mut own, problem, options, stop, outcome) {
                    Ok((verdict, checked)) => {
                        return ControlFlow::Break(Some((own, verdict, checked, Some((number, statistics)))));
                    }
                    Err(refusal) => {
                        warnings.push(format!("instance {number} of {}: {refusal}", options.engine.name()));
                    }
                }
            }
        }
        running -= 1;
        given_up(running)
    };
    // The one that is furthest stands for all.
    let watch = || {
        let at = |place: &Place| (place.depth.load(Ordering::Relaxed), place.lemmas.load(Ordering::Relaxed));
        if let Some((depth, lemmas)) = places.iter().map(|place| at(place)).max() {
            listener.progress(Progress { depth, lemmas });
        }
        alone_since.get().is_none_or(|since: Instant| since.elapsed() < LINGER)
    };
    let won = race(runners, stop, judge, watch);
    let decided = match won.flatten() {
        Some((own, verdict, checked, winner)) => {
            *store = own;
            let engine = match winner {
                Some((number, figures)) => {
                    statistics.set("instances.winner", number as u64);
                    statistics.merge_prefixed(options.engine.name(), &figures);
                    options.engine.name()
                }
                None => PEER,
            };
            Decided { verdict, checked, engine }
        }
        None => {
            let reason = if stop.is_stopped() {
                Reason::Limit(UnknownReason::Stopped).into()
            } else {
                reasons.pop().map_or(Undecided::Rejected, Undecided::Engine)
            };
            let verdict = Verdict::Unknown(reason);
            Decided { verdict, checked: Checked::Nothing, engine: options.engine.name() }
        }
    };
    if let (Some((relay, sender, token)), Some(address)) = (connection.take(), &options.join) {
        let note = if decided.engine == PEER { None } else { note(store, problem.system, &decided, sender) };
        let report = relay.finish(note, &token, FAREWELL);
        statistics.merge_prefixed("join", &report.statistics());
        if let Some(reason) = &report.reason {
            warnings.push(format!("{address}: {reason}; went on alone"));
        }
    }
    decided
}

/// Opens the link to others.
fn connect(address: &Address, translator: &Translator, hub: &Hub, seat: usize) -> Result<Connection, String> {
    let link = link(address, translator)?;
    // Processes draw lots for their numbers.
    let sender = RandomState::new().build_hasher().finish();
    let stop = StopToken::new();
    let (relay, verdicts) =
        Relay::start(link, hub.seat(seat), sender, stop.clone()).map_err(|error| error.to_string())?;
    Ok(Connection { relay, verdicts, sender, stop })
}

#[cfg(feature = "redis")]
fn link(address: &Address, translator: &Translator) -> Result<Box<dyn Link>, String> {
    match shem_exchange::RedisLink::new(address, translator.about()) {
        Ok(link) => Ok(Box::new(link)),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(not(feature = "redis"))]
fn link(_: &Address, _: &Translator) -> Result<Box<dyn Link>, String> {
    Err("this program was built without the feature redis".to_owned())
}

/// The message to others about a verdict that was found here.
fn note(store: &mut Store, system: &System, decided: &Decided, sender: u64) -> Option<Note> {
    match &decided.verdict {
        Verdict::Sat(Witness::Found(model)) => model_note(store, system, model, sender),
        Verdict::Unsat(Witness::Found(derivation)) => refutation_note(store, system, derivation, sender),
        _ => None,
    }
}

/// What an instance sees of the exchange.
fn port(
    options: &SolveOptions,
    hub: &Hub,
    translator: Option<&Arc<Translator>>,
    number: usize,
) -> Option<HubPort> {
    if options.share.is_none() {
        return None;
    }
    let port = HubPort::new(hub.seat(number), number as u64, options.share);
    Some(match translator {
        Some(translator) => port.with_translator(Arc::clone(translator)),
        None => port,
    })
}

/// An instance, ready to run.
fn instance(
    store: &Store,
    problem: &Shared<'_>,
    options: &SolveOptions,
    mut member: Member,
    number: usize,
) -> Runner<Event> {
    let mut store = store.clone();
    let preprocessed = Arc::clone(&problem.preprocessed);
    // The seed is part of the number, so that processes which join a run can differ as instances do.
    let choice = options.engine.clone().instance((options.seed as usize).wrapping_add(number));
    let (seed, witness) = (options.seed.wrapping_add(number as u64), options.witness);
    Box::new(move |token: &StopToken, emit: &mut dyn FnMut(Event)| {
        let mut engine = choice.make();
        let mut context = Context {
            budget: Budget::until(token.clone()),
            seed,
            witness,
            events: &mut member,
            statistics: Statistics::new(),
        };
        let outcome = engine.solve(&mut store, &preprocessed.graph, &mut context);
        let mut statistics = context.statistics;
        if let Some(port) = &member.port {
            statistics.merge_prefixed("port", &port.counters().statistics());
        }
        emit(Event::Own { store, outcome, statistics });
    })
}

/// Judges the verdicts of others until one is right.
fn judge_of_peers(store: Store, system: Arc<System>, verdicts: Receiver<Note>) -> Runner<Event> {
    Box::new(move |token: &StopToken, emit: &mut dyn FnMut(Event)| {
        let mut time = JUDGEMENT;
        while !token.is_stopped() {
            let note = match verdicts.recv_timeout(Duration::from_millis(10)) {
                Ok(note) => note,
                Err(RecvTimeoutError::Timeout) => continue,
                // The relay is gone; the instances go on alone.
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let mut own = store.clone();
            let judged = with_deadline(token, time, |token| {
                judge_note(&mut own, &system, &note, &mut Budget::until(token.clone()))
            });
            match judged {
                Ok(found) => return emit(Event::Peer { store: own, found }),
                Err(_) if token.is_stopped() => return,
                Err(rejection) => {
                    time = (time / 2).max(SHORTEST_JUDGEMENT);
                    emit(Event::Nonsense(rejection));
                }
            }
        }
    })
}

/// Why a verdict that was found here does not win.
#[derive(Debug, Error)]
enum Refusal {
    /// A mistake of ours was noticed.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// There is no witness to judge.
    #[error("the verdict could not be checked: {0}")]
    NoWitness(NoWitness),
    /// There is nothing to judge.
    #[error("the verdict could not be checked")]
    Unchecked,
}

/// Validates a verdict: by the certificate of the engine if that is all there has to be, and otherwise by the witness.
/// Others, if there are any, can use a witness only.
fn judge_own(
    store: &mut Store,
    problem: &Shared<'_>,
    options: &SolveOptions,
    stop: &StopToken,
    mut outcome: GraphVerdict,
) -> Result<(Verdict, Checked), Refusal> {
    let certified = matches!(&outcome, Outcome::Safe(Proven { certificate: Some(_), .. }));
    let courteous = certified && !options.witness && options.join.is_some();
    let witness = options.witness || !certified || courteous;
    let mut options = SolveOptions { validate: true, witness, ..options.clone() };
    // The certificate comes first, if the witness is for others only: there may be no time left after that.
    let mut accepted = false;
    if courteous && let Outcome::Safe(Proven { certificate, .. }) = &mut outcome {
        options.witness_budget = options.witness_budget.min(COURTESY);
        let certificate = certificate.take().expect("it is certified");
        match certificate.check(store, &mut Budget::until(stop.clone())) {
            Ok(()) => accepted = true,
            Err(CertificateError::Unknown(_)) => {}
            Err(CertificateError::Wrong(what)) => return Err(Fault::Certificate(what).into()),
        }
    }
    let mut checked = Checked::Nothing;
    let preprocessed = &*problem.preprocessed;
    let mut later = Later {
        store,
        system: problem.system,
        preprocessed,
        options: &options,
        purpose: Purpose::Answer,
        stop,
        listener: &mut NoEvents,
        checked: &mut checked,
    };
    let verdict = later.verdict(outcome)?;
    match checked {
        Checked::Nothing if accepted => Ok((verdict, Checked::Certificate)),
        Checked::Nothing => Err(match verdict.missing() {
            Some(reason) => Refusal::NoWitness(reason.clone()),
            None => Refusal::Unchecked,
        }),
        Checked::Certificate | Checked::Witness => Ok((verdict, checked)),
    }
}
