//! The judge of runs.
//!
//! A run says how each fact is found from the one before. The facts are listed by evaluation, one after another, and
//! each has to be an instance of its clause with the one before, as if it were a single step; the last has to be the
//! fact that the run is said to lead to. What the run says of its cases need not be trusted for this. Nothing is kept,
//! so the memory does not depend on the number of steps, but the time does.

use shem_base::Budget;
use shem_chc::{ClauseId, Derivation, Run, RunEvaluator, Step, StepId, System};
use shem_term::Store;

use crate::derivation::check_facts;
use crate::instance::{InstanceSearch, Instances};
use crate::validity::{Defect, Halt};

/// The stop token is read once for this many steps.
const STEPS_PER_STOP_CHECK: u64 = 1024;

/// Checks a run.
pub(crate) fn check_run(
    store: &mut Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
    (id, step, run): (StepId, &Step<'_, ClauseId>, &Run<ClauseId>),
    instances: &mut [Option<Instances>],
    budget: &mut Budget,
) -> Result<(), Halt> {
    for case in &run.cases {
        let clause = system.clauses.get(case.rule.index()).ok_or(Defect::Rule(id))?;
        check_facts(store, system, derivation, clause, id, step)?;
        let head = clause.head.as_ref().ok_or(Defect::Values(id))?;
        if clause.body[0].predicate != head.predicate {
            return Err(Defect::Premise(id, 0).into());
        }
        if !run.is_closed(store, &system.predicate(head.predicate).sorts) {
            return Err(Defect::Values(id).into());
        }
        instances[case.rule.index()].get_or_insert_with(|| Instances::new(store, clause));
    }
    let mut evaluator = RunEvaluator::new(store, run);
    let mut fact = derivation.step(step.premises[0]).values.to_vec();
    for number in 0..run.steps {
        if number % STEPS_PER_STOP_CHECK == 0 {
            budget.check_stop()?;
        }
        let Some((case, next)) = evaluator.step(store, &fact) else {
            return Err(Defect::Instance(id).into());
        };
        let ready = instances[run.cases[case].rule.index()].as_mut().expect("made above");
        match ready.search(store, fact.iter().chain(&next), budget)? {
            InstanceSearch::Found => fact = next,
            InstanceSearch::Absent => return Err(Defect::Instance(id).into()),
        }
    }
    if fact == step.values { Ok(()) } else { Err(Defect::Values(id).into()) }
}
