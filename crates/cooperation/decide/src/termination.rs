//! Termination, with engines for its questions of safety.

use std::sync::Arc;
use std::time::Duration;

use shem_base::{Budget, StopToken};
use shem_chc::System;
use shem_engine::{NoEvents, Registry};
use shem_term::Store;
use shem_termination::{Answer, Runs, Safe, Safety, decide as decide_termination};

use crate::answer::{Verdict, Witness};
use crate::decide::{Request, decide};
use crate::options::{Checking, Engines, SolveOptions};

/// The engines that are asked, each with the part of the effort that it gets in percent, and the effort from which on.
const ENGINES: [(&str, u64, u64); 6] = [
    ("spacer", 50, 0),
    ("bmc", 15, 0),
    ("hull", 10, 200),
    ("scout", 10, 200),
    ("tpa", 25, 1_000),
    ("kind", 15, 1_000),
];
/// The work of a search in a millisecond of a core, about.
const WORK_OF_MILLISECOND: u64 = 4_000;

/// Decides whether all runs of linear clauses end. The answer was judged on the clauses as read.
pub fn terminates(store: &mut Store, runs: &Runs, stop: &StopToken) -> Answer {
    let registry = Registry::standard();
    let mut budget = Budget::until(stop.clone());
    let questions = &mut Questions { registry: &registry, stop };
    match decide_termination(store, &runs.system, questions, &mut budget) {
        Answer::Terminates(_) if !runs.complete => Answer::Unknown(
            "a step may have been lost: one name stands for several occurrences of a predicate".to_owned(),
        ),
        answer => answer,
    }
}

/// Answers questions by one engine after the other, in this thread.
struct Questions<'a> {
    registry: &'a Registry,
    stop: &'a StopToken,
}

impl Safety for Questions<'_> {
    fn decide(&mut self, store: &mut Store, system: &Arc<System>, effort: u64) -> Option<Safe> {
        for (name, percent, from) in ENGINES {
            if effort < from || self.stop.is_stopped() {
                continue;
            }
            let options = SolveOptions {
                engines: Engines::One,
                engine: self.registry.choose(name).ok()?,
                checking: Checking::Trust,
                witness: true,
                // Limits count work, so that the same question has the same answer.
                deterministic: true,
                witness_budget: Duration::from_secs(5),
                ..SolveOptions::default()
            };
            let work = effort * percent / 100 * WORK_OF_MILLISECOND;
            let stop = StopToken::after_work(self.stop, work.max(1));
            let request = Request { system, options: &options, launch: None };
            let Ok(answer) = decide(store, &request, &stop, &mut NoEvents) else { continue };
            match answer.verdict {
                Verdict::Sat(Witness::Found(model)) => return Some(Safe::Yes(model)),
                Verdict::Unsat(Witness::Found(derivation)) => return Some(Safe::No(derivation)),
                _ => {}
            }
        }
        None
    }
}
