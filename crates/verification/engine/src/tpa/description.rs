//! The descriptions of the two engines for the registry.

use super::dag::DagTpa;
use super::engine::Tpa;
use crate::registry::{Answers, EngineDescription, Fragment, LemmaKind, Make};
use crate::theories::Theories;

const LEMMAS: &[LemmaKind] = &[LemmaKind::Power];
const TAKES: &[LemmaKind] = &[LemmaKind::Power, LemmaKind::Invariant];

/// The description of `tpa` for the registry.
pub const DESCRIPTION: EngineDescription = EngineDescription {
    name: "tpa",
    summary: "transition power abstraction: relations over exponentially many steps, refined by interpolation",
    fragment: Fragment::Loops,
    theories: Theories::Arithmetic,
    answers: Answers::Both,
    sends: LEMMAS,
    takes: TAKES,
    variations: crate::instances::TPA,
    constructor: &Make { engine: |settings| Box::new(DagTpa::new(Tpa::new(settings))) },
};

/// The description of `split-tpa` for the registry.
pub const SPLIT_DESCRIPTION: EngineDescription = EngineDescription {
    name: "split-tpa",
    summary: "transition power abstraction that keeps paths of exact powers and shorter ones apart",
    variations: crate::instances::TPA,
    constructor: &Make { engine: |settings| Box::new(DagTpa::new(Tpa::split(settings))) },
    ..DESCRIPTION
};
