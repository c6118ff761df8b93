//! Settings of lazy abstraction.

use shem_smt::interpolate::ItpOptions;

use crate::interpolation::{proof_system, theory_rule};
use crate::settings;

settings! {
    /// Settings of lazy abstraction.
    pub struct Settings {
        /// The interpolation algorithms.
        interpolation: ItpOptions = ItpOptions::default();
        path_labels: bool = true,
            "lawi.path-labels", "let the labels along a path help to refute it", "options.md#engine-lawi";
        local_refinement: usize = 8,
            "lawi.local-refinement",
            "how many edges before the last one the refutation of a path may begin at a label; 0 for never",
            "options.md#engine-lawi";
        forced_covering: bool = false,
            "forced-covering", "look for coverings by strengthening labels up to the nearest common ancestor",
            "options.md#engine-lawi";
        /// How many nodes a forced covering tries: each costs queries along the path to the common ancestor.
        forced_candidates: usize = 4;
    }
    rows [
        theory_rule!(interpolation.theory, "options.md#engine-lawi"),
        proof_system!(interpolation.system, "options.md#engine-lawi"),
    ]
}
