//! PD-KIND as an engine.

use shem_base::UnknownReason;
use shem_chc::TransitionSystem;
use shem_check::certificate::KInductive;
use shem_smt::Solver;
use shem_term::Store;
use shem_transform::open_conditionals;

use super::description::DESCRIPTION;
use super::frames::Frames;
use super::induct::{Induction, LevelResult};
use super::reachability::{Reach, Reachability};
use super::settings::Settings;
use super::trace::Trace;
use crate::TransitionEngine;
use crate::context::{Context, Progress};
use crate::induction::{safe, without_auxiliaries};
use crate::reason::WitnessError;
use crate::scope::Scope;
use crate::verdict::{Outcome, TransitionVerdict, WitnessSource};

/// Property-directed k-induction.
#[derive(Clone, Debug, Default)]
pub struct PdKind {
    settings: Settings,
}

impl PdKind {
    /// The engine with these settings.
    pub fn new(settings: Settings) -> PdKind {
        PdKind { settings }
    }

    /// Decides the transition system with the help of this engine of reachability.
    pub fn solve_with(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        reachability: &mut dyn Reachability,
        context: &mut Context<'_>,
    ) -> TransitionVerdict {
        match self.run(store, system, reachability, context) {
            Ok(verdict) => verdict,
            Err(reason) => Outcome::unknown(reason),
        }
    }

    fn run(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        reachability: &mut dyn Reachability,
        context: &mut Context<'_>,
    ) -> Result<TransitionVerdict, UnknownReason> {
        if let Reach::Path(trace) = reachability.reach(store, system.bad, 0, &mut context.budget)? {
            return Ok(reached(system, trace));
        }
        if let Some(port) = context.events.port() {
            port.enter(store, system);
        }
        let mut induction = Induction::new(store, system, self.settings.clone(), context.seed);
        let outcome = loop {
            let progress = Progress { depth: induction.level() as u64, lemmas: induction.lemmas() as u64 };
            context.events.progress(progress);
            induction.recorder = context.events.recorder();
            match induction.advance(store, reachability, context.events.port(), &mut context.budget) {
                Ok(LevelResult::Next) => {}
                Ok(LevelResult::Reached(trace)) => break Ok(reached(system, trace)),
                Ok(LevelResult::Inductive(formula, k)) => {
                    break Ok(safe(system.clone(), KInductive { formula, k }));
                }
                Err(reason) => break Err(reason),
            }
        };
        let statistics = &mut context.statistics;
        statistics.set("level", induction.level() as u64);
        induction.counters.report(statistics);
        let shared = induction.shared;
        statistics.add("shared.sent", shared.sent);
        statistics.add("shared.taken", shared.taken);
        for (number, sender) in &induction.senders.0 {
            statistics.add(&format!("shared.taken.from.{number}"), sender.taken);
            statistics.add(&format!("shared.mistakes.of.{number}"), sender.mistakes);
        }
        statistics.add("shared.reach-taken", shared.reach_taken);
        statistics.add("shared.late", shared.late);
        statistics.add("shared.useless", shared.useless);
        statistics.add("shared.refuted", shared.refuted);
        statistics.add("shared.unconfirmed", shared.unconfirmed);
        statistics.add("shared.refutations", shared.refutations);
        statistics.add("shared.dropped", shared.dropped);
        statistics.add("shared.invariants", shared.invariants);
        statistics.merge_prefixed("reachability", &reachability.statistics());
        outcome
    }
}

/// Unsafe, by a trace that becomes a path on demand.
fn reached(system: &TransitionSystem, trace: Trace) -> TransitionVerdict {
    let system = system.clone();
    let witness =
        WitnessSource::Deferred(Box::new(move |store: &mut Store, budget: &mut shem_base::Budget| {
            let path = trace.path(store, &system, budget)?;
            Ok(path.ok_or(WitnessError::broken("a trace that does not go on"))?.into())
        }));
    Outcome::Unsafe(witness)
}

impl TransitionEngine for PdKind {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn solve(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> TransitionVerdict {
        let mut system = match without_auxiliaries(store, system, &mut context.budget) {
            Ok(system) => system,
            Err(reason) => return Outcome::unknown(reason),
        };
        // Cubes and interpolants are to speak of plain linear forms.
        for formula in [&mut system.initial, &mut system.transition, &mut system.bad] {
            *formula = open_conditionals(store, *formula);
        }
        let mut solver = Solver::new(Default::default());
        context.set_up(&mut solver);
        let mut frames = Frames::new(store, &system, self.settings.interpolation.clone(), solver);
        self.solve_with(store, &system, &mut frames, context)
    }
}
