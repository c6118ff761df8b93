//! The descriptions of the two engines for the registry.

use super::dag::DagTpa;
use super::engine::Tpa;
use super::settings::TpaSettings;
use crate::adaptor::Adaptor;
use crate::interpolation::{proof_system, theory_rule};
use crate::registry::{EngineDescription, Fragment, LemmaKind, Make};
use crate::settings::{Configurable, SettingRow};
use crate::theories::Theories;
use crate::{Engine, field};

impl Configurable for TpaSettings {
    const ROWS: &'static [&'static dyn SettingRow<TpaSettings>] = &[
        &field!("tpa.base", base, "how many steps of a level are one of the next").between(2, 8),
        &field!("tpa.direction", direction, "where paths grow"),
        &field!("tpa.steps", step_order, "where the short part of a path is (split-tpa only)"),
        &field!("tpa.candidates", candidate_order, "whose invariants are tried first (split-tpa only)"),
        &field!("tpa.grounds", ground_order, "which ground of an invariant is tried first"),
        &field!("tpa.use-qe", use_qe, "eliminate quantifiers instead of projecting"),
        &theory_rule!(refinement.rule).and_also(|settings| &mut settings.less_refinement.rule),
        &proof_system!(refinement.system).and_also(|settings| &mut settings.less_refinement.system),
        &field!(
            "tpa.with-farkas",
            refinement.with_farkas,
            "conjoin the Farkas interpolant of the same proof"
        ),
        &field!(
            "tpa.less-lra-itp-algorithm",
            less_refinement.rule,
            "lra-itp-algorithm for the sequence of shorter paths, if it differs (split-tpa only)"
        ),
        &field!(
            "tpa.less-bool-itp-algorithm",
            less_refinement.system,
            "bool-itp-algorithm for the sequence of shorter paths, if it differs (split-tpa only)"
        ),
        &field!(
            "tpa.less-with-farkas",
            less_refinement.with_farkas,
            "tpa.with-farkas for the sequence of shorter paths (split-tpa only)"
        ),
        &field!(
            "force-ts",
            force_ts,
            "turn the system into one transition system even if it need not be one"
        ),
    ];
}

const LEMMAS: &[LemmaKind] = &[LemmaKind::Power];
const TAKES: &[LemmaKind] = &[LemmaKind::Power, LemmaKind::Invariant];

/// Transition power abstraction: on DAGs of loops directly, unless one transition system is asked for.
fn on_graphs(engine: Tpa) -> Box<dyn Engine> {
    if engine.settings.force_ts { Box::new(Adaptor::new(engine)) } else { Box::new(DagTpa::new(engine)) }
}

/// The description of `tpa` for the registry.
pub const DESCRIPTION: EngineDescription = EngineDescription {
    name: "tpa",
    summary: "transition power abstraction: relations over exponentially many steps, refined by interpolation",
    fragment: Fragment::DagsOfLoops,
    theories: Theories::Arithmetic,
    sends: LEMMAS,
    takes: TAKES,
    constructor: &Make { engine: |settings| on_graphs(Tpa::new(settings)), of_instance: None },
};

/// The description of `split-tpa` for the registry.
pub const SPLIT_DESCRIPTION: EngineDescription = EngineDescription {
    name: "split-tpa",
    summary: "transition power abstraction that keeps paths of exact powers and shorter ones apart",
    constructor: &Make { engine: |settings| on_graphs(Tpa::split(settings)), of_instance: None },
    ..DESCRIPTION
};
