//! The search: runs from one state after another.

use shem_base::{Rat, Rng};
use shem_chc::{Derivation, EdgeId, Graph};
use shem_term::Store;

use super::start::Starts;
use crate::adaptor::{nonlinear, quantified, take_direct};
use crate::context::Context;
use crate::reason::{Incomplete, Reason, Unsupported};
use crate::registry::{EngineDescription, Fragment, Make};
use crate::running::{CompiledGraph, End, Limits, Number, Refused, Search, Trace};
use crate::theories::Theories;
use crate::verdict::{Outcome, Verdict};
use crate::{Engine, settings};

settings! {
    /// Settings of the engine.
    pub struct ScoutSettings {
        steps: usize = 100_000,
            "scout.steps", "the number of steps that a run may take one by one", "scout.md#derivations";
        stream: u64 = 3_000_000,
            "scout.stream", "the number of steps that a run may take after that without keeping them", "scout.md#derivations";
        jumps: usize = 20_000, "scout.jumps", "the number of jumps that a run may take";
        runs: usize = 100, "scout.runs", "the number of runs where there is a choice";
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
    sends: &[],
    takes: &[],
    constructor: &Make { engine: |settings| Box::new(Scout::new(settings)), of_instance: None },
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
        search: &mut Search<'_>,
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
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn solve(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        if let Some(verdict) = quantified(store, graph, DESCRIPTION.name) {
            return verdict;
        }
        let compiled = match CompiledGraph::new(store, graph) {
            Ok(compiled) => compiled,
            Err(Refused::Nonlinear) => return nonlinear(DESCRIPTION.name),
            Err(Refused::Theory) => {
                return Outcome::unknown(Unsupported::Theory { engine: DESCRIPTION.name });
            }
            Err(Refused::Size) => return Outcome::unknown(Unsupported::Size { engine: DESCRIPTION.name }),
        };
        let mut own = graph.clone();
        match take_direct(store, &mut own, &mut context.budget) {
            Ok(Some(derivation)) => return Outcome::unsafe_by(derivation),
            Ok(None) => {}
            Err(reason) => return Outcome::unknown(reason),
        }
        let rng = Rng::new(context.seed);
        let ScoutSettings { steps, stream, jumps, .. } = self.settings;
        // Jumps with long words are what costs more than steps do.
        let work = (steps as u64).saturating_add(stream).saturating_mul(WORK_PER_STEP);
        let mut search = Search::new(&compiled, Limits { steps, stream, jumps, work }, rng);
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
