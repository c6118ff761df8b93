//! The values of a clause's variables in a step of a derivation.
//!
//! A derivation gives the arguments of facts only. Where an argument is a variable, its value is read off; if
//! that leaves no variable open, evaluation decides whether the step is an instance of its clause. Otherwise a
//! solver finds values for the rest, in the constraint with the known values put in: what is left is small, and
//! one solver for all steps would collect the atoms of all their values. Quantifiers of the constraint are eliminated
//! first.

use std::collections::BTreeMap;

use shem_base::{Budget, UnknownReason};
use shem_proof::NoProof;
use shem_smt::project::eliminate_quantifiers;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Substitution, Symbol, Term, Value};

use crate::derivation::{Derivation, StepId};
use crate::system::{Clause, ClauseId, System};

/// Values for the variables of the step's clause, in their order, under which the constraint holds, the atoms of
/// the body are the facts of the premises and the head is the fact of the step. `None` if there are none: the
/// step is wrong.
pub fn find_instance(
    store: &mut Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
    step: StepId,
    budget: &mut Budget,
) -> Result<Option<Vec<Value>>, UnknownReason> {
    let step = derivation.step(step);
    let clause = system.clause(step.rule);
    let Some(pairs) = arguments(system, derivation, clause, step.premises, step.values) else {
        return Ok(None);
    };
    let constraint = match store.has_quantifier(clause.constraint) {
        true => eliminate_quantifiers(store, clause.constraint, budget)?,
        false => clause.constraint,
    };
    let mut known: BTreeMap<Symbol, Value> = BTreeMap::new();
    for &(argument, value) in &pairs {
        let Some(symbol) = store.as_var(argument) else { continue };
        let value = match value {
            Value::Bool(truth) => Value::Bool(*truth != argument.is_negated()),
            number => number.clone(),
        };
        if *known.entry(symbol).or_insert_with(|| value.clone()) != value {
            return Ok(None);
        }
    }
    let symbols: Vec<Symbol> =
        clause.variables.iter().map(|&v| store.as_var(v).expect("a variable")).collect();
    if symbols.iter().any(|symbol| !known.contains_key(symbol)) {
        let mut substitution = Substitution::new();
        for (&symbol, value) in &known {
            let sort = store.signature(symbol).result;
            let term = store.value_term(value, sort);
            substitution.insert(symbol, term);
        }
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        let rest = store.substitute(constraint, &substitution);
        solver.assert(store, rest);
        for &(argument, value) in &pairs {
            if store.as_var(argument).is_some() {
                continue;
            }
            let left = store.substitute(argument, &substitution);
            let sort = store.sort(argument);
            let right = store.value_term(value, sort);
            let equation = store.eq(left, right);
            solver.assert(store, equation);
        }
        match solver.check(store, budget) {
            Answer::Unsat(_) => return Ok(None),
            Answer::Unknown(reason) => return Err(reason),
            Answer::Sat(mut solution) => {
                let model = solution.model();
                for &symbol in &symbols {
                    known.entry(symbol).or_insert_with(|| model.value_or_default(store, symbol));
                }
            }
        }
    }
    let values: Vec<Value> = symbols.iter().map(|symbol| known[symbol].clone()).collect();
    match holds(store, constraint, &pairs, &known) {
        Some(true) => Ok(Some(values)),
        Some(false) => Ok(None),
        None => Err(UnknownReason::Incomplete("a step depends on an unspecified value")),
    }
}

/// The arguments of body and head with the values that premises and fact have for them. `None` if a premise is
/// a fact of another predicate, or one is missing.
fn arguments<'a>(
    system: &System,
    derivation: &'a Derivation<ClauseId>,
    clause: &Clause,
    premises: &[StepId],
    values: &'a [Value],
) -> Option<Vec<(Term, &'a Value)>> {
    if premises.len() != clause.body.len() {
        return None;
    }
    let mut pairs = Vec::new();
    for (atom, &premise) in clause.body.iter().zip(premises) {
        let premise = derivation.step(premise);
        let fact = system.clause(premise.rule).head.as_ref()?;
        if fact.predicate != atom.predicate || premise.values.len() != atom.args.len() {
            return None;
        }
        pairs.extend(atom.args.iter().copied().zip(premise.values));
    }
    let arity = clause.head.as_ref().map_or(0, |head| head.args.len());
    if values.len() != arity {
        return None;
    }
    if let Some(head) = &clause.head {
        pairs.extend(head.args.iter().copied().zip(values));
    }
    Some(pairs)
}

/// Whether the values satisfy the constraint and give the arguments their values; `None` if that depends on a value
/// that is unspecified.
fn holds(
    store: &Store,
    constraint: Term,
    pairs: &[(Term, &Value)],
    values: &BTreeMap<Symbol, Value>,
) -> Option<bool> {
    let value = |symbol: Symbol| values.get(&symbol).cloned();
    let is = |term: Term, expected: &Value| store.evaluate(term, &value).map(|found| found == *expected);
    // An argument that is a variable gave it its value.
    let others = pairs.iter().filter(|(argument, _)| store.as_var(*argument).is_none());
    let mut all = is(constraint, &Value::Bool(true));
    for &(argument, expected) in others {
        match is(argument, expected) {
            Some(false) => return Some(false),
            None => all = None,
            Some(true) => {}
        }
    }
    all
}
