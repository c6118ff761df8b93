//! The search: runs from one state after another.

use shem_base::{Rat, Rng};
use shem_chc::{Derivation, EdgeId, Graph};
use shem_term::Store;

use super::start::Starts;
use crate::context::Context;
use crate::reason::{Incomplete, Reason};
use crate::registry::{Answers, EngineDescription, Fragment, Make};
use crate::running::{CompiledGraph, End, Limits, Number, RunSearch, Trace};
use crate::scope::Scope;
use crate::theories::Theories;
use crate::verdict::{Outcome, Verdict};
use crate::{Engine, settings};

settings! {
    /// Settings of the engine.
    pub struct ScoutSettings {
        steps: usize = 100_000,
            "scout.steps", "the number of steps that a run may take one by one", "options.md#engine-scout";
        stream: u64 = 3_000_000,
            "scout.stream", "the number of steps that a run may take after that without keeping them",
            "options.md#engine-scout";
        /// The number of jumps that a run may take: the trace stays small, whatever the program does.
        jumps: usize = 20_000;
        runs: usize = 100, "scout.runs", "the number of runs where there is a choice", "options.md#engine-scout";
    }
}

/// The work that a run may cost, for each step that it may take.
const WORK_PER_STEP: u64 = 4;

/// The description of the engine for the registry.
pub(crate) const DESCRIPTION: EngineDescription = EngineDescription {
    name: "scout",
    summary: "runs the system as a program; finds deep counterexamples, proves nothing",
    fragment: Fragment::Linear,
    theories: Theories::Arithmetic,
    answers: Answers::Unsafe,
    sends: &[],
    takes: &[],
    variations: crate::instances::SEEDS,
    constructor: &Make { engine: |settings| Box::new(Scout::new(settings)) },
};

/// Runs linear systems whose steps are functions.
#[derive(Clone, Debug, Default)]
pub struct Scout {
    settings: ScoutSettings,
}

impl Scout {
    /// The engine with these settings.
    pub fn new(settings: ScoutSettings) -> Scout {
        Scout { settings }
    }

    /// Runs from one state after another until falsehood is reached.
    fn runs<N: Number>(
        &self,
        search: &mut RunSearch<'_>,
        store: &mut Store,
        graph: &Graph,
        context: &mut Context<'_>,
    ) -> Result<Derivation<EdgeId>, Reason> {
        let compiled = search.graph;
        let mut starts = Starts::new(compiled);
        search.choice = !Starts::are_all(compiled);
        let count = compiled.starts.len();
        let mut run = 0;
        while run < count || search.choice && run < self.settings.runs.max(count) {
            context.budget.check_stop()?;
            let start = starts.next::<N>(store, graph, compiled, &mut search.rng, context);
            if let Some((case, state)) = start {
                let mut trace = Trace::new();
                trace.push(case, &state);
                let random = run.checked_sub(count);
                let budget = &context.budget;
                let reached = match search.run(trace, random, budget)? {
                    End::Overflow(trace) => search.run(trace.exact(), random, budget)?.reached(),
                    end => end.reached(),
                };
                if let Some(derivation) = reached {
                    context.statistics.set("runs", run as u64 + 1);
                    return Ok(derivation);
                }
            }
            run += 1;
        }
        context.statistics.set("runs", run as u64);
        Err(Incomplete::Method("no run has reached falsehood").into())
    }
}

impl Engine for Scout {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        let compiled = match CompiledGraph::new(store, graph) {
            Ok(compiled) => compiled,
            Err(refused) => return Outcome::unknown(refused.by(DESCRIPTION.name)),
        };
        let rng = Rng::new(context.seed);
        let ScoutSettings { steps, stream, jumps, .. } = self.settings;
        // Jumps with long words are what costs more than steps do.
        let work = (steps as u64).saturating_add(stream).saturating_mul(WORK_PER_STEP);
        let mut search = RunSearch::new(&compiled, Limits { steps, stream, jumps, work }, rng);
        search.allow_streams(store, graph);
        let found = match compiled.integral {
            true => self.runs::<i64>(&mut search, store, graph, context),
            false => self.runs::<Rat>(&mut search, store, graph, context),
        };
        context.statistics.set("steps", search.steps);
        context.statistics.set("jumps", search.jumps);
        match found {
            Ok(derivation) => Outcome::unsafe_by(derivation),
            Err(reason) => Outcome::Unknown(reason),
        }
    }
}
