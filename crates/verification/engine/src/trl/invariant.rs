//! An inductive invariant from the rules of a certificate.
//!
//! The states that the rules reach from the initial ones are closed under the transition, which is one of the rules. So
//! are the states of the first steps, where these are plain, together with what all rules reach from the state after
//! them. They are computed as a union of cubes: a cube of the union and a rule that lead outside of it have a model, and
//! its projection to the state after the step is one more cube. If each step after the plain ones could choose from all
//! rules, this comes to an end within as many rounds, and reaches no bad state; otherwise it may fail.

use shem_base::{Budget, UnknownReason};
use shem_chc::TransitionSystem;
use shem_check::certificate::FiniteDiameter;
use shem_proof::NoProof;
use shem_smt::project::{Projector, eliminate};
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use crate::reason::{Unavailable, WitnessError};

/// The number of cubes at which the union is given up.
const MOST_CUBES: usize = 2_000;

/// The states that the rules reach.
pub(super) fn reachable(
    store: &mut Store,
    system: &TransitionSystem,
    diameter: &FiniteDiameter,
    budget: &mut Budget,
) -> Result<Term, WitnessError> {
    let known = &diameter.known;
    let rules = &[&[system.transition], &diameter.learnt[..]].concat();
    let mut auxiliaries = store.free_variables(&[system.initial]);
    auxiliaries.retain(|v| !system.state.contains(v));
    let initial = eliminate(store, &auxiliaries, system.initial, budget)?;
    let mut images = Images { system, projector: Projector::new(), count: 0 };
    let mut all = Vec::new();
    let mut cubes = vec![initial];
    let is_plain = |&&known: &&usize| known == 1 && rules.len() > 1;
    for _ in known.iter().take_while(is_plain) {
        let mut next = Vec::new();
        for &source in &cubes {
            images.extend(store, source, &rules[..1], &mut next, budget)?;
        }
        all.append(&mut cubes);
        cubes = next;
    }
    let mut at = 0;
    while at < cubes.len() {
        let source = cubes[at];
        at += 1;
        images.extend(store, source, rules, &mut cubes, budget)?;
    }
    all.append(&mut cubes);
    Ok(store.or(&all))
}

/// Computes images of cubes.
struct Images<'a> {
    system: &'a TransitionSystem,
    projector: Projector,
    count: usize,
}

impl Images<'_> {
    /// Adds cubes to a union until it contains all states that the rules reach from a cube in one step. The youngest
    /// rules, which lead farthest, come first.
    fn extend(
        &mut self,
        store: &mut Store,
        source: Term,
        rules: &[Term],
        union: &mut Vec<Term>,
        budget: &mut Budget,
    ) -> Result<(), WitnessError> {
        let system = self.system;
        for &rule in rules.iter().rev() {
            let mut solver = Solver::with_proof(Default::default(), NoProof);
            solver.assert(store, source);
            solver.assert(store, rule);
            for &cube in union.iter() {
                let outside = store.rename(!cube, &system.state, &system.next);
                solver.assert(store, outside);
            }
            loop {
                budget.check_stop()?;
                let mut solution = match solver.check(store, budget) {
                    Answer::Unsat(_) => break,
                    Answer::Unknown(reason) => return Err(reason.into()),
                    Answer::Sat(solution) => solution,
                };
                let model = solution.model();
                let projected = self.projector.project_onto(store, &[source, rule], &model, &system.next);
                let cube = store.and(&projected.map_err(UnknownReason::from)?);
                solver.assert(store, !cube);
                let cube = store.rename(cube, &system.next, &system.state);
                union.push(cube);
                self.count += 1;
                if self.count > MOST_CUBES || meets(store, cube, system.bad, budget)? {
                    return Err(Unavailable::Invariant("a finite diameter".to_owned()).into());
                }
            }
        }
        Ok(())
    }
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
