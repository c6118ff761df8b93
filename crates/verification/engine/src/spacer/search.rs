//! The search: obligations are answered, lemmas are pushed.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use shem_base::{Budget, Effort, Rat, TieBreak, UnknownReason};
use shem_chc::{Graph, VertexId};
use shem_proof::NoProof;
use shem_smt::project::Projector;
use shem_smt::{Answer, Model, Solver};
use shem_term::{Store, Term, View};

use super::obligation::{ObligationId, Obligations, Parent};
use super::pattern::Clusters;
use super::push_counterexample::PushCounterexample;
use super::settings::{Retry, Settings};
use super::share::Exchanged;
use super::summary::{FactId, INFINITE_HEIGHT, Lemma, Summary, SummaryKind};
use crate::context::Context;
use crate::counters::counters;
use crate::theories::Theories;

/// Obligations are retried at once up to twice the bound on heights, plus this.
const EARLY_HEIGHT_EXCESS: usize = 4;

/// How many obligations are answered between two exchanges with other instances.
const EXCHANGE_PERIOD: u64 = 8;

counters! {
    /// What was done.
    pub(super) struct Counters {
        /// Lemmas learnt, again whenever they were raised.
        lemmas: "lemmas",
        /// Lemmas that hold one height further.
        pushed: "lemmas.pushed",
        /// Interpolants that gave lemmas.
        interpolants: "interpolants",
        /// Interpolants that were no conjunction of clauses and were weakened to one.
        weakened_to_clauses: "interpolants.weakened",
        /// Literals that lemmas could do without.
        dropped: "literals-dropped",
        /// Sets of states that were derived.
        facts: "facts",
        /// Model-based projections.
        projections: "projections",
        /// Obligations with formulas that were taken apart into literals.
        split: "obligations.split",
        /// Obligations that a known fact answered.
        discharged: "obligations.discharged",
        /// Obligations that a fact for another one answered.
        climbed: "obligations.climbed",
        /// Obligations that a known lemma excluded.
        recalled: "obligations.recalled",
        /// Obligations that were blocked and tried at the next height before the bound was raised.
        retried: "obligations.retried",
        /// Obligations that were blocked and wait for a greater bound.
        deferred: "obligations.deferred",
        /// Lemmas that were not asked about, since what was in their way is still there.
        still_stuck: "lemmas.still-stuck",
        /// Lemmas that newer ones imply.
        forgotten: "lemmas.forgotten",
        /// Bounds in lemmas that were moved outwards.
        weakened: "bounds-weakened",
        /// Lemmas that were raised at once.
        lifted: "lemmas.lifted",
        /// Lemmas that hold at all heights.
        invariants: "lemmas.invariants",
        /// Equations that were found before the search.
        equations: "equations",
        /// Invariants that came from other solvers.
        received: "shared.invariants",
        /// Lemmas with heights and facts that were sent to other instances.
        sent: "shared.sent",
        /// Lemmas with heights that came from other instances and hold here.
        lemmas_taken: "shared.lemmas",
        /// Those that do not.
        refused: "shared.refused",
        /// Facts of other instances that were tried.
        facts_tried: "shared.facts",
        /// Obligations that were excluded as they are.
        restrained: "guidance.restrained",
        /// Cubes that cover a cluster.
        subsumptions: "guidance.subsumptions",
        /// Obligations without a literal that lemmas bound further and further.
        conjectures: "guidance.conjectures",
        /// Obligations that were cut down to boxes.
        concretised: "guidance.concretised",
        /// Lemmas that guidance proposed.
        guided: "guidance.lemmas",
        /// Obligations that guidance proposed and nobody waits for.
        tentative: "guidance.tentative",
        /// How often one of them, or a descendant, was dropped for lack of gas.
        out_of_gas: "guidance.out-of-gas",
    }
}

/// The state of a run of Spacer.
pub(super) struct SpacerSearch<'a> {
    pub(super) graph: &'a Graph,
    pub(super) settings: &'a Settings,
    /// By vertex; those that were removed from the graph have no edges.
    pub(super) summaries: Vec<Summary>,
    /// For each vertex, those whose edges have it as a source.
    pub(super) successors: Vec<Vec<VertexId>>,
    pub(super) obligations: Obligations,
    pub(super) projector: Projector,
    /// By vertex: its lemmas, once for each height at which they were added to the solvers of the successors, in
    /// that order.
    pub(super) announced: Vec<Vec<Lemma>>,
    /// By vertex and lemma: states that show why the lemma could not be pushed.
    pub(super) push_counterexamples: Vec<HashMap<Term, PushCounterexample, FxBuildHasher>>,
    /// By vertex.
    pub(super) clusters: Vec<Clusters>,
    /// Cubes that global guidance has tried.
    pub(super) tried: HashSet<(VertexId, Vec<Term>), FxBuildHasher>,
    /// Variables that stand for numerals: integers, reals.
    pub(super) numerals: [Vec<Term>; 2],
    /// Without assertions: for queries about states alone.
    pub(super) state_solver: Solver<NoProof>,
    /// The constants of the labels, in order.
    pub(super) constants: Vec<Rat>,
    /// The effort of a query that may be left open.
    pub(super) optional_effort: Effort,
    /// The current bound on heights.
    pub(super) bound: usize,
    /// What was exchanged with other instances.
    pub(super) exchanged: Exchanged,
    pub(super) counters: Counters,
}

impl<'a> SpacerSearch<'a> {
    pub(super) fn new(
        store: &mut Store,
        graph: &'a Graph,
        settings: &'a Settings,
        context: &mut Context<'_>,
    ) -> SpacerSearch<'a> {
        let bound = graph.vertex_bound();
        let ties = TieBreak::new(context.seed);
        let mut summaries = Vec::with_capacity(bound);
        for index in 0..bound {
            let mut solver = Solver::new(Default::default());
            context.set_up(&mut solver);
            summaries.push(Summary::new(store, graph, VertexId::new(index), solver, ties));
        }
        let mut successors = vec![Vec::new(); bound];
        for (_, edge) in graph.edges() {
            for source in &edge.sources {
                successors[source.index()].push(edge.target);
            }
        }
        for list in &mut successors {
            list.sort_unstable();
            list.dedup();
        }
        SpacerSearch {
            graph,
            settings,
            summaries,
            successors,
            obligations: Obligations::new(settings.order, ties),
            projector: Projector::new(),
            announced: vec![Vec::new(); bound],
            push_counterexamples: vec![HashMap::default(); bound],
            clusters: vec![Clusters::default(); bound],
            tried: HashSet::default(),
            numerals: [Vec::new(), Vec::new()],
            state_solver: Solver::with_proof(Default::default(), NoProof),
            constants: constants(store, graph),
            optional_effort: optional_effort(Theories::of(store, graph)),
            bound: 0,
            exchanged: Exchanged::default(),
            counters: Counters::default(),
        }
    }

    /// Answers all obligations up to this height; returns the fact of falsehood, if it is found.
    pub(super) fn block(
        &mut self,
        store: &mut Store,
        level: usize,
        context: &mut Context<'_>,
    ) -> Result<Option<FactId>, UnknownReason> {
        self.bound = level;
        self.obligations.raise_bound();
        let mut answered = 0;
        while let Some(id) = self.obligations.pop(level) {
            let budget = &mut context.budget;
            budget.check_stop()?;
            answered += 1;
            if answered % EXCHANGE_PERIOD == 0
                && let Some(port) = context.events.port()
            {
                self.exchange_heights(store, port, budget)?;
            }
            if !self.obligations.spend_gas(id) {
                self.counters.out_of_gas += 1;
                continue;
            }
            if let Some(fact) = self.answer(store, id, budget)? {
                return Ok(Some(fact));
            }
        }
        Ok(None)
    }

    /// Answers an obligation or makes another one that has to be answered before.
    fn answer(
        &mut self,
        store: &mut Store,
        id: ObligationId,
        budget: &mut Budget,
    ) -> Result<Option<FactId>, UnknownReason> {
        let obligation = self.obligations.get(id);
        let (vertex, level, parent) = (obligation.vertex, obligation.level, obligation.parent);
        let cube = obligation.cube.clone();
        // A tentative obligation is given up when its query is hard.
        let tentative = obligation.is_tentative();
        let mut limited = budget.at_most(self.optional_effort);
        let effort = if tentative { &mut limited } else { &mut *budget };
        let open = |reason| match reason {
            UnknownReason::Stopped => Err(reason),
            _ if tentative => Ok(None),
            _ => Err(reason),
        };
        let summary = &mut self.summaries[vertex.index()];
        match summary.find_fact(store, &cube, effort) {
            Err(reason) => return open(reason),
            Ok(Some(fact)) => {
                self.counters.discharged += 1;
                return self.climb(store, id, fact, budget);
            }
            Ok(None) => {}
        }
        if vertex != VertexId::FALSE {
            let known = self.summaries[vertex.index()].excluded_up_to(store, &cube);
            if let Some(known) = known.filter(|&known| known >= level) {
                self.counters.recalled += 1;
                if known != INFINITE_HEIGHT {
                    self.retry(id, known + 1);
                }
                self.resume(parent);
                return Ok(None);
            }
        }
        let summary = &mut self.summaries[vertex.index()];
        match summary.ask_may(store, &cube, &[], level, effort) {
            Answer::Unknown(reason) => open(reason),
            Answer::Unsat(refutation) => {
                let failed = refutation.failed_assumptions();
                let core = summary.core(store, &cube, &failed);
                let mut lemma = self.generalise(store, vertex, core, level, budget)?;
                if self.settings.restrain && self.is_next_of_series(store, vertex, lemma, &cube) {
                    self.counters.restrained += 1;
                    lemma = !store.and(&cube);
                }
                self.learn(store, vertex, lemma, level, budget)?;
                self.guide(store, id, lemma, level, budget)?;
                if vertex != VertexId::FALSE {
                    self.retry(id, level + 1);
                }
                self.resume(parent);
                Ok(None)
            }
            Answer::Sat(mut solution) => {
                let model = solution.model();
                let edge = summary.edge_of(store, &model);
                self.step_back(store, id, &cube, edge, model, budget)
            }
        }
    }

    /// Queues an obligation that is blocked below this height to be tried there, or defers it.
    fn retry(&mut self, id: ObligationId, level: usize) {
        let obligation = self.obligations.get(id);
        // The height of a derivation through the obligation. Without a limit there might be an endless chain of
        // obligations that are all blocked below.
        let height = level + obligation.depth;
        let limit = match self.settings.retry {
            Retry::Never => return,
            Retry::NextBound => self.bound,
            Retry::AtOnce => 2 * self.bound + EARLY_HEIGHT_EXCESS,
        };
        self.obligations.raise(id, level);
        if height <= limit {
            self.counters.retried += 1;
            self.obligations.queue(id);
        } else {
            self.counters.deferred += 1;
            self.obligations.defer(id);
        }
    }

    /// Queues the parent of an obligation again.
    pub(super) fn resume(&mut self, parent: Option<Parent>) {
        if let Some(parent) = parent {
            self.obligations.queue(parent.obligation);
        }
    }

    /// Follows an edge that the lemmas allow backwards: derives a fact, or adds an obligation for one of its sources.
    fn step_back(
        &mut self,
        store: &mut Store,
        id: ObligationId,
        cube: &[Term],
        edge: usize,
        model: Model,
        budget: &mut Budget,
    ) -> Result<Option<FactId>, UnknownReason> {
        let obligation = self.obligations.get(id);
        let (vertex, level) = (obligation.vertex, obligation.level);
        let sources = self.summaries[vertex.index()].incoming[edge].slots.len();
        // The first `facts` sources are described by facts, the others by lemmas.
        let mut facts = 0;
        let mut model = model;
        let mut kinds = vec![SummaryKind::May; sources];
        while facts < sources {
            kinds[facts] = SummaryKind::Must;
            let summary = &mut self.summaries[vertex.index()];
            match summary.ask_edge(store, edge, cube, &kinds, level, budget) {
                Answer::Unknown(reason) => return Err(reason),
                Answer::Sat(mut solution) => {
                    model = solution.model();
                    facts += 1;
                }
                Answer::Unsat(_) => break,
            }
        }
        let (premises, states) = self.premises(store, vertex, edge, facts, &model);
        if facts == sources {
            let fact = self.derive(store, vertex, edge, premises, &states, &model)?;
            return self.climb(store, id, fact, budget);
        }
        self.counters.projections += 1;
        let summary = &mut self.summaries[vertex.index()];
        let incoming = summary.incoming[edge].clone();
        let mut formulas = vec![incoming.label];
        formulas.extend(states);
        for &formula in cube {
            formulas.push(summary.primed(store, formula));
        }
        // Every state of the new obligation must go together with what the lemmas allow for the sources after
        // it, or a fact for it might not help.
        for &slot_index in &incoming.slots[facts + 1..] {
            let (source, variables) = {
                let slot = &self.summaries[vertex.index()].slots[slot_index];
                (slot.vertex, slot.variables.clone())
            };
            let allowed = self.invariant_at(store, source, level - 1);
            formulas.push(store.rename(allowed, self.graph.vertex(source).state(), &variables));
        }
        let summary = &mut self.summaries[vertex.index()];
        let slot = &summary.slots[incoming.slots[facts]];
        let (source, variables) = (slot.vertex, slot.variables.clone());
        let source_cube = self.projector.project_onto_or_fix(store, &formulas, &model, &variables);
        let state = self.graph.vertex(source).state();
        let mut source_cube = source_cube.map_err(UnknownReason::from)?;
        for formula in &mut source_cube {
            *formula = store.rename(*formula, &variables, state);
        }
        let here = state_in(store, &model, state, &variables);
        let literals = self.projector.literals(store, &source_cube, &here).map_err(UnknownReason::from)?;
        self.counters.split += u64::from(literals != source_cube);
        source_cube = literals;
        if self.settings.concretise {
            self.concretise(store, source, &mut source_cube, &here);
        }
        self.obligations.add(source, source_cube, level - 1, Some(Parent { obligation: id, edge }));
        Ok(None)
    }
}

/// The state of a vertex that its copy in a query has in a model.
pub(super) fn state_in(store: &Store, model: &Model, state: &[Term], copy: &[Term]) -> Model {
    let mut here = Model::default();
    for (&variable, &copy) in state.iter().zip(copy) {
        let [variable, copy] = [variable, copy].map(|v| store.as_var(v).expect("a variable"));
        here.insert(variable, model.value_or_default(store, copy));
    }
    // Selectors of other constructors' values, and quotients by zero.
    for (symbol, table) in model.functions() {
        here.insert_function(symbol, table.clone());
    }
    here
}

/// The effort of a query that may be left open. Where theories are combined, each round of agreement between them counts
/// as a case split, too.
fn optional_effort(theories: Theories) -> Effort {
    let splits = if theories == Theories::Arithmetic { 40 } else { 400 };
    Effort { conflicts: 1_000, pivots: u64::MAX, splits }
}

/// The constants with which labels compare, in order.
fn constants(store: &Store, graph: &Graph) -> Vec<Rat> {
    let labels: Vec<Term> = graph.edges().map(|(_, edge)| edge.label).collect();
    let mut constants = vec![Rat::ZERO];
    for term in store.subterms(&labels) {
        if let View::Le(_, value) | View::Lt(_, value) | View::Eq(_, value) = store.view(term) {
            constants.extend([value.clone(), -value]);
        }
    }
    constants.sort();
    constants.dedup();
    constants
}
