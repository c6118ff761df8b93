//! Verdicts of others: their witnesses, read and judged here.
//!
//! A verdict travels with its witness and is worth nothing without it. The witness is judged on the system as read, by
//! the same judges that confirm the verdicts of this process.

use shem_base::{Budget, UnknownReason};
use shem_chc::{ClauseId, Definition, Derivation, Fingerprint, Model, StepId, System};
use shem_check::{Defect, Validity, check_derivation, check_model};
use shem_term::{Store, Term};
use thiserror::Error;

use crate::formula::FormulaLimits;
use crate::import::Naming;
use crate::invariant::define;
use crate::note::{Content, Definitions, Note, Refutation};

/// A witness that was judged to be right.
#[derive(Clone, Debug)]
pub enum Found {
    /// The system is safe.
    Model(Model),
    /// The system is unsafe.
    Derivation(Derivation<ClauseId>),
}

/// The message that a system is safe; `None` if the model exceeds the limits.
pub fn model_note(store: &mut Store, system: &System, model: &Model, sender: u64) -> Option<Note> {
    let about = Fingerprint::of_system(store, system);
    let definitions = define(store, about, system, model, FormulaLimits::DEFINITION)?;
    Some(Note { sender, content: Content::Model(definitions) })
}

/// The message that a system is unsafe.
pub fn refutation_note(
    store: &Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
    sender: u64,
) -> Option<Note> {
    let about = Fingerprint::of_system(store, system);
    let mut steps = Vec::with_capacity(derivation.len());
    for (_, step) in derivation.steps() {
        let clause = u32::try_from(step.rule.index()).ok()?;
        let premises = step.premises.iter().map(|premise| premise.index() as u32).collect();
        steps.push((clause, premises, step.values.to_vec()));
    }
    Some(Note { sender, content: Content::Refutation(Refutation { about, steps }) })
}

/// Why a verdict of somebody else is not believed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Rejection {
    /// The message is no verdict.
    #[error("it is no verdict")]
    NoVerdict,
    /// The verdict is about another system.
    #[error("it is about another system")]
    OtherSystem,
    /// The model cannot be read.
    #[error("its model cannot be read")]
    Unreadable,
    /// The witness is wrong.
    #[error("its witness is wrong: {0}")]
    Wrong(Defect),
    /// The judge gave up.
    #[error("its witness could not be checked: {0}")]
    Unchecked(UnknownReason),
}

/// Judges a verdict of somebody else about this system.
pub fn judge(
    store: &mut Store,
    system: &System,
    note: &Note,
    budget: &mut Budget,
) -> Result<Found, Rejection> {
    let about = match &note.content {
        Content::Model(Definitions { about, .. }) | Content::Refutation(Refutation { about, .. }) => *about,
        Content::Bounded(_) | Content::Invariant(_) => return Err(Rejection::NoVerdict),
    };
    if about != Fingerprint::of_system(store, system) {
        return Err(Rejection::OtherSystem);
    }
    let (found, validity) = match &note.content {
        Content::Model(definitions) => {
            let model = model(store, system, definitions).ok_or(Rejection::Unreadable)?;
            let validity = check_model(store, system, &model, budget);
            (Found::Model(model), validity)
        }
        Content::Refutation(refutation) => {
            let derivation = derivation(refutation);
            let validity = check_derivation(store, system, &derivation, budget);
            (Found::Derivation(derivation), validity)
        }
        Content::Bounded(_) | Content::Invariant(_) => unreachable!("refused above"),
    };
    match validity {
        Validity::Valid => Ok(found),
        Validity::Invalid(defect) => Err(Rejection::Wrong(defect)),
        Validity::Unknown(reason) => Err(Rejection::Unchecked(reason)),
    }
}

fn model(store: &mut Store, system: &System, received: &Definitions) -> Option<Model> {
    let mut definitions = Vec::with_capacity(system.predicates.len());
    for predicate in &system.predicates {
        let mut parameters = Vec::with_capacity(predicate.sorts.len());
        for (at, &sort) in predicate.sorts.iter().enumerate() {
            parameters.push(store.variable(&format!("x{at}"), sort));
        }
        definitions.push(Definition { parameters: parameters.into(), body: Term::TRUE });
    }
    for (name, formula) in &received.definitions {
        let at = system.predicates.iter().position(|predicate| predicate.name == *name)?;
        let Definition { parameters, body } = &mut definitions[at];
        *body = Naming::new(store, parameters, &[]).import(store, formula)?;
    }
    Some(Model { definitions })
}

fn derivation(received: &Refutation) -> Derivation<ClauseId> {
    let mut derivation = Derivation::new();
    for (clause, premises, values) in &received.steps {
        let premises: Vec<StepId> = premises.iter().map(|&premise| StepId::new(premise as usize)).collect();
        derivation.push(ClauseId::new(*clause as usize), &premises, values.iter().cloned());
    }
    derivation
}
