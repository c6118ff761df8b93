//! Settings of the two engines.

pub use shem_check::certificate::StepOrder;
use shem_smt::interpolate::{InterpolationSystem, ItpOptions, TheoryRule};

use crate::choice;

/// Where the search for a path begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The path grows from the source towards the target.
    #[default]
    Forward,
    /// The path grows from the target towards the source.
    Backward,
}

/// Which candidates for transition invariants are tried first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CandidateOrder {
    /// Elements of the sequence of shorter paths, then those of exact powers.
    #[default]
    LessFirst,
    /// Elements of the sequence of exact powers, then those of shorter paths.
    EqualFirst,
}

/// Which ground of a candidate is tried first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GroundOrder {
    /// At the initial states, then at the bad ones.
    #[default]
    LeftFirst,
    /// At the bad states, then at the initial ones.
    RightFirst,
}

choice!(Direction { "forward" => Direction::Forward, "backward" => Direction::Backward });
choice!(StepOrder { "less-first" => StepOrder::LessFirst, "equal-first" => StepOrder::EqualFirst });
choice!(CandidateOrder {
    "less-first" => CandidateOrder::LessFirst,
    "equal-first" => CandidateOrder::EqualFirst,
});
choice!(GroundOrder { "left-first" => GroundOrder::LeftFirst, "right-first" => GroundOrder::RightFirst });

/// How a refuted query strengthens the abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Refinement {
    /// The rule for lemmas of arithmetic.
    pub rule: TheoryRule,
    /// The propositional system.
    pub system: InterpolationSystem,
    /// Whether the Farkas interpolant of the same proof is conjoined.
    pub with_farkas: bool,
}

impl Default for Refinement {
    fn default() -> Refinement {
        Refinement { rule: TheoryRule::Farkas, system: InterpolationSystem::McMillan, with_farkas: false }
    }
}

impl Refinement {
    /// The options of the queries for interpolants: one or two.
    pub(super) fn options(&self) -> impl Iterator<Item = ItpOptions> {
        let farkas = (self.with_farkas && self.rule != TheoryRule::Farkas).then_some(TheoryRule::Farkas);
        let system = self.system;
        [Some(self.rule), farkas].into_iter().flatten().map(move |theory| ItpOptions {
            theory,
            system,
            ..ItpOptions::default()
        })
    }
}

/// Settings of `tpa` and `split-tpa`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TpaSettings {
    /// The base of the powers, 2 to 8: an element of the next level stands for that many of this level.
    /// Default: 2.
    pub base: usize,
    /// Where the search for a path begins. Default: forward.
    pub direction: Direction,
    /// How paths shorter than a power are taken apart. Default: the full powers first. With half a second a file,
    /// `split-tpa` proves 16 files of multi-phase-safe in this order and 11 in the other, 27 and 26 of
    /// extra-small-lia, and refutes 36 and 35 of multi-phase-unsafe.
    pub step_order: StepOrder,
    /// Which sequence gives candidates first. Default: that of shorter paths.
    pub candidate_order: CandidateOrder,
    /// Which ground of a candidate is tried first. Default: the initial states.
    pub ground_order: GroundOrder,
    /// Whether intermediate states are computed by quantifier elimination in place of projection. Default:
    /// false.
    pub use_qe: bool,
    /// How elements are refined: those of `tpa`, and those of exact powers of `split-tpa`. Default: Farkas.
    pub refinement: Refinement,
    /// How elements of shorter paths are refined. Default: Farkas, which proves 18 files of multi-phase-safe and 29
    /// of extra-small-lia within half a second each; decomposed, 16 and 27.
    pub less_refinement: Refinement,
    /// Whether every linear graph is made a transition system first, DAGs of loops, too. Default: false.
    pub force_ts: bool,
}

impl Default for TpaSettings {
    fn default() -> TpaSettings {
        TpaSettings {
            base: 2,
            direction: Direction::default(),
            step_order: StepOrder::EqualFirst,
            candidate_order: CandidateOrder::default(),
            ground_order: GroundOrder::default(),
            use_qe: false,
            refinement: Refinement::default(),
            less_refinement: Refinement::default(),
            force_ts: false,
        }
    }
}

impl TpaSettings {
    /// The settings, with the base in its range.
    pub(super) fn in_range(&self) -> TpaSettings {
        TpaSettings { base: self.base.clamp(2, 8), ..self.clone() }
    }
}
