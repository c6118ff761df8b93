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
//!
//! With closures, truth stands at the end of the order instead of falsehood. Then steps are left that are weak and not strict in all levels.
//! For each closure its relations are judged to hold of all pairs of states between which such steps lead, by induction over
//! the steps, and to imply that one of its functions goes down. Without the predicates of closures the clauses with steps
//! that are left must have no cycle, so that an infinite run of them comes to one of these predicates again and again.

use shem_base::{Budget, Rat};
use shem_chc::{Atom, Clause, PredicateId, System};
use shem_term::{Sort, Store, Term};

use super::argument::{Closure, Level, RankingArgument, RankingFunction};
use super::{check_linear, check_mentions, check_parameters, check_terms};
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
    for closure in &argument.closures {
        check_closure_terms(store, system, closure)?;
    }
    match check_model(store, &steps, &argument.invariants, budget) {
        Validity::Valid => {}
        Validity::Invalid(defect) => {
            return Err(CertificateError::wrong(format!("the invariants are wrong: {defect}")));
        }
        Validity::Unknown(reason) => return Err(reason.into()),
    }
    let mut left = Vec::new();
    for clause in &steps.clauses {
        budget.check_stop()?;
        let (Some(head), Some(source)) = (&clause.head, clause.body.first()) else { continue };
        let mut below = Term::from_bool(!argument.closures.is_empty());
        let mut stays = Vec::new();
        for level in argument.levels.iter().rev() {
            let before = applied(store, level, source.predicate, &source.args);
            let after = applied(store, level, head.predicate, &head.args);
            let (strict, weak) = (strict(store, &before, &after), weak(store, &before, &after));
            let rest = store.and2(weak, below);
            below = store.or2(strict, rest);
            stays.extend([weak, !strict]);
        }
        let known = argument.invariants.apply(store, source.predicate, &source.args);
        if refute(store, &[clause.constraint, known, !below], budget)?.is_some() {
            let [from, to] = [source, head].map(|atom| &system.predicate(atom.predicate).name);
            return Err(CertificateError::wrong(format!("a step from {from} to {to} goes down in no level")));
        }
        if argument.closures.is_empty() {
            continue;
        }
        stays.extend([clause.constraint, known]);
        let formula = store.and(&stays);
        if refute(store, &[formula], budget)?.is_some() {
            left.push(Left { clause, source, head, formula });
        }
    }
    let closed: Vec<PredicateId> = argument.closures.iter().map(|closure| closure.predicate).collect();
    if !argument.closures.is_empty() && has_cycle(&left, &closed) {
        return Err(CertificateError::wrong("a cycle goes through no predicate with a closure"));
    }
    for closure in &argument.closures {
        check_closure(store, system, closure, &left, budget)?;
    }
    Ok(())
}

/// A clause with steps that are weak and not strict in all levels, and the formula that says that a step is one.
struct Left<'s> {
    clause: &'s Clause,
    source: &'s Atom,
    head: &'s Atom,
    formula: Term,
}

/// Whether steps lead from some predicate back to it without one of these. Predicates that no such step leads to are left out
/// until none is left or each has one.
fn has_cycle(left: &[Left<'_>], closed: &[PredicateId]) -> bool {
    let inside = |predicate: PredicateId| !closed.contains(&predicate);
    let mut edges: Vec<(PredicateId, PredicateId)> = left
        .iter()
        .map(|step| (step.source.predicate, step.head.predicate))
        .filter(|&(from, to)| inside(from) && inside(to))
        .collect();
    loop {
        let before = edges.len();
        let targets: Vec<PredicateId> = edges.iter().map(|&(_, to)| to).collect();
        edges.retain(|(from, _)| targets.contains(from));
        if edges.len() == before {
            return before > 0;
        }
    }
}

/// The relations of a closure and its functions are about the right variables.
fn check_closure_terms(store: &Store, system: &System, closure: &Closure) -> Result<(), CertificateError> {
    let Closure { predicate, relations, functions } = closure;
    if predicate.index() >= system.predicates.len() || relations.len() != system.predicates.len() {
        return Err(CertificateError::wrong("a closure has not one relation for each predicate"));
    }
    let own = &system.predicate(*predicate).sorts;
    for (relation, other) in relations.iter().zip(&system.predicates) {
        let expected: Vec<Sort> = own.iter().chain(&other.sorts).copied().collect();
        check_parameters(store, &relation.parameters, &expected, &other.name)?;
        check_mentions(store, &relation.parameters, &[relation.body], &other.name)?;
        if store.sort(relation.body) != Sort::Bool {
            return Err(CertificateError::wrong("a relation is no formula"));
        }
    }
    for RankingFunction { parameters, phases } in functions {
        check_terms(store, system, *predicate, parameters, phases)?;
        if phases.len() != 1 || !store.sort(phases[0]).is_arithmetic() {
            return Err(CertificateError::wrong("a function of a closure is not one number"));
        }
    }
    Ok(())
}

/// The relations hold after one step, are kept by each step, and one of the functions goes down where they hold.
fn check_closure(
    store: &mut Store,
    system: &System,
    closure: &Closure,
    left: &[Left<'_>],
    budget: &mut Budget,
) -> Result<(), CertificateError> {
    let Closure { predicate, relations, functions } = closure;
    let start: Vec<Term> =
        system.predicate(*predicate).sorts.iter().map(|&sort| store.variable("start", sort)).collect();
    let relation = |store: &mut Store, of: PredicateId, start: &[Term], now: &[Term]| {
        let definition = &relations[of.index()];
        store.rename(definition.body, &definition.parameters, &[start, now].concat())
    };
    for Left { clause, source, head, formula } in left {
        budget.check_stop()?;
        debug_assert!(start.iter().all(|variable| !clause.variables.contains(variable)));
        let wrong = |what: &str| {
            let [from, to] = [source, head].map(|atom| &system.predicate(atom.predicate).name);
            Err(CertificateError::wrong(format!(
                "a step from {from} to {to} {what} the relation of a closure"
            )))
        };
        if source.predicate == *predicate {
            let after = relation(store, head.predicate, &source.args, &head.args);
            if refute(store, &[*formula, !after], budget)?.is_some() {
                return wrong("is not in");
            }
        }
        let before = relation(store, source.predicate, &start, &source.args);
        let after = relation(store, head.predicate, &start, &head.args);
        if refute(store, &[before, *formula, !after], budget)?.is_some() {
            return wrong("leaves");
        }
    }
    let now: Vec<Term> =
        system.predicate(*predicate).sorts.iter().map(|&sort| store.variable("now", sort)).collect();
    let mut parts = vec![relation(store, *predicate, &start, &now)];
    for RankingFunction { parameters, phases } in functions {
        let [from, to] = [&start, &now].map(|args| store.rename(phases[0], parameters, args));
        parts.push(!strict(store, &[from], &[to]));
    }
    if refute(store, &parts, budget)?.is_some() {
        let name = &system.predicate(*predicate).name;
        let words =
            format!("no function goes down between two states of {name} in the relation of a closure");
        return Err(CertificateError::wrong(words));
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
