//! The description of the engine for the registry.

use super::engine::Hull;
use crate::registry::{Answers, EngineDescription, Fragment, LemmaKind, Make};
use crate::theories::Theories;

/// The description of the engine for the registry.
pub(crate) const DESCRIPTION: EngineDescription = EngineDescription {
    name: "hull",
    summary: "inductive hulls of runs: equalities, congruences and bounds for each phase",
    fragment: Fragment::All,
    theories: Theories::Arithmetic,
    answers: Answers::Both,
    sends: &[LemmaKind::Invariant],
    takes: &[],
    variations: crate::instances::SEEDS,
    constructor: &Make { engine: |settings| Box::new(Hull { settings }) },
};
