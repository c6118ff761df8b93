//! The engine: stages of richer and richer hulls.

use std::collections::BTreeMap;

use shem_base::{Effort, Int, UnknownReason};
use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::Store;
use shem_transform::domain::{AbstractInterpretation, Form};

use super::description::DESCRIPTION;
use super::features::Features;
use super::hulls::{Failure, Hulls};
use super::mine::combinations;
use super::orders::Orders;
use super::program::Program;
use super::search::{End, close};
use super::seed::Seeds;
use crate::context::Context;
use crate::scope::Scope;
use crate::verdict::{Outcome, Verdict};
use crate::{Engine, settings};

/// The greatest number of atoms that make a phase; a third if there are too many phases, and so on.
const MAX_ATOMS: usize = 24;

/// The greatest number of phases of all vertices together, and if they are by orders.
const MAX_PHASES: usize = 400;
const MAX_ORDERS: usize = 1_500;

/// How many states at the beginning of each run are kept one by one. Each is a part of the model of its own, so few are
/// tried first.
const PEELS: [usize; 4] = [0, 8, 32, 128];

/// The greatest number of lost equalities that are combined with each other.
const MAX_QUANTITIES: usize = 12;

/// The effort of one question.
const EFFORT: Effort = Effort { conflicts: 2_000, pivots: 100_000, splits: 1_000 };

/// The effort of one question where phases are by orders, and how often one that is too hard is asked of new solvers, with
/// other seeds and this times the effort. Sources with many phases each stand in a question together, and whether its
/// integers are found without thousands of splits is a matter of luck: quic3's copy4 has such a question.
const EFFORT_OF_ORDERS: Effort = Effort { conflicts: 2_000, pivots: 20_000, splits: 100 };
const RETRIES: u64 = 8;
const MORE_EFFORT: u64 = 2;

/// How often the hull may grow in one stage.
const GROWTH: usize = 20_000;

settings! {
    /// Settings of hulls.
    pub struct Settings {
        orders: bool = false,
            "hull.orders",
            "phases by the order of arguments that are compared, directly or through others, such as indices of cells",
            "abstractions.md#figures";
    }
}

/// Inductive hulls of runs.
#[derive(Clone, Debug, Default)]
pub struct Hull {
    /// What may be chosen.
    pub settings: Settings,
}

/// What one stage does beyond the first.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// The states at the beginning of each run that are kept one by one.
    peel: usize,
    /// Whether equalities that were lost before have bounds, and combinations of them.
    lost_forms: bool,
    /// Whether bounds may stop at sums of the program's numbers.
    sums: bool,
    /// What makes phases.
    phases: Phases,
}

/// What makes phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phases {
    /// Where the program decides.
    Decisions,
    /// Orders of arguments that labels show.
    Orders,
    /// Orders of all related arguments.
    Related,
    /// Where the program decides, and orders of all related arguments.
    Both,
}

impl Engine for Hull {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        self.run(store, graph, context).unwrap_or_else(Outcome::unknown)
    }
}

impl Hull {
    fn run(
        &self,
        store: &mut Store,
        graph: &Graph,
        context: &mut Context<'_>,
    ) -> Result<Verdict, UnknownReason> {
        let edges: Vec<(EdgeId, Edge)> = graph.edges().map(|(id, edge)| (id, edge.clone())).collect();
        let mut programs: Vec<Program> =
            edges.iter().map(|(id, edge)| Program::new(store, graph, *id, edge)).collect();
        let seeds = Seeds::find(store, graph, &mut programs, context)?;
        if let Some(derivation) = seeds.derivation {
            return Ok(Outcome::unsafe_by(derivation));
        }
        let orders = if self.settings.orders { Orders::find(store, graph, &edges) } else { Orders::default() };
        let mut interpretation = AbstractInterpretation::new(graph, self.effort());
        let mut lost: BTreeMap<VertexId, Vec<Form>> = BTreeMap::new();
        let mut failure =
            Failure::Unknown(UnknownReason::Incomplete("bad states are in the hulls of all stages"));
        let mut stages = self.stages().into_iter();
        let mut stage = stages.next();
        let mut max_atoms = MAX_ATOMS;
        while let Some(now) = stage {
            context.statistics.add("stages", 1);
            let result = self.run_stage(
                store,
                graph,
                &mut interpretation,
                &mut programs,
                &seeds,
                &orders,
                now,
                max_atoms,
                &mut lost,
                context,
            );
            match result {
                Ok(Some(verdict)) => return Ok(verdict),
                Ok(None) => {}
                Err(Failure::Phases) if max_atoms > 0 => {
                    max_atoms /= 3;
                    continue;
                }
                Err(other) if !context.budget.can_go_on() => return Err(other.into()),
                Err(other) => failure = other,
            }
            stage = stages.next();
        }
        Err(failure.into())
    }

    fn effort(&self) -> Effort {
        if self.settings.orders { EFFORT_OF_ORDERS } else { EFFORT }
    }

    /// Lets hulls grow until they are inductive. Where a question is too hard, what is found so far stays.
    fn close(
        &self,
        store: &mut Store,
        graph: &Graph,
        interpretation: &mut AbstractInterpretation<'_>,
        programs: &mut [Program],
        hulls: &mut Hulls,
        context: &mut Context<'_>,
    ) -> Result<End, Failure> {
        let retries = if self.settings.orders { RETRIES } else { 0 };
        let mut effort = self.effort();
        if self.settings.orders {
            interpretation.ask_anew(effort);
        }
        for retry in 0..retries {
            let seed = context.seed.wrapping_add(retry);
            let result = close(store, graph, interpretation, programs, hulls, GROWTH, seed, context);
            match result {
                Err(Failure::Unknown(_)) if context.budget.can_go_on() => {}
                result => return result,
            }
            context.statistics.add("retries", 1);
            effort = effort.times(MORE_EFFORT);
            interpretation.ask_anew(effort);
        }
        let seed = context.seed.wrapping_add(retries);
        close(store, graph, interpretation, programs, hulls, GROWTH, seed, context)
    }

    fn stages(&self) -> Vec<Stage> {
        if self.settings.orders {
            let stage = |phases| Stage { peel: 0, lost_forms: false, sums: false, phases };
            return [Phases::Orders, Phases::Related, Phases::Both].map(stage).to_vec();
        }
        let (mut stages, phases) = (Vec::new(), Phases::Decisions);
        for peel in PEELS {
            for lost_forms in [false, true] {
                stages.push(Stage { peel, lost_forms, sums: false, phases });
            }
            if peel == 0 {
                stages.push(Stage { peel, lost_forms: true, sums: true, phases });
            }
        }
        stages
    }

    #[expect(clippy::too_many_arguments, reason = "what a stage takes and gives")]
    fn run_stage(
        &self,
        store: &mut Store,
        graph: &Graph,
        interpretation: &mut AbstractInterpretation<'_>,
        programs: &mut [Program],
        seeds: &Seeds,
        orders: &Orders,
        stage: Stage,
        max_atoms: usize,
        lost: &mut BTreeMap<VertexId, Vec<Form>>,
        context: &mut Context<'_>,
    ) -> Result<Option<Verdict>, Failure> {
        let vertices: Vec<VertexId> = graph.vertices().collect();
        let mut features_of_vertices = Vec::with_capacity(vertices.len());
        for &vertex in &vertices {
            // There may be dozens of elements, and few of them have to do with each other.
            let by_decisions = matches!(stage.phases, Phases::Decisions | Phases::Both);
            let decisions = if by_decisions { max_atoms } else { 0 };
            let mut features = Features::new(store, graph, vertex, programs, decisions, by_decisions);
            for atom in orders.of(vertex, stage.phases != Phases::Orders) {
                features.add_atom(store, atom, max_atoms);
                features.add_form_of(store, atom);
            }
            for atom in orders.bounds(vertex).filter(|_| stage.phases != Phases::Orders) {
                features.add_form_of(store, atom);
            }
            if stage.sums {
                features.add_sums();
            }
            if stage.lost_forms {
                let mut quantities: Vec<Form> = lost.get(&vertex).cloned().unwrap_or_default();
                for form in &quantities {
                    features.add_form(form.clone());
                }
                quantities.truncate(MAX_QUANTITIES);
                quantities.extend((0..features.coordinates.len()).map(|at| vec![(at, Int::ONE)]));
                for form in combinations(store, &mut features, &seeds.runs, &quantities) {
                    features.add_form(form);
                }
            }
            features_of_vertices.push(features);
        }
        let max_phases = if self.settings.orders { MAX_ORDERS } else { MAX_PHASES };
        let mut hulls = Hulls::new(features_of_vertices, graph.vertex_bound(), max_phases);
        hulls.look_at(store, seeds.runs.iter().flat_map(|run| run.iter().skip(stage.peel)));
        for run in &seeds.runs {
            for (vertex, state) in run.iter().take(stage.peel) {
                hulls.add_single(*vertex, state);
            }
        }
        let before = interpretation.questions;
        let mut seen = seeds.runs.iter().flat_map(|run| run.iter().skip(stage.peel));
        let end = seen
            .try_for_each(|(vertex, state)| hulls.add(store, *vertex, state).map(|_| ()))
            .and_then(|()| self.close(store, graph, interpretation, programs, &mut hulls, context));
        context.statistics.add("questions", interpretation.questions - before);
        context.statistics.set("phases", hulls.phase_count() as u64);
        for &vertex in &vertices {
            let known = lost.entry(vertex).or_default();
            for form in hulls.lost(vertex) {
                super::program::push_new(known, form);
            }
            known.truncate(40);
        }
        let end = end?;
        let model = hulls.interpretation(store);
        match end {
            End::Safe => Ok(Some(Outcome::safe(model))),
            End::Imprecise => {
                if let Some(port) = context.events.port()
                    && port.wants_invariants()
                {
                    let mut budget = context.budget.clone();
                    port.publish_invariant(store, graph, model.without_queries(), &mut budget);
                }
                Ok(None)
            }
        }
    }
}
