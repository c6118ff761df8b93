//! Settings of the two engines.

pub use shem_check::certificate::StepOrder;
use shem_smt::interpolate::ItpOptions;

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

choice!(Direction { "forward" => Direction::Forward, "backward" => Direction::Backward });
choice!(StepOrder { "less-first" => StepOrder::LessFirst, "equal-first" => StepOrder::EqualFirst });

settings! {
    /// Settings of `tpa` and `split-tpa`.
    pub struct TpaSettings {
        base: usize = 2,
            "tpa.base" in 2..=8, "how many steps of a level are one of the next", "options.md#engines-split-tpa-tpa";
        direction: Direction = Direction::default(),
            "tpa.direction", "where paths grow", "options.md#engines-split-tpa-tpa";
        step_order: StepOrder = StepOrder::EqualFirst,
            "tpa.steps", "where the short part of a path is (split-tpa only)", "options.md#engines-split-tpa-tpa";
        use_qe: bool = false,
            "tpa.use-qe", "eliminate quantifiers instead of projecting", "options.md#engines-split-tpa-tpa";
        runs: bool = true,
            "tpa.runs", "run deep abstract paths from their initial states before they are searched",
            "papers.md#what-pure-leaves-out";
        stuttering: bool = false,
            "tpa.stuttering", "keep transitions that change nothing", "papers.md#what-pure-leaves-out";
        /// How refuted queries strengthen the elements.
        interpolation: ItpOptions = ItpOptions::default();
        /// Whether every linear graph is made a transition system first, DAGs of loops, too.
        force_ts: bool = false;
    }
    rows [
        theory_rule!(interpolation.theory),
        proof_system!(interpolation.system),
        field!("force-ts", force_ts, "turn the system into one transition system even if it need not be one"),
    ]
}

impl TpaSettings {
    /// The settings, with the base in its range.
    pub(super) fn in_range(&self) -> TpaSettings {
        TpaSettings { base: self.base.clamp(2, 8), ..self.clone() }
    }
}
