//! The engines by name.

use std::fmt;
use std::str::FromStr;

use shem_engine::lawi::{self, Lawi};
use shem_engine::pdkind::{self, PdKind};
use shem_engine::spacer::{self, Spacer};
use shem_engine::tpa::{DagTpa, Tpa, TpaSettings};
use shem_engine::{Adaptor, Bmc, BmcOptions, Engine, Imc, ImcSettings, Kind, KindSettings};
use shem_smt::interpolate::{InterpolationSystem, ItpOptions, TheoryRule};

/// An engine that there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineName {
    /// Bounded model checking.
    Bmc,
    /// Interpolation-based model checking.
    Imc,
    /// k-induction.
    Kind,
    /// Lazy abstraction with interpolants; for linear systems.
    Lawi,
    /// Property-directed k-induction.
    PdKind,
    /// Property-directed reachability with lemmas and facts; for all systems.
    #[default]
    Spacer,
    /// Transition power abstraction with two sequences.
    SplitTpa,
    /// Transition power abstraction.
    Tpa,
    /// For tests: an engine whose answers are wrong.
    #[cfg(test)]
    Liar,
}

/// What engines want to know; each looks at what concerns it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineOptions {
    /// Turn the system into one transition system even where the engine could do without.
    pub force_ts: bool,
    /// Remove nested loops from the graph before the engine sees it.
    pub simplify_nested: bool,
    /// Lazy abstraction: look for coverings by force.
    pub forced_covering: bool,
    /// How lemmas of linear arithmetic are interpolated, in place of what the engine would choose.
    pub interpolation: Option<TheoryRule>,
    /// Which one of several instances of the engine this is; they have different settings.
    pub instance: usize,
    /// How resolution proofs are interpolated, in place of what the engine would choose.
    pub interpolation_system: Option<InterpolationSystem>,
    /// k-induction: look at paths of different states only.
    pub simple_paths: bool,
    /// Property-directed k-induction: how deep the induction is.
    pub induction_depth: Option<pdkind::Depth>,
    /// Property-directed k-induction: which obligation is next.
    pub obligation_order: Option<pdkind::Order>,
    /// Spacer.
    pub spacer: spacer::Settings,
    /// Transition power abstraction, with one sequence or two.
    pub tpa: TpaSettings,
}

impl EngineOptions {
    /// Puts the interpolation algorithms that were asked for in the place of the engine's own.
    fn choose(&self, rule: &mut TheoryRule, system: &mut InterpolationSystem) {
        replace(rule, self.interpolation);
        replace(system, self.interpolation_system);
    }

    fn interpolate(&self, options: &mut ItpOptions) {
        self.choose(&mut options.theory, &mut options.system);
    }
}

/// Puts what was asked for, if anything was, in the place of a default.
fn replace<T>(default: &mut T, wanted: Option<T>) {
    if let Some(wanted) = wanted {
        *default = wanted;
    }
}

/// The names of the engines that there are.
pub(crate) const ENGINE_NAMES: &[&str] =
    &["bmc", "imc", "kind", "lawi", "pdkind", "spacer", "split-tpa", "tpa"];
/// The engines, in the order of their names.
const ENGINES: [EngineName; 8] = [
    EngineName::Bmc,
    EngineName::Imc,
    EngineName::Kind,
    EngineName::Lawi,
    EngineName::PdKind,
    EngineName::Spacer,
    EngineName::SplitTpa,
    EngineName::Tpa,
];

/// Engines that users of other solvers know and that are still to come.
const LATER: [&str; 4] = ["dar", "pa", "se", "trl"];

impl EngineName {
    /// The names of all engines that there are.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ENGINE_NAMES.iter().copied()
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(test)]
            EngineName::Liar => "liar",
            _ => ENGINE_NAMES[self as usize],
        }
    }

    /// Whether several instances with different settings can work together.
    pub(crate) fn has_instances(self) -> bool {
        self == EngineName::PdKind
    }

    /// Whether the engine sees transition systems only.
    pub(super) fn wants_transition_systems(self) -> bool {
        matches!(self, EngineName::Imc | EngineName::Kind | EngineName::PdKind)
    }

    /// The engine itself.
    pub(super) fn make(self, options: &EngineOptions) -> Box<dyn Engine> {
        match self {
            EngineName::Bmc => {
                let bmc = BmcOptions { force_ts: options.force_ts, ..BmcOptions::default() };
                Box::new(Bmc::new(bmc))
            }
            EngineName::Imc => {
                let mut settings = ImcSettings::default();
                options.interpolate(&mut settings.interpolation);
                Box::new(Adaptor::new(Imc::new(settings)))
            }
            EngineName::Kind => {
                let settings = KindSettings { simple_paths: options.simple_paths };
                Box::new(Adaptor::new(Kind::new(settings)))
            }
            EngineName::Lawi => {
                let mut settings = lawi::Settings::default();
                settings.forced_covering |= options.forced_covering;
                options.interpolate(&mut settings.interpolation);
                Box::new(Lawi::new(settings))
            }
            EngineName::PdKind => {
                let mut settings = pdkind::Settings::of_instance(options.instance);
                options.interpolate(&mut settings.interpolation);
                replace(&mut settings.depth, options.induction_depth);
                replace(&mut settings.order, options.obligation_order);
                Box::new(Adaptor::new(PdKind::new(settings)))
            }
            EngineName::Spacer => {
                let mut settings = options.spacer.clone();
                options.interpolate(&mut settings.interpolation);
                Box::new(Spacer::new(settings))
            }
            EngineName::SplitTpa => power_abstraction(Tpa::split, options),
            EngineName::Tpa => power_abstraction(Tpa::new, options),
            #[cfg(test)]
            EngineName::Liar => Box::new(super::liar::Liar),
        }
    }
}

/// Transition power abstraction: on DAGs of loops directly, unless one transition system is asked for.
fn power_abstraction(kind: fn(TpaSettings) -> Tpa, options: &EngineOptions) -> Box<dyn Engine> {
    let mut settings = options.tpa.clone();
    for refinement in [&mut settings.refinement, &mut settings.less_refinement] {
        options.choose(&mut refinement.rule, &mut refinement.system);
    }
    let engine = kind(settings);
    if options.force_ts { Box::new(Adaptor::new(engine)) } else { Box::new(DagTpa::new(engine)) }
}

impl FromStr for EngineName {
    type Err = String;

    fn from_str(text: &str) -> Result<EngineName, String> {
        let there = EngineName::names().collect::<Vec<_>>().join(", ");
        match ENGINES.iter().find(|engine| engine.name() == text) {
            Some(&engine) => Ok(engine),
            None if LATER.contains(&text) => {
                Err(format!("the engine {text} is not there yet; engines: {there}"))
            }
            None => Err(format!("there is no engine {text}; engines: {there}")),
        }
    }
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for name in EngineName::names() {
            assert_eq!(name.parse::<EngineName>().map(|engine| engine.to_string()), Ok(name.to_owned()));
            assert!(!LATER.contains(&name), "{name} is there");
        }
    }

    #[test]
    fn what_is_not_there_is_said() {
        let error = |text: &str| text.parse::<EngineName>().expect_err("no engine");
        assert!(error("trl").starts_with("the engine trl is not there yet"));
        assert!(error("magic").starts_with("there is no engine magic"));
        assert!(error("").starts_with("there is no engine"));
    }
}
