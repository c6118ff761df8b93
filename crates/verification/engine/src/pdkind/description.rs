//! The description of the engine for the registry.

use super::engine::PdKind;
use super::settings::Settings;
use crate::adaptor::Adaptor;
use crate::registry::{EngineDescription, Fragment, LemmaKind, Make};
use crate::theories::Theories;

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
