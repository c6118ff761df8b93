//! The search: runs from one state after another.

use shem_base::{Budget, Rat, Rng, UnknownReason};
use shem_chc::{Derivation, EdgeId, Graph};
use shem_term::Store;

use super::case::Refused;
use super::code::{Number, Stop};
use super::jump::{self, Jumps};
use super::run::{CompiledGraph, Registers, Stepped};
use super::start::Starts;
use super::trace::Trace;
use crate::adaptor::{nonlinear, quantified, take_direct};
use crate::context::Context;
use crate::reason::{Incomplete, Reason, Unsupported};
use crate::registry::{EngineDescription, Fragment, Make};
use crate::settings::{Configurable, SettingRow};
use crate::theories::Theories;
use crate::verdict::{Outcome, Verdict};
use crate::{Engine, field};

/// The stop token is read once for this many steps.
const STEPS_PER_STOP_CHECK: usize = 1024;

/// The number of single steps after which a jump is looked for the first time.
const FIRST_LOOK: usize = 4;

/// The single steps of the first run in which choices are random, and how many more each later one may take: where
/// there is a choice, many short runs see more than a few long ones.
const RANDOM_STEPS: usize = 500;
const MORE_RANDOM_STEPS: usize = 100;

/// Settings of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoutSettings {
    /// The number of steps that a run may take one by one. Default: 100000.
    pub steps: usize,
    /// The number of jumps that a run may take. Default: 20000.
    pub jumps: usize,
    /// The number of runs where there is a choice. Default: 100.
    pub runs: usize,
}

impl Default for ScoutSettings {
    fn default() -> ScoutSettings {
        ScoutSettings { steps: 100_000, jumps: 20_000, runs: 100 }
    }
}

impl Configurable for ScoutSettings {
    const ROWS: &'static [&'static dyn SettingRow<ScoutSettings>] = &[
        &field!("scout.steps", steps, "the number of steps that a run may take one by one"),
        &field!("scout.jumps", jumps, "the number of jumps that a run may take"),
        &field!("scout.runs", runs, "the number of runs where there is a choice"),
    ];
}

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

/// How a run ends.
pub(super) enum End<N> {
    Reached(Derivation<EdgeId>),
    /// No step is possible, or none was found.
    Stuck,
    /// The steps are used up.
    Steps,
    /// A number does not fit the machine; the exact one can go on.
    Overflow(Trace<N>),
}

impl<N> End<N> {
    /// The derivation, if falsehood is reached.
    pub(super) fn reached(self) -> Option<Derivation<EdgeId>> {
        match self {
            End::Reached(derivation) => Some(derivation),
            End::Stuck | End::Steps | End::Overflow(_) => None,
        }
    }
}

/// What the runs of one graph share.
pub(super) struct Search<'a> {
    graph: &'a CompiledGraph,
    settings: &'a ScoutSettings,
    rng: Rng,
    /// Whether some state had several possible steps, or a free choice.
    choice: bool,
    steps: u64,
    jumps: u64,
}

impl Scout {
    /// The engine with these settings.
    pub fn new(settings: ScoutSettings) -> Scout {
        Scout { settings }
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
        let mut search = Search::new(&compiled, &self.settings, rng);
        let found = match compiled.integral {
            true => search.runs::<i64>(store, graph, context),
            false => search.runs::<Rat>(store, graph, context),
        };
        context.statistics.set("steps", search.steps);
        context.statistics.set("jumps", search.jumps);
        match found {
            Ok(derivation) => Outcome::unsafe_by(derivation),
            Err(reason) => Outcome::Unknown(reason),
        }
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(graph: &'a CompiledGraph, settings: &'a ScoutSettings, rng: Rng) -> Search<'a> {
        Search { graph, settings, rng, choice: false, steps: 0, jumps: 0 }
    }

    /// Runs from one state after another until falsehood is reached.
    fn runs<N: Number>(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        context: &mut Context<'_>,
    ) -> Result<Derivation<EdgeId>, Reason> {
        let mut starts = Starts::new(self.graph);
        self.choice = !Starts::are_all(self.graph);
        let count = self.graph.starts.len();
        let mut run = 0;
        while run < count || self.choice && run < self.settings.runs.max(count) {
            context.budget.check_stop()?;
            let start = starts.next::<N>(store, graph, self.graph, &mut self.rng, context);
            if let Some((case, state)) = start {
                let mut trace = Trace::new();
                trace.push(case, &state);
                let random = run.checked_sub(count);
                let budget = &context.budget;
                let reached = match self.run(trace, random, budget)? {
                    End::Overflow(trace) => self.run(trace.exact(), random, budget)?.reached(),
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

    /// Continues a run. In a straight one the first possible case is taken, in the others, which have numbers, a random
    /// one.
    pub(super) fn run<N: Number>(
        &mut self,
        mut trace: Trace<N>,
        random: Option<usize>,
        budget: &Budget,
    ) -> Result<End<N>, UnknownReason> {
        let graph = self.graph;
        let straight = random.is_none();
        let most = |number| self.settings.steps.min(RANDOM_STEPS + MORE_RANDOM_STEPS * number);
        let steps = random.map_or(self.settings.steps, most);
        let mut registers = Registers::default();
        let mut next = Vec::new();
        let mut order: Vec<usize> = Vec::new();
        let (mut vertex, here) = trace.here(graph);
        let mut state: Vec<N> = here.expect("a state that fits the machine");
        let mut jumps = Jumps::default();
        // The number of single steps at which a jump is looked for.
        let mut look = trace.len() + FIRST_LOOK;
        loop {
            if trace.len().is_multiple_of(STEPS_PER_STOP_CHECK) {
                budget.check_stop()?;
            }
            for &query in &graph.queries[vertex.index()] {
                match graph.attempt(query, &state, &mut next, &mut registers, &mut self.rng) {
                    Ok(()) => {
                        return Ok(End::Reached(trace.derivation(graph, graph.cases[query].edge)));
                    }
                    Err(Stop::Disabled) => {}
                    Err(Stop::Overflow) => return Ok(End::Overflow(trace)),
                }
            }
            if trace.len() >= steps {
                return Ok(End::Steps);
            }
            if trace.len() >= look && trace.jumps() < self.settings.jumps {
                if let Some(block) = jump::find(graph, &trace, &mut jumps) {
                    self.jumps += 1;
                    trace.push_block(block);
                    look = trace.len() + FIRST_LOOK;
                    let (_, Some(here)) = trace.here(graph) else { return Ok(End::Overflow(trace)) };
                    state = here;
                    continue;
                }
                look = trace.len() + (trace.fresh() / 4).max(2);
            }
            let moves = &graph.moves[vertex.index()];
            let stepped = if straight || moves.len() == 1 {
                graph.step(moves, &state, &mut next, &mut registers, &mut self.rng)
            } else {
                order.clone_from(moves);
                self.rng.shuffle(&mut order);
                graph.step(&order, &state, &mut next, &mut registers, &mut self.rng)
            };
            match stepped {
                Stepped::By(case) => {
                    self.choice |= !graph.cases[case].free.is_empty();
                    if straight && !self.choice {
                        self.choice = self.has_alternative(case, moves, &state, &mut registers);
                    }
                    trace.push(case, &next);
                    self.steps += 1;
                    vertex = graph.cases[case].target;
                    std::mem::swap(&mut state, &mut next);
                }
                Stepped::Stuck => return Ok(End::Stuck),
                Stepped::Overflow => return Ok(End::Overflow(trace)),
            }
        }
    }

    /// Whether another case after the one that was taken is possible, too.
    fn has_alternative<N: Number>(
        &mut self,
        taken: usize,
        moves: &[usize],
        state: &[N],
        registers: &mut Registers<N>,
    ) -> bool {
        let mut unused = Vec::new();
        let later = moves.iter().skip_while(|&&case| case != taken).skip(1);
        later
            .into_iter()
            .any(|&case| self.graph.attempt(case, state, &mut unused, registers, &mut self.rng).is_ok())
    }
}
