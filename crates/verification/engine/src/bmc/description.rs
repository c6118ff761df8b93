//! The description of the engine for the registry.

use super::engine::Bmc;
use super::options::BmcOptions;
use crate::field;
use crate::registry::{EngineDescription, Fragment, Make};
use crate::settings::{Configurable, SettingRow};
use crate::theories::Theories;

impl Configurable for BmcOptions {
    const ROWS: &'static [&'static dyn SettingRow<BmcOptions>] = &[
        &field!(
            "force-ts",
            force_ts,
            "turn the system into one transition system even if it need not be one"
        ),
        &field!("bmc.max-depth", max_depth, "the greatest number of steps to look at"),
    ];
}

/// The description of the engine for the registry.
pub(crate) const DESCRIPTION: EngineDescription = EngineDescription {
    name: "bmc",
    summary: "bounded model checking: looks for derivations of growing length",
    fragment: Fragment::Linear,
    theories: Theories::All,
    sends: &[],
    takes: &[],
    constructor: &Make { engine: |options| Box::new(Bmc::new(options)), of_instance: None },
};
