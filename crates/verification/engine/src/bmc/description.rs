//! The description of the engine for the registry.

use super::engine::Bmc;
use crate::registry::{Answers, EngineDescription, Fragment, Make};
use crate::theories::Theories;

/// The description of the engine for the registry.
pub(crate) const DESCRIPTION: EngineDescription = EngineDescription {
    name: "bmc",
    summary: "bounded model checking: looks for derivations of growing length",
    fragment: Fragment::Linear,
    theories: Theories::All,
    answers: Answers::Both,
    sends: &[],
    takes: &[],
    variations: crate::instances::SEEDS,
    constructor: &Make { engine: |options| Box::new(Bmc::new(options)) },
};
