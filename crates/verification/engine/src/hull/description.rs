//! The description of the engine for the registry, and its settings.

use super::engine::Hull;
use crate::registry::{EngineDescription, Fragment, LemmaKind, Make};
use crate::settings;
use crate::theories::Theories;

settings! {
    /// Settings of the engine.
    pub struct HullSettings {
        max_phases: usize = 400,
            "hull.max-phases", "the greatest number of phases of all predicates together",
            "options.md#engine-hull";
    }
}

/// The description of the engine for the registry.
pub(crate) const DESCRIPTION: EngineDescription = EngineDescription {
    name: "hull",
    summary: "inductive hulls of runs: equalities, congruences and bounds for each phase",
    fragment: Fragment::All,
    theories: Theories::Arithmetic,
    sends: &[LemmaKind::Invariant],
    takes: &[],
    constructor: &Make { engine: |settings| Box::new(Hull::new(settings)), of_instance: None },
};
