//! The hulls as sets of states for the search of [`AbstractInterpretation`].
//!
//! A state that the solver finds outside is joined, and so are some states that a run reaches from it. The parts of a hull
//! are asked about one by one. The lattices have no long chains and the bounds move from threshold to threshold, so the
//! search ends.

use shem_base::{Rng, UnknownReason};
use shem_chc::{EdgeId, Graph, VertexId};
use shem_proof::NoProof;
use shem_smt::Solver;
use shem_term::{Store, Term, Value};
use shem_transform::domain::{AbstractInterpretation, Abstraction, Grown};

use super::hulls::{Failure, Hulls, Part};
use super::program::{Program, State};
use crate::context::{Context, Events, Progress};

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

/// Hulls that grow by runs.
struct GrowingHulls<'a> {
    hulls: &'a mut Hulls,
    programs: &'a mut [Program],
    rng: Rng,
    seed: u64,
    /// How often a hull may still grow.
    growth_left: usize,
    events: &'a mut dyn Events,
}

/// Lets hulls grow until they are inductive; fails if they have grown this often. The seed is that of the solvers.
#[expect(clippy::too_many_arguments, reason = "what a search takes")]
pub(super) fn close(
    store: &mut Store,
    graph: &Graph,
    interpretation: &mut AbstractInterpretation<'_>,
    programs: &mut [Program],
    hulls: &mut Hulls,
    growth: usize,
    seed: u64,
    context: &mut Context<'_>,
) -> Result<End, Failure> {
    let rng = Rng::new(context.seed);
    let events = &mut *context.events;
    let mut sets = GrowingHulls { hulls, programs, rng, seed, growth_left: growth, events };
    interpretation.close(store, &mut sets, &mut context.budget)?;
    let queries: Vec<EdgeId> = graph.incoming(VertexId::FALSE).collect();
    for id in queries {
        let parts: Vec<Option<Part>> = match graph.edge(id).sources[..] {
            [source] => sets.hulls.parts(source).into_iter().map(Some).collect(),
            _ => vec![None],
        };
        for part in parts {
            if interpretation.has_step(store, &mut sets, id, part.as_ref(), &mut context.budget)? {
                return Ok(End::Imprecise);
            }
        }
    }
    Ok(End::Safe)
}

impl Abstraction for GrowingHulls<'_> {
    type Part = Part;
    type Failure = Failure;
    const IS_MONOTONE: bool = true;

    fn parts(&self, vertex: VertexId) -> Vec<Part> {
        self.hulls.parts(vertex)
    }

    fn formula(&mut self, store: &mut Store, vertex: VertexId, part: &Part) -> Term {
        self.hulls.part_formula(store, vertex, part)
    }

    fn join(
        &mut self,
        store: &Store,
        mut vertex: VertexId,
        mut state: State,
    ) -> Result<Vec<Grown<Part>>, Failure> {
        let mut grown = Vec::new();
        for _ in 0..RUN {
            if let Some(phase) = self.hulls.add(store, vertex, &state)? {
                self.growth_left = self.growth_left.checked_sub(1).ok_or(Failure::Growth)?;
                grown.push((vertex, Some(Part::Phase(phase))));
            }
            match self.step(store, vertex, &state) {
                Some(next) => (vertex, state) = next,
                None => break,
            }
        }
        Ok(grown)
    }

    fn give_up(&mut self, _: VertexId, reason: UnknownReason) -> Result<(), Failure> {
        Err(reason.into())
    }

    fn new_solver(&mut self) -> Solver<NoProof> {
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        solver.set_seed(self.seed);
        if let Some(recorder) = self.events.recorder() {
            solver.observe(recorder);
        }
        solver
    }

    fn progress(&mut self, questions: u64) {
        self.events.progress(Progress { depth: questions, lemmas: self.hulls.phase_count() as u64 });
    }
}

impl GrowingHulls<'_> {
    /// A state after this one, by an edge that is a function.
    fn step(&mut self, store: &Store, vertex: VertexId, state: &[Value]) -> Option<(VertexId, State)> {
        let positions = &self.hulls.features(vertex).positions;
        let mut found = None;
        let mut count = 0;
        for program in &mut *self.programs {
            if program.source != Some(vertex) || program.target == VertexId::FALSE {
                continue;
            }
            if let Some(function) = &mut program.function
                && let Some(next) = function.step(store, positions, state)
            {
                count += 1;
                if self.rng.below(count) == 0 {
                    found = Some((program.target, next));
                }
            }
        }
        found
    }
}
