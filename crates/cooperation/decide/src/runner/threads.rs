//! Several engines in one process, each in a thread of its own.
//!
//! Every engine gets a copy of the store and settings of its own. Those whose passes are the same see the same graph,
//! so that lemmas which count steps are about the same steps; an engine with passes of its own runs them in its
//! thread. Each has a seat at the hub, where engines tell each other what they learn. A claim carries the store of its
//! engine, which continues the caller's, so that its witness needs no translation. An engine that panics is out, and
//! the others do not notice. When all are stopped, nobody waits for them longer than it takes to notice.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::System;
use shem_engine::{Context, EngineChoice, Events, Port, Progress};
use shem_exchange::{CAPACITY, Hub, HubPort, Share, Station, Translator};
use shem_smt::Recorder;
use shem_term::Store;
use shem_transform::Preprocessed;

use super::{Event, Runner};
use crate::answer::{Status, Verdict};
use crate::evidence::Claim;
use crate::observer::Observer;
use crate::prepare::{PREPROCESSING, Passes, prepare};
use crate::queries::QueryFolder;

/// How long an event is waited for.
const PERIOD: Duration = Duration::from_millis(5);

/// How long a thread that was stopped may take to end.
const FAREWELL: Duration = Duration::from_millis(100);

/// The stack of a thread: searches keep their own, but other code may be compiled without optimisation.
const STACK: usize = 16 << 20;

/// An engine that takes part.
pub struct Member {
    /// Who it is, for messages.
    pub name: String,
    /// The engine.
    pub engine: EngineChoice,
    /// Its seed.
    pub seed: u64,
    /// Where its queries are written.
    pub queries: Option<QueryFolder>,
}

/// What the members work on.
#[derive(Clone)]
pub struct Problem {
    /// The system as read.
    pub system: Arc<System>,
    /// The graph after the passes.
    pub preprocessed: Arc<Preprocessed>,
    /// These passes.
    pub passes: Passes,
    /// What members tell each other.
    pub share: Share,
    /// Whether a witness is wanted.
    pub witness: bool,
}

/// How far a member is, for whoever looks on.
#[derive(Default)]
struct Position {
    depth: AtomicU64,
    lemmas: AtomicU64,
}

/// Runs engines in threads.
pub struct Threads {
    /// The engines, and how far they are.
    members: Vec<(&'static str, Arc<Position>)>,
    events: Receiver<Event>,
    running: usize,
    threads: Vec<JoinHandle<()>>,
    stop: StopToken,
    /// The seat for other processes, until somebody takes it.
    outside: Option<Box<dyn Station>>,
}

/// The side of a member that its engine sees.
struct Listener {
    position: Arc<Position>,
    queries: Option<QueryFolder>,
    port: Option<HubPort>,
}

impl Events for Listener {
    fn progress(&mut self, progress: Progress) {
        self.position.depth.store(progress.depth, Ordering::Relaxed);
        self.position.lemmas.store(progress.lemmas, Ordering::Relaxed);
    }

    fn recorder(&mut self) -> Option<Recorder> {
        self.queries.as_mut()?.recorder()
    }

    fn port(&mut self) -> Option<&mut dyn Port> {
        self.port.as_mut().map(|port| port as &mut dyn Port)
    }
}

/// A member in its thread.
struct Run {
    number: usize,
    name: String,
    store: Box<Store>,
    problem: Problem,
    engine: EngineChoice,
    seed: u64,
    listener: Listener,
    stop: StopToken,
}

impl Threads {
    /// Starts the members.
    pub fn start(store: &Store, problem: &Problem, members: Vec<Member>) -> Threads {
        let hub = Hub::new(members.len() + 1, CAPACITY);
        let (sender, events) = channel();
        let stop = StopToken::new();
        let mut runner = Threads {
            members: Vec::with_capacity(members.len()),
            events,
            running: members.len(),
            threads: Vec::with_capacity(members.len()),
            stop: stop.clone(),
            outside: Some(Box::new(hub.seat(members.len()))),
        };
        for (number, Member { name, engine, seed, queries }) in members.into_iter().enumerate() {
            let position: Arc<Position> = Arc::default();
            runner.members.push((engine.name(), Arc::clone(&position)));
            let port = HubPort::new(hub.seat(number), number as u64, problem.share);
            let port = (!problem.share.is_none()).then_some(port);
            let listener = Listener { position, queries, port };
            let (store, problem, stop) = (Box::new(store.clone()), problem.clone(), stop.clone());
            let run = Run { number, name: name.clone(), store, problem, engine, seed, listener, stop };
            let own = sender.clone();
            let by = name.clone();
            let body = move || {
                let event = catch_unwind(AssertUnwindSafe(|| run.run())).unwrap_or_else(|panic| {
                    Event::Failed { by, what: format!("it panicked: {}", words(&*panic)) }
                });
                // Nobody listens any more once there is an answer.
                let _ = own.send(event);
            };
            match thread::Builder::new().name(format!("engine {number}")).stack_size(STACK).spawn(body) {
                Ok(thread) => runner.threads.push(thread),
                Err(error) => drop(sender.send(Event::Failed { by: name, what: error.to_string() })),
            }
        }
        runner
    }
}

impl Run {
    fn run(mut self) -> Event {
        let (name, preparation) = (self.engine.name(), self.engine.preparation());
        let Problem { system, mut preprocessed, share, passes, .. } = self.problem;
        if preparation != passes.preparation {
            let passes = Passes { preparation, ..passes };
            let prepared = prepare(&mut self.store, &system, &passes, &self.stop);
            let decision = prepared.decision(&mut self.store, &self.stop);
            preprocessed = prepared.preprocessed;
            if let Some(outcome) = decision {
                let author = (self.number, self.name, PREPROCESSING);
                return Event::of(author, Some(self.store), preprocessed, outcome, Statistics::new());
            }
        }
        if share.invariants {
            let translator = Translator::new(&self.store, &system, Arc::clone(&preprocessed));
            let port = self.listener.port.take();
            self.listener.port = port.map(|port| port.with_translator(Arc::new(translator)));
        }
        let mut engine = self.engine.make();
        let mut context = Context {
            budget: Budget::until(self.stop.clone()),
            seed: self.seed,
            witness: self.problem.witness,
            events: &mut self.listener,
            statistics: Statistics::new(),
        };
        let outcome = engine.solve(&mut self.store, &preprocessed.graph, &mut context);
        let mut own = context.statistics;
        if let Some(port) = &self.listener.port {
            own.merge_prefixed("port", &port.counters().statistics());
        }
        let mut statistics = Statistics::new();
        statistics.merge_prefixed(name, &own);
        statistics.set("instances.winner", self.number as u64);
        Event::of((self.number, self.name, name), Some(self.store), preprocessed, outcome, statistics)
    }
}

impl Runner for Threads {
    fn next(&mut self, _: &mut Store, observer: &mut dyn Observer) -> Event {
        if self.running == 0 {
            return Event::Over;
        }
        if let Ok(event) = self.events.recv_timeout(PERIOD) {
            self.running -= 1;
            return event;
        }
        // The one that is furthest stands for all.
        let at = |position: &Position| {
            (position.depth.load(Ordering::Relaxed), position.lemmas.load(Ordering::Relaxed))
        };
        let all = self.members.iter().map(|(engine, position)| (at(position), *engine));
        if let Some(((depth, lemmas), engine)) = all.max_by_key(|&(at, _)| at) {
            observer.engine(engine);
            observer.progress(Progress { depth, lemmas });
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

    fn station(&mut self) -> Option<Box<dyn Station>> {
        self.outside.take()
    }

    fn finish(&mut self, _: &mut Store, _: &System, _: Option<&Verdict>) -> (Statistics, Vec<String>) {
        self.stop.stop();
        let since = Instant::now();
        while self.threads.iter().any(|thread| !thread.is_finished()) && since.elapsed() < FAREWELL {
            thread::sleep(Duration::from_millis(1));
        }
        Default::default()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// What a panic says.
fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}
