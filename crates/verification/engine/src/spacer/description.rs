//! The description of the engine for the registry.

use super::engine::Spacer;
use crate::registry::{Answers, EngineDescription, Fragment, LemmaKind, Make};
use crate::theories::Theories;

const LEMMAS: &[LemmaKind] = &[LemmaKind::Invariant, LemmaKind::Height];

/// The description of the engine for the registry.
pub const DESCRIPTION: EngineDescription = EngineDescription {
    name: "spacer",
    summary: "property-directed reachability with lemmas and facts for every predicate",
    fragment: Fragment::All,
    theories: Theories::All,
    answers: Answers::Both,
    sends: LEMMAS,
    takes: LEMMAS,
    variations: crate::instances::SPACER,
    constructor: &Make { engine: |settings| Box::new(Spacer::new(settings)) },
};
