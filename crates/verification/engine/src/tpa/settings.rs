//! Settings of the two engines.

pub use shem_check::certificate::StepOrder;
use shem_smt::interpolate::{InterpolationSystem, ItpOptions, TheoryRule};

use crate::interpolation::{proof_system, theory_rule};
use crate::{choice, field, settings};

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

settings! {
    /// Settings of `tpa` and `split-tpa`.
    pub struct TpaSettings {
        base: usize = 2, "tpa.base" in 2..=8, "how many steps of a level are one of the next";
        direction: Direction = Direction::default(),
            "tpa.direction", "where paths grow", "tpa.md#settings";
        step_order: StepOrder = StepOrder::EqualFirst,
            "tpa.steps", "where the short part of a path is (split-tpa only)", "tpa.md#settings";
        candidate_order: CandidateOrder = CandidateOrder::default(),
            "tpa.candidates", "whose invariants are tried first (split-tpa only)";
        ground_order: GroundOrder = GroundOrder::default(),
            "tpa.grounds", "which ground of an invariant is tried first";
        use_qe: bool = false, "tpa.use-qe", "eliminate quantifiers instead of projecting", "tpa.md#settings";
        /// How elements are refined: those of `tpa`, and those of exact powers of `split-tpa`.
        refinement: Refinement = Refinement::default();
        /// How elements of shorter paths are refined.
        less_refinement: Refinement = Refinement::default();
        /// Whether every linear graph is made a transition system first, DAGs of loops, too.
        force_ts: bool = false;
    }
    rows [
        theory_rule!(refinement.rule).and_also(|settings| &mut settings.less_refinement.rule),
        proof_system!(refinement.system).and_also(|settings| &mut settings.less_refinement.system),
        field!("tpa.with-farkas", refinement.with_farkas, "conjoin the Farkas interpolant of the same proof"),
        field!(
            "tpa.less-lra-itp-algorithm",
            less_refinement.rule,
            "lra-itp-algorithm for the sequence of shorter paths, if it differs (split-tpa only)"
        ),
        field!(
            "tpa.less-bool-itp-algorithm",
            less_refinement.system,
            "bool-itp-algorithm for the sequence of shorter paths, if it differs (split-tpa only)"
        ),
        field!(
            "tpa.less-with-farkas",
            less_refinement.with_farkas,
            "tpa.with-farkas for the sequence of shorter paths (split-tpa only)"
        ),
        field!("force-ts", force_ts, "turn the system into one transition system even if it need not be one"),
    ]
}

impl TpaSettings {
    /// The settings, with the base in its range.
    pub(super) fn in_range(&self) -> TpaSettings {
        TpaSettings { base: self.base.clamp(2, 8), ..self.clone() }
    }
}
