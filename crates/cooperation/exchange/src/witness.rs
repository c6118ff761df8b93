//! Models as text, and text as models.
//!
//! A verdict travels with its witness and is worth nothing without it. What is read here is a candidate: whether it
//! is a model of the system, only the judge says.

use shem_chc::{Definition, Model, System};
use shem_term::{Store, Term};

use crate::formula::FormulaLimits;
use crate::import::Naming;
use crate::note::Definitions;

/// The definitions of a model as text, without those that are true; `None` if one exceeds the limits.
pub fn write_model(
    store: &mut Store,
    system: &System,
    model: &Model,
    limits: FormulaLimits,
) -> Option<Definitions> {
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
pub fn read_model(store: &mut Store, system: &System, received: &Definitions) -> Result<Model, String> {
    let mut definitions = Vec::with_capacity(system.predicates.len());
    for predicate in &system.predicates {
        let variable = |(at, &sort)| store.variable(&format!("x{at}"), sort);
        let parameters = predicate.sorts.iter().enumerate().map(variable).collect();
        definitions.push(Definition { parameters, body: Term::TRUE });
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
