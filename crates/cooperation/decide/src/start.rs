//! Which runner a request asks for.

use std::sync::Arc;

use shem_chc::Fingerprint;
use shem_exchange::{Address, Link, Share};
use shem_term::Store;

use crate::decide::{Decider, Request};
use crate::entry::Entry;
use crate::options::{Engines, SolveOptions};
use crate::prepare::Prepared;
use crate::resources::cores;
use crate::runner::{Joined, Member, Problem, Processes, Rounds, Runner, Single, Threads, connect, number};
use crate::strategy::{Profile, entries_for, part_of};

/// For how many cores the strategy chooses engines that run in rounds: the choice must not depend on the machine.
const CORES_OF_ROUNDS: usize = 1;

impl<'d> Decider<'d> {
    /// Starts the engines that the options ask for.
    pub(crate) fn start(&mut self, store: &mut Store, prepared: &Prepared) -> Box<dyn Runner> {
        let options = self.request.options;
        let one = options.engines == Engines::One;
        if one && options.instances <= 1 && options.join.is_none() {
            return self.single(prepared);
        }
        if options.deterministic && !one && options.join.is_none() {
            return self.rounds(store, prepared);
        }
        let link = self.link(store);
        let runner = if one {
            let members = self.instances();
            self.threads(store, prepared, members)
        } else {
            self.portfolio(store, prepared, link.as_ref().map(|&(address, about, _)| (address, about)))
        };
        self.join(store, runner, link)
    }

    /// A runner that is joined with other processes, if that is asked for. The passes may do more in one process than in
    /// another, so that what they decide is news as well.
    pub(crate) fn joined(&mut self, store: &Store, runner: Box<dyn Runner>) -> Box<dyn Runner> {
        let link = self.link(store);
        self.join(store, runner, link)
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
        &self,
        store: &Store,
        runner: Box<dyn Runner>,
        link: Option<(&Address, Fingerprint, Box<dyn Link>)>,
    ) -> Box<dyn Runner> {
        let Request { system, options, .. } = *self.request;
        match link {
            Some((address, _, link)) => {
                Box::new(Joined::start(runner, (address, link), store, system, options, self.stop()))
            }
            None => runner,
        }
    }

    /// Several engines, in processes or threads. Processes that have joined at an address take different parts.
    fn portfolio(
        &mut self,
        store: &Store,
        prepared: &Prepared,
        joined: Option<(&Address, Fingerprint)>,
    ) -> Box<dyn Runner> {
        let Request { options, launch, .. } = *self.request;
        let jobs = launch.map_or_else(cores, |launch| launch.jobs);
        let mut share = options.share.unwrap_or_default();
        let mut entries = match &options.engines {
            Engines::Mix(entries) => entries.clone(),
            _ => {
                let profile = Profile::of(store, &prepared.preprocessed.graph, jobs);
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
        // Workers have the time for a verdict themselves, and more for what shows it.
        self.verdict_time = None;
        Box::new(Processes::new(launch.job(entries, options, share, joined.is_some())))
    }

    /// Several engines in rounds, the same on every machine.
    fn rounds(&mut self, store: &Store, prepared: &Prepared) -> Box<dyn Runner> {
        let Request { options, launch, .. } = *self.request;
        let entries = match &options.engines {
            Engines::Mix(entries) => entries.clone(),
            _ => entries_for(&Profile::of(store, &prepared.preprocessed.graph, CORES_OF_ROUNDS)),
        };
        let (members, kept) = self.members(&entries);
        let members =
            members.into_iter().zip(&kept).map(|(member, entry)| (member, entry.weight, entry.delay));
        let jobs = launch.map_or_else(cores, |launch| launch.jobs);
        let problem = Problem { share: Share::NONE, ..self.problem(prepared) };
        Box::new(Rounds::new(problem, members.collect(), jobs, self.verdict_stop()))
    }

    /// The engine, in this thread.
    fn single(&mut self, prepared: &Prepared) -> Box<dyn Runner> {
        let SolveOptions { engine, seed, disabled_passes, .. } = self.request.options;
        log::debug!("running {engine}");
        self.observer.engine(engine.name());
        let preprocessed = Arc::clone(&prepared.preprocessed);
        let stop = self.verdict_stop().clone();
        let (engine, witness) =
            (Some(engine.clone().without_passes(disabled_passes)), self.request.keeps_witness());
        let timed = !self.request.options.deterministic;
        Box::new(Single { engine, preprocessed, seed: *seed, witness, timed, stop })
    }

    /// The instances of the engine.
    fn instances(&mut self) -> Vec<Member> {
        let SolveOptions { engine, instances, seed, .. } = self.request.options;
        let member = |number| Member {
            name: format!("instance {number} of {}", engine.name()),
            // The seed is part of the number, so that processes which join a run can differ as instances do.
            engine: engine.clone().instance((*seed as usize).wrapping_add(number)),
            seed: seed.wrapping_add(number as u64),
            queries: self.observer.queries_of(&format!("{number}-{}", engine.name())),
        };
        (0..(*instances).max(1)).map(member).collect()
    }

    /// The engines of entries, for threads, and those entries whose settings are right.
    fn members(&mut self, entries: &[Entry]) -> (Vec<Member>, Vec<Entry>) {
        let mut members = Vec::with_capacity(entries.len());
        let mut kept = Vec::with_capacity(entries.len());
        for (number, entry) in entries.iter().enumerate() {
            match entry.choice() {
                Ok(engine) => {
                    kept.push(entry.clone());
                    members.push(Member {
                        name: entry.to_string(),
                        queries: self.observer.queries_of(&format!("{number}-{}", engine.name())),
                        engine,
                        seed: self.request.options.seed,
                    });
                }
                Err(error) => self.warn(format!("{entry} was dropped: {error}")),
            }
        }
        (members, kept)
    }

    fn threads(&self, store: &Store, prepared: &Prepared, members: Vec<Member>) -> Box<dyn Runner> {
        Box::new(Threads::start(store, &self.problem(prepared), members))
    }

    /// What engines in threads work on.
    fn problem(&self, prepared: &Prepared) -> Problem {
        let options = self.request.options;
        // Instances on one graph have lemmas that count steps; invariants are for engines of other kinds.
        let others = options.engines != Engines::One || options.join.is_some();
        let share = options.share.unwrap_or_default();
        let invariants = share.invariants && others;
        Problem {
            system: Arc::clone(self.request.system),
            preprocessed: Arc::clone(&prepared.preprocessed),
            passes: options.passes(),
            share: Share { invariants, ..share },
            witness: options.witness,
        }
    }
}
