//! Models and derivations as text, and text as models and derivations.
//!
//! A verdict travels with its witness and is worth nothing without it. What is read here is a candidate: whether it
//! is a witness of the system, only the judge says.

use shem_base::Rat;
use shem_chc::{ClauseId, Course, Definition, Derivation, Model, Node, Progression, StepId, System};
use shem_term::{Store, Term, Value};

use crate::formula::FormulaLimits;
use crate::import::Naming;
use crate::note::{Definitions, SentNode, SentStep};
use crate::value::{read_value, write_value};

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
        let read = Naming::new(store, parameters, &[]).import_quantified(store, formula);
        *body = read.ok_or_else(|| format!("the definition of {name} is not over its arguments"))?;
    }
    Ok(Model { definitions })
}

/// The steps of a derivation as text.
pub fn write_derivation(store: &Store, derivation: &Derivation<ClauseId>) -> Vec<SentStep> {
    let value = |value: &Value| {
        let mut text = String::new();
        write_value(store, value, &mut text);
        text.into()
    };
    let step = |step: shem_chc::Step<'_, ClauseId>| {
        let premises = step.premises.iter().map(|premise| premise.index() as u32).collect();
        (step.rule.index() as u32, premises, step.values.iter().map(value).collect())
    };
    derivation.steps().map(|(_, found)| step(found)).collect()
}

/// The parts of a derivation with repetitions as text.
pub fn write_repeating(store: &Store, derivation: &Derivation<ClauseId>) -> Vec<SentNode> {
    let mut steps = write_derivation(store, derivation).into_iter();
    let mut nodes = Vec::new();
    for node in derivation.nodes() {
        match node {
            Node::Step(..) => nodes.extend(steps.next().map(SentNode::Step)),
            Node::Repetition(repetition) => {
                let text = |course: &Course| match course {
                    Course::Truth(truth) => vec![truth.to_string().into()],
                    Course::Number(progression) => {
                        progression.coefficients().iter().map(|c| c.to_string().into()).collect()
                    }
                };
                let mut word = Vec::with_capacity(repetition.length());
                for position in 0..repetition.length() {
                    steps.next();
                    let courses = repetition.courses(position).iter().map(text).collect();
                    word.push((repetition.rule(position).index() as u32, courses));
                }
                let premise = repetition.premise().index() as u32;
                nodes.push(SentNode::Repeat(premise, repetition.rounds(), word));
            }
        }
    }
    nodes
}

/// Reads the parts of a derivation with repetitions. The error says which step cannot be read.
pub fn read_repeating(
    store: &Store,
    system: &System,
    received: &[SentNode],
) -> Result<Derivation<ClauseId>, String> {
    let mut derivation = Derivation::new();
    for node in received {
        let number = derivation.len();
        match node {
            SentNode::Step(step) => read_step(store, system, &mut derivation, step)?,
            SentNode::Repeat(premise, rounds, word) => {
                let unreadable = |what: &str| format!("step {} {what}", number + 1);
                if *premise as usize >= number || *rounds == 0 || word.is_empty() {
                    return Err(unreadable("is a repetition of nothing"));
                }
                let mut steps = Vec::with_capacity(word.len());
                for (clause, texts) in word {
                    let courses: Option<Vec<Course>> = texts.iter().map(|text| read_course(text)).collect();
                    let courses = courses.ok_or_else(|| unreadable("has a value of another sort"))?;
                    steps.push((ClauseId::new(*clause as usize), courses));
                }
                derivation.push_repetition(StepId::new(*premise as usize), *rounds, &steps);
            }
        }
    }
    Ok(derivation)
}

fn read_course(texts: &[Box<str>]) -> Option<Course> {
    match texts {
        [word] if &**word == "true" => Some(Course::Truth(true)),
        [word] if &**word == "false" => Some(Course::Truth(false)),
        _ => {
            let coefficients: Option<Vec<Rat>> = texts.iter().map(|text| text.parse().ok()).collect();
            Some(Course::Number(Progression::new(coefficients?)))
        }
    }
}

/// Reads the steps of a derivation. The error says which one cannot be read.
pub fn read_derivation(
    store: &Store,
    system: &System,
    received: &[SentStep],
) -> Result<Derivation<ClauseId>, String> {
    let mut derivation = Derivation::new();
    for step in received {
        read_step(store, system, &mut derivation, step)?;
    }
    Ok(derivation)
}

/// Reads a step and adds it.
fn read_step(
    store: &Store,
    system: &System,
    derivation: &mut Derivation<ClauseId>,
    (clause, premises, texts): &SentStep,
) -> Result<(), String> {
    let number = derivation.len();
    let unreadable = |what: &str| format!("step {} {what}", number + 1);
    let rule = system.clauses.get(*clause as usize).ok_or_else(|| unreadable("is by no clause"))?;
    if premises.iter().any(|&premise| premise as usize >= number) {
        return Err(unreadable("has a premise that is not earlier"));
    }
    let premises: Vec<StepId> = premises.iter().map(|&id| StepId::new(id as usize)).collect();
    let sorts = rule.head.as_ref().map_or(&[][..], |head| &system.predicate(head.predicate).sorts);
    if sorts.len() != texts.len() {
        return Err(unreadable("has too many or too few values"));
    }
    let values = texts.iter().zip(sorts).map(|(text, &sort)| read_value(store, text, sort));
    let values: Option<Vec<Value>> = values.collect();
    let values = values.ok_or_else(|| unreadable("has a value of another sort"))?;
    derivation.push(ClauseId::new(*clause as usize), &premises, values);
    Ok(())
}
