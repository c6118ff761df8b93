//! An inductive invariant from the rules of a certificate.
//!
//! The states that the rules reach from the initial ones are closed under the transition, which is one of the rules.
//! They are computed as a union of cubes: a cube of the union and a rule that lead outside of it have a model, and
//! its projection to the state after the step is one more cube. If each step of the certificate could choose from all
//! rules, this comes to an end within as many rounds, and reaches no bad state; otherwise it may fail.

use shem_base::Budget;
use shem_proof::NoProof;
use shem_smt::project::{Projector, eliminate};
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use super::certificate::FiniteDiameter;
use crate::reason::{Unavailable, WitnessError};

/// The number of cubes at which the union is given up.
const MOST_CUBES: usize = 4_000;

/// The states that the rules reach.
pub(super) fn reachable(
    store: &mut Store,
    certificate: &FiniteDiameter,
    budget: &mut Budget,
) -> Result<Term, WitnessError> {
    let FiniteDiameter { system, rules, .. } = certificate;
    let mut projector = Projector::new();
    let mut auxiliaries = store.free_variables(&[system.initial]);
    auxiliaries.retain(|v| !system.state.contains(v));
    let initial = eliminate(store, &auxiliaries, system.initial, budget)?;
    let mut cubes = vec![initial];
    // The states outside of the union, as states after a step.
    let outside = store.rename(!initial, &system.state, &system.next);
    let mut outside = vec![outside];
    let mut at = 0;
    while at < cubes.len() {
        let source = cubes[at];
        at += 1;
        for &rule in rules.iter().rev() {
            let mut solver = Solver::with_proof(Default::default(), NoProof);
            solver.assert(store, source);
            solver.assert(store, rule);
            for &formula in &outside {
                solver.assert(store, formula);
            }
            loop {
                budget.check_stop()?;
                let mut solution = match solver.check(store, budget) {
                    Answer::Unsat(_) => break,
                    Answer::Unknown(reason) => return Err(reason.into()),
                    Answer::Sat(solution) => solution,
                };
                let model = solution.model();
                let cube = projector
                    .project_onto(store, &[source, rule], &model, &system.next)
                    .map_err(shem_base::UnknownReason::from)?;
                let cube = store.and(&cube);
                outside.push(!cube);
                solver.assert(store, !cube);
                let cube = store.rename(cube, &system.next, &system.state);
                cubes.push(cube);
                if cubes.len() > MOST_CUBES || meets(store, cube, system.bad, budget)? {
                    return Err(Unavailable::Invariant("a finite diameter".to_owned()).into());
                }
            }
        }
    }
    Ok(store.or(&cubes))
}

fn meets(store: &mut Store, cube: Term, bad: Term, budget: &mut Budget) -> Result<bool, WitnessError> {
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    solver.assert(store, cube);
    solver.assert(store, bad);
    match solver.check(store, budget) {
        Answer::Unsat(_) => Ok(false),
        Answer::Sat(_) => Ok(true),
        Answer::Unknown(reason) => Err(reason.into()),
    }
}
