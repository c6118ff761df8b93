//! One run: steps, jumps, and what ends it.

use std::collections::BTreeMap;

use shem_base::{Budget, Rat, Rng, UnknownReason};
use shem_chc::{Derivation, EdgeId, Run, VertexId};

use super::code::{Number, Stop};
use super::jump::{self, Jumps};
use super::run::{CompiledGraph, Registers, Stepped};
use super::trace::{Block, Trace};

/// The stop token is read once for this many steps.
const STEPS_PER_STOP_CHECK: usize = 1024;

/// The number of single steps after which a jump is looked for the first time.
const FIRST_LOOK: usize = 4;

/// The single steps of the first run in which choices are random, and how many more each later one may take: where
/// there is a choice, many short runs see more than a few long ones.
const RANDOM_STEPS: usize = 500;
const MORE_RANDOM_STEPS: usize = 100;

/// What a run may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The steps that are taken one by one and kept.
    pub(crate) steps: usize,
    /// The steps after that, which are not kept.
    pub(crate) stream: u64,
    pub(crate) jumps: usize,
    /// All of it: the steps, and what is looked at for jumps. Steps with long numbers count as several, here and above.
    pub(crate) work: u64,
}

/// What a step of a word that is run for all rounds counts for: it computes with polynomials of exact numbers, and is
/// kept if there is a jump.
const JUMP_WORK: u64 = 16;

impl Jumps {
    /// What the search for jumps counts for.
    pub(super) fn work(&self) -> u64 {
        JUMP_WORK * self.looked
    }
}

/// How a run ends.
pub(crate) enum End<N> {
    Reached(Derivation<EdgeId>),
    /// No step is possible, or none was found.
    Stuck,
    /// It goes on in the same way for ever.
    Endless,
    /// The steps, or the work, are used up.
    Steps,
    /// A number does not fit the machine; the exact one can go on.
    Overflow(Trace<N>),
}

impl<N> End<N> {
    /// The same of the exact machine.
    pub(crate) fn exact(self) -> End<Rat>
    where
        N: Number,
    {
        match self {
            End::Reached(derivation) => End::Reached(derivation),
            End::Stuck => End::Stuck,
            End::Endless => End::Endless,
            End::Steps => End::Steps,
            End::Overflow(trace) => End::Overflow(trace.exact()),
        }
    }

    /// The derivation, if falsehood is reached.
    pub(crate) fn reached(self) -> Option<Derivation<EdgeId>> {
        match self {
            End::Reached(derivation) => Some(derivation),
            End::Stuck | End::Endless | End::Steps | End::Overflow(_) => None,
        }
    }
}

/// What the runs of one graph share.
pub(crate) struct RunSearch<'a> {
    pub(crate) graph: &'a CompiledGraph,
    pub(crate) limits: Limits,
    pub(crate) rng: Rng,
    /// Whether some state had several possible steps, or a free choice.
    pub(crate) choice: bool,
    pub(crate) steps: u64,
    pub(crate) jumps: u64,
    /// What was done, as the limit counts it.
    pub(crate) work: u64,
    /// By vertex: what is run without keeping the steps.
    pub(crate) streams: BTreeMap<VertexId, Run<EdgeId>>,
}

impl<'a> RunSearch<'a> {
    pub(crate) fn new(graph: &'a CompiledGraph, limits: Limits, rng: Rng) -> RunSearch<'a> {
        RunSearch { graph, limits, rng, choice: false, steps: 0, jumps: 0, work: 0, streams: BTreeMap::new() }
    }

    /// Continues a run. In a straight one the first possible case is taken, in the others, which have numbers, a random
    /// one.
    pub(crate) fn run<N: Number>(
        &mut self,
        trace: Trace<N>,
        random: Option<usize>,
        budget: &Budget,
    ) -> Result<End<N>, UnknownReason> {
        let mut jumps = Jumps::default();
        let end = self.run_on(trace, random, &mut jumps, budget);
        self.work += jumps.work();
        end
    }

    fn run_on<N: Number>(
        &mut self,
        mut trace: Trace<N>,
        random: Option<usize>,
        jumps: &mut Jumps,
        budget: &Budget,
    ) -> Result<End<N>, UnknownReason> {
        let graph = self.graph;
        let straight = random.is_none();
        let most = |number| self.limits.steps.min(RANDOM_STEPS + MORE_RANDOM_STEPS * number);
        let steps = random.map_or(self.limits.steps, most);
        // Whether there was no choice so far.
        let mut certain = straight;
        let mut registers = Registers::default();
        let mut next = Vec::new();
        let mut order: Vec<usize> = Vec::new();
        let (mut vertex, here) = trace.here(graph);
        let mut state: Vec<N> = here.expect("a state that fits the machine");
        let most_work = self.work.saturating_add(self.limits.work);
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
            if self.work + jumps.work() >= most_work {
                return Ok(End::Steps);
            }
            if trace.weight() >= steps {
                if certain {
                    return self.stream(trace, vertex, state, budget);
                }
                return Ok(End::Steps);
            }
            if trace.len() >= look && trace.jumps() < self.limits.jumps {
                let found = jump::find(graph, &trace, jumps);
                if straight && let Some(block) = found.as_ref().filter(|block| block.endless) {
                    self.choice |= self.can_be_left(block);
                    return Ok(End::Endless);
                }
                // A random run leaves an endless loop by another case, sooner or later: not after all rounds there are.
                if let Some(block) = found.filter(|block| !block.endless) {
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
                    let is_free = !graph.cases[case].free.is_empty();
                    certain = certain && !is_free;
                    certain = certain && !self.has_alternative(case, moves, &state, &mut registers);
                    self.choice |= is_free || straight && !certain;
                    trace.push(case, &next);
                    self.steps += 1;
                    self.work += N::weight(&next) as u64;
                    vertex = graph.cases[case].target;
                    std::mem::swap(&mut state, &mut next);
                }
                Stepped::Stuck => return Ok(End::Stuck),
                Stepped::Overflow => return Ok(End::Overflow(trace)),
            }
        }
    }

    /// Whether another step than those of the word is possible in a late round. Of guards whose truth changes for a while
    /// only, this says nothing.
    fn can_be_left(&mut self, block: &Block) -> bool {
        let graph = self.graph;
        let late = block.rounds - 1;
        let following = block.word.iter().cycle().skip(1);
        block.word.iter().zip(following).zip(&block.courses).any(|((&case, &next), course)| {
            let state: Vec<Rat> = course.iter().map(|argument| argument.at(late)).collect();
            let moves = &graph.moves[graph.cases[case].target.index()];
            self.has_alternative(next, moves, &state, &mut Registers::default())
        })
    }

    /// Whether another case after the one that was taken is possible, too.
    pub(crate) fn has_alternative<N: Number>(
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
