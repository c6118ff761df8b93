//! Preparation of a graph for an engine: stages, each a pipeline.
//!
//! Preparations have their first stages in common. Whoever needs several of them runs the common stages once, and each
//! preparation goes on with a clone, which shares the ways back: see [`Passes::prepare`].

use shem_base::{Budget, Effort};
use shem_term::Store;

use crate::catalogue::DisabledPasses;
use crate::pass::PassObserver;
use crate::pipeline::Pipeline;
use crate::preprocessed::Preprocessed;

/// The effort of all stages together; it must not keep the engine from starting.
pub(crate) const PASS_EFFORT: Effort = Effort { conflicts: 100_000, pivots: 1_000_000, splits: 10_000 };

/// A part of preparation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The passes that suit every engine.
    Standard,
    /// Invariants of the graph after the standard passes.
    Invariants,
    /// Fewer vertices, for engines that see transition systems.
    TransitionSystems,
    /// No nested loops.
    NestedLoops,
    /// In place of the first, the same passes without those that make bit-vectors integers.
    Bits,
    /// In place of the second, invariants of words.
    WordInvariants,
    /// In place of the first two, the passes that may come before an abstraction.
    BeforeAbstraction,
    /// In place of the first two, what an abstraction is prepared by.
    AfterAbstraction,
    /// In place of the first two, the passes that the papers of the engines describe.
    Pure,
    /// After these, fewer vertices, for engines that see transition systems.
    PureTransitionSystems,
}

impl Stage {
    /// All stages.
    pub const ALL: [Stage; 10] = [
        Stage::Standard,
        Stage::Invariants,
        Stage::TransitionSystems,
        Stage::NestedLoops,
        Stage::Bits,
        Stage::WordInvariants,
        Stage::BeforeAbstraction,
        Stage::AfterAbstraction,
        Stage::Pure,
        Stage::PureTransitionSystems,
    ];

    /// The passes of the stage.
    pub fn pipeline(self) -> Pipeline {
        match self {
            Stage::Standard => Pipeline::with_equalities(),
            Stage::Invariants => Pipeline::with_invariants(),
            Stage::TransitionSystems => Pipeline::for_transition_systems(),
            Stage::NestedLoops => Pipeline::without_nested_loops(),
            Stage::Bits => Pipeline::with_bits(),
            Stage::WordInvariants => Pipeline::with_word_invariants(),
            Stage::BeforeAbstraction => Pipeline::before_abstraction(),
            Stage::AfterAbstraction => Pipeline::after_abstraction(),
            Stage::Pure => Pipeline::pure(),
            Stage::PureTransitionSystems => Pipeline::pure_for_transition_systems(),
        }
    }
}

/// How a graph is prepared for an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preparation {
    /// By the passes for engines that see transition systems only.
    pub for_transition_systems: bool,
    /// By removing nested loops.
    pub without_nested_loops: bool,
    /// Only by passes that keep every predicate which matters, for abstractions whose models have quantifiers.
    pub without_composition: bool,
    /// The graph is an abstraction: what has been searched for before it was made is not searched for again.
    pub of_abstraction: bool,
    /// Bit-vectors stay what they are, for engines that look at bits.
    pub with_bits: bool,
    /// By nothing: for engines that look at the constructors and predicates of the input.
    pub as_read: bool,
    /// Only by passes that the papers of the engines describe.
    pub pure: bool,
}

impl Preparation {
    /// Whether some of these leave bit-vectors what they are and others do not.
    pub fn differ_in_bits(all: impl IntoIterator<Item = Preparation>) -> bool {
        let (mut with, mut without) = (false, false);
        for preparation in all {
            with |= preparation.with_bits;
            without |= !preparation.with_bits;
        }
        with && without
    }

    /// The stages, in order.
    pub fn stages(self) -> Vec<Stage> {
        let mut stages = match self {
            Preparation { as_read: true, .. } => return Vec::new(),
            Preparation { pure: true, .. } => vec![Stage::Pure],
            Preparation { without_composition: true, .. } => vec![Stage::BeforeAbstraction],
            Preparation { of_abstraction: true, .. } => vec![Stage::AfterAbstraction],
            Preparation { with_bits: true, .. } => vec![Stage::Bits, Stage::WordInvariants],
            _ => vec![Stage::Standard, Stage::Invariants],
        };
        let for_transition_systems =
            if self.pure { Stage::PureTransitionSystems } else { Stage::TransitionSystems };
        stages.extend(self.for_transition_systems.then_some(for_transition_systems));
        stages.extend(self.without_nested_loops.then_some(Stage::NestedLoops));
        stages
    }
}

/// Which passes run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    /// The preparation that they belong to.
    pub preparation: Preparation,
    /// Those that are switched off.
    pub disabled: DisabledPasses,
}

impl Passes {
    /// The first stage that a graph has not been through; `None` if it is prepared.
    ///
    /// # Panics
    /// If the graph has been through other stages than those that this preparation begins with.
    pub fn next_stage(&self, preprocessed: &Preprocessed) -> Option<Stage> {
        let (stages, done) = (self.preparation.stages(), preprocessed.stages());
        assert!(
            stages.starts_with(done),
            "the graph was prepared by {done:?}, which does not lead to {stages:?}"
        );
        stages.get(done.len()).copied()
    }

    /// Runs the stages that a graph has not been through.
    pub fn prepare(
        &self,
        store: &mut Store,
        mut preprocessed: Preprocessed,
        observer: &mut dyn PassObserver,
        budget: &Budget,
    ) -> Preprocessed {
        while let Some(stage) = self.next_stage(&preprocessed) {
            preprocessed = preprocessed.through(stage, &self.disabled, store, observer, budget);
        }
        preprocessed
    }
}
