//! The description of the engine for the registry.

use super::engine::Lawi;
use crate::registry::{Answers, EngineDescription, Fragment, Make};
use crate::theories::Theories;

/// The description of the engine for the registry.
pub const DESCRIPTION: EngineDescription = EngineDescription {
    name: "lawi",
    summary: "lazy abstraction with interpolants: unwinds the graph and covers nodes by others",
    fragment: Fragment::Linear,
    theories: Theories::All,
    answers: Answers::Both,
    sends: &[],
    takes: &[],
    variations: crate::instances::LAWI,
    constructor: &Make { engine: |settings| Box::new(Lawi::new(settings)) },
};
