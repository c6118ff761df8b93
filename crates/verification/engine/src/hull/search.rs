//! The search for an inductive hull: ask for a step that leaves it, join, repeat.
//!
//! One solver for each edge holds its label. A question is about one part of the hull of the source: is there a step
//! from there to a state outside of the hull of the target? The state of the model is joined, and so are some states
//! that a run reaches from it. A part is asked about again only when it has grown, since growth elsewhere makes leaving
//! harder. An edge with several sources is asked about as a whole, whenever one of their hulls has
//! grown. The lattices have no long chains and the bounds move from threshold to threshold, so the search ends.

use std::collections::BTreeSet;

use shem_base::{Budget, Effort, Rng, UnknownReason};
use shem_chc::VertexId;
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term, Value};

use super::hulls::{Failure, Hulls, Part};
use super::program::{Program, State};
use crate::context::{Context, Progress};

/// The effort of one question.
const EFFORT: Effort = Effort { conflicts: 2_000, pivots: 100_000, splits: 1_000 };

/// The number of steps that are run from a state found by the solver.
const RUN: usize = 40;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The hull is inductive and excludes falsehood.
    Safe,
    /// The hull is inductive, but falsehood follows from it.
    Imprecise,
}

/// A search.
pub(super) struct Search<'p> {
    programs: &'p mut [Program],
    pub(super) hulls: Hulls,
    solvers: Vec<Option<Solver<NoProof>>>,
    /// The questions that are open: an edge and a part of the hull of its source.
    open: BTreeSet<(usize, Option<Part>)>,
    rng: Rng,
    /// How often a hull may still grow.
    growth_left: usize,
    pub(super) questions: u64,
}

impl<'p> Search<'p> {
    /// A search that begins with these hulls and gives up after the hull has grown this often.
    pub(super) fn new(programs: &'p mut [Program], hulls: Hulls, seed: u64, growth: usize) -> Search<'p> {
        let solvers = programs.iter().map(|_| None).collect();
        let rng = Rng::new(seed);
        Search { programs, hulls, solvers, open: BTreeSet::new(), rng, growth_left: growth, questions: 0 }
    }

    /// Adds the states of runs.
    pub(super) fn add_states<'a>(
        &mut self,
        store: &Store,
        states: impl Iterator<Item = &'a (VertexId, State)>,
    ) -> Result<(), Failure> {
        for (vertex, state) in states {
            self.hulls.add(store, *vertex, state)?;
        }
        Ok(())
    }

    /// Looks for an inductive hull.
    pub(super) fn run(&mut self, store: &mut Store, context: &mut Context<'_>) -> Result<End, Failure> {
        for at in 0..self.programs.len() {
            if self.programs[at].target == VertexId::FALSE {
                continue;
            }
            match self.programs[at].source {
                None => {
                    self.open.insert((at, None));
                }
                Some(source) => {
                    for part in self.hulls.parts(source) {
                        self.open.insert((at, Some(part)));
                    }
                }
            }
        }
        while let Some((at, part)) = self.open.pop_first() {
            self.close(store, at, part.as_ref(), context)?;
            let (depth, lemmas) = (self.questions, self.hulls.phase_count() as u64);
            context.events.progress(Progress { depth, lemmas });
        }
        for at in 0..self.programs.len() {
            if self.programs[at].target != VertexId::FALSE {
                continue;
            }
            let parts: Vec<Option<Part>> = match self.programs[at].source {
                Some(source) => self.hulls.parts(source).into_iter().map(Some).collect(),
                None => vec![None],
            };
            for part in parts {
                self.begin(store, at, context);
                self.assert_sources(store, at, part.as_ref());
                let state = self.ask(store, at, &mut context.budget)?;
                self.end(at);
                if state.is_some() {
                    return Ok(End::Imprecise);
                }
            }
        }
        Ok(End::Safe)
    }

    /// Lets the hull grow until no step by this edge leaves it from this part.
    fn close(
        &mut self,
        store: &mut Store,
        at: usize,
        part: Option<&Part>,
        context: &mut Context<'_>,
    ) -> Result<(), Failure> {
        let target = self.programs[at].target;
        self.begin(store, at, context);
        self.assert_sources(store, at, part);
        for part in self.hulls.parts(target) {
            self.exclude(store, at, &part);
        }
        while let Some(state) = self.ask(store, at, &mut context.budget)? {
            let grown = self.add_run(store, target, state)?;
            if grown.is_empty() {
                return Err(UnknownReason::Incomplete("a state outside of the hull is inside").into());
            }
            // An element contains what it was before, so excluding it once more excludes the hull as it is now.
            for (_, part) in grown.iter().filter(|(vertex, _)| *vertex == target) {
                self.exclude(store, at, part);
            }
        }
        self.end(at);
        Ok(())
    }

    /// Says that the source is in this part of its hull; of several sources, that each is in its hull.
    fn assert_sources(&mut self, store: &mut Store, at: usize, part: Option<&Part>) {
        if let (Some(source), Some(part)) = (self.programs[at].source, part) {
            let formula = self.hulls.part_formula(store, source, part);
            self.assert(store, at, formula);
        }
        for position in 0..self.programs[at].joined.len() {
            let source = self.programs[at].joined[position].0;
            let formula = self.hulls.formula(store, source);
            let variables = &self.programs[at].joined[position].1;
            let formula = store.rename(formula, &self.hulls.frame(source).state, variables);
            self.assert(store, at, formula);
        }
    }

    /// Begins a question about an edge.
    fn begin(&mut self, store: &mut Store, at: usize, context: &mut Context<'_>) {
        let program = &self.programs[at];
        let solver = self.solvers[at].get_or_insert_with(|| {
            let mut solver = Solver::with_proof(Default::default(), NoProof);
            context.record(&mut solver);
            solver.assert(store, program.label);
            solver
        });
        solver.push();
    }

    fn solver(&mut self, at: usize) -> &mut Solver<NoProof> {
        self.solvers[at].as_mut().expect("a question was begun")
    }

    fn assert(&mut self, store: &mut Store, at: usize, formula: Term) {
        self.solver(at).assert(store, formula);
    }

    /// Asks for a state of the target outside of this part.
    fn exclude(&mut self, store: &mut Store, at: usize, part: &Part) {
        let target = self.programs[at].target;
        let inside = self.hulls.part_formula(store, target, part);
        let outside = !self.hulls.target_formula(store, target, inside);
        self.assert(store, at, outside);
    }

    /// Ends a question about an edge.
    fn end(&mut self, at: usize) {
        self.solver(at).pop();
    }

    /// A state of the target that the question allows.
    fn ask(&mut self, store: &mut Store, at: usize, budget: &mut Budget) -> Result<Option<State>, Failure> {
        budget.check_stop()?;
        self.questions += 1;
        let solver = self.solver(at);
        let model = budget.within(EFFORT, |part| match solver.check(store, part) {
            Answer::Sat(mut solution) => Ok(Some(solution.model())),
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(reason) => Err(reason),
        })?;
        let target = self.programs[at].target;
        let variables: &[Term] =
            if target == VertexId::FALSE { &[] } else { &self.hulls.frame(target).target };
        let symbol = |variable: Term| store.as_var(variable).expect("a variable");
        Ok(model.map(|model| {
            variables.iter().map(|&variable| model.value_or_default(store, symbol(variable))).collect()
        }))
    }

    /// Adds a state and some that a run reaches from it. Returns the parts that have grown.
    fn add_run(
        &mut self,
        store: &Store,
        mut vertex: VertexId,
        mut state: Vec<Value>,
    ) -> Result<BTreeSet<(VertexId, Part)>, Failure> {
        let mut all = BTreeSet::new();
        for _ in 0..RUN {
            if let Some(phase) = self.hulls.add(store, vertex, &state)? {
                let Some(left) = self.growth_left.checked_sub(1) else {
                    return Err(Failure::Growth);
                };
                self.growth_left = left;
                for (at, program) in self.programs.iter().enumerate() {
                    if program.target == VertexId::FALSE || !program.has_source(vertex) {
                        continue;
                    }
                    let part = program.source.map(|_| Part::Phase(phase.clone()));
                    self.open.insert((at, part));
                }
                all.insert((vertex, Part::Phase(phase)));
            }
            match step(store, self.programs, &self.hulls, &mut self.rng, vertex, &state) {
                Some(next) => (vertex, state) = next,
                None => break,
            }
        }
        Ok(all)
    }
}

/// A state after this one, by an edge that is a function.
fn step(
    store: &Store,
    programs: &mut [Program],
    hulls: &Hulls,
    rng: &mut Rng,
    vertex: VertexId,
    state: &[Value],
) -> Option<(VertexId, State)> {
    let positions = &hulls.frame(vertex).positions;
    let mut found = None;
    let mut count = 0;
    for program in programs {
        if program.source != Some(vertex) || program.target == VertexId::FALSE {
            continue;
        }
        if let Some(function) = &mut program.function
            && let Some(next) = function.step(store, positions, state)
        {
            count += 1;
            if rng.below(count) == 0 {
                found = Some((program.target, next));
            }
        }
    }
    found
}
