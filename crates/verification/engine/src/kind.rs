//! k-induction, in both directions.
//!
//! Sheeran, Singh and Stålmarck (2000): if no bad state is reached in fewer than k steps, and none comes after k
//! good states in a row, then none is reached. The same holds of the reversed system: if every run of k steps
//! from an initial state goes through another initial state, all reachable states are reached in fewer than k
//! steps. So there are two *searches*, one forwards from the initial states and one backwards from the bad
//! ones, each in one incremental solver that looks for longer and longer paths which do not return to the initial
//! (the bad) states. The system is safe as soon as one of them finds no more paths, and as long as no path of the
//! first has ended in a bad state.
//!
//! A formula that is k-inductive is made inductive by interpolation: "not bad" is, if the search backwards ends,
//! and "not initial" in the reversed system, if the one forwards does. With simple paths the searches look
//! only for paths of different states, which makes the method complete for finite systems; then "no path of
//! fewer than k steps leads from here to a bad state" is inductive: were it broken by a step, a shortest path
//! of k steps would lead from the state before to a bad one, and a shortest path is simple. It is computed by
//! eliminating quantifiers from pre-images, and likewise for the reversed system, whose invariants are the
//! complements of the system's own.

use shem_base::{Budget, Effort, UnknownReason};
use shem_chc::{Path, TransitionSystem};
use shem_check::certificate::{Argument, Direction, KInductive, TransitionCertificate};
use shem_proof::NoProof;
use shem_smt::project::eliminate;
use shem_smt::{Answer, Solver, Template};
use shem_term::{Store, Term};

use crate::adaptor::Adaptor;
use crate::context::{Context, Progress};
use crate::induction::{invariant, without_auxiliaries};
use crate::registry::{Answers, EngineDescription, Fragment, LemmaKind, Make};
use crate::scope::Scope;
use crate::strengthen::invariants;
use crate::theories::Theories;
use crate::unroll::{Compiled, Unrolling};
use crate::verdict::{Outcome, Proven, TransitionVerdict, WitnessSource};
use crate::{TransitionEngine, settings};

/// The effort for a description of the initial states without auxiliary variables; if it is not
/// enough, the search forwards serves the base only.
const INITIAL_EFFORT: Effort = Effort { conflicts: 1_000, pivots: 100_000, splits: 1_000 };

settings! {
    /// Settings of k-induction.
    pub struct KindSettings {
        simple_paths: bool = false, "kind.simple-paths", "look at paths of different states only",
            "options.md#engine-kind";
    }
}

/// The description of the engine for the registry.
pub(crate) const DESCRIPTION: EngineDescription = EngineDescription {
    name: "kind",
    summary: "k-induction, from the initial and from the bad states",
    fragment: Fragment::TransitionSystems,
    theories: Theories::All,
    answers: Answers::Both,
    sends: &[],
    takes: &[LemmaKind::Invariant],
    variations: crate::instances::KIND,
    constructor: &Make { engine: |settings| Box::new(Adaptor::new(Kind::new(settings))) },
};

/// k-induction.
#[derive(Clone, Debug, Default)]
pub struct Kind {
    settings: KindSettings,
}

/// A search for longer and longer paths from the initial states of a system.
struct PathSearch {
    compiled: Compiled,
    unrolling: Unrolling<NoProof>,
    /// Not initial: holds in all states but the first. `None` if there is no such description.
    outside: Option<Template>,
    good: Template,
    different: Option<Template>,
    /// Inductive invariants of other engines.
    invariants: Vec<Template>,
}

impl PathSearch {
    fn new(
        store: &mut Store,
        system: &TransitionSystem,
        simple: bool,
        context: &mut Context<'_>,
    ) -> PathSearch {
        let compiled = Compiled::new(store, system);
        let mut unrolling = Unrolling::new(Solver::with_proof(Default::default(), NoProof), &compiled);
        context.set_up(&mut unrolling.solver);
        unrolling.assert_at(store, compiled.initial(), 0);
        let described = store.free_variables(&[system.initial]).iter().all(|v| system.state.contains(v));
        let outside = described.then(|| Template::new(store, !system.initial, &system.state));
        let good = Template::new(store, !system.bad, &system.state);
        let different = simple.then(|| different(store, system));
        PathSearch { compiled, unrolling, outside, good, different, invariants: Vec::new() }
    }

    /// A path of this length that ends in a bad state. If there is none, this is asserted.
    fn find_path(
        &mut self,
        store: &mut Store,
        length: usize,
        budget: &mut Budget,
    ) -> Result<Option<Path>, UnknownReason> {
        self.unrolling.reach(store, length);
        self.unrolling.solver.push();
        self.unrolling.assert_at(store, self.compiled.bad(), length);
        match self.unrolling.solver.check(store, budget) {
            Answer::Sat(mut solution) => Ok(Some(self.unrolling.states.path(&mut solution, length))),
            Answer::Unknown(reason) => Err(reason),
            Answer::Unsat(_) => {
                self.unrolling.solver.pop();
                self.unrolling.assert_at(store, &self.good, length);
                Ok(None)
            }
        }
    }

    /// Extends the paths of this length by one step.
    fn extend_paths(&mut self, store: &mut Store, length: usize) {
        self.unrolling.assert_step(store, self.compiled.transition(), length);
        if let Some(outside) = &self.outside {
            self.unrolling.assert_at(store, outside, length + 1);
        }
        for invariant in &self.invariants {
            self.unrolling.assert_at(store, invariant, length + 1);
        }
        if let Some(different) = &self.different {
            // The first state differs from the others anyhow if they are outside.
            for earlier in usize::from(self.outside.is_some())..=length {
                let mut actuals = self.unrolling.state(store, earlier).to_vec();
                actuals.extend_from_slice(self.unrolling.state(store, length + 1));
                self.unrolling.solver.instantiate(store, different, &actuals);
            }
        }
    }

    /// Leaves out paths through states outside of the invariant; there are states up to this one.
    fn strengthen(&mut self, store: &mut Store, invariant: Template, last: usize) {
        for at in 0..=last {
            self.unrolling.assert_at(store, &invariant, at);
        }
        self.invariants.push(invariant);
    }

    /// Whether there is no path of the current length.
    fn is_exhausted(&mut self, store: &mut Store, budget: &mut Budget) -> Result<bool, UnknownReason> {
        if self.outside.is_none() {
            return Ok(false);
        }
        match self.unrolling.solver.check(store, budget) {
            Answer::Sat(_) => Ok(false),
            Answer::Unsat(_) => Ok(true),
            Answer::Unknown(reason) => Err(reason),
        }
    }
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
    ) -> Result<TransitionVerdict, UnknownReason> {
        let system = described(store, system, &mut context.budget)?;
        let reversed_system = system.reversed(store);
        let mut forwards = PathSearch::new(store, &system, self.settings.simple_paths, context);
        let mut backwards = PathSearch::new(store, &reversed_system, self.settings.simple_paths, context);
        let mut length = 0;
        let mut known = Term::TRUE;
        let verdict = loop {
            context.events.progress(Progress { depth: length as u64, lemmas: 0 });
            // With an invariant I, "not bad, and I" is k-inductive. Of simple paths this cannot be said.
            if !self.settings.simple_paths
                && let Some(found) = invariants(store, context.events)
            {
                let template = Template::new(store, found, &system.state);
                backwards.strengthen(store, template, length);
                known = store.and2(known, found);
                context.statistics.add("shared.invariants", 1);
            }
            match forwards.find_path(store, length, &mut context.budget) {
                Ok(Some(path)) => break Ok(Outcome::unsafe_by(path)),
                Ok(None) => {}
                Err(reason) => break Err(reason),
            }
            forwards.extend_paths(store, length);
            backwards.extend_paths(store, length);
            match backwards.is_exhausted(store, &mut context.budget) {
                Ok(true) => {
                    let formula = store.and2(!system.bad, known);
                    let claim = KInductive { formula, k: length + 1 };
                    break Ok(self.inductive(system, claim, Direction::Forward));
                }
                Ok(false) => {}
                Err(reason) => break Err(reason),
            }
            match forwards.is_exhausted(store, &mut context.budget) {
                Ok(true) => {
                    let claim = KInductive { formula: !reversed_system.bad, k: length + 1 };
                    break Ok(self.inductive(reversed_system, claim, Direction::Backward));
                }
                Ok(false) => {}
                Err(reason) => break Err(reason),
            }
            length += 1;
        };
        context.statistics.set("depth", length as u64);
        verdict
    }

    /// Safe, since this formula, which excludes the bad states, is k-inductive, with or without simple paths. If the
    /// induction goes backwards, system and formula are those of the reversed system.
    fn inductive(
        &self,
        system: TransitionSystem,
        claim: KInductive,
        direction: Direction,
    ) -> TransitionVerdict {
        let simple_paths = self.settings.simple_paths;
        let certificate = (!simple_paths).then(|| TransitionCertificate {
            direction,
            ..TransitionCertificate::from(Argument::KInductive(claim.clone()))
        });
        let recipe = move |store: &mut Store, budget: &mut Budget| {
            let found = if simple_paths {
                far_from_bad(store, &system, claim.k, budget)?
            } else {
                invariant(store, &system, &claim, budget)?
            };
            Ok(if direction == Direction::Backward { !found } else { found })
        };
        Outcome::Safe(Proven { witness: WitnessSource::Deferred(Box::new(recipe)), certificate })
    }
}

impl TransitionEngine for Kind {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn solve(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> TransitionVerdict {
        self.run(store, system, context).unwrap_or_else(Outcome::unknown)
    }
}

/// The system with bad states and, if that is cheap, initial states that are described without auxiliary
/// variables.
fn described(
    store: &mut Store,
    system: &TransitionSystem,
    budget: &mut Budget,
) -> Result<TransitionSystem, UnknownReason> {
    let mut system = without_auxiliaries(store, system, budget)?;
    let mut auxiliaries = store.free_variables(&[system.initial]);
    auxiliaries.retain(|v| !system.state.contains(v));
    let mut limited = budget.at_most(INITIAL_EFFORT);
    if let Ok(initial) = eliminate(store, &auxiliaries, system.initial, &mut limited) {
        system.initial = initial;
    }
    Ok(system)
}

/// That two states are different.
fn different(store: &mut Store, system: &TransitionSystem) -> Template {
    let mut formals = system.state.clone();
    formals.extend(&system.next);
    let mut equations = Vec::with_capacity(system.state.len());
    for (&x, &y) in system.state.iter().zip(&system.next) {
        equations.push(store.eq(x, y));
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
        let next = store.rename(layer, &system.state, &system.next);
        let step = store.and2(system.transition, next);
        layer = eliminate(store, &eliminated, step, budget)?;
        far.push(!layer);
    }
    Ok(store.and(&far))
}
