//! Bounded model checking over bits.
//!
//! The circuit of a system with finitely many states is unrolled step by step (Biere, Cimatti, Clarke and Zhu, 1999), and
//! one SAT solver is asked for a bad state after each number of steps. What initial states fix is folded before the
//! solver sees it. If the steps so far contradict each other, all states were seen.

use shem_base::{Budget, Statistics, UnknownReason};
use shem_chc::{Path, TransitionSystem};
use shem_term::Store;

use crate::adaptor::Adaptor;
use crate::bits::{BitSystem, CircuitSolver, Unrolled};
use crate::bmc::exhausted;
use crate::context::{Context, Progress};
use crate::reason::Incomplete;
use crate::registry::{Answers, EngineDescription, Fragment, Make};
use crate::scope::Scope;
use crate::theories::Theories;
use crate::verdict::{Outcome, Proven, TransitionVerdict, WitnessSource};
use crate::{TransitionEngine, settings};

settings! {
    /// Settings of bounded model checking over bits.
    pub struct BitBmcSettings {
        max_depth: Option<usize> = None, "bit-bmc.max-depth", "the greatest number of steps to look at";
        most_gates: usize = 50_000_000,
            "bit-bmc.most-gates", "the number of gates up to which a system is unrolled",
            "ic3.md#bounded-model-checking";
    }
}

/// The description of the engine for the registry.
pub(crate) const DESCRIPTION: EngineDescription = EngineDescription {
    name: "bit-bmc",
    summary: "bounded model checking over the bits of finitely many states",
    fragment: Fragment::TransitionSystems,
    theories: Theories::Bits,
    answers: Answers::Both,
    sends: &[],
    takes: &[],
    variations: crate::instances::SEEDS,
    constructor: &Make { engine: |settings| Box::new(Adaptor::new(BitBmc::new(settings))) },
};

/// Bounded model checking over the bits of a state.
#[derive(Clone, Debug, Default)]
pub struct BitBmc {
    settings: BitBmcSettings,
}

/// How the search ended.
enum Found {
    Path(Path),
    /// There is no path of this length.
    End(usize),
    /// The greatest number of steps, without an answer.
    MaxDepth(usize),
}

impl BitBmc {
    /// The engine with these settings.
    pub fn new(settings: BitBmcSettings) -> BitBmc {
        BitBmc { settings }
    }

    fn search(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> Result<Found, UnknownReason> {
        let limit = self.settings.most_gates;
        let system = BitSystem::new(store, system, limit, &context.budget)?;
        let mut unrolled = Unrolled::new(&system, limit);
        let mut solver = CircuitSolver::new(context.seed);
        let initial = unrolled.literal(0, system.initial, &context.budget)?;
        solver.add_clause(unrolled.circuit(), [initial].into_iter());
        let mut depth = 0;
        let found = loop {
            context.events.progress(Progress { depth: depth as u64, lemmas: 0 });
            let bad = unrolled.literal(depth, system.bad, &context.budget)?;
            match solver.solve(unrolled.circuit(), None, &[bad], &mut context.budget) {
                Ok(true) => {
                    break Ok(Found::Path(unrolled.path(depth, |lit| solver.value(unrolled.circuit(), lit))));
                }
                Ok(false) if solver.core().next().is_none() => break Ok(Found::End(depth)),
                Ok(false) => solver.add_clause(unrolled.circuit(), [!bad].into_iter()),
                Err(reason) => break Err(reason),
            }
            if self.settings.max_depth.is_some_and(|max| max <= depth) {
                break Ok(Found::MaxDepth(depth));
            }
            let step = unrolled.literal(depth, system.constraint, &context.budget)?;
            solver.add_clause(unrolled.circuit(), [step].into_iter());
            depth += 1;
        };
        context.statistics.set("depth", depth as u64);
        context.statistics.set("gates", unrolled.circuit().gates().len() as u64);
        let mut own = Statistics::new();
        solver.statistics().report(&mut own);
        context.statistics.merge_prefixed("solver", &own);
        found
    }
}

impl TransitionEngine for BitBmc {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn solve(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> TransitionVerdict {
        match self.search(store, system, context) {
            Ok(Found::Path(path)) => Outcome::unsafe_by(path),
            Ok(Found::End(length)) => {
                let system = system.clone();
                let recipe = move |store: &mut Store, budget: &mut Budget| {
                    exhausted::invariant(store, &system, length, budget)
                };
                let witness = WitnessSource::Deferred(Box::new(recipe));
                Outcome::Safe(Proven { witness, certificate: Some(exhausted::certificate(length)) })
            }
            Ok(Found::MaxDepth(depth)) => Outcome::unknown(Incomplete::Depth(depth)),
            Err(reason) => Outcome::unknown(reason),
        }
    }
}
