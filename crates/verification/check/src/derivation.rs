//! The judge of derivations.
//!
//! A derivation is right if each step is an instance of its clause, with the facts of the premises in the body
//! and the fact of the step as the head, and if the last step derives falsehood. Premises come before their
//! use by the construction of a [`Derivation`]. A clause with a universal premise is in none that is accepted: finitely many
//! facts do not show it. Steps that are repeated are judged together (`repetition`), those of
//! runs one after another, without keeping them (`run`).

use shem_base::{Budget, UnknownReason};
use shem_chc::{Clause, ClauseId, Derivation, Node, Step, StepId, System};
use shem_term::{Sort, Store, Value};

use crate::instance::{InstanceSearch, Instances};
use crate::repetition::check_repetition;
use crate::run::check_run;
use crate::validity::{Defect, Halt, Validity};

/// The stop token is read once for this many steps.
const STEPS_PER_STOP_CHECK: usize = 1024;

/// Judges a derivation in a system.
pub fn check_derivation(
    store: &mut Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
    budget: &mut Budget,
) -> Validity {
    let mut instances: Vec<_> = system.clauses.iter().map(|_| None).collect();
    check_steps(store, system, derivation, &mut instances, budget).into()
}

fn check_steps(
    store: &mut Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
    instances: &mut [Option<Instances>],
    budget: &mut Budget,
) -> Result<(), Halt> {
    let mut last = None;
    for node in derivation.nodes() {
        let (id, step) = match node {
            Node::Step(id, step) => (id, step),
            Node::Repetition(repetition) => {
                check_repetition(store, system, derivation, &repetition, instances, budget)?;
                // Its steps have heads.
                last = Some(system.clause(repetition.rule(repetition.length() - 1)));
                continue;
            }
            Node::Run(id, step, run) => {
                check_run(store, system, derivation, (id, &step, run), instances, budget)?;
                last = Some(system.clause(step.rule));
                continue;
            }
        };
        if id.index() % STEPS_PER_STOP_CHECK == 0 {
            budget.check_stop()?;
        }
        let clause = system.clauses.get(step.rule.index()).ok_or(Defect::Rule(id))?;
        check_facts(store, system, derivation, clause, id, &step)?;
        let ready = instances[step.rule.index()].get_or_insert_with(|| Instances::new(store, clause));
        let premises = step.premises.iter().flat_map(|&p| derivation.step(p).values);
        match ready.search(store, premises.chain(step.values), budget)? {
            InstanceSearch::Found => {}
            InstanceSearch::Absent => return Err(Defect::Instance(id).into()),
        }
        last = Some(clause);
    }
    match last {
        None => Err(Defect::Empty.into()),
        Some(clause) if clause.head.is_some() => Err(Defect::Conclusion.into()),
        Some(_) => Ok(()),
    }
}

/// The facts of a step are of the clause's predicates.
pub(crate) fn check_facts(
    store: &Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
    clause: &Clause,
    id: StepId,
    step: &Step<'_, ClauseId>,
) -> Result<(), Halt> {
    if !clause.premises.is_empty() {
        return Err(UnknownReason::Incomplete("facts do not show a universal premise").into());
    }
    if step.premises.len() != clause.body.len() {
        return Err(Defect::Premises(id).into());
    }
    for (position, (&premise, atom)) in step.premises.iter().zip(&clause.body).enumerate() {
        // The clause of an earlier step exists: that step was checked.
        let derived = &system.clause(derivation.step(premise).rule).head;
        if derived.as_ref().is_none_or(|head| head.predicate != atom.predicate) {
            return Err(Defect::Premise(id, position).into());
        }
    }
    let sorts = clause.head.as_ref().map_or(&[][..], |head| &system.predicate(head.predicate).sorts);
    let is_value = |(value, &sort): (&Value, &Sort)| store.is_value(value, sort);
    let fit = step.values.len() == sorts.len() && step.values.iter().zip(sorts).all(is_value);
    if fit { Ok(()) } else { Err(Defect::Values(id).into()) }
}
