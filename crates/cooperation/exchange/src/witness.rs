//! Witnesses as messages: models and derivations of a system as read.
//!
//! A verdict travels with its witness and is worth nothing without it. What is read here is a candidate: whether it
//! is a model or a derivation of the system, only the judge says.

use shem_chc::{ClauseId, Definition, Derivation, Fingerprint, Model, System};
use shem_term::{Store, Term};

use crate::formula::{Formula, FormulaLimits};
use crate::import::Naming;
use crate::note::{Content, Definitions, Note, Refutation};

/// The message that a system is safe; `None` if the model exceeds the limits.
pub fn model_note(store: &mut Store, system: &System, model: &Model, sender: u64) -> Option<Note> {
    let about = Fingerprint::of_system(store, system);
    let definitions = define(store, system, model, FormulaLimits::DEFINITION)?;
    Some(Note { sender, content: Content::Model(Definitions { about, definitions }) })
}

/// The message that a system is unsafe.
pub fn refutation_note(
    store: &Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
    sender: u64,
) -> Note {
    let about = Fingerprint::of_system(store, system);
    Note { sender, content: Content::Refutation(Refutation { about, derivation: derivation.clone() }) }
}

/// The definitions of a model as text, without those that are true; `None` if one exceeds the limits.
pub fn define(
    store: &mut Store,
    system: &System,
    model: &Model,
    limits: FormulaLimits,
) -> Option<Vec<(Box<str>, Formula)>> {
    let mut definitions = Vec::new();
    for (predicate, definition) in system.predicates.iter().zip(&model.definitions) {
        if definition.body != Term::TRUE {
            let naming = Naming::new(store, &definition.parameters, &[]);
            definitions.push((predicate.name.clone(), naming.export(store, definition.body, limits)?));
        }
    }
    Some(definitions)
}

/// Reads the definitions of a model; a predicate that is missing means truth. The error says which one cannot be read.
pub fn read_model(
    store: &mut Store,
    system: &System,
    received: &[(Box<str>, Formula)],
) -> Result<Model, String> {
    let mut definitions = Vec::with_capacity(system.predicates.len());
    for predicate in &system.predicates {
        let mut parameters = Vec::with_capacity(predicate.sorts.len());
        for (at, &sort) in predicate.sorts.iter().enumerate() {
            parameters.push(store.variable(&format!("x{at}"), sort));
        }
        definitions.push(Definition { parameters: parameters.into(), body: Term::TRUE });
    }
    for (name, formula) in received {
        let at = system.predicates.iter().position(|predicate| predicate.name == *name);
        let at = at.ok_or_else(|| format!("there is no predicate {name}"))?;
        let Definition { parameters, body } = &mut definitions[at];
        let read = Naming::new(store, parameters, &[]).import(store, formula);
        *body = read.ok_or_else(|| format!("the definition of {name} is not over its arguments"))?;
    }
    Ok(Model { definitions })
}
