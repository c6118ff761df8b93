//! Which runner a request asks for.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use shem_base::work_done;
use shem_chc::Fingerprint;
use shem_engine::Registry;
use shem_exchange::{Address, Link, LocalExchange, QueueKeeper, Share};
use shem_term::Store;

use crate::decide::{Decider, Request};
use crate::entry::Entry;
use crate::launch::shared;
use crate::options::{Checking, Engines, SolveOptions};
use crate::parts::{Division, Parts, SILENCE};
use crate::prepare::{Prepared, Variant};
use crate::resources::cores;
use crate::runner::{
    Cores, Crew, CurrentExchange, Divided, Early, Joined, Member, Processes, Queued, Rounds, Runner, Single,
    Team, Threads, connect, connect_queue, number, random_number,
};
use crate::strategy::{Profile, entries_for, most_promising, part_of};

/// The bytes of a problem that takes a while to prepare, and not too long to write.
const LARGE_TEXT: Range<usize> = 200_000..8_000_000;

/// The engine that takes graphs of all shapes as they were read.
const EARLY: &str = "spacer";

impl<'d> Decider<'d> {
    /// Starts an engine on the graph as it was read, where several are to run and preparing it will take a while: the cores
    /// that do not prepare have nothing else to do.
    pub(crate) fn start_early(&mut self, store: &mut Store, as_read: Arc<Variant>) {
        let Request { options, launch, .. } = *self.request;
        let is_for_all = matches!(options.engines, Engines::Strategy) && !options.deterministic;
        let Some(launch) = launch.filter(|launch| is_for_all && launch.jobs > 1) else { return };
        if LARGE_TEXT.contains(&launch.text.len()) {
            let job = launch.job(vec![Entry::new(EARLY, [])], options, None, false, self.started());
            self.early = Early::start(&job, store, as_read);
        }
    }

    /// Starts the engines that the options ask for.
    pub(crate) fn start(&mut self, store: &mut Store, prepared: &mut Prepared) -> Box<dyn Runner> {
        let options = self.request.options;
        let one = options.engines == Engines::One;
        let alone = one && options.instances <= 1 && options.join.is_none() && options.division.is_none();
        if alone && options.virtual_cores.is_none() {
            return self.single(store, prepared);
        }
        if options.deterministic && options.join.is_none() {
            return self.rounds(store, prepared);
        }
        let link = self.link(store);
        if let Some(parts) = self.parts(store, prepared) {
            if let Some((address, about, _)) = &link {
                let (runner, exchange) = self.queued(store, prepared, parts, (address, *about));
                return self.join(store, runner, exchange, link);
            }
            return self.divided(store, prepared, parts);
        }
        let (runner, exchange) = if one {
            let members = self.instances();
            self.threads(store, prepared, members)
        } else {
            self.portfolio(store, prepared, link.as_ref().map(|&(address, about, _)| (address, about)))
        };
        self.join(store, runner, exchange, link)
    }

    /// A runner that is joined with other processes, if that is asked for. The passes may do more in one process than in
    /// another, so that what they decide is news as well.
    pub(crate) fn joined(
        &mut self,
        store: &Store,
        runner: Box<dyn Runner>,
        exchange: Box<dyn LocalExchange>,
    ) -> Box<dyn Runner> {
        let link = self.link(store);
        self.join(store, runner, exchange, link)
    }

    /// The link to other processes, if there are any.
    fn link(&mut self, store: &Store) -> Option<(&'d Address, Fingerprint, Box<dyn Link>)> {
        let address = self.request.options.join.as_ref()?;
        let about = Fingerprint::of_system(store, self.request.system);
        let link = connect(address, about);
        let link = link.map_err(|reason| self.warn(format!("{address}: {reason}; going on alone"))).ok()?;
        Some((address, about, link))
    }

    fn join(
        &mut self,
        store: &Store,
        runner: Box<dyn Runner>,
        exchange: Box<dyn LocalExchange>,
        link: Option<(&Address, Fingerprint, Box<dyn Link>)>,
    ) -> Box<dyn Runner> {
        let Request { system, options, .. } = *self.request;
        match link {
            Some((address, _, link)) => {
                let ends = (address, link);
                let joined = Joined::start((runner, exchange), ends, store, system, options, self.stop());
                self.shown_elsewhere = Some(joined.shown_elsewhere());
                Box::new(joined)
            }
            None => runner,
        }
    }

    /// Several engines, in processes or threads. Processes that have joined at an address take different parts.
    fn portfolio(
        &mut self,
        store: &mut Store,
        prepared: &mut Prepared,
        joined: Option<(&Address, Fingerprint)>,
    ) -> (Box<dyn Runner>, Box<dyn LocalExchange>) {
        let Request { options, launch, .. } = *self.request;
        let jobs = launch.map_or_else(cores, |launch| launch.jobs);
        let mut share = options.share.unwrap_or_default();
        let mut entries = match &options.engines {
            Engines::Mix(entries) => entries.clone(),
            _ => {
                let profile = Profile::of(store, prepared.as_read().graph(), prepared.base().graph(), jobs);
                if joined.is_none() {
                    share = options.share.unwrap_or_else(|| profile.share());
                }
                entries_for(&profile)
            }
        };
        if let Some((address, about)) = joined {
            part_of(&mut entries, number(address, about), jobs);
        }
        let Some(launch) = launch else {
            let (members, _) = self.members(&entries);
            return self.threads(store, prepared, members);
        };
        // A graph that cannot be written cannot be sent either.
        if let Err(error) = prepared.base().sent(store) {
            log::debug!("the engines run in threads: {error}");
            let (members, _) = self.members(&entries);
            return self.threads(store, prepared, members);
        }
        // Workers have the time for a verdict themselves, and more for what shows it.
        let stop = self.verdict_stop().clone();
        self.verdict_time = None;
        let about = prepared.base().fingerprint(store);
        let job = launch.job(entries, options, Some((share, about)), joined.is_some(), self.started());
        let runner = Processes::new(job, self.early.take(), stop);
        let exchange = runner.exchange();
        (Box::new(runner), exchange)
    }

    /// Several engines in rounds, the same on every machine.
    fn rounds(&mut self, store: &mut Store, prepared: &mut Prepared) -> Box<dyn Runner> {
        let Request { options, launch, .. } = *self.request;
        let before = work_done().saturating_sub(self.work_before);
        // The choice must not depend on the machine.
        let virtual_cores = options.virtual_cores.unwrap_or(1);
        let mut share = options.share.unwrap_or_default();
        let entries = match &options.engines {
            Engines::One => Vec::new(),
            Engines::Mix(entries) => entries.clone(),
            Engines::Strategy => {
                let (as_read, graph) = (prepared.as_read(), prepared.base().graph());
                let profile = Profile::of(store, as_read.graph(), graph, virtual_cores);
                share = options.share.unwrap_or_else(|| profile.share());
                entries_for(&profile)
            }
        };
        if options.engines != Engines::One {
            share = shared(share, &entries, false).unwrap_or(Share::NONE);
        }
        let parts = self.parts(store, prepared);
        let members = match &parts {
            Some(parts) => self.members_of_parts(store, prepared, parts, virtual_cores),
            None => {
                let mut members = self.weighed(&entries);
                if options.engines == Engines::One {
                    members.extend(self.instances().into_iter().map(|member| (member, 1, Duration::ZERO)));
                }
                members
            }
        };
        let part_of = parts_of(members.iter().map(|(member, ..)| member));
        let cores = Cores { virtual_cores, real_cores: launch.map_or_else(cores, |launch| launch.jobs) };
        let limit = options.verdict_time.filter(|_| options.virtual_cores.is_some());
        let team = self.team(share);
        let stop = self.verdict_stop();
        let runner = Rounds::new(store, prepared, team, members, cores, (before, limit), stop);
        match parts {
            Some(parts) => Box::new(Divided::new(Box::new(runner), part_of, parts, options, self.stop())),
            None => Box::new(runner),
        }
    }

    /// The parts of the problem, if it is to be divided and can be.
    fn parts(&mut self, store: &mut Store, prepared: &Prepared) -> Option<Parts> {
        let options = self.request.options;
        let Division { parts, by, .. } = options.division?;
        let cores = self.cores();
        // The default strategy keeps half of the cores for the whole.
        let most = parts.unwrap_or(match options.engines {
            Engines::Strategy => cores / 2,
            Engines::One | Engines::Mix(_) => cores,
        });
        let stop = self.verdict_stop().clone();
        let parts = Parts::of(store, prepared, (most.max(2), by), options, &stop);
        if parts.is_none() {
            self.warn("the problem cannot be divided into parts; it is solved whole".to_owned());
        }
        parts
    }

    /// How many cores the engines have, virtual ones where these are counted.
    fn cores(&self) -> usize {
        let Request { options, launch, .. } = *self.request;
        match options.deterministic {
            true => options.virtual_cores.unwrap_or(1),
            false => launch.map_or_else(cores, |launch| launch.jobs),
        }
    }

    /// Engines in threads that work on parts.
    fn divided(&mut self, store: &mut Store, prepared: &mut Prepared, parts: Parts) -> Box<dyn Runner> {
        let cores = self.cores();
        let members = self.members_of_parts(store, prepared, &parts, cores);
        let members: Vec<Member> = members.into_iter().map(|(member, ..)| member).collect();
        let part_of = parts_of(&members);
        let (runner, _) = self.threads(store, prepared, members);
        Box::new(Divided::new(runner, part_of, parts, self.request.options, self.stop()))
    }

    /// Engines in threads that work on the parts which a queue for all processes gives them.
    fn queued(
        &mut self,
        store: &mut Store,
        prepared: &mut Prepared,
        parts: Parts,
        (address, about): (&Address, Fingerprint),
    ) -> (Box<dyn Runner>, Box<dyn LocalExchange>) {
        let options = self.request.options;
        let members = match &options.engines {
            Engines::One => self.instances(),
            Engines::Mix(entries) => self.members(entries).0,
            Engines::Strategy => {
                let (as_read, graph) = (prepared.as_read(), prepared.base().graph());
                let profile = Profile::of(store, as_read.graph(), graph, self.cores());
                self.members(&entries_for(&profile)).0
            }
        };
        let fit = |member: &Member| prepared.is_made_of_base(member.engine.preparation());
        let members: Vec<Member> = members.into_iter().filter(fit).collect();
        let team = self.team(options.share.unwrap_or_default());
        let sender = random_number();
        let silence = options.division.map_or(SILENCE, |division| division.silence);
        let queue = connect_queue(address, about, parts.fingerprint_of_all(store), sender);
        let keeper = queue.map_err(|error| error.to_string()).and_then(|queue| {
            QueueKeeper::start(queue, parts.len(), sender, silence).map_err(|error| error.to_string())
        });
        match keeper {
            Ok(keeper) => {
                let exchange = CurrentExchange::nobody();
                let crew = Crew { members, team, sender };
                let ends = (options, self.stop());
                let runner = Queued::new(parts, keeper, crew, exchange.clone(), ends);
                (Box::new(runner), Box::new(exchange))
            }
            Err(reason) => {
                self.warn(format!("{address}: {reason}; all parts are worked on here"));
                (self.divided(store, prepared, parts), Box::new(()))
            }
        }
    }

    /// Who works on parts: each is given the engine or the mix that was asked for. The default strategy has the whole on
    /// half of the cores, and for each part its most promising engines.
    fn members_of_parts(
        &mut self,
        store: &mut Store,
        prepared: &mut Prepared,
        parts: &Parts,
        cores: usize,
    ) -> Vec<(Member, u32, Duration)> {
        let options = self.request.options;
        let mut members = Vec::new();
        let entries = match &options.engines {
            Engines::One => None,
            Engines::Mix(entries) => Some(entries.clone()),
            Engines::Strategy => {
                let (as_read, graph) = (prepared.as_read(), prepared.base().graph());
                let profile = Profile::of(store, as_read.graph(), graph, (cores / 2).max(1));
                members = self.weighed(&entries_for(&profile));
                Some(most_promising(entries_for(&profile)))
            }
        };
        for number in 0..parts.len() {
            let own = match &entries {
                Some(entries) => self.weighed(entries),
                None => self.instances().into_iter().map(|member| (member, 1, Duration::ZERO)).collect(),
            };
            // Of the engines that see bits and those that see integers, the parts are for one kind.
            let fit =
                own.into_iter().filter(|(member, ..)| prepared.is_made_of_base(member.engine.preparation()));
            members.extend(fit.map(|(member, weight, delay)| {
                let name = format!("{} on part {number}", member.name);
                (Member { name, part: Some(parts.part(number)), ..member }, weight, delay)
            }));
        }
        members
    }

    /// The engines of entries with their weights and delays.
    fn weighed(&mut self, entries: &[Entry]) -> Vec<(Member, u32, Duration)> {
        let (engines, kept) = self.members(entries);
        engines.into_iter().zip(kept).map(|(member, entry)| (member, entry.weight, entry.delay)).collect()
    }

    /// How members work together that tell each other this.
    fn team(&self, share: Share) -> Team {
        let options = self.request.options;
        // Instances on one graph have lemmas that count steps; invariants are for engines of other kinds.
        let others = options.engines != Engines::One || options.join.is_some() || options.division.is_some();
        let invariants = share.invariants && others;
        Team { share: Share { invariants, ..share }, witness: self.builds_witness() }
    }

    /// The engine, in this thread.
    fn single(&mut self, store: &mut Store, prepared: &mut Prepared) -> Box<dyn Runner> {
        let SolveOptions { engine, seed, .. } = self.request.options;
        log::debug!("running {engine}");
        self.observer.engine(engine.name());
        let stop = self.verdict_stop().clone();
        let variant = prepared.variant(store, engine.preparation(), &stop);
        let (engine, witness) = (Some(self.request.options.configured(engine)), self.builds_witness());
        let timed = !self.request.options.deterministic;
        Box::new(Single { engine, variant, seed: *seed, witness, timed, stop })
    }

    /// The instances of the engine.
    fn instances(&mut self) -> Vec<Member> {
        let SolveOptions { engine, instances, seed, .. } = self.request.options;
        let engine = &self.request.options.configured(engine);
        let alone = *instances <= 1 && self.request.options.join.is_none();
        let member = |number| Member {
            name: format!("instance {number} of {}", engine.name()),
            // The seed is part of the number, so that processes which join a run can differ as instances do.
            engine: match alone {
                true => engine.clone(),
                false => engine.clone().instance((*seed as usize).wrapping_add(number)),
            },
            seed: seed.wrapping_add(number as u64),
            part: None,
            queries: self.observer.queries_of(&format!("{number}-{}", engine.name())),
        };
        (0..(*instances).max(1)).map(member).collect()
    }

    /// The engines of entries, for threads, and those entries whose settings are right.
    fn members(&mut self, entries: &[Entry]) -> (Vec<Member>, Vec<Entry>) {
        // As in workers, what is set for all comes first.
        let common = self.request.launch.map_or(&[][..], |launch| &launch.words);
        let mut members = Vec::with_capacity(entries.len());
        let mut kept = Vec::with_capacity(entries.len());
        for (number, entry) in entries.iter().enumerate() {
            let whole = Entry::new(entry.engine(), common.iter().chain(entry.settings()).cloned());
            match whole.options(&Registry::standard(), self.request.options) {
                Ok(options) => {
                    kept.push(entry.clone());
                    members.push(Member {
                        name: entry.to_string(),
                        queries: self.observer.queries_of(&format!("{number}-{}", options.engine.name())),
                        engine: options.configured(&options.engine),
                        part: None,
                        seed: options.seed,
                    });
                }
                Err(error) => self.warn(format!("{entry} was dropped: {error}")),
            }
        }
        (members, kept)
    }

    fn threads(
        &self,
        store: &mut Store,
        prepared: &mut Prepared,
        members: Vec<Member>,
    ) -> (Box<dyn Runner>, Box<dyn LocalExchange>) {
        let team = self.team(self.request.options.share.unwrap_or_default());
        let runner = Threads::start(store, prepared, &team, members, self.verdict_stop());
        let exchange = runner.exchange();
        (Box::new(runner), exchange)
    }

    /// Whether a witness is built, for the user or for the judge.
    fn builds_witness(&self) -> bool {
        self.request.options.witness || self.request.options.checking != Checking::Trust
    }
}

/// The part that each member works on.
fn parts_of<'m>(members: impl IntoIterator<Item = &'m Member>) -> Vec<Option<usize>> {
    members.into_iter().map(|member| member.part.as_ref().map(|part| part.number)).collect()
}
