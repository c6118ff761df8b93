//! Bounded model checking of transition systems.
//!
//! One solver holds the initial state and the steps so far. At each depth the bad state is asserted in a scope
//! of its own, which is closed again when the answer is no; if the bad states can be negated (they have no
//! auxiliary variables), their negation stays. Before that it is asked whether there is a path that long at all
//! (see `extension`); if there is none, the system is safe (see `exhausted`).

use shem_base::{Budget, UnknownReason};
use shem_chc::{Path, TransitionSystem};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver, Template};
use shem_term::Store;

use super::End;
use super::description::DESCRIPTION;
use super::exhausted;
use super::extension::Extension;
use super::options::BmcOptions;
use crate::TransitionEngine;
use crate::context::{Context, Progress};
use crate::reason::Incomplete;
use crate::scope::Scope;
use crate::unroll::{Compiled, Unrolling};
use crate::verdict::{Outcome, Proven, TransitionVerdict, WitnessSource};

/// Bounded model checking of transition systems.
#[derive(Clone, Debug, Default)]
pub struct TransitionBmc {
    options: BmcOptions,
}

impl TransitionBmc {
    /// An engine with these options.
    pub fn new(options: BmcOptions) -> TransitionBmc {
        TransitionBmc { options }
    }
}

impl TransitionEngine for TransitionBmc {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn solve(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> TransitionVerdict {
        let compiled = Compiled::new(store, system);
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        context.set_up(&mut solver);
        let mut search = UnrollingSearch {
            unrolling: Unrolling::new(solver, &compiled),
            good: good(store, system),
            compiled,
            extension: Extension::default(),
            depth: 0,
        };
        let outcome = search.run(store, self.options.max_depth, context);
        context.statistics.set("depth", search.depth as u64);
        context.statistics.merge_prefixed("solver", &search.unrolling.solver.statistics());
        match outcome {
            Ok(End::Reached(path)) => Outcome::unsafe_by(path),
            Ok(End::Exhausted) => {
                let (system, depth) = (system.clone(), search.depth);
                let recipe = move |store: &mut Store, budget: &mut Budget| {
                    exhausted::invariant(store, &system, depth, budget)
                };
                let witness = WitnessSource::Deferred(Box::new(recipe));
                let certificate = exhausted::certificate(depth);
                Outcome::Safe(Proven { witness, certificate: Some(certificate) })
            }
            Ok(End::MaxDepth) => Outcome::unknown(Incomplete::Depth(search.depth)),
            Err(reason) => Outcome::unknown(reason),
        }
    }
}

/// The unrolling so far, in a solver.
struct UnrollingSearch {
    unrolling: Unrolling<NoProof>,
    compiled: Compiled,
    /// The states that are not bad, if a formula without auxiliaries says which these are.
    good: Option<Template>,
    extension: Extension,
    depth: usize,
}

impl UnrollingSearch {
    fn run(
        &mut self,
        store: &mut Store,
        max_depth: Option<usize>,
        context: &mut Context<'_>,
    ) -> Result<End<Path>, UnknownReason> {
        self.unrolling.assert_at(store, self.compiled.initial(), 0);
        loop {
            context.budget.check_stop()?;
            context.events.progress(Progress { depth: self.depth as u64, lemmas: 0 });
            if !self.extension.is_possible(store, &mut self.unrolling.solver, self.depth, &mut context.budget)
            {
                return Ok(End::Exhausted);
            }
            self.unrolling.solver.push();
            self.unrolling.assert_at(store, self.compiled.bad(), self.depth);
            match self.unrolling.solver.check(store, &mut context.budget) {
                Answer::Sat(mut solution) => {
                    return Ok(End::Reached(self.unrolling.states.path(&mut solution, self.depth)));
                }
                Answer::Unsat(_) => self.unrolling.solver.pop(),
                Answer::Unknown(reason) => return Err(reason),
            }
            if max_depth.is_some_and(|max| max <= self.depth) {
                return Ok(End::MaxDepth);
            }
            if let Some(good) = &self.good {
                self.unrolling.assert_at(store, good, self.depth);
            }
            self.unrolling.assert_step(store, self.compiled.transition(), self.depth);
            self.depth += 1;
        }
    }
}

/// The states that are not bad, if that can be said without quantifiers.
fn good(store: &mut Store, system: &TransitionSystem) -> Option<Template> {
    let free = store.free_variables(&[system.bad]);
    free.iter().all(|v| system.state.contains(v)).then(|| Template::new(store, !system.bad, &system.state))
}
