//! The judge of ranking arguments.
//!
//! The invariants are judged as a model of the clauses without queries. Then each clause that is a step is refuted together
//! with the invariant of its source and the claim that the step is not in the lexicographic order:
//!
//! > strict₁ or (weak₁ and (strict₂ or (weak₂ and … strictₙ)))
//!
//! If all steps of a run are in it, strict₁ holds finitely often, so from some point on the rest holds of all steps, and so
//! on; nothing is left at the end. No location, path or component is known here: functions of different predicates are
//! compared like those of one.

use shem_base::{Budget, Rat};
use shem_chc::{PredicateId, System};
use shem_term::{Sort, Store, Term};

use super::argument::{Level, RankingArgument, RankingFunction};
use super::{check_linear, check_terms};
use crate::certificate::CertificateError;
use crate::model::check_model;
use crate::refute::refute;
use crate::validity::Validity;

/// Judges an argument that all runs end.
pub fn check_ranking(
    store: &mut Store,
    system: &System,
    argument: &RankingArgument,
    budget: &mut Budget,
) -> Result<(), CertificateError> {
    check_linear(system)?;
    let steps = System {
        predicates: system.predicates.clone(),
        clauses: system.clauses.iter().filter(|clause| clause.head.is_some()).cloned().collect(),
        ..System::default()
    };
    for level in &argument.levels {
        check_level(store, system, level)?;
    }
    match check_model(store, &steps, &argument.invariants, budget) {
        Validity::Valid => {}
        Validity::Invalid(defect) => {
            return Err(CertificateError::wrong(format!("the invariants are wrong: {defect}")));
        }
        Validity::Unknown(reason) => return Err(reason.into()),
    }
    for clause in &steps.clauses {
        budget.check_stop()?;
        let (Some(head), Some(source)) = (&clause.head, clause.body.first()) else { continue };
        let mut below = Term::FALSE;
        for level in argument.levels.iter().rev() {
            let before = applied(store, level, source.predicate, &source.args);
            let after = applied(store, level, head.predicate, &head.args);
            let (strict, weak) = (strict(store, &before, &after), weak(store, &before, &after));
            let rest = store.and2(weak, below);
            below = store.or2(strict, rest);
        }
        let known = argument.invariants.apply(store, source.predicate, &source.args);
        if refute(store, &[clause.constraint, known, !below], budget)?.is_some() {
            let [from, to] = [source, head].map(|atom| &system.predicate(atom.predicate).name);
            return Err(CertificateError::wrong(format!("a step from {from} to {to} goes down in no level")));
        }
    }
    Ok(())
}

/// There is a function for each predicate, with as many phases, each of one sort of numbers in all of them.
fn check_level(store: &Store, system: &System, level: &Level) -> Result<(), CertificateError> {
    if level.functions.len() != system.predicates.len() {
        return Err(CertificateError::wrong("a level has not one function for each predicate"));
    }
    let mut expected: Option<Vec<Sort>> = None;
    for (at, RankingFunction { parameters, phases }) in level.functions.iter().enumerate() {
        check_terms(store, system, PredicateId::new(at), parameters, phases)?;
        let sorts: Vec<Sort> = phases.iter().map(|&phase| store.sort(phase)).collect();
        if sorts.is_empty() || !sorts.iter().all(|sort| sort.is_arithmetic()) {
            return Err(CertificateError::wrong("a level has a function that is no number"));
        }
        if expected.get_or_insert_with(|| sorts.clone()) != &sorts {
            return Err(CertificateError::wrong("the functions of a level do not fit each other"));
        }
    }
    Ok(())
}

/// The phases of a predicate about these terms.
fn applied(store: &mut Store, level: &Level, predicate: PredicateId, args: &[Term]) -> Vec<Term> {
    let RankingFunction { parameters, phases } = &level.functions[predicate.index()];
    phases.iter().map(|&phase| store.rename(phase, parameters, args)).collect()
}

fn strict(store: &mut Store, before: &[Term], after: &[Term]) -> Term {
    let mut parts = Vec::new();
    for (at, (&from, &to)) in before.iter().zip(after).enumerate() {
        let sort = store.sort(from);
        let (one, mut drop) = (store.numeral(&Rat::from(1), sort), store.sub(from, to));
        if at > 0 {
            drop = store.add(&[drop, before[at - 1]]);
        }
        parts.push(store.ge(drop, one));
    }
    if let Some(&last) = before.last() {
        let zero = store.numeral(&Rat::from(0), store.sort(last));
        parts.push(store.ge(last, zero));
    }
    store.and(&parts)
}

fn weak(store: &mut Store, before: &[Term], after: &[Term]) -> Term {
    let parts: Vec<Term> = before.iter().zip(after).map(|(&from, &to)| store.ge(from, to)).collect();
    store.and(&parts)
}
