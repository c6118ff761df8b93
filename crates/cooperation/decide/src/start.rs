//! Which runner a request asks for.

use std::sync::Arc;

use shem_chc::Fingerprint;
use shem_exchange::Share;
use shem_term::Store;

use crate::decide::Decider;
use crate::entry::Entry;
use crate::options::{Engines, SolveOptions};
use crate::prepare::Prepared;
use crate::resources::cores;
use crate::runner::{Joined, Member, Problem, Processes, Runner, Single, Threads, connect, number};
use crate::strategy::{Profile, entries_for, part_of};

impl Decider<'_> {
    /// Starts the engines that the options ask for.
    pub(crate) fn start(&mut self, store: &mut Store, prepared: &Prepared) -> Box<dyn Runner> {
        let options = self.request.options;
        let one = options.engines == Engines::One;
        if one && options.instances <= 1 && options.join.is_none() {
            return self.single(prepared);
        }
        let meeting = options.join.as_ref().and_then(|address| {
            let about = Fingerprint::of_system(store, self.request.system);
            match connect(address, about) {
                Ok(link) => Some((address, about, link)),
                Err(reason) => {
                    self.warn(format!("{address}: {reason}; going on alone"));
                    None
                }
            }
        });
        let runner = if one {
            let members = self.instances();
            self.threads(store, prepared, members)
        } else {
            let jobs = self.request.launch.map_or_else(cores, |launch| launch.jobs);
            let mut entries = match &options.engines {
                Engines::Mix(entries) => entries.clone(),
                _ => entries_for(&Profile::of(&prepared.preprocessed.graph, jobs)),
            };
            if let Some((address, about, _)) = &meeting {
                part_of(&mut entries, number(address, *about), jobs);
            }
            match self.request.launch {
                Some(launch) => {
                    // Workers have the time for a verdict themselves, and more for what shows it.
                    self.verdict_time = None;
                    Box::new(Processes::new(launch.job(entries, options, meeting.is_some())))
                }
                None => {
                    let members = self.members(&entries);
                    self.threads(store, prepared, members)
                }
            }
        };
        let Some((address, _, link)) = meeting else { return runner };
        match Joined::start(runner, (address, link), store, self.request.system, options) {
            Ok(joined) => Box::new(joined),
            Err((error, runner)) => {
                self.warn(format!("{address}: {error}; going on alone"));
                runner
            }
        }
    }

    /// The engine, in this thread.
    fn single(&mut self, prepared: &Prepared) -> Box<dyn Runner> {
        let SolveOptions { engine, seed, .. } = self.request.options;
        log::debug!("running {engine}");
        self.observer.engine(engine.name());
        let preprocessed = Arc::clone(&prepared.preprocessed);
        let stop = self.verdict_stop().clone();
        Box::new(Single::new(engine.clone(), preprocessed, *seed, self.request.keeps_witness(), stop))
    }

    /// The instances of the engine.
    fn instances(&mut self) -> Vec<Member> {
        let SolveOptions { engine, instances, seed, .. } = self.request.options;
        let mut members = Vec::with_capacity(*instances);
        for number in 0..(*instances).max(1) {
            members.push(Member {
                name: format!("instance {number} of {}", engine.name()),
                // The seed is part of the number, so that processes which join a run can differ as instances do.
                engine: engine.clone().instance((*seed as usize).wrapping_add(number)),
                seed: seed.wrapping_add(number as u64),
                queries: self.observer.queries_of(&format!("{number}-{}", engine.name())),
            });
        }
        members
    }

    /// The engines of entries, for threads.
    fn members(&mut self, entries: &[Entry]) -> Vec<Member> {
        let mut members = Vec::with_capacity(entries.len());
        for (number, entry) in entries.iter().enumerate() {
            match entry.choice() {
                Ok(engine) => members.push(Member {
                    name: entry.to_string(),
                    queries: self.observer.queries_of(&format!("{number}-{}", engine.name())),
                    engine,
                    seed: self.request.options.seed,
                }),
                Err(error) => self.warn(format!("{entry} was dropped: {error}")),
            }
        }
        members
    }

    fn threads(&self, store: &Store, prepared: &Prepared, members: Vec<Member>) -> Box<dyn Runner> {
        let options = self.request.options;
        // Instances on one graph have lemmas that count steps; invariants are for engines of other kinds.
        let others = options.engines != Engines::One || options.join.is_some();
        let invariants = options.share.invariants && others;
        let problem = Problem {
            system: Arc::clone(self.request.system),
            preprocessed: Arc::clone(&prepared.preprocessed),
            passes: options.passes(),
            share: Share { invariants, ..options.share },
            witness: options.witness,
        };
        for member in &members {
            log::debug!("running {} in a thread", member.name);
        }
        Box::new(Threads::start(store, &problem, members))
    }
}
