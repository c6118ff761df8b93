//! The engines that there are, each described by itself.
//!
//! An [`EngineDescription`] says everything that others need to know of an engine: its name, the graphs that it
//! takes, the lemmas that it exchanges, its settings and how it is made. A [`Registry`] is a list of descriptions.
//! An [`EngineChoice`] is an engine with values for some of its settings, as a command line names it.

use std::collections::BTreeMap;
use std::fmt;

use shem_chc::Shape;
use shem_transform::abstraction::Abstraction;
use shem_transform::{DisabledPasses, Passes, Preparation};
use thiserror::Error;

use crate::abstracted::{Abstracted, Inner};
use crate::instances::{Variation, pure};
use crate::scope::Scope;
use crate::settings::{Configurable, SettingDescription, SettingError};
use crate::theories::Theories;
use crate::without_wraps::WithoutWraps;
use crate::{
    Engine, bit_bmc, bmc, finite_models, functions, hull, ic3, imc, kind, lawi, pdkind, scout, settings,
    spacer, tpa, trl,
};

/// The graphs that an engine takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fragment {
    /// All graphs.
    All,
    /// All graphs, with every predicate that matters.
    Uncomposed,
    /// All graphs, before any pass.
    AsRead,
    /// All linear graphs, as they are.
    Linear,
    /// Graphs whose only cycles are loops at a vertex, and nonlinear graphs, as they are; other linear graphs as one
    /// transition system.
    Loops,
    /// Transition systems; other linear graphs are turned into one.
    TransitionSystems,
}

impl Fragment {
    /// Whether an engine for this fragment takes graphs of a shape, as they are or as one transition system.
    pub fn includes(self, shape: Shape) -> bool {
        shape != Shape::Nonlinear
            || matches!(self, Fragment::All | Fragment::Uncomposed | Fragment::AsRead | Fragment::Loops)
    }

    /// Whether a graph of this shape has to be turned into one transition system first.
    pub fn needs_one_loop(self, shape: Shape) -> bool {
        match self {
            Fragment::All | Fragment::Uncomposed | Fragment::AsRead | Fragment::Linear => false,
            Fragment::Loops => shape == Shape::Linear,
            Fragment::TransitionSystems => matches!(shape, Shape::Dag | Shape::Linear),
        }
    }
}

impl fmt::Display for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fragment::All => "all systems",
            Fragment::Uncomposed => "all systems, with all predicates",
            Fragment::AsRead => "all systems, as they are read",
            Fragment::Linear => "linear systems",
            Fragment::Loops => "DAGs of loops and nonlinear systems; other linear systems as one loop",
            Fragment::TransitionSystems => "transition systems; other linear systems as one loop",
        })
    }
}

/// The answers that an engine can give, beside that it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// Either.
    Both,
    /// That the graph has a model.
    Safe,
    /// That falsehood is derived.
    Unsafe,
}

impl Answers {
    /// Whether the engine may find a model.
    pub fn include_safe(self) -> bool {
        self != Answers::Unsafe
    }

    /// Whether the engine may find a derivation of falsehood.
    pub fn include_unsafe(self) -> bool {
        self != Answers::Safe
    }
}

/// The kinds of lemmas that engines exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LemmaKind {
    /// An inductive invariant of the graph.
    Invariant,
    /// A formula that holds within a number of steps of a transition system.
    Bounded,
    /// A bounded lemma with the states that it excludes, for induction.
    Induction,
    /// A formula over two states that are a power of two steps apart.
    Power,
    /// A formula that holds of a predicate up to a height, or states of it that are derived.
    Height,
}

impl LemmaKind {
    /// Whether such lemmas count steps, so that only engines that count the same steps can use them.
    pub fn counts_steps(self) -> bool {
        self != LemmaKind::Invariant
    }
}

impl fmt::Display for LemmaKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LemmaKind::Invariant => "inductive invariants",
            LemmaKind::Bounded => "bounded lemmas",
            LemmaKind::Induction => "induction lemmas",
            LemmaKind::Power => "transition powers",
            LemmaKind::Height => "lemmas with heights and facts",
        })
    }
}

/// The description of an engine.
#[derive(Clone, Copy)]
pub struct EngineDescription {
    /// The name, as it is typed.
    pub name: &'static str,
    /// What it does, in a line without a full stop.
    pub summary: &'static str,
    /// The graphs that it takes.
    pub fragment: Fragment,
    /// The theories that it accepts.
    pub theories: Theories,
    /// The answers that it can give.
    pub answers: Answers,
    /// The kinds of lemmas that it publishes.
    pub sends: &'static [LemmaKind],
    /// The kinds of lemmas of others that it can use.
    pub takes: &'static [LemmaKind],
    /// How instances differ, beside their seeds; the first is the default.
    pub variations: &'static [Variation],
    /// How it is made of its settings; a [`Make`].
    pub constructor: &'static dyn Constructor,
}

/// Makes engines of settings given as text. [`Make`] is the one that there is.
pub trait Constructor: Sync {
    /// The settings.
    fn settings(&self) -> Vec<SettingDescription>;

    /// Whether a text is a value of the setting with this index.
    fn check(&self, row: usize, text: &str) -> Result<(), SettingError>;

    /// The index of a setting.
    fn find(&self, name: &str) -> Option<usize>;

    /// The engine with these values, by index, in place of the default's.
    fn make(&self, assigned: &BTreeMap<usize, String>) -> Box<dyn Engine>;
}

/// How an engine is made of its settings.
pub struct Make<S> {
    /// The engine with these settings.
    pub engine: fn(S) -> Box<dyn Engine>,
}

impl<S: Configurable> Constructor for Make<S> {
    fn settings(&self) -> Vec<SettingDescription> {
        SettingDescription::all::<S>()
    }

    fn check(&self, row: usize, text: &str) -> Result<(), SettingError> {
        S::ROWS[row].set(&mut S::default(), text)
    }

    fn find(&self, name: &str) -> Option<usize> {
        S::ROWS.iter().position(|row| row.name() == name)
    }

    fn make(&self, assigned: &BTreeMap<usize, String>) -> Box<dyn Engine> {
        let mut settings = S::default();
        for (&row, text) in assigned {
            S::ROWS[row].set(&mut settings, text).expect("the text was checked when it was assigned");
        }
        (self.engine)(settings)
    }
}

settings! {
    /// The settings that every engine has: how graphs are prepared for it.
    struct Common {
        simplify_nested: bool = false,
            "simplify-nested", "remove nested loops before the engine sees the system";
        abstraction: Abstraction = Abstraction::default(),
            "abstraction", "what the engine sees in place of arrays, recursive datatypes or machine integers",
            "abstractions.md#figures";
        pure: bool = false,
            "pure", "run only the passes that the engine's paper has, and nothing in the engine that it has not",
            "papers.md#what-pure-leaves-out";
    }
}

impl EngineDescription {
    /// The graphs that the engine takes, with its name.
    pub fn scope(&self) -> Scope {
        Scope { name: self.name, fragment: self.fragment, theories: self.theories }
    }

    /// The settings of this engine, those that every engine has at the end.
    pub fn settings(&self) -> Vec<SettingDescription> {
        let mut settings = self.constructor.settings();
        settings.extend(SettingDescription::all::<Common>());
        settings
    }

    /// Whether this engine can use lemmas of the other one that count steps, or the other way round.
    pub fn shares_steps_with(&self, other: &EngineDescription) -> bool {
        let gives = |from: &EngineDescription, to: &EngineDescription| {
            from.sends.iter().any(|lemma| lemma.counts_steps() && to.takes.contains(lemma))
        };
        gives(self, other) || gives(other, self)
    }
}

impl fmt::Debug for EngineDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineDescription").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An engine with values for some of its settings.
#[derive(Clone, Debug)]
pub struct EngineChoice {
    description: EngineDescription,
    /// The values that were set, by the index of the setting.
    assigned: BTreeMap<usize, String>,
    common: Common,
    /// The passes that do not run where the engine prepares graphs itself.
    disabled_passes: DisabledPasses,
}

impl Default for EngineChoice {
    /// Spacer, which takes all graphs.
    fn default() -> EngineChoice {
        EngineChoice::new(spacer::DESCRIPTION)
    }
}

impl PartialEq for EngineChoice {
    fn eq(&self, other: &EngineChoice) -> bool {
        self.name() == other.name() && self.assigned == other.assigned && self.common == other.common
    }
}

impl Eq for EngineChoice {}

impl EngineChoice {
    /// The engine of a description with its default settings.
    pub fn new(description: EngineDescription) -> EngineChoice {
        EngineChoice {
            description,
            assigned: BTreeMap::new(),
            common: Common::default(),
            disabled_passes: DisabledPasses::default(),
        }
    }

    /// What the engine is.
    pub fn description(&self) -> &EngineDescription {
        &self.description
    }

    /// The name of the engine.
    pub fn name(&self) -> &'static str {
        self.description.name
    }

    /// Sets a value. Where one setting stands for several and another for one of these, the latter holds,
    /// whichever was set first.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SettingError> {
        if let Some(row) = self.description.constructor.find(name) {
            self.description.constructor.check(row, value)?;
            self.assigned.insert(row, value.to_owned());
            return Ok(());
        }
        match Common::ROWS.iter().find(|row| row.name() == name) {
            Some(row) => row.set(&mut self.common, value),
            None => Err(SettingError::Unknown { engine: self.name(), name: name.to_owned() }),
        }
    }

    /// The same engine as one of several instances, which differ in settings that were not set
    /// ([`instances`](crate::instances)) and in their seeds. Number 0 is the engine itself.
    pub fn instance(mut self, number: usize) -> EngineChoice {
        let variations = if self.common.pure { pure(self.name()) } else { self.description.variations };
        let variation = variations.get(number % variations.len().max(1)).copied().unwrap_or_default();
        for (name, value) in variation {
            let row = self.description.constructor.find(name).expect("a setting of the engine");
            self.assigned.entry(row).or_insert_with(|| (*value).to_owned());
        }
        self
    }

    /// The same engine, which does without these passes where it prepares graphs itself.
    pub fn without_passes(mut self, disabled: &DisabledPasses) -> EngineChoice {
        self.disabled_passes = disabled.clone();
        self
    }

    /// How a graph has to be prepared.
    pub fn preparation(&self) -> Preparation {
        // What is abstracted is prepared for the engine afterwards.
        let abstracted = self.common.abstraction != Abstraction::None;
        Preparation {
            for_transition_systems: self.description.fragment == Fragment::TransitionSystems && !abstracted,
            without_nested_loops: self.common.simplify_nested,
            without_composition: self.common.abstraction.excludes_composition()
                || (self.description.fragment == Fragment::Uncomposed && !abstracted),
            of_abstraction: false,
            with_bits: self.description.theories == Theories::Bits && !abstracted,
            as_read: self.description.fragment == Fragment::AsRead && !abstracted,
            // No paper has abstractions: where one is asked for, it is prepared as ever.
            pure: self.common.pure && !abstracted,
        }
    }

    /// The engine itself.
    pub fn make(&self) -> Box<dyn Engine> {
        let engine = match self.common.pure {
            true => self.description.constructor.make(&self.clone().instance(0).assigned),
            false => self.description.constructor.make(&self.assigned),
        };
        let preparation = Preparation {
            for_transition_systems: self.description.fragment == Fragment::TransitionSystems,
            of_abstraction: true,
            ..Preparation::default()
        };
        let passes = Passes { preparation, disabled: self.disabled_passes.clone() };
        match (self.common.abstraction, self.common.abstraction.form()) {
            (Abstraction::NoWraps, _) => Box::new(WithoutWraps { inner: Inner { engine, passes } }),
            (_, Some(form)) => Box::new(Abstracted { inner: Inner { engine, passes }, form }),
            (_, None) => engine,
        }
    }

    /// The words of a command line that set what was set.
    pub fn words(&self) -> Vec<String> {
        let settings = self.description.constructor.settings();
        let mut words: Vec<String> =
            self.assigned.iter().map(|(&row, value)| option_word(&settings[row], value)).collect();
        let default = Common::default();
        for (row, setting) in Common::ROWS.iter().zip(SettingDescription::all::<Common>()) {
            let value = row.get(&self.common);
            if value != row.get(&default) {
                words.push(option_word(&setting, &value));
            }
        }
        words
    }
}

/// The word of a command line that gives a setting this value.
pub fn option_word(setting: &SettingDescription, value: &str) -> String {
    if setting.is_flag() && value == "yes" {
        format!("--{}", setting.name)
    } else {
        format!("--{}={value}", setting.name)
    }
}

impl fmt::Display for EngineChoice {
    /// The words after `-e`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.words().iter().try_for_each(|word| write!(f, " {word}"))
    }
}

/// Engines of other solvers that are not implemented yet.
const PLANNED_ENGINES: [&str; 3] = ["dar", "pa", "se"];

/// A name that no engine has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnknownEngine {
    /// There is no engine of this name.
    #[error("there is no engine {name}; engines: {known}")]
    NoSuchEngine {
        /// What was asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// The engine is known elsewhere and is to come.
    #[error("the engine {name} is not there yet; engines: {known}")]
    NotYet {
        /// What was asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
}

/// A setting as users see it: one name, even if several engines have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSetting {
    /// What it is. The default is that of the first engine; others may have their own. The measurement is that of the first
    /// engine that has one.
    pub setting: SettingDescription,
    /// The engines that have it, with their defaults.
    pub engines: Vec<(&'static str, String)>,
}

/// The engines that there are.
///
/// Invariant *names*: no two engines have the same name.
#[derive(Clone, Debug)]
pub struct Registry {
    engines: Vec<EngineDescription>,
}

impl Registry {
    /// The engines of this crate, by name.
    pub fn standard() -> Registry {
        Registry {
            engines: vec![
                bit_bmc::DESCRIPTION,
                bmc::DESCRIPTION,
                finite_models::DESCRIPTION,
                functions::DESCRIPTION,
                hull::DESCRIPTION,
                ic3::DESCRIPTION,
                imc::DESCRIPTION,
                kind::DESCRIPTION,
                lawi::DESCRIPTION,
                pdkind::DESCRIPTION,
                scout::DESCRIPTION,
                spacer::DESCRIPTION,
                tpa::SPLIT_DESCRIPTION,
                tpa::DESCRIPTION,
                trl::DESCRIPTION,
            ],
        }
    }

    /// The same with one more engine. An engine of the same name is replaced.
    pub fn with(mut self, description: EngineDescription) -> Registry {
        self.engines.retain(|engine| engine.name != description.name);
        self.engines.push(description);
        self
    }

    /// The engines.
    pub fn engines(&self) -> &[EngineDescription] {
        &self.engines
    }

    /// The names of the engines.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.engines.iter().map(|engine| engine.name)
    }

    /// The engine of a name.
    pub fn engine(&self, name: &str) -> Result<&EngineDescription, UnknownEngine> {
        self.engines.iter().find(|engine| engine.name == name).ok_or_else(|| {
            let known = self.names().collect::<Vec<_>>().join(", ");
            let name = name.to_owned();
            if PLANNED_ENGINES.contains(&&*name) {
                UnknownEngine::NotYet { name, known }
            } else {
                UnknownEngine::NoSuchEngine { name, known }
            }
        })
    }

    /// The engine of a name with its default settings.
    pub fn choose(&self, name: &str) -> Result<EngineChoice, UnknownEngine> {
        Ok(EngineChoice::new(*self.engine(name)?))
    }

    /// All settings of all engines, each name once, in the order of the engines.
    pub fn settings(&self) -> Vec<SharedSetting> {
        let mut found: Vec<SharedSetting> = Vec::new();
        for engine in &self.engines {
            for setting in engine.settings() {
                let owner = (engine.name, setting.default.clone());
                match found.iter_mut().find(|known| known.setting.name == setting.name) {
                    Some(known) => {
                        known.engines.push(owner);
                        known.setting.measurement = known.setting.measurement.or(setting.measurement);
                    }
                    None => found.push(SharedSetting { setting, engines: vec![owner] }),
                }
            }
        }
        found
    }
}
