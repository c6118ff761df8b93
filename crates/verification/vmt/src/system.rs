//! Transition systems with properties, as read.

use shem_term::smtlib::Span;
use shem_term::{Store, Term};

use crate::names::Names;

/// A state variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateVariable {
    /// Its name in the file, without quotes.
    pub name: Box<str>,
    /// The constant for its value before a step.
    pub current: Term,
    /// The constant for its value after a step; the same one if the variable never changes.
    pub next: Term,
}

/// What a property says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// The formula holds in every state that can be reached: `:invar-property`.
    Invariant,
    /// On every infinite run the formula holds from some point on: `:live-property`.
    Live,
    /// Every infinite run satisfies the formula of linear temporal logic: `:ltl-property`.
    Ltl,
}

impl PropertyKind {
    /// The keyword of the annotation, without its colon.
    pub fn word(self) -> &'static str {
        match self {
            PropertyKind::Invariant => "invar-property",
            PropertyKind::Live => "live-property",
            PropertyKind::Ltl => "ltl-property",
        }
    }
}

/// Something to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// What it says of the formula.
    pub kind: PropertyKind,
    /// The number that the file gives it; no other property has it.
    pub index: u64,
    /// The name of the definition, without quotes.
    pub name: Box<str>,
    /// A formula over state variables and inputs; of linear temporal logic also over next values, with functions for its
    /// operators.
    pub formula: Term,
    /// Where the annotation stands.
    pub span: Span,
}

/// A transition system with its properties. The terms belong to the store that it was read into.
#[derive(Clone, Debug)]
pub struct Vmt {
    /// The state variables in the order of their annotations.
    pub states: Vec<StateVariable>,
    /// The constants that are neither values of a state variable nor unused, with their names.
    pub inputs: Vec<(Box<str>, Term)>,
    /// What holds in the first state.
    pub init: Term,
    /// What holds of a step.
    pub trans: Term,
    /// The properties by their numbers.
    pub properties: Vec<Property>,
}

impl Vmt {
    /// The property with this number.
    pub fn property(&self, index: u64) -> Option<&Property> {
        self.properties.iter().find(|property| property.index == index)
    }

    /// The names of all that formulas may mention.
    pub(crate) fn names(&self, store: &Store) -> Names {
        let mut names = Names::default();
        for state in &self.states {
            for term in [state.current, state.next] {
                names.take(store.name(store.as_var(term).expect("a constant")));
            }
        }
        self.inputs.iter().for_each(|(name, _)| {
            names.take(name);
        });
        names
    }

    /// The values before a step.
    pub fn current(&self) -> Vec<Term> {
        self.states.iter().map(|state| state.current).collect()
    }

    /// The values after a step.
    pub fn next(&self) -> Vec<Term> {
        self.states.iter().map(|state| state.next).collect()
    }
}
