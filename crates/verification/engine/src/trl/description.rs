//! The description of the engine for the registry.

use super::engine::Trl;
use crate::adaptor::Adaptor;
use crate::registry::{Answers, EngineDescription, Fragment, Make};
use crate::theories::Theories;

/// The description of the engine for the registry.
pub const DESCRIPTION: EngineDescription = EngineDescription {
    name: "trl",
    summary: "learns transitive relations of loops until bounded model checking has an end",
    fragment: Fragment::TransitionSystems,
    theories: Theories::Arithmetic,
    answers: Answers::Both,
    sends: &[],
    takes: &[],
    variations: crate::instances::TRL,
    constructor: &Make { engine: |settings| Box::new(Adaptor::new(Trl::new(settings))) },
};
