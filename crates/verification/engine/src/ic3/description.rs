//! The description of the engine for the registry.

use super::engine::Ic3;
use crate::adaptor::Adaptor;
use crate::registry::{Answers, EngineDescription, Fragment, Make};
use crate::theories::Theories;

/// The description of the engine for the registry.
pub(crate) const DESCRIPTION: EngineDescription = EngineDescription {
    name: "ic3",
    summary: "IC3 over the bits of finitely many states",
    fragment: Fragment::TransitionSystems,
    theories: Theories::Bits,
    answers: Answers::Both,
    sends: &[],
    takes: &[],
    variations: crate::instances::IC3,
    constructor: &Make { engine: |settings| Box::new(Adaptor::new(Ic3::new(settings))) },
};
