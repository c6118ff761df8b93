//! The judge of recurrences.
//!
//! The stem is judged like any derivation, in the system with one more query: that the set has no state. So its last fact
//! is in the set. From each state of the set, one of the steps that are named, with the values that are named for the
//! clause's variables, has to be an instance of its clause and to stay in the set: a formula without quantifiers, refuted
//! with a proof. A recurrent set (Gupta, Henzinger, Majumdar, Rybalchenko and Xu 2008) that is closed in this way has an
//! infinite run from each of its states.

use shem_base::{Budget, UnknownReason};
use shem_chc::{Atom, Clause, ClauseId, PredicateId, StepId, System};
use shem_term::smtlib::Span;
use shem_term::{Sort, Store, Term};

use super::argument::{Choice, Recurrence};
use super::{check_definition, check_linear, check_terms};
use crate::certificate::CertificateError;
use crate::derivation::check_derivation;
use crate::refute::refute;
use crate::validity::Validity;

/// Judges an argument that some run is infinite.
pub fn check_recurrence(
    store: &mut Store,
    system: &System,
    argument: &Recurrence,
    budget: &mut Budget,
) -> Result<(), CertificateError> {
    check_linear(system)?;
    if system.is_over_approximated() {
        return Err(UnknownReason::Incomplete("some clauses say more than the input").into());
    }
    let count = system.predicates.len();
    if argument.set.definitions.len() != count || argument.choices.len() != count {
        return Err(CertificateError::wrong("there is not one part of the set for each predicate"));
    }
    for (at, definition) in argument.set.definitions.iter().enumerate() {
        check_definition(store, system, PredicateId::new(at), definition)?;
    }
    check_stem(store, system, argument, budget)?;
    for at in 0..count {
        budget.check_stop()?;
        check_closed(store, system, argument, PredicateId::new(at), budget)?;
    }
    Ok(())
}

/// The stem is a derivation, and its last fact is in the set.
fn check_stem(
    store: &mut Store,
    system: &System,
    argument: &Recurrence,
    budget: &mut Budget,
) -> Result<(), CertificateError> {
    let mut derivation = argument.stem.clone();
    let Some(last) = derivation.len().checked_sub(1).map(StepId::new) else {
        return Err(CertificateError::wrong("the stem is empty"));
    };
    let rule = derivation.step(last).rule;
    let end = system.clauses.get(rule.index()).and_then(|clause| clause.head.as_ref());
    let Some(end) = end else { return Err(CertificateError::wrong("the stem ends with no fact")) };
    let predicate = end.predicate;
    let variables: Box<[Term]> =
        system.predicate(predicate).sorts.iter().map(|&sort| store.variable("end", sort)).collect();
    let constraint = argument.set.apply(store, predicate, &variables);
    let mut extended = System { first_stronger: None, ..system.clone() };
    let query = ClauseId::new(extended.clauses.len());
    extended.clauses.push(Clause {
        body: [Atom { predicate, args: variables.clone() }].into(),
        variables,
        constraint,
        premises: [].into(),
        head: None,
        span: Span::new(0, 0),
    });
    derivation.push(query, &[last], []);
    match check_derivation(store, &extended, &derivation, budget) {
        Validity::Valid => Ok(()),
        Validity::Invalid(defect) => Err(CertificateError::wrong(format!("the stem is wrong: {defect}"))),
        Validity::Unknown(reason) => Err(reason.into()),
    }
}

/// Each state of the set that is one of this predicate has a step that stays in the set.
fn check_closed(
    store: &mut Store,
    system: &System,
    argument: &Recurrence,
    predicate: PredicateId,
    budget: &mut Budget,
) -> Result<(), CertificateError> {
    let definition = argument.set.definition(predicate);
    if definition.body == Term::FALSE {
        return Ok(());
    }
    let (parameters, body) = (definition.parameters.clone(), definition.body);
    if parameters.iter().any(|&parameter| store.has_elements(store.sort(parameter))) {
        let reason = UnknownReason::Incomplete("a recurrence depends on a sort of unknown size");
        return Err(reason.into());
    }
    let mut steps = Vec::new();
    for Choice { clause: id, values } in &argument.choices[predicate.index()] {
        let Some(clause) = system.clauses.get(id.index()) else {
            return Err(CertificateError::wrong("a choice names no clause"));
        };
        let (Some(head), [source]) = (&clause.head, &*clause.body) else {
            return Err(CertificateError::wrong("a choice is a clause that is no step"));
        };
        if source.predicate != predicate {
            return Err(CertificateError::wrong("a choice is a step from another predicate"));
        }
        let sorts = |terms: &[Term]| terms.iter().map(|&term| store.sort(term)).collect::<Vec<Sort>>();
        if sorts(values) != sorts(&clause.variables) {
            return Err(CertificateError::wrong("the values of a choice do not fit its clause"));
        }
        check_terms(store, system, predicate, &parameters, values)?;
        let mut parts = vec![store.rename(clause.constraint, &clause.variables, values)];
        for (&parameter, &argument) in parameters.iter().zip(&source.args) {
            let here = store.rename(argument, &clause.variables, values);
            parts.push(store.eq(parameter, here));
        }
        let there: Vec<Term> =
            head.args.iter().map(|&term| store.rename(term, &clause.variables, values)).collect();
        parts.push(argument.set.apply(store, head.predicate, &there));
        steps.push(store.and(&parts));
    }
    let stays = store.or(&steps);
    if refute(store, &[body, !stays], budget)?.is_some() {
        let name = &system.predicate(predicate).name;
        return Err(CertificateError::wrong(format!(
            "a state of {name} in the set has no step that stays in it"
        )));
    }
    Ok(())
}
