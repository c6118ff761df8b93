//! Processes that have joined work off the parts of a problem as a queue.
//!
//! This process takes a part out of the queue ([`QueueKeeper`]), runs engines on it in threads, and gives its model to all
//! others. When it is solved, by whomever, the next one is taken. While no part is to be had it helps with one that
//! another process works on, with other seeds, so that no core idles; a part that it is given then goes before.
//!
//! What others have found is judged like what is found here ([`Parts`]), so every process that has all models puts the
//! answer together itself. That falsehood is derived in a part is a verdict on the whole, which is sent to others as any
//! verdict is.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::System;
use shem_exchange::{Content, LocalExchange, Note, QueueEvent, QueueKeeper, Taken};
use shem_term::Store;

use super::threads::{Member, Team, Threads};
use super::{Ending, Event, Runner};
use crate::answer::Status;
use crate::clock::stop_after;
use crate::evidence::{Claim, Evidence};
use crate::judge::Accepted;
use crate::observer::Observer;
use crate::options::SolveOptions;
use crate::parts::Parts;
use crate::prepare::Prepared;

/// How long a part is waited for before a part of another process is worked on.
const WAIT_FOR_PART: Duration = Duration::from_millis(300);

/// How long sending the last results may take.
const LAST_RESULTS_TIME: Duration = Duration::from_secs(3);

/// The time for judging the model of a part that another process has sent; half of it after each that was wrong.
const JUDGING_TIME: Duration = Duration::from_secs(20);
const SHORTEST_JUDGING_TIME: Duration = Duration::from_millis(50);

/// How many wrong results of others are reported as warnings.
const MAX_WARNINGS: u64 = 3;

/// The exchange of whoever runs at present.
#[derive(Clone)]
pub(crate) struct CurrentExchange(Arc<Mutex<Box<dyn LocalExchange>>>);

impl CurrentExchange {
    /// Nobody runs.
    pub(crate) fn nobody() -> CurrentExchange {
        CurrentExchange(Arc::new(Mutex::new(Box::new(()))))
    }

    fn set(&self, exchange: Box<dyn LocalExchange>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = exchange;
    }
}

impl LocalExchange for CurrentExchange {
    fn take(&mut self, most: usize) -> Vec<Arc<Note>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take(most)
    }

    fn put(&mut self, note: Note) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(note);
    }
}

/// The engines on a part.
struct Work {
    part: usize,
    /// Whether the part was taken out of the queue for this process.
    owned: bool,
    threads: Threads,
}

/// How engines are started on parts.
pub(crate) struct Crew {
    /// The engines for each part.
    pub(crate) members: Vec<Member>,
    pub(crate) team: Team,
    /// A number that other processes do not have.
    pub(crate) sender: u64,
}

/// A runner that works off a queue of parts.
pub(crate) struct Queued {
    parts: Parts,
    keeper: Option<QueueKeeper>,
    crew: Crew,
    exchange: CurrentExchange,
    work: Option<Work>,
    /// Since when a part is waited for.
    waits: Option<Instant>,
    /// Parts whose engines have given up here.
    given_up: BTreeSet<usize>,
    judging_time: Duration,
    /// How many results of others were wrong, and how often a part was worked on that others had.
    wrong: u64,
    helped: u64,
    options: SolveOptions,
    stop: StopToken,
}

impl Queued {
    /// A runner that works off these parts.
    pub(crate) fn new(
        parts: Parts,
        keeper: QueueKeeper,
        crew: Crew,
        exchange: CurrentExchange,
        (options, stop): (&SolveOptions, &StopToken),
    ) -> Queued {
        Queued {
            parts,
            keeper: Some(keeper),
            crew,
            exchange,
            work: None,
            waits: None,
            given_up: BTreeSet::new(),
            judging_time: JUDGING_TIME,
            wrong: 0,
            helped: 0,
            options: options.clone(),
            stop: stop.clone(),
        }
    }

    /// Starts engines on a part.
    fn begin(&mut self, store: &mut Store, prepared: &mut Prepared, part: usize, owned: bool) {
        log::debug!("working on part {part}{}", if owned { "" } else { ", which another process has" });
        // Whoever helps does not do the same as whom it helps.
        let seed = if owned { 0 } else { self.crew.sender };
        let member = |member: &Member| Member {
            name: format!("{} on part {part}", member.name),
            engine: member.engine.clone(),
            part: Some(self.parts.part(part)),
            seed: member.seed.wrapping_add(seed),
            queries: None,
        };
        let members = self.crew.members.iter().map(member).collect();
        let threads = Threads::start(store, prepared, &self.crew.team, members, &self.stop);
        self.exchange.set(threads.exchange());
        self.helped += u64::from(!owned);
        self.work = Some(Work { part, owned, threads });
    }

    /// Ends the engines on this part, if it is the one that is worked on.
    fn end(&mut self, part: usize) {
        if self.work.as_ref().is_some_and(|work| work.part == part) {
            self.exchange.set(Box::new(()));
            self.work = None;
            self.waits = None;
        }
    }

    /// What has come from the queue.
    fn hear(&mut self, store: &mut Store, prepared: &mut Prepared, event: QueueEvent) -> Event {
        let note = match event {
            QueueEvent::Taken(Taken { part, .. }) => {
                self.waits = None;
                if self.parts.is_solved(part) {
                    // A broker that was restarted may not know it.
                    self.give(part, None);
                } else {
                    self.begin(store, prepared, part, true);
                }
                return Event::Nothing;
            }
            QueueEvent::Result(note) => note,
        };
        let Content::Part(number, model) = &note.content else { return Event::Nothing };
        let number = *number;
        if number >= self.parts.len() || note.about != self.parts.fingerprint(store, number) {
            return self.disbelieve("it is about another problem");
        }
        if self.parts.is_solved(number) {
            return Event::Nothing;
        }
        let (token, _scheduled) = stop_after(&self.stop, self.judging_time);
        if let Err(refusal) = self.parts.read(store, number, model, &mut Budget::until(token)) {
            return self.disbelieve(&refusal.to_string());
        }
        log::debug!(
            "another process has solved part {number}, {} of {}",
            self.parts.solved(),
            self.parts.len()
        );
        if let Some(keeper) = &self.keeper {
            keeper.know(number, &note);
        }
        let was_owned = self.work.as_ref().is_some_and(|work| work.part == number && work.owned);
        if was_owned {
            self.give(number, None);
        }
        self.end(number);
        let Some(local) = self.parts.whole(store) else { return Event::Nothing };
        Event::Claim(Claim {
            member: usize::MAX,
            by: format!("a peer, the last of {} parts", self.parts.len()),
            engine: super::PEER,
            status: Status::Sat,
            evidence: Evidence::Local(local),
            statistics: Statistics::new(),
        })
    }

    fn disbelieve(&mut self, why: &str) -> Event {
        self.wrong += 1;
        self.judging_time = (self.judging_time / 2).max(SHORTEST_JUDGING_TIME);
        if self.wrong > MAX_WARNINGS {
            return Event::Nothing;
        }
        Event::Warning(format!("a part of a peer is not believed: {why}"))
    }

    fn give(&self, part: usize, result: Option<&Note>) {
        if let Some(keeper) = &self.keeper {
            keeper.give(part, result);
        }
    }

    /// A part of another process that is not solved, unless engines have given up on it here.
    fn another_part(&self) -> Option<usize> {
        let open = |part: &usize| !self.parts.is_solved(*part) && !self.given_up.contains(part);
        let open: Vec<usize> = (0..self.parts.len()).filter(open).collect();
        let at = (self.crew.sender % open.len().max(1) as u64) as usize;
        open.get(at).copied()
    }

    /// Lets the engines go on.
    fn advance(&mut self, store: &mut Store, prepared: &mut Prepared, observer: &mut dyn Observer) -> Event {
        let Some(work) = &mut self.work else { return Event::Nothing };
        let part = work.part;
        match work.threads.next(store, prepared, observer) {
            Event::Claim(claim) => {
                let (event, model) = self.parts.rule(store, part, claim, (&self.options, &self.stop));
                if let Some(model) = model {
                    let about = self.parts.fingerprint(store, part);
                    let content = Content::Part(part, model);
                    let note = Note { sender: self.crew.sender, about, content };
                    self.give(part, Some(&note));
                    self.end(part);
                }
                event
            }
            Event::Over => {
                // It stays taken: who has not given up on it finds it when this process is gone, or helps.
                self.given_up.insert(part);
                self.end(part);
                Event::Nothing
            }
            event => event,
        }
    }
}

impl Runner for Queued {
    fn next(&mut self, store: &mut Store, prepared: &mut Prepared, observer: &mut dyn Observer) -> Event {
        let is_idle = self.work.is_none();
        if self.work.as_ref().is_none_or(|work| !work.owned)
            && self.waits.is_none()
            && let Some(keeper) = &self.keeper
        {
            keeper.want();
            self.waits = Some(Instant::now());
        }
        let wait = if is_idle { Duration::from_millis(5) } else { Duration::ZERO };
        if let Some(event) = self.keeper.as_ref().and_then(|keeper| keeper.next(wait)) {
            return self.hear(store, prepared, event);
        }
        if is_idle {
            let open = |part| !self.parts.is_solved(part);
            if (0..self.parts.len()).filter(|&part| open(part)).all(|part| self.given_up.contains(&part)) {
                return Event::Over;
            }
            if self.waits.is_some_and(|since| since.elapsed() >= WAIT_FOR_PART)
                && let Some(part) = self.another_part()
            {
                self.begin(store, prepared, part, false);
            }
            return Event::Nothing;
        }
        self.advance(store, prepared, observer)
    }

    fn size(&self) -> usize {
        // What is wrong with one part is no fault of the answer.
        self.crew.members.len().max(2)
    }

    fn reject(&mut self, _: usize) {}

    fn opposition(&mut self, status: Status, late: bool) -> Poll<Option<Claim>> {
        loop {
            let Some(work) = &mut self.work else { return Poll::Ready(None) };
            let claim = match work.threads.opposition(status, late) {
                Poll::Ready(Some(claim)) => claim,
                other => return other,
            };
            // That a part is safe contradicts nothing.
            if let (Status::Unsat, Evidence::Local(found)) = (claim.status, claim.evidence)
                && let Some(evidence) = self.parts.derived(found).map(Evidence::Local)
            {
                return Poll::Ready(Some(Claim { evidence, ..claim }));
            }
        }
    }

    fn finish(&mut self, store: &mut Store, system: &System, found: Option<&Accepted>) -> Ending {
        let mut ending =
            self.work.as_mut().map_or_else(Ending::default, |work| work.threads.finish(store, system, found));
        self.work = None;
        let statistics = &mut ending.statistics;
        statistics.merge_prefixed("parts", &self.parts.statistics());
        statistics.set("parts.helped", self.helped);
        statistics.set("parts.wrong", self.wrong);
        if let Some(keeper) = self.keeper.take() {
            let counters = keeper.finish(LAST_RESULTS_TIME);
            statistics.merge_prefixed("queue", &counters.statistics());
            if let Some(reason) = &counters.reason {
                ending.warnings.push(format!("the queue of parts was lost for a while: {reason}"));
            }
        }
        ending
    }
}
