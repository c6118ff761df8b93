//! The description of the engine for the registry.

use super::engine::Trl;
use super::settings::Settings;
use crate::adaptor::Adaptor;
use crate::field;
use crate::registry::{EngineDescription, Fragment, Make};
use crate::settings::{Configurable, SettingRow};
use crate::theories::Theories;

impl Configurable for Settings {
    const ROWS: &'static [&'static dyn SettingRow<Settings>] = &[
        &field!("trl.direction", direction, "where the search begins"),
        &field!("trl.precision", precision, "how finely the steps of a trace are told apart"),
        &field!(
            "trl.prefix",
            prefix,
            "the most plain steps with which a search begins when others have failed"
        ),
        &field!("trl.divisibility", divisibility, "learn what divides the change of a loop"),
        &field!("trl.growth", growth, "learn changes of a loop that depend on the state"),
    ];
}

/// The description of the engine for the registry.
pub const DESCRIPTION: EngineDescription = EngineDescription {
    name: "trl",
    summary: "learns transitive relations of loops until bounded model checking has an end",
    fragment: Fragment::TransitionSystems,
    theories: Theories::Arithmetic,
    sends: &[],
    takes: &[],
    constructor: &Make { engine: |settings| Box::new(Adaptor::new(Trl::new(settings))), of_instance: None },
};
