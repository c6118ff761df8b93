//! k-induction.
//!
//! Sheeran, Singh and Stålmarck (2000): if no bad state is reached in fewer than k steps, and none comes after k
//! good states in a row, then none is reached. The base unrolls forwards from the initial states, the step
//! backwards from the bad ones, each in one incremental solver.
//!
//! Without simple paths, "not bad" is k-inductive, and is made inductive by interpolation. With them the step
//! looks only for predecessors that are different states, which makes the method complete for finite systems;
//! then "no path of fewer than k steps leads from here to a bad state" is inductive: were it broken by a step,
//! a shortest path of k steps would lead from the state before to a bad one, and a shortest path is simple. It
//! is computed by eliminating quantifiers from pre-images.

use shem_base::{Budget, UnknownReason};
use shem_chc::TransitionSystem;
use shem_proof::NoProof;
use shem_smt::project::eliminate;
use shem_smt::{Answer, Solver, Template};
use shem_term::{Sort, Store, Term};

use crate::TransitionEngine;
use crate::context::{Context, Progress};
use crate::induction::KInductive;
use crate::steps::{rename, without_auxiliaries};
use crate::unroll::{Compiled, Unrolling};
use crate::verdict::{Evidence, Outcome, Proven, TransitionVerdict};

/// Settings of k-induction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KindSettings {
    /// Whether the step looks for paths of different states only. Default: false.
    pub simple_paths: bool,
}

/// k-induction.
#[derive(Clone, Debug, Default)]
pub struct Kind {
    settings: KindSettings,
}

impl Kind {
    /// The engine with these settings.
    pub fn new(settings: KindSettings) -> Kind {
        Kind { settings }
    }

    fn run(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
        depth: &mut usize,
    ) -> Result<TransitionVerdict, UnknownReason> {
        let system = without_auxiliaries(store, system, &mut context.budget)?;
        let compiled = Compiled::new(store, &system);
        let good = Template::new(store, !system.bad, &system.state);
        let mut forwards = Unrolling::new(Solver::with_proof(Default::default(), NoProof), &compiled);
        context.record(&mut forwards.solver);
        forwards.assert_at(store, compiled.initial(), 0);
        let mut backwards = Unrolling::new(Solver::with_proof(Default::default(), NoProof), &compiled);
        context.record(&mut backwards.solver);
        backwards.assert_at(store, compiled.bad(), 0);
        let different = self.settings.simple_paths.then(|| different(store, &system));
        loop {
            let last = *depth;
            context.events.progress(Progress { depth: last as u64, lemmas: 0 });
            forwards.solver.push();
            forwards.assert_at(store, compiled.bad(), last);
            match forwards.solver.check(store, &mut context.budget) {
                Answer::Sat => {
                    return Ok(Outcome::unsafe_by(forwards.path(last)));
                }
                Answer::Unknown(reason) => return Err(reason),
                Answer::Unsat => forwards.solver.pop(),
            }
            forwards.assert_at(store, &good, last);
            forwards.assert_step(store, compiled.transition(), last);

            // The state after this one in the row comes before it in time.
            let mut actuals = backwards.state(last + 1).to_vec();
            actuals.extend_from_slice(backwards.state(last));
            backwards.solver.instantiate(store, compiled.transition(), &actuals);
            backwards.assert_at(store, &good, last + 1);
            if let Some(different) = &different {
                for earlier in 1..=last {
                    let mut actuals = backwards.state(earlier).to_vec();
                    actuals.extend_from_slice(backwards.state(last + 1));
                    backwards.solver.instantiate(store, different, &actuals);
                }
            }
            match backwards.solver.check(store, &mut context.budget) {
                Answer::Sat => {}
                Answer::Unknown(reason) => return Err(reason),
                Answer::Unsat => return Ok(self.inductive(system, last + 1)),
            }
            *depth += 1;
        }
    }

    /// Safe, by induction of this depth.
    fn inductive(&self, system: TransitionSystem, k: usize) -> TransitionVerdict {
        if self.settings.simple_paths {
            let witness = Evidence::Later(Box::new(move |store: &mut Store, budget: &mut Budget| {
                far_from_bad(store, &system, k, budget).map_err(|reason| reason.to_string())
            }));
            return Outcome::Safe(Proven { witness, certificate: None });
        }
        let certificate = KInductive { formula: !system.bad, system, k };
        let recipe = certificate.clone();
        Outcome::Safe(Proven {
            witness: Evidence::Later(Box::new(move |store, budget| recipe.invariant(store, budget))),
            certificate: Some(Box::new(certificate)),
        })
    }
}

impl TransitionEngine for Kind {
    fn name(&self) -> &'static str {
        "kind"
    }

    fn solve(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> TransitionVerdict {
        let mut depth = 0;
        let verdict = self.run(store, system, context, &mut depth);
        context.statistics.set("depth", depth as u64);
        verdict.unwrap_or_else(Outcome::unknown)
    }
}

/// That two states are different.
fn different(store: &mut Store, system: &TransitionSystem) -> Template {
    let mut formals = system.state.clone();
    formals.extend(&system.next);
    let mut equations = Vec::with_capacity(system.state.len());
    for (&x, &y) in system.state.iter().zip(&system.next) {
        equations.push(if store.sort(x) == Sort::Bool { store.iff(x, y) } else { store.eq(x, y) });
    }
    let same = store.and(&equations);
    Template::new(store, !same, &formals)
}

/// The states from which no path of fewer than k steps leads to a bad one.
fn far_from_bad(
    store: &mut Store,
    system: &TransitionSystem,
    k: usize,
    budget: &mut Budget,
) -> Result<Term, UnknownReason> {
    let mut eliminated = store.free_variables(&[system.transition]);
    eliminated.retain(|v| !system.state.contains(v));
    let mut far = vec![!system.bad];
    let mut layer = system.bad;
    for _ in 1..k {
        let next = rename(store, layer, &system.state, &system.next);
        let step = store.and2(system.transition, next);
        layer = eliminate(store, &eliminated, step, budget)?;
        far.push(!layer);
    }
    Ok(store.and(&far))
}
