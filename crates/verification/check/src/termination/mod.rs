//! Whether clauses have an infinite run: arguments for either answer, and their judges.
//!
//! A *run* of linear clauses begins with a fact and goes on by clauses with one atom in the body; clauses whose head is
//! falsehood are no steps. Clauses *terminate* if no run is infinite. A [`RankingArgument`] shows that they do, a
//! [`Recurrence`] that they do not. Both are judged on the clauses as read, and neither judge knows how an argument is
//! found.

mod argument;
mod ranking;
mod recurrence;

pub use argument::{Choice, Closure, Level, RankingArgument, RankingFunction, Recurrence};
pub use ranking::check_ranking;
pub use recurrence::check_recurrence;

use shem_base::UnknownReason;
use shem_chc::{Definition, PredicateId, System};
use shem_term::{Sort, Store, Term};

use crate::certificate::CertificateError;
use crate::refute::Failure;

impl From<Failure> for CertificateError {
    fn from(failure: Failure) -> CertificateError {
        match failure {
            Failure::Unknown(reason) => reason.into(),
            Failure::Refused(error) => {
                CertificateError::wrong(format!("the proof of a refutation was refused: {error}"))
            }
        }
    }
}

/// Infinite runs are defined for linear clauses only.
fn check_linear(system: &System) -> Result<(), CertificateError> {
    if system.has_premises() {
        return Err(UnknownReason::Incomplete("a clause has a predicate under a quantifier").into());
    }
    if system.clauses.iter().any(|clause| clause.head.is_some() && clause.body.len() > 1) {
        return Err(UnknownReason::Incomplete("a clause has several atoms in its body").into());
    }
    Ok(())
}

/// Parameters are distinct variables of the predicate's sorts, and a term over them mentions nothing else.
fn check_terms(
    store: &Store,
    system: &System,
    predicate: PredicateId,
    parameters: &[Term],
    terms: &[Term],
) -> Result<(), CertificateError> {
    let predicate = system.predicate(predicate);
    check_parameters(store, parameters, &predicate.sorts, &predicate.name)?;
    check_mentions(store, parameters, terms, &predicate.name)
}

/// Parameters are distinct variables of these sorts.
fn check_parameters(
    store: &Store,
    parameters: &[Term],
    expected: &[Sort],
    name: &str,
) -> Result<(), CertificateError> {
    let sorts: Vec<Sort> = parameters.iter().map(|&parameter| store.sort(parameter)).collect();
    let mut sorted = parameters.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let variables = parameters.iter().all(|&p| store.as_var(p).is_some() && !p.is_negated());
    if !variables || sorted.len() != parameters.len() || sorts != expected {
        return Err(CertificateError::wrong(format!("the parameters do not fit the predicate {name}")));
    }
    Ok(())
}

/// Terms mention nothing but parameters.
fn check_mentions(
    store: &Store,
    parameters: &[Term],
    terms: &[Term],
    name: &str,
) -> Result<(), CertificateError> {
    for &term in terms {
        if let Some(&symbol) = store.predicates(&[term]).first() {
            let words = format!("a term about {name} mentions {}", store.name(symbol));
            return Err(CertificateError::wrong(words));
        }
        if let Some(&other) = store.free_variables(&[term]).iter().find(|v| !parameters.contains(v)) {
            let words = format!("a term about {name} mentions {}", store.display(other));
            return Err(CertificateError::wrong(words));
        }
    }
    Ok(())
}

/// The same of a definition, which is a formula.
fn check_definition(
    store: &Store,
    system: &System,
    predicate: PredicateId,
    definition: &Definition,
) -> Result<(), CertificateError> {
    if store.sort(definition.body) != Sort::Bool {
        return Err(CertificateError::wrong("a definition is no formula"));
    }
    check_terms(store, system, predicate, &definition.parameters, &[definition.body])
}
