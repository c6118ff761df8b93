//! The description of the engine for the registry.

use super::engine::PdKind;
use crate::adaptor::Adaptor;
use crate::registry::{Answers, EngineDescription, Fragment, LemmaKind, Make};
use crate::theories::Theories;

const LEMMAS: &[LemmaKind] = &[LemmaKind::Invariant, LemmaKind::Bounded, LemmaKind::Induction];

/// The description of the engine for the registry.
pub const DESCRIPTION: EngineDescription = EngineDescription {
    name: "pdkind",
    summary: "property-directed k-induction",
    fragment: Fragment::TransitionSystems,
    theories: Theories::All,
    answers: Answers::Both,
    sends: LEMMAS,
    takes: LEMMAS,
    variations: crate::instances::PDKIND,
    constructor: &Make { engine: |settings| Box::new(Adaptor::new(PdKind::new(settings))) },
};
