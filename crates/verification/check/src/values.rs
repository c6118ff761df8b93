//! The values of a clause's variables in the steps of a derivation, for those who print them.

use shem_base::{Budget, UnknownReason};
use shem_chc::{ClauseId, Derivation, StepId, System};
use shem_term::{Store, Value};

use crate::derivation::check_facts;
use crate::instance::StepInstances;

/// Finds the values of the variables in single steps of a derivation, as the judge does.
pub struct DerivationValues<'d> {
    system: &'d System,
    derivation: &'d Derivation<ClauseId>,
    /// By clause.
    instances: Vec<Option<StepInstances>>,
}

impl<'d> DerivationValues<'d> {
    /// Prepares for the steps of a derivation.
    pub fn new(system: &'d System, derivation: &'d Derivation<ClauseId>) -> DerivationValues<'d> {
        let instances = system.clauses.iter().map(|_| None).collect();
        DerivationValues { system, derivation, instances }
    }

    /// Values for the variables of the step's clause, in their order, under which the constraint holds, the atoms of the
    /// body are the facts of the premises and the head is the fact of the step. `None` if there are none: the step is
    /// wrong.
    pub fn find(
        &mut self,
        store: &mut Store,
        id: StepId,
        budget: &mut Budget,
    ) -> Result<Option<Vec<Value>>, UnknownReason> {
        let step = self.derivation.step(id);
        let clause = self.system.clause(step.rule);
        if check_facts(store, self.system, self.derivation, clause, id, &step).is_err() {
            return Ok(None);
        }
        let instances =
            self.instances[step.rule.index()].get_or_insert_with(|| StepInstances::new(store, clause));
        let premises = step.premises.iter().flat_map(|&premise| self.derivation.step(premise).values);
        Ok(instances.find(store, premises.chain(step.values), budget)?.map(<[Value]>::to_vec))
    }
}
