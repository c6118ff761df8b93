//! The description of the engine for the registry, and its settings.

use super::engine::Hull;
use crate::field;
use crate::registry::{EngineDescription, Fragment, LemmaKind, Make};
use crate::settings::{Configurable, SettingRow};
use crate::theories::Theories;

/// Settings of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HullSettings {
    /// The greatest number of phases of all vertices together.
    pub max_phases: usize,
    /// The greatest number of states at the beginning of a run that are kept one by one.
    pub peel: usize,
}

impl Default for HullSettings {
    fn default() -> HullSettings {
        HullSettings { max_phases: 400, peel: 128 }
    }
}

impl Configurable for HullSettings {
    const ROWS: &'static [&'static dyn SettingRow<HullSettings>] = &[
        &field!("hull.max-phases", max_phases, "the greatest number of phases of all predicates together"),
        &field!("hull.peel", peel, "the greatest number of states at the beginning of a run kept one by one"),
    ];
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
