//! The description of the engine for the registry.

use super::engine::PdKind;
use super::settings::Settings;
use crate::adaptor::Adaptor;
use crate::field;
use crate::interpolation::{proof_system, prune, retry_splits, simplify, theory_rule};
use crate::registry::{EngineDescription, Fragment, LemmaKind, Make};
use crate::settings::{Configurable, SettingRow};
use crate::theories::Theories;

impl Configurable for Settings {
    const ROWS: &'static [&'static dyn SettingRow<Settings>] = &[
        &field!("pdkind.depth", depth, "the greatest depth of induction; level for one more than the level"),
        &field!("pdkind.order", order, "which obligation is next"),
        &theory_rule!(interpolation.theory),
        &proof_system!(interpolation.system),
        &simplify!(interpolation.simplify),
        &prune!(interpolation.prune),
        &retry_splits!(interpolation.retry_splits),
    ];
}

const LEMMAS: &[LemmaKind] = &[LemmaKind::Invariant, LemmaKind::Bounded, LemmaKind::Induction];

/// The description of the engine for the registry.
pub const DESCRIPTION: EngineDescription = EngineDescription {
    name: "pdkind",
    summary: "property-directed k-induction",
    fragment: Fragment::TransitionSystems,
    theories: Theories::All,
    sends: LEMMAS,
    takes: LEMMAS,
    constructor: &Make {
        engine: |settings| Box::new(Adaptor::new(PdKind::new(settings))),
        of_instance: Some(Settings::of_instance),
    },
};
