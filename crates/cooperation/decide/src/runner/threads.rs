//! Several engines in one process, each in a thread of its own.
//!
//! Every engine gets a copy of the store and settings of its own. Those that are prepared for in the same way see the
//! same graph, so that lemmas which count steps are about the same steps. Each has an endpoint of the hub, where engines tell each other what they learn. A claim carries the store of its
//! engine, which continues the caller's, so that its witness needs no translation. An engine that panics is dropped,
//! and the others go on. Threads that were stopped are waited for only briefly.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{Fingerprint, System};
use shem_engine::{Context, EngineChoice, Events, Port, Preparation, Progress};
use shem_exchange::{Endpoint, Hub, HubPort, LocalExchange, QUEUE_CAPACITY, Share, Translator};
use shem_smt::Recorder;
use shem_term::Store;

use super::{Ending, Event, Runner};
use crate::answer::Status;
use crate::evidence::Claim;
use crate::judge::{Accepted, Until};
use crate::observer::Observer;
use crate::parts::Part;
use crate::prepare::{PREPROCESSING, Prepared, Variant};
use crate::queries::QueryFolder;
use crate::translation::Translation;

/// How long an event is waited for.
const PERIOD: Duration = Duration::from_millis(5);

/// How long a thread that was stopped may take to end.
const THREAD_END_TIME: Duration = Duration::from_millis(100);

/// The stack of a thread: searches keep their own, but other code may be compiled without optimisation.
const STACK: usize = 16 << 20;

/// An engine that takes part.
pub struct Member {
    /// Its name, for messages.
    pub name: String,
    /// The engine.
    pub engine: EngineChoice,
    /// What it works on, if that is not the whole problem.
    pub part: Option<Part>,
    /// Its seed.
    pub seed: u64,
    /// Where its queries are written.
    pub queries: Option<QueryFolder>,
}

impl Member {
    /// The graph of the whole that its engine sees, or would see, and the one that its messages are about. A part is
    /// prepared by who works on it; what is told of it is about the graph that was divided.
    pub(super) fn graphs(
        &self,
        store: &mut Store,
        prepared: &mut Prepared,
        stop: &StopToken,
    ) -> (Arc<Variant>, Arc<Variant>) {
        if self.part.is_some() {
            return (Arc::clone(prepared.base()), Arc::clone(prepared.base()));
        }
        let variant = prepared.variant(store, self.engine.preparation(), stop);
        let common = Arc::clone(prepared.common(&variant));
        (variant, common)
    }
}

/// How the members work together.
#[derive(Clone)]
pub struct Team {
    /// What members tell each other.
    pub share: Share,
    /// Whether a witness is wanted.
    pub witness: bool,
}

/// Runs engines in threads.
pub struct Threads {
    /// The engines, and how far they are.
    members: Vec<(&'static str, Arc<Mutex<Progress>>)>,
    events: Receiver<Event>,
    running: usize,
    threads: Vec<JoinHandle<()>>,
    stop: StopToken,
    /// Each member's own.
    stops: Vec<StopToken>,
    /// The endpoint for other processes.
    outside: Endpoint,
    /// Between members that see integers and those that see bits.
    translation: Option<Translation>,
}

/// Whether some members see bits and others integers, and tell each other invariants.
fn translates(members: &[Member], team: &Team) -> bool {
    team.share.invariants
        && Preparation::differ_in_bits(members.iter().map(|member| member.engine.preparation()))
}

/// The side of a member that its engine sees.
struct Listener {
    progress: Arc<Mutex<Progress>>,
    queries: Option<QueryFolder>,
    port: Option<HubPort>,
}

impl Events for Listener {
    fn progress(&mut self, progress: Progress) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }

    fn recorder(&mut self) -> Option<Recorder> {
        self.queries.as_mut()?.recorder()
    }

    fn port(&mut self) -> Option<&mut dyn Port> {
        self.port.as_mut().map(|port| port as &mut dyn Port)
    }
}

impl Threads {
    /// Starts the members.
    pub fn start(
        store: &mut Store,
        prepared: &mut Prepared,
        team: &Team,
        members: Vec<Member>,
        stop_preparing: &StopToken,
    ) -> Threads {
        // The last two endpoints are for other processes and for the translation.
        let hub = Hub::new(members.len() + 2, QUEUE_CAPACITY);
        let (sender, events) = channel();
        let stop = StopToken::new();
        let mut runner = Threads {
            members: Vec::with_capacity(members.len()),
            events,
            running: members.len(),
            threads: Vec::with_capacity(members.len()),
            stop: stop.clone(),
            stops: Vec::with_capacity(members.len()),
            outside: hub.endpoint(members.len()),
            translation: translates(&members, team)
                .then(|| Translation::new(Box::new(hub.endpoint(members.len() + 1)), prepared, stop.clone())),
        };
        if runner.translation.is_none() {
            hub.endpoint(members.len() + 1).close();
        }
        for (number, member) in members.into_iter().enumerate() {
            log::debug!("running {} in a thread", member.name);
            let progress: Arc<Mutex<Progress>> = Arc::default();
            runner.members.push((member.engine.name(), Arc::clone(&progress)));
            let port = HubPort::new(hub.endpoint(number), number as u64, team.share);
            let port = (!team.share.is_none()).then_some(port);
            let (variant, common) = member.graphs(store, prepared, stop_preparing);
            let about = common.fingerprint(store);
            if let Some(translation) = &mut runner.translation {
                translation.add(store, &common);
            }
            let own_stop = StopToken::new();
            runner.stops.push(own_stop.clone());
            let stop = StopToken::paced(&stop, Until(own_stop));
            let (store, team) = (Box::new(store.clone()), team.clone());
            let (own, by) = (sender.clone(), member.name.clone());
            let name = by.clone();
            let body = move || {
                let run =
                    || run_member((number, member), progress, port, store, (variant, about, &team), &stop);
                let event = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Event::Failed {
                    by,
                    what: format!("it panicked: {}", message_of(&*panic)),
                });
                // The receiver is gone once there is an answer.
                let _ = own.send(event);
            };
            match thread::Builder::new().name(format!("engine {number}")).stack_size(STACK).spawn(body) {
                Ok(thread) => runner.threads.push(thread),
                Err(error) => drop(sender.send(Event::Failed { by: name, what: error.to_string() })),
            }
        }
        runner
    }

    /// Where lemmas of other processes come in and those for them go out.
    pub fn exchange(&self) -> Box<dyn LocalExchange> {
        Box::new(self.outside.clone())
    }
}

/// Runs a member on its own store.
pub(super) fn run_member(
    (number, member): (usize, Member),
    progress: Arc<Mutex<Progress>>,
    mut port: Option<HubPort>,
    mut store: Box<Store>,
    (variant, about, team): (Arc<Variant>, Fingerprint, &Team),
    stop: &StopToken,
) -> Event {
    let Member { name: by, engine, part, seed, queries } = member;
    let name = engine.name();
    let variant = match part {
        Some(part) => part.variant(&mut store, engine.preparation(), stop),
        None => variant,
    };
    if let Some(outcome) = variant.decision(&mut store, stop) {
        return Event::of((number, by, PREPROCESSING), Some(store), variant, outcome, Statistics::new());
    }
    if team.share.invariants {
        let translator = Arc::new(Translator::new(&mut store, variant.graph(), about));
        port = port.map(|port| port.with_translator(translator));
    }
    let witness = team.witness;
    let mut listener = Listener { progress, queries, port };
    let budget = Budget::until(stop.clone());
    let mut context = Context { budget, seed, witness, events: &mut listener, statistics: Statistics::new() };
    let outcome = engine.make().solve(&mut store, variant.graph(), &mut context);
    let mut own = context.statistics;
    if let Some(port) = &listener.port {
        own.merge_prefixed("port", &port.counters().statistics());
    }
    let mut statistics = Statistics::new();
    statistics.merge_prefixed(name, &own);
    statistics.set("instances.winner", number as u64);
    Event::of((number, by, name), Some(store), variant, outcome, statistics)
}

impl Runner for Threads {
    fn next(&mut self, store: &mut Store, _: &mut Prepared, observer: &mut dyn Observer) -> Event {
        if self.running == 0 {
            return Event::Over;
        }
        if let Some(translation) = &mut self.translation {
            translation.poll(store);
        }
        if let Ok(event) = self.events.recv_timeout(PERIOD) {
            self.running -= 1;
            return event;
        }
        // The one that is furthest stands for all.
        let all = self
            .members
            .iter()
            .map(|(engine, progress)| (*progress.lock().unwrap_or_else(PoisonError::into_inner), *engine));
        if let Some((progress, engine)) = all.max_by_key(|(progress, _)| (progress.depth, progress.lemmas)) {
            observer.engine(engine);
            observer.progress(progress);
        }
        Event::Nothing
    }

    fn size(&self) -> usize {
        self.members.len()
    }

    fn opposition(&mut self, status: Status, _: bool) -> Poll<Option<Claim>> {
        self.stop.stop();
        Poll::Ready(self.events.try_iter().find_map(|event| match event {
            Event::Claim(claim) if claim.status != status => Some(claim),
            _ => None,
        }))
    }

    fn reject(&mut self, _: usize) {}

    fn release(&mut self, member: usize) {
        self.stops[member].stop();
    }

    fn finish(&mut self, _: &mut Store, _: &System, _: Option<&Accepted>) -> Ending {
        self.stop.stop();
        let since = Instant::now();
        while self.threads.iter().any(|thread| !thread.is_finished()) && since.elapsed() < THREAD_END_TIME {
            thread::sleep(Duration::from_millis(1));
        }
        let mut statistics = Statistics::new();
        if let Some(translation) = &self.translation {
            statistics.merge_prefixed("portfolio", &translation.statistics());
        }
        Ending { statistics, ..Ending::default() }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// The message of a panic.
pub(super) fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}
