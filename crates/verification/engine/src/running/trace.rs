//! What a run has done, and the derivation that it is.

use shem_base::Rat;
use shem_chc::{Course, Derivation, EdgeId, Progression, StepId, VertexId};
use shem_term::{Sort, Value};

use super::code::Number;
use super::run::CompiledGraph;

/// Many rounds of a word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    /// The cases of a round.
    pub(crate) word: Vec<usize>,
    pub(crate) rounds: u64,
    /// The state after each step of the word, in each round.
    pub(crate) courses: Vec<Vec<Progression>>,
    /// Whether the word goes on like this for ever, and never allows falsehood.
    pub(crate) endless: bool,
}

impl Block {
    /// The number of steps that it stands for, or the greatest number there is.
    pub(crate) fn steps(&self) -> u64 {
        self.rounds.saturating_mul(self.word.len() as u64)
    }

    /// The state at its end.
    pub(crate) fn end(&self) -> Vec<Rat> {
        self.courses[self.word.len() - 1].iter().map(|course| course.at(self.rounds - 1)).collect()
    }
}

/// The steps of a run, each with the state after it, in flat arrays; and blocks between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace<N> {
    cases: Vec<u32>,
    /// Where the state after each step ends.
    ends: Vec<usize>,
    values: Vec<N>,
    /// What the single steps count for.
    weight: usize,
    /// Blocks, each with the number of single steps before it.
    blocks: Vec<(usize, Block)>,
}

impl<N: Number> Trace<N> {
    pub(crate) fn new() -> Trace<N> {
        Trace { cases: Vec::new(), ends: Vec::new(), values: Vec::new(), weight: 0, blocks: Vec::new() }
    }

    /// The number of single steps.
    pub(crate) fn len(&self) -> usize {
        self.cases.len()
    }

    /// The number of single steps, where one with long numbers counts as several: numbers that double in each step
    /// would fill the memory otherwise.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// The number of single steps since the last block.
    pub(crate) fn fresh(&self) -> usize {
        self.len() - self.blocks.last().map_or(0, |(at, _)| *at)
    }

    /// The number of blocks.
    pub(crate) fn jumps(&self) -> usize {
        self.blocks.len()
    }

    /// Adds a step.
    #[inline]
    pub(crate) fn push(&mut self, case: usize, state: &[N]) {
        self.cases.push(case as u32);
        self.weight += N::weight(state);
        self.values.extend_from_slice(state);
        self.ends.push(self.values.len());
    }

    /// Adds a block.
    pub(crate) fn push_block(&mut self, block: Block) {
        self.blocks.push((self.len(), block));
    }

    /// The case of a single step.
    pub(crate) fn case(&self, at: usize) -> usize {
        self.cases[at] as usize
    }

    /// The state after a single step.
    pub(crate) fn state(&self, at: usize) -> &[N] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.values[start..self.ends[at]]
    }

    /// Where the run is. `None` if a number there does not fit the machine.
    ///
    /// # Panics
    /// If there is no step.
    pub(crate) fn here(&self, graph: &CompiledGraph) -> (VertexId, Option<Vec<N>>) {
        match self.blocks.last() {
            Some((at, block)) if *at == self.len() => {
                let vertex = graph.cases[block.word[block.word.len() - 1]].target;
                (vertex, block.end().iter().map(N::of_rat).collect())
            }
            _ => {
                let last = self.len() - 1;
                (graph.cases[self.case(last)].target, Some(self.state(last).to_vec()))
            }
        }
    }

    /// The same for the exact machine.
    pub(crate) fn exact(self) -> Trace<Rat> {
        Trace {
            cases: self.cases,
            ends: self.ends,
            values: self.values.iter().map(Number::to_rat).collect(),
            weight: self.weight,
            blocks: self.blocks,
        }
    }

    /// The derivation of falsehood by these steps and an edge to false.
    pub(crate) fn derivation(&self, graph: &CompiledGraph, last: EdgeId) -> Derivation<EdgeId> {
        let (mut derivation, premise) = self.steps(graph);
        derivation.push(last, premise.as_slice(), []);
        derivation
    }

    /// These steps, and the last of them.
    pub(crate) fn steps(&self, graph: &CompiledGraph) -> (Derivation<EdgeId>, Option<StepId>) {
        let mut derivation = Derivation::new();
        let mut premise = None;
        let mut blocks = self.blocks.iter().peekable();
        for at in 0..=self.len() {
            while let Some((_, block)) = blocks.next_if(|(before, _)| *before == at) {
                let word: Vec<(EdgeId, Vec<Course>)> = block
                    .word
                    .iter()
                    .zip(&block.courses)
                    .map(|(&case, state)| (graph.cases[case].edge, courses(graph, case, state)))
                    .collect();
                let start = premise.expect("a block comes after a step");
                premise = Some(derivation.push_repetition(start, block.rounds, &word));
            }
            if at < self.len() {
                let case = &graph.cases[self.case(at)];
                let values: Vec<Value> = graph.values(case.target, self.state(at));
                premise = Some(derivation.push(case.edge, premise.as_slice(), values));
            }
        }
        (derivation, premise)
    }
}

/// The courses of the arguments after a case.
fn courses(graph: &CompiledGraph, case: usize, state: &[Progression]) -> Vec<Course> {
    let sorts = &graph.sorts[graph.cases[case].target.index()];
    let course = |(progression, &sort): (&Progression, &Sort)| match sort {
        Sort::Bool => Course::Truth(!progression.coefficients()[0].is_zero()),
        _ => Course::Number(progression.clone()),
    };
    state.iter().zip(sorts).map(course).collect()
}
