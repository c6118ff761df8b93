//! The description of the engine for the registry.

use super::engine::Lawi;
use super::settings::Settings;
use crate::field;
use crate::interpolation::{proof_system, prune, retry_splits, simplify, theory_rule};
use crate::registry::{EngineDescription, Fragment, Make};
use crate::settings::{Configurable, SettingRow};
use crate::theories::Theories;

impl Configurable for Settings {
    const ROWS: &'static [&'static dyn SettingRow<Settings>] = &[
        &field!(
            "lawi.order",
            order,
            "which leaf is expanded next: the youngest (depth) or the oldest (breadth)"
        ),
        &field!("lawi.joint-covering", joint_covering, "cover a node by several others together"),
        &field!(
            "lawi.adoption",
            adoption,
            "cover a node by taking over a label that follows from its parent's"
        ),
        &field!("lawi.path-labels", path_labels, "let the labels along a path help to refute it"),
        &field!(
            "lawi.local-refinement",
            local_refinement,
            "how many edges before the last one the refutation of a path may begin at a label; 0 for never"
        ),
        &field!(
            "forced-covering",
            forced_covering,
            "look for coverings by strengthening labels up to the nearest common ancestor"
        ),
        &field!("lawi.forced-candidates", forced_candidates, "how many nodes a forced covering tries"),
        &theory_rule!(interpolation.theory),
        &proof_system!(interpolation.system),
        &simplify!(interpolation.simplify),
        &prune!(interpolation.prune),
        &retry_splits!(interpolation.retry_splits),
    ];
}

/// The description of the engine for the registry.
pub const DESCRIPTION: EngineDescription = EngineDescription {
    name: "lawi",
    summary: "lazy abstraction with interpolants: unwinds the graph and covers nodes by others",
    fragment: Fragment::Linear,
    theories: Theories::All,
    sends: &[],
    takes: &[],
    constructor: &Make { engine: |settings| Box::new(Lawi::new(settings)), of_instance: None },
};
